/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory regions with protection information as verbs objects.
 */
#ifndef SOFT_MR_PI_H
#define SOFT_MR_PI_H

#include <rdma/ib_verbs.h>

/* verbs */
struct ib_mr *soft_alloc_mr_integrity(struct ib_pd *pd, u32 max_num_data_sg, u32 max_num_meta_sg);
int soft_map_mr_sg_pi(struct ib_mr *base, struct scatterlist *data_sg, int data_sg_nents,
		      unsigned int *data_sg_offset, struct scatterlist *meta_sg, int meta_sg_nents,
		      unsigned int *meta_sg_offset);
int soft_check_mr_status(struct ib_mr *base, u32 check_mask, struct ib_mr_status *status);

/*
 * Carries out a REG_MR_INTEGRITY request of a QP of @pd: the region gets the lists that were mapped
 * last, and the rules of base->sig_attrs. Returns the errno of soft_mr_register(), with lists in
 * place of pages; -EINVAL also if base->sig_attrs are not valid, or do not fit the lists, or if
 * the rights include atomic operations or memory windows. After an error the region and the mapping
 * are as before. Called with BHs off, which soft_mem_wait_for_copies() needs.
 */
int soft_mr_pi_register(const struct ib_pd *pd, struct ib_mr *base, u32 key, int access);

#endif /* SOFT_MR_PI_H */
