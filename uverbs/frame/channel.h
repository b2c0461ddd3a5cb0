/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Event channels, and the sources of their events.
 */
#ifndef _KRDMA_UVERBS_FRAME_CHANNEL_H_
#define _KRDMA_UVERBS_FRAME_CHANNEL_H_

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
 * @channel: channel to which the events go, referenced; NULL: events are dropped
 * @entry: in uverbs_channel.sources while an event is pending
 * @element: name that the process has given to the object
 * @pending: for completion events: the number of events that are pending; for asynchronous events:
 *	a bit for each type of event that is pending
 * @reported: number of events that the process has read
 *
 * The members below @channel are protected by the channel's lock. No event is lost for lack of
 * memory, because queueing an event allocates none.
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
 * @ufile: the file by which the channel was created; referenced
 * @completions: true: the channel is for completion events; false: for asynchronous events
 * @entry: in ib_uverbs_file.channels
 * @lock: protects the members from @sources to @ended; taken with interrupts off
 * @sources: sources that have a pending event
 * @port_event_list: pending events of ports, each a struct port_event
 * @num_port_events: number of entries in @port_event_list
 * @fatal: IB_EVENT_DEVICE_FATAL is pending
 * @ended: uverbs_channels_end() was called: readers get -EIO when no event is pending. Events of
 *	objects that still exist are queued nevertheless
 * @wait: readers that wait for an event
 * @fasync: files whose owners get SIGIO
 */
struct uverbs_channel {
	struct kref		ref;
	struct ib_uverbs_file	*ufile;
	bool			completions;
	struct list_head	entry;
	spinlock_t		lock; /* protects the members from @sources to @ended */
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
 * @call: the call; call->new_file is set to the channel's struct file, and call->new_fd to its file
 *	descriptor. uverbs_call_end() installs or puts both
 * @completions: true: for completion events; false: for asynchronous events
 *
 * Return: the channel's file descriptor, or an errno.
 */
int uverbs_channel_new(struct uverbs_attr_bundle *call, bool completions);

/**
 * uverbs_channel_get - look up a channel
 * @file: file that the channel has to belong to
 * @fd: a file descriptor of the process
 * @completions: true: the channel has to be for completion events; false: for asynchronous events
 *
 * Return: the channel, for uverbs_channel_put(); ERR_PTR: -EBADF: @fd is not open; -EINVAL: @fd is
 * not a channel of @file, or is a channel for the other kind of events.
 */
struct uverbs_channel *uverbs_channel_get(struct ib_uverbs_file *file, int fd, bool completions);

/* Drops a reference. May sleep. */
void uverbs_channel_put(struct uverbs_channel *channel);

/**
 * uverbs_event_source_init - connect a source to its channel
 * @source: the source, zeroed
 * @channel: the channel; the source takes over the caller's reference. NULL: events are dropped
 * @element: number that the process reads with each event
 */
void uverbs_event_source_init(struct uverbs_event_source *source, struct uverbs_channel *channel,
			      u64 element);

/**
 * uverbs_event_source_end - disconnect a source from its channel
 * @source: the source, zeroed or initialized; the caller has made sure that no further event is
 *	reported to @source
 *
 * Drops the events that the process has not read. source->reported keeps its value. May sleep.
 */
void uverbs_event_source_end(struct uverbs_event_source *source);

/* Queues a completion event. Called in any context. */
void uverbs_event_source_completed(struct uverbs_event_source *source);

/*
 * Queues an asynchronous event, unless an event of that type is pending in @source. Called in any
 * context.
 */
void uverbs_event_source_event(struct uverbs_event_source *source, enum ib_event_type event);

/**
 * uverbs_channel_event - queue an event of a port, or of the device
 * @channel: a channel for asynchronous events; the caller ensures that it is not freed
 * @event: the event's type
 * @element: number of the port; ignored for IB_EVENT_DEVICE_FATAL
 *
 * An event other than IB_EVENT_DEVICE_FATAL is dropped if no memory is left, or if too many events
 * are pending. May sleep.
 */
void uverbs_channel_event(struct uverbs_channel *channel, enum ib_event_type event, u32 element);

/**
 * uverbs_channels_end - end all channels of a file
 * @file: the file
 *
 * A process can still read the pending events. Once no event is pending, read() fails with -EIO
 * instead of waiting. May sleep.
 */
void uverbs_channels_end(struct ib_uverbs_file *file);

#endif /* _KRDMA_UVERBS_FRAME_CHANNEL_H_ */
