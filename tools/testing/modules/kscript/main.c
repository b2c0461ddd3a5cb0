// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: the device node, with one session per open file.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/krdma.h>

#include "tools/testing/modules/kscript/kscript.h"

KRDMA_NEEDS_IB_CORE;

static int open(struct inode *inode, struct file *file)
{
	struct ks_session *s = ks_session_new(ks_command);

	if (!s)
		return -ENOMEM;
	session_open(&s->base);
	file->private_data = s;
	return stream_open(inode, file);
}

static int release(struct inode *inode, struct file *file)
{
	struct ks_session *s = file->private_data;

	session_close(&s->base);
	ks_session_free(s);
	return 0;
}

static ssize_t write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	char *line;
	int ret;

	if (len >= KS_MAX_LINE)
		return -EINVAL;
	line = memdup_user_nul(from, len);
	if (IS_ERR(line))
		return PTR_ERR(line);
	if (len && line[len - 1] == '\n')
		line[len - 1] = '\0';
	ret = strchr(line, '\n') ? -EINVAL : ks_command(file->private_data, line, false);
	kfree(line);
	return ret ?: len;
}

static ssize_t read(struct file *file, char __user *to, size_t len, loff_t *pos)
{
	struct ks_session *s = file->private_data;

	return ks_reports_read(&s->reports, to, len, file->f_flags & O_NONBLOCK);
}

static __poll_t poll(struct file *file, struct poll_table_struct *table)
{
	struct ks_session *s = file->private_data;

	poll_wait(file, &s->reports.wait, table);
	return EPOLLOUT | EPOLLWRNORM |
	       (ks_reports_ready(&s->reports) ? EPOLLIN | EPOLLRDNORM : 0);
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = open,
	.release = release,
	.read = read,
	.write = write,
	.poll = poll,
};

static const struct session_ops ulp_ops = {
	.name = "kscript",
	.fops = &fops,
	.stop = ks_session_stop,
};

static int __init kscript_init(void)
{
	return sessions_init(&ulp_ops);
}

static void __exit kscript_exit(void)
{
	sessions_exit();
}

module_init(kscript_init);
module_exit(kscript_exit);

MODULE_DESCRIPTION("Scripted ULP: executes commands from /dev/kscript");
MODULE_LICENSE("Dual BSD/GPL");
