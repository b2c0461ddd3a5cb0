// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * CQs that ULPs of a device share: the device has one pool of CQs for each poll context.
 *
 * A ULP takes entries, not a whole CQ, so that several small ULPs share a large CQ. A pool grows by
 * chunks. A chunk has one CQ for each completion vector, but not more CQs than there are online
 * CPUs. A pool that nobody has used for a while is freed as a whole: if CQs were freed one by one,
 * a ULP that asks for a vector whose CQ is gone would get a whole new chunk each time.
 */
#include "verbs/cq_pool.h"
#include "core/registry.h"
#include "verbs/cq.h"
#include "verbs/verbs.h"

/*
 * Number of entries of a CQ in a pool. A CQ has more entries if the ULP for which the pool grows
 * needs more, and fewer if the device does not allow so many.
 */
#define POOL_CQ_SIZE	1024

/* How long unused CQs are kept for the next user, such as a connection that is made again. */
#define POOL_IDLE	HZ

/* Frees the CQs of a list that no other thread can reach. */
static void pool_free_chunk(struct list_head *chunk)
{
	struct ib_cq *cq, *next;

	list_for_each_entry_safe(cq, next, chunk, pool_entry) {
		list_del(&cq->pool_entry);
		cq->shared = false;
		verbs_cq_free_ulp(cq);
	}
}

static bool pool_is_unused(const struct list_head *pool)
{
	const struct ib_cq *cq;

	list_for_each_entry(cq, pool, pool_entry)
		if (cq->cqe_used)
			return false;
	return true;
}

/*
 * Frees all CQs of each pool that has no entry in use. Runs in a work item, because a done()
 * function may give back entries of the CQ for which it was called, and this CQ cannot be freed
 * before done() has returned.
 */
static void pool_free_unused(struct work_struct *work)
{
	LIST_HEAD(unused);
	struct ib_device *dev;
	int i;

	dev = container_of(to_delayed_work(work), struct ib_device, cq_pools_work);
	spin_lock_irq(&dev->cq_pools_lock);
	for (i = 0; i < ARRAY_SIZE(dev->cq_pools); i++)
		if (pool_is_unused(&dev->cq_pools[i]))
			list_splice_tail_init(&dev->cq_pools[i], &unused);
	spin_unlock_irq(&dev->cq_pools_lock);
	pool_free_chunk(&unused);
}

void ib_core_cq_pool_init(struct ib_device *dev)
{
	int i;

	INIT_DELAYED_WORK(&dev->cq_pools_work, pool_free_unused);
	spin_lock_init(&dev->cq_pools_lock);
	for (i = 0; i < ARRAY_SIZE(dev->cq_pools); i++)
		INIT_LIST_HEAD(&dev->cq_pools[i]);
}

/*
 * Called after remove() of the last client, when no ib_cq_pool_get() or ib_cq_pool_put() of the
 * device runs any more.
 */
void ib_core_cq_pool_cleanup(struct ib_device *dev)
{
	struct ib_cq *cq, *next;
	int i;

	cancel_delayed_work_sync(&dev->cq_pools_work);
	for (i = 0; i < ARRAY_SIZE(dev->cq_pools); i++) {
		list_for_each_entry_safe(cq, next, &dev->cq_pools[i], pool_entry)
			if (cq->cqe_used)
				ibdev_err(dev, "%u entries of shared CQ %u were not given back\n",
					  cq->cqe_used, cq->res.id);
		pool_free_chunk(&dev->cq_pools[i]);
	}
}

/* Adds a chunk of CQs, each with room for @nr_cqe entries. */
static int pool_grow(struct ib_device *dev, unsigned int nr_cqe, unsigned int first_vector,
		     enum ib_poll_context poll_ctx)
{
	unsigned int vectors = max(dev->num_comp_vectors, 1);
	unsigned int nr_cqs = min(vectors, num_online_cpus());
	int size = max_t(int, nr_cqe, POOL_CQ_SIZE);
	LIST_HEAD(chunk);
	unsigned long flags;
	struct ib_cq *cq;
	unsigned int i;

	if (verbs_exceeds(size, dev->attrs.max_cqe))
		size = dev->attrs.max_cqe;
	for (i = 0; i < nr_cqs; i++) {
		cq = ib_alloc_cq(dev, NULL, size, (first_vector + i) % vectors, poll_ctx);
		if (IS_ERR(cq)) {
			pool_free_chunk(&chunk);
			return PTR_ERR(cq);
		}
		cq->shared = true;
		list_add_tail(&cq->pool_entry, &chunk);
	}

	spin_lock_irqsave(&dev->cq_pools_lock, flags);
	list_splice_tail(&chunk, &dev->cq_pools[poll_ctx]);
	spin_unlock_irqrestore(&dev->cq_pools_lock, flags);
	return 0;
}

/*
 * Takes @nr_cqe entries of the CQ that has the most free entries, and returns this CQ. Returns NULL
 * if no CQ has @nr_cqe free entries. Considers only CQs with completion vector @vector; if @vector
 * is negative, all CQs of the pool.
 */
static struct ib_cq *pool_take(struct ib_device *dev, unsigned int nr_cqe, int vector,
			       enum ib_poll_context poll_ctx)
{
	struct ib_cq *cq, *best = NULL;
	unsigned int room, most = 0;
	unsigned long flags;

	spin_lock_irqsave(&dev->cq_pools_lock, flags);
	list_for_each_entry(cq, &dev->cq_pools[poll_ctx], pool_entry) {
		if (vector >= 0 && cq->comp_vector != vector)
			continue;
		room = cq->cqe - cq->cqe_used;
		if (room >= nr_cqe && room > most) {
			best = cq;
			most = room;
		}
	}
	if (best)
		best->cqe_used += nr_cqe;
	spin_unlock_irqrestore(&dev->cq_pools_lock, flags);
	return best;
}

struct ib_cq *ib_cq_pool_get(struct ib_device *dev, unsigned int nr_cqe, int comp_vector_hint,
			     enum ib_poll_context poll_ctx)
{
	int vector = comp_vector_hint;
	struct ib_cq *cq;
	int ret;

	might_sleep();
	if ((unsigned int)poll_ctx > IB_POLL_LAST_POOL_TYPE || !nr_cqe || nr_cqe > INT_MAX ||
	    verbs_exceeds(nr_cqe, dev->attrs.max_cqe))
		return ERR_PTR(-EINVAL);
	if (!ib_core_device_usable(dev))
		return ERR_PTR(-ENODEV);
	if (vector >= 0)
		vector %= max(dev->num_comp_vectors, 1);

	/* Other callers may take the new entries first; grow the pool again in that case. */
	while (!(cq = pool_take(dev, nr_cqe, vector, poll_ctx))) {
		ret = pool_grow(dev, nr_cqe, max(vector, 0), poll_ctx);
		if (ret)
			return ERR_PTR(ret);
	}
	return cq;
}
EXPORT_SYMBOL(ib_cq_pool_get);

void ib_cq_pool_put(struct ib_cq *cq, unsigned int nr_cqe)
{
	struct ib_device *dev = cq->device;
	unsigned long flags;

	spin_lock_irqsave(&dev->cq_pools_lock, flags);
	if (!WARN_ON_ONCE(!cq->shared || nr_cqe > cq->cqe_used))
		cq->cqe_used -= nr_cqe;
	if (!cq->cqe_used)
		mod_delayed_work(system_percpu_wq, &dev->cq_pools_work, POOL_IDLE);
	spin_unlock_irqrestore(&dev->cq_pools_lock, flags);
}
EXPORT_SYMBOL(ib_cq_pool_put);
