/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory: the STag table, access checks, and copies in and out of registered memory.
 *
 * A lookup takes a reference or fails. A copy enters the region for its duration only; invalidation
 * marks the region and waits for copies inside it, so that nothing is placed after an invalidate
 * has returned.
 */
#ifndef SIW_MEM_H
#define SIW_MEM_H

#include <linux/kref.h>
#include <linux/rcupdate.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/siw.h"

struct rdmap_atomic_req;

/**
 * struct siw_mem - what an STag stands for
 * @dev: owner of the STag table this region stands in
 * @pd: protection domain an access must come from
 * @ref: held by the MR and by each lookup
 * @rcu: the table is read under RCU
 * @stag: index << 8 | key, as on the wire; the key changes with each registration
 * @valid: may be accessed now; cleared by invalidation
 * @copies: copies inside the region at this moment
 * @access: IB_ACCESS_* of the current registration
 * @va: first address, as peer and SGEs name it
 * @len: length in bytes
 * @first_offset: of the first byte in its page
 * @page_shift: size of the pages in @pages
 * @max_pages: room in @pages
 * @num_pages: of the current registration
 * @pages: kernel virtual addresses of the pages; NULL for a DMA region, where @va is the
 *	address itself
 */
struct siw_mem {
	struct siw_device *dev;
	struct ib_pd *pd;
	struct kref ref;
	struct rcu_head rcu;

	u32 stag;
	bool valid;
	atomic_t copies;
	int access;
	u64 va;
	u64 len;
	u32 first_offset;
	u8 page_shift;
	u32 max_pages;
	u32 num_pages;
	u64 *pages;
};

/*
 * siw_mem_get() finds the region of @stag on @dev, index and key, and takes a reference; NULL if
 * there is none. Any context.
 */
struct siw_mem *siw_mem_get(struct siw_device *dev, u32 stag);
void siw_mem_put(struct siw_mem *mem);

/*
 * siw_mem_check() tells whether @len bytes at @addr may be accessed from @pd with @access. 0, or:
 * -ESTALE not valid, -EPERM another protection domain, -EACCES right missing, -EOVERFLOW address
 * wraps, -ERANGE outside the region. A length of 0 is always inside.
 */
int siw_mem_check(const struct siw_mem *mem, const struct ib_pd *pd, u64 addr, u32 len, int access);

/*
 * siw_mem_invalidate() makes @stag unusable, and returns after the last copy inside it has ended.
 * 0, or -ENOENT no such STag or not valid, -EPERM not of @pd, -EACCES not to be invalidated (a DMA
 * region). A peer's Send may besides invalidate only what gives peers a right. Any context.
 */
int siw_mem_invalidate(struct siw_device *dev, const struct ib_pd *pd, u32 stag);
int siw_mem_invalidate_by_peer(struct siw_device *dev, const struct ib_pd *pd, u32 stag);

/*
 * For MRs. siw_mem_alloc(): a region that is not valid yet, with room for @max_pages pages (0: a
 * DMA region), in the table under a random STag; ERR_PTR(-ENOMEM). siw_mem_publish() makes it
 * valid, siw_mem_retire() ends that and waits for copies (true: it was valid). siw_mem_remove()
 * takes it out of the table and drops the caller's reference. Process context, but for publish and
 * retire.
 */
struct siw_mem *siw_mem_alloc(struct siw_device *dev, struct ib_pd *pd, u32 max_pages);
void siw_mem_publish(struct siw_mem *mem);
bool siw_mem_retire(struct siw_mem *mem);
void siw_mem_remove(struct siw_mem *mem);

/*
 * siw_mem_begin_access() announces a copy under @stag. Returns 0, or -ESTALE if the region is not
 * valid under that. siw_mem_end_access() ends the copy. Between the two, siw_mem_ptr() returns the
 * memory at @addr, and cuts *@contiguous down to what lies in one piece there. Called with bottom
 * halves disabled.
 */
int siw_mem_begin_access(struct siw_mem *mem, u32 stag);
void siw_mem_end_access(struct siw_mem *mem);
void *siw_mem_ptr(const struct siw_mem *mem, u64 addr, u32 *contiguous);

/*
 * Works on a word of the region, in one step as seen by all CPUs, if @pd may do that under @req's
 * STag: 0, and @old is what was there, or the errno of siw_mem_check().
 */
int siw_mem_atomic(struct siw_mem *mem, const struct ib_pd *pd,
		   const struct rdmap_atomic_req *req, u64 *old);

#endif /* SIW_MEM_H */
