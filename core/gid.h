/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A port's GID table: what the files that fill it share.
 */
#ifndef _KRDMA_CORE_GID_H_
#define _KRDMA_CORE_GID_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

/**
 * struct ib_core_gid - an entry
 * @attr: what users see
 * @refs: the table's, from entering it until a grace period after leaving it; users'
 * @table: where it is or was; lives as long as the device's memory, which the entry keeps
 * @ndev: the interface of @attr, which stays until the table's reference goes
 * @ndev_tracker: accounts for that reference
 * @context: the provider's
 * @live: in the table; look-ups take no other. Changes once, to false
 * @release: what happens after the last reference
 * @rcu: first the table's reference goes by it, then the memory
 */
struct ib_core_gid {
	struct ib_gid_attr	attr;
	struct kref		refs;
	struct ib_core_gids	*table;
	struct net_device	*ndev;
	netdevice_tracker	ndev_tracker;
	void			*context;
	bool			live;
	struct work_struct	release;
	struct rcu_head		rcu;
};

/**
 * struct ib_core_gids - the GID table of a port
 * @dev: the device
 * @port: port number
 * @from_netdev: follows the addresses of a network interface, and is told to the provider; else
 *	the provider tells
 * @lock: guards @slots and the entries' @live against other writers, @open, @overflowed. Held while
 *	the provider is told; readers use RCU
 * @open: filled; not before the device is enabled, nor after it is disabled
 * @overflowed: a GID found no room
 * @list: in the list of tables that network interfaces may change
 * @work: looks at the interface, or asks the provider, again
 * @len: number of @slots
 * @slots: the entries. One that has left a @from_netdev table keeps its slot until the last
 *	reference goes, because the device may still use it
 */
struct ib_core_gids {
	struct ib_device	*dev;
	u32			port;
	bool			from_netdev;
	struct mutex		lock; /* slots, live, open, overflowed */
	bool			open;
	bool			overflowed;
	struct list_head	list;
	struct delayed_work	work;
	unsigned int		len;
	struct ib_core_gid __rcu *slots[];
};

static inline struct ib_core_gid *to_gid(const struct ib_gid_attr *attr)
{
	return container_of(attr, struct ib_core_gid, attr);
}

/* The entry in a slot, for who changes the table. */
static inline struct ib_core_gid *ib_core_gid_at(struct ib_core_gids *table, unsigned int index)
{
	return rcu_dereference_protected(table->slots[index], lockdep_is_held(&table->lock));
}

/* gid.c: changes of a table, under its lock */
int ib_core_gid_add(struct ib_core_gids *table, unsigned int index, const union ib_gid *gid,
		    enum ib_gid_type type, struct net_device *ndev);
void ib_core_gid_del(struct ib_core_gid *entry);

/* gid.c: all leave, of all tables of a device; those are closed. */
void ib_core_gids_empty(struct ib_device *dev);

/*
 * gid_netdev.c: brings a table up to date with network interfaces, under its lock. Returns whether
 * something has changed, or -ENOMEM: then nothing has.
 */
int ib_core_gids_from_netdev(struct ib_core_gids *table);

/* gid_notify.c: the table is, or is not any more, among those that interfaces may change. */
void ib_core_gids_register(struct ib_core_gids *table);
void ib_core_gids_unregister(struct ib_core_gids *table);
int ib_core_gid_notify_init(void);
void ib_core_gid_notify_exit(void);

/* gid_update.c. Updates of tables and releases of entries run there. */
extern struct workqueue_struct *ib_core_gid_wq;

/* Has the table updated soon. Any context; the caller knows that it is open, or registered. */
static inline void ib_core_gids_schedule(struct ib_core_gids *table)
{
	mod_delayed_work(ib_core_gid_wq, &table->work, 0);
}

#endif /* _KRDMA_CORE_GID_H_ */
