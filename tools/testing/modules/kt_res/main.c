// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_res.ko creates thousands of objects, for selftests/rdma/core/resources.sh.
 *
 * Writing "DEVICE OWNER QPS MRS" to /dev/kt_res creates a PD, a CQ, and the given numbers of QPs
 * and MRs, which exist until the file is closed or the device is removed. If OWNER is "kernel", the
 * kernel owns the objects. If OWNER is "user", the writing process owns the objects, and the cgroup
 * of the process is charged with a handle and with the objects. A command fails with -EBUSY if the
 * open file has objects already.
 *
 * objects.c adds the devices of link type "objects" to this module.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>
#include <rdma/krdma.h>

#include "objects.h"
#include "tools/testing/modules/support/sessions.h"

KRDMA_NEEDS_IB_CORE;

#define MAX_OBJECTS	65536
#define MAX_COMMAND	128

/* The objects of an open file. */
struct set {
	struct session session;
	struct mutex lock; /* protects the other members; taken before session_attach() */
	struct ib_pd *pd;
	struct ib_cq *cq;
	unsigned int qps;
	unsigned int mrs;
	struct ib_qp **qp;
	struct ib_mr **mr;
	/* Charges for the handle and then for the objects. NULL if the kernel is the owner. */
	struct ib_rdmacg_object *charged;
	unsigned int charges;
};

static enum rdmacg_resource_type resource_of(unsigned int charge)
{
	return charge ? RDMACG_RESOURCE_HCA_OBJECT : RDMACG_RESOURCE_HCA_HANDLE;
}

static int charge(struct set *set, unsigned int n)
{
	int ret;

	for (; set->charged && n; n--) {
		ret = ib_rdmacg_try_charge(&set->charged[set->charges], set->session.dev,
					   resource_of(set->charges));
		if (ret)
			return ret;
		set->charges++;
	}
	return 0;
}

static void uncharge(struct set *set)
{
	while (set->charges) {
		set->charges--;
		ib_rdmacg_uncharge(&set->charged[set->charges], set->session.dev,
				   resource_of(set->charges));
	}
	kvfree(set->charged);
	set->charged = NULL;
}

static void destroy_set(struct set *set)
{
	lockdep_assert_held(&set->lock);
	while (set->qps)
		WARN_ON(ib_destroy_qp(set->qp[--set->qps]));
	while (set->mrs)
		WARN_ON(ib_dereg_mr(set->mr[--set->mrs]));
	if (set->cq)
		ib_destroy_cq(set->cq);
	if (set->pd)
		ib_dealloc_pd(set->pd);
	uncharge(set);
	kvfree(set->qp);
	kvfree(set->mr);
	set->qp = NULL;
	set->mr = NULL;
	set->cq = NULL;
	set->pd = NULL;
	session_detach(&set->session);
}

static int to_init(struct ib_qp *qp)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };

	return ib_modify_qp(qp, &attr, IB_QP_STATE);
}

static int make_qps(struct set *set, unsigned int n, const char *caller)
{
	struct ib_qp *qp;
	int ret;

	while (set->qps < n) {
		struct ib_qp_init_attr attr = {
			.send_cq = set->cq, .recv_cq = set->cq, .qp_type = IB_QPT_RC,
			.cap = { .max_send_wr = 1, .max_recv_wr = 1,
				 .max_send_sge = 1, .max_recv_sge = 1 },
		};

		qp = ib_create_qp_kernel(set->pd, &attr, caller);
		if (IS_ERR(qp))
			return PTR_ERR(qp);
		set->qp[set->qps++] = qp;
		ret = to_init(qp);
		if (ret)
			return ret;
	}
	return 0;
}

/* Makes MRs. An MR gets the owner of its PD, so there is no argument for the owner. */
static int make_mrs(struct set *set, unsigned int n)
{
	struct ib_mr *mr;

	while (set->mrs < n) {
		mr = ib_alloc_mr(set->pd, IB_MR_TYPE_MEM_REG, 1);
		if (IS_ERR(mr))
			return PTR_ERR(mr);
		set->mr[set->mrs++] = mr;
	}
	return 0;
}

/*
 * Allocates the arrays. If a process owns the objects, charges a handle, a PD, a CQ, the QPs and
 * the MRs to the cgroup of the process.
 */
static int alloc_arrays(struct set *set, unsigned int qps, unsigned int mrs, const char *caller)
{
	unsigned int charges = 3 + qps + mrs;

	set->qp = kvcalloc(qps, sizeof(struct ib_qp *), GFP_KERNEL);
	set->mr = kvcalloc(mrs, sizeof(struct ib_mr *), GFP_KERNEL);
	if (!set->qp || !set->mr)
		return -ENOMEM;
	if (caller)
		return 0;
	set->charged = kvcalloc(charges, sizeof(*set->charged), GFP_KERNEL);
	return set->charged ? charge(set, charges) : -ENOMEM;
}

static int make_pd_and_cq(struct set *set, const char *caller)
{
	struct ib_cq_init_attr attr = { .cqe = 16 };
	struct ib_pd *pd;
	struct ib_cq *cq;

	pd = __ib_alloc_pd(set->session.dev, 0, caller);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	set->pd = pd;
	cq = __ib_create_cq(set->session.dev, NULL, NULL, NULL, &attr, caller);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	set->cq = cq;
	return 0;
}

static int make_set(struct set *set, char *command)
{
	char name[IB_DEVICE_NAME_MAX], owner[8];
	const char *caller;
	unsigned int qps, mrs;
	int ret;

	lockdep_assert_held(&set->lock);
	if (sscanf(command, "%63s %7s %u %u", name, owner, &qps, &mrs) != 4 ||
	    qps > MAX_OBJECTS || mrs > MAX_OBJECTS)
		return -EINVAL;
	ret = session_attach(&set->session, name);
	if (ret)
		return ret;
	caller = strcmp(owner, "user") ? KBUILD_MODNAME : NULL;
	ret = alloc_arrays(set, qps, mrs, caller) ?: make_pd_and_cq(set, caller) ?:
	      make_qps(set, qps, caller) ?: make_mrs(set, mrs);
	if (ret)
		destroy_set(set);
	return ret;
}

static int open(struct inode *inode, struct file *file)
{
	struct set *set = kzalloc(sizeof(*set), GFP_KERNEL);

	if (!set)
		return -ENOMEM;
	mutex_init(&set->lock);
	session_open(&set->session);
	file->private_data = set;
	return stream_open(inode, file);
}

static int release(struct inode *inode, struct file *file)
{
	struct set *set = file->private_data;

	session_close(&set->session);
	mutex_destroy(&set->lock);
	kfree(set);
	return 0;
}

static ssize_t write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	struct set *set = file->private_data;
	char *command;
	int ret;

	if (len >= MAX_COMMAND)
		return -EINVAL;
	command = memdup_user_nul(from, len);
	if (IS_ERR(command))
		return PTR_ERR(command);
	mutex_lock(&set->lock);
	ret = make_set(set, command);
	mutex_unlock(&set->lock);
	kfree(command);
	return ret ?: len;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = open,
	.release = release,
	.write = write,
};

static void stop(struct session *session, struct ib_device *removed)
{
	struct set *set = container_of(session, struct set, session);

	mutex_lock(&set->lock);
	destroy_set(set);
	mutex_unlock(&set->lock);
}

/* Processes without rights own objects, too. */
static const struct session_ops session_ops = {
	.name = "kt_res",
	.fops = &fops,
	.mode = 0666,
	.stop = stop,
};

static int __init kt_res_init(void)
{
	int ret = sessions_init(&session_ops);

	if (ret)
		return ret;
	ret = kt_objects_init();
	if (ret)
		sessions_exit();
	return ret;
}

static void __exit kt_res_exit(void)
{
	kt_objects_exit();
	sessions_exit();
}

module_init(kt_res_init);
module_exit(kt_res_exit);

MODULE_DESCRIPTION("RDMA objects in any number");
MODULE_LICENSE("Dual BSD/GPL");
