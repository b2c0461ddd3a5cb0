/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The table of devices: states, names, numbers and look-ups.
 */
#ifndef _KRDMA_CORE_REGISTRY_H_
#define _KRDMA_CORE_REGISTRY_H_

#include <linux/compiler.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

struct net;

/*
 * The states of a device, ib_device.state. Written under ib_core_registry_lock. While the device's
 * unregistration_lock is held, only its holder changes the state.
 */
enum ib_core_device_state {
	IB_CORE_DEVICE_ALLOCATED,	/* not in the table */
	IB_CORE_DEVICE_REGISTERING,	/* has a name and a number; look-ups skip it */
	IB_CORE_DEVICE_ENABLING,	/* visible; add() of each client is called, in order */
	IB_CORE_DEVICE_REGISTERED,
	IB_CORE_DEVICE_MOVING,		/* invisible, between two network namespaces */
	IB_CORE_DEVICE_UNREGISTERING,	/* invisible; clients and users are leaving */
	IB_CORE_DEVICE_GONE,		/* cannot be registered again, only freed */
};

/*
 * Protects the tables of devices and clients, names, device states and the links between devices
 * and clients. Held for short look-ups and changes only: never across a callback, a wait for users,
 * or a wait for readers of sysfs files. Nests inside a device's unregistration_lock;
 * never held together with RTNL.
 */
extern struct mutex ib_core_registry_lock;

/**
 * ib_core_device_usable - may new objects be created on the device?
 * @dev: the device; the caller ensures that its memory is not freed during the call
 *
 * Any context. A function that creates an object returns -ENODEV if the device is not usable.
 * Clients and holders of a reference need no lock from this check to the end of the creation,
 * because unregistration waits for clients and references.
 *
 * Return: true from the time that the device becomes visible, during its registration, until the
 * first step of its unregistration or of its move to another network namespace.
 */
static inline bool ib_core_device_usable(const struct ib_device *dev)
{
	unsigned int state = READ_ONCE(dev->state);

	return state == IB_CORE_DEVICE_ENABLING || state == IB_CORE_DEVICE_REGISTERED;
}

/*
 * Takes a reference to a device that a look-up has found. Returns false if the device is not
 * visible.
 */
static inline bool ib_core_device_get_visible(struct ib_device *dev)
{
	return ib_core_device_usable(dev) && ib_device_try_get(dev);
}

/*
 * Returns whether a device may have the name. A name has 1 to IB_DEVICE_NAME_MAX - 1 printable
 * ASCII characters, but no blank, '/' or '%'. "." and ".." are refused, because the name becomes a
 * file name in sysfs.
 */
bool ib_core_device_name_valid(const char *name);

/**
 * ib_core_registry_add - add a device to the table, with a name and a number
 * @dev: the device
 * @name: a name, or a pattern: %d in a pattern stands for the lowest number that gives an unused
 *	name
 *
 * Process context, with the device's unregistration_lock held. Look-ups do not find the device
 * before its state is IB_CORE_DEVICE_ENABLING.
 *
 * Return: 0; -EINVAL: @name is not valid, or the device was registered before; -EEXIST: another
 * device has the name; -ENFILE: all names that the pattern gives are used; -ENOMEM.
 */
int ib_core_registry_add(struct ib_device *dev, const char *name);

/*
 * Removes a device from the table, sets the device's state to @state, and frees the device's name.
 * Called when the device has no clients and users left.
 */
void ib_core_registry_del(struct ib_device *dev, enum ib_core_device_state state);

/*
 * Returns the first device whose number is *@index or more, whatever its state, and sets *@index to
 * that device's number. Returns NULL if there is none. Called with ib_core_registry_lock held.
 */
struct ib_device *ib_core_registry_next(unsigned long *index);

/* Set a device's state, or its network namespace. Both functions take ib_core_registry_lock. */
void ib_core_device_set_state(struct ib_device *dev, enum ib_core_device_state state);
void ib_core_device_set_net(struct ib_device *dev, struct net *net);

/**
 * ib_core_device_get_by_index - find a registered device by its number
 * @net: namespace of the caller
 * @index: the number
 *
 * Any context but hard interrupts.
 *
 * Return: the device with a reference, to be released with ib_device_put(), or NULL.
 */
struct ib_device *ib_core_device_get_by_index(const struct net *net, u32 index);

/**
 * ib_core_for_each_device - call a function for the registered devices, in order of their numbers
 * @net: namespace of the caller
 * @index: in: the number to begin with; out: the number to continue with: that of the device
 *	at which @fn stopped the walk, or else one above the number of the last device
 * @fn: called in the caller's context, with a reference to the device held and without a lock; any
 *	result but 0 stops the walk
 * @arg: for @fn
 *
 * Return: what the last call of @fn returned; 0 if @fn was not called.
 */
int ib_core_for_each_device(const struct net *net, u32 *index,
			    int (*fn)(struct ib_device *dev, void *arg), void *arg);

/*
 * Renames a device in the table and in sysfs. @name is valid, and differs from the device's present
 * name. Called with ib_core_registry_lock held. Returns 0; -EEXIST: another device has the name;
 * -ENODEV: the device is being unregistered or moved; or an error of device_rename().
 */
int ib_core_registry_rename(struct ib_device *dev, const char *name);

void ib_core_registry_exit(void);

#endif /* _KRDMA_CORE_REGISTRY_H_ */
