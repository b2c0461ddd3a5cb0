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
 * Protects which views there are. Held while their directories are added, deleted and renamed,
 * which waits for readers of their files; ib_core_registry_lock nests inside.
 */
extern struct mutex ib_core_views_lock;

void ib_core_views_setup(struct ib_device *dev);

/* Adds the device's own view, and one for each other namespace that sees it. 0 or an errno. */
int ib_core_views_add(struct ib_device *dev);

/* Announces the views to udev, when everything that their files need is there. */
void ib_core_views_announce(struct ib_device *dev);
void ib_core_views_del(struct ib_device *dev);

/* Gives the views beside the device's own its new name. Called with ib_core_views_lock held. */
void ib_core_views_rename(struct ib_device *dev);

/*
 * Moves the device's own view to another namespace, where it is not announced yet. Returns 0, or an
 * errno: the view has stayed. Called with the device's unregistration_lock held.
 */
int ib_core_views_move(struct ib_device *dev, struct net *to);

int ib_core_views_init(void);
void ib_core_views_exit(void);

#endif /* _KRDMA_CORE_VIEW_H_ */
