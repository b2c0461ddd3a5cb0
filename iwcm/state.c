// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The state machine of an identifier. For each state, the tables on_event and on_call say which
 * events and calls are possible, what they do, and which state follows.
 *
 * States
 *
 *   IDLE         no connection: new, or the last event of the last connection was delivered
 *   LISTEN       the provider listens; each request gets a new identifier (child) in CONN_RECV
 *   CONN_SENT    the provider connects or accepts, and will report CONNECT_REPLY or ESTABLISHED
 *   CONN_RECV    belongs to a request that is neither accepted nor rejected
 *   ESTABLISHED  connected
 *   CLOSING      the connection is ending, or its last event has not been delivered yet
 *   DESTROYING   destroyed by the client: events are refused, the last reference frees the memory
 *
 * Transitions
 *
 *   IDLE --listen--> LISTEN
 *   IDLE --connect--> CONN_SENT --CONNECT_REPLY--> ESTABLISHED
 *   CONN_RECV --accept--> CONN_SENT --ESTABLISHED--> ESTABLISHED
 *   CONN_RECV --reject, CLOSE--> IDLE
 *   ESTABLISHED --disconnect, DISCONNECT or CLOSE--> CLOSING
 *   CONN_SENT --failure, CLOSE--> CLOSING
 *   CLOSING --the last event is delivered--> IDLE
 *   CONN_SENT --the provider's method fails--> IDLE, and no event is delivered
 *   any --destroy--> DESTROYING
 *
 * The state changes when the provider reports an event or a call is made, not when the event is
 * delivered. The one exception is the change from CLOSING to IDLE, at the delivery of the last
 * event: until then the identifier cannot be used for a new connection.
 *
 * Events are queued on the identifier, and delivered in order by the identifier's work item, one in
 * each run. A CONNECT_REQUEST is in the listener's queue; while the handler is called with it, the
 * handler counts as running both for the listener and for the child.
 *
 * Only one call of an identifier is inside the provider at a time (iwcm_id.busy), and until that
 * call has ended no event of the identifier is delivered. If connect or accept fails, the events
 * that were reported during the call are discarded: no handler can be running with one of them.
 * Providers are called without locks, and their upcalls wait for neither a call nor a handler.
 *
 * Teardown
 *
 *   QP           is unbound when the provider reports the last event, not when the event is
 *                delivered, so that a client may destroy its QP from inside the handler. Is also
 *                unbound when connect or accept fails, when the provider unbinds it, and when the
 *                identifier is destroyed or its device is removed.
 *   destroy      changes the state; calls the function that on_call names; in CONN_SENT waits until
 *                the QP is unbound; empties the queue and rejects the requests in it; waits
 *                for the handler, unless called from inside the handler; drops the client's
 *                reference. The last reference frees the memory.
 *   device       remove_device() makes the call REMOVE for each identifier; after that call the
 *                provider is never called for the identifier again
 */
#include "iwcm/state.h"
#include "iwcm/event.h"
#include "iwcm/id.h"
#include "iwcm/iwcm.h"
#include "iwcm/provider.h"
#include "iwcm/qp.h"

/* The provider's events, as inputs of the state machine. A failure is an input of its own. */
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
 * struct step - an event that is being handled
 * @event: the provider's event
 * @request: for IN_REQUEST: memory for the event, whose child is set
 * @unbound: QP that was unbound; the caller drops the reference after it has dropped the lock
 */
struct step {
	const struct iw_cm_event *event;
	struct iwcm_event_content *request;
	struct ib_qp *unbound;
};

/* Counts the request as pending and links its child to the device, unless the backlog is full. */
static int queue_request(struct iwcm_id *id, struct step *step)
{
	struct iwcm_id *child = step->request->child;
	int ret;

	lockdep_assert_held(&id->lock);
	if (id->pending >= id->backlog)
		return -EBUSY;
	/*
	 * Set the listener before linking, because remove_device() may find the child as soon as it
	 * is linked. iwcm_id_uncount_pending() then waits for the listener's lock, which is held
	 * here until the request is counted.
	 */
	child->listener = id;
	ret = iwcm_id_link(child);
	if (ret)
		return ret;
	id->pending++;
	iwcm_id_get(id);
	iwcm_event_queue(id, &step->request->queued, step->event);
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

/* Queues the provider's last event, unbinds the QP, and frees the memory for other events. */
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

/* Accepts an event without delivery: the end of an unanswered request, or DISCONNECT in CLOSING. */
static int ignore_event(struct iwcm_id *id, struct step *step)
{
	return 0;
}

static int refuse_event(struct iwcm_id *id, struct step *step)
{
	return -ENODEV;
}

/* Refuses an event and unbinds the QP, because iwcm_id_destroy() waits until no QP is bound. */
static int refuse_and_unbind(struct iwcm_id *id, struct step *step)
{
	step->unbound = iwcm_qp_unbind_locked(id);
	return -ENODEV;
}

/*
 * struct event_rule - handling of an event in a state
 * @act: called with iwcm_id.lock held. NULL: the event cannot occur in the state, and is refused
 *	with -EINVAL
 * @next: next state, if @act succeeds
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
 * struct call_rule - handling of a call in a state
 * @prepare: called without a lock, before the state changes; if it fails, nothing has changed. May
 *	be NULL
 * @run: calls the provider, without a lock. NULL: the call is not possible in the state, and fails
 *	with -EINVAL
 * @during: state while @run runs
 * @done: state after @run has succeeded, unless events have changed the state from @during. If @run
 *	fails, the state stays @during, or is IDLE if @rollback is set
 * @rollback: if @run fails, the state is IDLE, and the events that are queued are not delivered
 * @drop_requests: requests that are still queued are not delivered, whether @run succeeds or fails
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
		[IWCM_CALL_MAP] = { NULL, iwcm_do_map, IWCM_IDLE, IWCM_IDLE },
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
			NULL, iwcm_do_unlisten, IWCM_DESTROYING, IWCM_DESTROYING,
			.drop_requests = true },
		[IWCM_CALL_REMOVE] = {
			NULL, iwcm_do_unlisten, IWCM_IDLE, IWCM_IDLE,
			.drop_requests = true },
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

int iwcm_state_event(struct iwcm_id *id, const struct iw_cm_event *event,
		     struct iwcm_event_content *request)
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

void iwcm_state_delivered(struct iwcm_id *id)
{
	lockdep_assert_held(&id->lock);
	if (id->state == IWCM_CLOSING)
		id->state = IWCM_IDLE;
}

/*
 * Waits until no other call of the identifier runs. On success, marks the identifier as busy, and
 * sets *@from to the state in which the call was made. If the call's rule has no prepare(), also
 * changes the state to rule->during.
 */
static int call_begin(struct iwcm_id *id, enum iwcm_call call, enum iwcm_state *from)
{
	const struct call_rule *rule;
	int ret = 0;

	/* A daemon that does not answer must delay neither the client nor the removal. */
	if (call == IWCM_CALL_DESTROY || call == IWCM_CALL_REMOVE)
		iwpm_wait_cancel(&id->asking);
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

/*
 * Changes the state back to IDLE, empties the queue of events, and unbinds the QP. The events with
 * content move to the list @unseen.
 */
static void call_rollback(struct iwcm_id *id, struct list_head *unseen)
{
	struct ib_qp *qp;

	spin_lock_irq(&id->lock);
	id->state = IWCM_IDLE;
	iwcm_event_take_all(id, unseen);
	iwcm_event_unreserve(id);
	qp = iwcm_qp_unbind_locked(id);
	spin_unlock_irq(&id->lock);

	iwcm_qp_put(qp);
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
		/* The provider may have ended the connection while prepare() ran. */
		spin_lock_irq(&id->lock);
		if (id->state == from)
			id->state = rule->during;
		else
			ret = -ECONNRESET;
		spin_unlock_irq(&id->lock);
	}
	if (!ret)
		ret = rule->run(id, args);
	if (ret && rule->rollback)
		call_rollback(id, unseen);
out:
	spin_lock_irq(&id->lock);
	if (!ret && id->state == rule->during)
		id->state = rule->done;
	if (rule->drop_requests)
		iwcm_event_take_all(id, unseen);
	id->busy = false;
	wake_up_all(&id->wait);
	iwcm_event_schedule(id);
	spin_unlock_irq(&id->lock);
	return ret;
}
