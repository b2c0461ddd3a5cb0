/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A fake provider without a network: a test adds the completions, and can make any operation fail.
 */
#ifndef _KRDMA_TESTING_FAKEDEV_H_
#define _KRDMA_TESTING_FAKEDEV_H_

#include <linux/platform_device.h>
#include <rdma/ib_verbs.h>

/*
 * The operations whose calls are counted, and which fakedev_fail() can make fail. Those from
 * FAKEDEV_CREATE_WQ on are operations of kt_user.ko.
 */
enum fakedev_op {
	FAKEDEV_ALLOC_PD,
	FAKEDEV_DEALLOC_PD,
	FAKEDEV_CREATE_AH,
	FAKEDEV_CREATE_USER_AH,
	FAKEDEV_MODIFY_AH,
	FAKEDEV_QUERY_AH,
	FAKEDEV_DESTROY_AH,
	FAKEDEV_CREATE_CQ,
	FAKEDEV_DESTROY_CQ,
	FAKEDEV_RESIZE_CQ,
	FAKEDEV_MODIFY_CQ,
	FAKEDEV_REQ_NOTIFY_CQ,
	FAKEDEV_POLL_CQ,
	FAKEDEV_CREATE_QP,
	FAKEDEV_MODIFY_QP,
	FAKEDEV_QUERY_QP,
	FAKEDEV_DESTROY_QP,
	FAKEDEV_POST_SEND,
	FAKEDEV_POST_RECV,
	FAKEDEV_ATTACH_MCAST,
	FAKEDEV_DETACH_MCAST,
	FAKEDEV_ALLOC_XRCD,
	FAKEDEV_DEALLOC_XRCD,
	FAKEDEV_CREATE_SRQ,
	FAKEDEV_MODIFY_SRQ,
	FAKEDEV_QUERY_SRQ,
	FAKEDEV_DESTROY_SRQ,
	FAKEDEV_POST_SRQ_RECV,
	FAKEDEV_GET_DMA_MR,
	FAKEDEV_ALLOC_MR,
	FAKEDEV_ALLOC_MR_INTEGRITY,
	FAKEDEV_REG_USER_MR,
	FAKEDEV_REREG_USER_MR,
	FAKEDEV_MAP_MR_SG,
	FAKEDEV_MAP_MR_SG_PI,
	FAKEDEV_CHECK_MR_STATUS,
	FAKEDEV_DEREG_MR,
	FAKEDEV_ALLOC_MW,
	FAKEDEV_DEALLOC_MW,
	FAKEDEV_ALLOC_FMR,
	FAKEDEV_MAP_FMR,
	FAKEDEV_UNMAP_FMR,
	FAKEDEV_DEALLOC_FMR,
	FAKEDEV_QUERY_DEVICE,
	FAKEDEV_CREATE_WQ,
	FAKEDEV_DESTROY_WQ,
	FAKEDEV_CREATE_TABLE,
	FAKEDEV_DESTROY_TABLE,
	FAKEDEV_ALLOC_DM,
	FAKEDEV_DEALLOC_DM,
	FAKEDEV_REG_DM_MR,
	FAKEDEV_CREATE_COUNTERS,
	FAKEDEV_DESTROY_COUNTERS,
	FAKEDEV_NR_OPS
};

/**
 * struct fakedev_config - properties of a device
 * @name: name of the device, or pattern of the name; NULL means "fake%d"
 * @node_type: node type; 0 means RDMA_NODE_RNIC
 * @nr_ports: number of ports; 0 means one port
 * @real_dma: a platform device is created and is the DMA device of the device
 * @vectors: number of completion vectors; 0 means four vectors
 * @caps: core_cap_flags of the ports; 0 means those of the node type
 * @ndev: network interface of port 1, or NULL
 * @nr_gids: number of GIDs of each port that is not a RoCE port; see fakedev_gid()
 * @own_ops: tables of operations that replace those of the fake provider, ended by NULL; or NULL
 * @more_ops: operations that the fake provider does not have itself, or that replace its own, or
 *	NULL
 * @driver_def: objects and methods of ioctl(), or NULL
 * @private: for the private member of the device
 *
 * A structure of zeros describes an iWARP device that uses kernel virtual addresses for DMA.
 */
struct fakedev_config {
	const char *name;
	u8 node_type;
	u32 nr_ports;
	bool real_dma;
	int vectors;
	u32 caps;
	struct net_device *ndev;
	int nr_gids;
	const struct ib_device_ops * const *own_ops;
	const struct ib_device_ops *more_ops;
	const struct uapi_definition *driver_def;
	void *private;
};

/**
 * struct fakedev - a fake device
 * @ibdev: the device
 * @calls: number of calls of each operation
 * @failures: number of those calls that fakedev_fail() has made fail
 * @fail_in: for each operation, which call fails: 1 is the next call; 0 means that no call fails
 * @fail_with: negative errno that the failing call returns
 * @last_pd_flags: flags of the PD with which alloc_pd was called last
 * @last_access: access flags with which get_dma_mr was called last
 * @rereg_anew: rereg_user_mr makes a new region instead of changing the old one
 * @last_rereg: arguments with which rereg_user_mr was called last
 * @caps: core_cap_flags of the ports
 * @nr_gids: number of GIDs of each port that is not a RoCE port
 * @gids_held: number of GIDs that add_gid has added and del_gid has not deleted
 * @last_ah_flags: flags with which create_ah, create_user_ah or destroy_ah was called last
 * @flush_delay: jiffies from a QP's transition to ERR, or a post in ERR, until requests are flushed
 * @next_key: number of the last memory region or window, whose keys are this number << 8
 * @next_qpn: number of the last QP
 * @platform: platform device that is the DMA device, or NULL
 * @private: belongs to the creator of the device
 *
 * Tests may read and change all members, and the attrs and ops of @ibdev.
 */
struct fakedev {
	struct ib_device ibdev;
	atomic_t calls[FAKEDEV_NR_OPS];
	atomic_t failures[FAKEDEV_NR_OPS];
	atomic_t fail_in[FAKEDEV_NR_OPS];
	int fail_with[FAKEDEV_NR_OPS];
	u32 last_pd_flags;
	int last_access;
	bool rereg_anew;
	struct {
		int flags;
		u64 start, length, virt_addr;
		int access;
		struct ib_pd *pd;
	} last_rereg;
	u32 caps;
	int nr_gids;
	atomic_t gids_held;
	u32 last_ah_flags;
	unsigned long flush_delay;
	atomic_t next_key;
	atomic_t next_qpn;
	struct platform_device *platform;
	void *private;
};

static inline struct fakedev *to_fakedev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct fakedev, ibdev);
}

struct fakedev_pd {
	struct ib_pd ibpd;
};

/* An address handle, with the address that the core passed last, but not its reference. */
struct fakedev_ah {
	struct ib_ah ibah;
	struct rdma_ah_attr attr;
};

static inline struct fakedev_ah *to_fakedev_ah(struct ib_ah *ibah)
{
	return container_of(ibah, struct fakedev_ah, ibah);
}

/**
 * struct fakedev_cq - a CQ in memory
 * @ibcq: the CQ
 * @lock: protects @ring to @ncomp; no other lock is taken while this lock is held
 * @ring: completions that were not polled yet
 * @size: number of completions that fit in @ring
 * @head: index of the oldest completion
 * @count: number of completions in @ring
 * @armed: flags with which req_notify_cq was called last; 0 once the event has been raised
 * @ncomp: an event is raised once @count reaches this number; 0: no such event is requested
 * @moderation_count: number of completions that modify_cq got last
 * @moderation_period: period that modify_cq got last
 */
struct fakedev_cq {
	struct ib_cq ibcq;
	spinlock_t lock; /* protects @ring to @ncomp */
	struct ib_wc *ring;
	int size;
	int head;
	int count;
	enum ib_cq_notify_flags armed;
	int ncomp;
	u16 moderation_count;
	u16 moderation_period;
};

static inline struct fakedev_cq *to_fakedev_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct fakedev_cq, ibcq);
}

struct fakedev_xrcd {
	struct ib_xrcd ibxrcd;
};

#define FAKEDEV_QUEUE	64
#define FAKEDEV_GROUPS	4

/* One queue of a QP, with the requests that were posted and have not completed. */
struct fakedev_queue {
	struct ib_cq *cq;
	bool receives;
	unsigned int first, end;	/* indexes of posted[] are these modulo FAKEDEV_QUEUE */
	struct ib_wc posted[FAKEDEV_QUEUE];
	bool unsignaled[FAKEDEV_QUEUE];	/* the request adds a completion only if it fails */
};

/**
 * struct fakedev_qp - a QP that queues requests until a test completes them
 * @ibqp: the QP
 * @lock: protects @sq to @last_mask; a CQ's lock may be taken while this lock is held
 * @sq: send queue
 * @rq: receive queue
 * @attr: state, port, paths, access flags and max_rd_atomic as modify_qp has set them
 * @last_mask: mask with which modify_qp was called last
 * @signal_all: all send requests add completions to the CQ, signaled or not
 * @init_attr: attributes with which the QP was created
 * @groups: GIDs of the multicast groups that the QP is attached to; a zero GID is an empty entry
 * @flush: work item that flushes both queues
 */
struct fakedev_qp {
	struct ib_qp ibqp;
	spinlock_t lock; /* protects @sq to @last_mask */
	struct fakedev_queue sq;
	struct fakedev_queue rq;
	struct ib_qp_attr attr;
	int last_mask;
	bool signal_all;
	struct ib_qp_init_attr init_attr;
	union ib_gid groups[FAKEDEV_GROUPS];
	struct delayed_work flush;
};

static inline struct fakedev_qp *to_fakedev_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct fakedev_qp, ibqp);
}

/**
 * struct fakedev_srq - an SRQ that queues requests until fakedev_srq_take() takes them
 * @ibsrq: the SRQ
 * @lock: protects the members below
 * @first: modulo FAKEDEV_QUEUE, index of the oldest request in @posted
 * @end: modulo FAKEDEV_QUEUE, index of the entry of @posted behind the newest request
 * @posted: wr_id of each request
 * @attr: attributes; the limit event is armed unless srq_limit is 0
 */
struct fakedev_srq {
	struct ib_srq ibsrq;
	spinlock_t lock; /* protects the members below */
	unsigned int first, end;
	u64 posted[FAKEDEV_QUEUE];
	struct ib_srq_attr attr;
};

static inline struct fakedev_srq *to_fakedev_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct fakedev_srq, ibsrq);
}

/**
 * struct fakedev_mr - a memory region
 * @ibmr: the region
 * @max_pages: room in @pages
 * @nr_pages: number of pages that were mapped last
 * @max_meta: room for pages of protection information
 * @meta_nents: number of elements of protection information that were mapped last
 * @sig_err: the error that check_mr_status reports once, if @has_sig_err
 * @has_sig_err: a test has set @sig_err
 * @pages: addresses of the pages that were mapped last
 */
struct fakedev_mr {
	struct ib_mr ibmr;
	u32 max_pages;
	u32 nr_pages;
	u32 max_meta;
	int meta_nents;
	struct ib_sig_err sig_err;
	bool has_sig_err;
	u64 pages[];
};

static inline struct fakedev_mr *to_fakedev_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct fakedev_mr, ibmr);
}

struct fakedev_mw {
	struct ib_mw ibmw;
};

/**
 * struct fakedev_fmr - a fast memory region
 * @ibfmr: the region
 * @attr: limits
 * @access: access flags
 * @nr_pages: number of pages of the mapping; 0 if the region is not mapped
 * @iova: address of the mapping
 */
struct fakedev_fmr {
	struct ib_fmr ibfmr;
	struct ib_fmr_attr attr;
	int access;
	int nr_pages;
	u64 iova;
};

static inline struct fakedev_fmr *to_fakedev_fmr(struct ib_fmr *ibfmr)
{
	return container_of(ibfmr, struct fakedev_fmr, ibfmr);
}

/*
 * fakedev_create() allocates and registers a device; a @config of NULL means a structure of zeros.
 * Returns the device or an ERR_PTR(). fakedev_destroy() unregisters and frees the device.
 */
struct fakedev *fakedev_create(const struct fakedev_config *config);
void fakedev_destroy(struct fakedev *fd);

/* Returns the GID at an index of a port's table, if the port is not a RoCE port. */
static inline union ib_gid fakedev_gid(u32 port, int index)
{
	return (union ib_gid) {
		.global.subnet_prefix = cpu_to_be64(0xfe80000000000000),
		.global.interface_id = cpu_to_be64((u64)port << 32 | (index + 1)),
	};
}

/* Makes the @nth call of @op from now on, where 1 is the next call, return @errno. */
void fakedev_fail(struct fakedev *fd, enum fakedev_op op, int nth, int errno);
int fakedev_calls(struct fakedev *fd, enum fakedev_op op);
/*
 * Counts a call of @op. Returns the negative errno with which the call has to fail, or 0. May be
 * called in any context.
 */
int fakedev_count_call(struct ib_device *ibdev, enum fakedev_op op);

/*
 * Adds a completion to a CQ, and raises an event if one is due. Returns false if the CQ is full.
 * May be called in any context.
 */
bool fakedev_cq_push(struct ib_cq *cq, const struct ib_wc *wc, bool solicited);

/* The operations on CQs, for providers that add something to them. */
int fakedev_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		      struct ib_udata *udata);
int fakedev_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int fakedev_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata);

/* Removes the completions of a QP from a CQ. May be called in any context. */
void fakedev_cq_forget(struct ib_cq *cq, const struct ib_qp *qp);

/* Complete the oldest requests of a queue, @nr at most. Return the number of requests completed. */
int fakedev_complete_sends(struct ib_qp *qp, int nr, enum ib_wc_status status);
int fakedev_complete_recvs(struct ib_qp *qp, int nr, enum ib_wc_status status);
/* Reports an event of a QP as a provider does. May be called in any context. */
void fakedev_qp_event(struct ib_qp *qp, enum ib_event_type type);
/*
 * Takes the oldest request of @qp's SRQ and adds its completion to @qp's receive CQ. Raises the
 * limit event if that is due. Returns false if the SRQ has no request or the CQ is full.
 */
bool fakedev_srq_take(struct ib_qp *qp);

#endif /* _KRDMA_TESTING_FAKEDEV_H_ */
