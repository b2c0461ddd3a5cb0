// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The GIDs of a RoCE port, which follow from the port's network interface.
 *
 * An update does not depend on what has changed or in which order: the update lists the wanted GIDs
 * afresh, deletes the entries that are not wanted, and adds the missing ones. Events therefore
 * carry no data, and one update may serve several events.
 */
#include "core/gid.h"

#include <linux/inetdevice.h>
#include <linux/slab.h>
#include <net/addrconf.h>
#include <net/bonding.h>
#include <net/if_inet6.h>
#include <rdma/ib_cache.h>

/* A GID that the table should have, with one entry for each GID type of the port. */
struct wanted_gid {
	struct list_head	list;
	union ib_gid		gid;
	struct net_device	*ndev;
	netdevice_tracker	tracker;
	bool			is_default;
};

static struct wanted_gid *find_wanted(struct list_head *all, const union ib_gid *gid,
				      const struct net_device *ndev)
{
	struct wanted_gid *wanted;

	list_for_each_entry(wanted, all, list)
		if (wanted->ndev == ndev && !memcmp(&wanted->gid, gid, sizeof(*gid)))
			return wanted;
	return NULL;
}

/*
 * Adds a GID to the list, unless the list already has that GID of that interface. The default GID,
 * for example, is often found again among the interface's addresses, as a link-local address.
 */
static int collect_gid(struct list_head *all, const union ib_gid *gid, struct net_device *ndev,
		       bool is_default)
{
	struct wanted_gid *wanted;

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

static int collect_addresses(struct list_head *all, struct net_device *ndev)
{
	const struct inet6_ifaddr *ifa6;
	const struct in_ifaddr *ifa4;
	struct inet6_dev *in6;
	struct in_device *in4;
	union ib_gid gid;
	int ret = 0;

	if (READ_ONCE(ndev->reg_state) != NETREG_REGISTERED)
		return 0;
	in4 = __in_dev_get_rcu(ndev);
	if (in4) {
		in_dev_for_each_ifa_rcu(ifa4, in4) {
			ipv6_addr_set_v4mapped(ifa4->ifa_local, (struct in6_addr *)&gid);
			ret = collect_gid(all, &gid, ndev, false);
			if (ret)
				return ret;
		}
	}
	in6 = __in6_dev_get(ndev);
	if (!in6)
		return 0;
	read_lock_bh(&in6->lock);
	list_for_each_entry(ifa6, &in6->addr_list, if_list) {
		memcpy(&gid, &ifa6->addr, sizeof(gid));
		ret = collect_gid(all, &gid, ndev, false);
		if (ret)
			break;
	}
	read_unlock_bh(&in6->lock);
	return ret;
}

/*
 * Returns whether @upper is a bond that uses one interface at a time, and at present uses an
 * interface other than @ndev.
 */
static bool is_idle_below(struct net_device *ndev, struct net_device *upper)
{
	struct bonding *bond;

	if (!netif_is_bond_master(upper))
		return false;
	bond = netdev_priv(upper);
	return bond_uses_primary(bond) && bond_option_active_slave_get_rcu(bond) != ndev;
}

/*
 * Collects the addresses of all interfaces above @ndev. Calls itself for each of them. The depth is
 * limited, because the network stack limits how many interfaces are stacked on each other.
 */
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
	union ib_gid gid = { .global.subnet_prefix = cpu_to_be64(0xfe80ULL << 48) };
	struct net_device *master;
	int ret = 0;

	rcu_read_lock();
	master = netdev_master_upper_dev_get_rcu(ndev);
	/* The default GID is the link-local address that is derived from the MAC address. */
	if ((!master || !is_idle_below(ndev, master)) && ndev->addr_len == ETH_ALEN &&
	    is_valid_ether_addr(ndev->dev_addr)) {
		addrconf_addr_eui48(&gid.raw[8], ndev->dev_addr);
		ret = collect_gid(all, &gid, ndev, true);
	}
	if (!ret)
		ret = collect_addresses(all, ndev);
	if (!ret)
		ret = collect_uppers(all, ndev);
	rcu_read_unlock();
	return ret;
}

/*
 * The GID types of the port. The default GID of the port has one entry of each type; these entries
 * have the first slots of the table, in the order of @type.
 */
struct gid_types {
	enum ib_gid_type	type[2];
	unsigned int		count;
};

/*
 * Deletes the entries that are not wanted. Slots below @defaults are for default GIDs only. Returns
 * whether an entry was deleted.
 */
static bool gids_del_unwanted(struct ib_core_gids *table, struct list_head *all,
			      unsigned int defaults)
{
	bool changed = false;
	unsigned int i;

	for (i = 0; i < table->len; i++) {
		struct ib_core_gid *entry = ib_core_gid_at(table, i);
		bool is_default = i < defaults;
		struct wanted_gid *wanted;

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

/*
 * Adds an entry in the first empty slot from @first to @end - 1, unless some slot of the table
 * already has an entry with the same GID, type and interface. If the table has no room for some
 * GIDs, an update logs only the first of them. Returns 1 if an entry was added, 0 if none was or if
 * the provider refused it, or -ENOMEM.
 */
static int gids_add_wanted(struct ib_core_gids *table, const struct wanted_gid *wanted,
			   enum ib_gid_type type, unsigned int first, unsigned int end)
{
	unsigned int index;
	int ret;

	for (index = 0; index < table->len; index++) {
		struct ib_core_gid *entry = ib_core_gid_at(table, index);

		if (entry && entry->live && entry->ndev == wanted->ndev &&
		    entry->attr.gid_type == type &&
		    !memcmp(&entry->attr.gid, &wanted->gid, sizeof(wanted->gid)))
			return 0;
	}
	end = min(end, table->len);
	for (index = first; index < end; index++)
		if (!ib_core_gid_at(table, index))
			break;
	if (index >= end) {
		if (!table->overflowed)
			ibdev_warn_ratelimited(table->dev,
					       "port %u has no room for GID %pI6c of %s\n",
					       table->port, &wanted->gid,
					       netdev_name(wanted->ndev));
		table->overflowed = true;
		return 0;
	}
	ret = ib_core_gid_add(table, index, &wanted->gid, type, wanted->ndev);
	if (!ret)
		return 1;
	ibdev_err_ratelimited(table->dev, "port %u does not take GID %pI6c of %s: %d\n",
			      table->port, &wanted->gid, netdev_name(wanted->ndev), ret);
	return ret == -ENOMEM ? ret : 0;
}

/* Adds all entries that can be added. Returns 1 if there was one, 0 if not, or -ENOMEM. */
static int gids_add_all(struct ib_core_gids *table, struct list_head *all,
			const struct gid_types *types)
{
	int ret, changed = 0, failed = 0;
	struct wanted_gid *wanted;
	unsigned int i;

	list_for_each_entry(wanted, all, list)
		for (i = 0; i < types->count; i++) {
			ret = wanted->is_default ?
			      gids_add_wanted(table, wanted, types->type[i], i, i + 1) :
			      gids_add_wanted(table, wanted, types->type[i], types->count,
					      table->len);
			if (ret < 0)
				failed = ret;
			else
				changed |= ret;
		}
	return failed ?: changed;
}

int ib_core_gids_from_netdev(struct ib_core_gids *table)
{
	struct net_device *ndev = ib_device_get_netdev(table->dev, table->port);
	unsigned long mask = roce_gid_type_mask_support(table->dev, table->port);
	struct wanted_gid *wanted, *next;
	struct gid_types types = {};
	bool changed = false;
	LIST_HEAD(all);
	unsigned int i;
	int ret = 0;

	lockdep_assert_held(&table->lock);
	for_each_set_bit(i, &mask, IB_GID_TYPE_ROCE_UDP_ENCAP + 1)
		types.type[types.count++] = (enum ib_gid_type)i;
	if (ndev)
		ret = collect_all(&all, ndev);
	if (ret)
		goto out_free;
	table->overflowed = false;
	changed = gids_del_unwanted(table, &all, types.count);
	ret = gids_add_all(table, &all, &types);
out_free:
	list_for_each_entry_safe(wanted, next, &all, list) {
		netdev_put(wanted->ndev, &wanted->tracker);
		kfree(wanted);
	}
	dev_put(ndev);
	return ret ?: changed;
}
