/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Views: the directories of a device in the sysfs of network namespaces.
 */
#ifndef _KRDMA_CORE_VIEW_H_
#define _KRDMA_CORE_VIEW_H_

#include <linux/mutex.h>

struct ib_device;
struct net;

/*
 * Protects the lists of namespaces, of devices and of views. Held while the directories of views
 * are added, deleted and renamed; a deletion waits for readers of the directory's files.
 * ib_core_registry_lock nests inside.
 */
extern struct mutex ib_core_views_lock;

void ib_core_views_setup(struct ib_device *dev);

/*
 * Adds the device's own view and, in shared mode, a view for each namespace but the initial one.
 * Returns 0 or an errno; on error no view is left.
 */
int ib_core_views_add(struct ib_device *dev);

/*
 * Sends the uevents that tell udev of the views. Called after everything that the views' files show
 * has been set up.
 */
void ib_core_views_announce(struct ib_device *dev);
void ib_core_views_del(struct ib_device *dev);

/*
 * Gives the device's new name to all views but the device's own, which has been renamed already.
 * Called with ib_core_views_lock held.
 */
void ib_core_views_rename(struct ib_device *dev);

/*
 * Moves the device's own view to namespace @to. Announces to udev that the view is removed;
 * ib_core_views_announce() announces the moved view later. Returns 0, also if the view is in @to
 * already; or an errno, after which the device has to be unregistered. Called with the device's
 * unregistration_lock held.
 */
int ib_core_views_move(struct ib_device *dev, struct net *to);

/*
 * Queues a work item that makes the links from the device's views to its netdev anew. Any context;
 * the caller ensures, for example by RCU, that the device's memory is not freed during the call.
 */
void ib_core_views_relink(struct ib_device *dev);

int ib_core_views_init(void);
void ib_core_views_exit(void);

#endif /* _KRDMA_CORE_VIEW_H_ */
