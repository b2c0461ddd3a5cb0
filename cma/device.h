/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices that have connections.
 */
#ifndef _KRDMA_CMA_DEVICE_H_
#define _KRDMA_CMA_DEVICE_H_

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

struct cma_id;
struct cma_transport;

/**
 * struct cma_device - a device that has connections
 * @ibdev: the device
 * @transport: how the device connects
 * @rcu: frees the structure after look-ups by network interface have ended
 * @entry: in the list of devices of listen.c, protected by its mutex
 * @listeners: listeners of wildcard identifiers, protected by the same mutex
 * @idle: woken when an identifier leaves or a listener is closed
 * @lock: protects the members below; the lock of an identifier nests in it
 * @gone: the device is being removed and admits no new identifiers
 * @open: number of listeners that call the transport
 * @ids: identifiers that have the device
 * @leaving: identifiers that have the device and have been chosen for DEVICE_REMOVAL
 */
struct cma_device {
	struct ib_device	*ibdev;
	const struct cma_transport *transport;
	struct rcu_head		rcu;
	struct list_head	entry;
	struct list_head	listeners;
	wait_queue_head_t	idle;

	spinlock_t		lock;	/* the members below */
	bool			gone;
	unsigned int		open;
	struct list_head	ids;
	struct list_head	leaving;
};

/**
 * cma_device_add_id - set the device of an identifier, for which a removal of the device waits
 * @id: identifier without a device
 * @ibdev: the device, with a reference of the caller
 * @ndev: interface that has the identifier's source address
 *
 * Return: 0; -ENODEV the device does not serve the port space, or is being removed; -ENOMEM.
 */
int cma_device_add_id(struct cma_id *id, struct ib_device *ibdev, struct net_device *ndev);

/*
 * Removes the identifier from its device, if it has one. The removal of the device waits for this,
 * so that @id->dev may be freed on return.
 */
void cma_device_del_id(struct cma_id *id);

/**
 * cma_device_open - let a listener call the transport until cma_device_close()
 * @dev: the device
 *
 * Return: 0; -ENODEV the device is being removed.
 */
int cma_device_open(struct cma_device *dev);
void cma_device_close(struct cma_device *dev);

/**
 * cma_device_find - set the device of an identifier by the interface that has its source address
 * @id: identifier with a source address that is no wildcard
 *
 * Return: 0; -EADDRNOTAVAIL no interface of the namespace has the address; -ENODEV the interface
 * has no device, or one of another namespace; or as cma_device_add_id().
 */
int cma_device_find(struct cma_id *id);

/*
 * Calls @fn for the identifiers of the device on an interface. @fn must not sleep: it is called
 * with the lock of the device held.
 */
void cma_device_walk(struct net_device *ndev,
		     void (*fn)(struct cma_id *id, const struct net_device *ndev));

/* Whether an identifier without a device is to listen on this one. */
bool cma_device_matches(const struct cma_device *dev, struct cma_id *id);

#endif /* _KRDMA_CMA_DEVICE_H_ */
