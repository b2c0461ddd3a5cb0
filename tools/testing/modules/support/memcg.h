/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the memory cgroup of the process that runs a test is charged for. in_kernel.sh lets the
 * tests' cgroup have the controller.
 */
#ifndef _KRDMA_TESTING_KT_MEMCG_H_
#define _KRDMA_TESTING_KT_MEMCG_H_

#include <linux/memcontrol.h>
#include <linux/sched.h>

#include "ktap.h"

/* Returns the number of bytes that the cgroup is charged for. */
static inline s64 kt_charged(const struct mem_cgroup *memcg)
{
#ifdef CONFIG_MEMCG
	return (s64)page_counter_read((struct page_counter *)&memcg->memory) * PAGE_SIZE;
#else
	return 0;
#endif
}

/*
 * Returns the process's memory cgroup, with a reference. If that is the root, which pays for
 * nothing, skips the test and returns NULL.
 */
static inline struct mem_cgroup *kt_memcg(struct ktap *t)
{
#ifdef CONFIG_MEMCG
	struct mem_cgroup *memcg = get_mem_cgroup_from_mm(current->mm);

	if (memcg && memcg->css.parent)
		return memcg;
	mem_cgroup_put(memcg);
#endif
	ktap_skip(t, "not in a memory cgroup");
	return NULL;
}

#endif /* _KRDMA_TESTING_KT_MEMCG_H_ */
