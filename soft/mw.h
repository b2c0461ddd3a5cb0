/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory windows: the verbs objects, binding, and invalidation of any STag.
 */
#ifndef SOFT_MW_H
#define SOFT_MW_H

#include "soft/mem.h"

/**
 * struct soft_mw - memory window
 * @base: the verbs object
 * @mem: entry of the window in the STag table; lookups may hold references that outlive the window
 */
struct soft_mw {
	struct ib_mw base;
	struct soft_mem *mem;
};

static inline struct soft_mw *to_soft_mw(struct ib_mw *base)
{
	return container_of(base, struct soft_mw, base);
}

/**
 * struct soft_mw_bind - a request to bind a window
 * @stag: new STag of the window; differs from the present STag only in the key, the low eight bits
 * @lkey: STag of the region
 * @addr: address in the region, at which the window begins
 * @length: length of the window in bytes
 * @access: rights of peers
 */
struct soft_mw_bind {
	u32 stag;
	u32 lkey;
	u64 addr;
	u64 length;
	int access;
};

/* verbs */
int soft_alloc_mw(struct ib_mw *base, struct ib_udata *udata);
int soft_dealloc_mw(struct ib_mw *base);

/*
 * Carries out a BIND_MW request of @qp, whose windows of type 2 are in the list @windows. Returns
 * 0; -ENOENT if no window has the index of the STag, or if no region has the lkey; -EPERM if the
 * window is of another protection domain; -EBUSY if a window of type 2 is bound already; -EINVAL if
 * the rights are not possible for a window, or if the length is 0 and the window is of type 2; or
 * the errno of soft_mem_lend(). After an error the window is as before. Called with BHs off, which
 * soft_mem_wait_for_copies() needs.
 */
int soft_mw_bind(const struct ib_qp *qp, struct list_head *windows,
		 const struct soft_mw_bind *bind);

/*
 * soft_mw_invalidate() invalidates @stag for a request of @qp, and waits for the copies in
 * progress. If @stag names a window of type 2, the window is unbound. Returns 0; -ENOENT if no
 * memory has this STag; the errno of soft_mem_invalidate(); -EPERM if the window is bound to
 * another QP; -EACCES if the window is of type 1. soft_mw_invalidate_by_peer() does the same for
 * the peer's Send with Invalidate, and besides returns -EACCES for memory that gives peers no
 * right, and -ENOENT for memory that is not valid. Called with BHs off, which
 * soft_mem_wait_for_copies() needs.
 */
int soft_mw_invalidate(const struct ib_qp *qp, u32 stag);
int soft_mw_invalidate_by_peer(const struct ib_qp *qp, u32 stag);

/* Unbinds the windows in the list of a QP whose stream has ended. Process context. */
void soft_mw_unbind_all(struct soft_device *dev, struct list_head *windows);

#endif /* SOFT_MW_H */
