// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Entries of GID tables: references, additions, deletions and look-ups.
 *
 * Look-ups read the slots under RCU, and take a reference to an entry that is live. An entry is
 * deleted in stages. First the entry loses its live flag and its network interface, so that it gets
 * no new users. After a grace period the interface is released and the table's reference to the
 * entry is dropped, whether or not the entry still has users. When the last reference is dropped, a
 * work item calls the provider's del_gid(), and frees the slot and the memory.
 */
#include "core/gid.h"

#include <linux/if_vlan.h>
#include <linux/slab.h>

/*
 * Calls the provider's del_gid() for the entry, if the provider has that method, and empties the
 * entry's slot. Called when the last reference is dropped, or by ib_core_gids_empty() for an entry
 * to which a user has leaked a reference.
 */
static void gid_free_slot(struct ib_core_gid *entry)
{
	struct ib_core_gids *table = entry->table;

	lockdep_assert_held(&table->lock);
	if (rdma_cap_roce_gid_table(table->dev, table->port))
		table->dev->ops.del_gid(&entry->attr, &entry->context);
	RCU_INIT_POINTER(table->slots[entry->attr.index], NULL);
}

static void gid_release_work(struct work_struct *work)
{
	struct ib_core_gid *entry = container_of(work, struct ib_core_gid, release);
	struct ib_core_gids *table = entry->table;
	struct ib_device *dev = table->dev;

	mutex_lock(&table->lock);
	/*
	 * The slot is already empty or reused in two cases: the provider fills the table, or
	 * ib_core_gids_empty() has given the entry up as leaked.
	 */
	if (ib_core_gid_at(table, entry->attr.index) == entry) {
		gid_free_slot(entry);
		if (table->open && table->overflowed)
			ib_core_gids_schedule(table);
	}
	mutex_unlock(&table->lock);
	kfree_rcu(entry, rcu);
	put_device(&dev->dev);
}

static void gid_release(struct kref *refs)
{
	queue_work(ib_core_gid_wq, &container_of(refs, struct ib_core_gid, refs)->release);
}

void rdma_hold_gid_attr(const struct ib_gid_attr *attr)
{
	kref_get(&to_gid(attr)->refs);
}
EXPORT_SYMBOL(rdma_hold_gid_attr);

void rdma_put_gid_attr(const struct ib_gid_attr *attr)
{
	kref_put(&to_gid(attr)->refs, gid_release);
}
EXPORT_SYMBOL(rdma_put_gid_attr);

int ib_core_gid_add(struct ib_core_gids *table, unsigned int index, const union ib_gid *gid,
		    enum ib_gid_type type, struct net_device *ndev)
{
	struct ib_core_gid *entry;
	int ret = 0;

	lockdep_assert_held(&table->lock);
	entry = kzalloc(sizeof(*entry), GFP_KERNEL_ACCOUNT);
	if (!entry)
		return -ENOMEM;
	entry->attr.device = table->dev;
	entry->attr.port_num = table->port;
	entry->attr.index = index;
	entry->attr.gid = *gid;
	entry->attr.gid_type = type;
	entry->table = table;
	kref_init(&entry->refs);
	INIT_WORK(&entry->release, gid_release_work);
	entry->ndev = ndev;
	netdev_hold(ndev, &entry->ndev_tracker, GFP_KERNEL);
	RCU_INIT_POINTER(entry->attr.ndev, ndev);
	if (rdma_cap_roce_gid_table(table->dev, table->port))
		ret = table->dev->ops.add_gid(&entry->attr, &entry->context);
	if (ret) {
		netdev_put(ndev, &entry->ndev_tracker);
		kfree(entry);
		return ret;
	}
	get_device(&table->dev->dev);
	entry->live = true;
	rcu_assign_pointer(table->slots[index], entry);
	return 0;
}

static void gid_del_rcu(struct rcu_head *rcu)
{
	struct ib_core_gid *entry = container_of(rcu, struct ib_core_gid, rcu);

	netdev_put(entry->ndev, &entry->ndev_tracker);
	kref_put(&entry->refs, gid_release);
}

void ib_core_gid_del(struct ib_core_gid *entry)
{
	struct ib_core_gids *table = entry->table;

	lockdep_assert_held(&table->lock);
	WRITE_ONCE(entry->live, false);
	RCU_INIT_POINTER(entry->attr.ndev, NULL);
	/*
	 * In a table that the provider fills, the slot becomes empty at once, because the provider
	 * may already report another GID for it.
	 */
	if (!table->from_netdev)
		RCU_INIT_POINTER(table->slots[entry->attr.index], NULL);
	call_rcu(&entry->rcu, gid_del_rcu);
}

void ib_core_gids_empty(struct ib_device *dev)
{
	struct ib_core_gids *table;
	struct ib_core_gid *entry;
	unsigned int i;
	u32 port;

	rdma_for_each_port(dev, port) {
		table = dev->port_data[port].gids;
		mutex_lock(&table->lock);
		for (i = 0; i < table->len; i++) {
			entry = ib_core_gid_at(table, i);
			if (entry && entry->live)
				ib_core_gid_del(entry);
		}
		mutex_unlock(&table->lock);
	}
	rcu_barrier();
	flush_workqueue(ib_core_gid_wq);
	/*
	 * A user has leaked a reference to each entry that still has a slot. Empty the slot; the
	 * entry's memory is kept until that reference is dropped.
	 */
	rdma_for_each_port(dev, port) {
		table = dev->port_data[port].gids;
		mutex_lock(&table->lock);
		for (i = 0; i < table->len; i++) {
			entry = ib_core_gid_at(table, i);
			if (!entry)
				continue;
			ibdev_warn(dev, "a reference to GID %u of port %u leaked\n", i, port);
			gid_free_slot(entry);
		}
		mutex_unlock(&table->lock);
	}
}

static struct ib_core_gids *gids_of_port(struct ib_device *dev, u32 port)
{
	return rdma_is_port_valid(dev, port) ? dev->port_data[port].gids : NULL;
}

/* Returns the live entry in a slot, or NULL. Called with the RCU read lock held. */
static struct ib_core_gid *gid_peek(struct ib_core_gids *table, unsigned int index)
{
	struct ib_core_gid *entry = rcu_dereference(table->slots[index]);

	return entry && READ_ONCE(entry->live) ? entry : NULL;
}

/*
 * Returns the live entry at an index of the port's table, or an ERR_PTR: -EINVAL if the table has
 * no such slot; -ENODATA if the slot has no live entry. Called with the RCU read lock held.
 */
static struct ib_core_gid *gid_peek_at(struct ib_device *dev, u32 port, unsigned int index)
{
	struct ib_core_gids *table = gids_of_port(dev, port);

	if (!table || index >= table->len)
		return ERR_PTR(-EINVAL);
	return gid_peek(table, index) ?: ERR_PTR(-ENODATA);
}

int __ib_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid,
		   struct ib_gid_attr *attr)
{
	struct ib_core_gid *entry;
	int ret;

	rcu_read_lock();
	entry = gid_peek_at(device, port_num, index);
	ret = PTR_ERR_OR_ZERO(entry);
	if (!ret)
		*gid = entry->attr.gid;
	if (!ret && attr) {
		struct net_device *ndev = rcu_dereference(entry->attr.ndev);

		*attr = entry->attr;
		dev_hold(ndev);
		RCU_INIT_POINTER(attr->ndev, ndev);
	}
	rcu_read_unlock();
	return ret == -ENODATA ? -ENOENT : ret;
}
EXPORT_SYMBOL(__ib_query_gid);

int rdma_query_gid(struct ib_device *device, u32 port_num, int index, union ib_gid *gid)
{
	return __ib_query_gid(device, port_num, index, gid, NULL);
}
EXPORT_SYMBOL(rdma_query_gid);

const struct ib_gid_attr *rdma_get_gid_attr(struct ib_device *device, u32 port_num, int index)
{
	struct ib_core_gid *entry;

	rcu_read_lock();
	entry = gid_peek_at(device, port_num, index);
	if (!IS_ERR(entry) && !kref_get_unless_zero(&entry->refs))
		entry = ERR_PTR(-ENODATA);
	rcu_read_unlock();
	return IS_ERR(entry) ? ERR_CAST(entry) : &entry->attr;
}
EXPORT_SYMBOL(rdma_get_gid_attr);

typedef bool filter_fn(const union ib_gid *gid, const struct ib_gid_attr *attr, void *context);

/* Returns the first entry that has the GID and passes the filter, with a reference; or NULL. */
static struct ib_core_gid *gid_find(struct ib_core_gids *table, const union ib_gid *gid,
				    filter_fn *filter, void *context)
{
	struct ib_core_gid *entry;
	unsigned int i;

	rcu_read_lock();
	for (i = 0; i < table->len; i++) {
		entry = gid_peek(table, i);
		if (entry && !memcmp(&entry->attr.gid, gid, sizeof(*gid)) &&
		    filter(gid, &entry->attr, context) && kref_get_unless_zero(&entry->refs))
			break;
	}
	rcu_read_unlock();
	return i < table->len ? entry : NULL;
}

/*
 * Context of gid_matches(): the GID type and, unless @ndev is NULL, the network interface to look
 * for.
 */
struct gid_match {
	enum ib_gid_type	type;
	struct net_device	*ndev;
};

static bool gid_matches(const union ib_gid *gid, const struct ib_gid_attr *attr, void *context)
{
	struct gid_match *match = context;

	return attr->gid_type == match->type &&
	       (!match->ndev || rcu_access_pointer(attr->ndev) == match->ndev);
}

static bool gid_matches_any(const union ib_gid *gid, const struct ib_gid_attr *attr, void *context)
{
	return true;
}

/* Calls gid_find() for the table of each port, until an entry is found. */
static struct ib_core_gid *gid_find_any_port(struct ib_device *dev, const union ib_gid *gid,
					     filter_fn *filter, void *context)
{
	struct ib_core_gid *entry;
	u32 port;

	rdma_for_each_port(dev, port) {
		entry = gid_find(dev->port_data[port].gids, gid, filter, context);
		if (entry)
			return entry;
	}
	return NULL;
}

const struct ib_gid_attr *rdma_find_gid(struct ib_device *device, const union ib_gid *gid,
					enum ib_gid_type gid_type, struct net_device *ndev)
{
	struct gid_match match = { gid_type, ndev };
	struct ib_core_gid *entry = gid_find_any_port(device, gid, gid_matches, &match);

	return entry ? &entry->attr : ERR_PTR(-ENOENT);
}
EXPORT_SYMBOL(rdma_find_gid);

const struct ib_gid_attr *
rdma_find_gid_by_filter(struct ib_device *device, const union ib_gid *gid, u32 port_num,
			bool (*filter)(const union ib_gid *gid, const struct ib_gid_attr *attr,
				       void *context),
			void *context)
{
	struct ib_core_gids *table = gids_of_port(device, port_num);
	struct ib_core_gid *entry;

	if (!table)
		return ERR_PTR(-EINVAL);
	entry = gid_find(table, gid, filter, context);
	return entry ? &entry->attr : ERR_PTR(-ENOENT);
}
EXPORT_SYMBOL(rdma_find_gid_by_filter);

const struct ib_gid_attr *rdma_find_gid_by_port(struct ib_device *ib_dev, const union ib_gid *gid,
						enum ib_gid_type gid_type, u32 port,
						struct net_device *ndev)
{
	struct gid_match match = { gid_type, ndev };

	return rdma_find_gid_by_filter(ib_dev, gid, port, gid_matches, &match);
}
EXPORT_SYMBOL(rdma_find_gid_by_port);

int ib_find_gid(struct ib_device *device, union ib_gid *gid, u32 *port_num, u16 *index)
{
	struct ib_core_gid *entry = gid_find_any_port(device, gid, gid_matches_any, NULL);

	if (!entry)
		return -ENOENT;
	*port_num = entry->attr.port_num;
	if (index)
		*index = entry->attr.index;
	rdma_put_gid_attr(&entry->attr);
	return 0;
}
EXPORT_SYMBOL(ib_find_gid);

struct net_device *rdma_read_gid_attr_ndev_rcu(const struct ib_gid_attr *attr)
{
	struct net_device *ndev = rcu_dereference(attr->ndev);

	return ndev && ndev->flags & IFF_UP ? ndev : ERR_PTR(-ENODEV);
}
EXPORT_SYMBOL(rdma_read_gid_attr_ndev_rcu);

static int get_vlan_id(struct net_device *lower, struct netdev_nested_priv *priv)
{
	if (!is_vlan_dev(lower))
		return 0;
	*(u16 *)priv->data = vlan_dev_vlan_id(lower);
	return 1;
}

int rdma_read_gid_l2_fields(const struct ib_gid_attr *attr, u16 *vlan_id, u8 *smac)
{
	struct netdev_nested_priv priv = { .data = vlan_id };
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rcu_dereference(attr->ndev);
	if (ndev && smac)
		ether_addr_copy(smac, ndev->dev_addr);
	if (ndev && vlan_id) {
		*vlan_id = 0xffff;
		/*
		 * A macvlan or a bridge has no VLAN of its own, but may be on top of a VLAN
		 * interface.
		 */
		if (!get_vlan_id(ndev, &priv))
			netdev_walk_all_lower_dev_rcu(ndev, get_vlan_id, &priv);
	}
	rcu_read_unlock();
	return ndev ? 0 : -ENODEV;
}
EXPORT_SYMBOL(rdma_read_gid_l2_fields);

void *rdma_read_gid_hw_context(const struct ib_gid_attr *attr)
{
	return to_gid(attr)->context;
}
EXPORT_SYMBOL(rdma_read_gid_hw_context);

/* Describes an entry for a process. Called with the RCU read lock held. */
static void gid_fill_uapi(struct ib_uverbs_gid_entry *to, const struct ib_gid_attr *attr)
{
	const struct net_device *ndev = rcu_dereference(attr->ndev);

	memcpy(&to->gid, &attr->gid, sizeof(attr->gid));
	to->gid_index = attr->index;
	to->port_num = attr->port_num;
	to->gid_type = attr->gid_type;
	to->netdev_ifindex = ndev ? ndev->ifindex : 0;
}

int rdma_query_gid_entry(struct ib_device *device, u32 port_num, int index,
			 struct ib_uverbs_gid_entry *to)
{
	struct ib_core_gid *entry;
	int ret;

	rcu_read_lock();
	entry = gid_peek_at(device, port_num, index);
	ret = PTR_ERR_OR_ZERO(entry);
	if (!ret)
		gid_fill_uapi(to, &entry->attr);
	rcu_read_unlock();
	return ret;
}
EXPORT_SYMBOL(rdma_query_gid_entry);

ssize_t rdma_query_gid_table(struct ib_device *device, struct ib_uverbs_gid_entry *entries,
			     size_t max_entries)
{
	struct ib_core_gids *table;
	struct ib_core_gid *entry;
	ssize_t count = 0;
	unsigned int i;
	u32 port;

	rdma_for_each_port(device, port) {
		table = device->port_data[port].gids;
		rcu_read_lock();
		for (i = 0; i < table->len && count >= 0; i++) {
			entry = gid_peek(table, i);
			if (!entry)
				continue;
			if (count < max_entries)
				gid_fill_uapi(&entries[count++], &entry->attr);
			else
				count = -EINVAL;
		}
		rcu_read_unlock();
		if (count < 0)
			break;
	}
	return count;
}
EXPORT_SYMBOL(rdma_query_gid_table);
