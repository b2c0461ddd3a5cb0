/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Completion queues: those that the consumer polls (ib_create_cq), those that the core polls for a
 * ULP (ib_alloc_cq), and the pool of CQs that several ULPs share (ib_cq_pool_get).
 */
#ifndef _RDMA_VERBS_CQ_H_
#define _RDMA_VERBS_CQ_H_

#include <linux/types.h> /* needed by irq_poll.h */
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
 * @cq_context: as given to ib_create_cq()
 *
 * Called in softirq or process context; must not sleep. The handler may poll the CQ, and may arm it
 * again.
 */
typedef void (*ib_comp_handler)(struct ib_cq *cq, void *cq_context);

/**
 * struct ib_cq_init_attr - attributes of a CQ to be created
 * @cqe: least number of entries, > 0
 * @comp_vector: number of the completion vector that raises the CQ's events; less than
 *	&ib_device.num_comp_vectors
 * @flags: flags of the provider; 0 for a kernel CQ
 */
struct ib_cq_init_attr {
	unsigned int	cqe;
	u32		comp_vector;
	u32		flags;
};

/**
 * struct ib_cq_caps - limits of a device's moderation of completion events
 * @max_cq_moderation_count: largest number of completions that an event can be made to wait for
 * @max_cq_moderation_period: longest time that an event can be made to wait, in microseconds
 */
struct ib_cq_caps {
	u16     max_cq_moderation_count;
	u16     max_cq_moderation_period;
};

/**
 * enum ib_cq_notify_flags - what ib_req_notify_cq() arms for
 * @IB_CQ_SOLICITED: the next solicited completion, or the next failed one
 * @IB_CQ_NEXT_COMP: the next completion of any kind
 * @IB_CQ_SOLICITED_MASK: both bits above; a caller gives exactly one of them
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
 * @IB_POLL_UNBOUND_WORKQUEUE: in a work item on any CPU; done() may sleep, even for a long time
 * @IB_POLL_LAST_POOL_TYPE: last context for which ib_cq_pool_get() has CQs
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
 * @cq_context: passed to both handlers; for a CQ from ib_alloc_cq() the ULP's private pointer
 * @cqe: number of entries, at least as many as were asked for; set by the provider
 * @cqe_used: pool: number of entries given out; protected by the device's cq_pools_lock
 * @usecnt: number of QP queues that complete into this CQ
 * @poll_ctx: context in which done() is called; only for a CQ from ib_alloc_cq() or the pool
 * @wc: core: array that completions are polled into; NULL if the consumer polls
 * @pool_entry: core: entry in the device's pool; protected by the device's cq_pools_lock
 * @iop: core: the poller of a softirq CQ
 * @work: core: the poller of a workqueue CQ
 * @interrupt: the last event was raised by an interrupt; only providers use this member
 * @shared: core: the CQ belongs to the device's pool
 * @comp_vector: completion vector
 * @high_priority: core: @work was queued at high priority; changed by the context that queues it
 * @events: core: not 0 while @work is queued or runs, higher than 1 if events came meanwhile
 * @pollers: core: number of contexts that may schedule the poller; negative once ib_free_cq() has
 *	begun
 * @dim: core: state of the CQ's adaptive moderation, or NULL
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
	u8 interrupt:1;
	u8 shared:1;
	unsigned int comp_vector;
	bool			high_priority;
	atomic_t		events;
	atomic_t		pollers;
	struct dim		*dim;
	struct rdma_restrack_entry res;
};

/**
 * __ib_create_cq - make a CQ that the caller polls, under the caller's name
 * @device: device to make it on
 * @comp_handler: called on completion events
 * @event_handler: called on asynchronous events, which are not completions; or NULL
 * @cq_context: passed to both handlers
 * @cq_attr: size and vector
 * @caller: name of the module that owns the CQ, for the resource table; must outlive the CQ
 *
 * Callers use ib_create_cq(). Process context, may sleep. &ib_cq.cqe is the CQ's actual size.
 *
 * Return: the CQ; or an ERR_PTR: -EINVAL if the size is 0 or above the device's max_cqe, or if
 * there is no such vector; -EOPNOTSUPP if the device has no CQs; -ENODEV if the device is being
 * unregistered; -ENOMEM; or the provider's error.
 */
struct ib_cq *__ib_create_cq(struct ib_device *device, ib_comp_handler comp_handler,
			     void (*event_handler)(struct ib_event *event, void *context),
			     void *cq_context, const struct ib_cq_init_attr *cq_attr,
			     const char *caller);

/**
 * ib_create_cq - make a CQ that the caller polls
 * @device: device to make it on
 * @cmp_hndlr: called on completion events
 * @evt_hndlr: called on asynchronous events, which are not completions; or NULL
 * @cq_ctxt: passed to both handlers
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
 * @event_handler: called on asynchronous events, which are not completions; or NULL
 * @cq_context: passed to both handlers
 * @attr: size, vector, flags
 * @uobject: handle of the process
 * @udata: the process's data for the provider
 *
 * Does what ib_create_cq() does, but the process polls the CQ, and the calling process is the CQ's
 * owner in the resource table. The CQ is destroyed with ib_destroy_cq_user().
 *
 * Return: as __ib_create_cq().
 */
struct ib_cq *ib_create_cq_user(struct ib_device *device, ib_comp_handler comp_handler,
				void (*event_handler)(struct ib_event *event, void *context),
				void *cq_context, const struct ib_cq_init_attr *attr,
				struct ib_uobject *uobject, struct ib_udata *udata);

/**
 * ib_destroy_cq_user - destroy a CQ of ib_create_cq() or ib_create_cq_user()
 * @cq: the CQ
 * @udata: the process's data for the provider; NULL for a kernel CQ
 *
 * Process context, may sleep. After success no handler of the CQ runs any more.
 *
 * Return: 0 if @cq was destroyed; -EBUSY if QPs complete into it; -EINVAL for a CQ of ib_alloc_cq()
 * or the pool; or the provider's error. After an error @cq is as before.
 */
int ib_destroy_cq_user(struct ib_cq *cq, struct ib_udata *udata);

/**
 * ib_destroy_cq - destroy a CQ of ib_create_cq()
 * @cq: the CQ
 *
 * See ib_destroy_cq_user(). A caller that knows that no QP uses the CQ may ignore the result.
 *
 * Return: as ib_destroy_cq_user().
 */
int ib_destroy_cq(struct ib_cq *cq);

/**
 * ib_resize_cq_user - change how many entries a CQ holds
 * @cq: the CQ
 * @cqe: least number of entries that the CQ must have
 * @udata: the process's data for the provider; NULL for a kernel CQ
 *
 * Process context, may sleep. Completions on the CQ stay. &ib_cq.cqe becomes the new size.
 *
 * Return: 0; -EINVAL if @cqe is not positive or above the device's max_cqe, or if the CQ belongs to
 * the pool; -EOPNOTSUPP if the provider cannot resize CQs; or the provider's error, for example
 * -EBUSY if more completions are on the CQ than the new size holds.
 */
int ib_resize_cq_user(struct ib_cq *cq, int cqe, struct ib_udata *udata);

/**
 * ib_resize_cq - change how many entries a kernel CQ holds
 * @cq: the CQ
 * @cqe: least number of entries that the CQ must have
 *
 * See ib_resize_cq_user().
 *
 * Return: as ib_resize_cq_user().
 */
int ib_resize_cq(struct ib_cq *cq, int cqe);

/**
 * rdma_set_cq_moderation - raise one completion event for several completions
 * @cq: the CQ
 * @cq_count: number of completions after which an event is raised; 0 and 1: after each
 * @cq_period: microseconds after which an event is raised even if fewer completions came
 *
 * Process context.
 *
 * Return: 0; -EINVAL for a CQ of the pool; -EOPNOTSUPP if the provider has no moderation; or the
 * provider's error.
 */
int rdma_set_cq_moderation(struct ib_cq *cq, u16 cq_count, u16 cq_period);

/**
 * ib_modify_cq - older name of rdma_set_cq_moderation()
 * @cq: the CQ
 * @cq_count: number of completions that an event waits for
 * @cq_period: microseconds that an event waits at most
 */
#define ib_modify_cq(cq, cq_count, cq_period) rdma_set_cq_moderation((cq), (cq_count), (cq_period))

/**
 * ib_peek_cq - count the completions on a CQ that have not been polled yet
 * @cq: the CQ
 * @wc_cnt: number at which the count stops, > 0
 *
 * Any context. The completions stay on the CQ.
 *
 * Return: the number of completions, but at most @wc_cnt; -EINVAL if @wc_cnt is not positive;
 * -EOPNOTSUPP if the provider cannot count completions; or the provider's error.
 */
int ib_peek_cq(struct ib_cq *cq, int wc_cnt);

/**
 * ib_req_ncomp_notif - arm a CQ for an event at a number of completions
 * @cq: the CQ
 * @wc_cnt: number of completions on the CQ at which the event is raised, > 0; if there are as many
 *	already, the event is raised at once
 *
 * Any context.
 *
 * Return: 0; -EINVAL if @wc_cnt is not positive or more than the CQ holds; -EOPNOTSUPP if the
 * provider cannot raise such an event; or the provider's error.
 */
int ib_req_ncomp_notif(struct ib_cq *cq, int wc_cnt);

/**
 * __ib_alloc_cq - make a CQ that the core polls, under the caller's name
 * @dev: device to make it on
 * @private: the ULP's pointer, stored in &ib_cq.cq_context
 * @nr_cqe: least number of entries that the CQ must have
 * @comp_vector: completion vector
 * @poll_ctx: context in which the done() of a completion is called
 * @caller: name of the module that owns the CQ, for the resource table; must outlive the CQ
 *
 * Callers use ib_alloc_cq(). Process context, may sleep. The ULP sets wr_cqe of each work request
 * that completes into the CQ. The CQ is armed before the function returns, unless @poll_ctx is
 * %IB_POLL_DIRECT.
 *
 * Return: the CQ; or an ERR_PTR: -EINVAL if there is no such @poll_ctx; or an error of
 * __ib_create_cq().
 */
struct ib_cq *__ib_alloc_cq(struct ib_device *dev, void *private, int nr_cqe, int comp_vector,
			    enum ib_poll_context poll_ctx, const char *caller);

/**
 * __ib_alloc_cq_any - make a CQ that the core polls, on a vector that the core chooses
 * @dev: device to make it on
 * @private: the ULP's pointer, stored in &ib_cq.cq_context
 * @nr_cqe: least number of entries that the CQ must have
 * @poll_ctx: context in which the done() of a completion is called
 * @caller: name of the module that owns the CQ, for the resource table; must outlive the CQ
 *
 * Callers use ib_alloc_cq_any(). Successive calls choose different vectors. All else is as for
 * __ib_alloc_cq().
 *
 * Return: as __ib_alloc_cq().
 */
struct ib_cq *__ib_alloc_cq_any(struct ib_device *dev, void *private, int nr_cqe,
				enum ib_poll_context poll_ctx, const char *caller);

/**
 * ib_alloc_cq - make a CQ that the core polls
 * @dev: device to make it on
 * @private: the ULP's pointer, stored in &ib_cq.cq_context
 * @nr_cqe: least number of entries that the CQ must have
 * @comp_vector: completion vector
 * @poll_ctx: context in which the done() of a completion is called
 *
 * See __ib_alloc_cq().
 */
#define ib_alloc_cq(dev, private, nr_cqe, comp_vector, poll_ctx)		\
	__ib_alloc_cq((dev), (private), (nr_cqe), (comp_vector), (poll_ctx), KBUILD_MODNAME)

/**
 * ib_alloc_cq_any - make a CQ that the core polls, on a vector that the core chooses
 * @dev: device to make it on
 * @private: the ULP's pointer, stored in &ib_cq.cq_context
 * @nr_cqe: least number of entries that the CQ must have
 * @poll_ctx: context in which the done() of a completion is called
 *
 * See __ib_alloc_cq_any().
 */
#define ib_alloc_cq_any(dev, private, nr_cqe, poll_ctx)			\
	__ib_alloc_cq_any((dev), (private), (nr_cqe), (poll_ctx), KBUILD_MODNAME)

/**
 * ib_free_cq - destroy a CQ of ib_alloc_cq()
 * @cq: the CQ
 *
 * Process context, sleeps until no done() runs; must not be called from a done() of this CQ. The
 * poller is stopped, and completions that were not polled are dropped. If QPs still use the CQ, or
 * the CQ belongs to the pool, the caller has a bug: the function warns, and does not destroy the
 * CQ.
 */
void ib_free_cq(struct ib_cq *cq);

/**
 * ib_process_cq_direct - poll an %IB_POLL_DIRECT CQ and call the done() of its completions
 * @cq: the CQ
 * @budget: largest number of completions to handle; -1 for all
 *
 * Any context in which the done() functions may be called. Calls for one CQ are not serialised. A
 * done() may call ib_process_cq_direct().
 *
 * Return: the number of completions handled.
 */
int ib_process_cq_direct(struct ib_cq *cq, int budget);

/**
 * ib_cq_pool_get - take entries of a CQ that several users share
 * @dev: the device
 * @nr_cqe: largest number of entries that the caller will use at a time
 * @comp_vector_hint: wanted completion vector, modulo the number of vectors; negative for any
 * @poll_ctx: context in which the done() of a completion is called; not %IB_POLL_DIRECT
 *
 * Process context, may sleep. The caller gives the entries back by ib_cq_pool_put() with the value
 * of @nr_cqe of this call. Before that, the caller destroys its QPs that complete into the CQ. The
 * caller must not use &ib_cq.cq_context.
 *
 * Return: the CQ; or an ERR_PTR: -EINVAL if @nr_cqe is 0 or above the device's max_cqe, or if
 * @poll_ctx has no pool; or an error of __ib_create_cq().
 */
struct ib_cq *ib_cq_pool_get(struct ib_device *dev, unsigned int nr_cqe, int comp_vector_hint,
			     enum ib_poll_context poll_ctx);

/**
 * ib_cq_pool_put - give back entries of a shared CQ
 * @cq: the CQ, from ib_cq_pool_get()
 * @nr_cqe: as given to ib_cq_pool_get()
 *
 * Any context. The CQs of the pool are freed a second after the last entry of them was given back,
 * unless entries are taken before.
 */
void ib_cq_pool_put(struct ib_cq *cq, unsigned int nr_cqe);

#endif /* _RDMA_VERBS_CQ_H_ */
