// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Which GIDs a RoCE port should have, by its network interface, and how its table gets there.
 *
 * Nothing here depends on what has changed or in which order: the wanted GIDs are listed afresh,
 * what is not wanted leaves the table, and what is missing enters it. So events need not be
 * remembered, and one may stand for many.
 */
#include <linux/inetdevice.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/bonding.h>
#include <net/if_inet6.h>

#include "core/core.h"
#include "core/gid.h"

/* A GID that the table should have, once for each type of the port. */
struct wanted {
	struct list_head	list;
	union ib_gid		gid;
	struct net_device	*ndev;
	netdevice_tracker	tracker;
	bool			is_default;
};

static struct wanted *find_wanted(struct list_head *all, const union ib_gid *gid,
				  const struct net_device *ndev)
{
	struct wanted *wanted;

	list_for_each_entry(wanted, all, list)
		if (wanted->ndev == ndev && !memcmp(&wanted->gid, gid, sizeof(*gid)))
			return wanted;
	return NULL;
}

/* The one who comes first stays: a default GID is also its interface's link-local address. */
static int collect(struct list_head *all, const union ib_gid *gid, struct net_device *ndev,
		   bool is_default)
{
	struct wanted *wanted;

	if (find_wanted(all, gid, ndev))
		return 0;
	wanted = kzalloc(sizeof(*wanted), GFP_ATOMIC);
	if (!wanted)
		return -ENOMEM;
	wanted->gid = *gid;
	wanted->ndev = ndev;
	wanted->is_default = is_default;
	netdev_hold(ndev, &wanted->tracker, GFP_ATOMIC);
	list_add_tail(&wanted->list, all);
	return 0;
}

static void free_wanted(struct list_head *all)
{
	struct wanted *wanted, *next;

	list_for_each_entry_safe(wanted, next, all, list) {
		netdev_put(wanted->ndev, &wanted->tracker);
		kfree(wanted);
	}
}

static int collect_default(struct list_head *all, struct net_device *ndev)
{
	union ib_gid gid = { .global.subnet_prefix = cpu_to_be64(0xfe80ULL << 48) };

	if (ndev->addr_len != ETH_ALEN || !is_valid_ether_addr(ndev->dev_addr))
		return 0;
	addrconf_addr_eui48(&gid.raw[8], ndev->dev_addr);
	return collect(all, &gid, ndev, true);
}

static int collect_ipv4(struct list_head *all, struct net_device *ndev)
{
	struct in_device *in = __in_dev_get_rcu(ndev);
	const struct in_ifaddr *ifa;
	union ib_gid gid;
	int ret = 0;

	if (!in)
		return 0;
	in_dev_for_each_ifa_rcu(ifa, in) {
		ipv6_addr_set_v4mapped(ifa->ifa_local, (struct in6_addr *)&gid);
		ret = collect(all, &gid, ndev, false);
		if (ret)
			break;
	}
	return ret;
}

static int collect_ipv6(struct list_head *all, struct net_device *ndev)
{
	struct inet6_dev *in6 = __in6_dev_get(ndev);
	const struct inet6_ifaddr *ifa;
	union ib_gid gid;
	int ret = 0;

	if (!in6)
		return 0;
	read_lock_bh(&in6->lock);
	list_for_each_entry(ifa, &in6->addr_list, if_list) {
		memcpy(&gid, &ifa->addr, sizeof(gid));
		ret = collect(all, &gid, ndev, false);
		if (ret)
			break;
	}
	read_unlock_bh(&in6->lock);
	return ret;
}

static int collect_addresses(struct list_head *all, struct net_device *ndev)
{
	int ret;

	if (READ_ONCE(ndev->reg_state) != NETREG_REGISTERED)
		return 0;
	ret = collect_ipv4(all, ndev);
	return ret ?: collect_ipv6(all, ndev);
}

/* Of the interfaces below such a bond only one carries its traffic, and this is another one. */
static bool is_idle_below(struct net_device *ndev, struct net_device *upper)
{
	struct bonding *bond;

	if (!netif_is_bond_master(upper))
		return false;
	bond = netdev_priv(upper);
	return bond_uses_primary(bond) && bond_option_active_slave_get_rcu(bond) != ndev;
}

static bool is_idle(struct net_device *ndev)
{
	struct net_device *master = netdev_master_upper_dev_get_rcu(ndev);

	return master && is_idle_below(ndev, master);
}

/* The network stack bounds how deep interfaces are stacked, and with it the recursion. */
static int collect_uppers(struct list_head *all, struct net_device *ndev)
{
	struct net_device *upper;
	struct list_head *iter;
	int ret;

	netdev_for_each_upper_dev_rcu(ndev, upper, iter) {
		if (is_idle_below(ndev, upper))
			continue;
		ret = collect_addresses(all, upper);
		if (!ret)
			ret = collect_uppers(all, upper);
		if (ret)
			return ret;
	}
	return 0;
}

static int collect_all(struct list_head *all, struct net_device *ndev)
{
	int ret = 0;

	rcu_read_lock();
	if (!is_idle(ndev))
		ret = collect_default(all, ndev);
	if (!ret)
		ret = collect_addresses(all, ndev);
	if (!ret)
		ret = collect_uppers(all, ndev);
	rcu_read_unlock();
	return ret;
}

/* The types of the port's GIDs; default GIDs come first in the table, in this order. */
struct types {
	enum ib_gid_type	type[2];
	unsigned int		count;
};

static struct types types_of(const struct ib_core_gids *table)
{
	struct types types = {};

	if (rdma_protocol_roce_eth_encap(table->dev, table->port))
		types.type[types.count++] = IB_GID_TYPE_ROCE;
	if (rdma_protocol_roce_udp_encap(table->dev, table->port))
		types.type[types.count++] = IB_GID_TYPE_ROCE_UDP_ENCAP;
	return types;
}

static bool remove_others(struct ib_core_gids *table, struct list_head *all, unsigned int defaults)
{
	bool changed = false;
	unsigned int i;

	for (i = 0; i < table->len; i++) {
		struct ib_core_gid *entry = ib_core_gid_at(table, i);
		bool is_default = i < defaults;
		struct wanted *wanted;

		if (!entry || !entry->live)
			continue;
		wanted = find_wanted(all, &entry->attr.gid, entry->ndev);
		if (wanted && wanted->is_default == is_default)
			continue;
		ib_core_gid_del(entry);
		changed = true;
	}
	return changed;
}

static bool has(struct ib_core_gids *table, const struct wanted *wanted, enum ib_gid_type type)
{
	unsigned int i;

	for (i = 0; i < table->len; i++) {
		struct ib_core_gid *entry = ib_core_gid_at(table, i);

		if (entry && entry->live && entry->ndev == wanted->ndev &&
		    entry->attr.gid_type == type &&
		    !memcmp(&entry->attr.gid, &wanted->gid, sizeof(wanted->gid)))
			return true;
	}
	return false;
}

/* An empty slot from @first up to, not including, @end; @end if there is none. */
static unsigned int empty_slot(struct ib_core_gids *table, unsigned int first, unsigned int end)
{
	unsigned int i;

	for (i = first; i < end; i++)
		if (!ib_core_gid_at(table, i))
			break;
	return i;
}

static void report_overflow(struct ib_core_gids *table, const struct wanted *wanted)
{
	if (!table->overflowed)
		ibdev_warn_ratelimited(table->dev, "port %u has no room for GID %pI6c of %s\n",
				       table->port, &wanted->gid, netdev_name(wanted->ndev));
	table->overflowed = true;
}

static bool add_one(struct ib_core_gids *table, const struct wanted *wanted, enum ib_gid_type type,
		    unsigned int first, unsigned int end)
{
	unsigned int index = empty_slot(table, first, min(end, table->len));
	int ret;

	if (index >= min(end, table->len)) {
		report_overflow(table, wanted);
		return false;
	}
	ret = ib_core_gid_add(table, index, &wanted->gid, type, wanted->ndev);
	if (ret)
		ibdev_err_ratelimited(table->dev, "port %u does not take GID %pI6c of %s: %d\n",
				      table->port, &wanted->gid, netdev_name(wanted->ndev), ret);
	return !ret;
}

static bool add_missing(struct ib_core_gids *table, struct list_head *all,
			const struct types *types)
{
	struct wanted *wanted;
	bool changed = false;
	unsigned int i;

	list_for_each_entry(wanted, all, list)
		for (i = 0; i < types->count; i++) {
			if (has(table, wanted, types->type[i]))
				continue;
			if (wanted->is_default)
				changed |= add_one(table, wanted, types->type[i], i, i + 1);
			else
				changed |= add_one(table, wanted, types->type[i], types->count,
						   table->len);
		}
	return changed;
}

int ib_core_gids_from_netdev(struct ib_core_gids *table)
{
	struct net_device *ndev = ib_device_netdev(table->dev, table->port);
	struct types types = types_of(table);
	bool changed = false;
	LIST_HEAD(all);
	int ret = 0;

	lockdep_assert_held(&table->lock);
	if (ndev)
		ret = collect_all(&all, ndev);
	if (!ret) {
		table->overflowed = false;
		changed = remove_others(table, &all, types.count);
		changed |= add_missing(table, &all, &types);
	}
	free_wanted(&all);
	dev_put(ndev);
	return ret ?: changed;
}
