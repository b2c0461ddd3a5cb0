/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What cq.c (CQs of both forms), cq_ulp.c (CQs that the core polls) and cq_dim.c (their adaptive
 * moderation) offer each other and cq_pool.c.
 */
#ifndef _KRDMA_VERBS_CQ_H_
#define _KRDMA_VERBS_CQ_H_

#include <linux/types.h>

struct ib_cq;
struct ib_cq_init_attr;
struct ib_device;
struct ib_udata;
struct ib_uobject;

/**
 * verbs_cq_alloc - allocate a CQ and fill in its common part
 * @dev: device to make it on
 * @attr: size and vector
 * @uobject: handle of a process, or NULL
 *
 * Process context, may sleep. The provider does not know the CQ yet: verbs_cq_start() or kfree()
 * follows.
 *
 * Return: the CQ, or ERR_PTR: as __ib_create_cq(), without the provider's.
 */
struct ib_cq *verbs_cq_alloc(struct ib_device *dev, const struct ib_cq_init_attr *attr,
			     struct ib_uobject *uobject);

/**
 * verbs_cq_start - make a CQ known to its provider, and enter it into the resource table
 * @cq: the CQ, of verbs_cq_alloc()
 * @attr: as for verbs_cq_alloc()
 * @udata: user's channel to the provider, or NULL
 * @caller: module named as owner; NULL for the calling process
 *
 * Process context, may sleep.
 *
 * Return: 0; what the provider answered; or as verbs_track(). On error the provider does not know
 * the CQ; the caller frees it.
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
 * Return: 0, and the caller frees the CQ; -EBUSY while QPs use it; or what the provider answered.
 * On error nothing has changed.
 */
int verbs_cq_end(struct ib_cq *cq, struct ib_udata *udata);

/* Was the CQ made by __ib_alloc_cq()? Then each of its completions carries a struct ib_cqe. */
bool verbs_cq_polled_by_core(const struct ib_cq *cq);

/* Stops and frees a CQ of __ib_alloc_cq() that no QP uses. Process context, sleeps. */
void verbs_cq_free_ulp(struct ib_cq *cq);

/*
 * Adaptive moderation of a CQ. verbs_cq_dim_init() returns 0 or -ENOMEM, and does nothing if
 * moderation is off for the device. The poller reports the completions of each poll to
 * verbs_cq_dim_polled(). verbs_cq_dim_end() is called when no poller runs any more, and sleeps.
 */
int verbs_cq_dim_init(struct ib_cq *cq);
void verbs_cq_dim_polled(struct ib_cq *cq, int completions);
void verbs_cq_dim_end(struct ib_cq *cq);

/* Returns whether CQs of the device can be moderated adaptively. Any context. */
bool ib_core_can_moderate(const struct ib_device *dev);

/* Called once, when ib_core is loaded and unloaded. Returns 0 or -ENOMEM. */
int ib_core_cq_init(void);
void ib_core_cq_exit(void);

#endif /* _KRDMA_VERBS_CQ_H_ */
