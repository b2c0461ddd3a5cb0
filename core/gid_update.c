// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * GID tables from their making to their end, and when they are brought up to date: before the
 * device is used, when a network interface or an address changes, and at events of the port.
 */
#include <linux/slab.h>

#include "core/core.h"
#include "core/gid.h"

/* Without memory, a table is tried again after so long. */
#define RETRY_DELAY	HZ

struct workqueue_struct *ib_core_gid_wq;

/* Sets a slot to what the provider says is in it; whether it was something else before. */
static int set_slot(struct ib_core_gids *table, unsigned int index, const union ib_gid *gid,
		    struct net_device *ndev)
{
	struct ib_core_gid *entry = ib_core_gid_at(table, index);
	int ret;

	if (entry && entry->ndev == ndev && !memcmp(&entry->attr.gid, gid, sizeof(*gid)))
		return 0;
	if (!entry && rdma_is_zero_gid(gid))
		return 0;
	if (entry)
		ib_core_gid_del(entry);
	if (rdma_is_zero_gid(gid))
		return 1;
	ret = ib_core_gid_add(table, index, gid, IB_GID_TYPE_IB, ndev);
	return ret ?: 1;
}

static int query_slots(struct ib_core_gids *table, struct net_device *ndev)
{
	struct ib_device *dev = table->dev;
	union ib_gid gid;
	unsigned int i;
	int ret, changed = 0;

	for (i = 0; i < table->len; i++) {
		memset(&gid, 0, sizeof(gid));
		ret = dev->ops.query_gid(dev, table->port, i, &gid);
		if (!ret)
			ret = set_slot(table, i, &gid, ndev);
		if (ret < 0)
			return ret;
		changed |= ret;
	}
	return changed;
}

static int from_provider(struct ib_core_gids *table)
{
	struct net_device *ndev = NULL;
	int ret;

	if (!table->dev->ops.query_gid)
		return 0;
	if (rdma_protocol_iwarp(table->dev, table->port))
		ndev = ib_device_netdev(table->dev, table->port);
	ret = query_slots(table, ndev);
	dev_put(ndev);
	return ret;
}

/* Whether something has changed, or an errno. */
static int update(struct ib_core_gids *table)
{
	lockdep_assert_held(&table->lock);
	if (!table->open)
		return 0;
	return table->from_netdev ? ib_core_gids_from_netdev(table) : from_provider(table);
}

static void gids_dispatch_change(struct ib_core_gids *table)
{
	struct ib_event event = {
		.device = table->dev,
		.element.port_num = table->port,
		.event = IB_EVENT_GID_CHANGE,
	};

	ib_dispatch_event(&event);
}

static void update_work(struct work_struct *work)
{
	struct ib_core_gids *table = container_of(work, struct ib_core_gids, work.work);
	int ret;

	mutex_lock(&table->lock);
	ret = update(table);
	if (ret == -ENOMEM)
		queue_delayed_work(ib_core_gid_wq, &table->work, RETRY_DELAY);
	mutex_unlock(&table->lock);
	if (ret)
		gids_dispatch_change(table);
}

void rdma_roce_rescan_device(struct ib_device *ib_dev)
{
	u32 port;

	rdma_for_each_port(ib_dev, port) {
		ib_core_gids_schedule(ib_dev->port_data[port].gids);
		flush_delayed_work(&ib_dev->port_data[port].gids->work);
	}
}
EXPORT_SYMBOL(rdma_roce_rescan_device);

int ib_core_gids_update(struct ib_device *dev, u32 port)
{
	struct ib_core_gids *table = dev->port_data[port].gids;
	int ret = 0;

	mutex_lock(&table->lock);
	/* Tables filled from a network interface are updated by its notifier. */
	if (!table->from_netdev)
		ret = update(table);
	mutex_unlock(&table->lock);
	return min(ret, 0);
}

static int start(struct ib_core_gids *table)
{
	int ret;

	mutex_lock(&table->lock);
	table->open = true;
	ret = update(table);
	mutex_unlock(&table->lock);
	return min(ret, 0);
}

int ib_core_gids_start(struct ib_device *dev)
{
	u32 port;
	int ret;

	rdma_for_each_port(dev, port) {
		ib_core_gids_register(dev->port_data[port].gids);
		ret = start(dev->port_data[port].gids);
		if (ret)
			return ret;
	}
	return 0;
}

static void close(struct ib_core_gids *table)
{
	ib_core_gids_unregister(table);
	mutex_lock(&table->lock);
	table->open = false;
	mutex_unlock(&table->lock);
	cancel_delayed_work_sync(&table->work);
}

void ib_core_gids_stop(struct ib_device *dev)
{
	u32 port;

	rdma_for_each_port(dev, port)
		close(dev->port_data[port].gids);
	ib_core_gids_empty(dev);
}

static struct ib_core_gids *alloc_table(struct ib_device *dev, u32 port)
{
	int len = max(dev->port_data[port].immutable.gid_tbl_len, 0);
	struct ib_core_gids *table;

	table = kvzalloc(struct_size(table, slots, len), GFP_KERNEL);
	if (!table)
		return NULL;
	table->dev = dev;
	table->port = port;
	table->len = len;
	table->from_netdev = rdma_cap_roce_gid_table(dev, port);
	mutex_init(&table->lock);
	INIT_LIST_HEAD(&table->list);
	INIT_DELAYED_WORK(&table->work, update_work);
	return table;
}

/* No entry refers to a table any more. */
void ib_core_gids_free(struct ib_device *dev)
{
	u32 port;

	rdma_for_each_port(dev, port) {
		kvfree(dev->port_data[port].gids);
		dev->port_data[port].gids = NULL;
	}
}

int ib_core_gids_alloc(struct ib_device *dev)
{
	u32 port;

	rdma_for_each_port(dev, port) {
		dev->port_data[port].gids = alloc_table(dev, port);
		if (!dev->port_data[port].gids)
			return -ENOMEM;
	}
	return 0;
}

int ib_core_gid_init(void)
{
	int ret;

	ib_core_gid_wq = alloc_workqueue("ib_core_gid", WQ_UNBOUND, 0);
	if (!ib_core_gid_wq)
		return -ENOMEM;
	ret = ib_core_gid_notify_init();
	if (ret)
		destroy_workqueue(ib_core_gid_wq);
	return ret;
}

void ib_core_gid_exit(void)
{
	ib_core_gid_notify_exit();
	destroy_workqueue(ib_core_gid_wq);
}
