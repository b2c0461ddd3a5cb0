/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Fast memory regions as verbs objects.
 */
#ifndef SOFT_FMR_H
#define SOFT_FMR_H

#include <rdma/ib_verbs.h>

/*
 * Each mapping takes the next of the 256 keys of the STag. After 255 mappings the next one would
 * have the first key again, so the region has to be unmapped first.
 */
#define SOFT_MAX_FMR_MAPS 255

/* verbs */
struct ib_fmr *soft_alloc_fmr(struct ib_pd *pd, int access, struct ib_fmr_attr *attr);
int soft_map_phys_fmr(struct ib_fmr *base, u64 *page_list, int list_len, u64 iova);
int soft_unmap_fmr(struct list_head *list);
int soft_dealloc_fmr(struct ib_fmr *base);

#endif /* SOFT_FMR_H */
