// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Open files of /dev/infiniband/rdma_cm.
 */
#include "ucma/file.h"

#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/slab.h>

#include "ucma/create.h"
#include "ucma/ctx.h"
#include "ucma/event.h"

int ucma_file_open(struct inode *inode, struct file *filp)
{
	struct ucma_file *file = kzalloc(sizeof(*file), GFP_KERNEL_ACCOUNT);

	if (!file)
		return -ENOMEM;
	refcount_set(&file->refs, 1);
	mutex_init(&file->lock);
	INIT_LIST_HEAD(&file->ctxs);
	INIT_LIST_HEAD(&file->events);
	init_waitqueue_head(&file->wait);
	filp->private_data = file;
	return stream_open(inode, filp);
}

int ucma_file_release(struct inode *inode, struct file *filp)
{
	struct ucma_file *file = filp->private_data;

	ucma_ctx_destroy_all(file);
	ucma_file_put(file);
	return 0;
}

__poll_t ucma_file_poll(struct file *filp, struct poll_table_struct *table)
{
	struct ucma_file *file = filp->private_data;

	poll_wait(filp, &file->wait, table);
	return ucma_event_pending(file) ? EPOLLIN | EPOLLRDNORM : 0;
}

struct ucma_file *ucma_file_of(struct file *filp)
{
	return filp->f_op->open == ucma_file_open ? filp->private_data : NULL;
}
