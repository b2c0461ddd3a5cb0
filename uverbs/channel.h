/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Event channels, and the sources of their events.
 */
#ifndef _KRDMA_UVERBS_CHANNEL_H_
#define _KRDMA_UVERBS_CHANNEL_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

struct fasync_struct;
struct ib_uverbs_file;
struct uverbs_attr_bundle;

/**
 * struct uverbs_event_source - the events of an object
 * @channel: channel that they go to, or NULL; referenced
 * @entry: in uverbs_channel.sources while an event is pending
 * @element: name that the process has given to the object
 * @pending: on a completion channel the number of pending events; else a bit for each event type
 *	that is pending
 * @reported: events that the process has read
 *
 * The members behind @channel are protected by uverbs_channel.lock. No event is lost for lack of
 * memory, because none is allocated when it occurs.
 */
struct uverbs_event_source {
	struct uverbs_channel	*channel;
	struct list_head	entry;
	u64			element;
	unsigned int		pending;
	u32			reported;
};

/**
 * struct uverbs_channel - an event channel
 * @ref: held by its struct file, its sources, and ib_uverbs_file.async
 * @ufile: the file that it was created by; referenced
 * @completions: for completion events, else for asynchronous events
 * @entry: in ib_uverbs_file.channels
 * @lock: protects the members from @sources to @ended; taken with interrupts off
 * @sources: those with a pending event
 * @port_event_list: struct port_event that are pending
 * @num_port_events: their number
 * @fatal: IB_EVENT_DEVICE_FATAL is pending
 * @ended: no further event is queued, because the file was emptied
 * @wait: readers that wait for an event
 * @fasync: files that get SIGIO
 */
struct uverbs_channel {
	struct kref		ref;
	struct ib_uverbs_file	*ufile;
	bool			completions;
	struct list_head	entry;
	spinlock_t		lock; /* sources to ended */
	struct list_head	sources;
	struct list_head	port_event_list;
	unsigned int		num_port_events;
	bool			fatal;
	bool			ended;
	wait_queue_head_t	wait;
	struct fasync_struct	*fasync;
};

/**
 * uverbs_channel_new - create an event channel
 * @call: the call; owns the channel's file until it ends, by call->new_file
 * @completions: for completion events, else for asynchronous events
 * @channel: is set to the channel, without a reference for the caller
 *
 * Return: the channel's file descriptor, or an errno.
 */
int uverbs_channel_new(struct uverbs_attr_bundle *call, bool completions,
		       struct uverbs_channel **channel);

/**
 * uverbs_channel_get - look up a channel
 * @file: file that the channel has to belong to
 * @fd: a file descriptor of the process
 * @completions: what the channel has to be for
 *
 * Return: the channel, for uverbs_channel_put(); ERR_PTR: -EBADF nothing is open there, -EINVAL not
 * such a channel.
 */
struct uverbs_channel *uverbs_channel_get(struct ib_uverbs_file *file, int fd, bool completions);

/* Drops a reference. May sleep. */
void uverbs_channel_put(struct uverbs_channel *channel);

/**
 * uverbs_event_source_init - connect a source to its channel
 * @source: the source, zeroed
 * @channel: the channel, the reference to which is taken over; or NULL: events are dropped
 * @element: what the process reads with each event
 */
void uverbs_event_source_init(struct uverbs_event_source *source, struct uverbs_channel *channel,
			      u64 element);

/**
 * uverbs_event_source_end - disconnect a source from its channel
 * @source: the source; zeroed or initialized. Nothing reports an event to it any more
 *
 * Drops the events that were not read; source->reported stays. May sleep.
 */
void uverbs_event_source_end(struct uverbs_event_source *source);

/* Queues a completion event. Any context. */
void uverbs_event_source_completed(struct uverbs_event_source *source);

/* Queues an asynchronous event, unless one of that type is pending. Any context. */
void uverbs_event_source_event(struct uverbs_event_source *source, enum ib_event_type event);

/**
 * uverbs_channel_event - queue an event of a port, or of the device
 * @channel: a channel for asynchronous events; the caller keeps it
 * @event: the event's type
 * @element: the port
 *
 * A port's event is dropped if memory is short or too many are pending. May sleep.
 */
void uverbs_channel_event(struct uverbs_channel *channel, enum ib_event_type event, u32 element);

/**
 * uverbs_channels_end - end all channels of a file
 * @file: the file
 *
 * A process can still read the pending events; then it gets -EIO. May sleep.
 */
void uverbs_channels_end(struct ib_uverbs_file *file);

#endif /* _KRDMA_UVERBS_CHANNEL_H_ */
