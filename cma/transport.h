/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Transports: the connection managers below rdma_cm, and their operations.
 */
#ifndef _KRDMA_CMA_TRANSPORT_H_
#define _KRDMA_CMA_TRANSPORT_H_

#include <linux/types.h>
#include <rdma/rdma_cm.h>

struct cma_id;
struct cma_listener;
struct ib_device;

/**
 * struct cma_transport - operations of the connection manager of a device
 *
 * The operations that take an identifier are called only while the identifier has a device.
 *
 * @serves: returns whether the transport has connections of this port space
 * @listen: makes @listener accept requests, for each of which the transport calls
 *	cma_request_lock(). May wait for a daemon
 * @prepare_listen: creates listener->conn
 * @cancel_listen: makes @listen end soon if another thread is waiting in it
 * @unlisten: undoes @prepare_listen and @listen, even if @listen has failed or was not called, and
 *	waits for reports that are being delivered. Called without locks
 * @map_waits: returns whether @map may have to wait for a daemon
 * @map: does the part of the work for @connect that may have to wait for a daemon. Called before
 *	@connect, without locks, in state ROUTE_QUERY
 * @cancel_map: makes @map end soon if another thread is waiting in it. Called in state DESTROYING
 * @connect: starts to connect; the parameters name the QP. Called with the handler lock held
 * @accept: accepts a request, with the QP that the parameters name. Called with the handler lock
 *	held. If @accept fails, the caller rejects the request
 * @reject: rejects a request
 * @disconnect: closes a connection
 * @release: releases the connection in any state, and waits for reports that are being delivered,
 *	except for a report that the calling thread delivers. Called without locks
 * @init_qp_attr: fills in the attributes of a QP for the state attr->qp_state
 * @reject_msg: returns the text for the status of REJECTED
 * @is_consumer_reject: returns whether the status of REJECTED means that the peer's consumer has
 *	rejected
 */
struct cma_transport {
	bool (*serves)(enum rdma_ucm_port_space ps);
	int (*prepare_listen)(struct cma_listener *listener);
	int (*listen)(struct cma_listener *listener, int backlog);
	void (*cancel_listen)(struct cma_listener *listener);
	void (*unlisten)(struct cma_listener *listener);
	bool (*map_waits)(const struct ib_device *ibdev);
	int (*map)(struct cma_id *id);
	void (*cancel_map)(struct cma_id *id);
	int (*connect)(struct cma_id *id, const struct rdma_conn_param *param);
	int (*accept)(struct cma_id *id, const struct rdma_conn_param *param);
	int (*reject)(struct cma_id *id, const void *private_data, u8 len, u8 reason);
	int (*disconnect)(struct cma_id *id);
	void (*release)(struct cma_id *id);
	int (*init_qp_attr)(struct cma_id *id, struct ib_qp_attr *attr, int *mask);
	const char *(*reject_msg)(int reason);
	bool (*is_consumer_reject)(int reason);
};

/* iw.c */
extern const struct cma_transport cma_iw;

#endif /* _KRDMA_CMA_TRANSPORT_H_ */
