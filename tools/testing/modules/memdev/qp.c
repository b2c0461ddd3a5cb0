// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * QPs: creation and destruction, states, multicast groups.
 */
#include "internal.h"

/* Returns where the device has the QP if it is special, otherwise NULL. */
static struct memdev_qp **special_place(const struct memdev_qp *qp)
{
	struct memdev *dev = to_memdev(qp->ibqp.device);

	if (qp->ibqp.qp_type != IB_QPT_SMI && qp->ibqp.qp_type != IB_QPT_GSI)
		return NULL;
	return &dev->special[qp->ibqp.qp_type == IB_QPT_GSI][qp->init_attr.port_num];
}

#define T(type)		BIT(IB_QPT_##type)

static int create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	const u32 supported = T(RC) | T(UC) | T(UD) | T(XRC_INI) | T(XRC_TGT) | T(GSI) | T(SMI);
	bool has_rq = !attr->srq && attr->qp_type != IB_QPT_XRC_INI;
	struct memdev_qp *qp = to_memdev_qp(ibqp), **special;
	struct memdev *dev = to_memdev(ibqp->device);
	int ret;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_CREATE_QP);
	if (ret)
		return ret;
	if (attr->qp_type >= IB_QPT_MAX || !(supported & BIT(attr->qp_type)))
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
	memdev_init_queue(&qp->rq, has_rq ? attr->cap.max_recv_wr : 0, attr->cap.max_recv_sge);
	INIT_LIST_HEAD(&qp->runnable);
	timer_setup(&qp->timer, memdev_timeout, 0);
	mutex_lock(&memdev_fabric.mutex);
	special = special_place(qp);
	if (!special) {
		ret = xa_alloc(&dev->qps, &ibqp->qp_num, qp,
			       XA_LIMIT((u32)(dev->first_lid + 1) << 8, IB_MULTICAST_QPN - 1),
			       GFP_KERNEL);
	} else if (*special) {
		ret = -EBUSY;
	} else {
		*special = qp;
		ibqp->qp_num = ibqp->qp_type == IB_QPT_GSI;
	}
	mutex_unlock(&memdev_fabric.mutex);
	return ret;
}

static int destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct memdev_qp *qp = to_memdev_qp(ibqp);
	struct memdev *dev = to_memdev(ibqp->device);
	struct memdev_cq *cq;
	int ret;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_DESTROY_QP);
	if (ret)
		return ret;
	mutex_lock(&memdev_fabric.mutex);
	if (special_place(qp))
		*special_place(qp) = NULL;
	else
		xa_erase(&dev->qps, ibqp->qp_num);
	timer_delete_sync(&qp->timer);
	spin_lock_irq(&memdev_fabric.lock);
	list_del_init(&qp->runnable);
	spin_unlock_irq(&memdev_fabric.lock);
	memdev_unbind_all(qp);
	/* The command that polls reads the QP of a process, which takes its completions with it. */
	if (qp->of_process)
		list_for_each_entry(cq, &dev->cqs, entry)
			fakedev_cq_forget(&cq->fake.ibcq, ibqp);
	mutex_unlock(&memdev_fabric.mutex);
	memdev_empty(&qp->sq);
	memdev_empty(&qp->rq);
	return 0;
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
	if (!ib_modify_qp_is_ok(from, to, qp->ibqp.qp_type, mask))
		return false;
	if ((mask & IB_QP_MAX_QP_RD_ATOMIC) && attr->max_rd_atomic > MEMDEV_MAX_RD_ATOMIC)
		return false;
	if ((mask & IB_QP_MAX_DEST_RD_ATOMIC) && attr->max_dest_rd_atomic > MEMDEV_MAX_RD_ATOMIC)
		return false;
	return !((mask & IB_QP_PKEY_INDEX) && attr->pkey_index) &&
	       !((mask & IB_QP_TIMEOUT) && attr->timeout > 31) &&
	       !((mask & IB_QP_RETRY_CNT) && attr->retry_cnt > 7) &&
	       !((mask & IB_QP_RNR_RETRY) && attr->rnr_retry > 7) &&
	       !((mask & IB_QP_MIN_RNR_TIMER) && attr->min_rnr_timer > 31) &&
	       !((mask & IB_QP_PATH_MIG_STATE) && attr->path_mig_state != IB_MIG_MIGRATED);
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

static void change_state(struct memdev_qp *qp, enum ib_qp_state state)
{
	if (state == IB_QPS_ERR)
		memdev_enter_error(qp);
	else
		memdev_set_state(qp, state);
	if (state == IB_QPS_RESET) {
		memdev_unbind_all(qp);
		memdev_empty(&qp->sq);
		memdev_empty(&qp->rq);
		qp->attr = (struct ib_qp_attr) { .port_num = qp->init_attr.port_num };
		qp->established = false;
	}
	if (state != IB_QPS_SQD) {
		qp->drained = false;
		qp->attr.en_sqd_async_notify = 0;
	}
}

static int modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct memdev_qp *qp = to_memdev_qp(ibqp);
	const struct member *m;
	int ret;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_MODIFY_QP);
	if (ret)
		return ret;
	mutex_lock(&memdev_fabric.mutex);
	if (change_valid(qp, attr, mask)) {
		for (m = members; m < members + ARRAY_SIZE(members); m++)
			if (mask & m->bit)
				memcpy((void *)&qp->attr + m->offset, (void *)attr + m->offset,
				       m->size);
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
