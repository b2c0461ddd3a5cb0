// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The paths of QPs. While a change of a QP is under way, the attributes of the change hold the
 * references to the new source GIDs; then the references pass to the QP, or are dropped. Changes of
 * one QP may run concurrently, so the QP's references are exchanged atomically.
 */
#include "verbs/qp_path.h"

#include <rdma/ib_verbs.h>

#include "verbs/ah_attr.h"

/* Replaces *@path by the complete path. On success, *@given is the path as it was before. */
static int path_resolve(struct ib_device *dev, struct rdma_ah_attr *path,
			const struct ib_udata *udata, struct rdma_ah_attr *given)
{
	unsigned int flags = VERBS_AH_MAY_SLEEP | (udata ? VERBS_AH_OF_PROCESS : 0);
	struct rdma_ah_attr complete;
	int ret;

	ret = verbs_ah_attr_resolve(dev, path, &complete, flags);
	if (ret)
		return ret;
	*given = *path;
	*path = complete;
	return 0;
}

/* Drops the reference of a complete path, and restores *@path to what the caller has passed. */
static void path_restore(struct rdma_ah_attr *path, const struct rdma_ah_attr *given)
{
	rdma_destroy_ah_attr(path);
	*path = *given;
}

static int alt_path_resolve(struct ib_device *dev, struct ib_qp_attr *attr,
			    const struct ib_udata *udata, struct rdma_ah_attr *given)
{
	int ret;

	ret = path_resolve(dev, &attr->alt_ah_attr, udata, given);
	if (ret)
		return ret;
	if (rdma_protocol_ib(dev, attr->alt_port_num) &&
	    rdma_protocol_ib(dev, attr->alt_ah_attr.port_num))
		return 0;
	path_restore(&attr->alt_ah_attr, given);
	return -EINVAL;
}

int verbs_qp_paths_resolve(const struct ib_qp *qp, struct ib_qp_attr *attr, u32 mask,
			   const struct ib_udata *udata, struct verbs_qp_paths *paths)
{
	struct ib_device *dev = qp->device;
	int ret = 0;

	paths->mask = 0;
	if (rdma_node_get_transport(dev->node_type) != RDMA_TRANSPORT_IB)
		return 0;
	if (mask & IB_QP_AV) {
		ret = path_resolve(dev, &attr->ah_attr, udata, &paths->given);
		if (ret)
			return ret;
		paths->mask |= IB_QP_AV;
	}
	if (mask & IB_QP_ALT_PATH) {
		ret = alt_path_resolve(dev, attr, udata, &paths->given_alt);
		if (!ret)
			paths->mask |= IB_QP_ALT_PATH;
		else if (paths->mask & IB_QP_AV)
			path_restore(&attr->ah_attr, &paths->given);
	}
	return ret;
}

void verbs_qp_paths_end(struct ib_qp *qp, struct ib_qp_attr *attr, struct verbs_qp_paths *paths,
			int ret)
{
	/*
	 * On success the QP takes the new source GIDs, and the attributes get the QP's old ones; on
	 * failure the attributes keep the new ones. path_restore() drops what the attributes have.
	 */
	if (paths->mask & IB_QP_AV) {
		if (!ret)
			attr->ah_attr.grh.sgid_attr = xchg(&qp->av_sgid_attr,
							   attr->ah_attr.grh.sgid_attr);
		path_restore(&attr->ah_attr, &paths->given);
	}
	if (paths->mask & IB_QP_ALT_PATH) {
		if (!ret)
			attr->alt_ah_attr.grh.sgid_attr = xchg(&qp->alt_path_sgid_attr,
							       attr->alt_ah_attr.grh.sgid_attr);
		path_restore(&attr->alt_ah_attr, &paths->given_alt);
	}
}

void verbs_qp_paths_drop(struct ib_qp *qp)
{
	if (qp->av_sgid_attr)
		rdma_put_gid_attr(qp->av_sgid_attr);
	if (qp->alt_path_sgid_attr)
		rdma_put_gid_attr(qp->alt_path_sgid_attr);
}
