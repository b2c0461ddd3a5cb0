// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The event ADDR_CHANGE, which is delivered when the link address of a network interface changes,
 * because the administrator sets it or a bond fails over.
 */
#include "cma/netdev.h"

#include <linux/netdevice.h>

#include "cma/addr.h"
#include "cma/cma.h"
#include "cma/device.h"

/*
 * Queues the delivery of ADDR_CHANGE if the link address has changed. Called with cma_device.lock
 * held. Queues nothing in state DESTROYING, because the thread that has set this state may have
 * cancelled the work item already, and will free the identifier.
 */
static void schedule_change(struct cma_id *id, const struct net_device *ndev)
{
	if (!cma_addr_set_link(id, ndev))
		return;
	spin_lock(&id->lock);
	if (id->state != RDMA_CM_DESTROYING)
		queue_work(cma_wq, &id->change);
	spin_unlock(&id->lock);
}

static int netdev_event(struct notifier_block *nb, unsigned long event, void *info)
{
	if (event == NETDEV_CHANGEADDR || event == NETDEV_BONDING_FAILOVER)
		cma_device_walk(netdev_notifier_info_to_dev(info), schedule_change);
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
