// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the offsets at which a process can map a provider's memory.
 */
#include "kt_umem.h"

#include <linux/slab.h>

/* A context as ib_uverbs makes it for a process, and the number of entries that were freed. */
struct env {
	struct fakedev *fd;
	struct ib_ucontext ucontext;
};

static atomic_t freed;

static void count_free(struct rdma_user_mmap_entry *entry)
{
	kfree(entry);
	atomic_inc(&freed);
}

static bool start_mmap(struct ktap *t, struct env *env)
{
	static const struct ib_device_ops more_ops = { .mmap_free = count_free };
	const struct fakedev_config config = { .more_ops = &more_ops };

	env->fd = fakedev_create(&config);
	if (!KT_EXPECT_ERR(t, env->fd, 0))
		return false;
	memset(&env->ucontext, 0, sizeof(env->ucontext));
	env->ucontext.device = &env->fd->ibdev;
	mutex_init(&env->ucontext.mmap_lock);
	xa_init_flags(&env->ucontext.mmap_entries, XA_FLAGS_ACCOUNT);
	atomic_set(&freed, 0);
	return true;
}

/* Removes the entries, as ib_uverbs does at the end of a context. Expects @nr entries. */
static void end_mmap(struct ktap *t, struct env *env, int nr)
{
	struct rdma_user_mmap_entry *entry;
	unsigned long index;

	xa_for_each(&env->ucontext.mmap_entries, index, entry)
		rdma_user_mmap_entry_remove(entry);
	KT_EXPECT_EQ(t, atomic_read(&freed), nr);
	xa_destroy(&env->ucontext.mmap_entries);
	mutex_destroy(&env->ucontext.mmap_lock);
	fakedev_destroy(env->fd);
}

static struct rdma_user_mmap_entry *new_entry(void)
{
	return kzalloc(sizeof(struct rdma_user_mmap_entry), GFP_KERNEL);
}

/* Inserts an entry into a range; returns its first offset, or a negative errno. */
static long insert_range(struct env *env, size_t pages, u32 min, u32 max)
{
	struct rdma_user_mmap_entry *entry = new_entry();
	int ret;

	if (!entry)
		return -ENOSPC;
	ret = rdma_user_mmap_entry_insert_range(&env->ucontext, entry, pages << PAGE_SHIFT, min,
						max);
	if (!ret)
		return entry->start_pgoff;
	kfree(entry);
	return ret;
}

static long insert_exact(struct env *env, size_t length, u32 pgoff)
{
	struct rdma_user_mmap_entry *entry = new_entry();
	int ret;

	if (!entry)
		return -ENOSPC;
	ret = rdma_user_mmap_entry_insert_exact(&env->ucontext, entry, length, pgoff);
	if (!ret)
		return entry->start_pgoff;
	kfree(entry);
	return ret;
}

static void remove_at(struct ktap *t, struct env *env, unsigned long pgoff)
{
	struct rdma_user_mmap_entry *entry;

	entry = rdma_user_mmap_entry_get_pgoff(&env->ucontext, pgoff);
	if (!KT_EXPECT(t, entry))
		return;
	KT_EXPECT_EQ(t, rdma_user_mmap_get_offset(entry), (u64)pgoff << PAGE_SHIFT);
	rdma_user_mmap_entry_remove(entry);
	KT_EXPECT(t, !rdma_user_mmap_entry_get_pgoff(&env->ucontext, pgoff));
	/* A second removal does not drop our reference. */
	rdma_user_mmap_entry_remove(entry);
	KT_EXPECT_EQ(t, kref_read(&entry->ref), 1);
	rdma_user_mmap_entry_put(entry);
}

static void test_range(struct ktap *t)
{
	struct env env;

	if (!start_mmap(t, &env))
		return;
	KT_EXPECT_EQ(t, insert_range(&env, 2, 10, 19), 10);
	KT_EXPECT_EQ(t, insert_range(&env, 3, 10, 19), 12);
	KT_EXPECT_EQ(t, insert_range(&env, 5, 10, 19), 15);
	KT_EXPECT_EQ(t, insert_range(&env, 1, 10, 19), -ENOMEM);
	KT_EXPECT_EQ(t, insert_range(&env, 1, 0, 19), 0);
	/* A gap is used again by what fits into it. */
	remove_at(t, &env, 12);
	KT_EXPECT_EQ(t, insert_range(&env, 4, 10, 19), -ENOMEM);
	KT_EXPECT_EQ(t, insert_range(&env, 2, 10, 19), 12);
	KT_EXPECT_EQ(t, insert_range(&env, 1, 11, 19), 14);
	/* A range may end between the offsets of an entry, or be too short, or the highest. */
	KT_EXPECT_EQ(t, insert_range(&env, 2, 20, 20), -ENOMEM);
	KT_EXPECT_EQ(t, insert_range(&env, 1, 30, 29), -ENOMEM);
	KT_EXPECT_EQ(t, insert_range(&env, 2, U32_MAX - 1, U32_MAX), U32_MAX - 1);
	KT_EXPECT_EQ(t, insert_range(&env, 1, U32_MAX - 1, U32_MAX), -ENOMEM);
	KT_EXPECT_EQ(t, insert_range(&env, 0, 0, U32_MAX), -EINVAL);
	end_mmap(t, &env, 7);
}

static void test_exact(struct ktap *t)
{
	struct env env;

	if (!start_mmap(t, &env))
		return;
	KT_EXPECT_EQ(t, insert_exact(&env, 1, 0), 0);
	KT_EXPECT_EQ(t, insert_exact(&env, PAGE_SIZE, 0), -ENOMEM);
	KT_EXPECT_EQ(t, insert_exact(&env, 2 * PAGE_SIZE, 5), 5);
	KT_EXPECT_EQ(t, insert_exact(&env, PAGE_SIZE, 6), -ENOMEM);
	KT_EXPECT_EQ(t, insert_exact(&env, 2 * PAGE_SIZE, 4), -ENOMEM);
	KT_EXPECT_EQ(t, insert_exact(&env, PAGE_SIZE + 1, 7), 7);
	KT_EXPECT_EQ(t, insert_exact(&env, PAGE_SIZE, 8), -ENOMEM);
	KT_EXPECT_EQ(t, insert_exact(&env, PAGE_SIZE, U32_MAX), U32_MAX);
	KT_EXPECT_EQ(t, insert_exact(&env, 2 * PAGE_SIZE, U32_MAX), -ENOMEM);
	KT_EXPECT_EQ(t, insert_exact(&env, 0, 9), -EINVAL);
	KT_EXPECT(t, !rdma_user_mmap_entry_get_pgoff(&env.ucontext, 6));
	end_mmap(t, &env, 4);
}

/* Entries whose offset ib_uverbs chooses do not overlap those of a range. */
static void test_mixed(struct ktap *t)
{
	struct rdma_user_mmap_entry *entry[2] = { new_entry(), new_entry() };
	struct env env;
	long next;

	if (!KT_EXPECT(t, entry[0] && entry[1]) || !start_mmap(t, &env)) {
		kfree(entry[0]);
		kfree(entry[1]);
		return;
	}
	KT_EXPECT_EQ(t, rdma_user_mmap_entry_insert(&env.ucontext, entry[0], 0), -EINVAL);
	KT_EXPECT_EQ(t, rdma_user_mmap_entry_insert(&env.ucontext, entry[0], 3 * PAGE_SIZE), 0);
	next = entry[0]->start_pgoff + 3;
	KT_EXPECT(t, next > 3);
	KT_EXPECT_EQ(t, insert_range(&env, 1, next - 1, U32_MAX), next);
	KT_EXPECT_EQ(t, insert_exact(&env, PAGE_SIZE, next - 2), -ENOMEM);
	KT_EXPECT_EQ(t, rdma_user_mmap_entry_insert(&env.ucontext, entry[1], 2 * PAGE_SIZE), 0);
	KT_EXPECT(t, entry[1]->start_pgoff > next || entry[1]->start_pgoff + 2 <= next - 3);
	KT_EXPECT_EQ(t, insert_exact(&env, PAGE_SIZE, entry[1]->start_pgoff + 1), -ENOMEM);
	end_mmap(t, &env, 3);
}

/* Inserts an entry at an offset that ib_uverbs chooses, which is returned; 0: that failed. */
static unsigned long insert(struct ktap *t, struct env *env, u64 pages)
{
	struct rdma_user_mmap_entry *entry = new_entry();

	if (!KT_EXPECT(t, entry))
		return 0;
	if (!rdma_user_mmap_entry_insert(&env->ucontext, entry, pages << PAGE_SHIFT))
		return entry->start_pgoff;
	kfree(entry);
	return 0;
}

/*
 * When the offsets that no context has had are used up, free ones of the context are used, and none
 * is beyond what mmap() can be given. This case comes last: the offsets stay used up.
 */
static void test_used_up(struct ktap *t)
{
	const u64 last = S64_MAX >> PAGE_SHIFT;
	unsigned long pgoff, before;
	struct env env;
	int i;

	/* With 32 bits, one entry cannot use up the offsets. */
	if (BITS_PER_LONG == 32 || !start_mmap(t, &env))
		return;
	before = insert(t, &env, 1);
	KT_EXPECT(t, before);
	pgoff = insert(t, &env, last - before - 10);
	KT_EXPECT(t, pgoff > before);
	remove_at(t, &env, pgoff);
	for (i = 0; i < 8; i++) {
		pgoff = insert(t, &env, 3);
		KT_EXPECT(t, pgoff >= 0x1000 && pgoff <= last - 2);
		KT_EXPECT(t, pgoff + 2 < before || pgoff > before);
	}
	end_mmap(t, &env, 10);
}

static const struct ktap_case mmap_cases[] = {
	{ "offsets in a range", test_range },
	{ "an exact offset", test_exact },
	{ "offsets of both kinds in one context", test_mixed },
	{ "offsets are used up", test_used_up },
};

KTAP_SUITE(kt_mmap_entry_suite, "mmap_entry", mmap_cases);
