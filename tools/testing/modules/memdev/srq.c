// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Shared receive queues.
 */
#include "internal.h"

static int create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr, struct ib_udata *udata)
{
	struct memdev *dev = to_memdev(ibsrq->device);
	struct memdev_srq *srq = to_memdev_srq(ibsrq);
	int ret;

	ret = fakedev_count_call(ibsrq->device, FAKEDEV_CREATE_SRQ);
	if (ret)
		return ret;
	memdev_init_queue(&srq->queue, attr->attr.max_wr, attr->attr.max_sge);
	if (ibsrq->srq_type != IB_SRQT_XRC)
		return 0;
	mutex_lock(&memdev_fabric.mutex);
	ret = xa_alloc(&dev->srqs, &ibsrq->ext.xrc.srq_num, srq, XA_LIMIT(1, 0xffffff), GFP_KERNEL);
	mutex_unlock(&memdev_fabric.mutex);
	return ret;
}

static int destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct memdev_srq *srq = to_memdev_srq(ibsrq);
	int ret;

	ret = fakedev_count_call(ibsrq->device, FAKEDEV_DESTROY_SRQ);
	if (ret)
		return ret;
	mutex_lock(&memdev_fabric.mutex);
	if (ibsrq->srq_type == IB_SRQT_XRC)
		xa_erase(&to_memdev(ibsrq->device)->srqs, ibsrq->ext.xrc.srq_num);
	mutex_unlock(&memdev_fabric.mutex);
	memdev_empty(&srq->queue);
	return 0;
}

static int modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr, enum ib_srq_attr_mask mask,
		      struct ib_udata *udata)
{
	struct memdev_srq *srq = to_memdev_srq(ibsrq);
	u32 max, limit;
	int ret;

	ret = fakedev_count_call(ibsrq->device, FAKEDEV_MODIFY_SRQ);
	if (ret)
		return ret;
	spin_lock_irq(&memdev_fabric.lock);
	max = mask & IB_SRQ_MAX_WR ? attr->max_wr : srq->queue.max;
	limit = mask & IB_SRQ_LIMIT ? attr->srq_limit : srq->limit;
	if (max < srq->queue.count || limit > max) {
		ret = -EINVAL;
	} else {
		srq->queue.max = max;
		srq->limit = limit;
	}
	spin_unlock_irq(&memdev_fabric.lock);
	return ret;
}

static int query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct memdev_srq *srq = to_memdev_srq(ibsrq);

	spin_lock_irq(&memdev_fabric.lock);
	attr->max_wr = srq->queue.max;
	attr->max_sge = srq->queue.max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irq(&memdev_fabric.lock);
	return fakedev_count_call(ibsrq->device, FAKEDEV_QUERY_SRQ);
}

static int post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad_wr)
{
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&memdev_fabric.lock, flags);
	ret = memdev_post_recvs(&to_memdev_srq(ibsrq)->queue, wr, bad_wr, ibsrq->device,
				FAKEDEV_POST_SRQ_RECV);
	spin_unlock_irqrestore(&memdev_fabric.lock, flags);
	return ret;
}

const struct ib_device_ops memdev_srq_ops = {
	.create_srq = create_srq,
	.destroy_srq = destroy_srq,
	.modify_srq = modify_srq,
	.post_srq_recv = post_srq_recv,
	.query_srq = query_srq,

	INIT_RDMA_OBJ_SIZE(ib_srq, memdev_srq, ibsrq),
};
