/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Delivery of events to consumers.
 */
#ifndef _KRDMA_CMA_HANDLER_H_
#define _KRDMA_CMA_HANDLER_H_

#include <linux/socket.h>
#include <linux/types.h>

struct cma_id;
struct ib_device;
struct rdma_cm_event;

/**
 * cma_deliver_unlock - call the consumer's handler, and release the handler lock
 * @id: the identifier, with its handler lock held
 * @event: the event; NULL: the handler is not called
 *
 * If the handler returns non-zero, the identifier is destroyed.
 *
 * Return: whether the identifier was destroyed.
 */
bool cma_deliver_unlock(struct cma_id *id, struct rdma_cm_event *event);

/*
 * Delivers DEVICE_REMOVAL, and drops the caller's reference to the identifier. May destroy the
 * identifier. Must not be called from a work item or callback of the identifier, because the
 * destruction waits for them.
 */
void cma_deliver_removal(struct cma_id *id);

/**
 * cma_request_lock - create the identifier of a request, and take the handler locks
 * @listener: identifier that listens
 * @ibdev: device to which the request has come
 * @local: our address and port
 * @remote: the peer's address and port
 *
 * After success the transport sets cma_id.conn, and calls cma_request_deliver_unlock().
 *
 * Return: the new identifier, with its handler lock and that of the listener held. After an error
 * neither lock is held, and ERR_PTR is returned: -ECONNABORTED: @listener does not listen any more;
 * -EADDRNOTAVAIL: cma_device_netdev() finds no interface; -ENOMEM: no memory; or an error of
 * cma_device_add_id().
 */
struct cma_id *cma_request_lock(struct cma_id *listener, struct ib_device *ibdev,
				const struct sockaddr_storage *local,
				const struct sockaddr_storage *remote);

/**
 * cma_request_deliver_unlock - deliver a request, and release both handler locks
 * @listener: identifier that listens, with its handler lock held
 * @id: identifier that cma_request_lock() returned, with its handler lock held
 * @event: the event
 *
 * Return: whether @id was destroyed, because the handler returned non-zero. If so, the transport
 * closes the connection itself.
 */
bool cma_request_deliver_unlock(struct cma_id *listener, struct cma_id *id,
				struct rdma_cm_event *event);

#endif /* _KRDMA_CMA_HANDLER_H_ */
