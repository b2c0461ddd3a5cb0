// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The cached attributes of a port: P_Keys, LMC, state. The core asks the provider for them before
 * the device has users, and again at each event of the port, before the event's handlers run.
 * Readers need no lock, because each cached value is read and written as a whole and depends on no
 * other.
 */
#include "core/port_cache.h"

#include <linux/slab.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_verbs.h>

#include "core/event.h"
#include "core/gid.h"

/* Bit of a P_Key: set for a full member of the partition, clear for a limited member. */
#define PKEY_FULL	0x8000

static int num_pkeys(struct ib_device *dev, u32 port)
{
	return dev->port_data[port].immutable.pkey_tbl_len;
}

int ib_query_pkey(struct ib_device *device, u32 port_num, u16 index, u16 *pkey)
{
	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	return device->ops.query_pkey ?
	       device->ops.query_pkey(device, port_num, index, pkey) : -EOPNOTSUPP;
}
EXPORT_SYMBOL(ib_query_pkey);

typedef int read_pkey_fn(struct ib_device *dev, u32 port, u16 index, u16 *pkey);

/*
 * Finds the index of the first P_Key of full membership in the partition of @wanted or, if there is
 * none, of the first P_Key of limited membership. The membership bit of @wanted is ignored. Returns
 * 0; -ENOENT: no such P_Key; or an error of @read.
 */
static int find_partition(struct ib_device *dev, u32 port, u16 wanted, u16 *index,
			  read_pkey_fn *read)
{
	int ret, i, limited = -1;
	u16 pkey;

	for (i = 0; i < num_pkeys(dev, port); i++) {
		ret = read(dev, port, i, &pkey);
		if (ret)
			return ret;
		if ((pkey ^ wanted) & ~PKEY_FULL)
			continue;
		if (pkey & PKEY_FULL) {
			*index = i;
			return 0;
		}
		if (limited < 0)
			limited = i;
	}
	if (limited < 0)
		return -ENOENT;
	*index = limited;
	return 0;
}

int ib_find_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index)
{
	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	if (!device->ops.query_pkey)
		return -EOPNOTSUPP;
	return find_partition(device, port_num, pkey, index, ib_query_pkey);
}
EXPORT_SYMBOL(ib_find_pkey);

static int read_cached_pkey(struct ib_device *dev, u32 port, u16 index, u16 *pkey)
{
	*pkey = READ_ONCE(dev->port_data[port].pkeys[index]);
	return 0;
}

int ib_get_cached_pkey(struct ib_device *device, u32 port_num, int index, u16 *pkey)
{
	if (!rdma_is_port_valid(device, port_num) || index < 0 ||
	    index >= num_pkeys(device, port_num))
		return -EINVAL;
	return read_cached_pkey(device, port_num, index, pkey);
}
EXPORT_SYMBOL(ib_get_cached_pkey);

int ib_find_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index)
{
	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	return find_partition(device, port_num, pkey, index, read_cached_pkey);
}
EXPORT_SYMBOL(ib_find_cached_pkey);

int ib_find_exact_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index)
{
	int i;

	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	for (i = 0; i < num_pkeys(device, port_num); i++) {
		if (READ_ONCE(device->port_data[port_num].pkeys[i]) == pkey) {
			*index = i;
			return 0;
		}
	}
	return -ENOENT;
}
EXPORT_SYMBOL(ib_find_exact_cached_pkey);

int ib_get_cached_lmc(struct ib_device *device, u32 port_num, u8 *lmc)
{
	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	*lmc = READ_ONCE(device->port_data[port_num].lmc);
	return 0;
}
EXPORT_SYMBOL(ib_get_cached_lmc);

int ib_get_cached_port_state(struct ib_device *device, u32 port_num,
			     enum ib_port_state *port_active)
{
	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	*port_active = READ_ONCE(device->port_data[port_num].state);
	return 0;
}
EXPORT_SYMBOL(ib_get_cached_port_state);

/* Reads all attributes but the GIDs. On error, the P_Keys not read yet keep their values. */
static int read_port(struct ib_device *dev, u32 port)
{
	struct ib_port_data *data = &dev->port_data[port];
	struct ib_port_attr attr;
	int ret, i;
	u16 pkey;

	if (ib_query_port(dev, port, &attr)) {
		/* The query fails, for example, when the port's interface is gone. */
		WRITE_ONCE(data->state, IB_PORT_DOWN);
	} else {
		WRITE_ONCE(data->state, attr.state);
		WRITE_ONCE(data->lmc, attr.lmc);
	}
	if (!dev->ops.query_pkey)
		return 0;
	for (i = 0; i < num_pkeys(dev, port); i++) {
		ret = dev->ops.query_pkey(dev, port, i, &pkey);
		if (ret)
			return ret;
		WRITE_ONCE(data->pkeys[i], pkey);
	}
	return 0;
}

/*
 * Returns whether the event names a port, and is of a type after which cached attributes of the
 * port are read again.
 */
static bool changes_port(const struct ib_event *event)
{
	switch (event->event) {
	case IB_EVENT_CLIENT_REREGISTER:
	case IB_EVENT_GID_CHANGE:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_PKEY_CHANGE:
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_SM_CHANGE:
		return rdma_is_port_valid(event->device, event->element.port_num);
	default:
		return false;
	}
}

static void refill(struct ib_device *dev, u32 port)
{
	int ret;

	ret = read_port(dev, port);
	ret = ret ?: ib_core_gids_update(dev, port);
	if (ret)
		ibdev_err_ratelimited(dev, "port %u: cannot read GIDs or P_Keys: error %d\n", port,
				      ret);
}

static void port_event(const struct ib_event *event)
{
	if (changes_port(event))
		refill(event->device, event->element.port_num);
}

static void port_event_lost(const struct ib_event *event)
{
	if (changes_port(event))
		atomic_set(&event->device->port_data[event->element.port_num].stale, 1);
}

static void renew_stale_ports(struct ib_device *dev)
{
	u32 port;

	rdma_for_each_port(dev, port)
		if (atomic_xchg(&dev->port_data[port].stale, 0))
			refill(dev, port);
}

const struct ib_core_event_cache ib_core_port_cache = {
	.event	= port_event,
	.lost	= port_event_lost,
	.renew	= renew_stale_ports,
};

int ib_core_port_cache_start(struct ib_device *dev)
{
	u32 port;
	int ret;

	ret = ib_core_gids_start(dev);
	if (ret)
		return ret;
	rdma_for_each_port(dev, port) {
		ret = read_port(dev, port);
		if (ret)
			return ret;
	}
	return 0;
}

void ib_core_port_cache_stop(struct ib_device *dev)
{
	ib_core_gids_stop(dev);
}

void ib_core_port_cache_free(struct ib_device *dev)
{
	u32 port;

	if (!dev->port_data)
		return;
	ib_core_gids_free(dev);
	rdma_for_each_port(dev, port) {
		kfree(dev->port_data[port].pkeys);
		dev->port_data[port].pkeys = NULL;
	}
}

int ib_core_port_cache_alloc(struct ib_device *dev)
{
	u32 port;

	ib_core_port_cache_free(dev);
	rdma_for_each_port(dev, port) {
		if (num_pkeys(dev, port) <= 0)
			continue;
		dev->port_data[port].pkeys = kcalloc(num_pkeys(dev, port), sizeof(u16),
						     GFP_KERNEL_ACCOUNT);
		if (!dev->port_data[port].pkeys)
			return -ENOMEM;
	}
	return ib_core_gids_alloc(dev);
}
