/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * CQs: functions that other files call. cq.c has the functions for all CQs, cq_ulp.c those for CQs
 * that the core polls, and cq_dim.c those for adaptive moderation of CQs that the core polls.
 */
#ifndef _KRDMA_VERBS_CQ_H_
#define _KRDMA_VERBS_CQ_H_

#include <linux/types.h>
#include <rdma/ib_verbs.h>

/**
 * verbs_cq_alloc - allocate a CQ and fill in its common part
 * @dev: device on which the CQ is made
 * @attr: number of entries, and completion vector
 * @uobject: handle of the process that creates the CQ, or NULL for a ULP's CQ
 *
 * Process context, may sleep. The provider does not know the CQ yet. The caller passes the CQ to
 * verbs_cq_start() or kfree().
 *
 * Return: the CQ; ERR_PTR(-EINVAL): number of entries or vector out of range; ERR_PTR(-EOPNOTSUPP):
 * the provider has no CQs; ERR_PTR(-ENODEV): the device is not usable; ERR_PTR(-ENOMEM).
 */
struct ib_cq *verbs_cq_alloc(struct ib_device *dev, const struct ib_cq_init_attr *attr,
			     struct ib_uobject *uobject);

/**
 * verbs_cq_start - make a CQ known to its provider, and enter it into the resource table
 * @cq: the CQ that verbs_cq_alloc() returned
 * @attr: the attributes that were passed to verbs_cq_alloc()
 * @udata: user's channel to the provider, or NULL
 * @caller: name of the module that owns the CQ; NULL: the calling process owns it
 *
 * Process context, may sleep.
 *
 * Return: 0; the provider's error; or an error of verbs_track(). On error the provider does not
 * know the CQ, and the caller frees the CQ.
 */
int verbs_cq_start(struct ib_cq *cq, const struct ib_cq_init_attr *attr, struct ib_udata *udata,
		   const char *caller);

/**
 * verbs_cq_end - undo verbs_cq_start()
 * @cq: the CQ
 * @udata: user's channel to the provider, or NULL
 *
 * Process context, may sleep.
 *
 * Return: 0: the caller frees the CQ; -EBUSY: QPs use the CQ; or the provider's error. On error the
 * CQ can still be used.
 */
int verbs_cq_end(struct ib_cq *cq, struct ib_udata *udata);

/*
 * Returns whether the CQ was made by __ib_alloc_cq(). Each work request whose completion goes to
 * such a CQ carries a struct ib_cqe.
 */
static inline bool verbs_cq_polled_by_core(const struct ib_cq *cq)
{
	return cq->wc || cq->poll_ctx == IB_POLL_DIRECT;
}

/* Stops and frees a CQ that __ib_alloc_cq() made and no QP uses. Process context, sleeps. */
void verbs_cq_free_ulp(struct ib_cq *cq);

/*
 * Adaptive moderation of a CQ. verbs_cq_dim_init() returns 0 or -ENOMEM. If moderation is off for
 * the device, the three functions have no effect. The poller reports the completions of each poll
 * to verbs_cq_dim_polled(). verbs_cq_dim_end() is called when no poller runs any more, and sleeps.
 */
int verbs_cq_dim_init(struct ib_cq *cq);
void verbs_cq_dim_polled(struct ib_cq *cq, int completions);
void verbs_cq_dim_end(struct ib_cq *cq);

/* Returns whether CQs of the device can be moderated adaptively. Any context. */
bool ib_core_can_moderate(const struct ib_device *dev);

/* Called when ib_core is loaded, or unloaded. ib_core_cq_init() returns 0 or -ENOMEM. */
int ib_core_cq_init(void);
void ib_core_cq_exit(void);

#endif /* _KRDMA_VERBS_CQ_H_ */
