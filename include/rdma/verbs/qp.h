/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queue pairs: attributes, states and transitions, creation and destruction, drain.
 */
#ifndef _RDMA_VERBS_QP_H_
#define _RDMA_VERBS_QP_H_

#include <linux/spinlock.h>
#include <rdma/restrack.h>
#include <rdma/verbs/ah.h>
#include <rdma/verbs/types.h>
#include <rdma/verbs/wr.h>

struct ib_event;
struct ib_xrcd;
struct rdma_counter;

/**
 * struct ib_qp_cap - capacity of a QP
 * @max_send_wr: largest number of requests on the send queue
 * @max_recv_wr: largest number of requests on the receive queue
 * @max_send_sge: largest number of elements in a send request's sg_list
 * @max_recv_sge: largest number of elements in a receive request's sg_list
 * @max_inline_data: largest number of bytes that a send request with %IB_SEND_INLINE carries
 * @max_rdma_ctxs: number of rdma_rw contexts, see <rdma/rw.h>, in use at a time, with a share of
 *	the send queue and regions for each; 0 for a process
 */
struct ib_qp_cap {
	u32	max_send_wr;
	u32	max_recv_wr;
	u32	max_send_sge;
	u32	max_recv_sge;
	u32	max_inline_data;
	u32	max_rdma_ctxs;
};

/**
 * enum ib_sig_type - which successful send requests complete into the CQ; failed ones always do
 * @IB_SIGNAL_ALL_WR: all
 * @IB_SIGNAL_REQ_WR: those with %IB_SEND_SIGNALED
 */
enum ib_sig_type {
	IB_SIGNAL_ALL_WR,
	IB_SIGNAL_REQ_WR
};

/*
 * Transport services. SMI and GSI are the management QPs 0 and 1 of an InfiniBand port; iWARP has
 * only RC; an XRC connection has an initiator that sends and a target that receives into SRQs;
 * RAW_PACKET carries whole Ethernet frames. DRIVER and RESERVED* belong to providers.
 */
enum ib_qp_type {
	IB_QPT_SMI,
	IB_QPT_GSI,
	IB_QPT_RC = IB_UVERBS_QPT_RC,
	IB_QPT_UC = IB_UVERBS_QPT_UC,
	IB_QPT_UD = IB_UVERBS_QPT_UD,
	IB_QPT_RAW_IPV6,
	IB_QPT_RAW_ETHERTYPE,
	IB_QPT_RAW_PACKET = IB_UVERBS_QPT_RAW_PACKET,
	IB_QPT_XRC_INI = IB_UVERBS_QPT_XRC_INI,
	IB_QPT_XRC_TGT = IB_UVERBS_QPT_XRC_TGT,
	IB_QPT_MAX,
	IB_QPT_DRIVER = IB_UVERBS_QPT_DRIVER,
	IB_QPT_RESERVED1 = 0x1000,
	IB_QPT_RESERVED2,
	IB_QPT_RESERVED3,
	IB_QPT_RESERVED4,
	IB_QPT_RESERVED5,
	IB_QPT_RESERVED6,
	IB_QPT_RESERVED7,
	IB_QPT_RESERVED8,
	IB_QPT_RESERVED9,
	IB_QPT_RESERVED10,
};

/*
 * Features that a QP is to have, which the device must support. INTEGRITY_EN allows data integrity
 * operations; SOURCE_QPN makes &ib_qp_init_attr.source_qpn valid; RESERVED_* belong to providers.
 */
enum ib_qp_create_flags {
	IB_QP_CREATE_IPOIB_UD_LSO		= 1 << 0,
	IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK	=
		IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK,
	IB_QP_CREATE_CROSS_CHANNEL              = 1 << 2,
	IB_QP_CREATE_MANAGED_SEND               = 1 << 3,
	IB_QP_CREATE_MANAGED_RECV               = 1 << 4,
	IB_QP_CREATE_NETIF_QP			= 1 << 5,
	IB_QP_CREATE_INTEGRITY_EN		= 1 << 6,
	IB_QP_CREATE_NETDEV_USE			= 1 << 7,
	IB_QP_CREATE_SCATTER_FCS		=
		IB_UVERBS_QP_CREATE_SCATTER_FCS,
	IB_QP_CREATE_CVLAN_STRIPPING		=
		IB_UVERBS_QP_CREATE_CVLAN_STRIPPING,
	IB_QP_CREATE_SOURCE_QPN			= 1 << 10,
	IB_QP_CREATE_PCI_WRITE_END_PADDING	=
		IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING,
	IB_QP_CREATE_RESERVED_START		= 1 << 26,
	IB_QP_CREATE_RESERVED_END		= 1 << 31,
};

/**
 * struct ib_qp_init_attr - attributes of a QP to be created
 * @event_handler: called on asynchronous events of the QP; may be NULL
 * @qp_context: passed to @event_handler
 * @send_cq: CQ that send requests complete into
 * @recv_cq: CQ that receive requests complete into; may be @send_cq
 * @srq: shared receive queue that receive requests are taken from, or NULL
 * @xrcd: XRC domain of an XRC_TGT QP, which has no PD, CQs and SRQ; NULL for other QPs
 * @cap: in: least capacity; out: actual capacity
 * @sq_sig_type: which send requests complete into @send_cq
 * @qp_type: transport service
 * @create_flags: &enum ib_qp_create_flags
 * @port_num: port of an SMI or GSI QP
 * @rwq_ind_tbl: table of work queues that received packets are spread over, or NULL
 * @source_qpn: QP number to send from, with %IB_QP_CREATE_SOURCE_QPN
 */
struct ib_qp_init_attr {
	void			(*event_handler)(struct ib_event *event, void *context);
	void		       *qp_context;
	struct ib_cq	       *send_cq;
	struct ib_cq	       *recv_cq;
	struct ib_srq	       *srq;
	struct ib_xrcd	       *xrcd;
	struct ib_qp_cap	cap;
	enum ib_sig_type	sq_sig_type;
	enum ib_qp_type		qp_type;
	u32			create_flags;
	u32			port_num;
	struct ib_rwq_ind_table *rwq_ind_tbl;
	u32			source_qpn;
};

/*
 * Mask of the members of struct ib_qp_attr that a call sets or reads. Most bits are named after
 * their member; STATE stands for qp_state, CUR_STATE for cur_qp_state, AV for ah_attr, and ALT_PATH
 * for all members alt_*. The InfiniBand specification has no RATE_LIMIT and no RESERVED bits.
 */
enum ib_qp_attr_mask {
	IB_QP_STATE			= 1,
	IB_QP_CUR_STATE			= 1 << 1,
	IB_QP_EN_SQD_ASYNC_NOTIFY	= 1 << 2,
	IB_QP_ACCESS_FLAGS		= 1 << 3,
	IB_QP_PKEY_INDEX		= 1 << 4,
	IB_QP_PORT			= 1 << 5,
	IB_QP_QKEY			= 1 << 6,
	IB_QP_AV			= 1 << 7,
	IB_QP_PATH_MTU			= 1 << 8,
	IB_QP_TIMEOUT			= 1 << 9,
	IB_QP_RETRY_CNT			= 1 << 10,
	IB_QP_RNR_RETRY			= 1 << 11,
	IB_QP_RQ_PSN			= 1 << 12,
	IB_QP_MAX_QP_RD_ATOMIC		= 1 << 13,
	IB_QP_ALT_PATH			= 1 << 14,
	IB_QP_MIN_RNR_TIMER		= 1 << 15,
	IB_QP_SQ_PSN			= 1 << 16,
	IB_QP_MAX_DEST_RD_ATOMIC	= 1 << 17,
	IB_QP_PATH_MIG_STATE		= 1 << 18,
	IB_QP_CAP			= 1 << 19,
	IB_QP_DEST_QPN			= 1 << 20,
	IB_QP_RESERVED1			= 1 << 21,
	IB_QP_RESERVED2			= 1 << 22,
	IB_QP_RESERVED3			= 1 << 23,
	IB_QP_RESERVED4			= 1 << 24,
	IB_QP_RATE_LIMIT		= 1 << 25,
	IB_QP_ATTR_STANDARD_BITS = GENMASK(20, 0),
};

/**
 * enum ib_qp_state - states of a QP
 * @IB_QPS_RESET: new; nothing can be posted
 * @IB_QPS_INIT: receive requests can be posted, but no message is received yet
 * @IB_QPS_RTR: ready to receive
 * @IB_QPS_RTS: ready to send
 * @IB_QPS_SQD: send queue draining: requests that were started are finished, no other is started
 * @IB_QPS_SQE: send queue in error, only in unreliable transports; messages are still received
 * @IB_QPS_ERR: all requests are flushed, including those that are posted later
 */
enum ib_qp_state {
	IB_QPS_RESET,
	IB_QPS_INIT,
	IB_QPS_RTR,
	IB_QPS_RTS,
	IB_QPS_SQD,
	IB_QPS_SQE,
	IB_QPS_ERR
};

/**
 * enum ib_mig_state - automatic path migration
 * @IB_MIG_MIGRATED: the alternate path is in use, or there is none
 * @IB_MIG_REARM: a new alternate path is set, and becomes usable once the peer has set one as well
 * @IB_MIG_ARMED: the QP migrates to the alternate path when the primary path fails
 */
enum ib_mig_state {
	IB_MIG_MIGRATED,
	IB_MIG_REARM,
	IB_MIG_ARMED
};

/*
 * Values of &ib_qp_attr.min_rnr_timer: IB_RNR_TIMER_<ms>_<hundredths of a ms>, coded as in the RNR
 * NAK of IBTA.
 */
enum ib_rnr_timeout {
	IB_RNR_TIMER_655_36 = 0,
	IB_RNR_TIMER_000_01 = 1,
	IB_RNR_TIMER_000_02 = 2,
	IB_RNR_TIMER_000_03 = 3,
	IB_RNR_TIMER_000_04 = 4,
	IB_RNR_TIMER_000_06 = 5,
	IB_RNR_TIMER_000_08 = 6,
	IB_RNR_TIMER_000_12 = 7,
	IB_RNR_TIMER_000_16 = 8,
	IB_RNR_TIMER_000_24 = 9,
	IB_RNR_TIMER_000_32 = 10,
	IB_RNR_TIMER_000_48 = 11,
	IB_RNR_TIMER_000_64 = 12,
	IB_RNR_TIMER_000_96 = 13,
	IB_RNR_TIMER_001_28 = 14,
	IB_RNR_TIMER_001_92 = 15,
	IB_RNR_TIMER_002_56 = 16,
	IB_RNR_TIMER_003_84 = 17,
	IB_RNR_TIMER_005_12 = 18,
	IB_RNR_TIMER_007_68 = 19,
	IB_RNR_TIMER_010_24 = 20,
	IB_RNR_TIMER_015_36 = 21,
	IB_RNR_TIMER_020_48 = 22,
	IB_RNR_TIMER_030_72 = 23,
	IB_RNR_TIMER_040_96 = 24,
	IB_RNR_TIMER_061_44 = 25,
	IB_RNR_TIMER_081_92 = 26,
	IB_RNR_TIMER_122_88 = 27,
	IB_RNR_TIMER_163_84 = 28,
	IB_RNR_TIMER_245_76 = 29,
	IB_RNR_TIMER_327_68 = 30,
	IB_RNR_TIMER_491_52 = 31,
};

/**
 * struct ib_qp_attr - attributes of a QP, to be set or as read
 * @qp_state: state to go to; as read: the state
 * @cur_qp_state: state that the caller assumes the QP to be in
 * @path_mtu: largest payload of a packet on the path
 * @path_mig_state: path migration
 * @qkey: Q_Key of a datagram QP
 * @rq_psn: sequence number of the first packet to be received, 24 bits
 * @sq_psn: sequence number of the first packet to be sent, 24 bits
 * @dest_qp_num: QP number of the peer, 24 bits
 * @qp_access_flags: what peers may do: %IB_ACCESS_REMOTE_*
 * @cap: capacity, if the device can change it
 * @ah_attr: primary path
 * @alt_ah_attr: alternate path
 * @pkey_index: P_Key of the primary path
 * @alt_pkey_index: P_Key of the alternate path
 * @en_sqd_async_notify: raise %IB_EVENT_SQ_DRAINED once the send queue is drained
 * @sq_draining: read only: the send queue still drains
 * @max_rd_atomic: RDMA reads and atomics that may be outstanding as initiator (ORD)
 * @max_dest_rd_atomic: RDMA reads and atomics that may be outstanding as responder (IRD)
 * @min_rnr_timer: time for which a peer waits if no receive request is posted, as a 5-bit code
 * @port_num: port
 * @timeout: 5-bit exponent n: an acknowledgment is awaited for 4.096 us * 2^n
 * @retry_cnt: number of retransmissions if no acknowledgment comes, 0 to 7
 * @rnr_retry: number of retransmissions if the peer has no receive request, 0 to 6; 7: no limit
 * @alt_port_num: port of the alternate path
 * @alt_timeout: @timeout of the alternate path
 * @rate_limit: highest rate to send at, in Kbit/s
 * @xmit_slave: interface of a bond that packets are sent through; NULL for any
 */
struct ib_qp_attr {
	enum ib_qp_state	qp_state;
	enum ib_qp_state	cur_qp_state;
	enum ib_mtu		path_mtu;
	enum ib_mig_state	path_mig_state;
	u32			qkey;
	u32			rq_psn;
	u32			sq_psn;
	u32			dest_qp_num;
	int			qp_access_flags;
	struct ib_qp_cap	cap;
	struct rdma_ah_attr	ah_attr;
	struct rdma_ah_attr	alt_ah_attr;
	u16			pkey_index;
	u16			alt_pkey_index;
	u8			en_sqd_async_notify;
	u8			sq_draining;
	u8			max_rd_atomic;
	u8			max_dest_rd_atomic;
	u8			min_rnr_timer;
	u32			port_num;
	u8			timeout;
	u8			retry_cnt;
	u8			rnr_retry;
	u32			alt_port_num;
	u8			alt_timeout;
	u32			rate_limit;
	struct net_device	*xmit_slave;
};

/**
 * struct ib_qp - a queue pair
 * @device: device of the QP
 * @pd: protection domain
 * @send_cq: CQ that send requests complete into
 * @recv_cq: CQ that receive requests complete into
 * @mr_lock: protects @mrs_used, @rdma_mrs and @sig_mrs; taken with interrupts off; no other lock is
 *	taken inside
 * @mrs_used: number of regions that were taken from the pools and not returned
 * @rdma_mrs: pool of regions for data
 * @sig_mrs: pool of regions with protection information
 * @srq: shared receive queue, or NULL
 * @rwq_ind_tbl: indirection table of the work queues that receive, or NULL
 * @open_end: core: of a handle of an XRC_TGT QP, which has no table, while it is being closed:
 *	completed when @open_reports becomes 0; NULL otherwise; protected by ib_xrcd.open_lock
 * @xrcd: XRC domain of an XRC_TGT QP; NULL for other QPs
 * @usecnt: number of multicast groups and other objects that use this QP; of an XRC_TGT QP, number
 *	of its handles
 * @open_list: core: XRC_TGT: list of the QP's handles, or entry of a handle in that list; protected
 *	by ib_xrcd.open_lock
 * @open_reports: core: of a handle: number of calls of its @event_handler that are under way;
 *	protected by ib_xrcd.open_lock
 * @real_qp: the QP itself; for a handle of a shared QP, the shared QP
 * @uobject: handle of a user process, NULL for a kernel QP
 * @event_handler: called by the provider on an asynchronous event of the QP; may be NULL
 * @qp_context: passed to @event_handler
 * @av_sgid_attr: source GID of the primary path, with a reference; NULL if there is none
 * @alt_path_sgid_attr: source GID of the alternate path, with a reference; NULL if there is none
 * @qp_num: number, unique on its device
 * @max_write_sge: largest number of elements in an RDMA write's sg_list
 * @max_read_sge: largest number of elements in an RDMA read's sg_list
 * @qp_type: transport service
 * @port: port of an SMI or GSI QP; otherwise the port last set by ib_modify_qp(), 0 before that
 * @integrity_en: made with %IB_QP_CREATE_INTEGRITY_EN
 * @counter: core: counter that the QP is bound to, or NULL; written with the rdma_port_counter.lock
 *	of the counter's port held
 * @res: core: entry in the resource table
 */
struct ib_qp {
	struct ib_device       *device;
	struct ib_pd	       *pd;
	struct ib_cq	       *send_cq;
	struct ib_cq	       *recv_cq;
	spinlock_t		mr_lock; /* protects @mrs_used, @rdma_mrs and @sig_mrs */
	int			mrs_used;
	struct list_head	rdma_mrs;
	struct list_head	sig_mrs;
	struct ib_srq	       *srq;
	union {
		struct ib_rwq_ind_table *rwq_ind_tbl;
		struct completion      *open_end;
	};
	struct ib_xrcd	       *xrcd;
	atomic_t		usecnt;
	unsigned int		open_reports;
	struct list_head	open_list;
	struct ib_qp           *real_qp;
	struct ib_uobject      *uobject;
	void			(*event_handler)(struct ib_event *event, void *context);
	void		       *qp_context;
	const struct ib_gid_attr *av_sgid_attr;
	const struct ib_gid_attr *alt_path_sgid_attr;
	u32			qp_num;
	u32			max_write_sge;
	u32			max_read_sge;
	enum ib_qp_type		qp_type;
	u32			port;
	bool			integrity_en;
	struct rdma_counter	*counter;
	struct rdma_restrack_entry     res;
};

/* QP numbers have 24 bits. */
#define IB_QPN_MASK		0xFFFFFF

/**
 * ib_create_qp_user - make a QP for a process
 * @dev: device to make it on
 * @pd: protection domain; ignored for an XRC_TGT QP
 * @attr: its attributes; on return, cap is the QP's actual capacity
 * @udata: the process's data for the provider; NULL for a kernel QP
 * @uobj: handle of the process; NULL for a kernel QP
 * @caller: name of the module that owns the QP, for the resource table; must outlive the QP. NULL:
 *	the calling process is the owner
 *
 * Kernel callers use ib_create_qp(). Process context, may sleep. The QP is in %IB_QPS_RESET (on an
 * iWARP device: idle). The QP is destroyed with ib_destroy_qp_user(). For an XRC_TGT QP, the result
 * is a handle; ib_open_qp() makes further ones.
 *
 * Return: the QP; or an ERR_PTR: -EINVAL if a queue with requests or an SRQ has no CQ, if the PD, a
 * CQ, the SRQ or the XRC domain is of another device, if an XRC_TGT QP has no XRC domain or another
 * QP has one, if the SRQ is one of XRC, if more is asked for than the device's limits allow, or if
 * there is no such port, or if a QP with an indirection table has another receive queue, or the
 * table is of another device; -EOPNOTSUPP if the device has no QPs, none with integrity, no XRC or
 * no indirection tables, or if, for a process, rdma_rw contexts are asked for; -ENODEV if the
 * device is being unregistered; -ENOMEM; or the provider's error.
 */
struct ib_qp *ib_create_qp_user(struct ib_device *dev, struct ib_pd *pd,
				struct ib_qp_init_attr *attr, struct ib_udata *udata,
				struct ib_uobject *uobj, const char *caller);

/**
 * ib_create_qp_kernel - make a QP, under the caller's name
 * @pd: protection domain
 * @qp_init_attr: its attributes; on return, cap is the QP's actual capacity
 * @caller: name of the module that owns the QP, for the resource table; must outlive the QP
 *
 * Callers use ib_create_qp(). See ib_create_qp_user(). If @qp_init_attr asks for rdma_rw contexts,
 * their requests are added to max_send_wr, but not beyond the device's limit, and the QP gets pools
 * of the regions that the contexts need. port_num must be the QP's port then. After an error
 * max_send_wr is as before.
 *
 * Return: as ib_create_qp_user(), or the ERR_PTR of an error of ib_mr_pool_init().
 */
struct ib_qp *ib_create_qp_kernel(struct ib_pd *pd, struct ib_qp_init_attr *qp_init_attr,
				  const char *caller);
/**
 * ib_create_qp - make a QP
 * @pd: protection domain
 * @init_attr: its attributes; on return, cap is the QP's actual capacity
 *
 * See ib_create_qp_kernel().
 */
#define ib_create_qp(pd, init_attr) ib_create_qp_kernel((pd), (init_attr), KBUILD_MODNAME)

/**
 * ib_modify_qp_with_udata - set attributes of a QP, then move it to another state
 * @qp: the QP
 * @attr: new values of the attributes in @mask; the provider may replace them by the actual values
 * @mask: &enum ib_qp_attr_mask
 * @udata: the process's data for the provider; NULL for a kernel QP
 *
 * Process context, may sleep. The core refuses only changes that are invalid in every state. The
 * provider checks whether the QP's present state allows the change, by ib_modify_qp_is_ok() if the
 * InfiniBand rules apply.
 *
 * On a device of the InfiniBand transport, the QP holds a reference to the source GID of each of
 * its paths until the path is replaced or the QP is destroyed. Only InfiniBand ports have alternate
 * paths. A RoCE path without a MAC address gets that of the next hop, and so does every RoCE path
 * of a process, as in __rdma_create_ah() with %RDMA_CREATE_AH_SLEEPABLE.
 *
 * Return: 0; -EINVAL if a bit of @mask, a state, port, MTU or QP number is invalid, if no
 * transition of this QP type into the new state has these attributes, or if there can be no
 * alternate path; -EOPNOTSUPP if the provider cannot change QPs; the errors of __rdma_create_ah()
 * for a path; or the provider's error. After an error the paths are as before.
 */
int ib_modify_qp_with_udata(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			    struct ib_udata *udata);
/**
 * ib_modify_qp - set attributes of a kernel QP, then move it to another state
 * @qp: the QP
 * @qp_attr: new values of the attributes in @qp_attr_mask; the provider may replace them by the
 *	actual values
 * @qp_attr_mask: &enum ib_qp_attr_mask
 *
 * See ib_modify_qp_with_udata().
 *
 * Return: as ib_modify_qp_with_udata().
 */
int ib_modify_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask);
/**
 * ib_query_qp - read attributes of a QP
 * @qp: the QP
 * @qp_attr: out: the attributes
 * @qp_attr_mask: attributes that are needed, &enum ib_qp_attr_mask; the provider may fill in more
 * @qp_init_attr: out: the attributes that the QP was created with
 *
 * Process context, may sleep.
 *
 * Return: 0; -EOPNOTSUPP if the provider cannot read attributes; or the provider's error.
 */
int ib_query_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask,
		struct ib_qp_init_attr *qp_init_attr);
/**
 * ib_destroy_qp_user - destroy a QP
 * @qp: the QP
 * @udata: the process's data for the provider; NULL for a kernel QP
 *
 * Process context, may sleep. Requests that are still queued end without a completion, and
 * completions that were not polled may be removed from the CQ. Call ib_drain_qp() first to get all
 * completions. On return the event handler is not running and will not run again. The regions in
 * the QP's MR pools are destroyed with it. A handle of an XRC_TGT QP is closed, see ib_close_qp().
 *
 * Return: 0 if @qp was destroyed; -EBUSY if other objects use it, or regions of its MR pools have
 * not been returned; or the provider's error. After -EBUSY @qp is as before. After an error of the
 * provider @qp is as before, except that it is bound to no counter.
 */
int ib_destroy_qp_user(struct ib_qp *qp, struct ib_udata *udata);
/**
 * ib_destroy_qp - destroy a kernel QP
 * @qp: the QP
 *
 * See ib_destroy_qp_user().
 *
 * Return: as ib_destroy_qp_user().
 */
int ib_destroy_qp(struct ib_qp *qp);

/**
 * ib_qp_usecnt_inc - count a QP as a user of its PD, its CQs and its SRQ
 * @qp: the QP
 *
 * Any context. ib_create_qp_user() does that for QPs that it makes. A caller that needs these
 * objects to stay while it uses them without the QP calls ib_qp_usecnt_dec() in the end.
 */
void ib_qp_usecnt_inc(struct ib_qp *qp);
/**
 * ib_qp_usecnt_dec - end what ib_qp_usecnt_inc() began
 * @qp: the QP
 *
 * Any context.
 */
void ib_qp_usecnt_dec(struct ib_qp *qp);

/**
 * __ib_modify_qp_is_ok - do the InfiniBand rules allow this transition with these attributes?
 * @cur_state: present state of the QP
 * @next_state: state that the QP is to go to
 * @type: transport service
 * @mask: attributes that are set during the transition
 *
 * Callers use ib_modify_qp_is_ok(), from a provider's modify_qp(). Any context.
 *
 * Return: true if a QP of this type may go from @cur_state to @next_state, and @mask has all
 * attributes that the transition requires and no attribute that it does not allow; false otherwise,
 * and if a state or the type is invalid.
 */
bool __ib_modify_qp_is_ok(enum ib_qp_state cur_state, enum ib_qp_state next_state,
			  enum ib_qp_type type, enum ib_qp_attr_mask mask);
/**
 * ib_modify_qp_is_ok - do the InfiniBand rules allow this transition with these attributes?
 * @cur_state: present state of the QP
 * @next_state: state that the QP is to go to
 * @type: transport service
 * @mask: attributes that are set during the transition
 * @...: link layer, which older callers pass; ignored
 *
 * See __ib_modify_qp_is_ok().
 */
#define ib_modify_qp_is_ok(cur_state, next_state, type, mask, ...)		\
	__ib_modify_qp_is_ok((cur_state), (next_state), (type), (mask))

/**
 * ib_drain_rq - wait until all receive requests of a QP have completed and their done() has run
 * @qp: the QP
 *
 * Process context, sleeps; must not be called from a done() of the CQ. Moves the QP to %IB_QPS_ERR.
 * The CQ must be from ib_alloc_cq() or the pool and have room for one more completion, and the
 * receive queue must have room for one more request. No request may be posted during and after the
 * call. Has no effect on a QP with an SRQ.
 */
void ib_drain_rq(struct ib_qp *qp);

/**
 * ib_drain_sq - wait until all send requests of a QP have completed and their done() has run
 * @qp: the QP
 *
 * Process context, sleeps. The conditions of ib_drain_rq() apply to the send queue and its CQ.
 */
void ib_drain_sq(struct ib_qp *qp);

/**
 * ib_drain_qp - drain both queues of a QP
 * @qp: the QP
 *
 * Calls ib_drain_sq(), then ib_drain_rq().
 */
void ib_drain_qp(struct ib_qp *qp);

#endif /* _RDMA_VERBS_QP_H_ */
