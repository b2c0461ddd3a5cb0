/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Listeners. A struct cma_listener stands for one identifier that listens on one device.
 */
#ifndef _KRDMA_CMA_LISTEN_H_
#define _KRDMA_CMA_LISTEN_H_

#include <linux/completion.h>
#include <linux/list.h>
#include <rdma/restrack_cm.h>

struct cma_device;
struct cma_id;

/**
 * struct cma_listener - an identifier that listens on a device
 * @id: identifier, with a reference
 * @dev: the device, which is open (cma_device_open()) while the listener exists
 * @conn: the object by which the transport listens
 * @error: 0 if the transport listens; before that, and after a failure, an errno
 * @begun: completed when the transport listens or has failed, or will not be asked to listen
 * @cm: entry in the resource table; used only for a wildcard
 * @dev_entry: in cma_device.listeners, for a wildcard; protected by listen_mutex of listen.c
 * @id_entry: in cma_id.listeners, for a wildcard; protected by listen_mutex
 * @begin_entry: for a wildcard: in the queue of the thread that will call the transport's listen();
 *	empty when the listener has left the queue; protected by listen_mutex
 */
struct cma_listener {
	struct cma_id		*id;
	struct cma_device	*dev;
	void			*conn;
	int			error;
	struct completion	begun;
	struct rdma_cm_res	cm;
	struct list_head	dev_entry;
	struct list_head	id_entry;
	struct list_head	begin_entry;
};

/*
 * Lets all wildcards listen on a new device, in a work item. Waits for the work item unless the
 * wildcards may have to wait for the port mapper. A failure is logged.
 */
void cma_listen_device_add(struct cma_device *dev);

/*
 * Destroys the listeners that wildcards have on a device. Waits for requests that are being
 * delivered and, if a listener is just starting, for the transport's listen(). Does not wait for
 * the port mapper's daemon: that wait is cancelled.
 */
void cma_listen_device_remove(struct cma_device *dev);

/*
 * Makes rdma_listen() fail for the identifier from now on. A call that is waiting for the port
 * mapper's daemon also fails soon. Called before the identifier is destroyed.
 */
void cma_cancel_listen(struct cma_id *id);

/*
 * Destroys all listeners of an identifier. Waits for requests that are being delivered and, if a
 * listener is just starting on a new device, for the transport's listen(). Does not wait for the
 * port mapper's daemon: that wait is cancelled.
 */
void cma_unlisten(struct cma_id *id);

#endif /* _KRDMA_CMA_LISTEN_H_ */
