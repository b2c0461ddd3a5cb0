// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * QPs themselves, as opposed to handles of XRC target QPs: creation and destruction.
 */
#include "verbs/qp_create.h"

#include "core/counters.h"
#include "core/registry.h"
#include "verbs/qp_path.h"
#include "verbs/rw_qp.h"
#include "verbs/track.h"
#include "verbs/verbs.h"

/* Checks the attributes of an XRC target QP: only its domain matters, because it has no queues. */
static int check_target(const struct ib_device *dev, const struct ib_qp_init_attr *attr)
{
	if (!attr->xrcd || attr->xrcd->device != dev)
		return -EINVAL;
	return ib_core_device_usable(dev) ? 0 : -ENODEV;
}

/*
 * Checks the attributes of a QP whose receive queues are those of an indirection table. As the QP
 * has no recv_cq, qp_check_init_attr() refuses an SRQ and receives of the QP's own.
 */
static int check_table(const struct ib_device *dev, const struct ib_qp_init_attr *attr)
{
	if (!dev->ops.create_rwq_ind_table)
		return -EOPNOTSUPP;
	if (attr->rwq_ind_tbl->device != dev || attr->recv_cq ||
	    attr->cap.max_recv_sge)
		return -EINVAL;
	return 0;
}

static int qp_check_init_attr(const struct ib_device *dev, const struct ib_pd *pd,
			      const struct ib_qp_init_attr *attr)
{
	bool is_management = attr->qp_type == IB_QPT_SMI || attr->qp_type == IB_QPT_GSI;
	const struct ib_qp_cap *cap = &attr->cap;
	int ret;

	if (!dev->ops.create_qp)
		return -EOPNOTSUPP;
	ret = attr->rwq_ind_tbl ? check_table(dev, attr) : 0;
	if (ret)
		return ret;
	if ((attr->create_flags & IB_QP_CREATE_INTEGRITY_EN) &&
	    !(dev->attrs.kernel_cap_flags & IBK_INTEGRITY_HANDOVER))
		return -EOPNOTSUPP;
	if ((attr->xrcd || attr->qp_type == IB_QPT_XRC_TGT) && !dev->ops.alloc_xrcd)
		return -EOPNOTSUPP;

	if (attr->qp_type == IB_QPT_XRC_TGT)
		return check_target(dev, attr);
	if (attr->xrcd || (attr->srq && attr->srq->srq_type == IB_SRQT_XRC))
		return -EINVAL;

	if (verbs_exceeds(cap->max_send_wr, dev->attrs.max_qp_wr) ||
	    verbs_exceeds(cap->max_recv_wr, dev->attrs.max_qp_wr) ||
	    verbs_exceeds(cap->max_send_sge, dev->attrs.max_send_sge) ||
	    verbs_exceeds(cap->max_recv_sge, dev->attrs.max_recv_sge))
		return -EINVAL;

	/* All objects must belong to one device. */
	if (pd->device != dev || (attr->send_cq && attr->send_cq->device != dev) ||
	    (attr->recv_cq && attr->recv_cq->device != dev) ||
	    (attr->srq && attr->srq->device != dev))
		return -EINVAL;

	/*
	 * A queue that holds requests needs a CQ. Requests of an SRQ complete in the QP's recv_cq.
	 */
	if ((cap->max_send_wr && !attr->send_cq) ||
	    ((cap->max_recv_wr || attr->srq) && !attr->recv_cq))
		return -EINVAL;

	if (is_management && !rdma_is_port_valid(dev, attr->port_num))
		return -EINVAL;
	return ib_core_device_usable(dev) ? 0 : -ENODEV;
}

/* Adds @n, 1 or -1, to the use counts of the objects that the QP uses. */
static void count_parents(struct ib_qp *qp, int n)
{
	if (qp->pd)
		atomic_add(n, &qp->pd->usecnt);
	if (qp->send_cq)
		atomic_add(n, &qp->send_cq->usecnt);
	if (qp->recv_cq)
		atomic_add(n, &qp->recv_cq->usecnt);
	if (qp->srq)
		atomic_add(n, &qp->srq->usecnt);
	if (qp->rwq_ind_tbl)
		atomic_add(n, &qp->rwq_ind_tbl->usecnt);
}

void ib_qp_usecnt_inc(struct ib_qp *qp)
{
	count_parents(qp, 1);
}
EXPORT_SYMBOL(ib_qp_usecnt_inc);

void ib_qp_usecnt_dec(struct ib_qp *qp)
{
	count_parents(qp, -1);
}
EXPORT_SYMBOL(ib_qp_usecnt_dec);

struct ib_qp *verbs_qp_create(struct ib_device *dev, struct ib_pd *pd,
			      struct ib_qp_init_attr *attr, struct ib_udata *udata,
			      struct ib_uobject *uobj, const char *caller)
{
	struct ib_qp *qp;
	int ret;

	ret = qp_check_init_attr(dev, pd, attr);
	if (ret)
		return ERR_PTR(ret);
	/* Charge an XRC target QP to the caller: @uobj is NULL even if a process makes the QP. */
	qp = verbs_zalloc(dev, ib_qp, uobj || attr->qp_type == IB_QPT_XRC_TGT);
	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp->device = dev;
	if (attr->qp_type != IB_QPT_XRC_TGT) {
		qp->pd = pd;
		qp->send_cq = attr->send_cq;
		qp->recv_cq = attr->recv_cq;
		qp->srq = attr->srq;
		qp->rwq_ind_tbl = attr->rwq_ind_tbl;
	}
	qp->xrcd = attr->xrcd;
	qp->real_qp = qp;
	qp->uobject = uobj;
	qp->event_handler = attr->event_handler;
	qp->qp_context = attr->qp_context;
	qp->qp_type = attr->qp_type;
	qp->port = attr->port_num;
	qp->integrity_en = attr->create_flags & IB_QP_CREATE_INTEGRITY_EN;
	atomic_set(&qp->usecnt, 0);
	INIT_LIST_HEAD(&qp->open_list);
	spin_lock_init(&qp->mr_lock);
	INIT_LIST_HEAD(&qp->rdma_mrs);
	INIT_LIST_HEAD(&qp->sig_mrs);

	ret = dev->ops.create_qp(qp, attr, udata);
	if (ret)
		goto err_free;
	qp->max_write_sge = attr->cap.max_send_sge;
	qp->max_read_sge = min_t(u32, attr->cap.max_send_sge, dev->attrs.max_sge_rd);

	ret = verbs_track(dev, &qp->res, RDMA_RESTRACK_QP, caller);
	if (ret)
		goto err_destroy;
	ib_qp_usecnt_inc(qp);
	return qp;

err_destroy:
	dev->ops.destroy_qp(qp, udata);
err_free:
	kfree(qp);
	return ERR_PTR(ret);
}

static bool mrs_in_use(struct ib_qp *qp)
{
	unsigned long flags;
	bool in_use;

	spin_lock_irqsave(&qp->mr_lock, flags);
	in_use = qp->mrs_used > 0;
	spin_unlock_irqrestore(&qp->mr_lock, flags);
	return in_use;
}

int verbs_qp_destroy(struct ib_qp *qp, struct ib_udata *udata)
{
	struct ib_device *dev = qp->device;
	struct task_struct *owner;
	int ret;

	if (atomic_read(&qp->usecnt) || mrs_in_use(qp))
		return -EBUSY;

	owner = verbs_untrack(dev, &qp->res);
	ib_core_counter_unbind_destroyed_qp(qp);
	ret = dev->ops.destroy_qp(qp, udata);
	verbs_untrack_end(dev, &qp->res, owner, ret);
	if (ret)
		return ret;
	verbs_qp_paths_drop(qp);
	verbs_rw_empty_pools(qp);
	ib_qp_usecnt_dec(qp);
	kfree(qp);
	return 0;
}
