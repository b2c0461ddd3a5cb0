// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: the device node, one session per open file, and the list of usable RDMA devices.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/krdma.h>

#include "tools/testing/modules/kscript/kscript.h"

KRDMA_NEEDS_IB_CORE;

/* An RDMA device that sessions can use. */
struct usable {
	struct list_head entry;
	struct ib_device *dev;
};

static LIST_HEAD(devices);
static LIST_HEAD(sessions);
static DEFINE_MUTEX(lock); /* protects both lists; taken before ks_session.life */

static int add_device(struct ib_device *dev);
static void remove_device(struct ib_device *dev, void *data);

static struct ib_client client = {
	.name = "kscript",
	.add = add_device,
	.remove = remove_device,
};

static int add_device(struct ib_device *dev)
{
	struct usable *usable = kmalloc(sizeof(*usable), GFP_KERNEL);

	if (!usable)
		return -ENOMEM;
	usable->dev = dev;
	mutex_lock(&lock);
	list_add_tail(&usable->entry, &devices);
	mutex_unlock(&lock);
	ib_set_client_data(dev, &client, usable);
	return 0;
}

static void remove_device(struct ib_device *dev, void *data)
{
	struct usable *usable = data;
	struct ks_session *s;

	mutex_lock(&lock);
	list_del(&usable->entry);
	list_for_each_entry(s, &sessions, entry) {
		mutex_lock(&s->life);
		if (s->dev == dev) {
			ks_session_detach(s);
			ks_report(s, "removed %s", dev_name(&dev->dev));
		}
		mutex_unlock(&s->life);
	}
	mutex_unlock(&lock);
	kfree(usable);
}

static struct ib_device *find_device(const char *name)
{
	struct usable *usable;

	lockdep_assert_held(&lock);
	list_for_each_entry(usable, &devices, entry)
		if (!strcmp(dev_name(&usable->dev->dev), name))
			return usable->dev;
	return NULL;
}

int ks_attach_by_name(struct ks_session *s, const char *name, unsigned int pd_flags)
{
	struct ib_device *dev;
	int ret = -ENODEV;

	mutex_lock(&lock);
	mutex_lock(&s->life);
	dev = find_device(name);
	if (dev)
		ret = ks_session_attach(s, dev, pd_flags);
	mutex_unlock(&s->life);
	mutex_unlock(&lock);
	return ret;
}

static int open(struct inode *inode, struct file *file)
{
	struct ks_session *s = ks_session_new();

	if (!s)
		return -ENOMEM;
	mutex_lock(&lock);
	list_add_tail(&s->entry, &sessions);
	mutex_unlock(&lock);
	file->private_data = s;
	return stream_open(inode, file);
}

static int release(struct inode *inode, struct file *file)
{
	struct ks_session *s = file->private_data;

	mutex_lock(&s->life);
	ks_session_detach(s);
	mutex_unlock(&s->life);
	mutex_lock(&lock);
	list_del(&s->entry);
	mutex_unlock(&lock);
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

static struct miscdevice misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kscript",
	.fops = &fops,
	.mode = 0600,
};

static int __init kscript_init(void)
{
	int ret = ib_register_client(&client);

	if (ret)
		return ret;
	ret = misc_register(&misc);
	if (ret)
		ib_unregister_client(&client);
	return ret;
}

static void __exit kscript_exit(void)
{
	misc_deregister(&misc);
	ib_unregister_client(&client);
}

module_init(kscript_init);
module_exit(kscript_exit);

MODULE_DESCRIPTION("Scripted ULP: executes commands from /dev/kscript");
MODULE_LICENSE("Dual BSD/GPL");
