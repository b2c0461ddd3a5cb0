/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Scatter/gather lists: copies in pieces.
 */
#ifndef SIW_SGL_H
#define SIW_SGL_H

#include "drivers/siw/mem.h"

/**
 * struct siw_sgl_iter - a walk over a scatter/gather list, for copies in pieces
 * @dev: device of the list
 * @pd: protection domain of the QP
 * @sge: the list; must stay until siw_sgl_iter_exit()
 * @num: entries in it
 * @cur: entry the walk is in
 * @off: bytes of it that are behind us
 * @mem: region of the current entry, referenced; NULL for the local DMA lkey
 * @access: right that each entry must give
 * @one: the entry of a walk over a single range
 */
struct siw_sgl_iter {
	struct siw_device *dev;
	const struct ib_pd *pd;
	const struct ib_sge *sge;
	int num;
	int cur;
	u32 off;
	struct siw_mem *mem;
	int access;
	struct ib_sge one;
};

/*
 * A walk: begin, any number of copies, end. Begin over an SGE list checks each entry at once (errno
 * of siw_mem_check(), -ENOENT for an unknown lkey; to end it then does nothing); begin over a range
 * takes over the reference to @mem, which has been checked by the caller under @stag; a walk over
 * none has no bytes. Copies return 0 or -ESTALE when a region
 * was invalidated meanwhile, -ERANGE past the end of the list. Any context; one user at a time.
 */
int siw_sgl_iter_init(struct siw_sgl_iter *sgl, struct siw_device *dev, const struct ib_pd *pd,
		      const struct ib_sge *sge, int num, int access);
void siw_sgl_iter_init_range(struct siw_sgl_iter *sgl, struct siw_mem *mem, u32 stag, u64 addr,
			     u32 len, int access);
void siw_sgl_iter_init_empty(struct siw_sgl_iter *sgl);
/* Copies @len bytes into the list's memory. */
int siw_sgl_iter_copy_in(struct siw_sgl_iter *sgl, const void *from, u32 len);
/* Copies @len bytes out of the list's memory. */
int siw_sgl_iter_copy_out(struct siw_sgl_iter *sgl, void *to, u32 len);
void siw_sgl_iter_exit(struct siw_sgl_iter *sgl);

#endif /* SIW_SGL_H */
