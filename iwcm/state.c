// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The state machine of an identifier: which event and which call is possible when, what it does,
 * and where it leads. The two tables below are all of it.
 *
 * States
 *
 *   IDLE         no connection: new, or the last event of the last one was delivered
 *   LISTEN       the provider listens; each request becomes a new identifier (child) in CONN_RECV
 *   CONN_SENT    connect or accept is with the provider, whose CONNECT_REPLY or ESTABLISHED decides
 *   CONN_RECV    a request that is neither accepted nor rejected
 *   ESTABLISHED  connected
 *   CLOSING      ending, or at its end, which has not been delivered yet
 *   DESTROYING   the client is done with it: events are refused, the last reference frees it
 *
 * Transitions
 *
 *   IDLE --listen--> LISTEN
 *   IDLE --connect--> CONN_SENT --CONNECT_REPLY--> ESTABLISHED
 *   CONN_RECV --accept--> CONN_SENT --ESTABLISHED--> ESTABLISHED
 *   CONN_RECV --reject, or the peer leaves--> IDLE
 *   ESTABLISHED --disconnect, DISCONNECT or CLOSE--> CLOSING
 *   CONN_SENT --failure, CLOSE--> CLOSING
 *   CLOSING --the last event is delivered--> IDLE
 *   CONN_SENT --connect or accept fails at the provider--> IDLE, and no event
 *   any --destroy--> DESTROYING
 *
 * The state changes when the provider reports (or a call is made), not when the event is delivered;
 * only the step from CLOSING to IDLE comes with the delivery of the last event, so that until then
 * the identifier is one that is closing, and cannot be used for a new connection.
 *
 * Events are queued on the identifier and delivered by its own work item, one a run and in order.
 * A CONNECT_REQUEST waits on the listener's queue; while its handler runs, it counts as
 * running for the child, too.
 *
 * Calls of one identifier that reach the provider exclude each other (busy), and no event is
 * delivered meanwhile: those of a connect or accept that fails in the end are thrown away unseen,
 * and nobody has to wait for a handler. Providers are called without locks; all they can meet in
 * their upcalls is the identifier's spinlock.
 *
 * Ends of things
 *
 *   the QP       is unbound at the provider's last word, inside its upcall, so that a client may
 *                destroy its QP from inside the handler; when connect or accept fails; when the
 *                provider unbinds it; when the identifier is destroyed or its device removed
 *   destroy      takes the state; does at the provider what the table says; (CONN_SENT) waits for
 *                the provider to let go of the QP; empties the queue, rejecting requests that
 *                nobody has seen; waits for the handler, except inside it; drops the client's
 *                reference. The memory goes with the last one.
 *   the device   makes the call REMOVE on each of its identifiers, which never call the provider
 *                again after it
 *
 * Lock order: iwcm_id.lock, then iwcm_device.lock. No two iwcm_id.lock nest.
 */
#include "iwcm/state.h"
#include "iwcm/event.h"
#include "iwcm/id.h"
#include "iwcm/iwcm.h"
#include "iwcm/provider.h"
#include "iwcm/qp.h"

/* The provider's events, failures apart. */
enum input {
	IN_REQUEST,
	IN_REPLY,
	IN_REPLY_FAILED,
	IN_ESTABLISHED,
	IN_ESTABLISHED_FAILED,
	IN_DISCONNECT,
	IN_CLOSE,
	NR_INPUTS
};

/*
 * An event under way.
 * @event: as the provider gave it
 * @request: IN_REQUEST: what to queue, with the child
 * @unbound: the QP whose reference is to be dropped after the lock
 */
struct step {
	const struct iw_cm_event *event;
	struct iwcm_event *request;
	struct ib_qp *unbound;
};

/* Counts the request and makes its child known to the device; a full backlog refuses it. */
static int queue_request(struct iwcm_id *id, struct step *step)
{
	struct iwcm_id *child = step->request->child;
	int ret;

	lockdep_assert_held(&id->lock);
	if (id->pending >= id->backlog)
		return -EBUSY;
	/* Once linked it may be removed: that waits for our lock to uncount it. */
	child->listener = id;
	ret = iwcm_id_link(child);
	if (ret)
		return ret;
	id->pending++;
	iwcm_id_get(id);
	iwcm_event_queue(id, step->request, step->event);
	return 0;
}

static int queue_event(struct iwcm_id *id, struct step *step)
{
	struct iwcm_event **spare = &id->spare[step->event->event];

	lockdep_assert_held(&id->lock);
	if (!*spare)
		return -EINVAL;
	iwcm_event_queue(id, *spare, step->event);
	*spare = NULL;
	return 0;
}

/* The provider's last word: the QP is free, and nothing else is to come. */
static int queue_last_event(struct iwcm_id *id, struct step *step)
{
	struct iwcm_event *spare = id->spare[step->event->event];
	int ret;

	lockdep_assert_held(&id->lock);
	if (spare)
		spare->last = true;
	ret = queue_event(id, step);
	if (ret)
		return ret;
	step->unbound = iwcm_qp_unbind_locked(id);
	iwcm_event_unreserve(id);
	return 0;
}

/* Of no interest: a request nobody has accepted is over, or we are closing anyway. */
static int ignore_event(struct iwcm_id *id, struct step *step)
{
	return 0;
}

static int refuse_event(struct iwcm_id *id, struct step *step)
{
	return -ENODEV;
}

/* The dying identifier waits for the provider to let go of the QP. */
static int refuse_and_unbind(struct iwcm_id *id, struct step *step)
{
	step->unbound = iwcm_qp_unbind_locked(id);
	return -ENODEV;
}

/*
 * What an event does, under the lock, and the state it leads to if it succeeds. Without an entry it
 * cannot occur: -EINVAL.
 */
static const struct event_rule {
	int (*act)(struct iwcm_id *id, struct step *step);
	enum iwcm_state next;
} on_event[IWCM_NR_STATES][NR_INPUTS] = {
	[IWCM_LISTEN] = {
		[IN_REQUEST]		= { queue_request, IWCM_LISTEN },
	},
	[IWCM_CONN_SENT] = {
		[IN_REPLY]		= { queue_event, IWCM_ESTABLISHED },
		[IN_REPLY_FAILED]	= { queue_last_event, IWCM_CLOSING },
		[IN_ESTABLISHED]	= { queue_event, IWCM_ESTABLISHED },
		[IN_ESTABLISHED_FAILED]	= { queue_last_event, IWCM_CLOSING },
		[IN_CLOSE]		= { queue_last_event, IWCM_CLOSING },
	},
	[IWCM_CONN_RECV] = {
		[IN_CLOSE]		= { ignore_event, IWCM_IDLE },
	},
	[IWCM_ESTABLISHED] = {
		[IN_DISCONNECT]		= { queue_event, IWCM_CLOSING },
		[IN_CLOSE]		= { queue_last_event, IWCM_CLOSING },
	},
	[IWCM_CLOSING] = {
		[IN_DISCONNECT]		= { ignore_event, IWCM_CLOSING },
		[IN_CLOSE]		= { queue_last_event, IWCM_CLOSING },
	},
	[IWCM_DESTROYING] = {
		[IN_REQUEST]		= { refuse_event, IWCM_DESTROYING },
		[IN_REPLY]		= { refuse_and_unbind, IWCM_DESTROYING },
		[IN_REPLY_FAILED]	= { refuse_and_unbind, IWCM_DESTROYING },
		[IN_ESTABLISHED]	= { refuse_and_unbind, IWCM_DESTROYING },
		[IN_ESTABLISHED_FAILED]	= { refuse_and_unbind, IWCM_DESTROYING },
		[IN_DISCONNECT]		= { refuse_event, IWCM_DESTROYING },
		[IN_CLOSE]		= { refuse_and_unbind, IWCM_DESTROYING },
	},
};

/*
 * What a call does, without a lock. Without an entry it is not valid in the state: -EINVAL.
 * @prepare: may fail and then leaves all as it was
 * @run: calls the provider
 * @during: state while @run runs
 * @done: state after it, unless events have led on from @during. After a failure, @during stays,
 * @rollback: except that this goes back to IDLE, and the caller gets whatever was reported
 * @drop_requests: in any case, the caller gets the requests that were reported
 */
static const struct call_rule {
	int (*prepare)(struct iwcm_id *id, struct iwcm_args *args);
	int (*run)(struct iwcm_id *id, struct iwcm_args *args);
	enum iwcm_state during;
	enum iwcm_state done;
	bool rollback;
	bool drop_requests;
} on_call[IWCM_NR_STATES][IWCM_NR_CALLS] = {
	[IWCM_IDLE] = {
		[IWCM_CALL_LISTEN] = {
			NULL, iwcm_do_listen, IWCM_LISTEN, IWCM_LISTEN, .rollback = true },
		[IWCM_CALL_CONNECT] = {
			iwcm_prepare_connect, iwcm_do_connect, IWCM_CONN_SENT, IWCM_CONN_SENT,
			.rollback = true },
		[IWCM_CALL_DESTROY] = { NULL, iwcm_do_nothing, IWCM_DESTROYING, IWCM_DESTROYING },
		[IWCM_CALL_REMOVE] = { NULL, iwcm_do_nothing, IWCM_IDLE, IWCM_IDLE },
	},
	[IWCM_LISTEN] = {
		[IWCM_CALL_DESTROY] = {
			NULL, iwcm_do_unlisten, IWCM_DESTROYING, IWCM_DESTROYING, .drop_requests = true },
		[IWCM_CALL_REMOVE] = {
			NULL, iwcm_do_unlisten, IWCM_IDLE, IWCM_IDLE, .drop_requests = true },
	},
	[IWCM_CONN_SENT] = {
		[IWCM_CALL_DESTROY] = { NULL, iwcm_do_abort, IWCM_DESTROYING, IWCM_DESTROYING },
		[IWCM_CALL_REMOVE] = { NULL, iwcm_do_abort_unbind, IWCM_CONN_SENT, IWCM_CONN_SENT },
	},
	[IWCM_CONN_RECV] = {
		[IWCM_CALL_ACCEPT] = {
			iwcm_prepare_accept, iwcm_do_accept, IWCM_CONN_SENT, IWCM_CONN_SENT,
			.rollback = true },
		[IWCM_CALL_REJECT] = {
			iwcm_prepare_reject, iwcm_do_reject, IWCM_IDLE, IWCM_IDLE },
		[IWCM_CALL_DESTROY] = { NULL, iwcm_do_reject, IWCM_DESTROYING, IWCM_DESTROYING },
		[IWCM_CALL_REMOVE] = { NULL, iwcm_do_reject, IWCM_IDLE, IWCM_IDLE },
	},
	[IWCM_ESTABLISHED] = {
		[IWCM_CALL_DISCONNECT] = {
			NULL, iwcm_do_disconnect, IWCM_ESTABLISHED, IWCM_CLOSING },
		[IWCM_CALL_DESTROY] = {
			NULL, iwcm_do_abort_unbind, IWCM_DESTROYING, IWCM_DESTROYING },
		[IWCM_CALL_REMOVE] = { NULL, iwcm_do_abort_unbind, IWCM_CLOSING, IWCM_CLOSING },
	},
	[IWCM_CLOSING] = {
		[IWCM_CALL_DISCONNECT] = { NULL, iwcm_do_disconnect, IWCM_CLOSING, IWCM_CLOSING },
		[IWCM_CALL_DESTROY] = {
			NULL, iwcm_do_abort_unbind, IWCM_DESTROYING, IWCM_DESTROYING },
		[IWCM_CALL_REMOVE] = { NULL, iwcm_do_abort_unbind, IWCM_CLOSING, IWCM_CLOSING },
	},
	[IWCM_DESTROYING] = {
		[IWCM_CALL_REMOVE] = { NULL, iwcm_do_unbind, IWCM_DESTROYING, IWCM_DESTROYING },
	},
};

static enum input to_input(const struct iw_cm_event *event)
{
	switch (event->event) {
	case IW_CM_EVENT_CONNECT_REQUEST:
		return IN_REQUEST;
	case IW_CM_EVENT_CONNECT_REPLY:
		return event->status ? IN_REPLY_FAILED : IN_REPLY;
	case IW_CM_EVENT_ESTABLISHED:
		return event->status ? IN_ESTABLISHED_FAILED : IN_ESTABLISHED;
	case IW_CM_EVENT_DISCONNECT:
		return IN_DISCONNECT;
	case IW_CM_EVENT_CLOSE:
		return IN_CLOSE;
	}
	return NR_INPUTS;
}

/* Takes the provider's event. @request is queued if, and only if, the result is 0. */
int iwcm_state_event(struct iwcm_id *id, const struct iw_cm_event *event,
		     struct iwcm_event *request)
{
	struct step step = { .event = event, .request = request };
	enum input input = to_input(event);
	const struct event_rule *rule;
	unsigned long flags;
	int ret = -EINVAL;

	if (input == NR_INPUTS)
		return -EINVAL;
	spin_lock_irqsave(&id->lock, flags);
	rule = &on_event[id->state][input];
	if (rule->act)
		ret = rule->act(id, &step);
	else if (id->device_removed)
		ret = -ENODEV;
	if (!ret)
		id->state = rule->next;
	spin_unlock_irqrestore(&id->lock, flags);
	iwcm_qp_put(step.unbound);
	return ret;
}

/* The last event of a connection is about to be delivered. */
void iwcm_state_delivered(struct iwcm_id *id)
{
	lockdep_assert_held(&id->lock);
	if (id->state == IWCM_CLOSING)
		id->state = IWCM_IDLE;
}

/*
 * Waits for its turn. On success the identifier is busy, and a call without prepare() has begun.
 * @from: state it begins in
 */
static int call_begin(struct iwcm_id *id, enum iwcm_call call, enum iwcm_state *from)
{
	const struct call_rule *rule;
	int ret = 0;

	spin_lock_irq(&id->lock);
	wait_event_lock_irq(id->wait, !id->busy, id->lock);
	*from = id->state;
	rule = &on_call[*from][call];
	if (call == IWCM_CALL_REMOVE)
		id->device_removed = true;
	else if (id->device_removed && call != IWCM_CALL_DESTROY)
		ret = -ENODEV;
	if (!ret && !rule->run)
		ret = -EINVAL;
	if (!ret) {
		id->busy = true;
		if (!rule->prepare)
			id->state = rule->during;
	}
	spin_unlock_irq(&id->lock);
	return ret;
}

/* The prepared call begins, unless the provider has ended the connection meanwhile. */
static int call_run(struct iwcm_id *id, enum iwcm_state from, enum iwcm_state during)
{
	int ret = 0;

	spin_lock_irq(&id->lock);
	if (id->state == from)
		id->state = during;
	else
		ret = -ECONNRESET;
	spin_unlock_irq(&id->lock);
	return ret;
}

/* Back to IDLE: nothing that was reported will be seen, the QP is free. */
static void call_rollback(struct iwcm_id *id, struct list_head *unseen)
{
	struct ib_qp *qp;

	spin_lock_irq(&id->lock);
	id->state = IWCM_IDLE;
	list_splice_init(&id->events, unseen);
	iwcm_event_unreserve(id);
	qp = iwcm_qp_unbind_locked(id);
	spin_unlock_irq(&id->lock);

	iwcm_qp_put(qp);
}

static void call_end(struct iwcm_id *id, const struct call_rule *rule, bool success,
		     struct list_head *unseen)
{
	spin_lock_irq(&id->lock);
	if (success && id->state == rule->during)
		id->state = rule->done;
	if (rule->drop_requests)
		list_splice_init(&id->events, unseen);
	id->busy = false;
	wake_up_all(&id->wait);
	iwcm_event_schedule(id);
	spin_unlock_irq(&id->lock);
}

int iwcm_state_call(struct iwcm_id *id, enum iwcm_call call, struct iwcm_args *args,
		    struct list_head *unseen)
{
	const struct call_rule *rule;
	enum iwcm_state from;
	int ret;

	might_sleep();
	ret = call_begin(id, call, &from);
	if (ret)
		return ret;
	rule = &on_call[from][call];
	if (rule->prepare) {
		ret = rule->prepare(id, args);
		if (ret)
			goto out;
		ret = call_run(id, from, rule->during);
	}
	if (!ret)
		ret = rule->run(id, args);
	if (ret && rule->rollback)
		call_rollback(id, unseen);
out:
	call_end(id, rule, !ret, unseen);
	return ret;
}
