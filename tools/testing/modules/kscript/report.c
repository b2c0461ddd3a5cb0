// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: the queue of report lines. The memory of the queue is allocated with the session, so
 * that reporting needs no allocation.
 */
#include <linux/hex.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "tools/testing/modules/kscript/kscript.h"

#define ROOM	SZ_512K

int ks_reports_init(struct ks_reports *reports)
{
	void *room = kvmalloc(ROOM, GFP_KERNEL);

	if (!room)
		return -ENOMEM;
	kfifo_init(&reports->lines, room, ROOM);
	spin_lock_init(&reports->lock);
	mutex_init(&reports->reading);
	init_waitqueue_head(&reports->wait);
	return 0;
}

void ks_reports_free(struct ks_reports *reports)
{
	kvfree(reports->lines.kfifo.data);
}

void ks_reports_clear(struct ks_reports *reports)
{
	mutex_lock(&reports->reading);
	reports->first_pos = reports->first_len;
	spin_lock_irq(&reports->lock);
	kfifo_reset_out(&reports->lines);
	reports->lost = 0;
	spin_unlock_irq(&reports->lock);
	mutex_unlock(&reports->reading);
}

/* Queues reports->line, of @len characters, or counts the line as lost if the queue has no room. */
static void add_line(struct ks_reports *reports, size_t len)
{
	lockdep_assert_held(&reports->lock);
	reports->line[len++] = '\n';
	if (!kfifo_in(&reports->lines, reports->line, len))
		reports->lost++;
}

void ks_report_bytes(struct ks_session *s, const char *key, const void *bytes, u32 len,
		     const char *fmt, ...)
{
	struct ks_reports *reports = &s->reports;
	const size_t room = sizeof(reports->line) - 1;
	unsigned long flags;
	va_list args;
	size_t used;

	spin_lock_irqsave(&reports->lock, flags);
	va_start(args, fmt);
	used = vscnprintf(reports->line, room, fmt, args);
	va_end(args);
	if (len) {
		used += scnprintf(reports->line + used, room - used, " %s=", key);
		len = min_t(size_t, len, (room - used) / 2);
		used = bin2hex(reports->line + used, bytes, len) - reports->line;
	}
	add_line(reports, used);
	spin_unlock_irqrestore(&reports->lock, flags);
	wake_up_interruptible(&reports->wait);
}

bool ks_reports_ready(struct ks_reports *reports)
{
	return READ_ONCE(reports->first_pos) < READ_ONCE(reports->first_len) ||
	       !kfifo_is_empty(&reports->lines) || READ_ONCE(reports->lost);
}

/*
 * Moves the next line of the queue to reports->first, if the queue is not empty. The number of lost
 * lines is reported when all queued lines have been read.
 */
static void take_first(struct ks_reports *reports)
{
	size_t len;

	spin_lock_irq(&reports->lock);
	if (reports->lost && kfifo_is_empty(&reports->lines)) {
		len = scnprintf(reports->line, sizeof(reports->line), "lost %u", reports->lost);
		reports->lost = 0;
		add_line(reports, len);
	}
	len = kfifo_out(&reports->lines, reports->first, sizeof(reports->first));
	spin_unlock_irq(&reports->lock);
	reports->first_pos = 0;
	reports->first_len = len;
}

/*
 * Copies the unread rest of the first line to the reader, at most @room bytes. Returns the number
 * of bytes, 0 if there is no line, or -EFAULT.
 */
static ssize_t read_some(struct ks_reports *reports, char __user *to, size_t room)
{
	ssize_t len;

	mutex_lock(&reports->reading);
	if (reports->first_pos == reports->first_len)
		take_first(reports);
	len = min_t(size_t, room, reports->first_len - reports->first_pos);
	if (copy_to_user(to, reports->first + reports->first_pos, len))
		len = -EFAULT;
	else
		reports->first_pos += len;
	mutex_unlock(&reports->reading);
	return len;
}

ssize_t ks_reports_read(struct ks_reports *reports, char __user *to, size_t len, bool nonblock)
{
	ssize_t ret;

	for (;;) {
		ret = read_some(reports, to, len);
		if (ret || !len)
			return ret;
		if (nonblock)
			return -EAGAIN;
		if (wait_event_interruptible(reports->wait, ks_reports_ready(reports)))
			return -ERESTARTSYS;
	}
}
