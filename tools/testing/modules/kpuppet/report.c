// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kpuppet: lines on their way to the reader.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "tools/testing/modules/kpuppet/kpuppet.h"

/* A line; what a short read() has left of it begins at pos. */
struct report {
	struct list_head entry;
	unsigned int len;
	unsigned int pos;
	char text[];
};

void kp_reports_init(struct kp_reports *reports)
{
	spin_lock_init(&reports->lock);
	INIT_LIST_HEAD(&reports->lines);
	init_waitqueue_head(&reports->wait);
}

void kp_reports_clear(struct kp_reports *reports)
{
	struct report *report, *next;
	LIST_HEAD(lines);

	spin_lock_irq(&reports->lock);
	list_splice_init(&reports->lines, &lines);
	reports->count = 0;
	reports->lost = 0;
	spin_unlock_irq(&reports->lock);
	list_for_each_entry_safe(report, next, &lines, entry)
		kfree(report);
}

static __printf(1, 0) struct report *make(const char *fmt, va_list args)
{
	struct report *report;
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	report = kmalloc(struct_size(report, text, len + 1), GFP_ATOMIC);
	if (!report)
		return NULL;
	vsnprintf(report->text, len + 1, fmt, args);
	report->text[len] = '\n';
	report->len = len + 1;
	report->pos = 0;
	return report;
}

static void add(struct kp_reports *reports, struct report *report)
{
	unsigned long flags;

	spin_lock_irqsave(&reports->lock, flags);
	if (report && reports->count < KP_MAX_REPORTS) {
		list_add_tail(&report->entry, &reports->lines);
		reports->count++;
		report = NULL;
	} else {
		reports->lost++;
	}
	spin_unlock_irqrestore(&reports->lock, flags);
	kfree(report);
	wake_up_interruptible(&reports->wait);
}

/* Any context. */
void kp_report(struct kp_session *s, const char *fmt, ...)
{
	struct report *report;
	va_list args;

	va_start(args, fmt);
	report = make(fmt, args);
	va_end(args);
	add(&s->reports, report);
}

char *kp_hex_text(const char *key, const void *bytes, u32 len)
{
	size_t key_len = strlen(key);
	char *text;

	if (!len)
		return kstrdup("", GFP_KERNEL);
	text = kmalloc(key_len + 2 * len + 1, GFP_KERNEL);
	if (!text)
		return NULL;
	memcpy(text, key, key_len);
	*bin2hex(text + key_len, bytes, len) = '\0';
	return text;
}

bool kp_reports_ready(struct kp_reports *reports)
{
	return READ_ONCE(reports->count) || READ_ONCE(reports->lost);
}

/* The oldest line, or what is left of it; NULL: there is none. */
static struct report *take(struct kp_reports *reports, unsigned int *lost)
{
	struct report *report;

	spin_lock_irq(&reports->lock);
	report = list_first_entry_or_null(&reports->lines, struct report, entry);
	if (report) {
		list_del(&report->entry);
		reports->count--;
	} else {
		*lost = reports->lost;
		reports->lost = 0;
	}
	spin_unlock_irq(&reports->lock);
	return report;
}

static void put_back(struct kp_reports *reports, struct report *report)
{
	spin_lock_irq(&reports->lock);
	list_add(&report->entry, &reports->lines);
	reports->count++;
	spin_unlock_irq(&reports->lock);
}

static ssize_t read_lost(unsigned int lost, char __user *to, size_t len)
{
	char text[32];
	size_t n = min_t(size_t, len, scnprintf(text, sizeof(text), "lost %u\n", lost));

	return copy_to_user(to, text, n) ? -EFAULT : n;
}

ssize_t kp_reports_read(struct kp_reports *reports, char __user *to, size_t len, bool nonblock)
{
	struct report *report;
	unsigned int lost = 0;
	size_t n;

	for (;;) {
		report = take(reports, &lost);
		if (report || lost)
			break;
		if (nonblock)
			return -EAGAIN;
		if (wait_event_interruptible(reports->wait, kp_reports_ready(reports)))
			return -ERESTARTSYS;
	}
	if (!report)
		return read_lost(lost, to, len);
	n = min_t(size_t, len, report->len - report->pos);
	if (copy_to_user(to, report->text + report->pos, n)) {
		put_back(reports, report);
		return -EFAULT;
	}
	report->pos += n;
	if (report->pos < report->len)
		put_back(reports, report);
	else
		kfree(report);
	return n;
}
