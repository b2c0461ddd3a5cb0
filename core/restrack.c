// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Resource tracking: tables of a device's objects, one for each kind, indexed by number.
 *
 * A look-up takes a reference under the table's lock. The thread that destroys an object first
 * removes the object from the table, and then waits until all references are dropped, so that the
 * object outlives its readers.
 */
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_counter.h>

#include "core/restrack.h"

struct rdma_restrack_root {
	/* Objects by number. The xarray's xa_lock also protects the members below. */
	struct xarray	objects;
	u32		next_id;
	s64		reserved;	/* number kept by remove_object(), or NO_NUMBER */
	int		count;
};

#define NO_NUMBER	(-1)

static const char *const type_names[RDMA_RESTRACK_MAX] = {
	[RDMA_RESTRACK_PD]	= "PD",
	[RDMA_RESTRACK_CQ]	= "CQ",
	[RDMA_RESTRACK_QP]	= "QP",
	[RDMA_RESTRACK_CM_ID]	= "CM ID",
	[RDMA_RESTRACK_MR]	= "MR",
	[RDMA_RESTRACK_CTX]	= "context",
	[RDMA_RESTRACK_COUNTER]	= "counter",
	[RDMA_RESTRACK_SRQ]	= "SRQ",
};

int ib_core_restrack_init(struct ib_device *dev)
{
	unsigned int type;

	dev->res = kcalloc(RDMA_RESTRACK_MAX, sizeof(*dev->res), GFP_KERNEL_ACCOUNT);
	if (!dev->res)
		return -ENOMEM;
	for (type = 0; type < RDMA_RESTRACK_MAX; type++) {
		xa_init_flags(&dev->res[type].objects, XA_FLAGS_ALLOC);
		dev->res[type].reserved = NO_NUMBER;
	}
	return 0;
}

void ib_core_restrack_free(struct ib_device *dev)
{
	unsigned int type;

	for (type = 0; type < RDMA_RESTRACK_MAX; type++)
		xa_destroy(&dev->res[type].objects);
	kfree(dev->res);
}

void rdma_restrack_new(struct rdma_restrack_entry *res, enum rdma_restrack_type type)
{
	kref_init(&res->kref);
	init_completion(&res->comp);
	res->type = type;
}
EXPORT_SYMBOL(rdma_restrack_new);

static void release_owner(struct rdma_restrack_entry *res)
{
	if (res->task)
		put_task_struct(res->task);
	res->task = NULL;
}

static void set_owner(struct rdma_restrack_entry *res, const char *kern_name,
		      struct task_struct *task)
{
	release_owner(res);
	res->kern_name = kern_name;
	res->user = !kern_name;
	if (res->user) {
		get_task_struct(task);
		res->task = task;
	}
}

void rdma_restrack_set_name(struct rdma_restrack_entry *res, const char *kern_name)
{
	set_owner(res, kern_name, current->group_leader);
}
EXPORT_SYMBOL(rdma_restrack_set_name);

void rdma_restrack_parent_name(struct rdma_restrack_entry *dst,
			       const struct rdma_restrack_entry *parent)
{
	set_owner(dst, parent->kern_name, parent->task);
}
EXPORT_SYMBOL(rdma_restrack_parent_name);

/*
 * Removes the object with number @id, but keeps the number reserved until the next removal. The
 * reserved entry keeps the nodes of the xarray that lead to this number and to the next numbers.
 * Otherwise, in a table with few objects, each new object would need several new nodes. Called with
 * the table's lock held.
 */
static void remove_object(struct rdma_restrack_root *root, u32 id)
{
	/*
	 * Storing NULL reserves the number, because the xarray has XA_FLAGS_ALLOC. Storing cannot
	 * fail, because the number has an entry.
	 */
	__xa_store(&root->objects, id, NULL, GFP_ATOMIC);
	if (root->reserved != NO_NUMBER)
		__xa_erase(&root->objects, root->reserved);
	root->reserved = id;
}

/* Inserts @res under the number @id. Returns 0; -EBUSY if the number is taken; or -ENOMEM. */
static int insert_object(struct rdma_restrack_root *root, struct rdma_restrack_entry *res, u32 id)
{
	bool was_reserved;

	res->id = id;
	xa_lock(&root->objects);
	was_reserved = root->reserved == id;
	if (was_reserved) {
		__xa_store(&root->objects, id, res, GFP_ATOMIC);
		root->reserved = NO_NUMBER;
	}
	xa_unlock(&root->objects);
	return was_reserved ? 0 : xa_insert(&root->objects, id, res, GFP_KERNEL);
}

/*
 * Inserts a QP, or a counter that already has a number, under the number that the object has;
 * inserts any other object under the next free number.
 */
static int restrack_insert(struct rdma_restrack_root *root, struct rdma_restrack_entry *res)
{
	const struct rdma_counter *counter;
	const struct ib_qp *qp;
	u32 lowest = 0;
	u32 id;
	int ret;

	switch (res->type) {
	case RDMA_RESTRACK_QP:
		qp = container_of(res, struct ib_qp, res);
		id = qp->qp_num;
		/* Each port has its own special QPs 0 and 1: the port makes the number unique. */
		if (qp->qp_type == IB_QPT_SMI || qp->qp_type == IB_QPT_GSI)
			id |= qp->port << 24;
		return insert_object(root, res, id);
	case RDMA_RESTRACK_COUNTER:
		counter = container_of(res, struct rdma_counter, res);
		if (counter->id)
			return insert_object(root, res, counter->id);
		/* 0 is not a counter's number: in requests it stands for a new counter. */
		lowest = 1;
		break;
	default:
		break;
	}
	ret = xa_alloc_cyclic(&root->objects, &res->id, res, XA_LIMIT(lowest, U32_MAX),
			      &root->next_id, GFP_KERNEL);
	return ret < 0 ? ret : 0;
}

int rdma_restrack_add(struct ib_device *dev, struct rdma_restrack_entry *res)
{
	struct rdma_restrack_root *root = &dev->res[res->type];
	int ret;

	if (!rdma_restrack_is_tracked(res))
		return 0;
	res->valid = true;
	ret = restrack_insert(root, res);
	if (ret) {
		res->valid = false;
		return ret;
	}
	xa_lock(&root->objects);
	root->count++;
	xa_unlock(&root->objects);
	return 0;
}
EXPORT_SYMBOL(rdma_restrack_add);

void rdma_restrack_del(struct ib_device *dev, struct rdma_restrack_entry *res)
{
	struct rdma_restrack_root *root;

	if (res->valid) {
		root = &dev->res[res->type];
		xa_lock(&root->objects);
		remove_object(root, res->id);
		root->count--;
		xa_unlock(&root->objects);
		res->valid = false;
		rdma_restrack_put(res);
		wait_for_completion(&res->comp);
	}
	release_owner(res);
}
EXPORT_SYMBOL(rdma_restrack_del);

void ib_core_restrack_unpublish(struct ib_device *dev, struct rdma_restrack_entry *res)
{
	if (!res->valid)
		return;
	/*
	 * Storing NULL keeps the number reserved, because the xarray has XA_FLAGS_ALLOC. xa_store()
	 * cannot fail, because the number has an entry.
	 */
	xa_store(&dev->res[res->type].objects, res->id, NULL, GFP_KERNEL);
	rdma_restrack_put(res);
	wait_for_completion(&res->comp);
}

void ib_core_restrack_publish(struct ib_device *dev, struct rdma_restrack_entry *res)
{
	if (!res->valid)
		return;
	kref_init(&res->kref);
	reinit_completion(&res->comp);
	/* xa_store() cannot fail, because the number is reserved, and no memory is allocated. */
	xa_store(&dev->res[res->type].objects, res->id, res, GFP_KERNEL);
}

int rdma_restrack_get(struct rdma_restrack_entry *res)
{
	return kref_get_unless_zero(&res->kref) ? 0 : -ENOENT;
}
EXPORT_SYMBOL(rdma_restrack_get);

static void restrack_release(struct kref *kref)
{
	complete(&container_of(kref, struct rdma_restrack_entry, kref)->comp);
}

int rdma_restrack_put(struct rdma_restrack_entry *res)
{
	return kref_put(&res->kref, restrack_release);
}
EXPORT_SYMBOL(rdma_restrack_put);

/* Takes a reference to an object in a table. Called with the table's lock held. */
static void get_object(struct rdma_restrack_entry *res)
{
	/* The table holds a reference, too, so the count is not 0. */
	kref_get(&res->kref);
}

struct rdma_restrack_entry *rdma_restrack_get_byid(struct ib_device *dev,
						   enum rdma_restrack_type type, u32 id)
{
	struct xarray *objects = &dev->res[type].objects;
	struct rdma_restrack_entry *res;

	xa_lock(objects);
	res = xa_load(objects, id);
	if (res)
		get_object(res);
	xa_unlock(objects);
	return res ?: ERR_PTR(-ENOENT);
}
EXPORT_SYMBOL(rdma_restrack_get_byid);

struct rdma_restrack_entry *rdma_restrack_get_next(struct ib_device *dev,
						   enum rdma_restrack_type type, u32 *id)
{
	struct xarray *objects = &dev->res[type].objects;
	struct rdma_restrack_entry *res;
	unsigned long index = *id;

	xa_lock(objects);
	res = xa_find(objects, &index, U32_MAX, XA_PRESENT);
	if (res)
		get_object(res);
	xa_unlock(objects);
	*id = index;
	return res;
}
EXPORT_SYMBOL(rdma_restrack_get_next);

int rdma_restrack_count(struct ib_device *dev, enum rdma_restrack_type type)
{
	return READ_ONCE(dev->res[type].count);
}
EXPORT_SYMBOL(rdma_restrack_count);

/*
 * Counts the objects in the table that have the same owner, a process or a module, as @first.
 * Returns 0 if @first is not the first of these objects, so that each owner is reported once.
 */
static unsigned int count_leaks(struct xarray *objects, const struct rdma_restrack_entry *first)
{
	struct rdma_restrack_entry *res;
	unsigned int count = 0;
	unsigned long index;

	xa_for_each(objects, index, res) {
		if (res->user || first->user ? res->task != first->task :
					       strcmp(res->kern_name, first->kern_name))
			continue;
		if (!count && res != first)
			return 0;
		count++;
	}
	return count;
}

/*
 * Logs one line for each kind of object and each owner, which is a process or a module. Takes no
 * lock, because no object can be created or destroyed any more.
 */
void ib_core_restrack_report_leaks(struct ib_device *dev)
{
	struct rdma_restrack_entry *res;
	unsigned long index;
	unsigned int type;
	unsigned int count;

	for (type = 0; type < RDMA_RESTRACK_MAX; type++) {
		struct xarray *objects = &dev->res[type].objects;

		xa_for_each(objects, index, res) {
			count = count_leaks(objects, res);
			if (count && res->user)
				ibdev_err(dev, "%s (pid %d) leaked %u x %s\n", res->task->comm,
					  task_pid_nr(res->task), count, type_names[type]);
			else if (count)
				ibdev_err(dev, "%s leaked %u x %s\n", res->kern_name, count,
					  type_names[type]);
		}
	}
}
