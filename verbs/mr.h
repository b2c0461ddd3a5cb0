/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What mr.c offers mr_user.c and pd.c.
 */
#ifndef _KRDMA_VERBS_MR_H_
#define _KRDMA_VERBS_MR_H_

#include <rdma/ib_verbs.h>

struct ib_pd;
struct ib_udata;

/**
 * verbs_mr_init - make a region that the provider has allocated usable
 * @mr: the region, not an ERR_PTR
 * @pd: protection domain; the region counts as a user of it
 * @type: kind of region
 * @udata: user's channel to the provider, or NULL
 * @caller: module named as owner; NULL for the calling process
 *
 * Process context, may sleep. Fills in the common part and enters the region into the resource
 * table.
 *
 * Return: @mr; or ERR_PTR as verbs_track(), and the region has been deregistered.
 */
struct ib_mr *verbs_mr_init(struct ib_mr *mr, struct ib_pd *pd, enum ib_mr_type type,
			    struct ib_udata *udata, const char *caller);

/**
 * verbs_dma_mr_get - make the region of all memory that is behind a PD's own keys
 * @pd: protection domain; the region does not count as its user
 * @access: &enum ib_access_flags
 * @caller: module named as owner
 *
 * Process context, may sleep.
 *
 * Return: the region, for verbs_dma_mr_put(); or ERR_PTR: -EOPNOTSUPP the device makes no such
 * region; what the provider answered; or as verbs_track().
 */
struct ib_mr *verbs_dma_mr_get(struct ib_pd *pd, int access, const char *caller);

/**
 * verbs_dma_mr_put - destroy a region of verbs_dma_mr_get()
 * @mr: the region
 *
 * Process context, may sleep.
 *
 * Return: 0; or what the provider answered, and @mr is as before.
 */
int verbs_dma_mr_put(struct ib_mr *mr);

#endif /* _KRDMA_VERBS_MR_H_ */
