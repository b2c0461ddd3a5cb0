// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Notifiers of network interfaces and addresses. They run under RTNL or in softirq, and only
 * schedule updates of the tables that may be affected.
 */
#include "core/gid.h"

#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>

/* Protects registered_tables. Taken in process context, also under RTNL, and in softirq. */
static DEFINE_SPINLOCK(registered_lock);
static LIST_HEAD(registered_tables);

void ib_core_gids_register(struct ib_core_gids *table)
{
	spin_lock_bh(&registered_lock);
	list_add_tail(&table->list, &registered_tables);
	spin_unlock_bh(&registered_lock);
}

void ib_core_gids_unregister(struct ib_core_gids *table)
{
	spin_lock_bh(&registered_lock);
	list_del_init(&table->list);
	spin_unlock_bh(&registered_lock);
}

void ib_core_gids_netdev_set(struct ib_device *dev)
{
	struct ib_core_gids *table;

	spin_lock_bh(&registered_lock);
	list_for_each_entry(table, &registered_tables, list)
		if (table->dev == dev)
			ib_core_gids_schedule(table);
	spin_unlock_bh(&registered_lock);
}

/*
 * Schedules updates of the registered tables that are filled from interfaces. If @unregistering is
 * true, an interface is being unregistered: schedules updates of all registered tables, because an
 * entry of any table may hold a reference to the interface.
 */
static void gids_schedule_all(bool unregistering)
{
	struct ib_core_gids *table;

	spin_lock_bh(&registered_lock);
	list_for_each_entry(table, &registered_tables, list)
		if (unregistering || table->from_netdev)
			ib_core_gids_schedule(table);
	spin_unlock_bh(&registered_lock);
}

static int gid_netdev_event(struct notifier_block *nb, unsigned long event, void *info)
{
	switch (event) {
	case NETDEV_UNREGISTER:
		gids_schedule_all(true);
		break;
	case NETDEV_REGISTER:
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGEADDR:
	case NETDEV_CHANGEUPPER:
	case NETDEV_CHANGELOWERSTATE:
	case NETDEV_BONDING_FAILOVER:
		gids_schedule_all(false);
		break;
	}
	return NOTIFY_DONE;
}

static int address_event(struct notifier_block *nb, unsigned long event, void *info)
{
	gids_schedule_all(false);
	return NOTIFY_DONE;
}

static struct notifier_block gid_netdev_notifier = {
	.notifier_call = gid_netdev_event,
};

static struct notifier_block ipv4_notifier = {
	.notifier_call = address_event,
};

static struct notifier_block ipv6_notifier = {
	.notifier_call = address_event,
};

int ib_core_gid_notify_init(void)
{
	int ret;

	ret = register_netdevice_notifier(&gid_netdev_notifier);
	if (ret)
		return ret;
	ret = register_inetaddr_notifier(&ipv4_notifier);
	if (ret)
		goto out_netdev;
	ret = register_inet6addr_notifier(&ipv6_notifier);
	if (ret)
		goto out_ipv4;
	return 0;

out_ipv4:
	unregister_inetaddr_notifier(&ipv4_notifier);
out_netdev:
	unregister_netdevice_notifier(&gid_netdev_notifier);
	return ret;
}

void ib_core_gid_notify_exit(void)
{
	unregister_inet6addr_notifier(&ipv6_notifier);
	unregister_inetaddr_notifier(&ipv4_notifier);
	unregister_netdevice_notifier(&gid_netdev_notifier);
}
