// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * QPs: creation and destruction, states, multicast groups.
 */
#include "internal.h"

static bool is_special(const struct ib_qp *ibqp)
{
	return ibqp->qp_type == IB_QPT_SMI || ibqp->qp_type == IB_QPT_GSI;
}

static struct memdev_qp **special_place(const struct memdev_qp *qp)
{
	bool number = qp->ibqp.qp_type == IB_QPT_GSI;

	return &to_memdev(qp->ibqp.device)->special[number][qp->init_attr.port_num];
}

/* Gives the QP its number, under which it is found. */
static int publish(struct memdev_qp *qp)
{
	struct memdev *dev = to_memdev(qp->ibqp.device);

	if (!is_special(&qp->ibqp))
		return xa_alloc(&dev->qps, &qp->ibqp.qp_num, qp,
				XA_LIMIT((u32)(dev->first_lid + 1) << 8, IB_MULTICAST_QPN - 1),
				GFP_KERNEL);
	if (*special_place(qp))
		return -EBUSY;
	*special_place(qp) = qp;
	qp->ibqp.qp_num = qp->ibqp.qp_type == IB_QPT_GSI;
	return 0;
}

#define T(type)		BIT(IB_QPT_##type)

static bool type_supported(enum ib_qp_type type)
{
	const u32 supported = T(RC) | T(UC) | T(UD) | T(XRC_INI) | T(XRC_TGT) | T(GSI) | T(SMI);

	return type < IB_QPT_MAX && (supported & BIT(type));
}

static bool has_rq(const struct ib_qp_init_attr *attr)
{
	return !attr->srq && attr->qp_type != IB_QPT_XRC_INI;
}

static int create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct memdev_qp *qp = to_memdev_qp(ibqp);
	int ret;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_CREATE_QP);
	if (ret)
		return ret;
	if (!type_supported(attr->qp_type))
		return -EOPNOTSUPP;
	/* The commands that post have no inline data. */
	if (udata)
		attr->cap.max_inline_data = 0;
	if (attr->cap.max_inline_data > MEMDEV_MAX_INLINE)
		return -EINVAL;
	/* An XRC target QP has no udata, even if a process makes it. */
	qp->of_process = udata || attr->qp_type == IB_QPT_XRC_TGT;
	qp->init_attr = *attr;
	qp->attr.port_num = attr->port_num;
	memdev_init_queue(&qp->sq, attr->cap.max_send_wr, attr->cap.max_send_sge);
	memdev_init_queue(&qp->rq, has_rq(attr) ? attr->cap.max_recv_wr : 0,
			  attr->cap.max_recv_sge);
	INIT_LIST_HEAD(&qp->runnable);
	timer_setup(&qp->timer, memdev_timeout, 0);
	mutex_lock(&memdev_fabric.mutex);
	ret = publish(qp);
	mutex_unlock(&memdev_fabric.mutex);
	return ret;
}

/* A QP of a process takes its completions with it, because the command that polls reads the QP. */
static void forget_completions(struct memdev_qp *qp)
{
	struct memdev_cq *cq;

	list_for_each_entry(cq, &to_memdev(qp->ibqp.device)->cqs, entry)
		fakedev_cq_forget(&cq->fake.ibcq, &qp->ibqp);
}

static int destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct memdev_qp *qp = to_memdev_qp(ibqp);
	int ret;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_DESTROY_QP);
	if (ret)
		return ret;
	mutex_lock(&memdev_fabric.mutex);
	if (is_special(ibqp))
		*special_place(qp) = NULL;
	else
		xa_erase(&to_memdev(ibqp->device)->qps, ibqp->qp_num);
	timer_delete_sync(&qp->timer);
	spin_lock_irq(&memdev_fabric.lock);
	list_del_init(&qp->runnable);
	spin_unlock_irq(&memdev_fabric.lock);
	memdev_unbind_all(qp);
	if (qp->of_process)
		forget_completions(qp);
	mutex_unlock(&memdev_fabric.mutex);
	memdev_empty(&qp->sq);
	memdev_empty(&qp->rq);
	return 0;
}

static bool values_valid(const struct ib_qp_attr *attr, int mask)
{
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC) && attr->max_rd_atomic > MEMDEV_MAX_RD_ATOMIC)
		return false;
	if ((mask & IB_QP_MAX_DEST_RD_ATOMIC) && attr->max_dest_rd_atomic > MEMDEV_MAX_RD_ATOMIC)
		return false;
	if ((mask & IB_QP_PKEY_INDEX) && attr->pkey_index)
		return false;
	return !((mask & IB_QP_TIMEOUT) && attr->timeout > 31) &&
	       !((mask & IB_QP_RETRY_CNT) && attr->retry_cnt > 7) &&
	       !((mask & IB_QP_RNR_RETRY) && attr->rnr_retry > 7) &&
	       !((mask & IB_QP_MIN_RNR_TIMER) && attr->min_rnr_timer > 31) &&
	       !((mask & IB_QP_PATH_MIG_STATE) && attr->path_mig_state != IB_MIG_MIGRATED);
}

static bool change_valid(const struct memdev_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state from = qp->attr.qp_state;
	enum ib_qp_state to = mask & IB_QP_STATE ? attr->qp_state : from;

	if ((mask & IB_QP_CUR_STATE) && attr->cur_qp_state != from)
		return false;
	/* While the send queue drains, nothing can be changed. */
	if (from == IB_QPS_SQD && to == IB_QPS_SQD && qp->started)
		return false;
	return ib_modify_qp_is_ok(from, to, qp->ibqp.qp_type, mask) &&
	       values_valid(attr, mask);
}

/* The members that a change sets, but qp_state and cur_qp_state. */
struct member {
	int bit;
	size_t offset;
	size_t size;
};

#define MEMBER(bit, name)							\
	{ IB_QP_##bit, offsetof(struct ib_qp_attr, name), sizeof_field(struct ib_qp_attr, name) }

static const struct member members[] = {
	MEMBER(EN_SQD_ASYNC_NOTIFY, en_sqd_async_notify),
	MEMBER(ACCESS_FLAGS, qp_access_flags),
	MEMBER(PKEY_INDEX, pkey_index),
	MEMBER(PORT, port_num),
	MEMBER(QKEY, qkey),
	MEMBER(AV, ah_attr),
	MEMBER(PATH_MTU, path_mtu),
	MEMBER(TIMEOUT, timeout),
	MEMBER(RETRY_CNT, retry_cnt),
	MEMBER(RNR_RETRY, rnr_retry),
	MEMBER(RQ_PSN, rq_psn),
	MEMBER(MAX_QP_RD_ATOMIC, max_rd_atomic),
	MEMBER(ALT_PATH, alt_ah_attr),
	MEMBER(ALT_PATH, alt_port_num),
	MEMBER(ALT_PATH, alt_timeout),
	MEMBER(ALT_PATH, alt_pkey_index),
	MEMBER(MIN_RNR_TIMER, min_rnr_timer),
	MEMBER(SQ_PSN, sq_psn),
	MEMBER(MAX_DEST_RD_ATOMIC, max_dest_rd_atomic),
	MEMBER(DEST_QPN, dest_qp_num),
};

static void copy_attr(struct ib_qp_attr *to, const struct ib_qp_attr *from, int mask)
{
	const struct member *m;

	for (m = members; m < members + ARRAY_SIZE(members); m++)
		if (mask & m->bit)
			memcpy((void *)to + m->offset, (void *)from + m->offset, m->size);
}

static void reset(struct memdev_qp *qp)
{
	memdev_set_state(qp, IB_QPS_RESET);
	memdev_unbind_all(qp);
	memdev_empty(&qp->sq);
	memdev_empty(&qp->rq);
	qp->attr = (struct ib_qp_attr) { .port_num = qp->init_attr.port_num };
	qp->established = false;
}

static void change_state(struct memdev_qp *qp, enum ib_qp_state state)
{
	if (state == IB_QPS_RESET)
		reset(qp);
	else if (state == IB_QPS_ERR)
		memdev_enter_error(qp);
	else
		memdev_set_state(qp, state);
	if (state != IB_QPS_SQD) {
		qp->drained = false;
		qp->attr.en_sqd_async_notify = 0;
	}
}

static int modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct memdev_qp *qp = to_memdev_qp(ibqp);
	int ret;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_MODIFY_QP);
	if (ret)
		return ret;
	mutex_lock(&memdev_fabric.mutex);
	if (change_valid(qp, attr, mask)) {
		copy_attr(&qp->attr, attr, mask);
		if (mask & IB_QP_STATE)
			change_state(qp, attr->qp_state);
	} else {
		ret = -EINVAL;
	}
	mutex_unlock(&memdev_fabric.mutex);
	return ret;
}

static int query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		    struct ib_qp_init_attr *init_attr)
{
	struct memdev_qp *qp = to_memdev_qp(ibqp);

	mutex_lock(&memdev_fabric.mutex);
	*attr = qp->attr;
	attr->cur_qp_state = attr->qp_state;
	attr->sq_draining = attr->qp_state == IB_QPS_SQD && qp->started;
	mutex_unlock(&memdev_fabric.mutex);
	attr->cap = qp->init_attr.cap;
	*init_attr = qp->init_attr;
	return fakedev_count_call(ibqp->device, FAKEDEV_QUERY_QP);
}

static bool is_group(const struct memdev_group *group, const union ib_gid *gid, u16 lid)
{
	return group->used && group->lid == lid && !memcmp(&group->gid, gid, sizeof(*gid));
}

static int attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct memdev_qp *qp = to_memdev_qp(ibqp);
	struct memdev_group *empty = NULL;
	int ret, i;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_ATTACH_MCAST);
	if (ret)
		return ret;
	mutex_lock(&memdev_fabric.mutex);
	for (i = 0; i < MEMDEV_MAX_GROUPS; i++) {
		if (!qp->groups[i].used)
			empty = &qp->groups[i];
		else if (is_group(&qp->groups[i], gid, lid))
			ret = -EINVAL;
	}
	if (!ret && !empty)
		ret = -ENOMEM;
	if (!ret)
		*empty = (struct memdev_group) { .used = true, .gid = *gid, .lid = lid };
	mutex_unlock(&memdev_fabric.mutex);
	return ret;
}

static int detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct memdev_qp *qp = to_memdev_qp(ibqp);
	int ret, i;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_DETACH_MCAST);
	if (ret)
		return ret;
	ret = -EINVAL;
	mutex_lock(&memdev_fabric.mutex);
	for (i = 0; i < MEMDEV_MAX_GROUPS; i++) {
		if (!is_group(&qp->groups[i], gid, lid))
			continue;
		qp->groups[i].used = false;
		ret = 0;
	}
	mutex_unlock(&memdev_fabric.mutex);
	return ret;
}

const struct ib_device_ops memdev_qp_ops = {
	.attach_mcast = attach_mcast,
	.create_qp = create_qp,
	.destroy_qp = destroy_qp,
	.detach_mcast = detach_mcast,
	.modify_qp = modify_qp,
	.query_qp = query_qp,

	INIT_RDMA_OBJ_SIZE(ib_qp, memdev_qp, ibqp),
};
