/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Asynchronous events of devices, ports, CQs and QPs, and their handlers.
 */
#ifndef _RDMA_VERBS_EVENT_H_
#define _RDMA_VERBS_EVENT_H_

#include <linux/list.h>
#include <rdma/verbs/types.h>

/**
 * enum ib_event_type - what happened; in parentheses the member of ib_event.element that is valid
 * @IB_EVENT_CQ_ERR: the CQ overran or cannot work any more (cq)
 * @IB_EVENT_QP_FATAL: the QP failed for a reason other than one of its requests (qp)
 * @IB_EVENT_QP_REQ_ERR: the QP received an invalid request (qp)
 * @IB_EVENT_QP_ACCESS_ERR: the QP's peer tried to access memory that it may not access (qp)
 * @IB_EVENT_COMM_EST: the first message arrived while the QP was in RTR (qp)
 * @IB_EVENT_SQ_DRAINED: the send queue is drained, in SQD (qp)
 * @IB_EVENT_PATH_MIG: the QP went over to its alternate path (qp)
 * @IB_EVENT_PATH_MIG_ERR: the QP could not go over to its alternate path (qp)
 * @IB_EVENT_DEVICE_FATAL: the device does not work any more (none)
 * @IB_EVENT_PORT_ACTIVE: the port can be used (port_num)
 * @IB_EVENT_PORT_ERR: the port cannot be used (port_num)
 * @IB_EVENT_LID_CHANGE: the port's LID changed (port_num)
 * @IB_EVENT_PKEY_CHANGE: the port's P_Key table changed (port_num)
 * @IB_EVENT_SM_CHANGE: the port has another subnet manager (port_num)
 * @IB_EVENT_SRQ_ERR: the SRQ does not work any more (srq)
 * @IB_EVENT_SRQ_LIMIT_REACHED: the SRQ has fewer requests left than its limit (srq)
 * @IB_EVENT_QP_LAST_WQE_REACHED: the QP takes no more requests from its SRQ (qp)
 * @IB_EVENT_CLIENT_REREGISTER: the subnet manager asks all clients to register again (port_num)
 * @IB_EVENT_GID_CHANGE: the port's GID table changed (port_num)
 * @IB_EVENT_WQ_FATAL: the work queue does not work any more (none)
 */
enum ib_event_type {
	IB_EVENT_CQ_ERR,
	IB_EVENT_QP_FATAL,
	IB_EVENT_QP_REQ_ERR,
	IB_EVENT_QP_ACCESS_ERR,
	IB_EVENT_COMM_EST,
	IB_EVENT_SQ_DRAINED,
	IB_EVENT_PATH_MIG,
	IB_EVENT_PATH_MIG_ERR,
	IB_EVENT_DEVICE_FATAL,
	IB_EVENT_PORT_ACTIVE,
	IB_EVENT_PORT_ERR,
	IB_EVENT_LID_CHANGE,
	IB_EVENT_PKEY_CHANGE,
	IB_EVENT_SM_CHANGE,
	IB_EVENT_SRQ_ERR,
	IB_EVENT_SRQ_LIMIT_REACHED,
	IB_EVENT_QP_LAST_WQE_REACHED,
	IB_EVENT_CLIENT_REREGISTER,
	IB_EVENT_GID_CHANGE,
	IB_EVENT_WQ_FATAL,
};

/**
 * ib_event_msg - text for an event
 * @event: the event
 *
 * Any context.
 *
 * Return: a constant text; "unrecognized event" if @event is none of the enum.
 */
const char *ib_event_msg(enum ib_event_type event) __attribute_const__;

/**
 * struct ib_event - an asynchronous event
 * @device: device of the event
 * @element: object of the event; enum ib_event_type says which member is valid
 * @element.cq: the CQ
 * @element.qp: the QP
 * @element.srq: the shared receive queue
 * @element.port_num: number of the port
 * @event: what happened
 */
struct ib_event {
	struct ib_device	*device;
	union {
		struct ib_cq	*cq;
		struct ib_qp	*qp;
		struct ib_srq	*srq;
		u32		port_num;
	} element;
	enum ib_event_type	event;
};

/**
 * struct ib_event_handler - handler of a device's events; initialised with INIT_IB_EVENT_HANDLER()
 * @device: the device
 * @handler: called in process context, for one event at a time; may sleep, but must not register or
 *	unregister handlers of the device
 * @list: private to the core
 */
struct ib_event_handler {
	struct ib_device *device;
	void (*handler)(struct ib_event_handler *handler, struct ib_event *event);
	struct list_head  list;
};

/**
 * INIT_IB_EVENT_HANDLER - initialise a handler
 * @_ptr: the struct ib_event_handler
 * @_device: the device whose events it handles
 * @_handler: the function
 */
#define INIT_IB_EVENT_HANDLER(_ptr, _device, _handler)				\
	(*(_ptr) = (struct ib_event_handler) {					\
		.device = (_device),						\
		.handler = (_handler),						\
		.list = LIST_HEAD_INIT((_ptr)->list),				\
	})

/**
 * ib_register_event_handler - register a handler of a device's events
 * @event_handler: initialised handler; in use until ib_unregister_event_handler() returns
 *
 * Process context. The handler is called for events that ib_dispatch_event() queues. Events of CQs,
 * QPs and SRQs are reported to the event handlers of these objects instead.
 */
void ib_register_event_handler(struct ib_event_handler *event_handler);
/**
 * ib_unregister_event_handler - unregister a handler
 * @event_handler: registered handler
 *
 * Process context; must not be called from a handler of the same device. On return the handler is
 * not running, and will not be called again, not even for events that are queued already.
 */
void ib_unregister_event_handler(struct ib_event_handler *event_handler);
/**
 * ib_dispatch_event - queue an event for the handlers of a device
 * @event: what happened; not needed after the call
 *
 * Any context. A work item calls the handlers, for the events in the order in which they were
 * queued. Queued events are delivered before the device is unregistered. Has no effect on a device
 * that is not registered. If there is no memory, the event is lost, and that is logged.
 */
void ib_dispatch_event(const struct ib_event *event);

#endif /* _RDMA_VERBS_EVENT_H_ */
