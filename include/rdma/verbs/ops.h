/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The operations of a provider, and the sizes of the objects that the core allocates for it.
 */
#ifndef _RDMA_VERBS_OPS_H_
#define _RDMA_VERBS_OPS_H_

#include <linux/build_bug.h>
#include <rdma/rdma_counter.h>
#include <rdma/verbs/ah.h>
#include <rdma/verbs/counters.h>
#include <rdma/verbs/cq.h>
#include <rdma/verbs/dm.h>
#include <rdma/verbs/flow.h>
#include <rdma/verbs/fmr.h>
#include <rdma/verbs/mr.h>
#include <rdma/verbs/mw.h>
#include <rdma/verbs/netdev.h>
#include <rdma/verbs/port.h>
#include <rdma/verbs/qp.h>
#include <rdma/verbs/srq.h>
#include <rdma/verbs/types.h>
#include <rdma/verbs/wq.h>
#include <rdma/verbs/xrc.h>

struct attribute_group;
struct cpumask;
struct ib_device_attr;
struct ib_device_modify;
struct ib_mad;
struct ifla_vf_guid;
struct ifla_vf_info;
struct ifla_vf_stats;
struct rdma_cm_id;
struct rdma_hw_stats;
struct rdma_user_mmap_entry;
struct sk_buff;
struct uverbs_attr_bundle;
struct vm_area_struct;

/**
 * INIT_RDMA_OBJ_SIZE - set the size of a provider's object, in an initialiser of its operations
 * @ib_struct: tag of the core's structure
 * @drv_struct: tag of the provider's structure, which begins with the core's
 * @member: first member of @drv_struct
 */
#define INIT_RDMA_OBJ_SIZE(ib_struct, drv_struct, member)			\
	.size_##ib_struct = sizeof(struct drv_struct) +				\
		BUILD_BUG_ON_ZERO(offsetof(struct drv_struct, member)) +	\
		BUILD_BUG_ON_ZERO(!__same_type(((struct drv_struct *)0)->member, struct ib_struct))

/* Declares the member with the size of an object, as struct ib_device_ops has one for each. */
#define DECLARE_RDMA_OBJ_SIZE(ib_struct) size_t size_##ib_struct

/* Checks that process_mad() is to omit: of the management key, of the key for baseboards. */
enum ib_process_mad_flags {
	IB_MAD_IGNORE_MKEY	= 1,
	IB_MAD_IGNORE_BKEY	= 2,
	IB_MAD_IGNORE_ALL	= IB_MAD_IGNORE_MKEY | IB_MAD_IGNORE_BKEY,
};

/**
 * enum ib_mad_result - result of process_mad(), bits
 * @IB_MAD_RESULT_FAILURE: no bit: the MAD is not for the provider
 * @IB_MAD_RESULT_SUCCESS: the MAD has been processed
 * @IB_MAD_RESULT_REPLY: there is a response
 * @IB_MAD_RESULT_CONSUMED: nobody else is to see the MAD
 */
enum ib_mad_result {
	IB_MAD_RESULT_FAILURE	= 0,
	IB_MAD_RESULT_SUCCESS	= 1 << 0,
	IB_MAD_RESULT_REPLY	= 1 << 1,
	IB_MAD_RESULT_CONSUMED	= 1 << 2,
};

/**
 * struct ib_device_ops - a provider's operations, and the sizes of its objects
 *
 * The core allocates PDs, AHs, CQs, QPs, SRQs, MWs, XRC domains, indirection tables, counters and
 * contexts with the sizes given here, fills in its own part, calls the operation that makes the
 * object, and frees the object after the operation that destroys it. Unless said otherwise,
 * operations run in process context, may sleep, and return 0 or a negative errno; after an error
 * they have changed nothing. ib_set_device_ops() requires that all members from @device_group to
 * the last one are pointers or sizes.
 *
 * Without @query_device, @query_port and @get_port_immutable, a device cannot be registered. Kernel
 * clients use only devices that have @alloc_pd, @dealloc_pd, @create_qp, @modify_qp, @destroy_qp,
 * @post_send, @post_recv, @create_cq, @destroy_cq, @poll_cq, @req_notify_cq, @get_dma_mr and
 * @dereg_mr. All others are optional.
 *
 * A struct ib_udata has data that the calling process and the provider exchange, in a format that
 * the provider and its user-space part define. NULL: the caller is the kernel.
 *
 * @owner: the provider's module, whose name is in the log lines about the device
 * @driver_id: number of the provider, for user space and look-ups
 * @uverbs_abi_ver: version of the ABI between the provider and its user-space part
 * @uverbs_no_driver_id_binding: user space finds the provider's part by other means than @driver_id
 * @device_group: files to add to the device's directory in sysfs
 * @port_groups: files, as struct ib_port_attribute, to add to the directories of the ports; the
 *	array ends with NULL
 * @post_send: as ib_post_send(). Any context, never sleeps
 * @post_recv: as ib_post_recv(). Any context, never sleeps
 * @post_srq_recv: as ib_post_srq_recv(). Any context, never sleeps
 * @poll_cq: as ib_poll_cq(). Any context, never sleeps
 * @peek_cq: as ib_peek_cq(). Any context, never sleeps
 * @req_notify_cq: as ib_req_notify_cq(). Any context, never sleeps
 * @req_ncomp_notif: as ib_req_ncomp_notif(). Any context, never sleeps
 * @query_device: fills in the attributes, which are zero. At registration the attributes are those
 *	in ib_device.attrs, and the udata is empty; later calls are for processes
 * @modify_device: as ib_modify_device()
 * @get_dev_fw_str: writes at most IB_FW_VERSION_NAME_MAX bytes
 * @get_vector_affinity: returns the CPUs of an existing completion vector
 * @query_port: fills in the attributes of an existing port. At the call the attributes are zero;
 *	only for an iWARP port, some are preset from its network interface
 * @modify_port: as ib_modify_port()
 * @get_port_immutable: called once for each port, at registration: fills in the port's fixed data;
 *	may call ib_query_port()
 * @get_link_layer: returns the link layer of a port. Any context
 * @get_netdev: returns the port's network interface with a reference, or NULL; must return NULL
 *	once the interface is unregistered. Used instead of ib_device_set_netdev()
 * @query_gid: reads an entry of the port's GID table; an empty entry is all zero
 * @add_gid: RoCE: adds a GID to the device's table; *context belongs to the provider
 * @del_gid: RoCE: deletes a GID from the device's table; the entry has lost its network interface
 * @process_mad: processes a management datagram, with flags of &enum ib_process_mad_flags, and
 *	returns &enum ib_mad_result. ib_mad calls it for each datagram, on the port's workqueue
 * @get_numa_node: returns the node in whose memory the core allocates objects. Any context
 * @set_vf_link_state: as ib_set_vf_link_state()
 * @get_vf_config: as ib_get_vf_config()
 * @get_vf_stats: as ib_get_vf_stats()
 * @get_vf_guid: as ib_get_vf_guid()
 * @set_vf_guid: as ib_set_vf_guid()
 * @query_pkey: reads an entry of the port's P_Key table
 * @alloc_ucontext: makes the context of a process that has opened the device
 * @dealloc_ucontext: destroys a context, after all objects that were made in it, and after its
 *	mappings have ended. Entries of the context are still there: the provider removes them by
 *	rdma_user_mmap_entry_remove(), or leaves them to ib_uverbs, which removes them after it
 * @disassociate_ucontext: called when the device is removed while a process still has it open,
 *	before the objects of the context and then the context are destroyed
 * @query_ucontext: answers the attributes that &ib_device.driver_def adds to the method by which a
 *	process queries its context
 * @mmap: maps into a process the entry that rdma_user_mmap_entry_get() finds for the area; not
 *	called for entries that ib_uverbs maps by itself
 * @mmap_free: frees an entry and its memory, once the entry is not mapped and cannot be mapped any
 *	more
 * @alloc_pd: makes a PD
 * @dealloc_pd: destroys a PD
 * @create_ah: makes an address handle; the address has been checked, and is complete. Without
 *	%RDMA_CREATE_AH_SLEEPABLE in the flags: any context, must not sleep
 * @create_user_ah: does what @create_ah does, for a process
 * @modify_ah: replaces the address of an address handle; the address has been checked, and is
 *	complete. ib_ah.sgid_attr and ib_ah.type are still those of the old address
 * @query_ah: fills in the address of an address handle
 * @destroy_ah: destroys an address handle. Without %RDMA_DESTROY_AH_SLEEPABLE in the flags: any
 *	context, must not sleep
 * @create_qp: makes a QP and sets its number; may raise the capabilities in the attributes. The QP
 *	of type %IB_QPT_XRC_TGT has no PD, CQs and SRQ, whatever the attributes say
 * @modify_qp: changes a QP; the core has not checked whether the QP's state allows the change
 * @query_qp: fills in both kinds of attributes
 * @destroy_qp: destroys a QP
 * @drain_rq: as ib_drain_rq()
 * @drain_sq: as ib_drain_sq()
 * @alloc_xrcd: makes an XRC domain. Without the operation there are no XRC QPs and SRQs
 * @dealloc_xrcd: destroys an XRC domain, in which there are no QPs and SRQs; needed with
 *	@alloc_xrcd
 * @attach_mcast: attaches a UD QP to a multicast group; the arguments have been checked
 * @detach_mcast: detaches a UD QP from a multicast group; fails if it is not attached
 * @rdma_netdev_get_params: says what a network interface of this kind on this port has to have;
 *	-EOPNOTSUPP if there is no such kind
 * @create_wq: allocates and returns a WQ, with its number, and writes its actual sizes to the
 *	attributes, or returns an ERR_PTR. The core fills in the other members afterwards
 * @modify_wq: changes a WQ, and writes a new state to &ib_wq.state; the core has not checked
 *	whether the WQ's state allows the change
 * @destroy_wq: destroys and frees a WQ
 * @create_rwq_ind_table: makes an indirection table and sets its number
 * @destroy_rwq_ind_table: destroys an indirection table
 * @alloc_dm: allocates memory of the device and returns it, or returns an ERR_PTR. The core fills
 *	in all members of struct ib_dm afterwards
 * @dealloc_dm: frees memory of the device, in which there are no regions
 * @reg_dm_mr: does what @reg_user_mr does, for a region in memory of the device
 * @create_flow: allocates and returns a flow, or returns an ERR_PTR; type of the QP, port and flags
 *	have been checked. The core fills in all members of struct ib_flow afterwards
 * @destroy_flow: destroys and frees a flow; needed with @create_flow
 * @destroy_flow_action: destroys and frees an action that no flow uses
 * @create_counters: makes counters of a process
 * @destroy_counters: destroys counters, which are attached to no object
 * @read_counters: reads the values of counters, as ib_read_counters()
 * @create_srq: makes an SRQ, and writes its actual sizes to the attributes; of an XRC SRQ, also its
 *	number, ib_srq.ext.xrc.srq_num
 * @modify_srq: as ib_modify_srq()
 * @query_srq: as ib_query_srq()
 * @destroy_srq: destroys an SRQ
 * @create_cq: makes a CQ and sets &ib_cq.cqe to its actual size
 * @modify_cq: sets the moderation of a CQ
 * @destroy_cq: destroys a CQ
 * @resize_cq: changes the size of a CQ
 * @get_dma_mr: allocates and returns a region of all memory, or returns an ERR_PTR
 * @alloc_mr: allocates and returns a region for fast registration, or returns an ERR_PTR
 * @alloc_mr_integrity: does what @alloc_mr does, for a region of data and protection information.
 *	The core allocates &ib_mr.sig_attrs afterwards
 * @reg_user_mr: allocates and returns a region of @length bytes of the calling process's memory
 *	from @start on, or returns an ERR_PTR. In work requests the first byte has the address
 *	@virt_addr, which has the same offset in its page as @start. The rights have been checked
 * @reg_user_mr_dmabuf: does what @reg_user_mr does, for @length bytes of a DMA-BUF from its byte
 *	@offset on; @fd is the process's file descriptor of the DMA-BUF
 * @rereg_user_mr: changes the properties of a region that @flags (&enum ib_mr_rereg_flags) selects:
 *	its memory (@start, @length and @virt_addr, as for @reg_user_mr), its rights, its PD (@pd;
 *	without the flag, its present one). Returns NULL if the region has been changed. Otherwise
 *	the region is as before, and the operation returns an ERR_PTR, or a new region with the
 *	changes, made as by @reg_user_mr; the core then destroys the old one with @dereg_mr
 * @advise_mr: as ib_advise_mr(), with at least one element. Neither the advice nor the flags have
 *	been checked. @attrs is the call of the process, or NULL for a kernel user
 * @map_mr_sg: as ib_map_mr_sg(), also for a region that is valid, whose registration must not
 *	change. Any context, never sleeps
 * @map_mr_sg_pi: as ib_map_mr_sg_pi(). Any context, never sleeps
 * @check_mr_status: as ib_check_mr_status(), with a status that is zero. Any context, never sleeps
 * @dereg_mr: destroys and frees a region; fails with -EBUSY while memory windows are bound to it
 * @alloc_mw: makes a memory window and sets its key; the kind has been checked
 * @dealloc_mw: destroys a memory window, bound or not; needed with @alloc_mw
 * @alloc_fmr: allocates and returns a fast memory region with its keys, or returns an ERR_PTR; the
 *	core has checked limits and rights, and fills in the other members
 * @map_phys_fmr: as ib_map_phys_fmr(); needed with @alloc_fmr. Any context, never sleeps
 * @unmap_fmr: ends the mappings of all regions on a list that is not empty; needed with @alloc_fmr
 * @dealloc_fmr: destroys and frees a fast memory region; needed with @alloc_fmr
 * @alloc_hw_device_stats: returns the counters of the device, from rdma_alloc_hw_stats_struct();
 *	NULL if there is no memory
 * @alloc_hw_port_stats: returns the counters of a port, from rdma_alloc_hw_stats_struct(); NULL if
 *	there is no memory
 * @get_hw_stats: reads the counter with the number @index, or all counters if @index is their
 *	count; @port is 0 for the counters of the device. Returns the number of the counter that was
 *	read, or the count if all were. Called with the set's lock held, first at registration
 * @modify_hw_stat: switches an optional counter on or off. Called with the set's lock held
 * @counter_alloc_stats: returns counters that QPs can be bound to, from
 *	rdma_alloc_hw_stats_struct(); NULL if there is no memory. QPs can only be bound if the
 *	provider has this operation and the next three
 * @counter_bind_qp: starts to count for the QP in this counter, in addition to the port's counters
 * @counter_unbind_qp: stops counting for the QP in the counter that it is bound to. Must not fail
 *	for a QP that is being destroyed
 * @counter_update_stats: reads the values. Called with the counter's lock held
 * @counter_dealloc: frees what counter_alloc_stats() allocated, except the set that it returned. No
 *	QP is bound to the counter any more
 * @fill_res_qp_entry: adds the provider's own data of a QP to a netlink message, nested in
 *	RDMA_NLDEV_ATTR_DRIVER, by rdma_nl_put_driver_u32() and the like. Returns 0, or -EMSGSIZE
 *	if the message is full. The QP is not destroyed during the call
 * @fill_res_cq_entry: does for a CQ what @fill_res_qp_entry does for a QP
 * @fill_res_mr_entry: does for a region what @fill_res_qp_entry does for a QP
 * @fill_res_cm_id_entry: does for an identifier of the RDMA connection manager what
 *	@fill_res_qp_entry does for a QP
 * @fill_res_qp_entry_raw: adds RDMA_NLDEV_ATTR_RES_RAW, the bytes of the device's record of a QP
 * @fill_res_cq_entry_raw: adds RDMA_NLDEV_ATTR_RES_RAW, the bytes of the device's record of a CQ
 * @fill_res_mr_entry_raw: adds RDMA_NLDEV_ATTR_RES_RAW, the bytes of the device's record of an MR
 * @enable_driver: called before the first client's add(), at registration and each time that the
 *	device has moved to another network namespace. Look-ups find the device already. After an
 *	error the device is unregistered
 * @dealloc_driver: frees the provider's part of a device that is not needed any more, but not the
 *	device's memory. If the provider has this operation, unregistration frees the device
 * @iw_add_ref: takes a reference to a QP for the connection manager. Any context
 * @iw_rem_ref: drops a reference that @iw_add_ref took. Any context
 * @iw_get_qp: returns the QP that has a number, without taking a reference; NULL if there is
 *	none. Any context
 * @iw_connect: starts a connection
 * @iw_accept: accepts a connection request
 * @iw_reject: rejects a connection request
 * @iw_reject_data: replaces @iw_reject in providers that can send more than 255 bytes of data
 * @iw_create_listen: starts to listen
 * @iw_destroy_listen: stops listening
 * @size_ib_ah: size of the provider's address handle, see INIT_RDMA_OBJ_SIZE()
 * @size_ib_counters: size of the provider's counters of processes
 * @size_ib_cq: size of the provider's CQ
 * @size_ib_mw: size of the provider's memory window
 * @size_ib_pd: size of the provider's PD
 * @size_ib_qp: size of the provider's QP
 * @size_ib_rwq_ind_table: size of the provider's indirection table
 * @size_ib_srq: size of the provider's SRQ
 * @size_ib_ucontext: size of the provider's context
 * @size_ib_xrcd: size of the provider's XRC domain
 * @size_rdma_counter: size of the provider's counter
 */
struct ib_device_ops {
	struct module *owner;
	enum rdma_driver_id driver_id;
	u32 uverbs_abi_ver;
	unsigned int uverbs_no_driver_id_binding:1;

	const struct attribute_group *device_group;
	const struct attribute_group **port_groups;

	/* Data path: any context, never sleep. */
	int (*post_send)(struct ib_qp *qp, const struct ib_send_wr *send_wr,
			 const struct ib_send_wr **bad_send_wr);
	int (*post_recv)(struct ib_qp *qp, const struct ib_recv_wr *recv_wr,
			 const struct ib_recv_wr **bad_recv_wr);
	int (*post_srq_recv)(struct ib_srq *srq, const struct ib_recv_wr *recv_wr,
			     const struct ib_recv_wr **bad_recv_wr);
	int (*poll_cq)(struct ib_cq *cq, int num_entries, struct ib_wc *wc);
	int (*peek_cq)(struct ib_cq *cq, int wc_cnt);
	int (*req_notify_cq)(struct ib_cq *cq, enum ib_cq_notify_flags flags);
	int (*req_ncomp_notif)(struct ib_cq *cq, int wc_cnt);

	/* Device and ports. */
	int (*query_device)(struct ib_device *device, struct ib_device_attr *device_attr,
			    struct ib_udata *udata);
	int (*modify_device)(struct ib_device *device, int device_modify_mask,
			     struct ib_device_modify *device_modify);
	void (*get_dev_fw_str)(struct ib_device *device, char *str);
	const struct cpumask *(*get_vector_affinity)(struct ib_device *ibdev, int comp_vector);
	int (*query_port)(struct ib_device *device, u32 port_num, struct ib_port_attr *port_attr);
	int (*modify_port)(struct ib_device *device, u32 port_num, int port_modify_mask,
			   struct ib_port_modify *port_modify);
	int (*get_port_immutable)(struct ib_device *device, u32 port_num,
				  struct ib_port_immutable *immutable);
	enum rdma_link_layer (*get_link_layer)(struct ib_device *device, u32 port_num);
	struct net_device *(*get_netdev)(struct ib_device *device, u32 port_num);
	int (*query_gid)(struct ib_device *device, u32 port_num, int index, union ib_gid *gid);
	int (*add_gid)(const struct ib_gid_attr *attr, void **context);
	int (*del_gid)(const struct ib_gid_attr *attr, void **context);
	int (*process_mad)(struct ib_device *device, int process_mad_flags, u32 port_num,
			   const struct ib_wc *in_wc, const struct ib_grh *in_grh,
			   const struct ib_mad *in_mad, struct ib_mad *out_mad,
			   size_t *out_mad_size, u16 *out_mad_pkey_index);
	int (*get_numa_node)(struct ib_device *dev);
	int (*set_vf_link_state)(struct ib_device *device, int vf, u32 port, int state);
	int (*get_vf_config)(struct ib_device *device, int vf, u32 port, struct ifla_vf_info *ivf);
	int (*get_vf_stats)(struct ib_device *device, int vf, u32 port,
			    struct ifla_vf_stats *stats);
	int (*get_vf_guid)(struct ib_device *device, int vf, u32 port,
			   struct ifla_vf_guid *node_guid, struct ifla_vf_guid *port_guid);
	int (*set_vf_guid)(struct ib_device *device, int vf, u32 port, u64 guid, int type);
	int (*query_pkey)(struct ib_device *device, u32 port_num, u16 index, u16 *pkey);

	/* Processes. */
	int (*alloc_ucontext)(struct ib_ucontext *context, struct ib_udata *udata);
	void (*dealloc_ucontext)(struct ib_ucontext *context);
	void (*disassociate_ucontext)(struct ib_ucontext *ibcontext);
	int (*query_ucontext)(struct ib_ucontext *context, struct uverbs_attr_bundle *attrs);
	int (*mmap)(struct ib_ucontext *context, struct vm_area_struct *vma);
	void (*mmap_free)(struct rdma_user_mmap_entry *entry);

	/* Objects. */
	int (*alloc_pd)(struct ib_pd *pd, struct ib_udata *udata);
	int (*dealloc_pd)(struct ib_pd *pd, struct ib_udata *udata);
	int (*create_ah)(struct ib_ah *ah, struct rdma_ah_init_attr *attr, struct ib_udata *udata);
	int (*create_user_ah)(struct ib_ah *ah, struct rdma_ah_init_attr *attr,
			      struct ib_udata *udata);
	int (*modify_ah)(struct ib_ah *ah, struct rdma_ah_attr *ah_attr);
	int (*query_ah)(struct ib_ah *ah, struct rdma_ah_attr *ah_attr);
	int (*destroy_ah)(struct ib_ah *ah, u32 flags);
	int (*create_qp)(struct ib_qp *qp, struct ib_qp_init_attr *qp_init_attr,
			 struct ib_udata *udata);
	int (*modify_qp)(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask,
			 struct ib_udata *udata);
	int (*query_qp)(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask,
			struct ib_qp_init_attr *qp_init_attr);
	int (*destroy_qp)(struct ib_qp *qp, struct ib_udata *udata);
	void (*drain_rq)(struct ib_qp *qp);
	void (*drain_sq)(struct ib_qp *qp);
	int (*alloc_xrcd)(struct ib_xrcd *xrcd, struct ib_udata *udata);
	int (*dealloc_xrcd)(struct ib_xrcd *xrcd, struct ib_udata *udata);
	int (*attach_mcast)(struct ib_qp *qp, union ib_gid *gid, u16 lid);
	int (*detach_mcast)(struct ib_qp *qp, union ib_gid *gid, u16 lid);
	int (*rdma_netdev_get_params)(struct ib_device *device, u32 port_num,
				      enum rdma_netdev_t type,
				      struct rdma_netdev_alloc_params *params);
	struct ib_wq *(*create_wq)(struct ib_pd *pd, struct ib_wq_init_attr *init_attr,
				   struct ib_udata *udata);
	int (*modify_wq)(struct ib_wq *wq, struct ib_wq_attr *attr, u32 wq_attr_mask,
			 struct ib_udata *udata);
	int (*destroy_wq)(struct ib_wq *wq, struct ib_udata *udata);
	int (*create_rwq_ind_table)(struct ib_rwq_ind_table *ib_rwq_ind_table,
				    struct ib_rwq_ind_table_init_attr *init_attr,
				    struct ib_udata *udata);
	int (*destroy_rwq_ind_table)(struct ib_rwq_ind_table *wq_ind_table);
	struct ib_dm *(*alloc_dm)(struct ib_device *device, struct ib_ucontext *context,
				  struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs);
	int (*dealloc_dm)(struct ib_dm *dm, struct uverbs_attr_bundle *attrs);
	struct ib_mr *(*reg_dm_mr)(struct ib_pd *pd, struct ib_dm *dm, struct ib_dm_mr_attr *attr,
				   struct uverbs_attr_bundle *attrs);
	struct ib_flow *(*create_flow)(struct ib_qp *qp, struct ib_flow_attr *flow_attr,
				       struct ib_udata *udata);
	int (*destroy_flow)(struct ib_flow *flow_id);
	int (*destroy_flow_action)(struct ib_flow_action *action);
	int (*create_counters)(struct ib_counters *counters, struct uverbs_attr_bundle *attrs);
	int (*destroy_counters)(struct ib_counters *counters);
	int (*read_counters)(struct ib_counters *counters,
			     struct ib_counters_read_attr *counters_read_attr,
			     struct uverbs_attr_bundle *attrs);
	int (*create_srq)(struct ib_srq *srq, struct ib_srq_init_attr *srq_init_attr,
			  struct ib_udata *udata);
	int (*modify_srq)(struct ib_srq *srq, struct ib_srq_attr *srq_attr,
			  enum ib_srq_attr_mask srq_attr_mask, struct ib_udata *udata);
	int (*query_srq)(struct ib_srq *srq, struct ib_srq_attr *srq_attr);
	int (*destroy_srq)(struct ib_srq *srq, struct ib_udata *udata);
	int (*create_cq)(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
			 struct ib_udata *udata);
	int (*modify_cq)(struct ib_cq *cq, u16 cq_count, u16 cq_period);
	int (*destroy_cq)(struct ib_cq *cq, struct ib_udata *udata);
	int (*resize_cq)(struct ib_cq *cq, int cqe, struct ib_udata *udata);
	struct ib_mr *(*get_dma_mr)(struct ib_pd *pd, int mr_access_flags);
	struct ib_mr *(*alloc_mr)(struct ib_pd *pd, enum ib_mr_type mr_type, u32 max_num_sg);
	struct ib_mr *(*alloc_mr_integrity)(struct ib_pd *pd, u32 max_num_data_sg,
					    u32 max_num_meta_sg);
	struct ib_mr *(*reg_user_mr)(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
				     int mr_access_flags, struct ib_udata *udata);
	struct ib_mr *(*reg_user_mr_dmabuf)(struct ib_pd *pd, u64 offset, u64 length, u64 virt_addr,
					    int fd, int mr_access_flags, struct ib_udata *udata);
	struct ib_mr *(*rereg_user_mr)(struct ib_mr *mr, int flags, u64 start, u64 length,
				       u64 virt_addr, int mr_access_flags, struct ib_pd *pd,
				       struct ib_udata *udata);
	int (*advise_mr)(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
			 struct ib_sge *sg_list, u32 num_sge, struct uverbs_attr_bundle *attrs);
	int (*map_mr_sg)(struct ib_mr *mr, struct scatterlist *sg, int sg_nents,
			 unsigned int *sg_offset);
	int (*map_mr_sg_pi)(struct ib_mr *mr, struct scatterlist *data_sg, int data_sg_nents,
			    unsigned int *data_sg_offset, struct scatterlist *meta_sg,
			    int meta_sg_nents, unsigned int *meta_sg_offset);
	int (*check_mr_status)(struct ib_mr *mr, u32 check_mask, struct ib_mr_status *mr_status);
	int (*dereg_mr)(struct ib_mr *mr, struct ib_udata *udata);
	int (*alloc_mw)(struct ib_mw *mw, struct ib_udata *udata);
	int (*dealloc_mw)(struct ib_mw *mw);
	struct ib_fmr *(*alloc_fmr)(struct ib_pd *pd, int mr_access_flags,
				    struct ib_fmr_attr *fmr_attr);
	int (*map_phys_fmr)(struct ib_fmr *fmr, u64 *page_list, int list_len, u64 iova);
	int (*unmap_fmr)(struct list_head *fmr_list);
	int (*dealloc_fmr)(struct ib_fmr *fmr);

	/* Counters. */
	struct rdma_hw_stats *(*alloc_hw_device_stats)(struct ib_device *device);
	struct rdma_hw_stats *(*alloc_hw_port_stats)(struct ib_device *device, u32 port_num);
	int (*get_hw_stats)(struct ib_device *device, struct rdma_hw_stats *stats, u32 port,
			    int index);
	int (*modify_hw_stat)(struct ib_device *device, u32 port, unsigned int counter_index,
			      bool enable);

	struct rdma_hw_stats *(*counter_alloc_stats)(struct rdma_counter *counter);
	int (*counter_bind_qp)(struct rdma_counter *counter, struct ib_qp *qp);
	int (*counter_unbind_qp)(struct ib_qp *qp);
	int (*counter_update_stats)(struct rdma_counter *counter);
	int (*counter_dealloc)(struct rdma_counter *counter);

	/* Data of objects for netlink. */
	int (*fill_res_qp_entry)(struct sk_buff *msg, struct ib_qp *ibqp);
	int (*fill_res_cq_entry)(struct sk_buff *msg, struct ib_cq *ibcq);
	int (*fill_res_mr_entry)(struct sk_buff *msg, struct ib_mr *ibmr);
	int (*fill_res_cm_id_entry)(struct sk_buff *msg, struct rdma_cm_id *id);
	int (*fill_res_qp_entry_raw)(struct sk_buff *msg, struct ib_qp *ibqp);
	int (*fill_res_cq_entry_raw)(struct sk_buff *msg, struct ib_cq *ibcq);
	int (*fill_res_mr_entry_raw)(struct sk_buff *msg, struct ib_mr *ibmr);

	/* Registration of the device. */
	int (*enable_driver)(struct ib_device *dev);
	void (*dealloc_driver)(struct ib_device *dev);

	/* iWARP connection management, called by iw_cm. */
	void (*iw_add_ref)(struct ib_qp *qp);
	void (*iw_rem_ref)(struct ib_qp *qp);
	struct ib_qp *(*iw_get_qp)(struct ib_device *device, int qpn);
	int (*iw_connect)(struct iw_cm_id *cm_id, struct iw_cm_conn_param *conn_param);
	int (*iw_accept)(struct iw_cm_id *cm_id, struct iw_cm_conn_param *conn_param);
	int (*iw_reject)(struct iw_cm_id *cm_id, const void *pdata, u8 pdata_len);
	int (*iw_reject_data)(struct iw_cm_id *cm_id, const void *pdata, u16 pdata_len);
	int (*iw_create_listen)(struct iw_cm_id *cm_id, int backlog);
	int (*iw_destroy_listen)(struct iw_cm_id *cm_id);

	size_t size_ib_ah;
	size_t size_ib_counters;
	size_t size_ib_cq;
	size_t size_ib_mw;
	size_t size_ib_pd;
	size_t size_ib_qp;
	size_t size_ib_rwq_ind_table;
	size_t size_ib_srq;
	size_t size_ib_ucontext;
	size_t size_ib_xrcd;
	size_t size_rdma_counter;
};

#endif /* _RDMA_VERBS_OPS_H_ */
