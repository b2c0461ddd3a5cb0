// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs: the verbs that create, modify, query and destroy them.
 *
 * The data path finds QPs under RCU, and uses them there only. So a QP that was removed from the
 * tables is not used any more after a grace period.
 */
#include "drivers/sib/qp.h"

#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "drivers/sib/hold.h"
#include "drivers/sib/send.h"
#include "drivers/sib/sib.h"
#include "soft/cq.h"
#include "soft/rq.h"
#include "soft/wqe.h"

/* Numbers 0 and 1 are those of the special QPs, the last one is that of multicast groups. */
#define SIB_QPN_MIN	2
#define SIB_QPN_MAX	(IB_MULTICAST_QPN - 1)

static bool is_special(const struct sib_qp *qp)
{
	return qp->type != IB_QPT_UD;
}

/* Allocates what a QP has, with the sizes in qp->cap. The caller frees after a failure. */
static int alloc_queues(struct sib_qp *qp)
{
	int ret = soft_rq_init(&qp->soft.rq, &qp->cap, false);

	if (ret)
		return ret;
	qp->max_len = is_special(qp) ? MAD_LEN : SIB_MTU;
	qp->buf = kmalloc(qp->max_len, GFP_KERNEL);
	return qp->buf ? 0 : -ENOMEM;
}

static void free_queues(struct sib_qp *qp)
{
	soft_rq_exit(&qp->soft.rq);
	kfree(qp->buf);
}

/* Makes QP 0 or QP 1 of a port visible to the data path. A port has one of each. */
static int add_special(struct sib_device *dev, struct sib_qp *qp)
{
	u32 qpn = qp->type == IB_QPT_GSI;
	struct sib_qp __rcu **place = &dev->special[qpn][qp->port->num];
	int ret = -EBUSY;

	mutex_lock(&dev->special_lock);
	if (!rcu_access_pointer(*place)) {
		qp->soft.base.qp_num = qpn;
		rcu_assign_pointer(*place, qp);
		ret = 0;
	}
	mutex_unlock(&dev->special_lock);
	return ret;
}

/* Gives the QP a number, by which the data path finds it from then on. */
static int add_qp(struct sib_device *dev, struct sib_qp *qp)
{
	int ret;

	if (is_special(qp))
		return add_special(dev, qp);
	ret = xa_alloc_cyclic_bh(&dev->qps, &qp->soft.base.qp_num, qp,
				 XA_LIMIT(SIB_QPN_MIN, SIB_QPN_MAX), &dev->next_qpn, GFP_KERNEL);
	return min(ret, 0);
}

static void remove_qp(struct sib_device *dev, struct sib_qp *qp)
{
	u32 qpn = qp->soft.base.qp_num;

	if (is_special(qp)) {
		mutex_lock(&dev->special_lock);
		RCU_INIT_POINTER(dev->special[qpn][qp->port->num], NULL);
		mutex_unlock(&dev->special_lock);
	} else {
		xa_erase_bh(&dev->qps, qpn);
	}
	synchronize_rcu();
}

static bool type_is_supported(const struct ib_qp_init_attr *init)
{
	return init->qp_type == IB_QPT_SMI || init->qp_type == IB_QPT_GSI ||
	       init->qp_type == IB_QPT_UD;
}

int sib_create_qp(struct ib_qp *base, struct ib_qp_init_attr *init, struct ib_udata *udata)
{
	struct sib_device *dev = to_sib_dev(base->device);
	struct sib_qp *qp = to_sib_qp(base);
	int ret;

	if (!type_is_supported(init) ||
	    init->create_flags & ~IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK)
		return -EOPNOTSUPP;
	/* The core has checked the port, and the other limits, which the device announces. */
	if (!init->send_cq || !init->recv_cq || init->cap.max_inline_data > SOFT_INLINE_MAX)
		return -EINVAL;
	if (atomic_inc_return(&dev->num_qp) > base->device->attrs.max_qp) {
		ret = -ENOMEM;
		goto uncount;
	}
	qp->type = init->qp_type;
	qp->cap = init->cap;
	qp->signal_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->block_loopback = init->create_flags;
	INIT_LIST_HEAD(&qp->held);
	if (is_special(qp)) {
		qp->port = &dev->node->ports[init->port_num];
		qp->attr.port_num = init->port_num;
	}
	INIT_LIST_HEAD(&qp->soft.windows);
	mutex_init(&qp->modify);
	spin_lock_init(&qp->send_lock);
	spin_lock_init(&qp->recv_lock);
	ret = alloc_queues(qp);
	if (!ret)
		ret = add_qp(dev, qp);
	if (!ret)
		return 0;
	free_queues(qp);
	mutex_destroy(&qp->modify);
uncount:
	atomic_dec(&dev->num_qp);
	return ret;
}

/* Removes the QP's completions from its CQs. */
static void clean_cqs(struct sib_qp *qp)
{
	struct ib_qp *base = &qp->soft.base;

	soft_cq_clean_qp(to_soft_cq(base->send_cq), base, qp->soft.sq.cq_end);
	soft_cq_clean_qp(to_soft_cq(base->recv_cq), base, qp->soft.rq.cq_end);
}

int sib_destroy_qp(struct ib_qp *base, struct ib_udata *udata)
{
	struct sib_device *dev = to_sib_dev(base->device);
	struct sib_qp *qp = to_sib_qp(base);

	remove_qp(dev, qp);
	sib_hold_forget(qp);
	clean_cqs(qp);
	free_queues(qp);
	mutex_destroy(&qp->modify);
	atomic_dec(&dev->num_qp);
	return 0;
}

/* Changes the state. On return no send and no receive uses the old one. */
static void set_state(struct sib_qp *qp, enum ib_qp_state state)
{
	spin_lock_irq(&qp->send_lock);
	WRITE_ONCE(qp->soft.state, state);
	spin_unlock_irq(&qp->send_lock);
	spin_lock_irq(&qp->recv_lock);
	spin_unlock_irq(&qp->recv_lock);
}

static void enter_state(struct sib_qp *qp, enum ib_qp_state state)
{
	lockdep_assert_held(&qp->modify);
	set_state(qp, state);
	if (state == IB_QPS_RESET)
		sib_hold_forget(qp);
	else
		sib_send_held(qp);
	if (state == IB_QPS_ERR)
		while (soft_rq_flush(&qp->soft))
			cond_resched();
	if (state != IB_QPS_RESET)
		return;
	soft_rq_reset(&qp->soft);
	clean_cqs(qp);
	if (!is_special(qp))
		WRITE_ONCE(qp->port, NULL);
	qp->attr = (struct ib_qp_attr) { .port_num = is_special(qp) ? qp->port->num : 0 };
}

/* Reports that the send queue is drained: what was posted before SQD has been sent. */
static void report_drained(struct ib_qp *base)
{
	struct ib_event event = {
		.device = base->device,
		.element.qp = base,
		.event = IB_EVENT_SQ_DRAINED,
	};

	if (base->event_handler)
		base->event_handler(&event, base->qp_context);
}

/* Checks a change, whose port the core has checked. Returns 0 or -EINVAL. */
static int check_change(const struct sib_qp *qp, const struct ib_qp_attr *attr, int mask)
{
	enum ib_qp_state from = READ_ONCE(qp->soft.state);
	enum ib_qp_state to = mask & IB_QP_STATE ? attr->qp_state : from;

	if (mask & IB_QP_CUR_STATE && attr->cur_qp_state != from)
		return -EINVAL;
	if (!ib_modify_qp_is_ok(from, to, qp->type, mask))
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index >= SIB_PKEYS)
		return -EINVAL;
	return 0;
}

int sib_modify_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask, struct ib_udata *udata)
{
	struct sib_device *dev = to_sib_dev(base->device);
	bool drained = mask & IB_QP_EN_SQD_ASYNC_NOTIFY && attr->en_sqd_async_notify;
	struct sib_qp *qp = to_sib_qp(base);
	int ret;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	mutex_lock(&qp->modify);
	ret = check_change(qp, attr, mask);
	if (ret)
		goto unlock;
	if (mask & IB_QP_PKEY_INDEX) {
		qp->attr.pkey_index = attr->pkey_index;
		WRITE_ONCE(qp->pkey_index, attr->pkey_index);
	}
	if (mask & IB_QP_QKEY) {
		qp->attr.qkey = attr->qkey;
		WRITE_ONCE(qp->qkey, attr->qkey);
	}
	if (mask & IB_QP_PORT) {
		qp->attr.port_num = attr->port_num;
		WRITE_ONCE(qp->port, &dev->node->ports[attr->port_num]);
	}
	if (mask & IB_QP_SQ_PSN)
		qp->attr.sq_psn = attr->sq_psn;
	if (mask & IB_QP_EN_SQD_ASYNC_NOTIFY)
		qp->attr.en_sqd_async_notify = attr->en_sqd_async_notify;
	if (mask & IB_QP_STATE)
		enter_state(qp, attr->qp_state);
unlock:
	mutex_unlock(&qp->modify);
	if (!ret && drained)
		report_drained(base);
	return ret;
}

int sib_query_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask,
		 struct ib_qp_init_attr *init)
{
	struct sib_qp *qp = to_sib_qp(base);

	mutex_lock(&qp->modify);
	*attr = qp->attr;
	mutex_unlock(&qp->modify);
	attr->qp_state = READ_ONCE(qp->soft.state);
	attr->cur_qp_state = attr->qp_state;
	attr->cap = qp->cap;
	*init = (struct ib_qp_init_attr) {
		.event_handler = base->event_handler,
		.qp_context = base->qp_context,
		.send_cq = base->send_cq,
		.recv_cq = base->recv_cq,
		.cap = qp->cap,
		.sq_sig_type = qp->signal_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR,
		.qp_type = qp->type,
		.port_num = qp->attr.port_num,
	};
	return 0;
}
