/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues: the plain form a consumer polls itself (ib_create_cq), and the form the core
 * polls for a ULP (ib_alloc_cq), with its shared pool.
 */
#ifndef _RDMA_VERBS_CQ_H_
#define _RDMA_VERBS_CQ_H_

#include <linux/irq_poll.h>
#include <linux/ktime.h>
#include <linux/workqueue.h>
#include <rdma/restrack.h>
#include <rdma/verbs/types.h>
#include <rdma/verbs/wc.h>

struct dim;

struct ib_event;

/**
 * typedef ib_comp_handler - called once when an armed CQ gets a completion
 * @cq: the CQ
 * @cq_context: what ib_create_cq() was given
 *
 * Softirq or process context: must not sleep. May poll, and may arm the CQ again.
 */
typedef void (*ib_comp_handler)(struct ib_cq *cq, void *cq_context);

/**
 * struct ib_cq_init_attr - what a CQ is made with
 * @cqe: entries it has to hold at least, > 0
 * @comp_vector: completion vector that raises its events, below &ib_device.num_comp_vectors
 * @flags: provider dependent, 0 from the kernel
 */
struct ib_cq_init_attr {
	unsigned int	cqe;
	u32		comp_vector;
	u32		flags;
};

/**
 * struct ib_cq_caps - how far a device moderates completion events
 * @max_cq_moderation_count: most completions an event may wait for
 * @max_cq_moderation_period: longest an event may wait, in microseconds
 */
struct ib_cq_caps {
	u16     max_cq_moderation_count;
	u16     max_cq_moderation_period;
};

/**
 * enum ib_cq_notify_flags - what ib_req_notify_cq() arms for
 * @IB_CQ_SOLICITED: the next solicited completion, or the next failed one
 * @IB_CQ_NEXT_COMP: the next completion of any kind
 * @IB_CQ_SOLICITED_MASK: the bits of which exactly one is given
 * @IB_CQ_REPORT_MISSED_EVENTS: also report whether completions came in before the CQ was armed
 */
enum ib_cq_notify_flags {
	IB_CQ_SOLICITED			= 1 << 0,
	IB_CQ_NEXT_COMP			= 1 << 1,
	IB_CQ_SOLICITED_MASK		= IB_CQ_SOLICITED | IB_CQ_NEXT_COMP,
	IB_CQ_REPORT_MISSED_EVENTS	= 1 << 2,
};

/**
 * enum ib_poll_context - where the core calls the &ib_cqe.done of a CQ's completions
 * @IB_POLL_SOFTIRQ: in softirq, on the CPU that took the event
 * @IB_POLL_WORKQUEUE: in a work item on the CPU that took the event; done() may sleep
 * @IB_POLL_UNBOUND_WORKQUEUE: in a work item on any CPU; done() may sleep, and for long
 * @IB_POLL_LAST_POOL_TYPE: last context that ib_cq_pool_get() serves
 * @IB_POLL_DIRECT: inside ib_process_cq_direct(), when the ULP calls it; the CQ is never armed
 */
enum ib_poll_context {
	IB_POLL_SOFTIRQ,
	IB_POLL_WORKQUEUE,
	IB_POLL_UNBOUND_WORKQUEUE,
	IB_POLL_LAST_POOL_TYPE = IB_POLL_UNBOUND_WORKQUEUE,
	IB_POLL_DIRECT,
};

/**
 * struct ib_cq - a completion queue
 * @device: device it lives on
 * @uobject: handle of a user process, NULL for a kernel CQ
 * @comp_handler: what the provider calls on a completion event, in softirq or process context
 * @event_handler: what the provider calls on an asynchronous event of the CQ, may be NULL
 * @cq_context: handed to both handlers; for a CQ from ib_alloc_cq() the ULP's private pointer
 * @cqe: entries it holds, at least as many as were asked for; the provider writes it
 * @cqe_used: pool: entries given out; guarded by the device's cq_pools_lock
 * @usecnt: QP queues that complete into this CQ
 * @poll_ctx: where completions are handled; of a CQ from ib_alloc_cq() or the pool
 * @wc: core: completions in flight from poll to done(); NULL when the consumer polls
 * @pool_entry: core: place in the device's pool; guarded by the device's cq_pools_lock
 * @iop: core: the poller of a softirq CQ
 * @work: core: the poller of a workqueue CQ
 * @comp_wq: core: workqueue that runs @work
 * @interrupt: provider: the last event was raised by an interrupt
 * @shared: core: the CQ belongs to the device's pool
 * @comp_vector: completion vector
 * @pollers: core: contexts that may schedule the poller; negative once ib_free_cq() has begun
 * @dim: core: state of its adaptive moderation, or NULL
 * @res: core: entry in the resource table
 */
struct ib_cq {
	struct ib_device       *device;
	struct ib_uobject      *uobject;
	ib_comp_handler		comp_handler;
	void			(*event_handler)(struct ib_event *event, void *context);
	void		       *cq_context;
	int			cqe;
	unsigned int		cqe_used;
	atomic_t		usecnt;
	enum ib_poll_context	poll_ctx;
	struct ib_wc		*wc;
	struct list_head        pool_entry;
	union {
		struct irq_poll		iop;
		struct work_struct	work;
	};
	struct workqueue_struct *comp_wq;
	u8 interrupt:1;
	u8 shared:1;
	unsigned int comp_vector;
	atomic_t		pollers;
	struct dim		*dim;
	struct rdma_restrack_entry res;
};

/**
 * __ib_create_cq - make a CQ that the caller polls, under the caller's name
 * @device: device to make it on
 * @comp_handler: called on completion events
 * @event_handler: called on asynchronous events that are no completions, or NULL
 * @cq_context: handed to both
 * @cq_attr: size and vector
 * @caller: module named as owner in the resource table; a string that outlives the CQ
 *
 * Use ib_create_cq(). Process context, may sleep. &ib_cq.cqe has the CQ's actual size.
 *
 * Return: the CQ, or ERR_PTR: -EINVAL no entries asked for, more than the device's max_cqe, or no
 * such vector; -EOPNOTSUPP the device makes no CQs; -ENODEV the device is being unregistered;
 * -ENOMEM; or what the provider answered.
 */
struct ib_cq *__ib_create_cq(struct ib_device *device, ib_comp_handler comp_handler,
			     void (*event_handler)(struct ib_event *event, void *context),
			     void *cq_context, const struct ib_cq_init_attr *cq_attr,
			     const char *caller);

/**
 * ib_create_cq - make a CQ that the caller polls
 * @device: device to make it on
 * @cmp_hndlr: called on completion events
 * @evt_hndlr: called on asynchronous events that are no completions, or NULL
 * @cq_ctxt: handed to both
 * @cq_attr: size and vector
 *
 * See __ib_create_cq().
 */
#define ib_create_cq(device, cmp_hndlr, evt_hndlr, cq_ctxt, cq_attr)		\
	__ib_create_cq((device), (cmp_hndlr), (evt_hndlr), (cq_ctxt), (cq_attr), KBUILD_MODNAME)

/**
 * ib_create_cq_user - make a CQ for a process
 * @device: device to make it on
 * @comp_handler: called on completion events
 * @event_handler: called on asynchronous events that are no completions, or NULL
 * @cq_context: handed to both
 * @attr: size, vector, flags
 * @uobject: handle of the process
 * @udata: its channel to the provider
 *
 * As ib_create_cq(), but the process polls the CQ. The calling process is its owner in the resource
 * table. Destroyed with ib_destroy_cq_user().
 *
 * Return: as __ib_create_cq().
 */
struct ib_cq *ib_create_cq_user(struct ib_device *device, ib_comp_handler comp_handler,
				void (*event_handler)(struct ib_event *event, void *context),
				void *cq_context, const struct ib_cq_init_attr *attr,
				struct ib_uobject *uobject, struct ib_udata *udata);

/**
 * ib_destroy_cq_user - end a CQ of ib_create_cq()
 * @cq: the CQ
 * @udata: user's channel to the provider, NULL from the kernel
 *
 * Process context, may sleep. No handler runs any more when it returns 0.
 *
 * Return: 0, and @cq is gone; -EBUSY while QPs complete into it; -EINVAL a CQ of ib_alloc_cq() or
 * the pool; or what the provider answered. On failure @cq is as before.
 */
int ib_destroy_cq_user(struct ib_cq *cq, struct ib_udata *udata);

/**
 * ib_destroy_cq - end a kernel CQ of ib_create_cq()
 * @cq: the CQ
 *
 * See ib_destroy_cq_user(). The result may be ignored by a caller that knows the CQ to be idle.
 *
 * Return: as ib_destroy_cq_user().
 */
int ib_destroy_cq(struct ib_cq *cq);

/**
 * ib_resize_cq_user - change how many entries a CQ holds
 * @cq: the CQ
 * @cqe: entries it has to hold at least
 * @udata: user's channel to the provider, NULL from the kernel
 *
 * Process context, may sleep. Completions on the CQ stay. &ib_cq.cqe has its new size.
 *
 * Return: 0; -EINVAL @cqe is not positive or beyond the device's max_cqe, or the CQ is of the pool;
 * -EOPNOTSUPP the provider cannot; or what it answered, -EBUSY for instance when more completions
 * wait than would fit.
 */
int ib_resize_cq_user(struct ib_cq *cq, int cqe, struct ib_udata *udata);

/**
 * ib_resize_cq - change how many entries a kernel CQ holds
 * @cq: the CQ
 * @cqe: entries it has to hold at least
 *
 * See ib_resize_cq_user().
 *
 * Return: as ib_resize_cq_user().
 */
int ib_resize_cq(struct ib_cq *cq, int cqe);

/**
 * rdma_set_cq_moderation - let completion events wait for more completions
 * @cq: the CQ
 * @cq_count: raise the event after so many completions, 0 or 1 for each
 * @cq_period: or after so many microseconds, whichever comes first
 *
 * Process context.
 *
 * Return: 0; -EINVAL a CQ of the pool; -EOPNOTSUPP the provider cannot; or what it answered.
 */
int rdma_set_cq_moderation(struct ib_cq *cq, u16 cq_count, u16 cq_period);

/**
 * ib_modify_cq - older name of rdma_set_cq_moderation()
 * @cq: the CQ
 * @cq_count: completions an event waits for
 * @cq_period: microseconds it waits at most
 */
#define ib_modify_cq(cq, cq_count, cq_period) rdma_set_cq_moderation((cq), (cq_count), (cq_period))

/**
 * ib_peek_cq - count the completions that wait on a CQ
 * @cq: the CQ
 * @wc_cnt: count no further than this, > 0
 *
 * Any context. Takes nothing off the CQ.
 *
 * Return: the number that wait, @wc_cnt when there are that many or more; -EINVAL @wc_cnt is not
 * positive; -EOPNOTSUPP the provider cannot; or what it answered.
 */
int ib_peek_cq(struct ib_cq *cq, int wc_cnt);

/**
 * ib_req_ncomp_notif - arm a CQ for the moment when several completions wait
 * @cq: the CQ
 * @wc_cnt: raise an event once this many wait, > 0; at once when they do already
 *
 * Any context.
 *
 * Return: 0; -EINVAL @wc_cnt is not positive or more than the CQ holds; -EOPNOTSUPP the provider
 * cannot; or what it answered.
 */
int ib_req_ncomp_notif(struct ib_cq *cq, int wc_cnt);

/**
 * __ib_alloc_cq - make a CQ that the core polls, under the caller's name
 * @dev: device to make it on
 * @private: the ULP's pointer, kept in &ib_cq.cq_context
 * @nr_cqe: entries it has to hold at least
 * @comp_vector: completion vector
 * @poll_ctx: where the done() of completions is called
 * @caller: module named as owner in the resource table; a string that outlives the CQ
 *
 * Use ib_alloc_cq(). Process context, may sleep. Each work request that completes into the CQ
 * carries a &struct ib_cqe in its wr_cqe. The CQ is armed before this returns, unless @poll_ctx is
 * %IB_POLL_DIRECT.
 *
 * Return: the CQ, or ERR_PTR: -EINVAL @poll_ctx does not exist; or as __ib_create_cq().
 */
struct ib_cq *__ib_alloc_cq(struct ib_device *dev, void *private, int nr_cqe, int comp_vector,
			    enum ib_poll_context poll_ctx, const char *caller);

/**
 * __ib_alloc_cq_any - as __ib_alloc_cq(), on a vector of the core's choice
 * @dev: device to make it on
 * @private: the ULP's pointer, kept in &ib_cq.cq_context
 * @nr_cqe: entries it has to hold at least
 * @poll_ctx: where the done() of completions is called
 * @caller: module named as owner in the resource table; a string that outlives the CQ
 *
 * Use ib_alloc_cq_any(). Successive calls spread over the vectors.
 *
 * Return: as __ib_alloc_cq().
 */
struct ib_cq *__ib_alloc_cq_any(struct ib_device *dev, void *private, int nr_cqe,
				enum ib_poll_context poll_ctx, const char *caller);

/**
 * ib_alloc_cq - make a CQ that the core polls
 * @dev: device to make it on
 * @private: the ULP's pointer, kept in &ib_cq.cq_context
 * @nr_cqe: entries it has to hold at least
 * @comp_vector: completion vector
 * @poll_ctx: where the done() of completions is called
 *
 * See __ib_alloc_cq().
 */
#define ib_alloc_cq(dev, private, nr_cqe, comp_vector, poll_ctx)		\
	__ib_alloc_cq((dev), (private), (nr_cqe), (comp_vector), (poll_ctx), KBUILD_MODNAME)

/**
 * ib_alloc_cq_any - make a CQ that the core polls, on a vector of the core's choice
 * @dev: device to make it on
 * @private: the ULP's pointer, kept in &ib_cq.cq_context
 * @nr_cqe: entries it has to hold at least
 * @poll_ctx: where the done() of completions is called
 *
 * See __ib_alloc_cq_any().
 */
#define ib_alloc_cq_any(dev, private, nr_cqe, poll_ctx)			\
	__ib_alloc_cq_any((dev), (private), (nr_cqe), (poll_ctx), KBUILD_MODNAME)

/**
 * ib_free_cq - end a CQ of ib_alloc_cq()
 * @cq: the CQ
 *
 * Process context, sleeps until no done() runs; not from a done() of this CQ. Polling that is due
 * or under way is stopped; completions nobody has polled are dropped. A CQ that QPs still use, or
 * that belongs to the pool, stays, with a warning: the caller has a bug.
 */
void ib_free_cq(struct ib_cq *cq);

/**
 * ib_process_cq_direct - poll an %IB_POLL_DIRECT CQ and call the done() of its completions
 * @cq: the CQ
 * @budget: most completions to handle, -1 for all
 *
 * Any context that the done() functions are fit for. Calls for one CQ are not serialised. A done()
 * may call it again.
 *
 * Return: how many were handled.
 */
int ib_process_cq_direct(struct ib_cq *cq, int budget);

/**
 * ib_cq_pool_get - take entries of a CQ that several users share
 * @dev: the device
 * @nr_cqe: entries that the caller will use at most at any time
 * @comp_vector_hint: wanted completion vector, taken modulo their number; negative for any
 * @poll_ctx: where the done() of completions is called; not %IB_POLL_DIRECT
 *
 * Process context, may sleep. Given back with ib_cq_pool_put() and the same @nr_cqe, after the QPs
 * that complete into it are gone. &ib_cq.cq_context is not the caller's.
 *
 * Return: the CQ, or ERR_PTR: -EINVAL @nr_cqe is 0 or beyond the device's max_cqe, or the context
 * is not one that is pooled; or as __ib_create_cq().
 */
struct ib_cq *ib_cq_pool_get(struct ib_device *dev, unsigned int nr_cqe, int comp_vector_hint,
			     enum ib_poll_context poll_ctx);

/**
 * ib_cq_pool_put - give back entries of a shared CQ
 * @cq: the CQ, from ib_cq_pool_get()
 * @nr_cqe: as many as were taken
 *
 * Any context. The CQ lives on in the pool until the device is unregistered.
 */
void ib_cq_pool_put(struct ib_cq *cq, unsigned int nr_cqe);

#endif /* _RDMA_VERBS_CQ_H_ */
