// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Network interfaces get other link addresses, by hand or when a bond changes over: ADDR_CHANGE.
 */
#include <linux/netdevice.h>

#include "cma/cma.h"

bool cma_netdev_changed(struct cma_id *id, const struct net_device *ndev)
{
	struct rdma_dev_addr *addr = &id->base.route.addr.dev_addr;
	bool changed = memcmp(addr->src_dev_addr, ndev->dev_addr, ndev->addr_len);

	memcpy(addr->src_dev_addr, ndev->dev_addr, ndev->addr_len);
	return changed;
}

void cma_netdev_work(struct work_struct *work)
{
	struct cma_id *id = container_of(work, struct cma_id, change);
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ADDR_CHANGE };
	enum rdma_cm_state state;
	int verdict = 0;

	mutex_lock(&id->handler);
	state = cma_state(id);
	if (state != RDMA_CM_DEVICE_REMOVAL && state != RDMA_CM_DESTROYING)
		verdict = cma_tell(id, &event);
	if (cma_told(id, verdict))
		cma_id_destroy(id);
}

/* Who destroys sets the state first, and takes the work back then. */
static void tell_later(struct cma_id *id, const struct net_device *ndev)
{
	if (!cma_netdev_changed(id, ndev))
		return;
	spin_lock(&id->lock);
	if (id->state != RDMA_CM_DESTROYING)
		queue_work(cma_wq, &id->change);
	spin_unlock(&id->lock);
}

static int netdev_event(struct notifier_block *nb, unsigned long event, void *info)
{
	if (event == NETDEV_CHANGEADDR || event == NETDEV_BONDING_FAILOVER)
		cma_device_walk(netdev_notifier_info_to_dev(info), tell_later);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = netdev_event,
};

int cma_netdev_init(void)
{
	return register_netdevice_notifier(&netdev_notifier);
}

void cma_netdev_exit(void)
{
	unregister_netdevice_notifier(&netdev_notifier);
}
