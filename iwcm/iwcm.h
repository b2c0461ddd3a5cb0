/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of iw_cm.ko share: identifiers, their events and the steps of their state machine.
 */
#ifndef _KRDMA_IWCM_IWCM_H_
#define _KRDMA_IWCM_IWCM_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <rdma/iw_cm.h>
#include <rdma/restrack_cm.h>

#define IWCM_MAX_PRIVATE_DATA	512
#define IWCM_DEFAULT_BACKLOG	256
#define IWCM_MAX_BACKLOG	4096

/* See state.c. */
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

/* What clients, and the removal of a device, ask of an identifier. */
enum iwcm_call {
	IWCM_CALL_LISTEN,
	IWCM_CALL_CONNECT,
	IWCM_CALL_ACCEPT,
	IWCM_CALL_REJECT,
	IWCM_CALL_DISCONNECT,
	IWCM_CALL_DESTROY,
	IWCM_CALL_REMOVE,
	IWCM_NR_CALLS
};

struct iwcm_id;
struct iwpm_map;

/**
 * struct iwcm_device - a device that has iWARP connections
 * @refs: one of the client, until remove(), and one of each identifier
 * @rcu: frees it, because iw_create_cm_id() looks it up under RCU
 * @lock: guards all below; nests inside an identifier's lock, with interrupts off
 * @gone: remove() has begun: no new identifiers
 * @ids: identifiers that may still call the provider
 * @tracking: guards iwcm_id.tracked; held while one leaves the resource table, which waits for
 *	those that read there. Nests in nothing
 */
struct iwcm_device {
	struct kref		refs;
	struct rcu_head		rcu;
	struct mutex		tracking; /* iwcm_id.tracked */
	spinlock_t		lock;	/* guards what follows */
	bool			gone;
	struct list_head	ids;
};

/**
 * struct iwcm_event - an event on its way to the client, with its own copy of the private data
 * @entry: in iwcm_id.events
 * @event: what the handler sees
 * @child: CONNECT_REQUEST: identifier of the new connection, with a reference
 * @last: the provider's last word on this connection
 * @room: bytes at @data
 * @data: private data
 */
struct iwcm_event {
	struct list_head	entry;
	struct iw_cm_event	event;
	struct iwcm_id		*child;
	bool			last;
	u16			room;
	u8			data[];
};

/**
 * struct iwcm_id - an identifier
 * @base: what clients and providers see
 * @refs: one of the client until it is destroyed, one of @work while it is queued or running, those
 *	of the provider (add_ref, rem_ref), one of each child that has @listener set, and one of the
 *	event that carries a child
 * @dev: its device
 * @dev_entry: in iwcm_device.ids; guarded by iwcm_device.lock
 * @cm: what the resource table knows of it
 * @tracked: it is in the table; guarded by iwcm_device.tracking
 * @work: delivers @events
 * @wait: woken when @busy, @handler or @qp become 0
 * @lock: guards all below; taken with interrupts off, held for a few instructions only, never
 *	across a call into client or provider other than iw_add_ref(). Locks of two identifiers
 *	never nest.
 * @state: see state.c
 * @busy: a call of the client is inside the provider: others wait, and no event is delivered
 * @gone: the device is removed: the provider must not be called
 * @handler: task that runs the client's handler for this identifier, or NULL
 * @events: events to deliver, oldest first
 * @spare: memory for the events of this connection that have not come yet, by type. Each comes at
 *	most once, and none can be lost for want of memory.
 * @qp: QP that is bound, with a reference
 * @requested_state: state that the QP was last told to go to: RESET for none, SQD or ERR
 * @backlog: LISTEN: limit of @pending
 * @pending: LISTEN: requests that are queued, or delivered and not answered
 * @listener: the listener that counts this request in its @pending
 * @mapping: of the address that it listens on or connects from; NULL: not mapped
 */
struct iwcm_id {
	struct iw_cm_id		base;
	struct kref		refs;
	struct iwcm_device	*dev;
	struct list_head	dev_entry;
	struct rdma_cm_res	cm;
	bool			tracked;
	struct work_struct	work;
	wait_queue_head_t	wait;

	spinlock_t		lock;	/* guards what follows */
	enum iwcm_state		state;
	bool			busy;
	bool			gone;
	struct task_struct	*handler;
	struct list_head	events;
	struct iwcm_event	*spare[IW_CM_EVENT_CLOSE + 1];
	struct ib_qp		*qp;
	enum ib_qp_state	requested_state;
	int			backlog;
	int			pending;
	struct iwcm_id		*listener;
	struct iwpm_map		*mapping;
};

static inline struct iwcm_id *to_iwcm_id(struct iw_cm_id *base)
{
	return container_of(base, struct iwcm_id, base);
}

static inline bool iwcm_is_inet(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET || addr->ss_family == AF_INET6;
}

/**
 * struct iwcm_args - arguments of a call
 * @param: connect, accept
 * @private_data: reject
 * @private_data_len: reject
 * @backlog: listen
 * @abrupt: disconnect
 */
struct iwcm_args {
	struct iw_cm_conn_param	*param;
	const void		*private_data;
	u16			private_data_len;
	int			backlog;
	bool			abrupt;
};

/* id.c: identifiers and devices, and who is in whose list */
/* Waits until all identifiers are freed: providers may hold some long after their clients. */
void iwcm_ids_wait(void);
/* An idle identifier of which the device does not know yet, charged to the caller; or NULL. */
struct iwcm_id *iwcm_id_new(struct iwcm_device *dev, struct ib_device *ibdev);
void iwcm_id_get(struct iwcm_id *id);
void iwcm_id_put(struct iwcm_id *id);
/* The request no longer counts as pending: it is accepted, rejected, or of no interest. */
void iwcm_id_put_backlog(struct iwcm_id *child);
void iwcm_device_put(struct iwcm_device *dev);
/* When the device goes, it removes the identifier. Returns -ENODEV if it is going already. */
int iwcm_device_link(struct iwcm_id *id);
/* The identifier does not call the provider any more. May be called twice. */
void iwcm_device_unlink(struct iwcm_id *id);

/* track.c: an identifier in the resource table, unless its owner has no name there */
int iwcm_id_track(struct iwcm_id *id, const char *caller);
int iwcm_id_track_child(struct iwcm_id *child, const struct iwcm_id *listener);
void iwcm_id_untrack(struct iwcm_id *id);

/* qp.c: binding an identifier and a QP */
void iwcm_qp_bind(struct iwcm_id *id, struct ib_qp *qp);
struct ib_qp *iwcm_qp_take(struct iwcm_id *id);
void iwcm_qp_drop(struct ib_qp *qp);
void iwcm_qp_unbind(struct iwcm_id *id);
int iwcm_qp_move(struct iwcm_id *id, enum ib_qp_state to);

/* event.c: memory for events, and the queue of an identifier */
int iwcm_event_init(void);
void iwcm_event_exit(void);
/* With room for so many bytes of private data; or NULL. */
struct iwcm_event *iwcm_event_new(u16 room);
int iwcm_event_reserve(struct iwcm_id *id, enum iw_cm_event_type opening);
void iwcm_event_unreserve(struct iwcm_id *id);
void iwcm_event_queue(struct iwcm_id *id, struct iwcm_event *event,
		      const struct iw_cm_event *from);
/* Called with the identifier's lock held. Whether its work has something to deliver now. */
bool iwcm_event_deliverable(const struct iwcm_id *id);
void iwcm_event_schedule(struct iwcm_id *id);
void iwcm_event_drop(struct iwcm_id *id, enum iw_cm_event_type type);

/* portmap.c */
/* The addresses on the wire, by the port mapper if it maps them; 0 or what it answered. */
int iwcm_map(struct iwcm_id *id, bool active);
void iwcm_unmap(struct iwcm_id *id);
/* A request is about to be delivered. */
void iwcm_unmap_request(struct iwcm_id *listener, struct iwcm_id *child, struct iw_cm_event *event);

/* provider.c: what a call does at the provider; no lock is held */
int iwcm_prepare_connect(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_prepare_accept(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_prepare_reject(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_nothing(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_listen(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_unlisten(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_connect(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_accept(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_reject(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_disconnect(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_abort(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_abort_unbind(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_unbind(struct iwcm_id *id, struct iwcm_args *args);

/* state.c */
int iwcm_state_event(struct iwcm_id *id, const struct iw_cm_event *event,
		     struct iwcm_event *request);
/*
 * Makes a call if the state allows it. The caller has a reference; may sleep. The list @unseen gets
 * the events that were reported and that the client is not to see.
 */
int iwcm_state_call(struct iwcm_id *id, enum iwcm_call call, struct iwcm_args *args,
		    struct list_head *unseen);
void iwcm_state_delivered(struct iwcm_id *id);

/* handler.c: the provider's upcall, the client's handler, and the end of an identifier */
/* An identifier as iwcm_id_new() makes it, whose events find their handler; or NULL. */
struct iwcm_id *iwcm_id_create(struct iwcm_device *dev, struct ib_device *ibdev);
/* Drops the client's reference; of two callers, one does. */
void iwcm_id_destroy(struct iwcm_id *id);
/* iwcm_state_call(), after which nothing is left of the events that the client is not to see. */
int iwcm_id_call(struct iwcm_id *id, enum iwcm_call call, struct iwcm_args *args);

/* device.c */
int iwcm_device_init(void);
void iwcm_device_exit(void);
/* With a reference; -EOPNOTSUPP no iWARP device, -ENODEV not registered or on its way out. */
struct iwcm_device *iwcm_device_get(struct ib_device *ibdev);

#endif /* _KRDMA_IWCM_IWCM_H_ */
