/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The GID table of a port: gid.c has its entries and look-ups, gid_update.c its life and its
 * updates, gid_netdev.c the GIDs that a network interface brings, gid_notify.c the notifiers.
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
 * @refs: one of the table, from ib_core_gid_add() until a grace period after ib_core_gid_del();
 *	one of each user
 * @table: the table, present or former; as long-lived as the memory of the device, of which the
 *	entry holds a reference
 * @ndev: the interface of @attr, held until the table's reference is dropped
 * @ndev_tracker: accounts for the reference to @ndev
 * @context: the provider's
 * @live: in the table; look-ups skip other entries. Changes once, to false
 * @release: frees the entry after the last reference
 * @rcu: used twice: for the table's reference, then for the memory
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
 * @from_netdev: true: filled from the addresses of a network interface, and passed to the
 *	provider's add_gid(); false: filled by the provider's query_gid()
 * @lock: protects @open, @overflowed, and, against other writers, @slots and the entries' @live;
 *	readers use RCU. Held while add_gid(), del_gid() and query_gid() run
 * @open: the table is updated; true while the device is enabled
 * @overflowed: the last update left out a GID for want of a slot
 * @list: in the tables that gid_notify.c schedules
 * @work: updates the table
 * @len: number of @slots
 * @slots: the entries. A deleted entry of a @from_netdev table keeps its slot until the last
 *	reference is dropped, because the device may still use the index
 */
struct ib_core_gids {
	struct ib_device	*dev;
	u32			port;
	bool			from_netdev;
	struct mutex		lock;	/* open, overflowed; changes of slots */
	bool			open;
	bool			overflowed;
	struct list_head	list;
	struct delayed_work	work;
	unsigned int		len;
	struct ib_core_gid __rcu *slots[];
};

/* The entry in a slot, or NULL. Called with table->lock held. */
static inline struct ib_core_gid *ib_core_gid_at(struct ib_core_gids *table, unsigned int index)
{
	return rcu_dereference_protected(table->slots[index], lockdep_is_held(&table->lock));
}

/**
 * ib_core_gid_add - add an entry to a table
 * @table: the table; its lock is held
 * @index: number of an empty slot
 * @gid: the GID
 * @type: its type
 * @ndev: the interface that has it, or NULL; the entry takes a reference
 *
 * Calls add_gid() of the provider first if the table is filled from a network interface. May sleep.
 *
 * Return: 0; -ENOMEM; or what add_gid() returned.
 */
int ib_core_gid_add(struct ib_core_gids *table, unsigned int index, const union ib_gid *gid,
		    enum ib_gid_type type, struct net_device *ndev);

/*
 * Deletes an entry: new look-ups do not find it. Called with the table's lock held. The caller
 * needs no reference, because the table's is dropped only after a grace period.
 */
void ib_core_gid_del(struct ib_core_gid *entry);

/* Deletes all entries of the device's tables, which are closed, and waits for them. May sleep. */
void ib_core_gids_empty(struct ib_device *dev);

/*
 * Updates a table from its port's network interface. Called with the table's lock held. Returns
 * whether an entry was added or deleted, or -ENOMEM: then none was.
 */
int ib_core_gids_from_netdev(struct ib_core_gids *table);

/*
 * Between register and unregister, network interfaces and their addresses have the table updated.
 * Unregister may be called for a table that is not registered.
 */
void ib_core_gids_register(struct ib_core_gids *table);
void ib_core_gids_unregister(struct ib_core_gids *table);

/* Schedules updates of the device's registered tables, after a port's interface was set. */
void ib_core_gids_netdev_set(struct ib_device *dev);

int ib_core_gid_notify_init(void);
void ib_core_gid_notify_exit(void);

/* Runs updates of tables and releases of entries. */
extern struct workqueue_struct *ib_core_gid_wq;

/* Schedules an update of the table. Any context; the table is open or registered. */
static inline void ib_core_gids_schedule(struct ib_core_gids *table)
{
	mod_delayed_work(ib_core_gid_wq, &table->work, 0);
}

/* Tables of all ports: alloc, start, stop, free. Return 0, -ENOMEM or the provider's error. */
int ib_core_gids_alloc(struct ib_device *dev);
void ib_core_gids_free(struct ib_device *dev);
int ib_core_gids_start(struct ib_device *dev);
void ib_core_gids_stop(struct ib_device *dev);

/* Asks the provider again for the GIDs of a port, if it provides them. Returns 0 or an errno. */
int ib_core_gids_update(struct ib_device *dev, u32 port);

int ib_core_gid_init(void);
void ib_core_gid_exit(void);

#endif /* _KRDMA_CORE_GID_H_ */
