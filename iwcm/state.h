/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The state machine of an identifier.
 */
#ifndef _KRDMA_IWCM_STATE_H_
#define _KRDMA_IWCM_STATE_H_

struct iw_cm_event;
struct iwcm_args;
struct iwcm_event;
struct iwcm_id;
struct list_head;

/* Calls of clients, and of the removal of a device. */
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

/**
 * iwcm_state_event - take an event that the provider reports
 * @id: the identifier
 * @event: the event
 * @request: CONNECT_REQUEST: memory for the event, with the child; queued only on success
 *
 * Called by the provider's upcall. May call iw_rem_ref().
 *
 * Return: 0; -EINVAL if the event cannot occur in this state, or for the second time; -EBUSY if the
 * backlog is full; -ENODEV if the identifier is destroyed, or its device is being removed and the
 * event is a request or not valid in the state.
 */
int iwcm_state_event(struct iwcm_id *id, const struct iw_cm_event *event,
		     struct iwcm_event *request);

/**
 * iwcm_state_call - make a call if the state allows it
 * @id: the identifier, to which the caller has a reference
 * @call: the call
 * @args: its arguments; NULL for DESTROY and REMOVE
 * @unseen: gets the events that were reported and that the client must not see
 *
 * May sleep: waits for another call of the identifier, and calls the provider.
 *
 * Return: 0; -EINVAL if the state has no such call; -ENODEV if the device is removed; -ECONNRESET
 * if the connection ended before the provider was called; or the provider's error.
 */
int iwcm_state_call(struct iwcm_id *id, enum iwcm_call call, struct iwcm_args *args,
		    struct list_head *unseen);

/* The last event of a connection is being delivered. Called with id->lock held. */
void iwcm_state_delivered(struct iwcm_id *id);

#endif /* _KRDMA_IWCM_STATE_H_ */
