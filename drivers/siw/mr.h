/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory regions as verbs objects, and the REG_MR and LOCAL_INV requests.
 */
#ifndef SIW_MR_H
#define SIW_MR_H

#include "drivers/siw/mem.h"

struct ib_umem;

/**
 * struct siw_mr - memory region
 * @base: the verbs object
 * @mem: its place in the STag table; outlives the MR while copies run
 * @umem: a process's memory, pinned until no copy runs any more; or NULL
 */
struct siw_mr {
	struct ib_mr base;
	struct siw_mem *mem;
	struct ib_umem *umem;
};

static inline struct siw_mr *to_siw_mr(struct ib_mr *base)
{
	return container_of(base, struct siw_mr, base);
}

struct ib_mr *siw_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *siw_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg);
int siw_map_mr_sg(struct ib_mr *base, struct scatterlist *sg, int sg_nents,
		  unsigned int *sg_offset);
int siw_dereg_mr(struct ib_mr *base, struct ib_udata *udata);

/* user_mr.c */
struct ib_mr *siw_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr, int access,
			      struct ib_udata *udata);

/*
 * siw_mr_create(): a region that is not valid yet, see siw_mem_alloc(), or an ERR_PTR. Process
 * context. siw_mr_check_access(): 0, or the errno of ib_check_mr_access(); -EINVAL also for rights
 * that only other devices give.
 */
struct siw_mr *siw_mr_create(struct ib_pd *pd, u32 max_pages);
int siw_mr_check_access(const struct ib_pd *pd, int access);

/*
 * siw_mr_register() carries out a REG_MR request of a QP of @pd. 0, or -EPERM another protection
 * domain, -EINVAL a key that is not the region's, nothing mapped, or a right the region cannot
 * give; -EBUSY still valid. Any context.
 */
int siw_mr_register(const struct ib_pd *pd, struct ib_mr *base, u32 key, int access);

#endif /* SIW_MR_H */
