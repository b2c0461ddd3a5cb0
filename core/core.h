/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of ib_core.ko offer each other; nothing here is exported to other modules. Files
 * with a header of their own are not listed here.
 */
#ifndef _KRDMA_CORE_CORE_H_
#define _KRDMA_CORE_CORE_H_

#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#include "core/client.h"
#include "core/device.h"
#include "core/net.h"
#include "core/registry.h"

/* Parts of the module, in the order of their dependencies. */
int ib_core_netlink_init(void);
void ib_core_netlink_exit(void);
int ib_core_cq_init(void);
void ib_core_cq_exit(void);
int ib_core_nldev_init(void);
void ib_core_nldev_exit(void);

/* verbs/cq_dim.c: can CQs of the device be moderated adaptively? */
bool ib_core_can_moderate(const struct ib_device *dev);

/* verbs/cq_pool.c: CQ pools, initialised before a device's first client, emptied after its last. */
void ib_core_cq_pool_init(struct ib_device *dev);
void ib_core_cq_pool_cleanup(struct ib_device *dev);

/* nldev_monitor.c: events for `rdma monitor`. Any context but hard interrupts. */
void ib_core_monitor_device(struct ib_device *dev, u8 type);
void ib_core_monitor_netdev(struct ib_device *dev, u32 port, struct net_device *ndev, u8 type);
/* The device, and each port that has a network interface. Process context. */
void ib_core_monitor_registered(struct ib_device *dev);

/*
 * view.c: in which network namespaces a device is to be seen in sysfs; announce() tells udev, when
 * all files are there. The lock guards which views there are, and is held while their directories
 * come, go and get other names; ib_core_registry_lock nests inside it.
 */
extern struct mutex ib_core_views_lock;
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
