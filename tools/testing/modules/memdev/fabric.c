// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The fabric: the work item that executes requests, and the ports that messages go to.
 */
#include "../support/support.h"
#include "internal.h"

struct memdev_fabric memdev_fabric = {
	.mutex = __MUTEX_INITIALIZER(memdev_fabric.mutex),
	.lock = __SPIN_LOCK_UNLOCKED(memdev_fabric.lock),
	.devices = LIST_HEAD_INIT(memdev_fabric.devices),
	.runnable = LIST_HEAD_INIT(memdev_fabric.runnable),
	.next_lid = MEMDEV_FIRST_LID,
};

static void run_fabric(struct work_struct *work)
{
	struct memdev_qp *qp;

	do {
		mutex_lock(&memdev_fabric.mutex);
		spin_lock_irq(&memdev_fabric.lock);
		qp = list_first_entry_or_null(&memdev_fabric.runnable, struct memdev_qp, runnable);
		if (qp)
			list_del_init(&qp->runnable);
		spin_unlock_irq(&memdev_fabric.lock);
		if (qp)
			memdev_fabric.run(qp);
		mutex_unlock(&memdev_fabric.mutex);
		cond_resched();
	} while (qp);
}

int memdev_fabric_init(void (*run)(struct memdev_qp *qp))
{
	memdev_fabric.run = run;
	INIT_WORK(&memdev_fabric.work, run_fabric);
	memdev_fabric.wq = alloc_ordered_workqueue("memdev", WQ_MEM_RECLAIM);
	return memdev_fabric.wq ? 0 : -ENOMEM;
}

void memdev_exit(void)
{
	destroy_workqueue(memdev_fabric.wq);
}

u16 memdev_lid(struct ib_device *ibdev, u32 port)
{
	return to_memdev(ibdev)->first_lid + port;
}
EXPORT_SYMBOL(memdev_lid);

void memdev_schedule(struct memdev_qp *qp)
{
	lockdep_assert_held(&memdev_fabric.lock);
	if (qp->waiting || !list_empty(&qp->runnable))
		return;
	list_add_tail(&qp->runnable, &memdev_fabric.runnable);
	queue_work(memdev_fabric.wq, &memdev_fabric.work);
}

void memdev_wait(struct memdev_qp *qp, unsigned long delay)
{
	spin_lock_irq(&memdev_fabric.lock);
	qp->waiting = true;
	spin_unlock_irq(&memdev_fabric.lock);
	if (delay)
		mod_timer(&qp->timer, jiffies + delay);
}

void memdev_timeout(struct timer_list *timer)
{
	struct memdev_qp *qp = timer_container_of(qp, timer, timer);
	unsigned long flags;

	spin_lock_irqsave(&memdev_fabric.lock, flags);
	qp->waiting = false;
	memdev_schedule(qp);
	spin_unlock_irqrestore(&memdev_fabric.lock, flags);
}

void memdev_hold(struct ib_device *ibdev, u32 port, u32 qpn, bool hold)
{
	struct memdev_qp *qp;

	mutex_lock(&memdev_fabric.mutex);
	qp = to_memdev(ibdev)->special[qpn][port];
	spin_lock_irq(&memdev_fabric.lock);
	qp->waiting = hold;
	if (hold)
		list_del_init(&qp->runnable);
	else
		memdev_schedule(qp);
	spin_unlock_irq(&memdev_fabric.lock);
	mutex_unlock(&memdev_fabric.mutex);
}
EXPORT_SYMBOL(memdev_hold);

void memdev_link(struct ib_device *a, u32 port_a, struct ib_device *b, u32 port_b)
{
	struct memdev *from = to_memdev(a), *to = to_memdev(b);

	mutex_lock(&memdev_fabric.mutex);
	from->links[port_a] = to;
	from->link_ports[port_a] = port_b;
	to->links[port_b] = from;
	to->link_ports[port_b] = port_a;
	mutex_unlock(&memdev_fabric.mutex);
}
EXPORT_SYMBOL(memdev_link);

void memdev_lose(bool (*lose)(void *context, const u8 *data, u32 length), void *context)
{
	mutex_lock(&memdev_fabric.mutex);
	memdev_fabric.lose = lose;
	memdev_fabric.lose_context = context;
	mutex_unlock(&memdev_fabric.mutex);
}
EXPORT_SYMBOL(memdev_lose);

static bool leads_to(const struct rdma_ah_attr *ah, struct memdev *dev, u32 port)
{
	struct ib_device *ibdev = &dev->fd->ibdev;
	const struct ib_gid_attr *attr;

	if (rdma_ah_find_type(ibdev, port) != ah->type)
		return false;
	if (ah->type == RDMA_AH_ATTR_TYPE_IB && ah->ib.dlid != memdev_lid(ibdev, port))
		return false;
	if (!(ah->ah_flags & IB_AH_GRH))
		return true;
	attr = rdma_find_gid_by_port(ibdev, &ah->grh.dgid, ah->grh.sgid_attr->gid_type, port,
				     NULL);
	if (IS_ERR(attr))
		return false;
	rdma_put_gid_attr(attr);
	return true;
}

bool memdev_find_port(struct memdev_qp *from, const struct rdma_ah_attr *ah,
		      struct memdev_port *port)
{
	struct memdev *dev = to_memdev(from->ibqp.device);
	u32 num = from->attr.port_num;

	/* Packets to the permissive LID go to the other end of the link, or stay in the port. */
	if (ah->type == RDMA_AH_ATTR_TYPE_IB && ah->ib.dlid == be16_to_cpu(IB_LID_PERMISSIVE)) {
		port->dev = dev->links[num] ?: dev;
		port->num = dev->links[num] ? dev->link_ports[num] : num;
		return true;
	}
	list_for_each_entry(port->dev, &memdev_fabric.devices, entry)
		rdma_for_each_port(&port->dev->fd->ibdev, port->num)
			if (leads_to(ah, port->dev, port->num))
				return true;
	return false;
}

bool memdev_receives(const struct memdev_qp *qp, const struct memdev_port *port)
{
	return qp->ibqp.device == &port->dev->fd->ibdev && qp->attr.port_num == port->num &&
	       qp->attr.qp_state >= IB_QPS_RTR && qp->attr.qp_state <= IB_QPS_SQE;
}

struct memdev_qp *memdev_find_qp(const struct memdev_port *port, u32 qpn)
{
	struct memdev_qp *qp;

	qp = qpn < 2 ? port->dev->special[qpn][port->num] : xa_load(&port->dev->qps, qpn);
	return qp && memdev_receives(qp, port) ? qp : NULL;
}
