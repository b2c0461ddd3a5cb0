// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs: creation, destruction, attributes.
 */
#include <trace/events/ib_core.h>

#include "core/counters.h"
#include "core/registry.h"
#include "verbs/qp_path.h"
#include "verbs/qp_state.h"
#include "verbs/track.h"
#include "verbs/verbs.h"

static int qp_check_init_attr(const struct ib_device *dev, const struct ib_pd *pd,
			      const struct ib_qp_init_attr *attr)
{
	bool is_management = attr->qp_type == IB_QPT_SMI || attr->qp_type == IB_QPT_GSI;
	const struct ib_qp_cap *cap = &attr->cap;

	/* rdma_rw contexts, XRC domains and indirection tables are not offered by this API. */
	if (!dev->ops.create_qp || attr->xrcd || attr->rwq_ind_tbl || cap->max_rdma_ctxs)
		return -EOPNOTSUPP;
	if ((attr->create_flags & IB_QP_CREATE_INTEGRITY_EN) &&
	    !(dev->attrs.kernel_cap_flags & IBK_INTEGRITY_HANDOVER))
		return -EOPNOTSUPP;

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
	atomic_add(n, &qp->pd->usecnt);
	if (qp->send_cq)
		atomic_add(n, &qp->send_cq->usecnt);
	if (qp->recv_cq)
		atomic_add(n, &qp->recv_cq->usecnt);
	if (qp->srq)
		atomic_add(n, &qp->srq->usecnt);
}

struct ib_qp *ib_create_qp_user(struct ib_device *dev, struct ib_pd *pd,
				struct ib_qp_init_attr *attr, struct ib_udata *udata,
				struct ib_uobject *uobj, const char *caller)
{
	struct ib_qp *qp;
	int ret;

	ret = qp_check_init_attr(dev, pd, attr);
	if (ret)
		return ERR_PTR(ret);
	qp = verbs_zalloc(dev, ib_qp, uobj);
	if (!qp)
		return ERR_PTR(-ENOMEM);
	qp->device = dev;
	qp->pd = pd;
	qp->send_cq = attr->send_cq;
	qp->recv_cq = attr->recv_cq;
	qp->srq = attr->srq;
	qp->real_qp = qp;
	qp->uobject = uobj;
	qp->event_handler = attr->event_handler;
	qp->qp_context = attr->qp_context;
	qp->qp_type = attr->qp_type;
	qp->port = attr->port_num;
	qp->integrity_en = attr->create_flags & IB_QP_CREATE_INTEGRITY_EN;
	atomic_set(&qp->usecnt, 0);
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
	count_parents(qp, 1);
	return qp;

err_destroy:
	dev->ops.destroy_qp(qp, udata);
err_free:
	kfree(qp);
	return ERR_PTR(ret);
}
EXPORT_SYMBOL(ib_create_qp_user);

struct ib_qp *ib_create_qp_kernel(struct ib_pd *pd, struct ib_qp_init_attr *qp_init_attr,
				  const char *caller)
{
	return ib_create_qp_user(pd->device, pd, qp_init_attr, NULL, NULL, caller);
}
EXPORT_SYMBOL(ib_create_qp_kernel);

static bool qp_modify_valid(const struct ib_qp *qp, const struct ib_qp_attr *attr, u32 mask)
{
	u32 known = GENMASK(const_ilog2(IB_QP_RATE_LIMIT), 0);
	const struct ib_device *dev = qp->device;

	if (mask & ~known)
		return false;
	if ((mask & IB_QP_STATE) && (unsigned int)attr->qp_state > IB_QPS_ERR)
		return false;
	if ((mask & IB_QP_CUR_STATE) && (unsigned int)attr->cur_qp_state > IB_QPS_ERR)
		return false;
	if ((mask & IB_QP_PORT) && !rdma_is_port_valid(dev, attr->port_num))
		return false;
	if ((mask & IB_QP_ALT_PATH) && !rdma_is_port_valid(dev, attr->alt_port_num))
		return false;
	if ((mask & IB_QP_PATH_MTU) && ib_mtu_enum_to_int(attr->path_mtu) < 0)
		return false;
	if ((mask & IB_QP_DEST_QPN) && attr->dest_qp_num > IB_QPN_MASK)
		return false;

	/* The InfiniBand rules do not apply to iWARP, or to QP types that a provider defines. */
	if (rdma_node_get_transport(dev->node_type) != RDMA_TRANSPORT_IB ||
	    qp->qp_type >= IB_QPT_MAX)
		return true;
	return verbs_qp_mask_valid(qp->qp_type, attr, mask);
}

int ib_modify_qp_with_udata(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			    struct ib_udata *udata)
{
	struct ib_qp *real = qp->real_qp;
	struct verbs_qp_paths paths;
	int ret;

	if (!qp_modify_valid(real, attr, mask))
		return -EINVAL;
	if (!real->device->ops.modify_qp)
		return -EOPNOTSUPP;

	ret = verbs_qp_paths_resolve(real, attr, mask, udata, &paths);
	if (ret)
		return ret;
	ret = real->device->ops.modify_qp(real, attr, mask, udata);
	trace_rdma_qp_modify(real, attr, mask, ret);
	verbs_qp_paths_end(real, attr, &paths, ret);
	if (ret)
		return ret;
	if (mask & IB_QP_PORT)
		real->port = attr->port_num;
	if ((mask & IB_QP_STATE) && attr->qp_state == IB_QPS_INIT)
		ib_core_counter_bind_auto(real);
	return 0;
}
EXPORT_SYMBOL(ib_modify_qp_with_udata);

int ib_modify_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask)
{
	return ib_modify_qp_with_udata(qp, qp_attr, qp_attr_mask, NULL);
}
EXPORT_SYMBOL(ib_modify_qp);

int ib_query_qp(struct ib_qp *qp, struct ib_qp_attr *qp_attr, int qp_attr_mask,
		struct ib_qp_init_attr *qp_init_attr)
{
	struct ib_qp *real = qp->real_qp;
	int ret;

	if (!real->device->ops.query_qp)
		return -EOPNOTSUPP;
	ret = real->device->ops.query_qp(real, qp_attr, qp_attr_mask, qp_init_attr);
	/* The provider may have copied the pointers of its own paths, without references. */
	qp_attr->ah_attr.grh.sgid_attr = NULL;
	qp_attr->alt_ah_attr.grh.sgid_attr = NULL;
	return ret;
}
EXPORT_SYMBOL(ib_query_qp);

static bool mrs_in_use(struct ib_qp *qp)
{
	unsigned long flags;
	bool in_use;

	spin_lock_irqsave(&qp->mr_lock, flags);
	in_use = qp->mrs_used > 0;
	spin_unlock_irqrestore(&qp->mr_lock, flags);
	return in_use;
}

int ib_destroy_qp_user(struct ib_qp *qp, struct ib_udata *udata)
{
	struct ib_device *dev = qp->device;
	struct task_struct *owner;
	int ret;

	might_sleep();
	if (atomic_read(&qp->usecnt) || mrs_in_use(qp))
		return -EBUSY;

	owner = verbs_untrack(dev, &qp->res);
	ib_core_counter_unbind_destroyed_qp(qp);
	ret = dev->ops.destroy_qp(qp, udata);
	verbs_untrack_end(dev, &qp->res, owner, ret);
	if (ret)
		return ret;
	verbs_qp_paths_drop(qp);
	count_parents(qp, -1);
	kfree(qp);
	return 0;
}
EXPORT_SYMBOL(ib_destroy_qp_user);

int ib_destroy_qp(struct ib_qp *qp)
{
	return ib_destroy_qp_user(qp, NULL);
}
EXPORT_SYMBOL(ib_destroy_qp);
