// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Open files of umadN: their life, and their operations.
 */
#include "umad/file.h"

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "umad/agent.h"
#include "umad/ioctl.h"
#include "umad/read.h"
#include "umad/send.h"
#include "umad/umad.h"

static struct umad_file *new_file(struct umad_port *port)
{
	struct umad_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return NULL;
	kref_init(&file->ref);
	get_device(&port->node.dev);
	file->port = port;
	INIT_LIST_HEAD(&file->entry);
	umad_queue_init(&file->queue);
	init_rwsem(&file->agents_lock);
	return file;
}

static void free_file(struct kref *ref)
{
	struct umad_file *file = container_of(ref, struct umad_file, ref);

	put_device(&file->port->node.dev);
	kfree(file);
}

void umad_file_put(struct umad_file *file)
{
	kref_put(&file->ref, free_file);
}

static int file_open(struct inode *inode, struct file *filp)
{
	struct umad_port *port = container_of(inode->i_cdev, struct umad_port, node.cdev);
	struct umad_file *file = new_file(port);
	int ret;

	if (!file)
		return -ENOMEM;
	mutex_lock(&port->node.lock);
	ret = umad_node_access(&port->node);
	if (!ret) {
		file->ibdev = port->node.ibdev;
		list_add_tail(&file->entry, &port->files);
	}
	mutex_unlock(&port->node.lock);
	if (ret) {
		umad_file_put(file);
		return ret;
	}
	filp->private_data = file;
	return stream_open(inode, filp);
}

static int file_release(struct inode *inode, struct file *filp)
{
	struct umad_file *file = filp->private_data;
	struct umad_port *port = file->port;

	mutex_lock(&port->node.lock);
	list_del_init(&file->entry);
	mutex_unlock(&port->node.lock);
	umad_agents_end(file);
	umad_file_put(file);
	return 0;
}

static __poll_t file_poll(struct file *filp, struct poll_table_struct *table)
{
	struct umad_file *file = filp->private_data;

	poll_wait(filp, &file->queue.wait, table);
	return umad_queue_poll(&file->queue);
}

const struct file_operations umad_fops = {
	.owner = THIS_MODULE,
	.open = file_open,
	.release = file_release,
	.read = umad_read,
	.write = umad_write,
	.poll = file_poll,
	.unlocked_ioctl = umad_ioctl,
	.compat_ioctl = umad_compat_ioctl,
};
