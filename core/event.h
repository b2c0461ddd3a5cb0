/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Asynchronous events of a device: accepted between start and stop, delivered by a work item.
 */
#ifndef _KRDMA_CORE_EVENT_H_
#define _KRDMA_CORE_EVENT_H_

struct ib_device;

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

int ib_core_event_init(void);
void ib_core_event_exit(void);

#endif /* _KRDMA_CORE_EVENT_H_ */
