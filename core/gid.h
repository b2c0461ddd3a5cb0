/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The GID table of a port: gid.c has the entries and look-ups, gid_update.c the allocation and the
 * updates of tables, gid_netdev.c the GIDs that follow from a network interface, gid_notify.c the
 * notifiers.
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
 * struct ib_core_gid - an entry of a GID table
 * @attr: the part that users see
 * @refs: number of references: the table holds one, from ib_core_gid_add() until a grace period
 *	after ib_core_gid_del(); each user holds one
 * @table: the table that has, or had, the entry. The table lives as long as the device's memory, to
 *	which the entry holds a reference
 * @ndev: the interface of @attr, held until the table's reference is dropped
 * @ndev_tracker: accounts for the reference to @ndev
 * @context: set and used by the provider's add_gid() and del_gid()
 * @live: true until the entry is deleted; look-ups skip an entry that is not live
 * @release: frees the entry after its last reference was dropped
 * @rcu: used twice: to drop the table's reference, and later to free the memory, each time after a
 *	grace period
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

static inline struct ib_core_gid *to_gid(const struct ib_gid_attr *attr)
{
	return container_of(attr, struct ib_core_gid, attr);
}

/**
 * struct ib_core_gids - the GID table of a port
 * @dev: the device
 * @port: port number
 * @from_netdev: true: the GIDs follow from the addresses of a network interface, and are passed to
 *	the provider's add_gid(), if it has one; false: the GIDs are read with the provider's
 *	query_gid()
 * @lock: protects @open and @overflowed. Held to change @slots or @live of an entry, which are read
 *	under RCU. Also held while add_gid(), del_gid() and query_gid() run
 * @open: true while the device is enabled; an update of a table that is not open does nothing
 * @overflowed: the last update left out a GID for want of a slot
 * @list: entry in the list of the tables for which the notifiers in gid_notify.c schedule updates
 * @work: updates the table
 * @len: number of @slots
 * @slots: the entries. A deleted entry of a @from_netdev table stays in its slot until the last
 *	reference is dropped, because the device may still use the index
 */
struct ib_core_gids {
	struct ib_device	*dev;
	u32			port;
	bool			from_netdev;
	struct mutex		lock;	/* protects @open, @overflowed; held to change @slots */
	bool			open;
	bool			overflowed;
	struct list_head	list;
	struct delayed_work	work;
	unsigned int		len;
	struct ib_core_gid __rcu *slots[];
};

/* Returns the entry in a slot, or NULL. Called with table->lock held. */
static inline struct ib_core_gid *ib_core_gid_at(struct ib_core_gids *table, unsigned int index)
{
	return rcu_dereference_protected(table->slots[index], lockdep_is_held(&table->lock));
}

/**
 * ib_core_gid_add - add an entry to a table
 * @table: the table; the caller holds the table's lock
 * @index: number of an empty slot
 * @gid: the GID
 * @type: the GID's type
 * @ndev: the interface that has the GID, or NULL; the entry takes a reference to it
 *
 * Calls add_gid() of the provider first if the port is a RoCE port. May sleep.
 *
 * Return: 0; -ENOMEM; or what add_gid() returned.
 */
int ib_core_gid_add(struct ib_core_gids *table, unsigned int index, const union ib_gid *gid,
		    enum ib_gid_type type, struct net_device *ndev);

/*
 * Deletes an entry: new look-ups do not find it. Called with the table's lock held. The caller
 * needs no reference to @entry, because the table's reference is dropped only after a grace period.
 */
void ib_core_gid_del(struct ib_core_gid *entry);

/*
 * Deletes all entries of the device's tables, waits until the entries without users are freed, and
 * logs the others as leaked. Called when the tables are not open any more. May sleep.
 */
void ib_core_gids_empty(struct ib_device *dev);

/*
 * Updates a table from its port's network interface. Called with the table's lock held. Returns 1
 * if an entry was added or deleted, 0 if none was, or -ENOMEM without any change of the table.
 */
int ib_core_gids_from_netdev(struct ib_core_gids *table);

/*
 * ib_core_gids_register() makes the notifiers schedule an update of the table whenever a network
 * interface or its addresses change. After ib_core_gids_unregister() has returned, the notifiers
 * schedule no update any more; ib_core_gids_stop() relies on this. ib_core_gids_unregister() may be
 * called for a table that is not registered.
 */
void ib_core_gids_register(struct ib_core_gids *table);
void ib_core_gids_unregister(struct ib_core_gids *table);

/* Schedules updates of the device's registered tables. Called after a port's interface was set. */
void ib_core_gids_netdev_set(struct ib_device *dev);

int ib_core_gid_notify_init(void);
void ib_core_gid_notify_exit(void);

/* Runs updates of tables and releases of entries. */
extern struct workqueue_struct *ib_core_gid_wq;

/* Schedules an update of a table that is open or registered. Any context. */
static inline void ib_core_gids_schedule(struct ib_core_gids *table)
{
	mod_delayed_work(ib_core_gid_wq, &table->work, 0);
}

/*
 * Allocate, start, stop and free the GID tables of all ports of a device. ib_core_gids_start()
 * registers, opens and fills the tables. ib_core_gids_stop() unregisters and closes the tables, and
 * deletes their entries; it is also called after a failed start. ib_core_gids_alloc() and
 * ib_core_gids_start() return 0, -ENOMEM or an error of the provider.
 */
int ib_core_gids_alloc(struct ib_device *dev);
void ib_core_gids_free(struct ib_device *dev);
int ib_core_gids_start(struct ib_device *dev);
void ib_core_gids_stop(struct ib_device *dev);

/*
 * Reads the GIDs of a port again with the provider's query_gid(), unless the port's table is filled
 * from a network interface. Returns 0 or an errno.
 */
int ib_core_gids_update(struct ib_device *dev, u32 port);

int ib_core_gid_init(void);
void ib_core_gid_exit(void);

#endif /* _KRDMA_CORE_GID_H_ */
