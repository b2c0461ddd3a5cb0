/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The parts of memdev.
 *
 * One work item executes all requests, one after the other, so that nothing has to be atomic, and
 * calls the event handlers. It holds memdev_fabric.mutex while it executes a request. The verbs
 * that change or destroy an object take the mutex, too, so that an object does not change during a
 * request, and neither is used nor has a handler running when its destruction returns. What is
 * posted is queued with memdev_fabric.lock held.
 */
#ifndef _KRDMA_TESTING_MEMDEV_INTERNAL_H_
#define _KRDMA_TESTING_MEMDEV_INTERNAL_H_

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/timer.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "memdev.h"

/* The highest number of a port. */
#define MEMDEV_MAX_PORT		4
#define MEMDEV_MAX_GROUPS	4

struct ib_umem;
struct memdev_pi;
struct memdev_qp;

/* The first LID: its bytes differ, so that a wrong order of them matters. */
#define MEMDEV_FIRST_LID	0x1201

/**
 * struct memdev_fabric - what all devices share
 * @mutex: see above; protects @devices, and the members of objects that are marked so
 * @lock: protects @runnable, and the members of objects that are marked so; taken with interrupts
 *	off, inside of @mutex, and no other lock is taken inside
 * @devices: devices whose ports can be reached
 * @runnable: QPs that have something to execute
 * @next_lid: LID of the next port
 * @wq: executes @work
 * @work: executes the requests of @runnable
 * @run: executes the next request of a QP; called with @mutex held
 * @lose: decides which MADs are lost, or NULL; this and @lose_context with @mutex held
 * @lose_context: argument of @lose
 */
struct memdev_fabric {
	struct mutex mutex;		/* see above */
	spinlock_t lock;		/* protects @runnable and queues */
	struct list_head devices;
	struct list_head runnable;
	u16 next_lid;
	struct workqueue_struct *wq;
	struct work_struct work;
	void (*run)(struct memdev_qp *qp);
	bool (*lose)(void *context, const u8 *data, u32 length);
	void *lose_context;
};

extern struct memdev_fabric memdev_fabric;

/**
 * struct memdev - a device
 * @fd: the device itself
 * @entry: entry in memdev_fabric.devices
 * @first_lid: LID of port 0
 * @qps: QPs by number, except those with the numbers 0 and 1; changed with the mutex held
 * @special: QPs with the numbers 0 and 1, by number and port; changed with the mutex held
 * @srqs: XRC SRQs by number; changed with the mutex held
 * @mrs: regions by key >> 8; changed with the mutex held
 * @cqs: CQs; with the mutex held
 * @links: the device that each port is linked to, or NULL; this and the member below with the mutex
 *	held
 * @link_ports: the port of that device
 * @prepare: see struct memdev_config
 */
struct memdev {
	struct fakedev *fd;
	struct list_head entry;
	u16 first_lid;
	struct xarray qps;
	struct memdev_qp *special[2][MEMDEV_MAX_PORT + 1];
	struct xarray srqs;
	struct xarray mrs;
	struct list_head cqs;
	struct memdev *links[MEMDEV_MAX_PORT + 1];
	u32 link_ports[MEMDEV_MAX_PORT + 1];
	void (*prepare)(struct fakedev *fd);
};

static inline struct memdev *to_memdev(struct ib_device *ibdev)
{
	return to_fakedev(ibdev)->private;
}

/**
 * struct memdev_cq - a CQ
 * @fake: the CQ in memory
 * @entry: entry in memdev.cqs
 * @overrun: a completion did not fit; with the mutex held
 */
struct memdev_cq {
	struct fakedev_cq fake;
	struct list_head entry;
	bool overrun;
};

static inline struct memdev_cq *to_memdev_cq(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct memdev_cq, fake.ibcq);
}

/**
 * struct memdev_mr - a memory region
 * @ibmr: the region
 * @pd: protection domain
 * @all_memory: the region is all memory, addressed by kernel virtual addresses
 * @valid: the registration is valid; this and the members up to @pages with the mutex held
 * @key: both keys of the registration
 * @access: rights
 * @iova: address of the first byte
 * @length: length in bytes
 * @page_size: size of a page in bytes
 * @pages: addresses of the pages
 * @max_pages: room in @pages and in @next_pages
 * @nr_next: number of pages in @next_pages
 * @next_pages: pages that map_mr_sg was called with last, for the next registration. The caller of
 *	map_mr_sg ensures that they are not used meanwhile
 * @umem: memory of a process, pinned; or NULL
 * @pi: protection information, or NULL
 * @is_fmr: the region belongs to a struct ib_fmr
 * @next_iova: address of @next_pages of an FMR; this and @next_key, with memdev_fabric.lock held
 * @next_key: key of @next_pages of an FMR
 * @window: type of the window that this is; 0 if it is a region
 * @parent: region that the window is bound to, or NULL; this and the members below with the mutex
 *	held
 * @qp: QP that has bound a window of type 2
 * @nr_windows: number of windows that are bound to the region
 */
struct memdev_mr {
	struct ib_mr ibmr;
	struct ib_pd *pd;
	bool all_memory;
	bool valid;
	u32 key;
	int access;
	u64 iova;
	u64 length;
	unsigned int page_size;
	u64 *pages;
	u32 max_pages;
	u32 nr_next;
	u64 *next_pages;
	struct ib_umem *umem;
	struct memdev_pi *pi;
	bool is_fmr;
	u64 next_iova;
	u32 next_key;
	enum ib_mw_type window;
	struct memdev_mr *parent;
	struct memdev_qp *qp;
	unsigned int nr_windows;
};

static inline struct memdev_mr *to_memdev_mr(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct memdev_mr, ibmr);
}

/*
 * A piece of memory: @length bytes from address @addr of @mr, or of the kernel if @mr is NULL. What
 * is written to it from address @stored on will be stored by @pi, unless @pi is NULL.
 */
struct memdev_piece {
	const struct memdev_mr *mr;
	u64 addr;
	u32 length;
	struct memdev_pi *pi;
	u64 stored;
};

/* Pieces of memory that are read or written in order. What was read or written is gone. */
struct memdev_span {
	struct memdev_piece pieces[MEMDEV_MAX_SGE];
	int nr_pieces;
	int first;
	u64 length;
};

/**
 * struct memdev_wqe - a posted request
 * @entry: entry in a queue
 * @wr: copy of a send request; next and sg_list are not valid. Of a receive request, wr_id and
 *	num_sge only
 * @remote_addr: see struct ib_rdma_wr and struct ib_atomic_wr
 * @rkey: see there
 * @compare_add: see struct ib_atomic_wr
 * @swap: see there
 * @srq_num: see struct memdev_xrc_wr
 * @mr: see struct ib_reg_wr
 * @key: see there
 * @access: see there
 * @bind_lkey: L_Key of struct ib_mw_bind_info.mr. @key and @access are the window's, and
 *	@remote_addr its address
 * @bind_length: length of the window
 * @ah: copy of the destination of a datagram
 * @remote_qpn: see struct ib_ud_wr
 * @remote_qkey: see there
 * @pkey_index: see there
 * @length: sum of the lengths of @sge
 * @inline_data: @length bytes of IB_SEND_INLINE
 * @sge: wr.num_sge elements; none with IB_SEND_INLINE
 */
struct memdev_wqe {
	struct list_head entry;
	struct ib_send_wr wr;
	u64 remote_addr;
	u32 rkey;
	u64 compare_add;
	u64 swap;
	u32 srq_num;
	struct ib_mr *mr;
	u32 key;
	int access;
	u32 bind_lkey;
	u64 bind_length;
	struct rdma_ah_attr ah;
	u32 remote_qpn;
	u32 remote_qkey;
	u16 pkey_index;
	u64 length;
	u8 inline_data[MEMDEV_MAX_INLINE];
	struct ib_sge sge[MEMDEV_MAX_SGE];
};

/* A queue of requests, protected by memdev_fabric.lock. */
struct memdev_queue {
	struct list_head requests;
	u32 count;
	u32 max;
	u32 max_sge;
};

/**
 * struct memdev_srq - an SRQ
 * @ibsrq: the SRQ
 * @queue: its requests; with memdev_fabric.lock held
 * @limit: the limit event is raised when fewer requests are left; 0: never; with
 *	memdev_fabric.lock held
 */
struct memdev_srq {
	struct ib_srq ibsrq;
	struct memdev_queue queue;
	u32 limit;
};

static inline struct memdev_srq *to_memdev_srq(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct memdev_srq, ibsrq);
}

/* A multicast group; @lid is not compared on RoCE. */
struct memdev_group {
	bool used;
	union ib_gid gid;
	u16 lid;
};

/**
 * struct memdev_qp - a QP
 * @ibqp: the QP
 * @init_attr: attributes with which the QP was created, and its capacity
 * @of_process: the QP belongs to a process
 * @sq: send queue; with memdev_fabric.lock held
 * @rq: receive queue, unless there is an SRQ; with memdev_fabric.lock held
 * @runnable: entry in memdev_fabric.runnable; with memdev_fabric.lock held
 * @waiting: @timer is awaited before the first send request is executed again; with
 *	memdev_fabric.lock held
 * @timer: ends @waiting
 * @attr: attributes; changed with the mutex and memdev_fabric.lock held. The members below, with
 *	the mutex held
 * @started: the first send request was executed without a result
 * @tries: number of executions of that request that were not acknowledged
 * @rnr_tries: number of executions of that request for which the peer had no receive request
 * @established: a message has arrived
 * @drained: the event IB_EVENT_SQ_DRAINED was reported since the QP entered SQD
 * @groups: multicast groups that the QP is attached to
 */
struct memdev_qp {
	struct ib_qp ibqp;
	struct ib_qp_init_attr init_attr;
	bool of_process;
	struct memdev_queue sq;
	struct memdev_queue rq;
	struct list_head runnable;
	bool waiting;
	struct timer_list timer;
	struct ib_qp_attr attr;
	bool started;
	int tries;
	int rnr_tries;
	bool established;
	bool drained;
	struct memdev_group groups[MEMDEV_MAX_GROUPS];
};

static inline struct memdev_qp *to_memdev_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct memdev_qp, ibqp);
}

static inline bool memdev_is_datagram(const struct memdev_qp *qp)
{
	return qp->ibqp.qp_type == IB_QPT_UD || qp->ibqp.qp_type == IB_QPT_GSI ||
	       qp->ibqp.qp_type == IB_QPT_SMI;
}

static inline bool memdev_is_reliable(const struct memdev_qp *qp)
{
	return !memdev_is_datagram(qp) && qp->ibqp.qp_type != IB_QPT_UC;
}

/* A port of the fabric. */
struct memdev_port {
	struct memdev *dev;
	u32 num;
};

/*
 * fabric.c. memdev_schedule() has a QP's next request executed, unless the QP waits;
 * memdev_fabric.lock is held. memdev_wait() has the QP wait, a number of jiffies, or for ever if
 * the number is 0. memdev_timeout() is the function of memdev_qp.timer. memdev_find_port() finds
 * the port that a path leads to.
 */
int memdev_fabric_init(void (*run)(struct memdev_qp *qp));
void memdev_schedule(struct memdev_qp *qp);
void memdev_wait(struct memdev_qp *qp, unsigned long delay);

void memdev_timeout(struct timer_list *timer);
bool memdev_find_port(struct memdev_qp *from, const struct rdma_ah_attr *ah,
		      struct memdev_port *port);
/* Returns the QP with a number if it is on this port, in a state in which it receives; or NULL. */
struct memdev_qp *memdev_find_qp(const struct memdev_port *port, u32 qpn);
bool memdev_receives(const struct memdev_qp *qp, const struct memdev_port *port);

/*
 * mem.c: regions. memdev_span_*() make a span of memory that is checked: they return 0, or -EACCES
 * if the keys, rights or bounds do not allow the access; a span of memory that a peer names is
 * reached by @qp. memdev_copy() copies from one span to the other. memdev_register() returns false
 * if the region or key cannot be used.
 *
 * memdev_make_mr() makes a region that is not valid; memdev_free_mr() returns -EBUSY if windows are
 * bound to it. memdev_find_mr() returns the entry of this PD, a region or window, that is valid
 * with this key, or NULL.
 */
extern const struct ib_device_ops memdev_mem_ops;
struct memdev_mr *memdev_make_mr(struct ib_pd *pd, u32 max_pages);
int memdev_free_mr(struct memdev_mr *mr);
struct memdev_mr *memdev_find_mr(struct ib_pd *pd, u32 key);
bool memdev_in_bounds(const struct memdev_mr *mr, u64 addr, u64 length);
int memdev_span_local(struct memdev_span *span, struct ib_pd *pd, const struct ib_sge *sge, int nr,
		      int access);
int memdev_span_remote(struct memdev_span *span, const struct memdev_qp *qp, struct ib_pd *pd,
		       u64 addr, u64 length, u32 rkey, int access);
void memdev_span_kernel(struct memdev_span *span, void *data, u64 length);
void memdev_copy(struct memdev_span *to, struct memdev_span *from, u64 length);
bool memdev_register(struct ib_pd *pd, const struct memdev_wqe *wqe);

/*
 * window.c: memdev_bind() binds a window, memdev_invalidate() invalidates a region or window of a
 * PD for a request or message of @qp; they return false if that is not possible.
 * memdev_unbind_all() unbinds the windows of type 2 that a QP has bound. The mutex is held.
 */
extern const struct ib_device_ops memdev_window_ops;
bool memdev_bind(struct memdev_qp *qp, const struct memdev_wqe *wqe);
bool memdev_invalidate(struct memdev_qp *qp, struct ib_pd *pd, u32 rkey);
void memdev_unbind_all(struct memdev_qp *qp);

/* fmr.c and integrity.c */
extern const struct ib_device_ops memdev_fmr_ops, memdev_integrity_ops;

/*
 * queue.c: posted requests. memdev_first() returns the oldest request, which stays in the queue;
 * memdev_take() removes it from the queue, and memdev_free_wqe() frees it. memdev_empty() frees all
 * requests. memdev_post_recvs() posts a list of receive requests; memdev_fabric.lock is held.
 */
extern const struct ib_device_ops memdev_queue_ops;
struct memdev_wqe *memdev_first(struct memdev_queue *queue);
struct memdev_wqe *memdev_take(struct memdev_queue *queue);
void memdev_free_wqe(struct memdev_wqe *wqe);
void memdev_empty(struct memdev_queue *queue);
void memdev_init_queue(struct memdev_queue *queue, u32 max, u32 max_sge);
int memdev_post_recvs(struct memdev_queue *queue, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr, struct ib_device *ibdev,
		      enum fakedev_op op);

/*
 * complete.c: completions and events; the mutex is held. memdev_complete() adds a completion of
 * @qp, or reports that the CQ is full. memdev_enter_error() moves a QP to ERR.
 */
void memdev_complete(struct memdev_qp *qp, struct ib_cq *ibcq, const struct ib_wc *wc,
		     bool solicited);
static inline void memdev_qp_event(struct memdev_qp *qp, enum ib_event_type type)
{
	fakedev_qp_event(&qp->ibqp, type);
}

void memdev_set_state(struct memdev_qp *qp, enum ib_qp_state state);
void memdev_enter_error(struct memdev_qp *qp);

/* srq.c */
extern const struct ib_device_ops memdev_srq_ops;

/*
 * receive.c: receive requests. memdev_get_receive() takes the next one from @xrc_srq or, if that is
 * NULL, from the QP's SRQ or queue. Returns false if there is none.
 */
struct memdev_receive {
	struct memdev_wqe *wqe;
	struct memdev_queue *queue;
	struct ib_srq *srq;
	struct ib_pd *pd;
	struct ib_cq *cq;
};

bool memdev_get_receive(struct memdev_qp *qp, struct ib_srq *xrc_srq, struct memdev_receive *recv);
/* Completes the receive with @wc, whose wr_id and qp are filled in, and frees it. */
void memdev_end_receive(struct memdev_qp *qp, struct memdev_receive *recv, struct ib_wc *wc,
			bool solicited);
/* Puts the request back, to be the next one. */
void memdev_return_receive(struct memdev_receive *recv);

/* The results of an execution that are not an enum ib_wc_status: */
enum {
	MEMDEV_LOST = -1,	/* the peer does not answer */
	MEMDEV_NOT_READY = -2,	/* the peer has no receive request */
};

/*
 * respond.c: what @qp does with a message from @from, the other end of its connection. @data is the
 * memory of the sender. Returns the status of the sender's request, or one of the above.
 */
int memdev_respond(struct memdev_qp *qp, struct memdev_qp *from, const struct memdev_wqe *wqe,
		   struct memdev_span *data);
/* Returns the number of packets of a message. */
u32 memdev_packets(const struct memdev_qp *qp, u64 length);

/* datagram.c: sends a datagram. Returns the status of the request. */
int memdev_send_datagram(struct memdev_qp *qp, const struct memdev_wqe *wqe,
			 struct memdev_span *data);

/*
 * user.c: processes. All devices have memdev_user_mr_ops. Those that processes can open have
 * memdev_hfi1_ops or memdev_qib_ops, too, which say what library processes use, and
 * memdev_offer_commands() sets their mask of commands.
 */
extern const struct ib_device_ops memdev_user_mr_ops, memdev_hfi1_ops, memdev_qib_ops;
void memdev_offer_commands(struct ib_device *ibdev);

/* mad.c: the management agents of a device. */
extern const struct ib_device_ops memdev_mad_ops;

/* request.c: executes the next request of a QP. */
void memdev_run(struct memdev_qp *qp);

/* qp.c */
extern const struct ib_device_ops memdev_qp_ops;

#endif /* _KRDMA_TESTING_MEMDEV_INTERNAL_H_ */
