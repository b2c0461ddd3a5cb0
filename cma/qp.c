// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * QPs that belong to identifiers. The functions are declared in <rdma/rdma_cm.h>.
 */
#include <linux/export.h>

#include "cma/cma.h"
#include "cma/device.h"
#include "cma/transport.h"

int rdma_init_qp_attr(struct rdma_cm_id *base, struct ib_qp_attr *qp_attr, int *qp_attr_mask)
{
	struct cma_id *id = to_cma_id(base);
	int ret;

	if (!id->dev)
		return -EINVAL;
	ret = id->dev->transport->init_qp_attr(id, qp_attr, qp_attr_mask);
	if (ret)
		return ret;
	qp_attr->port_num = base->port_num;
	*qp_attr_mask |= IB_QP_PORT;
	return 0;
}
EXPORT_SYMBOL(rdma_init_qp_attr);

int rdma_create_qp(struct rdma_cm_id *base, struct ib_pd *pd, struct ib_qp_init_attr *qp_init_attr)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };
	struct cma_id *id = to_cma_id(base);
	struct ib_qp *qp;
	int mask, ret;

	might_sleep();
	if (base->device != pd->device || base->qp)
		return -EINVAL;
	qp_init_attr->port_num = base->port_num;
	qp = ib_create_qp_kernel(pd, qp_init_attr, id->caller ?: KBUILD_MODNAME);
	if (IS_ERR(qp))
		return PTR_ERR(qp);
	ret = rdma_init_qp_attr(base, &attr, &mask);
	if (ret)
		goto destroy_qp;
	ret = ib_modify_qp(qp, &attr, mask);
	if (ret)
		goto destroy_qp;
	base->qp = qp;
	WRITE_ONCE(id->qpn, qp->qp_num);
	return 0;

destroy_qp:
	ib_destroy_qp(qp);
	return ret;
}
EXPORT_SYMBOL(rdma_create_qp);

void rdma_destroy_qp(struct rdma_cm_id *base)
{
	WRITE_ONCE(to_cma_id(base)->qpn, 0);
	ib_destroy_qp(base->qp);
	base->qp = NULL;
}
EXPORT_SYMBOL(rdma_destroy_qp);
