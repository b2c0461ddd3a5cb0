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
 * last, and the rules of base->sig_attrs. Returns 0; -EPERM if the region is of another protection
 * domain; -EBUSY if the region is still valid; -EINVAL if the region was not made for this request,
 * if @key differs from the region's in more than its low 8 bits, if the rights are not possible
 * (atomic operations and memory windows are not), if nothing is mapped, or if base->sig_attrs are
 * not valid or do not fit the lists. After an error the region and the mapping are as before.
 * Called with BHs off, which soft_mem_wait_for_copies() needs.
 */
int soft_mr_pi_register(const struct ib_pd *pd, struct ib_mr *base, u32 key, int access);

#endif /* SOFT_MR_PI_H */
