// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What is remembered of a port: P_Keys, LMC, state. Read before the device is used, and again at
 * each event of the port before anybody else hears of it. Each value stands for itself, so that
 * readers need no lock.
 */
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "core/core.h"

/* The upper bit: full member of the partition. */
#define PKEY_FULL	0x8000

static bool same_partition(u16 a, u16 b)
{
	return !((a ^ b) & ~PKEY_FULL);
}

static int pkeys(struct ib_device *dev, u32 port)
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

typedef int read_fn(struct ib_device *dev, u32 port, u16 index, u16 *pkey);

/* Where the port is a full member, else where it is a limited one. */
static int find_partition(struct ib_device *dev, u32 port, u16 wanted, u16 *index, read_fn *read)
{
	int ret, i, limited = -1;
	u16 pkey;

	for (i = 0; i < pkeys(dev, port); i++) {
		ret = read(dev, port, i, &pkey);
		if (ret)
			return ret;
		if (!same_partition(pkey, wanted))
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

static int read_cached(struct ib_device *dev, u32 port, u16 index, u16 *pkey)
{
	*pkey = READ_ONCE(dev->port_data[port].pkeys[index]);
	return 0;
}

int ib_get_cached_pkey(struct ib_device *device, u32 port_num, int index, u16 *pkey)
{
	if (!rdma_is_port_valid(device, port_num) || index < 0 || index >= pkeys(device, port_num))
		return -EINVAL;
	return read_cached(device, port_num, index, pkey);
}
EXPORT_SYMBOL(ib_get_cached_pkey);

int ib_find_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index)
{
	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	return find_partition(device, port_num, pkey, index, read_cached);
}
EXPORT_SYMBOL(ib_find_cached_pkey);

int ib_find_exact_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index)
{
	u16 seen;
	int i;

	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	for (i = 0; i < pkeys(device, port_num); i++) {
		read_cached(device, port_num, i, &seen);
		if (seen == pkey) {
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

/* A port of which the provider knows nothing, because its interface has gone, is down. */
static void read_attr(struct ib_device *dev, u32 port)
{
	struct ib_port_data *data = &dev->port_data[port];
	struct ib_port_attr attr;

	if (ib_query_port(dev, port, &attr)) {
		WRITE_ONCE(data->state, IB_PORT_DOWN);
		return;
	}
	WRITE_ONCE(data->state, attr.state);
	WRITE_ONCE(data->lmc, attr.lmc);
}

static int read_pkeys(struct ib_device *dev, u32 port)
{
	struct ib_port_data *data = &dev->port_data[port];
	int ret, i;
	u16 pkey;

	if (!dev->ops.query_pkey)
		return 0;
	for (i = 0; i < pkeys(dev, port); i++) {
		ret = dev->ops.query_pkey(dev, port, i, &pkey);
		if (ret)
			return ret;
		WRITE_ONCE(data->pkeys[i], pkey);
	}
	return 0;
}

/* All that is remembered but for the GIDs. */
static int read_port(struct ib_device *dev, u32 port)
{
	read_attr(dev, port);
	return read_pkeys(dev, port);
}

static bool is_of_port(enum ib_event_type event)
{
	switch (event) {
	case IB_EVENT_CLIENT_REREGISTER:
	case IB_EVENT_GID_CHANGE:
	case IB_EVENT_LID_CHANGE:
	case IB_EVENT_PKEY_CHANGE:
	case IB_EVENT_PORT_ACTIVE:
	case IB_EVENT_PORT_ERR:
	case IB_EVENT_SM_CHANGE:
		return true;
	default:
		return false;
	}
}

/* What cannot be read stays as it was. */
void ib_core_port_cache_event(const struct ib_event *event)
{
	struct ib_device *dev = event->device;
	u32 port = event->element.port_num;
	int ret;

	if (!is_of_port(event->event) || !rdma_is_port_valid(dev, port))
		return;
	ret = read_port(dev, port);
	ret = ret ?: ib_core_gids_update(dev, port);
	if (ret)
		ibdev_err_ratelimited(dev, "port %u does not tell its GIDs or P_Keys: %d\n", port,
				      ret);
}

/* Before anybody uses the device. */
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

/* With the ports' fixed data; what an earlier attempt to register has left goes. */
int ib_core_port_cache_alloc(struct ib_device *dev)
{
	u32 port;

	ib_core_port_cache_free(dev);
	rdma_for_each_port(dev, port) {
		if (pkeys(dev, port) <= 0)
			continue;
		dev->port_data[port].pkeys = kcalloc(pkeys(dev, port), sizeof(u16), GFP_KERNEL);
		if (!dev->port_data[port].pkeys)
			return -ENOMEM;
	}
	return ib_core_gids_alloc(dev);
}
