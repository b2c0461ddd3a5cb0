/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices and the clients that use them.
 */
#ifndef _RDMA_VERBS_DEVICE_H_
#define _RDMA_VERBS_DEVICE_H_

#include <linux/cgroup_rdma.h>
#include <linux/completion.h>
#include <linux/device.h>
#include <linux/if.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <rdma/verbs/event.h>
#include <rdma/verbs/ops.h>
#include <rdma/verbs/port.h>
#include <rdma/verbs/stats.h>
#include <rdma/verbs/types.h>

/*
 * The type of a device's limits. ULPs in the source of newer kernels are compiled with the macro,
 * because they compare limits by min(), which refuses numbers of different types.
 */
#ifdef KRDMA_UNSIGNED_LIMITS
typedef u32 krdma_limit_t;
#else
typedef int krdma_limit_t;
#endif

/**
 * enum ib_device_cap_flags - what a device can do, known to user space
 * @IB_DEVICE_RESIZE_MAX_WR: change the size of a QP's queues
 * @IB_DEVICE_BAD_PKEY_CNTR: count packets with a wrong P_Key
 * @IB_DEVICE_BAD_QKEY_CNTR: count packets with a wrong Q_Key
 * @IB_DEVICE_RAW_MULTI: multicast of raw packets
 * @IB_DEVICE_AUTO_PATH_MIG: go over to an alternate path
 * @IB_DEVICE_CHANGE_PHY_PORT: change the port of a QP that is in SQD
 * @IB_DEVICE_UD_AV_PORT_ENFORCE: check that the port of an address handle is that of the QP
 * @IB_DEVICE_CURR_QP_STATE_MOD: accept the current state as an attribute when a QP is modified
 * @IB_DEVICE_SHUTDOWN_PORT: shut a port down
 * @IB_DEVICE_PORT_ACTIVE_EVENT: report ports that become active
 * @IB_DEVICE_SYS_IMAGE_GUID: set the system image GUID
 * @IB_DEVICE_RC_RNR_NAK_GEN: send an RNR NAK if no receive request is posted
 * @IB_DEVICE_SRQ_RESIZE: change the size of an SRQ
 * @IB_DEVICE_N_NOTIFY_CQ: notify after a number of completions
 * @IB_DEVICE_MEM_WINDOW: memory windows, type 1
 * @IB_DEVICE_UD_IP_CSUM: checksums of IP packets on UD QPs
 * @IB_DEVICE_XRC: extended reliable connections
 * @IB_DEVICE_MEM_MGT_EXTENSIONS: fast registration and invalidation of memory regions by work
 *	requests, with keys whose low byte the consumer chooses
 * @IB_DEVICE_MEM_WINDOW_TYPE_2A: memory windows, type 2A
 * @IB_DEVICE_MEM_WINDOW_TYPE_2B: memory windows, type 2B
 * @IB_DEVICE_RC_IP_CSUM: checksums of IP packets on RC QPs
 * @IB_DEVICE_RAW_IP_CSUM: checksums of IP packets on raw QPs
 * @IB_DEVICE_MANAGED_FLOW_STEERING: steer packets to QPs by rules
 * @IB_DEVICE_RAW_SCATTER_FCS: deliver the checksum of Ethernet frames
 * @IB_DEVICE_PCI_WRITE_END_PADDING: fill writes up to a cache line
 */
enum ib_device_cap_flags {
	IB_DEVICE_RESIZE_MAX_WR = IB_UVERBS_DEVICE_RESIZE_MAX_WR,
	IB_DEVICE_BAD_PKEY_CNTR = IB_UVERBS_DEVICE_BAD_PKEY_CNTR,
	IB_DEVICE_BAD_QKEY_CNTR = IB_UVERBS_DEVICE_BAD_QKEY_CNTR,
	IB_DEVICE_RAW_MULTI = IB_UVERBS_DEVICE_RAW_MULTI,
	IB_DEVICE_AUTO_PATH_MIG = IB_UVERBS_DEVICE_AUTO_PATH_MIG,
	IB_DEVICE_CHANGE_PHY_PORT = IB_UVERBS_DEVICE_CHANGE_PHY_PORT,
	IB_DEVICE_UD_AV_PORT_ENFORCE = IB_UVERBS_DEVICE_UD_AV_PORT_ENFORCE,
	IB_DEVICE_CURR_QP_STATE_MOD = IB_UVERBS_DEVICE_CURR_QP_STATE_MOD,
	IB_DEVICE_SHUTDOWN_PORT = IB_UVERBS_DEVICE_SHUTDOWN_PORT,
	IB_DEVICE_PORT_ACTIVE_EVENT = IB_UVERBS_DEVICE_PORT_ACTIVE_EVENT,
	IB_DEVICE_SYS_IMAGE_GUID = IB_UVERBS_DEVICE_SYS_IMAGE_GUID,
	IB_DEVICE_RC_RNR_NAK_GEN = IB_UVERBS_DEVICE_RC_RNR_NAK_GEN,
	IB_DEVICE_SRQ_RESIZE = IB_UVERBS_DEVICE_SRQ_RESIZE,
	IB_DEVICE_N_NOTIFY_CQ = IB_UVERBS_DEVICE_N_NOTIFY_CQ,
	IB_DEVICE_MEM_WINDOW = IB_UVERBS_DEVICE_MEM_WINDOW,
	IB_DEVICE_UD_IP_CSUM = IB_UVERBS_DEVICE_UD_IP_CSUM,
	IB_DEVICE_XRC = IB_UVERBS_DEVICE_XRC,
	IB_DEVICE_MEM_MGT_EXTENSIONS = IB_UVERBS_DEVICE_MEM_MGT_EXTENSIONS,
	IB_DEVICE_MEM_WINDOW_TYPE_2A = IB_UVERBS_DEVICE_MEM_WINDOW_TYPE_2A,
	IB_DEVICE_MEM_WINDOW_TYPE_2B = IB_UVERBS_DEVICE_MEM_WINDOW_TYPE_2B,
	IB_DEVICE_RC_IP_CSUM = IB_UVERBS_DEVICE_RC_IP_CSUM,
	IB_DEVICE_RAW_IP_CSUM = IB_UVERBS_DEVICE_RAW_IP_CSUM,
	IB_DEVICE_MANAGED_FLOW_STEERING =
		IB_UVERBS_DEVICE_MANAGED_FLOW_STEERING,
	IB_DEVICE_RAW_SCATTER_FCS = IB_UVERBS_DEVICE_RAW_SCATTER_FCS,
	IB_DEVICE_PCI_WRITE_END_PADDING =
		IB_UVERBS_DEVICE_PCI_WRITE_END_PADDING,
};

/**
 * enum ib_kernel_cap_flags - what a device can do, known to the kernel only
 * @IBK_LOCAL_DMA_LKEY: ib_device.local_dma_lkey covers all memory of the host
 * @IBK_INTEGRITY_HANDOVER: generates and checks protection information
 * @IBK_ON_DEMAND_PAGING: user memory need not be pinned
 * @IBK_SG_GAPS_REG: memory regions of type IB_MR_TYPE_SG_GAPS
 * @IBK_ALLOW_USER_UNREG: a user may delete the device with `rdma link delete`, because it was made
 *	with `rdma link add`
 * @IBK_BLOCK_MULTICAST_LOOPBACK: can prevent multicast from coming back to the sending QP
 * @IBK_UD_TSO: segments long IP packets on UD QPs
 * @IBK_VIRTUAL_FUNCTION: the device is a virtual function of another device
 * @IBK_RDMA_NETDEV_OPA: makes network interfaces over Omni-Path
 * @IBK_READ_LOCAL_SINK: an iWARP device that places the data of an RDMA READ into any memory that
 *	is registered for local writes, the local_dma_lkey included, and into up to max_sge_rd
 *	elements. An iWARP device without this flag needs a region that peers may write, and takes
 *	one element. Other devices do not need the flag
 */
enum ib_kernel_cap_flags {
	IBK_LOCAL_DMA_LKEY = 1 << 0,
	IBK_INTEGRITY_HANDOVER = 1 << 1,
	IBK_ON_DEMAND_PAGING = 1 << 2,
	IBK_SG_GAPS_REG = 1 << 3,
	IBK_ALLOW_USER_UNREG = 1 << 4,
	IBK_BLOCK_MULTICAST_LOOPBACK = 1 << 5,
	IBK_UD_TSO = 1 << 6,
	IBK_VIRTUAL_FUNCTION = 1 << 7,
	IBK_RDMA_NETDEV_OPA = 1 << 8,
	/* krdma's own flags count down from bit 30, away from flags that the kernel may add. */
	IBK_READ_LOCAL_SINK = 1 << 30,
};

/**
 * enum ib_atomic_cap - accesses that an atomic operation is atomic with respect to
 * @IB_ATOMIC_NONE: the device has no atomic operations
 * @IB_ATOMIC_HCA: other atomic operations that this device executes
 * @IB_ATOMIC_GLOB: all accesses of the host's CPUs and devices
 */
enum ib_atomic_cap {
	IB_ATOMIC_NONE,
	IB_ATOMIC_HCA,
	IB_ATOMIC_GLOB
};

/* Capabilities of a device with on-demand paging: bits of &ib_odp_caps.general_caps. */
enum ib_odp_general_cap_bits {
	IB_ODP_SUPPORT		= 1 << 0,
	IB_ODP_SUPPORT_IMPLICIT	= 1 << 1,
};

/* Operations that work with on-demand paging, for a transport of &ib_odp_caps. */
enum ib_odp_transport_cap_bits {
	IB_ODP_SUPPORT_SEND	= 1 << 0,
	IB_ODP_SUPPORT_RECV	= 1 << 1,
	IB_ODP_SUPPORT_WRITE	= 1 << 2,
	IB_ODP_SUPPORT_READ	= 1 << 3,
	IB_ODP_SUPPORT_ATOMIC	= 1 << 4,
	IB_ODP_SUPPORT_SRQ_RECV	= 1 << 5,
};

/**
 * struct ib_odp_caps - on-demand paging: regions whose pages the device faults in
 * @general_caps: &enum ib_odp_general_cap_bits; 0: the device has none
 * @per_transport_caps: for each transport, &enum ib_odp_transport_cap_bits
 */
struct ib_odp_caps {
	u64 general_caps;
	struct {
		u32 rc_odp_caps;
		u32 uc_odp_caps;
		u32 ud_odp_caps;
		u32 xrc_odp_caps;
	} per_transport_caps;
};

/**
 * struct ib_rss_caps - distribution of received packets over work queues
 * @supported_qpts: bit 1 << &enum ib_qp_type is set for a type of QP that can distribute
 * @max_rwq_indirection_tables: number of indirection tables
 * @max_rwq_indirection_table_size: number of entries of an indirection table
 */
struct ib_rss_caps {
	u32 supported_qpts;
	u32 max_rwq_indirection_tables;
	u32 max_rwq_indirection_table_size;
};

enum ib_tm_cap_flags {
	/* The device carries out the rendezvous of messages on reliable connections. */
	IB_TM_CAP_RNDV_RC = 1 << 0,
};

/**
 * struct ib_tm_caps - matching of received messages with tags
 * @max_rndv_hdr_size: length of the header of a rendezvous, in bytes
 * @max_num_tags: number of tags in the list of an SRQ
 * @flags: &enum ib_tm_cap_flags
 * @max_ops: number of outstanding changes of a list
 * @max_sge: number of elements of a tagged buffer
 */
struct ib_tm_caps {
	u32 max_rndv_hdr_size;
	u32 max_num_tags;
	u32 flags;
	u32 max_ops;
	u32 max_sge;
};

/**
 * enum ib_raw_packet_caps - what a device can do with raw Ethernet packets
 * @IB_RAW_PACKET_CAP_CVLAN_STRIPPING: strip the customer's VLAN tag of a received packet, and
 *	report it in the completion
 * @IB_RAW_PACKET_CAP_SCATTER_FCS: put the frame check sequence of a received packet in memory
 * @IB_RAW_PACKET_CAP_IP_CSUM: compute and verify check sums of IP
 * @IB_RAW_PACKET_CAP_DELAY_DROP: wait before a packet for which no receive request is posted is
 *	dropped
 */
enum ib_raw_packet_caps {
	IB_RAW_PACKET_CAP_CVLAN_STRIPPING = IB_UVERBS_RAW_PACKET_CAP_CVLAN_STRIPPING,
	IB_RAW_PACKET_CAP_SCATTER_FCS = IB_UVERBS_RAW_PACKET_CAP_SCATTER_FCS,
	IB_RAW_PACKET_CAP_IP_CSUM = IB_UVERBS_RAW_PACKET_CAP_IP_CSUM,
	IB_RAW_PACKET_CAP_DELAY_DROP = IB_UVERBS_RAW_PACKET_CAP_DELAY_DROP,
};

/**
 * struct ib_device_attr - properties and limits of a device
 *
 * A member max_* that is described by a noun alone is the largest number of such objects.
 *
 * @fw_ver: version of its firmware
 * @sys_image_guid: GUID of the system the device is part of
 * @max_mr_size: longest memory region, in bytes
 * @page_size_cap: page sizes of memory regions: bit n stands for 2^n bytes
 * @vendor_id: vendor
 * @vendor_part_id: the vendor's number of the part
 * @hw_ver: version of the hardware
 * @max_qp: QPs
 * @max_qp_wr: work requests in a queue of a QP
 * @device_cap_flags: bits of enum ib_device_cap_flags
 * @kernel_cap_flags: bits of enum ib_kernel_cap_flags
 * @max_send_sge: elements of a send request
 * @max_recv_sge: elements of a receive request
 * @max_sge_rd: elements of a RDMA READ request
 * @max_cq: CQs
 * @max_cqe: entries of a CQ
 * @max_mr: memory regions
 * @max_pd: protection domains
 * @max_qp_rd_atom: RDMA READs and atomics that a QP serves at a time, as responder
 * @max_ee_rd_atom: RDMA READs and atomics that an end-to-end context serves at a time
 * @max_res_rd_atom: RDMA READs and atomics that all QPs together serve at a time
 * @max_qp_init_rd_atom: RDMA READs and atomics that a QP has outstanding, as initiator
 * @max_ee_init_rd_atom: RDMA READs and atomics that an end-to-end context has outstanding
 * @atomic_cap: atomicity of compare-and-swap and fetch-and-add
 * @masked_atomic_cap: atomicity of the masked compare-and-swap and fetch-and-add
 * @max_ee: end-to-end contexts
 * @max_rdd: reliable datagram domains
 * @max_mw: memory windows
 * @max_raw_ipv6_qp: raw QPs for IPv6
 * @max_raw_ethy_qp: raw QPs for Ethertypes
 * @max_mcast_grp: multicast groups
 * @max_mcast_qp_attach: QPs of a multicast group
 * @max_total_mcast_qp_attach: QPs of all multicast groups together
 * @max_ah: address handles
 * @max_srq: shared receive queues
 * @max_srq_wr: work requests in a shared receive queue
 * @max_srq_sge: elements of a work request in a shared receive queue
 * @max_fast_reg_page_list_len: pages of a fast-registration memory region
 * @max_pi_fast_reg_page_list_len: pages of a fast-registration memory region with protection
 *	information
 * @max_pkeys: P_Keys
 * @local_ca_ack_delay: how long an acknowledgment may take, as 4.096 us * 2^n
 * @sig_prot_cap: kinds of protection information
 * @sig_guard_cap: kinds of guard in the protection information
 * @odp_caps: on-demand paging
 * @timestamp_mask: valid bits of a completion's time stamp
 * @hca_core_clock: frequency of the device's clock, in kHz
 * @rss_caps: distribution of received packets
 * @max_wq_type_rq: work queues of type %IB_WQT_RQ
 * @raw_packet_caps: &enum ib_raw_packet_caps
 * @tm_caps: matching of messages with tags
 * @cq_caps: limits of CQ moderation
 * @max_dm_size: memory of the device for processes, in bytes
 * @max_sgl_rd: number of elements above which an RDMA READ is faster with a memory region than with
 *	a list; 0: it never is
 */
struct ib_device_attr {
	u64			fw_ver;
	__be64			sys_image_guid;
	u64			max_mr_size;
	u64			page_size_cap;
	u32			vendor_id;
	u32			vendor_part_id;
	u32			hw_ver;
	krdma_limit_t		max_qp;
	krdma_limit_t		max_qp_wr;
	u64			device_cap_flags;
	u64			kernel_cap_flags;
	krdma_limit_t		max_send_sge;
	krdma_limit_t		max_recv_sge;
	krdma_limit_t		max_sge_rd;
	krdma_limit_t		max_cq;
	krdma_limit_t		max_cqe;
	krdma_limit_t		max_mr;
	krdma_limit_t		max_pd;
	krdma_limit_t		max_qp_rd_atom;
	krdma_limit_t		max_ee_rd_atom;
	krdma_limit_t		max_res_rd_atom;
	krdma_limit_t		max_qp_init_rd_atom;
	krdma_limit_t		max_ee_init_rd_atom;
	enum ib_atomic_cap	atomic_cap;
	enum ib_atomic_cap	masked_atomic_cap;
	krdma_limit_t		max_ee;
	krdma_limit_t		max_rdd;
	krdma_limit_t		max_mw;
	krdma_limit_t		max_raw_ipv6_qp;
	krdma_limit_t		max_raw_ethy_qp;
	krdma_limit_t		max_mcast_grp;
	krdma_limit_t		max_mcast_qp_attach;
	krdma_limit_t		max_total_mcast_qp_attach;
	krdma_limit_t		max_ah;
	krdma_limit_t		max_srq;
	krdma_limit_t		max_srq_wr;
	krdma_limit_t		max_srq_sge;
	unsigned int		max_fast_reg_page_list_len;
	unsigned int		max_pi_fast_reg_page_list_len;
	u16			max_pkeys;
	u8			local_ca_ack_delay;
	int			sig_prot_cap;
	int			sig_guard_cap;
	struct ib_odp_caps	odp_caps;
	u64			timestamp_mask;
	u64			hca_core_clock;
	struct ib_rss_caps	rss_caps;
	u32			max_wq_type_rq;
	u32			raw_packet_caps;
	struct ib_tm_caps	tm_caps;
	struct ib_cq_caps	cq_caps;
	u64			max_dm_size;
	u32			max_sgl_rd;
};

/**
 * enum ib_device_modify_flags - what ib_modify_device() changes
 * @IB_DEVICE_MODIFY_SYS_IMAGE_GUID: the system image GUID
 * @IB_DEVICE_MODIFY_NODE_DESC: the description of the node
 */
enum ib_device_modify_flags {
	IB_DEVICE_MODIFY_SYS_IMAGE_GUID	= 1 << 0,
	IB_DEVICE_MODIFY_NODE_DESC	= 1 << 1
};

/* Size of the buffer of ib_get_device_fw_str(), in bytes. */
#define IB_FW_VERSION_NAME_MAX	32

#define IB_DEVICE_NODE_DESC_MAX	64

/**
 * struct ib_device_modify - values for ib_modify_device()
 * @sys_image_guid: system image GUID, in host order
 * @node_desc: description; ends with 0 unless it fills the array
 */
struct ib_device_modify {
	u64	sys_image_guid;
	char	node_desc[IB_DEVICE_NODE_DESC_MAX];
};

struct ib_client;
struct ib_client_nl_info;
struct ib_device_sysfs;
struct ib_port_data;
struct rdma_link_ops;
struct rdma_restrack_root;
struct uapi_definition;

/**
 * struct ib_device_view - a device as a network namespace sees it in sysfs; owned by the core
 * @dev: device of class "infiniband"
 * @owner: the RDMA device
 * @net: the namespace
 * @sysfs: the files of the view, while the view is visible
 * @list: entry in the list of visible devices (for the device's own view), or in
 *	&ib_device.views of @owner
 */
struct ib_device_view {
	struct device		dev;
	struct ib_device	*owner;
	possible_net_t		net;
	struct ib_device_sysfs	*sysfs;
	struct list_head	list;
};

/**
 * struct ib_device - an RDMA device
 *
 * The structure is allocated by ib_alloc_device() as the first member of the provider's own
 * structure, and freed after the last reference to @dev is dropped. Members that are marked "set by
 * the provider" are set before ib_register_device().
 *
 * @dma_device: device that does DMA, from ib_register_device(); NULL for a software device, whose
 *	DMA addresses are kernel virtual addresses. Use the ib_dma_*() functions.
 * @ops: the provider's operations, from ib_set_device_ops()
 * @name: the device's name, which a rename changes in place; read with ib_device_name_get()
 * @rcu_head: frees the memory after a grace period
 * @event_handler_list: handlers of ib_register_event_handler()
 * @event_handler_rwsem: protects @event_handler_list; held for reading while handlers run
 * @event_lock: protects @event_queue and @events_running; taken in any context
 * @event_queue: events that have not been delivered yet, oldest first
 * @event_work: delivers @event_queue
 * @events_running: events are accepted
 * @client_data: pointers of ib_set_client_data(), by the client's number
 * @client_links: clients whose add() was called for the device, in that order; protected by the
 *	registry's lock
 * @unregistration_lock: serialises registration and unregistration of this device; outermost of the
 *	device's locks
 * @unregistration_key: lockdep class of @unregistration_lock, one for each device
 * @port_data: the ports, indexed by port number (entry 0 is used on switches only)
 * @num_comp_vectors: number of completion vectors; set by the provider
 * @dev: device of class "infiniband". If the provider sets no parent, the DMA device becomes the
 *	parent.
 * @view: the view of the device's own network namespace, which begins with @dev
 * @views: views of the device in other network namespaces
 * @relink_work: removes and recreates the link of each view to the device's network interface
 * @uverbs_cmd_mask: commands of user space beyond the usual ones, as bits of
 *	IB_USER_VERBS_CMD_*; set by the provider
 * @node_desc: text that describes the node; set by the provider, changed by ib_modify_device()
 * @node_guid: GUID of the node; set by the provider
 * @local_dma_lkey: key that covers all memory of the host, if the device has one; set by the
 *	provider
 * @is_switch: the device is an InfiniBand switch: its only port is number 0; set by the provider
 * @kverbs_provider: the provider implements kernel verbs; set by ib_register_device()
 * @use_cq_dim: CQs that the core polls are moderated adaptively, from their creation on, if the
 *	provider has modify_cq(); set by the provider, changed with `rdma dev set`
 * @node_type: one of RDMA_NODE_*; set by the provider
 * @phys_port_cnt: number of ports; set by the provider
 * @state: state of the device, from allocated to gone (private to the core)
 * @attrs: attributes, from the provider's query_device() at registration
 * @hw_stats: counters of the device as a whole, or NULL
 * @rdma_net: network namespace the device belongs to
 * @coredev: the same under the name by which ULPs of the kernel's own stack read it
 * @coredev.rdma_net: network namespace the device belongs to
 * @maker_ns: user namespace whose owner has made the device, within the limit that the
 *	administrator has set; NULL for other devices. Constant while the device is registered
 * @cg_device: the device in the cgroup controller "rdma"
 * @index: number of the device, not reused soon
 * @cq_pools_lock: protects @cq_pools, and &ib_cq.cqe_used of the CQs in them
 * @cq_pools: shared CQs, one list for each poll context
 * @cq_pools_work: frees the CQs of pools that nobody uses any more
 * @res: table of the device's objects
 * @refcount: references to the device: one of its own while it is registered, and those of
 *	ib_device_try_get() and of look-ups
 * @unreg_completion: completed when the last of these references is dropped
 * @unregistration_work: work item of ib_unregister_device_queued()
 * @link_ops: link type that made the device and deletes it; NULL for hardware
 * @driver_def: the provider's own objects, methods and attributes of ioctl(), ended by an entry of
 *	zeros; NULL: none. Set by the provider, and read at registration
 * @iw_ifname: network interface, for the iWARP connection manager; set by the provider
 * @iw_driver_flags: bits of enum iw_flags; set by the provider
 */
struct ib_device {
	struct device		*dma_device;
	struct ib_device_ops	ops;
	char			name[IB_DEVICE_NAME_MAX];
	struct rcu_head		rcu_head;

	struct list_head	event_handler_list;
	struct rw_semaphore	event_handler_rwsem;
	spinlock_t		event_lock;	/* protects @event_queue and @events_running */
	struct list_head	event_queue;
	struct work_struct	event_work;
	bool			events_running;

	struct xarray		client_data;
	struct list_head	client_links;

	struct mutex		unregistration_lock; /* serialises registration, unregistration */
	struct lock_class_key	unregistration_key;

	struct ib_port_data	*port_data;

	int			num_comp_vectors;
	union {
		struct device		dev;
		struct ib_device_view	view;
	};
	struct list_head	views;
	struct work_struct	relink_work;

	u64			uverbs_cmd_mask;
	char			node_desc[IB_DEVICE_NODE_DESC_MAX];
	__be64			node_guid;
	u32			local_dma_lkey;
	u16			is_switch:1;
	u16			kverbs_provider:1;
	u16			use_cq_dim:1;
	u8			node_type;
	u32			phys_port_cnt;
	unsigned int		state;
	struct ib_device_attr	attrs;
	struct rdma_hw_stats	*hw_stats;
	union {
		possible_net_t	rdma_net;
		struct {
			possible_net_t	rdma_net;
		} coredev;
	};
	struct user_namespace	*maker_ns;
#ifdef CONFIG_CGROUP_RDMA
	struct rdmacg_device	cg_device;
#endif

	u32			index;
	spinlock_t		cq_pools_lock;	/* protects @cq_pools and their ib_cq.cqe_used */
	struct list_head	cq_pools[IB_POLL_LAST_POOL_TYPE + 1];
	struct delayed_work	cq_pools_work;

	struct rdma_restrack_root *res;

	refcount_t		refcount;
	struct completion	unreg_completion;
	struct work_struct	unregistration_work;

	const struct rdma_link_ops *link_ops;
	const struct uapi_definition *driver_def;

	char			iw_ifname[IFNAMSIZ];
	u32			iw_driver_flags;
};

/**
 * struct ib_client_nl_info - a client's character device, as netlink reports it
 * @nl_msg: the reply, to which the client may add attributes
 * @cdev: set by the client: the character device, which stays until the client's remove() is called
 * @port: port number of the request; 0: none
 * @abi: set by the client: ABI version of the character device
 */
struct ib_client_nl_info {
	struct sk_buff *nl_msg;
	struct device *cdev;
	u32 port;
	u64 abi;
};

/**
 * struct ib_client - a user of all devices
 *
 * The callbacks run in process context and may sleep. They may register and unregister other
 * clients and other devices, but must not unregister the device that they are called for, because
 * its unregistration_lock may be held. They may call ib_unregister_device_queued() for that device.
 *
 * @name: name for messages
 * @add: a device has appeared. Called once for each device, in the order of registration of devices
 *	and clients. After an error no other callback is called for this device. Optional: a ULP
 *	that finds its devices by connecting, such as NVMe-oF, only has a @remove
 * @remove: the device or the client is being unregistered. Called once for each successful @add,
 *	after the client's other callbacks on the device have returned; the clients of a device are
 *	removed in reverse order. After @remove the client must not use the device. Optional
 * @rename: the device got another name; optional
 * @get_nl_info: reports the client's character device for a device, for RDMA_NLDEV_CMD_GET_CHARDEV;
 *	returns 0 or a negative errno; optional. Not called before @add has succeeded or after
 *	@remove has begun. The request names the client by @name; if the client is not registered,
 *	the module with the MODULE_ALIAS_RDMA_CLIENT() of that name is loaded
 * @get_global_nl_info: reports a character device of the client that all devices share, for
 *	RDMA_NLDEV_CMD_GET_CHARDEV; returns 0 or a negative errno; optional. The request names
 *	the client as for @get_nl_info
 * @callers: number of running calls of @get_global_nl_info (private to the core)
 * @list: entry in the list of clients (private to the core)
 * @client_id: number of the client, key of ib_device.client_data (private to the core)
 * @no_kverbs_req: the client also wants devices without kernel verbs
 */
struct ib_client {
	const char *name;
	int (*add)(struct ib_device *ibdev);
	void (*remove)(struct ib_device *ibdev, void *client_data);
	void (*rename)(struct ib_device *dev, void *client_data);
	int (*get_nl_info)(struct ib_device *ibdev, void *client_data,
			   struct ib_client_nl_info *res);
	int (*get_global_nl_info)(struct ib_client_nl_info *res);

	unsigned int callers;
	struct list_head list;
	u32 client_id;

	u8 no_kverbs_req:1;
};

/**
 * _ib_alloc_device - allocate a device; providers use ib_alloc_device()
 * @size: size of the provider's structure, which begins with struct ib_device
 *
 * Process context.
 *
 * Return: memory that is zeroed except for the core's members, to be given back with
 * ib_dealloc_device(); NULL if there is no memory or @size is smaller than struct ib_device.
 */
struct ib_device *_ib_alloc_device(size_t size);

/**
 * ib_alloc_device - allocate a provider's device
 * @drv_struct: tag of the provider's structure
 * @member: its first member, the struct ib_device
 *
 * Return: the provider's structure; NULL if there is no memory.
 */
#define ib_alloc_device(drv_struct, member)					\
	container_of(_ib_alloc_device(sizeof(struct drv_struct) +		\
				      BUILD_BUG_ON_ZERO(offsetof(struct drv_struct, member))), \
		     struct drv_struct, member)

/**
 * ib_dealloc_device - free a device that is not registered
 * @device: device that never was registered, failed to register, or was unregistered
 *
 * Process context. Calls the provider's dealloc_driver(), if there is one, and drops the provider's
 * reference. The memory is freed one RCU grace period after the last reference is dropped. A
 * provider with dealloc_driver() must not call this function for a device that was unregistered,
 * because the unregistration has freed the device.
 */
void ib_dealloc_device(struct ib_device *device);

/**
 * ib_set_device_ops - set the operations of a device
 * @device: a device that is not registered
 * @ops: operations and object sizes; not needed after the call
 *
 * Any context. May be called several times: an operation or size that was set by an earlier call
 * stays.
 */
void ib_set_device_ops(struct ib_device *device, const struct ib_device_ops *ops);

/**
 * ib_register_device - make a device known to clients, user space and the network stack
 * @device: allocated device, with its operations and properties set
 * @name: its name, shorter than IB_DEVICE_NAME_MAX, without '/', white space and control
 *	characters; one "%d" in it stands for the lowest free number
 * @dma_device: device that does the DMA, or NULL for a software device
 *
 * Process context. On success every client's add() has been called. The device becomes visible
 * before this function returns. An unregistration that begins earlier waits until the registration
 * has finished. After an error only the allocated device is left; the caller gives it back with
 * ib_dealloc_device(), or registers it again if the name was the reason.
 *
 * Return: 0; -EINVAL if the name is invalid, the device has no port, one of the operations
 * query_device, query_port and get_port_immutable is missing, an object size is too small for its
 * operations, the data of a port is contradictory, or the device was registered before; -EEXIST if
 * the name is taken; -ENFILE if no number is free for the name; -ENOMEM; or the error of the
 * provider's query_device(), get_port_immutable(), get_hw_stats() or enable_driver().
 */
int ib_register_device(struct ib_device *device, const char *name, struct device *dma_device);

/**
 * ib_unregister_device - take a device out of use
 * @device: the device
 *
 * Process context. The caller holds neither the RTNL lock nor a lock or reference that a client's
 * remove() may wait for. Removes the clients in reverse order, waits until all references that
 * ib_device_try_get() and look-ups took are dropped, delivers the events that are still queued,
 * reports objects that were leaked, and removes the device from sysfs. Has no effect on a device
 * that is not registered. While another thread unregisters the device, the function waits until
 * that thread has finished.
 *
 * If the provider has a dealloc_driver() operation, the device is freed as well, and @device is
 * invalid on return. Otherwise the caller frees it with ib_dealloc_device().
 */
void ib_unregister_device(struct ib_device *device);

/**
 * ib_unregister_device_and_put - unregister a device that was looked up
 * @device: device; its reference from ib_device_get_by_netdev() or another look-up is dropped
 *
 * Drops the reference and calls ib_unregister_device(). The caller cannot know when to free the
 * device. Therefore the provider must have a dealloc_driver() operation: then the unregistration
 * frees the device.
 */
void ib_unregister_device_and_put(struct ib_device *device);

/**
 * ib_unregister_device_queued - have a work item unregister a device
 * @ib_dev: device; the caller ensures that it is not freed during the call
 *
 * Any context; may be called from a client's callback on the device and under the RTNL lock.
 * Returns at once; ib_unregister_driver() waits for the work item. The provider must have a
 * dealloc_driver() operation.
 */
void ib_unregister_device_queued(struct ib_device *ib_dev);

/**
 * ib_unregister_driver - unregister all devices of a provider
 * @driver_id: the provider
 *
 * Process context. On return all devices of the provider have been unregistered, including those
 * that other threads or work items were unregistering, and their dealloc_driver() calls have
 * returned. The caller ensures that the provider registers no further device during the call.
 */
void ib_unregister_driver(enum rdma_driver_id driver_id);

/**
 * ib_register_client - register a client of all devices
 * @client: the client; the core uses it until ib_unregister_client() returns
 *
 * Process context. Calls add() for the devices that are registered. For a device that is being
 * registered at the same time, ib_register_device() calls add().
 *
 * Return: 0; -ENOMEM. After an error the client is not registered.
 */
int ib_register_client(struct ib_client *client);

/**
 * ib_unregister_client - unregister a client
 * @client: a registered client
 *
 * Process context. Calls remove() for each device. On return no callback of the client is running,
 * and none will be called. Must not be called from a callback of the same client.
 */
void ib_unregister_client(struct ib_client *client);

/**
 * ib_set_client_data - attach a client's data to a device
 * @device: the device
 * @client: a client, between the start of its add() and the end of its remove()
 * @data: pointer that ib_get_client_data() returns, and that the core passes to the callbacks
 *
 * Process context. The core clears the pointer after remove() has returned, or add() has failed.
 */
void ib_set_client_data(struct ib_device *device, struct ib_client *client, void *data);

/**
 * ib_get_client_data - get the pointer that ib_set_client_data() has set
 * @device: the device
 * @client: the client
 *
 * Any context.
 *
 * Return: the pointer, or NULL.
 */
static inline void *ib_get_client_data(struct ib_device *device, struct ib_client *client)
{
	return xa_load(&device->client_data, client->client_id);
}

/**
 * ib_device_try_get - prevent a device from being unregistered
 * @dev: device; the caller ensures that it is not freed during the call
 *
 * Any context. The caller must not hold the reference for long, because unregistration waits until
 * the reference is dropped.
 *
 * Return: true if the caller has a reference, to be dropped with ib_device_put(); false if the
 * device is not registered.
 */
static inline bool ib_device_try_get(struct ib_device *dev)
{
	return refcount_inc_not_zero(&dev->refcount);
}

/**
 * ib_device_put - drop a reference to a registered device
 * @device: device from ib_device_try_get() or a look-up; may be freed on return
 *
 * Any context.
 */
void ib_device_put(struct ib_device *device);

/**
 * ib_device_name_get - copy a device's name
 * @dev: the device
 * @name: buffer of IB_DEVICE_NAME_MAX bytes
 *
 * Any context but NMI. While the device is renamed, the copy is the old or the new name. Before the
 * device was registered, the copy is empty. Neither dev_name() nor kobject_name() may be used for a
 * device, because a rename frees the string that they return.
 */
void ib_device_name_get(const struct ib_device *dev, char *name);

/**
 * ib_device_get_by_name - find a registered device by its name
 * @name: the name
 * @driver_id: its provider, or RDMA_DRIVER_UNKNOWN for any
 *
 * Process context.
 *
 * Return: the device with a reference, to be released with ib_device_put(), or NULL.
 */
struct ib_device *ib_device_get_by_name(const char *name, enum rdma_driver_id driver_id);

/**
 * ib_device_get_by_netdev - find a registered device by its network interface
 * @ndev: the interface, as given to ib_device_set_netdev()
 * @driver_id: the provider, or RDMA_DRIVER_UNKNOWN for any
 *
 * Any context but hard interrupts.
 *
 * Return: a device with a reference, to be released with ib_device_put(), or NULL.
 */
struct ib_device *ib_device_get_by_netdev(struct net_device *ndev, enum rdma_driver_id driver_id);

/**
 * ib_get_device_fw_str - the firmware's version
 * @device: the device
 * @str: buffer of IB_FW_VERSION_NAME_MAX bytes; gets an empty text if the provider reports none
 *
 * Process context.
 */
void ib_get_device_fw_str(struct ib_device *device, char *str);

/**
 * ib_modify_device - change properties of a device
 * @device: the device
 * @device_modify_mask: what to change, bits of enum ib_device_modify_flags
 * @device_modify: the values
 *
 * Process context.
 *
 * Return: 0; -EINVAL if the mask has unknown bits; -EOPNOTSUPP if the provider cannot change the
 * device; or the provider's error.
 */
int ib_modify_device(struct ib_device *device, int device_modify_mask,
		     struct ib_device_modify *device_modify);

/**
 * rdma_dev_net - the network namespace that a device belongs to
 * @device: the device
 *
 * Any context. In exclusive mode only this namespace can use the device, and connections have
 * addresses of this namespace. Between add() and remove() of a client, or while a reference of
 * ib_device_try_get() is held, the device stays in its namespace, and that namespace is not freed.
 * In shared mode the function returns the namespace of the device's network interface; the device
 * holds no reference to that namespace.
 */
static inline struct net *rdma_dev_net(const struct ib_device *device)
{
	return read_pnet(&device->rdma_net);
}

/**
 * rdma_netns_is_shared - do all network namespaces share all devices?
 *
 * Any context. The mode changes only while the initial namespace is the only one.
 *
 * Return: true in shared mode; false in exclusive mode, in which each device belongs to one
 * namespace.
 */
bool rdma_netns_is_shared(void);

/**
 * rdma_dev_may_admin - may the current thread change settings of a device?
 * @device: a registered device
 *
 * Process context.
 *
 * Return: whether the thread has CAP_NET_ADMIN: in shared mode in the initial user namespace, in
 * exclusive mode in the user namespace that owns the device's network namespace.
 */
bool rdma_dev_may_admin(const struct ib_device *device);

/**
 * rdma_dev_access_netns - may a network namespace use a device?
 * @device: the device
 * @net: the namespace
 *
 * Any context. In shared mode every namespace may use the device; in exclusive mode, only the
 * namespace that the device belongs to.
 */
bool rdma_dev_access_netns(const struct ib_device *device, const struct net *net);

/**
 * rdma_device_to_ibdev - get the RDMA device of a device of class "infiniband"
 * @device: the generic device, as sysfs attributes of the provider get it
 */
static inline struct ib_device *rdma_device_to_ibdev(struct device *device)
{
	return container_of(device, struct ib_device_view, dev)->owner;
}

/**
 * rdma_device_to_drv_device - get the provider's structure of a device of class "infiniband"
 * @dev: the generic device
 * @drv_dev_struct: type of the provider's structure
 * @ibdev_member: its member of type struct ib_device
 */
#define rdma_device_to_drv_device(dev, drv_dev_struct, ibdev_member)		\
	container_of(rdma_device_to_ibdev(dev), drv_dev_struct, ibdev_member)

/**
 * ibdev_to_node - NUMA node next to the device
 * @ibdev: the device
 *
 * Any context.
 */
static inline int ibdev_to_node(struct ib_device *ibdev)
{
	return ibdev->dev.parent ? dev_to_node(ibdev->dev.parent) : NUMA_NO_NODE;
}

/**
 * ib_get_vector_affinity - CPUs that get the interrupts of a completion vector
 * @device: the device
 * @comp_vector: the vector
 *
 * Process context.
 *
 * Return: the CPUs; NULL if they are unknown or there is no such vector.
 */
static inline const struct cpumask *ib_get_vector_affinity(struct ib_device *device,
							   int comp_vector)
{
	if (comp_vector < 0 || comp_vector >= device->num_comp_vectors ||
	    !device->ops.get_vector_affinity)
		return NULL;
	return device->ops.get_vector_affinity(device, comp_vector);
}

#endif /* _RDMA_VERBS_DEVICE_H_ */
