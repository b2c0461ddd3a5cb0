/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Identifiers and the devices that they are on: references, and a device's list of identifiers.
 */
#ifndef _KRDMA_IWCM_ID_H_
#define _KRDMA_IWCM_ID_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct ib_device;
struct iwcm_id;

/**
 * struct iwcm_device - a device that has iWARP connections
 * @refs: references: the client data holds one until remove_device(); each identifier holds one
 * @rcu: frees the structure after a grace period, because iwcm_device_get() looks it up under RCU
 * @tracking: protects iwcm_id.tracked; held by iwcm_id_untrack() while it removes the identifier
 *	from the resource table and waits for readers of the entry. Outermost of iw_cm's locks; may
 *	be taken with cma_id.handler or the device's unregistration_lock held
 * @lock: protects all fields below; taken with interrupts off, inside an identifier's lock
 * @removed: remove_device() has begun, and no identifier is added any more
 * @ids: identifiers for which the provider may still be called
 */
struct iwcm_device {
	struct kref		refs;
	struct rcu_head		rcu;
	struct mutex		tracking; /* protects iwcm_id.tracked */
	spinlock_t		lock;	/* protects the fields below */
	bool			removed;
	struct list_head	ids;
};

/**
 * iwcm_ids_wait - wait until all identifiers are freed
 *
 * Called once, when the module is unloaded, because providers may still have references to
 * identifiers that their clients have destroyed.
 */
void iwcm_ids_wait(void);

/**
 * iwcm_id_new - allocate an idle identifier
 * @dev: iw_cm's state of @ibdev; the identifier takes a reference to @dev
 * @ibdev: the identifier's device
 * @gfp: flags of the allocation
 *
 * The identifier is not in the device's list yet.
 *
 * Return: the identifier, with the client's reference, or NULL if there is no memory.
 */
struct iwcm_id *iwcm_id_new(struct iwcm_device *dev, struct ib_device *ibdev, gfp_t gfp);
void iwcm_id_get(struct iwcm_id *id);
void iwcm_id_put(struct iwcm_id *id);

/**
 * iwcm_id_uncount_pending - stop counting a request as pending on its listener
 * @child: identifier of a request that is accepted, rejected or discarded
 *
 * Drops the child's reference to the listener. Has no effect on an identifier that is not counted.
 */
void iwcm_id_uncount_pending(struct iwcm_id *child);

/**
 * iwcm_id_link - add an identifier to its device's list
 * @id: the identifier
 *
 * From now on, the removal of the device ends the identifier's listener, request or connection.
 *
 * Return: 0, or -ENODEV if the removal has begun.
 */
int iwcm_id_link(struct iwcm_id *id);

/**
 * iwcm_id_unlink - remove an identifier from its device's list
 * @id: the identifier; the provider is not called for it any more
 *
 * Has no effect if the identifier is not in the list.
 */
void iwcm_id_unlink(struct iwcm_id *id);
void iwcm_device_put(struct iwcm_device *dev);

#endif /* _KRDMA_IWCM_ID_H_ */
