// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Work queues, and indirection tables of them.
 */
#include "core/registry.h"
#include "verbs/verbs.h"

/* Adds @n, 1 or -1, to the use counts of the objects that a WQ uses. */
static void count_wq_parents(struct ib_pd *pd, struct ib_cq *cq, int n)
{
	atomic_add(n, &pd->usecnt);
	atomic_add(n, &cq->usecnt);
}

struct ib_wq *ib_create_wq_user(struct ib_pd *pd, struct ib_wq_init_attr *init_attr,
				struct ib_uwq_object *uobject, struct ib_udata *udata)
{
	struct ib_device *dev = pd->device;
	struct ib_wq *wq;

	might_sleep();
	if (!dev->ops.create_wq)
		return ERR_PTR(-EOPNOTSUPP);
	if (init_attr->wq_type != IB_WQT_RQ || !init_attr->cq || init_attr->cq->device != dev)
		return ERR_PTR(-EINVAL);
	if (!ib_core_device_usable(dev))
		return ERR_PTR(-ENODEV);
	wq = dev->ops.create_wq(pd, init_attr, udata);
	if (IS_ERR(wq))
		return wq;
	wq->device = dev;
	wq->uobject = uobject;
	wq->pd = pd;
	wq->cq = init_attr->cq;
	wq->event_handler = init_attr->event_handler;
	wq->wq_context = init_attr->wq_context;
	wq->wq_type = init_attr->wq_type;
	wq->state = IB_WQS_RESET;
	atomic_set(&wq->usecnt, 0);
	count_wq_parents(pd, wq->cq, 1);
	return wq;
}
EXPORT_SYMBOL(ib_create_wq_user);

struct ib_wq *ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *init_attr)
{
	return ib_create_wq_user(pd, init_attr, NULL, NULL);
}
EXPORT_SYMBOL(ib_create_wq);

int ib_modify_wq_user(struct ib_wq *wq, struct ib_wq_attr *attr, u32 mask, struct ib_udata *udata)
{
	if (!mask || mask & ~(IB_WQ_STATE | IB_WQ_CUR_STATE | IB_WQ_FLAGS))
		return -EINVAL;
	if ((mask & IB_WQ_STATE) && (u32)attr->wq_state > IB_WQS_ERR)
		return -EINVAL;
	if ((mask & IB_WQ_CUR_STATE) && (u32)attr->curr_wq_state > IB_WQS_ERR)
		return -EINVAL;
	if (!wq->device->ops.modify_wq)
		return -EOPNOTSUPP;
	return wq->device->ops.modify_wq(wq, attr, mask, udata);
}
EXPORT_SYMBOL(ib_modify_wq_user);

/* Reads the WQ's members first, because the provider frees the WQ. */
int ib_destroy_wq_user(struct ib_wq *wq, struct ib_udata *udata)
{
	const struct ib_device_ops *ops = &wq->device->ops;
	struct ib_cq *cq = wq->cq;
	struct ib_pd *pd = wq->pd;
	int ret;

	might_sleep();
	if (atomic_read(&wq->usecnt))
		return -EBUSY;
	ret = ops->destroy_wq(wq, udata);
	if (!ret)
		count_wq_parents(pd, cq, -1);
	return ret;
}
EXPORT_SYMBOL(ib_destroy_wq_user);

/* Adds @n, 1 or -1, to the use counts of the table's WQs, in which a WQ may occur several times. */
static void count_wqs(const struct ib_rwq_ind_table *table, int n)
{
	u32 i;

	for (i = 0; i < BIT(table->log_ind_tbl_size); i++)
		atomic_add(n, &table->ind_tbl[i]->usecnt);
}

struct ib_rwq_ind_table *
ib_create_rwq_ind_table_user(struct ib_device *device, struct ib_rwq_ind_table_init_attr *init_attr,
			     struct ib_uobject *uobject, struct ib_udata *udata)
{
	struct ib_rwq_ind_table *table;
	u32 i;
	int ret;

	might_sleep();
	if (!device->ops.create_rwq_ind_table)
		return ERR_PTR(-EOPNOTSUPP);
	for (i = 0; i < BIT(init_attr->log_ind_tbl_size); i++)
		if (init_attr->ind_tbl[i]->device != device)
			return ERR_PTR(-EINVAL);
	if (!ib_core_device_usable(device))
		return ERR_PTR(-ENODEV);
	table = verbs_zalloc(device, ib_rwq_ind_table, uobject);
	if (!table)
		return ERR_PTR(-ENOMEM);
	table->device = device;
	table->uobject = uobject;
	table->log_ind_tbl_size = init_attr->log_ind_tbl_size;
	table->ind_tbl = init_attr->ind_tbl;
	atomic_set(&table->usecnt, 0);
	ret = device->ops.create_rwq_ind_table(table, init_attr, udata);
	if (ret) {
		kfree(table);
		return ERR_PTR(ret);
	}
	count_wqs(table, 1);
	return table;
}
EXPORT_SYMBOL(ib_create_rwq_ind_table_user);

int ib_destroy_rwq_ind_table(struct ib_rwq_ind_table *table)
{
	int ret;

	might_sleep();
	if (atomic_read(&table->usecnt))
		return -EBUSY;
	ret = table->device->ops.destroy_rwq_ind_table(table);
	if (ret)
		return ret;
	count_wqs(table, -1);
	kvfree(table->ind_tbl);
	kfree(table);
	return 0;
}
EXPORT_SYMBOL(ib_destroy_rwq_ind_table);
