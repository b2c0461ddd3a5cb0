// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kpuppet: lines on their way to the reader, through memory that is there from the beginning: what
 * happens is told also where no allocation succeeds.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "tools/testing/modules/kpuppet/kpuppet.h"

#define ROOM	SZ_512K

int kp_reports_init(struct kp_reports *reports)
{
	void *room = kvmalloc(ROOM, GFP_KERNEL);

	if (!room)
		return -ENOMEM;
	kfifo_init(&reports->bytes, room, ROOM);
	spin_lock_init(&reports->lock);
	mutex_init(&reports->reading);
	init_waitqueue_head(&reports->wait);
	return 0;
}

void kp_reports_free(struct kp_reports *reports)
{
	kvfree(reports->bytes.kfifo.data);
}

void kp_reports_clear(struct kp_reports *reports)
{
	mutex_lock(&reports->reading);
	spin_lock_irq(&reports->lock);
	kfifo_reset_out(&reports->bytes);
	reports->lost = 0;
	spin_unlock_irq(&reports->lock);
	mutex_unlock(&reports->reading);
}

/* The line that is @len characters long, if there is room for all of it. */
static void add_line(struct kp_reports *reports, size_t len)
{
	lockdep_assert_held(&reports->lock);
	reports->line[len++] = '\n';
	if (kfifo_avail(&reports->bytes) < len)
		reports->lost++;
	else
		kfifo_in(&reports->bytes, reports->line, len);
}

static size_t print_bytes(char *to, size_t room, const char *key, const u8 *bytes, u32 len)
{
	size_t used = scnprintf(to, room, " %s=", key);

	len = min_t(size_t, len, (room - used) / 2);
	return bin2hex(to + used, bytes, len) - to;
}

void kp_report_bytes(struct kp_session *s, const char *key, const void *bytes, u32 len,
		     const char *fmt, ...)
{
	struct kp_reports *reports = &s->reports;
	const size_t room = sizeof(reports->line) - 1;
	unsigned long flags;
	va_list args;
	size_t used;

	spin_lock_irqsave(&reports->lock, flags);
	va_start(args, fmt);
	used = vscnprintf(reports->line, room, fmt, args);
	va_end(args);
	if (len)
		used += print_bytes(reports->line + used, room - used, key, bytes, len);
	add_line(reports, used);
	spin_unlock_irqrestore(&reports->lock, flags);
	wake_up_interruptible(&reports->wait);
}

bool kp_reports_ready(struct kp_reports *reports)
{
	return !kfifo_is_empty(&reports->bytes) || READ_ONCE(reports->lost);
}

/* Tells the one who has read all that this was not all. */
static void tell_lost(struct kp_reports *reports)
{
	size_t len;

	spin_lock_irq(&reports->lock);
	if (reports->lost && kfifo_is_empty(&reports->bytes)) {
		len = scnprintf(reports->line, sizeof(reports->line), "lost %u", reports->lost);
		reports->lost = 0;
		add_line(reports, len);
	}
	spin_unlock_irq(&reports->lock);
}

/* Bytes of lines, 0 if there are none. */
static ssize_t read_some(struct kp_reports *reports, char __user *to, size_t len)
{
	unsigned int copied = 0;
	int ret;

	mutex_lock(&reports->reading);
	tell_lost(reports);
	ret = kfifo_to_user(&reports->bytes, to, len, &copied);
	mutex_unlock(&reports->reading);
	return ret ?: copied;
}

ssize_t kp_reports_read(struct kp_reports *reports, char __user *to, size_t len, bool nonblock)
{
	ssize_t ret;

	for (;;) {
		ret = read_some(reports, to, len);
		if (ret || !len)
			return ret;
		if (nonblock)
			return -EAGAIN;
		if (wait_event_interruptible(reports->wait, kp_reports_ready(reports)))
			return -ERESTARTSYS;
	}
}
