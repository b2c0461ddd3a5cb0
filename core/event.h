/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Asynchronous events of a device: accepted between start and stop, delivered by a work item.
 */
#ifndef _KRDMA_CORE_EVENT_H_
#define _KRDMA_CORE_EVENT_H_

struct ib_device;
struct ib_event;

/**
 * struct ib_core_event_cache - callbacks that update the caches of ports when an event occurs
 * @event: called with each event before the event's handlers run; may sleep
 * @lost: called, in any context, with an event that is lost because there is no memory to queue it
 * @renew: refills the caches of the ports whose events were lost; may sleep
 */
struct ib_core_event_cache {
	void (*event)(const struct ib_event *event);
	void (*lost)(const struct ib_event *event);
	void (*renew)(struct ib_device *dev);
};

void ib_core_events_setup(struct ib_device *dev);

/* After this call ib_dispatch_event() queues events; until then it discards them. */
void ib_core_events_start(struct ib_device *dev);

/* Returns when the events dispatched before the call have been delivered. May sleep. */
void ib_core_events_flush(struct ib_device *dev);

/*
 * Makes ib_dispatch_event() discard further events, and returns when all queued events have been
 * delivered. May sleep.
 */
void ib_core_events_stop(struct ib_device *dev);

/*
 * Prepares the delivery of events. The callbacks in @cache are called until ib_core_event_exit().
 * Returns 0 or -ENOMEM.
 */
int ib_core_event_init(const struct ib_core_event_cache *cache);
void ib_core_event_exit(void);

#endif /* _KRDMA_CORE_EVENT_H_ */
