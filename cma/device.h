/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices, as rdma_cm uses them.
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
 * struct cma_device - a device by which identifiers can connect
 * @ibdev: the device
 * @transport: operations of the device's connection manager
 * @rcu: frees the structure after look-ups by network interface have ended
 * @entry: in the list of devices of listen.c, protected by listen_mutex of listen.c
 * @listeners: listeners of wildcard identifiers, protected by listen_mutex
 * @map_wq: runs what may wait for the port mapper's daemon: cma_id.map and @begin. Each device has
 *	a workqueue of its own, so that a daemon that does not answer delays no other device
 * @begin: work item that lets the wildcards listen on the device when it is added; see listen.c
 * @idle: woken when an identifier leaves or a listener is closed
 * @lock: protects the members below; cma_id.lock may be taken while it is held
 * @gone: the device is being removed and admits no new identifiers
 * @open: number of listeners that have opened the device by cma_device_open()
 * @ids: identifiers that have the device
 * @leaving: identifiers that have the device and have been chosen for DEVICE_REMOVAL
 */
struct cma_device {
	struct ib_device	*ibdev;
	const struct cma_transport *transport;
	struct rcu_head		rcu;
	struct list_head	entry;
	struct list_head	listeners;
	struct workqueue_struct	*map_wq;
	struct work_struct	begin;
	wait_queue_head_t	idle;

	spinlock_t		lock;	/* protects the members below */
	bool			gone;
	unsigned int		open;
	struct list_head	ids;
	struct list_head	leaving;
};

/**
 * cma_device_add_id - set the device of an identifier
 * @id: identifier without a device
 * @ibdev: the device, to which the caller has a reference
 * @ndev: interface that has the identifier's source address
 *
 * After success, the removal of the device waits for cma_device_del_id().
 *
 * Return: 0; -ENODEV: the device does not serve the port space, does not have the node type that
 * @id requires, or is being removed; or an error of cma_track().
 */
int cma_device_add_id(struct cma_id *id, struct ib_device *ibdev, struct net_device *ndev);

/*
 * Removes the identifier from its device, if the identifier has a device, and sets @id->dev to
 * NULL. The removal of the device waits only until no identifier has the device. The struct
 * cma_device may therefore be freed as soon as this function returns.
 */
void cma_device_del_id(struct cma_id *id);

/**
 * cma_device_open - make the removal of a device wait until cma_device_close()
 * @dev: the device
 *
 * Return: 0; -ENODEV: the device is being removed.
 */
int cma_device_open(struct cma_device *dev);
void cma_device_close(struct cma_device *dev);

/**
 * cma_device_find - find the device of an identifier by its source address, and set the device
 * @id: identifier with a source address that is no wildcard
 * @way_out: index of the interface by which packets leave for the destination, or 0
 *
 * The device is that of the interface that has the source address. If that interface has no device
 * (lo, or the master of a bridge or VRF), the device of the interface @way_out is used instead.
 *
 * Return: 0; -EADDRNOTAVAIL: no interface of the namespace has the address; -ENODEV: the interface
 * has no device, or its device is not accessible in the namespace; or an error of
 * cma_device_add_id().
 */
int cma_device_find(struct cma_id *id, int way_out);

/*
 * Returns, with a reference, the interface of the device that connections to the local address
 * @addr use: the interface in @net that has @addr or, if none of the device has it (@addr may
 * belong to lo), the first interface in @net. Returns NULL if the device has no interface in @net.
 * Also returns NULL if no interface in @net has @addr, and a port has an interface in another
 * namespace, because that interface may have @addr. Process context.
 */
struct net_device *cma_device_netdev(struct ib_device *ibdev, struct net *net,
				     const struct sockaddr_storage *addr);

/*
 * Calls @fn for each identifier that uses the interface @ndev. @fn is called with cma_device.lock
 * held, and must not sleep.
 */
void cma_device_walk(struct net_device *ndev,
		     void (*fn)(struct cma_id *id, const struct net_device *ndev));

/*
 * Returns whether @id, a listening identifier that has no device of its own, has to listen on @dev.
 */
bool cma_device_matches(const struct cma_device *dev, struct cma_id *id);

#endif /* _KRDMA_CMA_DEVICE_H_ */
