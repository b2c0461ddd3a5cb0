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
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>
#include <rdma/krdma.h>

#include "objects.h"

KRDMA_NEEDS_IB_CORE;

#define MAX_OBJECTS	65536
#define MAX_COMMAND	128

/* The objects of an open file; dev is NULL until they are created. */
struct set {
	struct list_head entry;
	struct ib_device *dev;
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

/* A registered device. */
struct known_device {
	struct list_head entry;
	struct ib_device *dev;
};

static LIST_HEAD(devices);
static LIST_HEAD(sets);
static DEFINE_MUTEX(lock); /* protects both lists and their entries */

static enum rdmacg_resource_type resource_of(unsigned int charge)
{
	return charge ? RDMACG_RESOURCE_HCA_OBJECT : RDMACG_RESOURCE_HCA_HANDLE;
}

static int charge(struct set *set, unsigned int n)
{
	int ret;

	for (; set->charged && n; n--) {
		ret = ib_rdmacg_try_charge(&set->charged[set->charges], set->dev,
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
		ib_rdmacg_uncharge(&set->charged[set->charges], set->dev,
				   resource_of(set->charges));
	}
	kvfree(set->charged);
	set->charged = NULL;
}

static void destroy_set(struct set *set)
{
	lockdep_assert_held(&lock);
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
	set->dev = NULL;
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

	pd = __ib_alloc_pd(set->dev, 0, caller);
	if (IS_ERR(pd))
		return PTR_ERR(pd);
	set->pd = pd;
	cq = __ib_create_cq(set->dev, NULL, NULL, NULL, &attr, caller);
	if (IS_ERR(cq))
		return PTR_ERR(cq);
	set->cq = cq;
	return 0;
}

static struct ib_device *find_device(const char *name)
{
	struct known_device *known;

	lockdep_assert_held(&lock);
	list_for_each_entry(known, &devices, entry)
		if (!strcmp(dev_name(&known->dev->dev), name))
			return known->dev;
	return NULL;
}

static int make_set(struct set *set, char *command)
{
	char name[IB_DEVICE_NAME_MAX], owner[8];
	const char *caller;
	unsigned int qps, mrs;
	int ret;

	lockdep_assert_held(&lock);
	if (sscanf(command, "%63s %7s %u %u", name, owner, &qps, &mrs) != 4 ||
	    qps > MAX_OBJECTS || mrs > MAX_OBJECTS)
		return -EINVAL;
	if (set->dev)
		return -EBUSY;
	set->dev = find_device(name);
	if (!set->dev)
		return -ENODEV;
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
	mutex_lock(&lock);
	list_add_tail(&set->entry, &sets);
	mutex_unlock(&lock);
	file->private_data = set;
	return stream_open(inode, file);
}

static int release(struct inode *inode, struct file *file)
{
	struct set *set = file->private_data;

	mutex_lock(&lock);
	list_del(&set->entry);
	destroy_set(set);
	mutex_unlock(&lock);
	kfree(set);
	return 0;
}

static ssize_t write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	char *command;
	int ret;

	if (len >= MAX_COMMAND)
		return -EINVAL;
	command = memdup_user_nul(from, len);
	if (IS_ERR(command))
		return PTR_ERR(command);
	mutex_lock(&lock);
	ret = make_set(file->private_data, command);
	mutex_unlock(&lock);
	kfree(command);
	return ret ?: len;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = open,
	.release = release,
	.write = write,
};

static struct miscdevice misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kt_res",
	.fops = &fops,
	.mode = 0666,
};

static struct ib_client client;

static int add_device(struct ib_device *dev)
{
	struct known_device *known = kmalloc(sizeof(*known), GFP_KERNEL);
	int ret;

	if (!known)
		return -ENOMEM;
	ret = kt_objects_track(dev);
	if (ret) {
		kfree(known);
		return ret;
	}
	known->dev = dev;
	mutex_lock(&lock);
	list_add_tail(&known->entry, &devices);
	mutex_unlock(&lock);
	ib_set_client_data(dev, &client, known);
	return 0;
}

static void remove_device(struct ib_device *dev, void *data)
{
	struct known_device *known = data;
	struct set *set;

	mutex_lock(&lock);
	list_del(&known->entry);
	list_for_each_entry(set, &sets, entry)
		if (set->dev == dev)
			destroy_set(set);
	mutex_unlock(&lock);
	kfree(known);
	kt_objects_untrack(dev);
}

static struct ib_client client = {
	.name = "kt_res",
	.add = add_device,
	.remove = remove_device,
	.no_kverbs_req = true,
};

static int __init kt_res_init(void)
{
	int ret = ib_register_client(&client);

	if (ret)
		return ret;
	ret = misc_register(&misc);
	if (ret) {
		ib_unregister_client(&client);
		return ret;
	}
	kt_objects_init();
	return 0;
}

static void __exit kt_res_exit(void)
{
	kt_objects_exit();
	misc_deregister(&misc);
	ib_unregister_client(&client);
}

module_init(kt_res_init);
module_exit(kt_res_exit);

MODULE_DESCRIPTION("RDMA objects in any number");
MODULE_LICENSE("Dual BSD/GPL");
