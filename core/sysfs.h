/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The files of a view in sysfs: sysfs.c has those of the device, sysfs_port.c those of ports,
 * sysfs_gid.c those of the GID and P_Key tables, hw_counters.c those of hardware counters.
 */
#ifndef _KRDMA_CORE_SYSFS_H_
#define _KRDMA_CORE_SYSFS_H_

#include <linux/kobject.h>
#include <linux/types.h>
#include <linux/uidgid.h>

struct attribute_group;
struct ib_core_port_dirs;
struct ib_device;
struct ib_device_view;

/*
 * ib_core_sysfs_add() adds the directory of a view with all its files, but sends no uevent; it
 * returns 0 or an errno. ib_core_sysfs_announce() adds the link to the netdev, and sends the uevent
 * that tells udev that the directory is complete. ib_core_sysfs_relink() makes the link to the
 * netdev anew, after the device has got another netdev, or after the device or the netdev has moved
 * to another namespace. ib_core_sysfs_del() deletes the directory with all its files.
 *
 * All four functions are called with ib_core_views_lock held. ib_core_sysfs_relink() and
 * ib_core_sysfs_del() are called while the view is in sysfs.
 */
int ib_core_sysfs_add(struct ib_device_view *view);
void ib_core_sysfs_announce(struct ib_device_view *view);
void ib_core_sysfs_relink(struct ib_device_view *view);
void ib_core_sysfs_del(struct ib_device_view *view);

/*
 * ib_core_sysfs_owner() stores the owner of a view's directory in *@uid and *@gid, or changes
 * neither if the owner is the host's root.
 *
 * ib_core_sysfs_chown() is called after the view has moved to another namespace. It gives the
 * directory to its new owner, with all files except those in the directory "ports". Returns 0 or an
 * errno.
 */
void ib_core_sysfs_owner(const struct ib_device_view *view, kuid_t *uid, kgid_t *gid);
int ib_core_sysfs_chown(struct ib_device_view *view);

/* The directory of a port. */
struct ib_port {
	struct kobject		kobj;
	struct ib_device	*dev;
	u32			num;
	struct attribute_group	*hw_counters;
	struct kobject		*gid_attrs;	/* NULL if the port has no table of GIDs */
};

static inline struct ib_port *ib_core_to_port(struct kobject *kobj)
{
	return container_of(kobj, struct ib_port, kobj);
}

/* Returns the text that a file shows for the number @value. */
static inline const char *ib_core_text_of(const char *const *texts, size_t len, unsigned int value)
{
	return value < len && texts[value] ? texts[value] : "<unknown>";
}

/*
 * Add and delete the directory "ports" of a device. On error, ib_core_port_dirs_add() returns an
 * ERR_PTR.
 */
struct ib_core_port_dirs *ib_core_port_dirs_add(struct kobject *parent, struct ib_device *dev);
void ib_core_port_dirs_del(struct ib_core_port_dirs *dirs, struct ib_device *dev);

/* Returns the directory of a valid port. */
struct kobject *ib_core_port_dirs_kobj(struct ib_core_port_dirs *dirs, u32 port);

/*
 * The directories of a port's tables. ib_core_port_tables_add() returns 0 or an errno. Before the
 * port's directory is removed, and after a failed ib_core_port_tables_add(),
 * ib_core_port_tables_del() is called to remove gid_attrs/, which is not removed with the port's
 * directory. Both are called with ib_core_views_lock held. ib_core_port_tables_exit() is called
 * after the last port is gone, to free what the ports shared.
 */
int ib_core_port_tables_add(struct ib_port *port);
void ib_core_port_tables_del(struct ib_port *port);
void ib_core_port_tables_exit(void);

/*
 * Returns the group of files for the counters of a port, or of the device if @port is
 * IB_CORE_STATS_DEVICE; NULL if there is no memory. ib_core_hw_counters_free() accepts NULL.
 */
struct attribute_group *ib_core_hw_counters_alloc(struct ib_device *dev, u32 port);
void ib_core_hw_counters_free(struct attribute_group *group);

#endif /* _KRDMA_CORE_SYSFS_H_ */
