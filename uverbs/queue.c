// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Event channels: files from which a process reads what happened to its objects.
 *
 * An object brings along what its events are noted in (struct uverbs_source), so that they can come
 * in any context and none is ever lost; only those of ports are allocated, and dropped if nobody
 * reads. That the device is lost is a flag of the channel: nothing keeps the process from hearing
 * it.
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
 * @entry: in uverbs_queue.others
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

static void free_queue(struct kref *ref)
{
	struct uverbs_queue *queue = container_of(ref, struct uverbs_queue, ref);
	struct ib_uverbs_file *file = queue->ufile;
	struct other_event *event, *next;

	spin_lock_irq(&file->queues_lock);
	list_del(&queue->entry);
	spin_unlock_irq(&file->queues_lock);
	list_for_each_entry_safe(event, next, &queue->others, entry)
		kfree(event);
	kfree(queue);
	uverbs_file_put(file);
}

void uverbs_queue_put(struct uverbs_queue *queue)
{
	kref_put(&queue->ref, free_queue);
}

/*
 * Not under its lock: who wants a signal may be a process group, which is walked under
 * tasklist_lock, and who holds that may be interrupted by one that tells of an event. The caller
 * keeps the channel meanwhile.
 */
static void wake(struct uverbs_queue *queue)
{
	lockdep_assert_not_held(&queue->lock);
	wake_up_interruptible_poll(&queue->wait, EPOLLIN | EPOLLRDNORM);
	kill_fasync(&queue->fasync, SIGIO, POLL_IN);
}

/* --- where events come from --- */

void uverbs_source_init(struct uverbs_source *source, struct uverbs_queue *queue, u64 element)
{
	source->queue = queue;
	source->element = element;
	INIT_LIST_HEAD(&source->entry);
}

void uverbs_source_end(struct uverbs_source *source)
{
	struct uverbs_queue *queue = source->queue;

	if (!queue)
		return;
	spin_lock_irq(&queue->lock);
	list_del_init(&source->entry);
	source->pending = 0;
	spin_unlock_irq(&queue->lock);
	source->queue = NULL;
	uverbs_queue_put(queue);
}

/* Notes @pending in the place of what has been noted. */
static void note(struct uverbs_source *source, unsigned int pending)
{
	struct uverbs_queue *queue = source->queue;

	lockdep_assert_held(&queue->lock);
	source->pending = pending;
	if (list_empty(&source->entry))
		list_add_tail(&source->entry, &queue->sources);
}

/* No provider tells of an object that it has destroyed: until then the source has its channel. */
void uverbs_source_completed(struct uverbs_source *source)
{
	struct uverbs_queue *queue = source->queue;
	unsigned long flags;

	if (!queue)
		return;
	spin_lock_irqsave(&queue->lock, flags);
	if (source->pending < UINT_MAX)
		note(source, source->pending + 1);
	spin_unlock_irqrestore(&queue->lock, flags);
	wake(queue);
}

void uverbs_source_event(struct uverbs_source *source, enum ib_event_type event)
{
	struct uverbs_queue *queue = source->queue;
	unsigned long flags;

	BUILD_BUG_ON(BITS_PER_TYPE(source->pending) <= IB_EVENT_WQ_FATAL);
	if (!queue || WARN_ON_ONCE(event > IB_EVENT_WQ_FATAL))
		return;
	spin_lock_irqsave(&queue->lock, flags);
	note(source, source->pending | BIT(event));
	spin_unlock_irqrestore(&queue->lock, flags);
	wake(queue);
}

static void note_fatal(struct uverbs_queue *queue)
{
	spin_lock_irq(&queue->lock);
	queue->fatal = true;
	spin_unlock_irq(&queue->lock);
	wake(queue);
}

void uverbs_queue_event(struct uverbs_queue *queue, enum ib_event_type event, u32 element)
{
	struct other_event *other;

	if (event == IB_EVENT_DEVICE_FATAL) {
		note_fatal(queue);
		return;
	}
	other = kzalloc(sizeof(*other), GFP_KERNEL);
	if (!other)
		return;
	other->desc.event_type = event;
	other->desc.element = element;
	spin_lock_irq(&queue->lock);
	if (queue->num_others < MAX_OTHERS) {
		queue->num_others++;
		list_add_tail(&other->entry, &queue->others);
		other = NULL;
	}
	spin_unlock_irq(&queue->lock);
	if (!other)
		wake(queue);
	kfree(other);
}

static void end(struct uverbs_queue *queue)
{
	spin_lock_irq(&queue->lock);
	queue->ended = true;
	spin_unlock_irq(&queue->lock);
	wake_up_interruptible_poll(&queue->wait, EPOLLERR | EPOLLHUP);
	kill_fasync(&queue->fasync, SIGIO, POLL_HUP);
}

/* The next of those in @todo, referenced and back among the file's; NULL: that was all. */
static struct uverbs_queue *next_queue(struct ib_uverbs_file *file, struct list_head *todo)
{
	struct uverbs_queue *queue, *found = NULL;

	spin_lock_irq(&file->queues_lock);
	while (!found && (queue = list_first_entry_or_null(todo, struct uverbs_queue, entry))) {
		list_move_tail(&queue->entry, &file->queues);
		/* Or free_queue() waits for the lock. */
		if (kref_get_unless_zero(&queue->ref))
			found = queue;
	}
	spin_unlock_irq(&file->queues_lock);
	return found;
}

void uverbs_queues_end(struct ib_uverbs_file *file)
{
	struct uverbs_queue *queue;
	LIST_HEAD(todo);

	/* What is made from here on has ended from the beginning. */
	spin_lock_irq(&file->queues_lock);
	file->ended = true;
	list_splice_init(&file->queues, &todo);
	spin_unlock_irq(&file->queues_lock);

	while ((queue = next_queue(file, &todo))) {
		end(queue);
		uverbs_queue_put(queue);
	}
}

/* --- reading --- */

static bool has_event(const struct uverbs_queue *queue)
{
	return !list_empty(&queue->sources) || !list_empty(&queue->others) || queue->fatal;
}

/* Takes one event of a source: which one, if there are several kinds. */
static unsigned int take_pending(struct uverbs_queue *queue, struct uverbs_source *source)
{
	unsigned int event = 0;

	lockdep_assert_held(&queue->lock);
	if (queue->completions) {
		source->pending--;
	} else {
		event = __ffs(source->pending);
		source->pending &= ~BIT(event);
	}
	source->reported++;
	/* Others first: no source keeps the process from hearing of them. */
	if (source->pending)
		list_move_tail(&source->entry, &queue->sources);
	else
		list_del_init(&source->entry);
	return event;
}

static void take_of_source(struct uverbs_queue *queue, union event_desc *desc)
{
	struct uverbs_source *source;
	unsigned int event;

	source = list_first_entry(&queue->sources, struct uverbs_source, entry);
	event = take_pending(queue, source);
	if (queue->completions) {
		desc->comp.cq_handle = source->element;
		return;
	}
	desc->async.element = source->element;
	desc->async.event_type = event;
}

static void take_other(struct uverbs_queue *queue, union event_desc *desc)
{
	struct other_event *other;

	other = list_first_entry(&queue->others, struct other_event, entry);
	list_del(&other->entry);
	queue->num_others--;
	desc->async = other->desc;
	kfree(other);
}

static void take_fatal(struct uverbs_queue *queue, union event_desc *desc)
{
	queue->fatal = false;
	desc->async.event_type = IB_EVENT_DEVICE_FATAL;
}

/* 0; -EAGAIN: there is none; -EIO: and none will come. */
static int take(struct uverbs_queue *queue, union event_desc *desc)
{
	int ret = 0;

	spin_lock_irq(&queue->lock);
	if (!list_empty(&queue->others))
		take_other(queue, desc);
	else if (queue->fatal)
		take_fatal(queue, desc);
	else if (!list_empty(&queue->sources))
		take_of_source(queue, desc);
	else
		ret = queue->ended ? -EIO : -EAGAIN;
	spin_unlock_irq(&queue->lock);
	return ret;
}

static bool may_read(struct uverbs_queue *queue)
{
	bool may;

	spin_lock_irq(&queue->lock);
	may = has_event(queue) || queue->ended;
	spin_unlock_irq(&queue->lock);
	return may;
}

/* One event a call. */
static ssize_t read(struct file *filp, char __user *to, size_t len, loff_t *pos)
{
	struct uverbs_queue *queue = filp->private_data;
	size_t size = queue->completions ? sizeof(struct ib_uverbs_comp_event_desc) :
					   sizeof(struct ib_uverbs_async_event_desc);
	union event_desc desc = {};
	int ret;

	if (len < size)
		return -EINVAL;
	/* What is taken is not put back: see first that it can be given. */
	if (clear_user(to, size))
		return -EFAULT;
	while ((ret = take(queue, &desc)) == -EAGAIN) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(queue->wait, may_read(queue));
		if (ret)
			return ret;
	}
	if (ret)
		return ret;
	return copy_to_user(to, &desc, size) ? -EFAULT : size;
}

static __poll_t poll(struct file *filp, struct poll_table_struct *table)
{
	struct uverbs_queue *queue = filp->private_data;
	__poll_t mask = 0;

	poll_wait(filp, &queue->wait, table);
	spin_lock_irq(&queue->lock);
	if (has_event(queue))
		mask = EPOLLIN | EPOLLRDNORM;
	else if (queue->ended)
		mask = EPOLLERR;
	spin_unlock_irq(&queue->lock);
	return mask;
}

static int fasync(int fd, struct file *filp, int on)
{
	struct uverbs_queue *queue = filp->private_data;

	return fasync_helper(fd, filp, on, &queue->fasync);
}

static int queue_release(struct inode *inode, struct file *filp)
{
	uverbs_queue_put(filp->private_data);
	return 0;
}

static const struct file_operations queue_fops = {
	.owner = THIS_MODULE,
	.read = read,
	.poll = poll,
	.fasync = fasync,
	.release = queue_release,
	.llseek = no_llseek,
};

/* --- coming into being --- */

static struct uverbs_queue *alloc_queue(struct ib_uverbs_file *file, bool completions)
{
	struct uverbs_queue *queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);

	if (!queue)
		return NULL;
	kref_init(&queue->ref);
	kref_get(&file->ref);
	queue->ufile = file;
	queue->completions = completions;
	spin_lock_init(&queue->lock);
	INIT_LIST_HEAD(&queue->sources);
	INIT_LIST_HEAD(&queue->others);
	init_waitqueue_head(&queue->wait);
	spin_lock_irq(&file->queues_lock);
	queue->ended = file->ended;
	list_add_tail(&queue->entry, &file->queues);
	spin_unlock_irq(&file->queues_lock);
	return queue;
}

int uverbs_queue_new(struct uverbs_attr_bundle *call, bool completions,
		     struct uverbs_queue **queue)
{
	struct file *filp;
	int fd;

	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		return fd;
	*queue = alloc_queue(call->ufile, completions);
	if (!*queue) {
		put_unused_fd(fd);
		return -ENOMEM;
	}
	filp = anon_inode_getfile("[infinibandevent]", &queue_fops, *queue, O_RDONLY);
	if (IS_ERR(filp)) {
		put_unused_fd(fd);
		uverbs_queue_put(*queue);
		return PTR_ERR(filp);
	}
	call->new_fd = fd;
	call->new_file = filp;
	return fd;
}

struct uverbs_queue *uverbs_queue_get(struct ib_uverbs_file *file, int fd, bool completions)
{
	struct uverbs_queue *queue = ERR_PTR(-EINVAL);
	struct fd f = fdget(fd);

	if (!f.file)
		return ERR_PTR(-EBADF);
	if (f.file->f_op == &queue_fops) {
		queue = f.file->private_data;
		if (queue->ufile == file && queue->completions == completions)
			kref_get(&queue->ref);
		else
			queue = ERR_PTR(-EINVAL);
	}
	fdput(f);
	return queue;
}
