/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Iterators over scatter/gather lists. A list is checked when its iterator is initialised. Data is
 * then copied into or out of the list's memory in pieces of any size.
 */
#ifndef SOFT_SGL_H
#define SOFT_SGL_H

#include "soft/dif.h"
#include "soft/mem.h"

/**
 * struct soft_sgl_iter - iterator over a scatter/gather list
 * @dev: device of the list
 * @pd: protection domain to which the list's regions have to belong
 * @qp: QP whose peer accesses the region, in an iterator over a single range; otherwise NULL
 * @sge: the list; must stay valid until soft_sgl_iter_exit()
 * @num: entries in @sge
 * @cur: index of the current entry
 * @off: bytes of the current entry that have been copied
 * @mem: region of the current entry, referenced; NULL if the entry has the local DMA lkey. For the
 *	first entry of a list and for a single range, set from the start; for a later entry, set by
 *	its first copy
 * @kept: region that the iterator used last, referenced, or NULL: the next list often lies in the
 *	same region, which then need not be looked up. The region may have been removed meanwhile
 * @access: rights that each entry must give
 * @one: the only entry of the list, in an iterator over a single range or over inline data
 * @cursor: where the copy is in a region with protection information
 */
struct soft_sgl_iter {
	struct soft_device *dev;
	const struct ib_pd *pd;
	const struct ib_qp *qp;
	const struct ib_sge *sge;
	int num;
	int cur;
	u32 off;
	struct soft_mem *mem;
	struct soft_mem *kept;
	int access;
	struct ib_sge one;
	struct soft_dif_cursor cursor;
};

/*
 * soft_sgl_iter_init() begins an iteration over a list and checks each entry. Returns 0; -ENOENT
 * for an unknown lkey; or the errno of soft_mem_check(). soft_sgl_iter_init_range() begins an
 * iteration over a range of the region @mem for the peer of @qp. The caller has checked the range,
 * and hands over its reference to @mem. soft_sgl_iter_init_empty() begins an iteration over no
 * bytes. soft_sgl_iter_exit() ends an iteration; it may also follow a failed soft_sgl_iter_init().
 * soft_sgl_iter_get_mem() looks up a region, and returns it with a reference, or NULL. The iterator
 * keeps the region that it has used last, also after soft_sgl_iter_exit(). Therefore the caller has
 * to zero the iterator before its first use, and to call soft_sgl_iter_free() after its last use,
 * which may be in the middle of an iteration. Any context; one user at a time.
 */
int soft_sgl_iter_init(struct soft_sgl_iter *sgl, const struct ib_pd *pd, const struct ib_sge *sge,
		       int num, int access);
void soft_sgl_iter_init_range(struct soft_sgl_iter *sgl, const struct ib_qp *qp,
			      struct soft_mem *mem, u32 stag, u64 addr, u32 len, int access);
void soft_sgl_iter_init_empty(struct soft_sgl_iter *sgl);
void soft_sgl_iter_exit(struct soft_sgl_iter *sgl);
struct soft_mem *soft_sgl_iter_get_mem(struct soft_sgl_iter *sgl, struct soft_device *dev,
				       u32 stag);
void soft_sgl_iter_free(struct soft_sgl_iter *sgl);

/*
 * Copy @len bytes into, and out of, the list's memory, and advance by @len bytes. Return 0; -EPERM
 * or -EACCES if a region was given another protection domain or QP, or lost rights, after the
 * check; -ESTALE if a region was invalidated, or became shorter; -ERANGE if the list has fewer
 * bytes left. Called with BHs off.
 */
int soft_sgl_iter_copy_in(struct soft_sgl_iter *sgl, const void *from, u32 len);
int soft_sgl_iter_copy_out(struct soft_sgl_iter *sgl, void *to, u32 len);

#endif /* SOFT_SGL_H */
