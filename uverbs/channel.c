// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Event channels: files from which a process reads what happened to its objects.
 *
 * An object brings along the memory for its events (struct uverbs_event_source), so that they can
 * come in any context and none is ever lost; only those of ports are allocated, and dropped if
 * nobody reads. That the device is lost is a flag of the channel: nothing keeps the process from
 * hearing it.
 */
#include <linux/anon_inodes.h>
#include <linux/bitops.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "uverbs/uverbs.h"

/* Events of ports and the device that nobody reads, beyond which they are dropped. */
#define MAX_OTHERS	128

/**
 * struct other_event - what happened to a port, or to the device
 * @entry: in uverbs_channel.port_event_list
 * @desc: what the process will read
 */
struct other_event {
	struct list_head entry;
	struct ib_uverbs_async_event_desc desc;
};

/* What a process reads: one of the two. */
union event_desc {
	struct ib_uverbs_async_event_desc async;
	struct ib_uverbs_comp_event_desc comp;
};

static void free_channel(struct kref *ref)
{
	struct uverbs_channel *channel = container_of(ref, struct uverbs_channel, ref);
	struct ib_uverbs_file *file = channel->ufile;
	struct other_event *event, *next;

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
	kref_put(&channel->ref, free_channel);
}

/*
 * Not under its lock: who wants a signal may be a process group, which is walked under
 * tasklist_lock, and who holds that may be interrupted by one that tells of an event. The caller
 * keeps the channel meanwhile.
 */
static void wake(struct uverbs_channel *channel)
{
	lockdep_assert_not_held(&channel->lock);
	wake_up_interruptible_poll(&channel->wait, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&channel->fasync, SIGIO, POLL_IN);
}

/* --- where events come from --- */

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

/* Notes @pending in the place of what has been noted. */
static void queue_event(struct uverbs_event_source *source, unsigned int pending)
{
	struct uverbs_channel *channel = source->channel;

	lockdep_assert_held(&channel->lock);
	source->pending = pending;
	if (list_empty(&source->entry))
		list_add_tail(&source->entry, &channel->sources);
}

/* No provider tells of an object that it has destroyed: until then the source has its channel. */
void uverbs_event_source_completed(struct uverbs_event_source *source)
{
	struct uverbs_channel *channel = source->channel;
	unsigned long flags;

	if (!channel)
		return;
	spin_lock_irqsave(&channel->lock, flags);
	if (source->pending < UINT_MAX)
		queue_event(source, source->pending + 1);
	spin_unlock_irqrestore(&channel->lock, flags);
	wake(channel);
}

void uverbs_event_source_event(struct uverbs_event_source *source, enum ib_event_type event)
{
	struct uverbs_channel *channel = source->channel;
	unsigned long flags;

	BUILD_BUG_ON(BITS_PER_TYPE(source->pending) <= IB_EVENT_WQ_FATAL);
	if (!channel || WARN_ON_ONCE(event > IB_EVENT_WQ_FATAL))
		return;
	spin_lock_irqsave(&channel->lock, flags);
	queue_event(source, source->pending | BIT(event));
	spin_unlock_irqrestore(&channel->lock, flags);
	wake(channel);
}

static void note_fatal(struct uverbs_channel *channel)
{
	spin_lock_irq(&channel->lock);
	channel->fatal = true;
	spin_unlock_irq(&channel->lock);
	wake(channel);
}

void uverbs_channel_event(struct uverbs_channel *channel, enum ib_event_type event, u32 element)
{
	struct other_event *other;

	if (event == IB_EVENT_DEVICE_FATAL) {
		note_fatal(channel);
		return;
	}
	other = kzalloc(sizeof(*other), GFP_KERNEL);
	if (!other)
		return;
	other->desc.event_type = event;
	other->desc.element = element;
	spin_lock_irq(&channel->lock);
	if (channel->num_others < MAX_OTHERS) {
		channel->num_others++;
		list_add_tail(&other->entry, &channel->port_event_list);
		other = NULL;
	}
	spin_unlock_irq(&channel->lock);
	if (!other)
		wake(channel);
	kfree(other);
}

static void end(struct uverbs_channel *channel)
{
	spin_lock_irq(&channel->lock);
	channel->ended = true;
	spin_unlock_irq(&channel->lock);
	wake_up_interruptible_poll(&channel->wait, EPOLLERR | EPOLLHUP);
	kill_fasync(&channel->fasync, SIGIO, POLL_HUP);
}

/* The next of those in @todo, referenced and back among the file's; NULL: that was all. */
static struct uverbs_channel *next_channel(struct ib_uverbs_file *file, struct list_head *todo)
{
	struct uverbs_channel *channel, *found = NULL;

	spin_lock_irq(&file->channels_lock);
	while (!found && (channel = list_first_entry_or_null(todo, struct uverbs_channel, entry))) {
		list_move_tail(&channel->entry, &file->channels);
		/* Or free_channel() waits for the lock. */
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

	/* What is made from here on has ended from the beginning. */
	spin_lock_irq(&file->channels_lock);
	file->ended = true;
	list_splice_init(&file->channels, &todo);
	spin_unlock_irq(&file->channels_lock);

	while ((channel = next_channel(file, &todo))) {
		end(channel);
		uverbs_channel_put(channel);
	}
}

/* --- reading --- */

static bool has_event(const struct uverbs_channel *channel)
{
	return !list_empty(&channel->sources) || !list_empty(&channel->port_event_list) ||
	       channel->fatal;
}

/* Takes one event of a source: which one, if there are several kinds. */
static unsigned int take_pending(struct uverbs_channel *channel, struct uverbs_event_source *source)
{
	unsigned int event = 0;

	lockdep_assert_held(&channel->lock);
	if (channel->completions) {
		source->pending--;
	} else {
		event = __ffs(source->pending);
		source->pending &= ~BIT(event);
	}
	source->reported++;
	/* Others first: no source keeps the process from hearing of them. */
	if (source->pending)
		list_move_tail(&source->entry, &channel->sources);
	else
		list_del_init(&source->entry);
	return event;
}

static void take_of_source(struct uverbs_channel *channel, union event_desc *desc)
{
	struct uverbs_event_source *source;
	unsigned int event;

	source = list_first_entry(&channel->sources, struct uverbs_event_source, entry);
	event = take_pending(channel, source);
	if (channel->completions) {
		desc->comp.cq_handle = source->element;
		return;
	}
	desc->async.element = source->element;
	desc->async.event_type = event;
}

static void take_other(struct uverbs_channel *channel, union event_desc *desc)
{
	struct other_event *other;

	other = list_first_entry(&channel->port_event_list, struct other_event, entry);
	list_del(&other->entry);
	channel->num_others--;
	desc->async = other->desc;
	kfree(other);
}

static void take_fatal(struct uverbs_channel *channel, union event_desc *desc)
{
	channel->fatal = false;
	desc->async.event_type = IB_EVENT_DEVICE_FATAL;
}

/* 0; -EAGAIN: there is none; -EIO: and none will come. */
static int take(struct uverbs_channel *channel, union event_desc *desc)
{
	int ret = 0;

	spin_lock_irq(&channel->lock);
	if (!list_empty(&channel->port_event_list))
		take_other(channel, desc);
	else if (channel->fatal)
		take_fatal(channel, desc);
	else if (!list_empty(&channel->sources))
		take_of_source(channel, desc);
	else
		ret = channel->ended ? -EIO : -EAGAIN;
	spin_unlock_irq(&channel->lock);
	return ret;
}

static bool may_read(struct uverbs_channel *channel)
{
	bool may;

	spin_lock_irq(&channel->lock);
	may = has_event(channel) || channel->ended;
	spin_unlock_irq(&channel->lock);
	return may;
}

/* One event a call. */
static ssize_t read(struct file *filp, char __user *to, size_t len, loff_t *pos)
{
	struct uverbs_channel *channel = filp->private_data;
	size_t size = channel->completions ? sizeof(struct ib_uverbs_comp_event_desc) :
					   sizeof(struct ib_uverbs_async_event_desc);
	union event_desc desc = {};
	int ret;

	if (len < size)
		return -EINVAL;
	/* What is taken is not put back: see first that it can be given. */
	if (clear_user(to, size))
		return -EFAULT;
	while ((ret = take(channel, &desc)) == -EAGAIN) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(channel->wait, may_read(channel));
		if (ret)
			return ret;
	}
	if (ret)
		return ret;
	return copy_to_user(to, &desc, size) ? -EFAULT : size;
}

static __poll_t poll(struct file *filp, struct poll_table_struct *table)
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

static int fasync(int fd, struct file *filp, int on)
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
	.read = read,
	.poll = poll,
	.fasync = fasync,
	.release = channel_release,
	.llseek = no_llseek,
};

/* --- coming into being --- */

static struct uverbs_channel *alloc_channel(struct ib_uverbs_file *file, bool completions)
{
	struct uverbs_channel *channel = kzalloc(sizeof(*channel), GFP_KERNEL_ACCOUNT);

	if (!channel)
		return NULL;
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
	return channel;
}

int uverbs_channel_new(struct uverbs_attr_bundle *call, bool completions,
		       struct uverbs_channel **channel)
{
	struct file *filp;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	*channel = alloc_channel(call->ufile, completions);
	if (!*channel) {
		put_unused_fd(fd);
		return -ENOMEM;
	}
	filp = anon_inode_getfile("[infinibandevent]", &channel_fops, *channel, O_RDONLY);
	if (IS_ERR(filp)) {
		put_unused_fd(fd);
		uverbs_channel_put(*channel);
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

	if (!f.file)
		return ERR_PTR(-EBADF);
	if (f.file->f_op == &channel_fops) {
		channel = f.file->private_data;
		if (channel->ufile == file && channel->completions == completions)
			kref_get(&channel->ref);
		else
			channel = ERR_PTR(-EINVAL);
	}
	fdput(f);
	return channel;
}
