/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The functions of mr.c that mr_integrity.c, mr_user.c and pd.c call.
 */
#ifndef _KRDMA_VERBS_MR_H_
#define _KRDMA_VERBS_MR_H_

#include <rdma/ib_verbs.h>

struct ib_pd;
struct ib_udata;

/**
 * verbs_mr_init - complete a region that the provider has allocated
 * @mr: the region, not an ERR_PTR
 * @pd: protection domain; the region counts as a user of the PD
 * @type: kind of region
 * @udata: user's channel to the provider, or NULL
 * @caller: name of the module that owns the region; NULL: the calling process owns it
 *
 * Process context, may sleep. Fills in the region's common part and enters the region into the
 * resource table.
 *
 * Return: @mr; or the ERR_PTR of an error of verbs_track(). On error the region has been
 * deregistered.
 */
struct ib_mr *verbs_mr_init(struct ib_mr *mr, struct ib_pd *pd, enum ib_mr_type type,
			    struct ib_udata *udata, const char *caller);

/**
 * verbs_dma_mr_get - make a region of all memory, whose keys a PD can use
 * @pd: protection domain; the region does not count as a user of the PD
 * @access: &enum ib_access_flags
 * @caller: name of the module that owns the region
 *
 * Process context, may sleep.
 *
 * Return: the region, to be destroyed with verbs_dma_mr_put(); ERR_PTR(-EOPNOTSUPP): the provider
 * cannot make such a region; or the ERR_PTR of an error of the provider or of verbs_track().
 */
struct ib_mr *verbs_dma_mr_get(struct ib_pd *pd, int access, const char *caller);

/**
 * verbs_dma_mr_put - destroy a region that verbs_dma_mr_get() made
 * @mr: the region
 *
 * Process context, may sleep.
 *
 * Return: 0 or the provider's error. On error @mr still exists.
 */
int verbs_dma_mr_put(struct ib_mr *mr);

#endif /* _KRDMA_VERBS_MR_H_ */
