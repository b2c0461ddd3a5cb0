/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory regions as verbs objects.
 */
#ifndef SOFT_MR_H
#define SOFT_MR_H

#include "soft/mem.h"

struct ib_umem;

/**
 * struct soft_mr - memory region
 * @base: the verbs object
 * @mem: entry of the MR in the STag table; lookups may hold references that outlive the MR
 * @umem: pinned memory of a process; NULL for a region of the kernel
 * @mapped: list of the pages or elements that soft_map_mr_sg() has stored, with as much room as
 *	mem->pages; NULL for a region that was not made for REG_MR. The next REG_MR swaps the two
 *	lists
 * @num_mapped: pages or elements in @mapped
 * @is_mapped: soft_map_mr_sg() was called after the last REG_MR
 *
 * The pages of a registration, which peers access, and those of a new mapping are in two lists, so
 * that a ULP can map a region that is still valid, and then post LOCAL_INV and REG_MR together. The
 * ULP does not map a region between the post of a REG_MR and its completion.
 */
struct soft_mr {
	struct ib_mr base;
	struct soft_mem *mem;
	struct ib_umem *umem;
	u64 *mapped;
	u32 num_mapped;
	bool is_mapped;
};

static inline struct soft_mr *to_soft_mr(struct ib_mr *base)
{
	return container_of(base, struct soft_mr, base);
}

/* verbs */
struct ib_mr *soft_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *soft_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg);
int soft_map_mr_sg(struct ib_mr *base, struct scatterlist *sg, int sg_nents,
		   unsigned int *sg_offset);
int soft_dereg_mr(struct ib_mr *base, struct ib_udata *udata);

/*
 * Returns a region that is not valid yet, with room for the addresses of @max_pages pages; if
 * @max_pages is 0, a DMA region. Returns ERR_PTR(-ENOMEM) if memory is short. Process context.
 */
struct soft_mr *soft_mr_create(struct ib_pd *pd, u32 max_pages);

/*
 * Checks the IB_ACCESS_* flags for a region. Returns 0; -EOPNOTSUPP if @access asks for addresses
 * that count from 0; or the errno of ib_check_mr_access(). Any context.
 */
int soft_mr_check_access(const struct ib_pd *pd, int access);

/*
 * A request that registers a region begins with soft_mr_may_register(), and ends with
 * soft_mr_set_registered(). soft_mr_may_register() returns 0; -EPERM if the region is not of @pd;
 * -EINVAL if the region was not made for such requests, if @key differs from the region's STag in
 * more than the low 8 bits, or if @access is not valid or has one of the rights in @refused; -EBUSY
 * if the region is still valid. soft_mr_set_registered() makes the region valid, with the address
 * and length in @base.
 */
int soft_mr_may_register(const struct soft_mem *mem, const struct ib_pd *pd, u32 key, int access,
			 int refused);
void soft_mr_set_registered(struct soft_mem *mem, const struct ib_mr *base, u32 key, int access);

/*
 * Carries out a REG_MR request of a QP of @pd: the region gets the pages that were mapped last.
 * Returns 0; -EPERM if the region is of another protection domain; -EINVAL if the region was not
 * made for REG_MR, if @key differs from the region's in more than its low 8 bits, if the rights are
 * not possible (a region with gaps allows no atomic operations), if nothing is mapped, or if less
 * is mapped than the region's length; -EBUSY if the region is still valid. After an error the
 * region and the mapping are as before. Called with BHs off, which soft_mem_wait_for_copies()
 * needs.
 */
int soft_mr_register(const struct ib_pd *pd, struct ib_mr *base, u32 key, int access);

#endif /* SOFT_MR_H */
