// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Counters that QPs are bound to. The lock in a port's struct rdma_port_counter protects the
 * bindings of QPs to the port's counters.
 *
 * A counter is created when its first QP is bound, and destroyed when its last QP is unbound. A
 * reference that a look-up in the resource table has taken keeps the counter alive: the destruction
 * waits, with the port's lock held, until all such references are dropped.
 */
#include <linux/capability.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "core/counters.h"

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

int ib_core_counter_set_auto(struct ib_device *dev, u32 port, u32 mask)
{
	struct rdma_port_counter *pc = port_counter(dev, port);
	int ret = 0;

	if (mask & ~(RDMA_COUNTER_MASK_QP_TYPE | RDMA_COUNTER_MASK_PID))
		return -EINVAL;
	if (!can_count(dev))
		return -EOPNOTSUPP;
	mutex_lock(&pc->lock);
	if (mask && pc->num_counters && (pc->mode.mode != RDMA_COUNTER_MODE_AUTO ||
					 pc->mode.mask != mask)) {
		ret = -EBUSY;
		goto out_unlock;
	}
	if (mask)
		pc->mode.mode = RDMA_COUNTER_MODE_AUTO;
	else if (pc->mode.mode == RDMA_COUNTER_MODE_AUTO)
		pc->mode.mode = pc->num_counters ? RDMA_COUNTER_MODE_MANUAL :
						   RDMA_COUNTER_MODE_NONE;
	pc->mode.mask = mask;
out_unlock:
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

static void free_counter(struct rdma_counter *counter)
{
	if (counter->device->ops.counter_dealloc)
		counter->device->ops.counter_dealloc(counter);
	rdma_free_hw_stats_struct(counter->stats);
	kfree(counter);
}

/* Creates a counter with @qp bound to it. */
static struct rdma_counter *create_counter(struct ib_qp *qp, u32 port)
{
	struct rdma_port_counter *pc = port_counter(qp->device, port);
	const struct ib_device_ops *ops = &qp->device->ops;
	struct rdma_counter *counter;
	int ret;

	lockdep_assert_held(&pc->lock);
	counter = kzalloc(max(ops->size_rdma_counter, sizeof(*counter)), GFP_KERNEL);
	if (!counter)
		return ERR_PTR(-ENOMEM);
	counter->device = qp->device;
	counter->port = port;
	counter->mode = pc->mode;
	counter->mode.param.qp_type = qp->qp_type;
	mutex_init(&counter->lock);
	counter->stats = ops->counter_alloc_stats(counter);
	if (!counter->stats) {
		kfree(counter);
		return ERR_PTR(-ENOMEM);
	}
	ret = counter_add_qp(counter, qp);
	if (ret)
		goto err_free;
	rdma_restrack_new(&counter->res, RDMA_RESTRACK_COUNTER);
	rdma_restrack_parent_name(&counter->res, &qp->res);
	ret = rdma_restrack_add(counter->device, &counter->res);
	if (ret)
		goto err_unbind;
	counter->id = counter->res.id;
	pc->num_counters++;
	return counter;

err_unbind:
	rdma_restrack_del(counter->device, &counter->res);
	WRITE_ONCE(qp->counter, NULL);
	ops->counter_unbind_qp(qp);
err_free:
	free_counter(counter);
	return ERR_PTR(ret);
}

/* Unbinds the QP. Destroys the counter if the QP was the last one bound to it. */
static int counter_del_qp(struct ib_qp *qp)
{
	struct rdma_counter *counter = qp->counter;
	struct rdma_port_counter *pc = port_counter(qp->device, counter->port);
	int ret;

	lockdep_assert_held(&pc->lock);
	ret = qp->device->ops.counter_unbind_qp(qp);
	if (ret)
		return ret;
	WRITE_ONCE(qp->counter, NULL);
	if (--counter->num_qps)
		return 0;
	rdma_restrack_del(counter->device, &counter->res);
	free_counter(counter);
	if (!--pc->num_counters && pc->mode.mode == RDMA_COUNTER_MODE_MANUAL)
		pc->mode.mode = RDMA_COUNTER_MODE_NONE;
	return 0;
}

/*
 * Returns the port's counter with number @id, or NULL. No reference is returned, because the port's
 * lock, which the caller holds, keeps the counter alive.
 */
static struct rdma_counter *find_counter(struct ib_device *dev, u32 port, u32 id)
{
	struct rdma_restrack_entry *res;
	struct rdma_counter *counter;

	lockdep_assert_held(&port_counter(dev, port)->lock);
	res = rdma_restrack_get_byid(dev, RDMA_RESTRACK_COUNTER, id);
	if (IS_ERR(res))
		return NULL;
	counter = container_of(res, struct rdma_counter, res);
	/*
	 * Do not return a counter of another port: the lock of @port, which the caller holds, does
	 * not keep that counter alive.
	 */
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

	lockdep_assert_held(&pc->lock);
	if (qp->counter || pc->mode.mode == RDMA_COUNTER_MODE_AUTO)
		return -EBUSY;
	if (*id) {
		counter = find_counter(qp->device, port, *id);
		return counter ? counter_add_qp(counter, qp) : -ENOENT;
	}
	pc->mode.mode = RDMA_COUNTER_MODE_MANUAL;
	counter = create_counter(qp, port);
	ret = PTR_ERR_OR_ZERO(counter);
	if (!ret)
		*id = counter->id;
	else if (!pc->num_counters)
		pc->mode.mode = RDMA_COUNTER_MODE_NONE;
	return ret;
}

static int unbind_manually(struct ib_qp *qp, u32 port, u32 *id)
{
	struct rdma_port_counter *pc = port_counter(qp->device, port);

	lockdep_assert_held(&pc->lock);
	if (pc->mode.mode == RDMA_COUNTER_MODE_AUTO)
		return -EBUSY;
	if (!qp->counter || qp->counter->port != port || qp->counter->id != *id)
		return -ENOENT;
	return counter_del_qp(qp);
}

/*
 * Returns the QP with number @qpn, with a reference; ERR_PTR(-EOPNOTSUPP): the provider cannot
 * count QPs; ERR_PTR(-ENOENT): no such QP, or the caller lacks CAP_NET_RAW, which is needed for a
 * QP of raw packets; ERR_PTR(-EINVAL): the QP uses another port.
 */
static struct ib_qp *get_qp(struct ib_device *dev, u32 port, u32 qpn)
{
	struct rdma_restrack_entry *res;
	struct ib_qp *qp;
	int ret;

	if (!can_count(dev))
		return ERR_PTR(-EOPNOTSUPP);
	res = rdma_restrack_get_byid(dev, RDMA_RESTRACK_QP, qpn);
	if (IS_ERR(res))
		return ERR_CAST(res);
	qp = container_of(res, struct ib_qp, res);
	if (qp->qp_type == IB_QPT_RAW_PACKET && !capable(CAP_NET_RAW))
		ret = -ENOENT;
	else if (qp->port && qp->port != port)
		ret = -EINVAL;
	else
		return qp;
	rdma_restrack_put(res);
	return ERR_PTR(ret);
}

/* Calls bind_manually() or unbind_manually() for the QP with number @qpn. */
static int change_binding(struct ib_device *dev, u32 port, u32 qpn, u32 *id,
			  int (*change)(struct ib_qp *qp, u32 port, u32 *id))
{
	struct rdma_port_counter *pc = port_counter(dev, port);
	struct ib_qp *qp = get_qp(dev, port, qpn);
	int ret;

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	mutex_lock(&pc->lock);
	ret = change(qp, port, id);
	mutex_unlock(&pc->lock);
	rdma_restrack_put(&qp->res);
	return ret;
}

int ib_core_counter_bind(struct ib_device *dev, u32 port, u32 qpn, u32 *id)
{
	return change_binding(dev, port, qpn, id, bind_manually);
}

int ib_core_counter_unbind(struct ib_device *dev, u32 port, u32 qpn, u32 id)
{
	return change_binding(dev, port, qpn, &id, unbind_manually);
}

/*
 * Returns the counter of @qp's group, or NULL if @qp is the first QP of its group. In automatic
 * mode, the QPs of a group have the same type, or process, or both, as the mode's mask says. All
 * counters of the port were made in this mode and with this mask, because a port with counters
 * neither enters this mode nor gets another mask.
 */
static struct rdma_counter *find_group(const struct ib_qp *qp, u32 port)
{
	struct rdma_port_counter *pc = port_counter(qp->device, port);
	struct rdma_counter *counter, *found = NULL;
	struct rdma_restrack_entry *res;
	u32 mask = pc->mode.mask, id = 0;

	lockdep_assert_held(&pc->lock);
	while (!found && (res = rdma_restrack_get_next(qp->device, RDMA_RESTRACK_COUNTER, &id))) {
		counter = container_of(res, struct rdma_counter, res);
		if (counter->port == port &&
		    (!(mask & RDMA_COUNTER_MASK_QP_TYPE) ||
		     counter->mode.param.qp_type == qp->qp_type) &&
		    (!(mask & RDMA_COUNTER_MASK_PID) || counter->res.task == qp->res.task))
			found = counter;
		rdma_restrack_put(res);
		if (++id == 0)
			break;
	}
	return found;
}

/*
 * Called when the QP becomes ready for use. If the port is in automatic mode and the QP belongs to
 * a process, binds the QP to the counter of its group or, if the QP is the first of its group, to a
 * new counter. A failure is only logged.
 */
void ib_core_counter_bind_auto(struct ib_qp *qp)
{
	struct ib_device *dev = qp->device;
	struct rdma_port_counter *pc;
	struct rdma_counter *counter;
	u32 port = qp->port;
	int ret = 0;

	if (!port && dev->phys_port_cnt == 1)
		port = rdma_start_port(dev);
	if (rdma_is_kernel_res(&qp->res) || !rdma_is_port_valid(dev, port))
		return;
	pc = port_counter(dev, port);
	if (READ_ONCE(pc->mode.mode) != RDMA_COUNTER_MODE_AUTO)
		return;
	mutex_lock(&pc->lock);
	if (!qp->counter && pc->mode.mode == RDMA_COUNTER_MODE_AUTO) {
		counter = find_group(qp, port);
		ret = counter ? counter_add_qp(counter, qp) :
				PTR_ERR_OR_ZERO(create_counter(qp, port));
	}
	mutex_unlock(&pc->lock);
	if (ret)
		ibdev_warn_ratelimited(dev, "QP %u cannot be counted: %d\n", qp->qp_num, ret);
}

/* Unbinds a QP that is being destroyed. Called after the QP has left the resource table. */
void ib_core_counter_unbind_destroyed_qp(struct ib_qp *qp)
{
	struct rdma_port_counter *pc;

	if (!qp->counter)
		return;
	pc = port_counter(qp->device, qp->counter->port);
	mutex_lock(&pc->lock);
	WARN_ON(counter_del_qp(qp));
	mutex_unlock(&pc->lock);
}

int ib_core_counter_read_lock(struct rdma_counter *counter)
{
	int ret;

	mutex_lock(&counter->lock);
	ret = counter->device->ops.counter_update_stats(counter);
	if (ret)
		mutex_unlock(&counter->lock);
	return ret;
}
