// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Nodes issmN: while a process has the file open, the port's capability mask has IsSM, by which
 * others see that a subnet manager runs here.
 */
#include "umad/issm.h"

#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_mad.h>

static int set_is_sm(struct umad_issm *issm)
{
	struct ib_port_modify modify = { .set_port_cap_mask = IB_PORT_SM };

	lockdep_assert_held(&issm->node.lock);
	return ib_modify_port(issm->node.ibdev, issm->node.port, 0, &modify);
}

static void clear_is_sm(struct umad_issm *issm)
{
	struct ib_port_modify modify = { .clr_port_cap_mask = IB_PORT_SM };

	lockdep_assert_held(&issm->node.lock);
	ib_modify_port(issm->node.ibdev, issm->node.port, 0, &modify);
}

/* Lets the calling process have the file. Returns -EBUSY if another one has it, or an error. */
static int claim(struct umad_issm *issm)
{
	int ret;

	mutex_lock(&issm->node.lock);
	ret = umad_node_access(&issm->node);
	if (!ret && issm->is_open)
		ret = -EBUSY;
	if (!ret)
		ret = set_is_sm(issm);
	if (!ret)
		WRITE_ONCE(issm->is_open, true);
	mutex_unlock(&issm->node.lock);
	return ret;
}

static int issm_open(struct inode *inode, struct file *filp)
{
	struct umad_issm *issm = container_of(inode->i_cdev, struct umad_issm, node.cdev);
	int ret;

	while ((ret = claim(issm)) == -EBUSY) {
		if (filp->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(issm->wait, !READ_ONCE(issm->is_open) ||
					       !READ_ONCE(issm->node.ibdev));
		if (ret)
			return ret;
	}
	if (ret)
		return ret;
	filp->private_data = issm;
	return nonseekable_open(inode, filp);
}

static int issm_release(struct inode *inode, struct file *filp)
{
	struct umad_issm *issm = filp->private_data;

	mutex_lock(&issm->node.lock);
	if (issm->node.ibdev)
		clear_is_sm(issm);
	WRITE_ONCE(issm->is_open, false);
	mutex_unlock(&issm->node.lock);
	wake_up_interruptible(&issm->wait);
	return 0;
}

static const struct file_operations issm_fops = {
	.owner = THIS_MODULE,
	.open = issm_open,
	.release = issm_release,
};

static void free_issm(struct device *dev)
{
	struct umad_issm *issm = container_of(dev, struct umad_issm, node.dev);

	umad_node_destroy(&issm->node);
	kfree(issm);
}

/* Ends the use of the device by an open file, and by those who wait. */
static void end_issm(struct umad_issm *issm)
{
	mutex_lock(&issm->node.lock);
	if (issm->is_open)
		clear_is_sm(issm);
	WRITE_ONCE(issm->node.ibdev, NULL);
	mutex_unlock(&issm->node.lock);
	wake_up_interruptible_all(&issm->wait);
}

struct umad_issm *umad_issm_add(struct ib_device *ibdev, u32 num, int number)
{
	struct umad_issm *issm = kzalloc(sizeof(*issm), GFP_KERNEL);
	int ret;

	if (!issm)
		return ERR_PTR(-ENOMEM);
	init_waitqueue_head(&issm->wait);
	umad_node_init(&issm->node, ibdev, num, free_issm);
	ret = umad_node_add(&issm->node, UMAD_NODE_SM, number, &issm_fops);
	if (!ret)
		return issm;
	end_issm(issm);
	put_device(&issm->node.dev);
	return ERR_PTR(ret);
}

void umad_issm_remove(struct umad_issm *issm)
{
	umad_node_hide(&issm->node);
	end_issm(issm);
	put_device(&issm->node.dev);
}
