/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of ib_core.ko offer each other. Nothing here is exported to other modules.
 */
#ifndef _KRDMA_CORE_CORE_H_
#define _KRDMA_CORE_CORE_H_

#include <linux/lockdep.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

/* Start and end of each part; main.c calls them in the order of the module's dependencies. */
int ib_core_netlink_init(void);
void ib_core_netlink_exit(void);
int ib_core_device_init(void);
void ib_core_device_exit(void);
int ib_core_cq_init(void);
void ib_core_cq_exit(void);
int ib_core_nldev_init(void);
void ib_core_nldev_exit(void);

/* Can CQs of the device be moderated adaptively? (verbs/cq_dim.c) */
bool ib_core_can_moderate(const struct ib_device *dev);

/* Parts of ib_core_device_init(). */
void ib_core_registry_exit(void);
int ib_core_net_init(void);
void ib_core_net_exit(void);
int ib_core_event_init(void);
void ib_core_event_exit(void);

/* CQ pools of a device: ready before its first client, gone after its last. (verbs/cq_ulp.c) */
void ib_core_cq_pool_init(struct ib_device *dev);
void ib_core_cq_pool_cleanup(struct ib_device *dev);

/*
 * States of a device. Written under ib_core_registry_lock; whoever also holds the device's
 * unregistration_lock may rely on the state not changing.
 */
enum ib_core_device_state {
	IB_CORE_DEVICE_ALLOCATED,	/* not in the registry */
	IB_CORE_DEVICE_REGISTERING,	/* has a name and an index, nobody finds it */
	IB_CORE_DEVICE_ENABLING,	/* found by look-ups; clients are being told, in order */
	IB_CORE_DEVICE_REGISTERED,
	IB_CORE_DEVICE_MOVING,		/* not found, on its way to another network namespace */
	IB_CORE_DEVICE_UNREGISTERING,	/* not found any more; users are leaving */
	IB_CORE_DEVICE_GONE,		/* cannot be registered again, waits to be freed */
};

/*
 * Guards the tables of devices and clients, names, device states and the links between devices and
 * clients. Held for short look-ups and changes only: never across a callback, a wait for users,
 * or anything that waits for readers of sysfs. Nests inside a device's unregistration_lock.
 */
extern struct mutex ib_core_registry_lock;

/**
 * ib_core_device_usable - may new objects be created on the device?
 * @dev: the device, kept alive by the caller
 *
 * Any context. False before registration and from the first step of unregistration on: creators
 * of objects then return -ENODEV. A caller that is a client or holds a reference needs no more
 * than this check, because unregistration waits for it.
 */
static inline bool ib_core_device_usable(const struct ib_device *dev)
{
	unsigned int state = READ_ONCE(dev->state);

	return state == IB_CORE_DEVICE_ENABLING || state == IB_CORE_DEVICE_REGISTERED;
}

/* ops.c: can a device with these operations work at all? */
int ib_core_ops_check(struct ib_device *dev, const char *name);

/* registry.c: names, indices, states, look-ups */
int ib_core_registry_add(struct ib_device *dev, const char *name);
void ib_core_registry_del(struct ib_device *dev, enum ib_core_device_state state);
struct ib_device *ib_core_registry_next(unsigned long *index);
void ib_core_device_set_state(struct ib_device *dev, enum ib_core_device_state state);
void ib_core_device_set_net(struct ib_device *dev, struct net *net);

/* A reference for a look-up: none for a device that is not to be found. */
static inline bool ib_core_device_get_visible(struct ib_device *dev)
{
	return ib_core_device_usable(dev) && ib_device_try_get(dev);
}

/**
 * ib_core_device_get_by_index - find a registered device by its number
 * @net: namespace that looks for it
 * @index: the number
 *
 * Any context but hard interrupts.
 *
 * Return: the device with a reference, to be released with ib_device_put(), or NULL.
 */
struct ib_device *ib_core_device_get_by_index(const struct net *net, u32 index);

/**
 * ib_core_for_each_device - call a function for the registered devices, in order of their numbers
 * @net: namespace that looks for them
 * @index: in: lowest number of interest; out: where to go on: the number of the device at which
 *	@fn stopped, else above the last
 * @fn: called in the caller's context with a reference held and no lock; not 0 stops
 * @arg: for @fn
 *
 * Return: what the last call of @fn returned; 0 without any.
 */
int ib_core_for_each_device(const struct net *net, u32 *index,
			    int (*fn)(struct ib_device *dev, void *arg), void *arg);

/**
 * ib_core_device_rename - give a registered device another name
 * @dev: the device, with a reference
 * @name: the name
 *
 * Process context. Tells the clients. Its old name does as well, and changes nothing.
 *
 * Return: 0; -EINVAL: not a name; -EEXIST: another device has it; -ENODEV: the device is being
 * unregistered; -ENOMEM.
 */
int ib_core_device_rename(struct ib_device *dev, const char *name);

/**
 * ib_core_device_move - have a registered device belong to another network namespace
 * @dev: the device, with a reference, which is consumed
 * @from: where the caller has seen it
 * @to: where it goes
 *
 * Process context, exclusive mode; both namespaces stay meanwhile. The clients leave the device
 * and are told of it again, as if it were another one. If it cannot be taken into use there, it
 * is unregistered.
 *
 * Return: 0, also when it is there already; -ENODEV: the device has gone, or to elsewhere; or why
 * it could not be taken into use.
 */
int ib_core_device_move(struct ib_device *dev, struct net *from, struct net *to);

/* nldev_monitor.c: events for `rdma monitor`. Any context but hard interrupts. */
void ib_core_monitor_device(struct ib_device *dev, u8 type);
void ib_core_monitor_netdev(struct ib_device *dev, u32 port, struct net_device *ndev, u8 type);
/* The device, and each port that has a network interface. Process context. */
void ib_core_monitor_registered(struct ib_device *dev);

/* What belongs to a namespace that goes belongs to the initial one from now on. */
void ib_core_devices_move_to_init_net(struct net *net);

/*
 * net.c: sets the mode of the namespaces. -EBUSY: it is another one, and there are namespaces
 * beside the initial one.
 */
int ib_core_netns_set_shared(bool wanted);

/* client.c: add_device() makes the device registered when all clients have been told */
int ib_core_clients_add_device(struct ib_device *dev);
void ib_core_clients_remove_device(struct ib_device *dev);
void ib_core_clients_rename_device(struct ib_device *dev);

/*
 * Asks a client, by its name, for its character device; for that of all devices if @dev is NULL.
 * What it told is good for @use only: after that the client, and the code that frees the character
 * device, may go. -ENOENT: no such client; -EOPNOTSUPP: it has none there; or what the client or
 * @use returned.
 */
typedef int ib_core_nl_info_fn(const struct ib_client_nl_info *info);
int ib_core_client_nl_info(struct ib_device *dev, const char *name,
			   struct ib_client_nl_info *info, ib_core_nl_info_fn *use);

/* port.c: port_data, and what the provider says once about its ports */
int ib_core_ports_alloc(struct ib_device *dev);
int ib_core_ports_setup(struct ib_device *dev);
void ib_core_ports_free(struct ib_device *dev);

/*
 * port_cache.c: what is remembered of the ports, from start() until stop(). An event goes there
 * before it goes to its handlers.
 */
int ib_core_port_cache_alloc(struct ib_device *dev);
void ib_core_port_cache_free(struct ib_device *dev);
int ib_core_port_cache_start(struct ib_device *dev);
void ib_core_port_cache_stop(struct ib_device *dev);
void ib_core_port_cache_event(const struct ib_event *event);

/* gid_update.c, gid.c, gid_notify.c: the GID tables, for port_cache.c and netdev.c */
int ib_core_gid_init(void);
void ib_core_gid_exit(void);
int ib_core_gids_alloc(struct ib_device *dev);
void ib_core_gids_free(struct ib_device *dev);
int ib_core_gids_start(struct ib_device *dev);
void ib_core_gids_stop(struct ib_device *dev);
/* Asks the provider again, where it is to be asked. */
int ib_core_gids_update(struct ib_device *dev, u32 port);
/* A port may have another network interface. */
void ib_core_gids_netdev_set(struct ib_device *dev);

/* netdev.c */
struct net *ib_core_netdevs_net(struct ib_device *dev);
void ib_core_netdevs_release(struct ib_device *dev);
int ib_core_netdevs_init(void);
void ib_core_netdevs_exit(void);

/* event.c: events are accepted between start and stop; after stop none is queued or running */
void ib_core_events_setup(struct ib_device *dev);
void ib_core_events_start(struct ib_device *dev);
/* Returns when what was dispatched before has been delivered. */
void ib_core_events_flush(struct ib_device *dev);
void ib_core_events_stop(struct ib_device *dev);

/*
 * view.c: in which network namespaces a device is to be seen in sysfs; announce() tells udev, when
 * all files are there. The lock guards which views there are, and is held while their directories
 * come, go and get other names; ib_core_registry_lock nests inside it.
 */
extern struct mutex ib_core_views_lock;
extern struct class ib_core_class;
int ib_core_views_init(void);
void ib_core_views_exit(void);
void ib_core_views_setup(struct ib_device *dev);
int ib_core_views_add(struct ib_device *dev);
void ib_core_views_announce(struct ib_device *dev);
void ib_core_views_del(struct ib_device *dev);
/* Those beside the device's own have its new name. */
void ib_core_views_rename(struct ib_device *dev);
/* Leaves one namespace for another; to be announced there. On error it stays. */
int ib_core_views_move(struct ib_device *dev, struct net *to);

/* sysfs.c: the files of a view */
int ib_core_sysfs_add(struct ib_device_view *view);
void ib_core_sysfs_announce(struct ib_device_view *view);
void ib_core_sysfs_del(struct ib_device_view *view);

/* What a number stands for, in the files of sysfs. */
static inline const char *ib_core_text_of(const char *const *texts, size_t len, unsigned int value)
{
	return value < len && texts[value] ? texts[value] : "<unknown>";
}

/* sysfs_port.c: the directories of a device's ports. */
struct ib_core_port_dirs;
struct ib_core_port_dirs *ib_core_port_dirs_add(struct kobject *parent, struct ib_device *dev);
void ib_core_port_dirs_del(struct ib_core_port_dirs *dirs, struct ib_device *dev);

/* cgroup.c: limits of processes know the device by its name from add() to del(). */
void ib_core_cgroup_add(struct ib_device *dev);
void ib_core_cgroup_del(struct ib_device *dev);

/* hw_counters.c: the files of a set of counters; port is a number or IB_CORE_STATS_DEVICE */
struct attribute_group *ib_core_hw_counters_alloc(struct ib_device *dev, u32 port);
void ib_core_hw_counters_free(struct attribute_group *group);

/*
 * sysfs_gid.c: the files of a port's tables. del() removes the part that the port's directory does
 * not take with it, free() comes when that has gone; both follow also on a failed add().
 */
struct ib_core_port_tables;
int ib_core_port_tables_add(struct kobject *kobj, struct ib_device *dev, u32 port,
			    struct ib_core_port_tables **tables);
void ib_core_port_tables_del(struct ib_core_port_tables *tables);
void ib_core_port_tables_free(struct ib_core_port_tables *tables);

/* stats.c */

/* The port argument that means the counters of the device as a whole. */
#define IB_CORE_STATS_DEVICE U32_MAX

int ib_core_stats_alloc(struct ib_device *dev);
void ib_core_stats_free(struct ib_device *dev);
struct rdma_hw_stats *ib_core_stats_of(struct ib_device *dev, u32 port);

/* As ib_core_stats_read(), but that one counter has to be fresh. */
int ib_core_stats_read_one(struct ib_device *dev, u32 port, unsigned int index,
			   struct rdma_hw_stats **stats);

/**
 * ib_core_stats_read - the counters of a port, refreshed when they are older than their lifespan
 * @dev: a registered device, kept registered by the caller
 * @port: port number, or IB_CORE_STATS_DEVICE
 * @stats: result
 *
 * Process context. On success the caller holds (*stats)->lock, under which the values are stable,
 * and releases it with mutex_unlock().
 *
 * Return: 0; -EINVAL: no such port; -EOPNOTSUPP: the provider has no counters there; or what its
 * get_hw_stats() returned. On error no lock is held.
 */
int ib_core_stats_read(struct ib_device *dev, u32 port, struct rdma_hw_stats **stats);

/**
 * ib_core_stats_enable - switch an optional counter on or off
 * @dev: a registered device, kept registered by the caller
 * @port: port number, or IB_CORE_STATS_DEVICE
 * @index: number of the counter
 * @enable: the wanted state
 *
 * Process context.
 *
 * Return: 0, also when the counter was in that state already; -EINVAL: no such port or counter, or
 * the counter is not optional; -EOPNOTSUPP: no counters, or the provider cannot switch them; or
 * what its modify_hw_stat() returned.
 */
int ib_core_stats_enable(struct ib_device *dev, u32 port, unsigned int index, bool enable);

/* counters.c: counters that QPs are bound to */

/* How QPs come to counters on that port. */
void ib_core_counter_mode(struct ib_device *dev, u32 port, struct rdma_counter_mode *mode);
/*
 * QPs of processes are bound as they become ready, grouped by @mask; 0: no longer. 0; -EINVAL
 * unknown bits; -EOPNOTSUPP; -EBUSY there are counters of another kind.
 */
int ib_core_counter_set_auto(struct ib_device *dev, u32 port, u32 mask);
/*
 * Binds a QP to the counter *@id, or with 0 to a new one, whose number is then *@id. 0; -ENOENT no
 * such QP or counter; -EBUSY bound already, or the mode is automatic; -EINVAL of another port;
 * -EOPNOTSUPP; -ENOMEM; or the provider's.
 */
int ib_core_counter_bind(struct ib_device *dev, u32 port, u32 qpn, u32 *id);
/* Likewise; -ENOENT: not bound to that counter. */
int ib_core_counter_unbind(struct ib_device *dev, u32 port, u32 qpn, u32 id);
void ib_core_counter_bind_auto(struct ib_qp *qp);
void ib_core_counter_forget_qp(struct ib_qp *qp);
/* Fresh values: 0, with the counter's lock held, under which they are stable; or the provider's. */
int ib_core_counter_read(struct rdma_counter *counter);

/* restrack.c */
int ib_core_restrack_init(struct ib_device *dev);
void ib_core_restrack_report_leaks(struct ib_device *dev);
void ib_core_restrack_free(struct ib_device *dev);
/*
 * From its return to ib_core_restrack_publish() nobody looks at the object, or finds it; it keeps
 * its number. 0; -ENOMEM nothing has changed.
 */
int ib_core_restrack_unpublish(struct ib_device *dev, struct rdma_restrack_entry *res);
void ib_core_restrack_publish(struct ib_device *dev, struct rdma_restrack_entry *res);

#endif /* _KRDMA_CORE_CORE_H_ */
