// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_user.ko: operations on objects that only processes have: WQs and tables of them, memory of the
 * device, counters; and advice.
 */
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "../support/fakedev.h"
#include "kt_user.h"

atomic_t ktu_objects;

static atomic_t next_number;

struct ib_wq *ktu_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *attr,
			    struct ib_udata *udata)
{
	struct ib_wq *wq;
	int ret;

	ret = fakedev_count_call(pd->device, FAKEDEV_CREATE_WQ);
	if (ret)
		return ERR_PTR(ret);
	wq = kzalloc(sizeof(*wq), GFP_KERNEL_ACCOUNT);
	if (!wq)
		return ERR_PTR(-ENOMEM);
	attr->max_wr = max(attr->max_wr, 8U);
	wq->wq_num = atomic_inc_return(&next_number);
	atomic_inc(&ktu_objects);
	return wq;
}

int ktu_modify_wq(struct ib_wq *wq, struct ib_wq_attr *attr, u32 mask, struct ib_udata *udata)
{
	if ((mask & IB_WQ_CUR_STATE) && attr->curr_wq_state != wq->state)
		return -EINVAL;
	if (mask & IB_WQ_STATE)
		wq->state = attr->wq_state;
	return 0;
}

int ktu_destroy_wq(struct ib_wq *wq, struct ib_udata *udata)
{
	int ret;

	ret = fakedev_count_call(wq->device, FAKEDEV_DESTROY_WQ);
	if (ret)
		return ret;
	kfree(wq);
	atomic_dec(&ktu_objects);
	return 0;
}

int ktu_create_rwq_ind_table(struct ib_rwq_ind_table *table,
			     struct ib_rwq_ind_table_init_attr *attr, struct ib_udata *udata)
{
	int ret;

	ret = fakedev_count_call(table->device, FAKEDEV_CREATE_TABLE);
	if (ret)
		return ret;
	table->ind_tbl_num = attr->ind_tbl[BIT(attr->log_ind_tbl_size) - 1]->wq_num;
	atomic_inc(&ktu_objects);
	return 0;
}

int ktu_destroy_rwq_ind_table(struct ib_rwq_ind_table *table)
{
	int ret;

	ret = fakedev_count_call(table->device, FAKEDEV_DESTROY_TABLE);
	if (ret)
		return ret;
	atomic_dec(&ktu_objects);
	return 0;
}

struct ib_dm *ktu_alloc_dm(struct ib_device *dev, struct ib_ucontext *context,
			   struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs)
{
	struct ib_dm *dm;
	int ret;

	ret = fakedev_count_call(dev, FAKEDEV_ALLOC_DM);
	if (ret)
		return ERR_PTR(ret);
	if (attr->length > KTU_MEMORY)
		return ERR_PTR(-ENOMEM);
	dm = kzalloc(sizeof(*dm), GFP_KERNEL_ACCOUNT);
	if (!dm)
		return ERR_PTR(-ENOMEM);
	atomic_inc(&ktu_objects);
	return dm;
}

int ktu_dealloc_dm(struct ib_dm *dm, struct uverbs_attr_bundle *attrs)
{
	int ret;

	ret = fakedev_count_call(dm->device, FAKEDEV_DEALLOC_DM);
	if (ret)
		return ret;
	kfree(dm);
	atomic_dec(&ktu_objects);
	return 0;
}

/* The region is made as one of a process's memory is. */
struct ib_mr *ktu_reg_dm_mr(struct ib_pd *pd, struct ib_dm *dm, struct ib_dm_mr_attr *attr,
			    struct uverbs_attr_bundle *attrs)
{
	int ret;

	ret = fakedev_count_call(pd->device, FAKEDEV_REG_DM_MR);
	if (ret)
		return ERR_PTR(ret);
	return pd->device->ops.reg_user_mr(pd, attr->offset, attr->length, 0, attr->access_flags,
					   NULL);
}

atomic_t ktu_flow_sum;

static int spec_value(const union ib_flow_spec *spec)
{
	switch (spec->type) {
	case IB_FLOW_SPEC_ETH:
		return spec->eth.val.dst_mac[0] * spec->eth.mask.dst_mac[0];
	case IB_FLOW_SPEC_ACTION_TAG:
		return spec->flow_tag.tag_id;
	case IB_FLOW_SPEC_ACTION_HANDLE:
		return ktu_action_value(spec->action.act);
	case IB_FLOW_SPEC_ACTION_COUNT:
		return spec->flow_count.counters->usecnt.counter > 0 ? 0 : INT_MIN / 2;
	default:
		return 0;
	}
}

struct ib_flow *ktu_create_flow(struct ib_qp *qp, struct ib_flow_attr *attr,
				struct ib_udata *udata)
{
	const void *at = attr->flows, *end = (void *)attr + attr->size;
	const union ib_flow_spec *spec;
	struct ib_flow *flow;
	int sum = 0, i;

	for (i = 0; i < attr->num_of_specs; i++) {
		spec = at;
		if (at + spec->size > end || spec->size % sizeof(u64))
			return ERR_PTR(-EBADMSG);
		sum += spec->type + spec_value(spec);
		at += spec->size;
	}
	if (at != end)
		return ERR_PTR(-EBADMSG);
	flow = kzalloc(sizeof(*flow), GFP_KERNEL_ACCOUNT);
	if (!flow)
		return ERR_PTR(-ENOMEM);
	atomic_set(&ktu_flow_sum, sum);
	atomic_inc(&ktu_objects);
	return flow;
}

int ktu_destroy_flow(struct ib_flow *flow)
{
	kfree(flow);
	atomic_dec(&ktu_objects);
	return 0;
}

int ktu_advise_mr(struct ib_pd *pd, enum ib_uverbs_advise_mr_advice advice, u32 flags,
		  struct ib_sge *ranges, u32 num, struct uverbs_attr_bundle *attrs)
{
	if (!attrs || advice > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EINVAL;
	while (num--)
		if (ranges[num].lkey == KTU_BAD_LKEY)
			return -ENOENT;
	return 0;
}

static DEFINE_MUTEX(last_counters_lock); /* protects last_counters */
static struct ib_counters *last_counters;

int ktu_create_counters(struct ib_counters *counters, struct uverbs_attr_bundle *attrs)
{
	int ret;

	ret = fakedev_count_call(counters->device, FAKEDEV_CREATE_COUNTERS);
	if (ret)
		return ret;
	mutex_lock(&last_counters_lock);
	last_counters = counters;
	mutex_unlock(&last_counters_lock);
	atomic_inc(&ktu_objects);
	return 0;
}

int ktu_destroy_counters(struct ib_counters *counters)
{
	int ret;

	ret = fakedev_count_call(counters->device, FAKEDEV_DESTROY_COUNTERS);
	if (ret)
		return ret;
	mutex_lock(&last_counters_lock);
	if (last_counters == counters)
		last_counters = NULL;
	mutex_unlock(&last_counters_lock);
	atomic_dec(&ktu_objects);
	return 0;
}

int ktu_attach_counters(const char *value, const struct kernel_param *param)
{
	unsigned int number;
	int ret;

	ret = kstrtouint(value, 0, &number);
	if (ret)
		return ret;
	mutex_lock(&last_counters_lock);
	if (last_counters)
		atomic_set(&last_counters->usecnt, number);
	mutex_unlock(&last_counters_lock);
	return 0;
}

int ktu_read_counters(struct ib_counters *counters, struct ib_counters_read_attr *attr,
		      struct uverbs_attr_bundle *attrs)
{
	u32 i;

	for (i = 0; i < attr->ncounters; i++)
		attr->counters_buff[i] = 100 + i;
	return 0;
}
