/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory: the STag table, access checks, and copies in and out of registered memory.
 *
 * An entry of the table is a region or a memory window. A bound window gives peers access to a part
 * of a region. While a window is bound to a region, the region can neither change nor go away.
 *
 * A lookup takes a reference or fails. A copy is bracketed by soft_mem_begin_access() and
 * soft_mem_end_access(); invalidation waits for the copies in progress, so that nothing is placed
 * after it has returned.
 */
#ifndef SOFT_MEM_H
#define SOFT_MEM_H

#include <linux/kref.h>
#include <linux/rcupdate.h>
#include <rdma/ib_verbs.h>

#include "soft/device.h"

struct soft_atomic;
struct soft_pi;

/**
 * struct soft_mem - memory that an STag names: a region or a window
 * @dev: device whose STag table has the region
 * @pd: protection domain that accesses must come from
 * @ref: references, held by the MR and by each lookup
 * @stag: index << 8 | key, as on the wire; the key changes with each registration
 * @valid: the region may be accessed; cleared by invalidation
 * @changing: @pd and @access, or @valid of an FMR, are being changed; copies wait
 * @fast_reg: the region is made for REG_MR, which can make it valid again; only a region for REG_MR
 *	may be invalidated before it is removed
 * @window: kind of the window, enum ib_mw_type; 0 for a region
 * @copies: number of copies in progress
 * @windows: of a region: number of windows that are bound to it, or SOFT_MEM_CLOSED
 * @access: IB_ACCESS_* of the current registration
 * @va: address of the first byte, as the peer and SGEs name it
 * @len: length in bytes
 * @first_offset: offset of the first byte in its page
 * @page_shift: log2 of the size in bytes of each page in @pages
 * @has_gaps: @pages is a list of @num_pages elements of any address and length, see
 *	soft_gaps_end(). No atomic operations are allowed, because a word may cross elements
 * @max_pages: entries allocated in @pages
 * @num_pages: pages of the current registration
 * @pages: kernel virtual addresses of the pages; NULL for a DMA region, where @va is the address
 *	itself, and for a window. Freed by soft_mem_remove(), so only a copy may dereference it
 * @parent: region that the window is bound to, referenced; NULL if it is not bound. Addresses in
 *	the window are those of the region. Protected by soft_device.mw_lock, and does not change
 *	during a copy
 * @qp: QP that a window of type 2 is bound to; otherwise NULL. Protected by soft_device.mw_lock
 * @pi: for a region with protection information: its lists of memory, which replace @pages;
 *	otherwise NULL. Belongs to the MR, and is used within copies only
 * @qp_entry: entry in the list of windows of @qp, if set. Protected by soft_device.mw_lock
 * @rcu: frees the region after an RCU grace period, because the table is read under RCU
 */
struct soft_mem {
	struct soft_device *dev;
	struct ib_pd *pd;
	struct kref ref;

	u32 stag;
	bool valid;
	bool changing;
	bool fast_reg;
	u8 window;
	atomic_t copies;
	atomic_t windows;
	int access;
	u64 va;
	u64 len;
	u32 first_offset;
	u8 page_shift;
	bool has_gaps;
	u32 max_pages;
	u32 num_pages;
	u64 *pages;
	struct soft_mem *parent;
	const struct ib_qp *qp;
	struct soft_pi *pi;
	union {
		struct list_head qp_entry;
		struct rcu_head rcu;
	};
};

/*
 * Number of words in soft_mem.pages of a region with gaps. Each of @num elements has two: address,
 * and offset in the region. Two more end the list: an unused one, and the region's length in bytes.
 */
#define SOFT_GAPS_WORDS(num) (2 * ((num) + 1))

static inline u64 soft_gaps_end(const u64 *gaps, u32 num)
{
	return gaps[2 * num + 1];
}

/* Value of soft_mem.windows while no window can be bound, because the region is being changed. */
#define SOFT_MEM_CLOSED (-1)

/*
 * Looks up the region that has the index and the key of @stag. Returns it with a reference, or NULL
 * if there is none. Any context.
 */
struct soft_mem *soft_mem_get(struct soft_device *dev, u32 stag);
void soft_mem_put(struct soft_mem *mem);

/* Returns whether two STags are equal except for their keys, the low eight bits. */
static inline bool soft_stag_is_key_of(u32 stag, u32 other)
{
	return !((stag ^ other) & ~0xffu);
}

/*
 * Checks whether @pd may access @len bytes at @addr with the rights in @access. Returns 0; -ESTALE
 * if the region is not valid; -EPERM if the region is of another protection domain; -EACCES if the
 * region does not give all these rights, or if it is a window, which only peers may use, and
 * @access has no remote right; -EOVERFLOW if the address wraps; -ERANGE if the bytes are not inside
 * the region. @addr is not checked if @len is 0. Any context.
 */
int soft_mem_check(const struct soft_mem *mem, const struct ib_pd *pd, u64 addr, u32 len,
		   int access);
/*
 * Returns whether the peer of @qp may use @mem: a window of type 2 is for one QP only. @qp may be
 * NULL if @mem is no window. Any context.
 */
static inline bool soft_mem_is_for(const struct soft_mem *mem, const struct ib_qp *qp)
{
	const struct ib_qp *only = READ_ONCE(mem->qp);

	return likely(!only) || only == qp;
}

/*
 * Invalidates a region (soft_mw_invalidate() does a window), and waits for the copies in progress.
 * @by_peer: the peer's Send with Invalidate asks for this. Returns 0; -EPERM if the region is not
 * of @pd; -EACCES if it was not made for REG_MR; -EBUSY if windows are bound to it. Only if
 * @by_peer is true, also returns -EACCES if the region gives peers no right, and -ENOENT if it is
 * not valid or its STag is not @stag. Called with BHs off: see soft_mem_wait_for_copies().
 */
int soft_mem_invalidate(struct soft_mem *mem, const struct ib_pd *pd, u32 stag, bool by_peer);

/*
 * Called for MRs. soft_mem_alloc() returns a region that is not valid yet, with a random STag and
 * room for @max_pages pages, or a DMA region if @max_pages is 0. Returns ERR_PTR(-ENOMEM) if memory
 * is short. soft_mem_set_valid() makes a region valid. soft_mem_change() gives a region another PD
 * and other rights. An invalid region stays invalid. When soft_mem_change() has returned, the old
 * PD and rights allow no access any more. An access that the old and the new PD and rights both
 * allow is never refused. soft_mem_change() has one caller at a time. soft_mem_remove() makes a
 * region invalid, waits for the copies in progress, removes it from the table, frees its list of
 * pages, and drops the caller's reference. soft_mem_change() and soft_mem_remove() return 0; or
 * -EBUSY, and change nothing, if windows are bound to the region. Process context, but
 * soft_mem_set_valid() may be called in any context.
 */
struct soft_mem *soft_mem_alloc(struct soft_device *dev, struct ib_pd *pd, u32 max_pages);
void soft_mem_set_valid(struct soft_mem *mem);
int soft_mem_change(struct soft_mem *mem, struct ib_pd *pd, int access);
int soft_mem_remove(struct soft_mem *mem);

/*
 * Windows (mw.c) call these. soft_mem_get_index() is soft_mem_get(), but ignores the key in @stag.
 * soft_mem_lend() checks that a window with the rights @access may be bound to @len bytes at @addr
 * of the region @mem, and counts the window, so that the region does not change until
 * soft_mem_take_back(). Returns 0; -ESTALE if the region is not valid, or has another STag than
 * @lkey; -EPERM if it is not of @pd; -EINVAL if it is a window or a DMA region; -EACCES if it does
 * not give the right to bind windows, or if @access lets peers change memory that the region does
 * not let the device write, or use atomic operations in a region that has gaps; -ERANGE if the
 * bytes are not inside the region. Called with BHs off.
 */
struct soft_mem *soft_mem_get_index(struct soft_device *dev, u32 stag);
int soft_mem_lend(struct soft_mem *mem, const struct ib_pd *pd, u32 lkey, u64 addr, u64 len,
		  int access);
void soft_mem_take_back(struct soft_mem *mem);

/*
 * soft_mem_begin_access() begins a copy. Returns 0; -ESTALE if the region is not valid, or no
 * longer has the STag @stag. soft_mem_end_access() ends the copy. Between the two, PD and rights do
 * not change, and soft_mem_ptr() returns the memory at @addr, and lowers *@contiguous to the number
 * of bytes that are contiguous from there. soft_mem_ptr() is not for regions with protection
 * information. Called with BHs off, because invalidation and soft_mem_change() spin until the copy
 * has ended.
 */
int soft_mem_begin_access(struct soft_mem *mem, u32 stag);
void soft_mem_end_access(struct soft_mem *mem);
/*
 * Waits until the copies in progress have ended. Called with BHs off, and after the write to
 * soft_mem.valid or soft_mem.changing that prevents further copies.
 */
void soft_mem_wait_for_copies(const struct soft_mem *mem);
void *soft_mem_ptr(const struct soft_mem *mem, u64 addr, u32 *contiguous);

/*
 * Carries out the operation @op of the peer of @qp on the aligned word at @addr of the region with
 * the STag @stag, atomically for all CPUs. Returns 0, and the original value in *@old; or the errno
 * of soft_mem_check(), or -EPERM for the window of another QP. Called with BHs off.
 */
int soft_mem_atomic(struct soft_mem *mem, const struct ib_qp *qp, u32 stag, u64 addr,
		    const struct soft_atomic *op, u64 *old);

#endif /* SOFT_MEM_H */
