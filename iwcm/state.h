/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state machine of an identifier.
 */
#ifndef _KRDMA_IWCM_STATE_H_
#define _KRDMA_IWCM_STATE_H_

struct iw_cm_event;
struct iwcm_args;
struct iwcm_event_content;
struct iwcm_id;
struct list_head;

/* Calls of clients, and REMOVE, which remove_device() makes. */
enum iwcm_call {
	IWCM_CALL_MAP,
	IWCM_CALL_LISTEN,
	IWCM_CALL_CONNECT,
	IWCM_CALL_ACCEPT,
	IWCM_CALL_REJECT,
	IWCM_CALL_DISCONNECT,
	IWCM_CALL_DESTROY,
	IWCM_CALL_REMOVE,
	IWCM_NR_CALLS
};

/**
 * iwcm_state_event - handle an event that the provider reports
 * @id: the identifier
 * @event: the event
 * @request: for a CONNECT_REQUEST: memory for the event, whose child is set; queued only on success
 *
 * Called in the provider's upcall. May call iw_rem_ref().
 *
 * Return: 0; -EINVAL if the event cannot occur in the identifier's state, or has occurred before;
 * -EBUSY if the backlog is full; -ENODEV if the identifier is destroyed. While the device is being
 * removed, a request, or an event that cannot occur in the state, also gets -ENODEV.
 */
int iwcm_state_event(struct iwcm_id *id, const struct iw_cm_event *event,
		     struct iwcm_event_content *request);

/**
 * iwcm_state_call - make a call if the state allows it
 * @id: the identifier, to which the caller has a reference
 * @call: the call
 * @args: arguments of the call; NULL for DESTROY and REMOVE
 * @unseen: out: list of the events with content that were reported but must not be delivered
 *
 * May sleep: the function waits until no other call of the identifier runs, and calls the provider.
 * LISTEN, MAP and CONNECT may wait for the port mapper's daemon; DESTROY and REMOVE end that wait.
 *
 * Return: 0; -EINVAL if the call is not possible in the identifier's state; -ENODEV if the device
 * is removed; -ECONNRESET if the connection ended before the provider was called; or the error of
 * the call's step in provider.h.
 */
int iwcm_state_call(struct iwcm_id *id, enum iwcm_call call, struct iwcm_args *args,
		    struct list_head *unseen);

/*
 * Changes the state from CLOSING to IDLE. Called with id->lock held, directly before the last event
 * of a connection is delivered.
 */
void iwcm_state_delivered(struct iwcm_id *id);

#endif /* _KRDMA_IWCM_STATE_H_ */
