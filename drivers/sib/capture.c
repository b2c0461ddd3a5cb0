// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Captures. Who opens the file gets the packets from then on, as a pcap stream. */
#include "drivers/sib/capture.h"

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "drivers/sib/access.h"
#include "drivers/sib/erf.h"
#include "drivers/sib/reader.h"

/**
 * struct capture - an open file
 * @reader: gets the packets
 * @lock: protects what follows, the part of the stream that is being read; sib_reader.lock nests in
 *	it
 * @head: the head of the file, or of a packet
 * @head_len: length of @head in bytes
 * @record: the packet that follows @head, or NULL
 * @at: bytes of both that were read
 * @left: bytes of both that are left
 */
struct capture {
	struct sib_reader *reader;
	struct mutex lock; /* protects what follows */
	u8 head[SIB_ERF_HEAD_LEN];
	u8 head_len;
	struct sib_record *record;
	size_t at;
	size_t left;
};

static int capture_open(struct inode *inode, struct file *file)
{
	struct sib_fabric *fabric = inode->i_private;
	struct capture *capture;
	int ret = sib_access();

	if (ret)
		return ret;
	capture = kzalloc(sizeof(*capture), GFP_KERNEL);
	if (!capture)
		return -ENOMEM;
	capture->reader = sib_reader_create(fabric->tap);
	if (IS_ERR(capture->reader)) {
		ret = PTR_ERR(capture->reader);
		kfree(capture);
		return ret;
	}
	mutex_init(&capture->lock);
	sib_pcap_file_build(capture->head);
	capture->head_len = SIB_PCAP_FILE_LEN;
	capture->left = SIB_PCAP_FILE_LEN;
	file->private_data = capture;
	return stream_open(inode, file);
}

static int capture_release(struct inode *inode, struct file *file)
{
	struct capture *capture = file->private_data;

	sib_reader_free(capture->reader);
	sib_record_put(capture->record);
	mutex_destroy(&capture->lock);
	kfree(capture);
	return 0;
}

/* Goes on to the next packet. Returns false if there is none yet. */
static bool next_packet(struct capture *capture)
{
	struct sib_waiting waiting;

	lockdep_assert_held(&capture->lock);
	if (!sib_reader_take(capture->reader, &waiting))
		return false;
	sib_record_put(capture->record);
	capture->record = waiting.record;
	sib_erf_head_build(capture->head, &waiting);
	capture->head_len = SIB_ERF_HEAD_LEN;
	capture->at = 0;
	WRITE_ONCE(capture->left, SIB_ERF_HEAD_LEN + waiting.record->len);
	return true;
}

/* Copies what is left of the head, or else of the packet. Returns bytes, or -EFAULT. */
static ssize_t copy_part(struct capture *capture, char __user *buf, size_t count)
{
	const u8 *from = capture->head + capture->at;
	size_t len = capture->head_len - capture->at;

	lockdep_assert_held(&capture->lock);
	if (capture->at >= capture->head_len) {
		from = capture->record->bytes + capture->at - capture->head_len;
		len = capture->left;
	}
	len = min(len, count);
	if (copy_to_user(buf, from, len))
		return -EFAULT;
	capture->at += len;
	WRITE_ONCE(capture->left, capture->left - len);
	return len;
}

/* Copies what there is. Returns bytes, 0 if there is nothing, or -EFAULT. */
static ssize_t copy_stream(struct capture *capture, char __user *buf, size_t count)
{
	size_t done = 0;
	ssize_t len;

	while (done < count && (capture->left || next_packet(capture))) {
		len = copy_part(capture, buf + done, count - done);
		if (len < 0)
			return done ? done : len;
		done += len;
	}
	return done;
}

static bool has_ended(const struct sib_reader *reader)
{
	/* Pairs with the release of sib_tap_end(): afterwards the queue has the last packet. */
	return smp_load_acquire(&reader->ended);
}

static ssize_t capture_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	struct capture *capture = file->private_data;
	struct sib_reader *reader = capture->reader;
	ssize_t ret;
	bool ended;

	while (count) {
		if (mutex_lock_interruptible(&capture->lock))
			return -ERESTARTSYS;
		ended = has_ended(reader);
		ret = copy_stream(capture, buf, count);
		mutex_unlock(&capture->lock);
		if (ret || ended)
			return ret;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(reader->wait,
					     READ_ONCE(reader->count) || has_ended(reader)))
			return -ERESTARTSYS;
	}
	return 0;
}

static __poll_t capture_poll(struct file *file, poll_table *table)
{
	struct capture *capture = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &capture->reader->wait, table);
	if (has_ended(capture->reader))
		events |= EPOLLHUP;
	if (READ_ONCE(capture->left) || READ_ONCE(capture->reader->count))
		events |= EPOLLIN | EPOLLRDNORM;
	return events;
}

const struct file_operations sib_capture_fops = {
	.owner = THIS_MODULE,
	.open = capture_open,
	.release = capture_release,
	.read = capture_read,
	.poll = capture_poll,
};
