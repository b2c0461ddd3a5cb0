/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Events on their way to the client: their memory, and each identifier's queue of events.
 */
#ifndef _KRDMA_IWCM_EVENT_H_
#define _KRDMA_IWCM_EVENT_H_

#include <linux/gfp.h>
#include <linux/list.h>
#include <rdma/iw_cm.h>

struct iwcm_id;

struct iwcm_event_content;

/**
 * struct iwcm_event - an event to be delivered
 * @entry: entry in iwcm_id.events
 * @type: kind of event
 * @status: 0 or negative errno
 * @last: the event is the last one of its connection
 * @content: addresses and private data of the event; NULL for DISCONNECT and CLOSE, which have none
 */
struct iwcm_event {
	struct list_head		entry;
	enum iw_cm_event_type		type;
	int				status;
	bool				last;
	struct iwcm_event_content	*content;
};

/**
 * struct iwcm_event_content - an event with addresses and private data, in one allocation
 * @queued: the entry in the queue, whose @content is this structure
 * @event: event that is passed to the client's handler
 * @child: for a CONNECT_REQUEST: identifier of the new connection, with a reference
 * @room: size of @data in bytes
 * @data: private data
 */
struct iwcm_event_content {
	struct iwcm_event	queued;
	struct iw_cm_event	event;
	struct iwcm_id		*child;
	u16			room;
	u8			data[];
};

int iwcm_event_init(void);
void iwcm_event_exit(void);

/*
 * Returns an event with room for @room bytes of private data, allocated with the flags @gfp, or
 * NULL if there is no memory.
 */
struct iwcm_event_content *iwcm_event_new(u16 room, gfp_t gfp);

/**
 * iwcm_event_reserve - make sure that there is memory for all events of a connection
 * @id: the identifier: its @busy is set, its queue of events is empty, and its state refuses the
 *	provider's events
 * @opening: the connection's first event, CONNECT_REPLY or ESTABLISHED
 *
 * Return: 0 or -ENOMEM.
 */
int iwcm_event_reserve(struct iwcm_id *id, enum iw_cm_event_type opening);

/*
 * Frees the memory that iwcm_event_reserve() has allocated and no event has used. Called with
 * id->lock held.
 */
void iwcm_event_unreserve(struct iwcm_id *id);

/**
 * iwcm_event_queue - queue an event for delivery
 * @id: the identifier; called with its lock held
 * @event: memory for the queued event; belongs to the queue from now on
 * @from: the event, copied with as much of its private data as @event has room for
 */
void iwcm_event_queue(struct iwcm_id *id, struct iwcm_event *event,
		      const struct iw_cm_event *from);

/* Returns whether an event can be delivered now. Called with id->lock held. */
bool iwcm_event_deliverable(const struct iwcm_id *id);

/*
 * Schedules delivery if an event can be delivered now. Called with id->lock held, after each change
 * that may make an event deliverable: an event was queued, or id->busy or id->handler was cleared.
 */
void iwcm_event_schedule(struct iwcm_id *id);

/*
 * Removes all events from the queue, and moves those with content to @to. An event without content
 * is a member of struct iwcm_id, and needs no freeing. Called with id->lock held.
 */
void iwcm_event_take_all(struct iwcm_id *id, struct list_head *to);

/* Removes DISCONNECT from the queue if it is there. Called with id->lock held. */
void iwcm_event_drop_disconnect(struct iwcm_id *id);

#endif /* _KRDMA_IWCM_EVENT_H_ */
