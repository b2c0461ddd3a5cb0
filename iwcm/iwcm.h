/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The structure of an identifier of iw_cm.ko. Each .c file has a header of its own for its
 * functions.
 */
#ifndef _KRDMA_IWCM_IWCM_H_
#define _KRDMA_IWCM_IWCM_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/iw_cm.h>
#include <rdma/iw_portmap.h>
#include <rdma/restrack_cm.h>

#include "iwcm/event.h"

#define IWCM_MAX_PRIVATE_DATA	512

struct iwcm_device;

/* The head comment of state.c describes the states. */
enum iwcm_state {
	IWCM_IDLE,
	IWCM_LISTEN,
	IWCM_CONN_SENT,
	IWCM_CONN_RECV,
	IWCM_ESTABLISHED,
	IWCM_CLOSING,
	IWCM_DESTROYING,
	IWCM_NR_STATES
};

/**
 * struct iwcm_id - an identifier
 * @base: the part that clients and providers see
 * @refs: references: the client holds one until it destroys the identifier; @work holds one while
 *	it is queued or running; the provider holds those that it takes by add_ref() and drops by
 *	rem_ref(); each child whose @listener is this identifier holds one; and the event whose
 *	child is this identifier holds one
 * @dev: iw_cm's state of the identifier's device, with a reference
 * @dev_entry: entry in iwcm_device.ids; protected by iwcm_device.lock
 * @cm: the identifier's entry in the resource table
 * @tracked: @cm is in the resource table; protected by iwcm_device.tracking
 * @work: delivers @events
 * @asking: lets the calls DESTROY and REMOVE end another call's wait for the port mapper
 * @wait: woken when @busy, @handler or @qp is cleared
 * @lock: protects all fields below; taken with interrupts off and held for a few instructions. With
 *	the lock held, neither the client nor the provider is called, except iw_add_ref(). A thread
 *	holds the lock of one identifier at a time.
 * @state: see state.c
 * @busy: a call is in progress and may be inside the provider; meanwhile other calls wait, and no
 *	event is delivered
 * @device_removed: the provider must not be called any more
 * @handler: task that runs the client's handler for this identifier, or NULL
 * @events: events to deliver, oldest first
 * @spare: memory for the connection's future events, by type, so that no event is lost for lack of
 *	memory; each type occurs at most once
 * @disconnect: memory for the connection's DISCONNECT, in @spare or @events
 * @close: memory for the connection's CLOSE, in @spare or @events
 * @qp: the bound QP, with a reference
 * @requested_state: state that iw_cm last asked the QP to enter, SQD or ERR; RESET if iw_cm has not
 *	asked yet
 * @backlog: in state LISTEN: limit of @pending
 * @pending: in state LISTEN: number of requests that are queued, or that the client has not
 *	answered yet
 * @listener: the listener that counts this request in its @pending, with a reference
 * @mapping: the port mapper's mapping of the local address; NULL: not mapped
 * @mapped_first: iw_cm_map() has set the addresses on the wire; changed while @busy
 */
struct iwcm_id {
	struct iw_cm_id		base;
	struct kref		refs;
	struct iwcm_device	*dev;
	struct list_head	dev_entry;
	struct rdma_cm_res	cm;
	bool			tracked;
	struct work_struct	work;
	struct iwpm_wait	asking;
	wait_queue_head_t	wait;

	spinlock_t		lock;	/* protects the fields below */
	enum iwcm_state		state;
	bool			busy;
	bool			device_removed;
	struct task_struct	*handler;
	struct list_head	events;
	struct iwcm_event	*spare[IW_CM_EVENT_CLOSE + 1];
	struct iwcm_event	disconnect;
	struct iwcm_event	close;
	struct ib_qp		*qp;
	enum ib_qp_state	requested_state;
	int			backlog;
	int			pending;
	struct iwcm_id		*listener;
	struct iwpm_map		*mapping;
	bool			mapped_first;
};

static inline struct iwcm_id *to_iwcm_id(struct iw_cm_id *base)
{
	return container_of(base, struct iwcm_id, base);
}

static inline bool iwcm_is_inet(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET || addr->ss_family == AF_INET6;
}

#endif /* _KRDMA_IWCM_IWCM_H_ */
