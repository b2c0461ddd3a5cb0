// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Event channels: files from which a process reads the events of its objects.
 *
 * The memory for an object's events is part of its handle (struct uverbs_event_source), so that the
 * events can be queued in any context and are never lost. Memory is allocated only for events of
 * ports, which are dropped if too many of them are pending. No process misses the loss of the
 * device, because a flag in the channel stores this event.
 */
#include "uverbs/frame/channel.h"

#include <linux/anon_inodes.h>
#include <linux/bitops.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "uverbs/frame/file.h"
#include "uverbs/frame/uverbs.h"

/* Greatest number of port events that may be pending in a channel. Further ones are dropped. */
#define MAX_PORT_EVENTS	128

/**
 * struct port_event - an event of a port
 * @entry: in uverbs_channel.port_event_list
 * @desc: what the process reads
 */
struct port_event {
	struct list_head entry;
	struct ib_uverbs_async_event_desc desc;
};

/*
 * An event that read() returns: .comp from a channel for completion events, .async from a channel
 * for asynchronous events.
 */
union event_desc {
	struct ib_uverbs_async_event_desc async;
	struct ib_uverbs_comp_event_desc comp;
};

static void free_channel(struct kref *ref)
{
	struct uverbs_channel *channel = container_of(ref, struct uverbs_channel, ref);
	struct ib_uverbs_file *file = channel->ufile;
	struct port_event *event, *next;

	spin_lock_irq(&file->channels_lock);
	list_del(&channel->entry);
	spin_unlock_irq(&file->channels_lock);
	list_for_each_entry_safe(event, next, &channel->port_event_list, entry)
		kfree(event);
	kfree(channel);
	uverbs_file_put(file);
}

void uverbs_channel_put(struct uverbs_channel *channel)
{
	might_sleep();
	kref_put(&channel->ref, free_channel);
}

/*
 * Wakes the readers of a channel, and signals those who asked for SIGIO. Called without
 * channel->lock held, because kill_fasync() takes tasklist_lock for reading if SIGIO goes to a
 * process group. With channel->lock held, three contexts could deadlock. First, kill_fasync() waits
 * behind a thread that wants tasklist_lock for writing. Second, this thread waits for another one
 * that holds tasklist_lock for reading. Third, an interrupt handler on that holder's CPU queues an
 * event, and waits for channel->lock. The caller ensures that the channel is not freed.
 */
static void wake_readers(struct uverbs_channel *channel)
{
	lockdep_assert_not_held(&channel->lock);
	wake_up_interruptible_poll(&channel->wait, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&channel->fasync, SIGIO, POLL_IN);
}

/* --- queueing --- */

void uverbs_event_source_init(struct uverbs_event_source *source, struct uverbs_channel *channel,
			      u64 element)
{
	source->channel = channel;
	source->element = element;
	INIT_LIST_HEAD(&source->entry);
}

void uverbs_event_source_end(struct uverbs_event_source *source)
{
	struct uverbs_channel *channel = source->channel;

	if (!channel)
		return;
	spin_lock_irq(&channel->lock);
	list_del_init(&source->entry);
	source->pending = 0;
	spin_unlock_irq(&channel->lock);
	source->channel = NULL;
	uverbs_channel_put(channel);
}

/* Sets source->pending to @pending, and queues the source for the channel's readers. */
static void queue_event(struct uverbs_channel *channel, struct uverbs_event_source *source,
			unsigned int pending)
	__must_hold(&channel->lock)
{
	lockdep_assert_held(&channel->lock);
	source->pending = pending;
	if (list_empty(&source->entry))
		list_add_tail(&source->entry, &channel->sources);
}

/*
 * source->channel stays valid during the call: the source is disconnected only after its object was
 * destroyed, and providers report no event of a destroyed object.
 */
void uverbs_event_source_completed(struct uverbs_event_source *source)
{
	struct uverbs_channel *channel = source->channel;
	unsigned long flags;

	if (!channel)
		return;
	spin_lock_irqsave(&channel->lock, flags);
	if (source->pending < UINT_MAX)
		queue_event(channel, source, source->pending + 1);
	spin_unlock_irqrestore(&channel->lock, flags);
	wake_readers(channel);
}

void uverbs_event_source_event(struct uverbs_event_source *source, enum ib_event_type event)
{
	struct uverbs_channel *channel = source->channel;
	unsigned long flags;

	BUILD_BUG_ON(BITS_PER_TYPE(source->pending) <= IB_EVENT_WQ_FATAL);
	if (!channel || WARN_ON_ONCE(event > IB_EVENT_WQ_FATAL))
		return;
	spin_lock_irqsave(&channel->lock, flags);
	queue_event(channel, source, source->pending | BIT(event));
	spin_unlock_irqrestore(&channel->lock, flags);
	wake_readers(channel);
}

void uverbs_channel_event(struct uverbs_channel *channel, enum ib_event_type event, u32 element)
{
	struct port_event *port_event;

	might_sleep();
	if (event == IB_EVENT_DEVICE_FATAL) {
		spin_lock_irq(&channel->lock);
		channel->fatal = true;
		spin_unlock_irq(&channel->lock);
		wake_readers(channel);
		return;
	}
	port_event = kzalloc(sizeof(*port_event), GFP_KERNEL);
	if (!port_event)
		return;
	port_event->desc.event_type = event;
	port_event->desc.element = element;
	spin_lock_irq(&channel->lock);
	if (channel->num_port_events < MAX_PORT_EVENTS) {
		channel->num_port_events++;
		list_add_tail(&port_event->entry, &channel->port_event_list);
		port_event = NULL;
	}
	spin_unlock_irq(&channel->lock);
	if (!port_event)
		wake_readers(channel);
	kfree(port_event);
}

/*
 * Moves the next channel of @todo back to file->channels. Returns the channel, referenced; NULL:
 * @todo is empty.
 */
static struct uverbs_channel *next_channel(struct ib_uverbs_file *file, struct list_head *todo)
{
	struct uverbs_channel *channel, *found = NULL;

	spin_lock_irq(&file->channels_lock);
	while (!found && (channel = list_first_entry_or_null(todo, struct uverbs_channel, entry))) {
		list_move_tail(&channel->entry, &file->channels);
		/* Skip a channel without references: free_channel() is about to remove it. */
		if (kref_get_unless_zero(&channel->ref))
			found = channel;
	}
	spin_unlock_irq(&file->channels_lock);
	return found;
}

void uverbs_channels_end(struct ib_uverbs_file *file)
{
	struct uverbs_channel *channel;
	LIST_HEAD(todo);

	/* From here on, uverbs_channel_new() marks each new channel as ended. */
	spin_lock_irq(&file->channels_lock);
	file->ended = true;
	list_splice_init(&file->channels, &todo);
	spin_unlock_irq(&file->channels_lock);

	while ((channel = next_channel(file, &todo))) {
		spin_lock_irq(&channel->lock);
		channel->ended = true;
		spin_unlock_irq(&channel->lock);
		wake_up_interruptible_poll(&channel->wait, EPOLLERR | EPOLLHUP);
		kill_fasync(&channel->fasync, SIGIO, POLL_HUP);
		uverbs_channel_put(channel);
	}
}

/* --- reading --- */

static bool has_event(const struct uverbs_channel *channel)
	__must_hold(&channel->lock)
{
	lockdep_assert_held(&channel->lock);
	return !list_empty(&channel->sources) || !list_empty(&channel->port_event_list) ||
	       channel->fatal;
}

/* Takes an event of the first source. Called when channel->sources is not empty. */
static void take_source_event(struct uverbs_channel *channel, union event_desc *desc)
	__must_hold(&channel->lock)
{
	struct uverbs_event_source *source;
	unsigned int event;

	lockdep_assert_held(&channel->lock);
	source = list_first_entry(&channel->sources, struct uverbs_event_source, entry);
	if (channel->completions) {
		source->pending--;
		desc->comp.cq_handle = source->element;
	} else {
		event = __ffs(source->pending);
		source->pending &= ~BIT(event);
		desc->async.element = source->element;
		desc->async.event_type = event;
	}
	source->reported++;
	/* Move a source with more events to the tail, so that it does not delay other sources. */
	if (source->pending)
		list_move_tail(&source->entry, &channel->sources);
	else
		list_del_init(&source->entry);
}

/* Returns 0; -EAGAIN: no event is pending; -EIO: no event is pending, and the channel has ended. */
static int take_event(struct uverbs_channel *channel, union event_desc *desc)
{
	struct port_event *port_event;
	int ret = 0;

	spin_lock_irq(&channel->lock);
	if (!list_empty(&channel->port_event_list)) {
		port_event = list_first_entry(&channel->port_event_list, struct port_event, entry);
		list_del(&port_event->entry);
		channel->num_port_events--;
		desc->async = port_event->desc;
		kfree(port_event);
	} else if (channel->fatal) {
		channel->fatal = false;
		desc->async.event_type = IB_EVENT_DEVICE_FATAL;
	} else if (!list_empty(&channel->sources)) {
		take_source_event(channel, desc);
	} else {
		ret = channel->ended ? -EIO : -EAGAIN;
	}
	spin_unlock_irq(&channel->lock);
	return ret;
}

static bool can_read(struct uverbs_channel *channel)
{
	bool can;

	spin_lock_irq(&channel->lock);
	can = has_event(channel) || channel->ended;
	spin_unlock_irq(&channel->lock);
	return can;
}

/* Implements read(). Each call returns one event. */
static ssize_t channel_read(struct file *filp, char __user *to, size_t len, loff_t *pos)
{
	struct uverbs_channel *channel = filp->private_data;
	size_t size = channel->completions ? sizeof(struct ib_uverbs_comp_event_desc) :
					   sizeof(struct ib_uverbs_async_event_desc);
	union event_desc desc = {};
	int ret;

	if (len < size)
		return -EINVAL;
	/* First check that @to can be written, because an event that was taken is not put back. */
	if (clear_user(to, size))
		return -EFAULT;
	while ((ret = take_event(channel, &desc)) == -EAGAIN) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(channel->wait, can_read(channel));
		if (ret)
			return ret;
	}
	if (ret)
		return ret;
	return copy_to_user(to, &desc, size) ? -EFAULT : size;
}

static __poll_t channel_poll(struct file *filp, struct poll_table_struct *table)
{
	struct uverbs_channel *channel = filp->private_data;
	__poll_t mask = 0;

	poll_wait(filp, &channel->wait, table);
	spin_lock_irq(&channel->lock);
	if (has_event(channel))
		mask = EPOLLIN | EPOLLRDNORM;
	else if (channel->ended)
		mask = EPOLLERR;
	spin_unlock_irq(&channel->lock);
	return mask;
}

static int channel_fasync(int fd, struct file *filp, int on)
{
	struct uverbs_channel *channel = filp->private_data;

	return fasync_helper(fd, filp, on, &channel->fasync);
}

static int channel_release(struct inode *inode, struct file *filp)
{
	uverbs_channel_put(filp->private_data);
	return 0;
}

static const struct file_operations channel_fops = {
	.owner = THIS_MODULE,
	.read = channel_read,
	.poll = channel_poll,
	.fasync = channel_fasync,
	.release = channel_release,
};

/* --- creation and look-up --- */

int uverbs_channel_new(struct uverbs_attr_bundle *call, bool completions)
{
	struct ib_uverbs_file *file = call->ufile;
	struct uverbs_channel *channel;
	struct file *filp;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	channel = kzalloc(sizeof(*channel), GFP_KERNEL_ACCOUNT);
	if (!channel) {
		put_unused_fd(fd);
		return -ENOMEM;
	}
	kref_init(&channel->ref);
	kref_get(&file->ref);
	channel->ufile = file;
	channel->completions = completions;
	spin_lock_init(&channel->lock);
	INIT_LIST_HEAD(&channel->sources);
	INIT_LIST_HEAD(&channel->port_event_list);
	init_waitqueue_head(&channel->wait);
	spin_lock_irq(&file->channels_lock);
	channel->ended = file->ended;
	list_add_tail(&channel->entry, &file->channels);
	spin_unlock_irq(&file->channels_lock);

	filp = anon_inode_getfile("[infinibandevent]", &channel_fops, channel, O_RDONLY);
	if (IS_ERR(filp)) {
		put_unused_fd(fd);
		uverbs_channel_put(channel);
		return PTR_ERR(filp);
	}
	call->new_fd = fd;
	call->new_file = filp;
	return fd;
}

struct uverbs_channel *uverbs_channel_get(struct ib_uverbs_file *file, int fd, bool completions)
{
	struct uverbs_channel *channel = ERR_PTR(-EINVAL);
	struct fd f = fdget(fd);

	if (!fd_file(f))
		return ERR_PTR(-EBADF);
	if (fd_file(f)->f_op == &channel_fops) {
		channel = fd_file(f)->private_data;
		if (channel->ufile == file && channel->completions == completions)
			kref_get(&channel->ref);
		else
			channel = ERR_PTR(-EINVAL);
	}
	fdput(f);
	return channel;
}
