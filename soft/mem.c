// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The STag table: allocation, lookup, access checks, invalidation.
 *
 * Sharing: the table is read under RCU; a lookup takes a reference or fails. A registration sets
 * soft_mem.valid last (release), and a check reads it first (acquire). A copy increments
 * soft_mem.copies and then reads soft_mem.valid. An invalidation clears soft_mem.valid and then
 * waits for soft_mem.copies to become 0. Both have a full barrier between the two steps, so at
 * least one of them sees the other's write.
 *
 * soft_mem_change(), which changes PD and rights, excludes copies by the same two steps, with
 * soft_mem.changing in place of soft_mem.valid. Copies wait for the end of the change instead of
 * failing. soft_mem_change() does not write soft_mem.valid, so that an invalidation at the same
 * time is not lost. soft_mem.windows keeps a region from being changed, invalidated or removed
 * while windows are bound to it: a change first sets it from 0 to SOFT_MEM_CLOSED, and a bind
 * increments it unless it is SOFT_MEM_CLOSED. A bind then checks soft_mem.valid once more, because
 * an invalidation may have come between its first check and the increment.
 *
 * The result of a check outside of a copy may be outdated at once; the check within
 * the copy decides.
 */
#include <linux/bottom_half.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "soft/mem.h"
#include "soft/device.h"
#include "soft/atomic.h"

#define STAG_INDEX_BITS	24
#define STAG_INDEX_MASK	GENMASK(STAG_INDEX_BITS - 1, 0)
#define STAG_KEY_BITS	8

#define REMOTE_RIGHTS (IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_ATOMIC)

/* The table is 3 % full at most, so this many collisions in a row do not happen by chance. */
#define STAG_TRIES	64

/* A copy reads the members before @qp_entry; two cache lines of 64 bytes hold them. */
static_assert(offsetof(struct soft_mem, qp_entry) <= 2 * 64);

static u32 stag_index(u32 stag)
{
	return stag >> STAG_KEY_BITS;
}

/*
 * Gives the region an STag whose index is not 0. The STag is random, so that a peer cannot guess
 * STags that it was not given. Returns 0 or -ENOMEM.
 */
static int mem_insert_random(struct soft_mem *mem)
{
	int tries, ret = -EBUSY;

	for (tries = 0; tries < STAG_TRIES && ret == -EBUSY; tries++) {
		u32 index = get_random_u32() & STAG_INDEX_MASK;

		if (!index)
			continue;
		mem->stag = index << STAG_KEY_BITS | (get_random_u32() & 0xff);
		ret = xa_insert_bh(&mem->dev->stags, index, mem, GFP_KERNEL);
	}
	return ret == -EBUSY ? -ENOMEM : ret;
}

struct soft_mem *soft_mem_alloc(struct soft_device *dev, struct ib_pd *pd, u32 max_pages)
{
	gfp_t gfp = soft_gfp(pd->uobject);
	struct soft_mem *mem;
	int ret = -ENOMEM;

	mem = kzalloc(sizeof(*mem), gfp);
	if (!mem)
		return ERR_PTR(-ENOMEM);

	if (max_pages) {
		mem->pages = kvcalloc(max_pages, sizeof(*mem->pages), gfp);
		if (!mem->pages)
			goto free_mem;
	}

	mem->dev = dev;
	mem->pd = pd;
	mem->max_pages = max_pages;
	kref_init(&mem->ref);
	ret = mem_insert_random(mem);
	if (ret)
		goto free_pages;
	return mem;

free_pages:
	kvfree(mem->pages);
free_mem:
	kfree(mem);
	return ERR_PTR(ret);
}

static void mem_release(struct kref *ref)
{
	struct soft_mem *mem = container_of(ref, struct soft_mem, ref);

	kfree_rcu(mem, rcu);
}

void soft_mem_put(struct soft_mem *mem)
{
	kref_put(&mem->ref, mem_release);
}

/*
 * Looks up the region at the index of @stag. Returns the region with a reference, or NULL if there
 * is none or if its STag differs from @stag in a bit of @mask.
 */
static struct soft_mem *mem_look_up(struct soft_device *dev, u32 stag, u32 mask)
{
	struct soft_mem *mem;

	rcu_read_lock();
	mem = xa_load(&dev->stags, stag_index(stag));
	if (mem && ((READ_ONCE(mem->stag) ^ stag) & mask || !kref_get_unless_zero(&mem->ref)))
		mem = NULL;
	rcu_read_unlock();
	return mem;
}

struct soft_mem *soft_mem_get(struct soft_device *dev, u32 stag)
{
	return mem_look_up(dev, stag, U32_MAX);
}

struct soft_mem *soft_mem_get_index(struct soft_device *dev, u32 stag)
{
	return mem_look_up(dev, stag, 0);
}

int soft_mem_check(const struct soft_mem *mem, const struct ib_pd *pd, u64 addr, u32 len,
		   int access)
{
	void *first;

	if (!smp_load_acquire(&mem->valid)) /* pairs with soft_mem_set_valid() */
		return -ESTALE;
	/* Outside of a copy, soft_mem_change() may change mem->pd and mem->access concurrently. */
	if (READ_ONCE(mem->pd) != pd)
		return -EPERM;
	if ((READ_ONCE(mem->access) & access) != access)
		return -EACCES;
	if (mem->window && !(access & REMOTE_RIGHTS))
		return -EACCES;
	if (!len)
		return 0;
	/* Add len - 1 and not len: the last byte of the address space may be accessed, too. */
	if (addr + (len - 1) < addr)
		return -EOVERFLOW;
	if (!mem->pages && !mem->window) {
		first = (void *)(uintptr_t)addr;
		/*
		 * A DMA region is all memory of the kernel, so a peer that may use the region may
		 * name any address, and a copy at an address without memory would crash the host.
		 * Checking the first and the last byte is enough: a hole is larger than what is
		 * copied at a time, so no hole fits between the two bytes.
		 */
		if (access & REMOTE_RIGHTS &&
		    !(virt_addr_valid(first) && virt_addr_valid(first + len - 1)))
			return -ERANGE;
		return 0;
	}
	if (addr < mem->va || addr - mem->va > mem->len || len > mem->len - (addr - mem->va))
		return -ERANGE;
	return 0;
}

void soft_mem_set_valid(struct soft_mem *mem)
{
	/*
	 * Release: the other members are written before @valid. Pairs with soft_mem_check() and
	 * soft_mem_begin_access().
	 */
	smp_store_release(&mem->valid, true);
}

/*
 * Waits until nobody is changing the region, and counts the caller in mem->copies. Only
 * soft_mem_change(), with BHs off, and fmr_end_mapping(), in a hard interrupt, set mem->changing.
 * Therefore the wait is short, and is never on the CPU on which the region is being changed.
 */
static void mem_hold(struct soft_mem *mem)
{
	for (;;) {
		atomic_inc(&mem->copies);
		smp_mb__after_atomic(); /* pairs with soft_mem_wait_for_copies() */
		if (likely(!smp_load_acquire(&mem->changing))) /* pairs with soft_mem_change() */
			return;
		soft_mem_end_access(mem);
		while (READ_ONCE(mem->changing))
			cpu_relax();
	}
}

int soft_mem_begin_access(struct soft_mem *mem, u32 stag)
{
	mem_hold(mem);
	if (smp_load_acquire(&mem->valid) && /* pairs with soft_mem_set_valid() */
	    READ_ONCE(mem->stag) == stag)
		return 0;
	soft_mem_end_access(mem);
	return -ESTALE;
}

void soft_mem_end_access(struct soft_mem *mem)
{
	atomic_dec_return_release(&mem->copies);
}

/*
 * The wait is short, because a copy is short and is made with BHs off. With PREEMPT_RT, a copy
 * may be preempted, and a caller that had preempted a copy would wait for the copy forever.
 * Therefore the caller has BHs off, too: only one thread of a CPU can have BHs off at a time, so
 * the caller cannot preempt a copy. compat/check refuses kernels in which local_bh_disable() does
 * not exclude other threads of the CPU.
 */
void soft_mem_wait_for_copies(const struct soft_mem *mem)
{
	smp_mb(); /* pairs with mem_hold() */
	while (atomic_read_acquire(&mem->copies))
		cpu_relax();
}

/*
 * Keeps windows from being bound to the region, until mem_open(). Returns false if windows are
 * bound already. Waits while another caller has closed the region. That wait is short, because
 * the other caller keeps BHs off from mem_close() to mem_open(), and does not wait in between.
 */
static bool mem_close(struct soft_mem *mem)
{
	int old;

	do {
		old = atomic_cmpxchg(&mem->windows, 0, SOFT_MEM_CLOSED);
	} while (old == SOFT_MEM_CLOSED);
	return !old;
}

static void mem_open(struct soft_mem *mem)
{
	atomic_set_release(&mem->windows, 0);
}

int soft_mem_change(struct soft_mem *mem, struct ib_pd *pd, int access)
{
	int ret = -EBUSY;

	/*
	 * With BHs on, a copy in a softirq on this CPU could wait forever for the end of the
	 * change.
	 */
	local_bh_disable();
	WRITE_ONCE(mem->changing, true);
	soft_mem_wait_for_copies(mem);
	if (mem_close(mem)) {
		WRITE_ONCE(mem->pd, pd);
		WRITE_ONCE(mem->access, access);
		mem_open(mem);
		ret = 0;
	}
	smp_store_release(&mem->changing, false); /* pairs with mem_hold() */
	local_bh_enable();
	return ret;
}

/* Checks whether a window may be bound. Returns 0 or the errno that soft_mem_lend() returns. */
static int mem_check_lend(const struct soft_mem *mem, const struct ib_pd *pd, u32 lkey, u64 addr,
			  u64 len, int access)
{
	if (!smp_load_acquire(&mem->valid) || /* pairs with soft_mem_set_valid() */
	    READ_ONCE(mem->stag) != lkey)
		return -ESTALE;
	if (mem->pd != pd)
		return -EPERM;
	/* A window or a DMA region. */
	if (!mem->pages)
		return -EINVAL;
	if (!(mem->access & IB_ACCESS_MW_BIND) ||
	    (ib_access_writable(access) && !(mem->access & IB_ACCESS_LOCAL_WRITE)) ||
	    (access & IB_ACCESS_REMOTE_ATOMIC && mem->has_gaps))
		return -EACCES;
	return addr < mem->va || len > mem->len || addr - mem->va > mem->len - len ? -ERANGE : 0;
}

int soft_mem_lend(struct soft_mem *mem, const struct ib_pd *pd, u32 lkey, u64 addr, u64 len,
		  int access)
{
	int ret;

	/* Hold the region as a copy does, so that PD and rights do not change after the check. */
	mem_hold(mem);
	ret = mem_check_lend(mem, pd, lkey, addr, len, access);
	/* No change closes the region after mem_hold(): it is being invalidated or removed. */
	if (!ret && !atomic_inc_unless_negative(&mem->windows))
		ret = -ESTALE;
	if (!ret && !READ_ONCE(mem->valid)) {
		atomic_dec(&mem->windows);
		ret = -ESTALE;
	}
	soft_mem_end_access(mem);
	return ret;
}

void soft_mem_take_back(struct soft_mem *mem)
{
	atomic_dec_return_release(&mem->windows);
}

/*
 * Clears mem->valid unless windows are bound to the region. Returns whether the region was valid,
 * or -EBUSY.
 */
static int mem_clear_valid(struct soft_mem *mem)
{
	bool was_valid;

	/* Only regions with this right can have windows. */
	if (!(mem->access & IB_ACCESS_MW_BIND))
		return xchg(&mem->valid, false);
	if (!mem_close(mem))
		return -EBUSY;
	was_valid = xchg(&mem->valid, false);
	mem_open(mem);
	return was_valid;
}

/*
 * Checks and invalidates the region between mem_hold() and soft_mem_end_access(), as if this were
 * a copy. The PD, the rights and the STag of the region do not change in between, because
 * soft_mem_change() and REG_MR, which change them, wait for copies.
 */
int soft_mem_invalidate(struct soft_mem *mem, const struct ib_pd *pd, u32 stag, bool by_peer)
{
	int ret = 0, was_valid = false;

	mem_hold(mem);
	if (mem->pd != pd)
		ret = -EPERM;
	else if (!mem->fast_reg)
		ret = -EACCES;	/* the owner could not make the region valid again */
	else if (by_peer && !(mem->access & REMOTE_RIGHTS))
		ret = -EACCES;	/* a peer may invalidate only regions that give it a right */
	else if (smp_load_acquire(&mem->valid) && /* pairs with soft_mem_set_valid() */
		 READ_ONCE(mem->stag) == stag)
		was_valid = mem_clear_valid(mem);
	soft_mem_end_access(mem);
	if (was_valid < 0)
		ret = was_valid;

	if (!ret) {
		/* Wait even if the region was not valid: earlier copies may not have ended yet. */
		soft_mem_wait_for_copies(mem);
		if (by_peer && !was_valid)
			ret = -ENOENT;
	}
	return ret;
}

int soft_mem_remove(struct soft_mem *mem)
{
	bool closed;

	local_bh_disable();
	closed = mem_close(mem);
	if (closed) {
		WRITE_ONCE(mem->valid, false);
		mem_open(mem);
		soft_mem_wait_for_copies(mem);
	}
	local_bh_enable();
	if (!closed)
		return -EBUSY;
	xa_erase_bh(&mem->dev->stags, stag_index(mem->stag));
	/*
	 * Free the list of pages now: no copy can begin any more, and streams may keep references
	 * for a long time. Leave the pointer mem->pages as it is: a check in progress that found
	 * NULL would take the region for a DMA region.
	 */
	kvfree(mem->pages);
	soft_mem_put(mem);
	return 0;
}

/*
 * Returns the memory at byte @off of a region that has gaps, and lowers *@contiguous to the number
 * of bytes that are contiguous from there.
 */
static void *mem_gaps_ptr(const struct soft_mem *mem, u64 off, u32 *contiguous)
{
	u32 first = 0, last = mem->num_pages - 1, middle;

	/* Search for the last element that begins at @off or before. */
	while (first < last) {
		middle = first + (last - first + 1) / 2;
		if (mem->pages[2 * middle + 1] <= off)
			first = middle;
		else
			last = middle - 1;
	}
	*contiguous = min_t(u64, *contiguous, soft_gaps_end(mem->pages, first + 1) - off);
	return (void *)(uintptr_t)(mem->pages[2 * first] + (off - mem->pages[2 * first + 1]));
}

void *soft_mem_ptr(const struct soft_mem *mem, u64 addr, u32 *contiguous)
{
	u64 page_size, off, end;
	const u64 *page;

	/* Addresses in a window are those of the region that it is bound to. */
	if (mem->parent)
		mem = mem->parent;
	if (!mem->pages)
		return (void *)(uintptr_t)addr;
	if (mem->has_gaps)
		return mem_gaps_ptr(mem, addr - mem->va, contiguous);

	page_size = 1ULL << mem->page_shift;
	off = addr - mem->va + mem->first_offset;
	page = &mem->pages[off >> mem->page_shift];
	off &= page_size - 1;
	/* Pages that follow each other in memory, as those of a folio do, are one piece. */
	for (end = page_size; end - off < *contiguous && page[1] == page[0] + page_size; page++)
		end += page_size;
	*contiguous = min_t(u64, *contiguous, end - off);
	return (void *)(uintptr_t)(*page + page_size - end + off);
}

int soft_mem_atomic(struct soft_mem *mem, const struct ib_qp *qp, u32 stag, u64 addr,
		    const struct soft_atomic *op, u64 *old)
{
	u32 contiguous = sizeof(u64);
	u64 *word, seen;
	int ret;

	ret = soft_mem_begin_access(mem, stag);
	if (ret)
		return ret;
	ret = soft_mem_check(mem, qp->pd, addr, sizeof(u64), IB_ACCESS_REMOTE_ATOMIC);
	if (!ret && !soft_mem_is_for(mem, qp))
		ret = -EPERM;
	if (ret)
		goto end;
	/* The word is aligned, and so within one page. */
	word = soft_mem_ptr(mem, addr, &contiguous);
	seen = READ_ONCE(*word);
	do {
		*old = seen;
		seen = cmpxchg64(word, *old, soft_atomic_result(op, *old));
	} while (seen != *old);
end:
	soft_mem_end_access(mem);
	return ret;
}
