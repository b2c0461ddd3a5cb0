// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queue pairs: creation, destruction, attributes.
 */
#include <trace/events/ib_core.h>

#include "core/counters.h"
#include "verbs/qp_create.h"
#include "verbs/qp_path.h"
#include "verbs/qp_state.h"
#include "verbs/rw_qp.h"
#include "verbs/verbs.h"
#include "verbs/xrc_qp.h"

struct ib_qp *ib_create_qp_user(struct ib_device *dev, struct ib_pd *pd,
				struct ib_qp_init_attr *attr, struct ib_udata *udata,
				struct ib_uobject *uobj, const char *caller)
{
	if (uobj && attr->cap.max_rdma_ctxs)
		return ERR_PTR(-EOPNOTSUPP);
	if (attr->qp_type == IB_QPT_XRC_TGT)
		return verbs_xrc_qp_create(dev, attr, uobj, caller);
	return verbs_qp_create(dev, pd, attr, udata, uobj, caller);
}
EXPORT_SYMBOL(ib_create_qp_user);

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
		WRITE_ONCE(real->port, attr->port_num); /* changes may run concurrently */
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
	/* The provider may have copied these pointers from its own paths, without references. */
	qp_attr->ah_attr.grh.sgid_attr = NULL;
	qp_attr->alt_ah_attr.grh.sgid_attr = NULL;
	return ret;
}
EXPORT_SYMBOL(ib_query_qp);

int ib_destroy_qp_user(struct ib_qp *qp, struct ib_udata *udata)
{
	might_sleep();
	if (qp->real_qp != qp)
		return verbs_xrc_qp_close(qp);
	return verbs_qp_destroy(qp, udata);
}
EXPORT_SYMBOL(ib_destroy_qp_user);

int ib_destroy_qp(struct ib_qp *qp)
{
	return ib_destroy_qp_user(qp, NULL);
}
EXPORT_SYMBOL(ib_destroy_qp);

static struct ib_qp *create_qp_with_ctxs(struct ib_pd *pd, struct ib_qp_init_attr *attr,
					 const char *caller)
{
	struct ib_qp *qp;
	int ret;

	ret = verbs_rw_prepare_qp(pd->device, attr);
	if (ret)
		return ERR_PTR(ret);
	qp = ib_create_qp_user(pd->device, pd, attr, NULL, NULL, caller);
	if (IS_ERR(qp))
		return qp;
	ret = verbs_rw_fill_pools(qp, attr);
	if (!ret)
		return qp;
	WARN_ON_ONCE(ib_destroy_qp(qp));
	return ERR_PTR(ret);
}

struct ib_qp *ib_create_qp_kernel(struct ib_pd *pd, struct ib_qp_init_attr *qp_init_attr,
				  const char *caller)
{
	u32 max_send_wr = qp_init_attr->cap.max_send_wr;
	struct ib_qp *qp;

	qp = create_qp_with_ctxs(pd, qp_init_attr, caller);
	if (IS_ERR(qp))
		qp_init_attr->cap.max_send_wr = max_send_wr;
	return qp;
}
EXPORT_SYMBOL(ib_create_qp_kernel);
