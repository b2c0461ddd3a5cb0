// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Allocation, start, stop and freeing of GID tables, and their updates. A table is updated before
 * the device has users, when a network interface or an address changes, and at events of the port.
 */
#include "core/gid.h"

#include <linux/slab.h>

/* Delay before an update that failed for want of memory is repeated. */
#define RETRY_DELAY	HZ

struct workqueue_struct *ib_core_gid_wq;

/*
 * Sets a slot to the GID that the provider has reported for it; a GID of zeroes stands for an empty
 * slot. Returns 1 if the slot has changed, 0 if not, or an errno.
 */
static int gid_set_slot(struct ib_core_gids *table, unsigned int index, const union ib_gid *gid,
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

static int gids_from_provider(struct ib_core_gids *table)
{
	struct ib_device *dev = table->dev;
	struct net_device *ndev = NULL;
	int ret = 0, changed = 0;
	union ib_gid gid;
	unsigned int i;

	lockdep_assert_held(&table->lock);
	if (!dev->ops.query_gid)
		return 0;
	if (rdma_protocol_iwarp(dev, table->port))
		ndev = ib_device_get_netdev(dev, table->port);
	for (i = 0; i < table->len; i++) {
		memset(&gid, 0, sizeof(gid));
		ret = dev->ops.query_gid(dev, table->port, i, &gid);
		if (!ret)
			ret = gid_set_slot(table, i, &gid, ndev);
		if (ret < 0)
			break;
		changed |= ret;
	}
	dev_put(ndev);
	return ret < 0 ? ret : changed;
}

/* Returns 1 if an entry was added or deleted, 0 if none was, or an errno. */
static int gids_update_locked(struct ib_core_gids *table)
{
	lockdep_assert_held(&table->lock);
	if (!table->open)
		return 0;
	return table->from_netdev ? ib_core_gids_from_netdev(table) :
				    gids_from_provider(table);
}

static void gids_update_work(struct work_struct *work)
{
	struct ib_core_gids *table = container_of(work, struct ib_core_gids, work.work);
	struct ib_event event = {
		.device = table->dev,
		.element.port_num = table->port,
		.event = IB_EVENT_GID_CHANGE,
	};
	int ret;

	mutex_lock(&table->lock);
	ret = gids_update_locked(table);
	if (ret == -ENOMEM)
		queue_delayed_work(ib_core_gid_wq, &table->work, RETRY_DELAY);
	mutex_unlock(&table->lock);
	/* Dispatch the event after an error, too: entries may have changed before the error. */
	if (ret)
		ib_dispatch_event(&event);
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
	/* A table filled from a network interface is updated by the notifiers. */
	if (!table->from_netdev)
		ret = gids_update_locked(table);
	mutex_unlock(&table->lock);
	return min(ret, 0);
}

int ib_core_gids_start(struct ib_device *dev)
{
	struct ib_core_gids *table;
	u32 port;
	int ret;

	rdma_for_each_port(dev, port) {
		table = dev->port_data[port].gids;
		ib_core_gids_register(table);
		mutex_lock(&table->lock);
		table->open = true;
		ret = gids_update_locked(table);
		mutex_unlock(&table->lock);
		if (ret < 0)
			return ret;
	}
	return 0;
}

void ib_core_gids_stop(struct ib_device *dev)
{
	struct ib_core_gids *table;
	u32 port;

	rdma_for_each_port(dev, port) {
		table = dev->port_data[port].gids;
		ib_core_gids_unregister(table);
		mutex_lock(&table->lock);
		table->open = false;
		mutex_unlock(&table->lock);
		cancel_delayed_work_sync(&table->work);
	}
	ib_core_gids_empty(dev);
}

/*
 * Called when a device is freed, or when a failed registration is tried again. In both cases no
 * entry refers to a table: each entry holds a reference to the device, so all entries are gone when
 * the device is freed; if a registration is tried again, no entry was ever added.
 */
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
	struct ib_core_gids *table;
	u32 port;
	int len;

	rdma_for_each_port(dev, port) {
		len = max(dev->port_data[port].immutable.gid_tbl_len, 0);
		table = kvzalloc(struct_size(table, slots, len), GFP_KERNEL_ACCOUNT);
		if (!table)
			return -ENOMEM;
		table->dev = dev;
		table->port = port;
		table->len = len;
		table->from_netdev = rdma_protocol_roce(dev, port);
		mutex_init(&table->lock);
		INIT_LIST_HEAD(&table->list);
		INIT_DELAYED_WORK(&table->work, gids_update_work);
		dev->port_data[port].gids = table;
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
