// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Reading of MADs. The reader takes the MAD out of the queue, and puts it back in front if the
 * process has no room for it.
 */
#include "umad/read.h"

#include <linux/poll.h>
#include <linux/uaccess.h>

#include "umad/umad.h"

/* Copies the data of the segments after the first one. */
static int copy_segments(const struct umad_mad *mad, char __user *to, size_t left)
{
	const struct ib_mad_recv_wc *received = mad->received;
	size_t offset = ib_get_mad_data_offset(received->recv_buf.mad->mad_hdr.mgmt_class);
	const struct ib_mad_recv_buf *segment = &received->recv_buf;

	list_for_each_entry_continue(segment, &received->rmpp_list, list) {
		size_t part = min(left, received->mad_seg_size - offset);

		if (copy_to_user(to, (const u8 *)segment->mad + offset, part))
			return -EFAULT;
		to += part;
		left -= part;
		if (!left)
			return 0;
	}
	return -EFAULT;
}

/*
 * Copies a received MAD. If a message is too long for @room, the process gets the first segment all
 * the same, with the length in the header.
 */
static int copy_received(const struct umad_mad *mad, char __user *to, size_t room)
{
	size_t first = min_t(size_t, mad->length, mad->received->mad_seg_size);

	if (copy_to_user(to, mad->received->recv_buf.mad, first))
		return -EFAULT;
	if (room < mad->length)
		return -ENOSPC;
	return mad->length > first ? copy_segments(mad, to + first, mad->length - first) : 0;
}

/*
 * Copies a header of @size bytes, and the MAD. Returns the number of bytes, or a negative errno.
 */
static ssize_t copy_mad(struct umad_mad *mad, size_t size, char __user *to, size_t len)
{
	size_t least = mad->length;
	int ret = 0;

	if (mad->received) {
		least = min_t(size_t, least, mad->received->mad_seg_size);
		mad->hdr.length = size + mad->length;
	}
	if (len < size + least)
		return -EINVAL;
	if (copy_to_user(to, &mad->hdr, size))
		return -EFAULT;
	if (mad->received)
		ret = copy_received(mad, to + size, len - size);
	else if (copy_to_user(to + size, &mad->mad, mad->length))
		ret = -EFAULT;
	return ret ?: size + mad->length;
}

ssize_t umad_read(struct file *filp, char __user *to, size_t len, loff_t *pos)
{
	struct umad_file *file = filp->private_data;
	struct umad_queue *queue = &file->queue;
	struct umad_mad *mad;
	ssize_t ret;

	if (len < umad_header_size(file))
		return -EINVAL;
	while ((mad = umad_queue_take(queue)) == ERR_PTR(-EAGAIN)) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(queue->wait, umad_queue_poll(queue) &
					       (EPOLLIN | EPOLLERR));
		if (ret)
			return ret;
	}
	if (IS_ERR(mad))
		return PTR_ERR(mad);
	ret = copy_mad(mad, umad_header_size(file), to, len);
	if (ret < 0)
		umad_queue_put_back(queue, mad);
	else
		umad_mad_free(mad);
	return ret;
}
