/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A fake provider without a network: a test adds the completions, and can make any operation fail.
 */
#ifndef _KRDMA_TESTING_FAKEDEV_H_
#define _KRDMA_TESTING_FAKEDEV_H_

#include <linux/platform_device.h>
#include <rdma/ib_verbs.h>

/* Operations whose calls are counted, and that fakedev_fail() can make fail. */
enum fakedev_op {
	FAKEDEV_ALLOC_PD,
	FAKEDEV_DEALLOC_PD,
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
	FAKEDEV_CREATE_SRQ,
	FAKEDEV_MODIFY_SRQ,
	FAKEDEV_QUERY_SRQ,
	FAKEDEV_DESTROY_SRQ,
	FAKEDEV_POST_SRQ_RECV,
	FAKEDEV_GET_DMA_MR,
	FAKEDEV_ALLOC_MR,
	FAKEDEV_REG_USER_MR,
	FAKEDEV_REREG_USER_MR,
	FAKEDEV_MAP_MR_SG,
	FAKEDEV_DEREG_MR,
	FAKEDEV_NR_OPS
};

/**
 * struct fakedev_config - properties of a device; all zero for an iWARP device with virtual DMA
 * @name: name or pattern, NULL for "fake%d"
 * @node_type: kind of node, 0 for RDMA_NODE_RNIC
 * @nr_ports: number of ports, 0 for one
 * @real_dma: give the device a DMA device, a platform device of its own
 * @vectors: number of completion vectors, 0 for four
 * @more_ops: operations in addition to the fake's own, or NULL
 */
struct fakedev_config {
	const char *name;
	u8 node_type;
	u32 nr_ports;
	bool real_dma;
	int vectors;
	const struct ib_device_ops *more_ops;
};

/**
 * struct fakedev - a fake device; tests may read and change all members, and ibdev.attrs and .ops
 * @ibdev: the device
 * @calls: how often each operation was called
 * @fail_in: number of calls until the operation fails once, 0 for never
 * @fail_with: negative errno that the failing call returns
 * @last_pd_flags: flags of the PD of the last alloc_pd
 * @last_access: access flags of the last get_dma_mr
 * @rereg_anew: rereg_user_mr makes a new region instead of changing the old one
 * @last_rereg: arguments of the last rereg_user_mr
 * @flush_delay: jiffies from a QP's transition to ERR until its requests are flushed
 * @next_key: key of the next memory region
 * @next_qpn: number of the next QP
 * @platform: DMA device, or NULL
 */
struct fakedev {
	struct ib_device ibdev;
	atomic_t calls[FAKEDEV_NR_OPS];
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
	unsigned long flush_delay;
	atomic_t next_key;
	atomic_t next_qpn;
	struct platform_device *platform;
};

static inline struct fakedev *to_fakedev(struct ib_device *ibdev)
{
	return container_of(ibdev, struct fakedev, ibdev);
}

struct fakedev_pd {
	struct ib_pd ibpd;
};

/**
 * struct fakedev_cq - a CQ in memory
 * @ibcq: the CQ
 * @lock: guards @ring to @ncomp; innermost
 * @ring: completions that were not polled yet
 * @size: capacity of @ring
 * @head: index of the oldest completion
 * @count: number of completions in @ring
 * @armed: flags of the last req_notify_cq, 0 once the event was raised
 * @ncomp: raise an event once @count reaches this, 0 for none
 * @moderation_count: argument of the last modify_cq
 * @moderation_period: argument of the last modify_cq
 */
struct fakedev_cq {
	struct ib_cq ibcq;
	spinlock_t lock; /* guards ring to ncomp */
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

#define FAKEDEV_QUEUE	64

/* A queue of a QP: the requests that were posted and have not completed. */
struct fakedev_queue {
	struct ib_cq *cq;
	bool receives;
	unsigned int first, end;	/* modulo FAKEDEV_QUEUE */
	struct ib_wc posted[FAKEDEV_QUEUE];
	bool unsignaled[FAKEDEV_QUEUE];	/* completes into the CQ on failure only */
};

/**
 * struct fakedev_qp - a QP that queues requests until a test completes them
 * @ibqp: the QP
 * @lock: guards @sq to @last_mask; nests outside of a CQ's lock
 * @sq: send requests
 * @rq: receive requests
 * @attr: attributes as modified so far
 * @last_mask: mask of the last modification
 * @signal_all: all send requests complete into the CQ
 * @init_attr: attributes of the creation
 * @flush: flushes both queues
 */
struct fakedev_qp {
	struct ib_qp ibqp;
	spinlock_t lock; /* guards sq to last_mask */
	struct fakedev_queue sq;
	struct fakedev_queue rq;
	struct ib_qp_attr attr;
	int last_mask;
	bool signal_all;
	struct ib_qp_init_attr init_attr;
	struct delayed_work flush;
};

static inline struct fakedev_qp *to_fakedev_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct fakedev_qp, ibqp);
}

/**
 * struct fakedev_srq - an SRQ that queues requests until fakedev_srq_take() takes them
 * @ibsrq: the SRQ
 * @lock: guards all below
 * @first: index of the oldest request, modulo FAKEDEV_QUEUE
 * @end: index behind the youngest request, modulo FAKEDEV_QUEUE
 * @posted: wr_ids of the requests
 * @attr: attributes; the limit event is armed unless srq_limit is 0
 */
struct fakedev_srq {
	struct ib_srq ibsrq;
	spinlock_t lock; /* guards all below */
	unsigned int first, end;
	u64 posted[FAKEDEV_QUEUE];
	struct ib_srq_attr attr;
};

static inline struct fakedev_srq *to_fakedev_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct fakedev_srq, ibsrq);
}

/* A memory region with the page addresses that the last ib_map_mr_sg() set. */
struct fakedev_mr {
	struct ib_mr ibmr;
	u32 max_pages;
	u32 nr_pages;
	u64 pages[];
};

static inline struct fakedev_mr *to_fakedev_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct fakedev_mr, ibmr);
}

/* Create and register a device; unregister and free it. A config of NULL is all zero. */
struct fakedev *fakedev_create(const struct fakedev_config *config);
void fakedev_destroy(struct fakedev *fd);

/* Makes the @nth call of @op from now return @errno; 1 is the next call. */
void fakedev_fail(struct fakedev *fd, enum fakedev_op op, int nth, int errno);
int fakedev_calls(struct fakedev *fd, enum fakedev_op op);

/* Adds a completion to a CQ and raises the event that is due. False if full. Any context. */
bool fakedev_cq_push(struct ib_cq *cq, const struct ib_wc *wc, bool solicited);

/* Complete up to @nr requests of a queue, oldest first; return the number of completed ones. */
int fakedev_complete_sends(struct ib_qp *qp, int nr, enum ib_wc_status status);
int fakedev_complete_recvs(struct ib_qp *qp, int nr, enum ib_wc_status status);
/* Takes the oldest request of @qp's SRQ and completes it into @qp's CQ. False if there is none. */
bool fakedev_srq_take(struct ib_qp *qp);

#endif /* _KRDMA_TESTING_FAKEDEV_H_ */
