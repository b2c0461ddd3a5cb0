// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters of QPs: which QP is bound to which counter of its port.
 *
 * A counter comes with its first QP and goes with its last. Those who look at it through the
 * resource table keep it in being, and are waited for under the port's lock.
 */
#include <linux/slab.h>
#include <rdma/rdma_counter.h>

#include "core/core.h"

static struct rdma_port_counter *port_counter(struct ib_device *dev, u32 port)
{
	return &dev->port_data[port].counter;
}

static bool can_count(const struct ib_device *dev)
{
	return dev->ops.counter_bind_qp && dev->ops.counter_unbind_qp &&
	       dev->ops.counter_alloc_stats && dev->ops.counter_update_stats;
}

void ib_core_counter_mode(struct ib_device *dev, u32 port, struct rdma_counter_mode *mode)
{
	struct rdma_port_counter *pc = port_counter(dev, port);

	mutex_lock(&pc->lock);
	*mode = pc->mode;
	mutex_unlock(&pc->lock);
}

static int set_auto(struct rdma_port_counter *pc, enum rdma_nl_counter_mask mask)
{
	lockdep_assert_held(&pc->lock);
	if (mask && pc->num_counters && (pc->mode.mode != RDMA_COUNTER_MODE_AUTO ||
					 pc->mode.mask != mask))
		return -EBUSY;
	if (mask)
		pc->mode.mode = RDMA_COUNTER_MODE_AUTO;
	else if (pc->mode.mode == RDMA_COUNTER_MODE_AUTO)
		pc->mode.mode = pc->num_counters ? RDMA_COUNTER_MODE_MANUAL :
						   RDMA_COUNTER_MODE_NONE;
	pc->mode.mask = mask;
	return 0;
}

int ib_core_counter_set_auto(struct ib_device *dev, u32 port, u32 mask)
{
	struct rdma_port_counter *pc = port_counter(dev, port);
	int ret;

	if (mask & ~(RDMA_COUNTER_MASK_QP_TYPE | RDMA_COUNTER_MASK_PID))
		return -EINVAL;
	if (!can_count(dev))
		return -EOPNOTSUPP;
	mutex_lock(&pc->lock);
	ret = set_auto(pc, mask);
	mutex_unlock(&pc->lock);
	return ret;
}

static int counter_add_qp(struct rdma_counter *counter, struct ib_qp *qp)
{
	int ret;

	lockdep_assert_held(&port_counter(counter->device, counter->port)->lock);
	ret = qp->device->ops.counter_bind_qp(counter, qp);
	if (ret)
		return ret;
	counter->num_qps++;
	WRITE_ONCE(qp->counter, counter);
	return 0;
}

static struct rdma_counter *alloc_counter(struct ib_qp *qp, u32 port)
{
	const struct ib_device_ops *ops = &qp->device->ops;
	struct rdma_counter *counter;

	counter = kzalloc(max(ops->size_rdma_counter, sizeof(*counter)), GFP_KERNEL);
	if (!counter)
		return NULL;
	counter->device = qp->device;
	counter->port = port;
	counter->mode = port_counter(qp->device, port)->mode;
	counter->mode.param.qp_type = qp->qp_type;
	mutex_init(&counter->lock);
	counter->stats = ops->counter_alloc_stats(counter);
	if (counter->stats)
		return counter;
	kfree(counter);
	return NULL;
}

static void free_counter(struct rdma_counter *counter)
{
	if (counter->device->ops.counter_dealloc)
		counter->device->ops.counter_dealloc(counter);
	rdma_free_hw_stats_struct(counter->stats);
	kfree(counter);
}

static int track(struct rdma_counter *counter, const struct ib_qp *qp)
{
	int ret;

	rdma_restrack_new(&counter->res, RDMA_RESTRACK_COUNTER);
	rdma_restrack_parent_name(&counter->res, &qp->res);
	ret = rdma_restrack_add(counter->device, &counter->res);
	if (ret)
		rdma_restrack_del(counter->device, &counter->res);
	else
		counter->id = counter->res.id;
	return ret;
}

static struct rdma_counter *make_counter(struct ib_qp *qp, u32 port)
{
	struct rdma_port_counter *pc = port_counter(qp->device, port);
	struct rdma_counter *counter;
	int ret;

	lockdep_assert_held(&pc->lock);
	counter = alloc_counter(qp, port);
	if (!counter)
		return ERR_PTR(-ENOMEM);
	ret = counter_add_qp(counter, qp);
	if (ret)
		goto err_free;
	ret = track(counter, qp);
	if (ret)
		goto err_unbind;
	pc->num_counters++;
	return counter;

err_unbind:
	WRITE_ONCE(qp->counter, NULL);
	qp->device->ops.counter_unbind_qp(qp);
err_free:
	free_counter(counter);
	return ERR_PTR(ret);
}

static void end_counter(struct rdma_counter *counter)
{
	struct rdma_port_counter *pc = port_counter(counter->device, counter->port);

	lockdep_assert_held(&pc->lock);
	rdma_restrack_del(counter->device, &counter->res);
	free_counter(counter);
	if (!--pc->num_counters && pc->mode.mode == RDMA_COUNTER_MODE_MANUAL)
		pc->mode.mode = RDMA_COUNTER_MODE_NONE;
}

static int counter_del_qp(struct ib_qp *qp)
{
	struct rdma_counter *counter = qp->counter;
	int ret;

	lockdep_assert_held(&port_counter(qp->device, counter->port)->lock);
	ret = qp->device->ops.counter_unbind_qp(qp);
	if (ret)
		return ret;
	WRITE_ONCE(qp->counter, NULL);
	if (!--counter->num_qps)
		end_counter(counter);
	return 0;
}

/* A counter of the port by its number; it stays as long as the port's lock is held. */
static struct rdma_counter *find_counter(struct ib_device *dev, u32 port, u32 id)
{
	struct rdma_restrack_entry *res;
	struct rdma_counter *counter;

	lockdep_assert_held(&port_counter(dev, port)->lock);
	res = rdma_restrack_get_byid(dev, RDMA_RESTRACK_COUNTER, id);
	if (IS_ERR(res))
		return NULL;
	counter = container_of(res, struct rdma_counter, res);
	/* That of another port can go as soon as it is put. */
	if (counter->port != port)
		counter = NULL;
	rdma_restrack_put(res);
	return counter;
}

static int bind_manually(struct ib_qp *qp, u32 port, u32 *id)
{
	struct rdma_port_counter *pc = port_counter(qp->device, port);
	struct rdma_counter *counter;
	int ret;

	if (qp->counter || pc->mode.mode == RDMA_COUNTER_MODE_AUTO)
		return -EBUSY;
	if (*id) {
		counter = find_counter(qp->device, port, *id);
		return counter ? counter_add_qp(counter, qp) : -ENOENT;
	}
	pc->mode.mode = RDMA_COUNTER_MODE_MANUAL;
	counter = make_counter(qp, port);
	ret = PTR_ERR_OR_ZERO(counter);
	if (!ret)
		*id = counter->id;
	else if (!pc->num_counters)
		pc->mode.mode = RDMA_COUNTER_MODE_NONE;
	return ret;
}

static int unbind_manually(struct ib_qp *qp, u32 port, u32 id)
{
	if (port_counter(qp->device, port)->mode.mode == RDMA_COUNTER_MODE_AUTO)
		return -EBUSY;
	if (!qp->counter || qp->counter->port != port || qp->counter->id != id)
		return -ENOENT;
	return counter_del_qp(qp);
}

/* The QP of that number, with a reference, if it can be on the port. */
static struct ib_qp *get_qp(struct ib_device *dev, u32 port, u32 qpn)
{
	struct rdma_restrack_entry *res;
	struct ib_qp *qp;

	if (!can_count(dev))
		return ERR_PTR(-EOPNOTSUPP);
	res = rdma_restrack_get_byid(dev, RDMA_RESTRACK_QP, qpn);
	if (IS_ERR(res))
		return ERR_CAST(res);
	qp = container_of(res, struct ib_qp, res);
	if (!qp->port || qp->port == port)
		return qp;
	rdma_restrack_put(res);
	return ERR_PTR(-EINVAL);
}

int ib_core_counter_bind(struct ib_device *dev, u32 port, u32 qpn, u32 *id)
{
	struct ib_qp *qp = get_qp(dev, port, qpn);
	int ret;

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	mutex_lock(&port_counter(dev, port)->lock);
	ret = bind_manually(qp, port, id);
	mutex_unlock(&port_counter(dev, port)->lock);
	rdma_restrack_put(&qp->res);
	return ret;
}

int ib_core_counter_unbind(struct ib_device *dev, u32 port, u32 qpn, u32 id)
{
	struct ib_qp *qp = get_qp(dev, port, qpn);
	int ret;

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	mutex_lock(&port_counter(dev, port)->lock);
	ret = unbind_manually(qp, port, id);
	mutex_unlock(&port_counter(dev, port)->lock);
	rdma_restrack_put(&qp->res);
	return ret;
}

static bool belongs_to(const struct ib_qp *qp, const struct rdma_counter *counter,
		       const struct rdma_port_counter *pc)
{
	if (counter->mode.mode != RDMA_COUNTER_MODE_AUTO || counter->mode.mask != pc->mode.mask)
		return false;
	if ((pc->mode.mask & RDMA_COUNTER_MASK_QP_TYPE) &&
	    counter->mode.param.qp_type != qp->qp_type)
		return false;
	return !(pc->mode.mask & RDMA_COUNTER_MASK_PID) || counter->res.task == qp->res.task;
}

/* The counter of the QP's group, NULL if it is the first of it. */
static struct rdma_counter *find_group(const struct ib_qp *qp, u32 port)
{
	struct rdma_port_counter *pc = port_counter(qp->device, port);
	struct rdma_counter *counter, *found = NULL;
	struct rdma_restrack_entry *res;
	u32 id = 0;

	lockdep_assert_held(&pc->lock);
	while (!found && (res = rdma_restrack_get_next(qp->device, RDMA_RESTRACK_COUNTER, &id))) {
		counter = container_of(res, struct rdma_counter, res);
		if (counter->port == port && belongs_to(qp, counter, pc))
			found = counter;
		rdma_restrack_put(res);
		if (++id == 0)
			break;
	}
	return found;
}

static int bind_to_group(struct ib_qp *qp, u32 port)
{
	struct rdma_counter *counter;

	if (qp->counter || port_counter(qp->device, port)->mode.mode != RDMA_COUNTER_MODE_AUTO)
		return 0;
	counter = find_group(qp, port);
	if (counter)
		return counter_add_qp(counter, qp);
	return PTR_ERR_OR_ZERO(make_counter(qp, port));
}

/* A QP has become ready for use: those of processes are counted if that is wanted. */
void ib_core_counter_bind_auto(struct ib_qp *qp)
{
	struct ib_device *dev = qp->device;
	struct rdma_port_counter *pc;
	u32 port = qp->port;
	int ret;

	if (!port && dev->phys_port_cnt == 1)
		port = rdma_start_port(dev);
	if (rdma_is_kernel_res(&qp->res) || !rdma_is_port_valid(dev, port))
		return;
	pc = port_counter(dev, port);
	if (READ_ONCE(pc->mode.mode) != RDMA_COUNTER_MODE_AUTO)
		return;
	mutex_lock(&pc->lock);
	ret = bind_to_group(qp, port);
	mutex_unlock(&pc->lock);
	if (ret)
		ibdev_warn_ratelimited(dev, "QP %u cannot be counted: %d\n", qp->qp_num, ret);
}

/* The QP is being destroyed, and nobody finds it any more. */
void ib_core_counter_forget_qp(struct ib_qp *qp)
{
	struct rdma_port_counter *pc;

	if (!qp->counter)
		return;
	pc = port_counter(qp->device, qp->counter->port);
	mutex_lock(&pc->lock);
	WARN_ON(counter_del_qp(qp));
	mutex_unlock(&pc->lock);
}

int ib_core_counter_read(struct rdma_counter *counter)
{
	int ret;

	mutex_lock(&counter->lock);
	ret = counter->device->ops.counter_update_stats(counter);
	if (ret)
		mutex_unlock(&counter->lock);
	return ret;
}
