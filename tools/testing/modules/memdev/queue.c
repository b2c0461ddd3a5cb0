// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queues of posted requests.
 */
#include <linux/slab.h>

#include "internal.h"

#define T(type)		BIT(IB_QPT_##type)

enum {
	CONNECTED	= T(RC) | T(UC) | T(XRC_INI),
	RELIABLE	= T(RC) | T(XRC_INI),
	DATAGRAM	= T(UD) | T(GSI) | T(SMI),
};

/* The types of QPs on which each operation can be posted. */
static const u16 types_of[] = {
	[IB_WR_SEND] = CONNECTED | DATAGRAM,
	[IB_WR_SEND_WITH_IMM] = CONNECTED | DATAGRAM,
	[IB_WR_SEND_WITH_INV] = RELIABLE,
	[IB_WR_RDMA_WRITE] = CONNECTED,
	[IB_WR_RDMA_WRITE_WITH_IMM] = CONNECTED,
	[IB_WR_RDMA_READ] = RELIABLE,
	[IB_WR_ATOMIC_CMP_AND_SWP] = RELIABLE,
	[IB_WR_ATOMIC_FETCH_AND_ADD] = RELIABLE,
	[IB_WR_LOCAL_INV] = CONNECTED,
	[IB_WR_REG_MR] = CONNECTED,
	[IB_WR_BIND_MW] = CONNECTED,
	[IB_WR_REG_MR_INTEGRITY] = CONNECTED,
};

void memdev_init_queue(struct memdev_queue *queue, u32 max, u32 max_sge)
{
	INIT_LIST_HEAD(&queue->requests);
	queue->count = 0;
	queue->max = max;
	queue->max_sge = max_sge;
}

struct memdev_wqe *memdev_first(struct memdev_queue *queue)
{
	struct memdev_wqe *wqe;

	spin_lock_irq(&memdev_fabric.lock);
	wqe = list_first_entry_or_null(&queue->requests, struct memdev_wqe, entry);
	spin_unlock_irq(&memdev_fabric.lock);
	return wqe;
}

struct memdev_wqe *memdev_take(struct memdev_queue *queue)
{
	struct memdev_wqe *wqe;

	spin_lock_irq(&memdev_fabric.lock);
	wqe = list_first_entry_or_null(&queue->requests, struct memdev_wqe, entry);
	if (wqe) {
		list_del(&wqe->entry);
		queue->count--;
	}
	spin_unlock_irq(&memdev_fabric.lock);
	return wqe;
}

void memdev_free_wqe(struct memdev_wqe *wqe)
{
	rdma_destroy_ah_attr(&wqe->ah);
	kfree(wqe);
}

void memdev_empty(struct memdev_queue *queue)
{
	struct memdev_wqe *wqe;

	while ((wqe = memdev_take(queue)))
		memdev_free_wqe(wqe);
}

/* Adds a request to a queue. */
static int add(struct memdev_queue *queue, struct memdev_wqe *wqe)
{
	lockdep_assert_held(&memdev_fabric.lock);
	if (queue->count == queue->max)
		return -ENOMEM;
	list_add_tail(&wqe->entry, &queue->requests);
	queue->count++;
	return 0;
}

/* Copies the list of pieces, or the data themselves. */
static int copy_sges(struct memdev_wqe *wqe, const struct ib_sge *sge, int num_sge, bool inlined)
{
	u8 *to = wqe->inline_data;
	int i;

	for (i = 0; i < num_sge; i++)
		wqe->length += sge[i].length;
	wqe->wr.num_sge = inlined ? 0 : num_sge;
	if (!inlined) {
		memcpy(wqe->sge, sge, num_sge * sizeof(*sge));
		return 0;
	}
	if (wqe->length > sizeof(wqe->inline_data))
		return -EINVAL;
	for (i = 0; i < num_sge; to += sge[i++].length)
		memcpy(to, (void *)(uintptr_t)sge[i].addr, sge[i].length);
	return 0;
}

static void copy_rdma(struct memdev_wqe *wqe, const struct ib_send_wr *wr)
{
	const struct ib_mw_bind_info *bind;

	switch (wr->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		wqe->remote_addr = rdma_wr(wr)->remote_addr;
		wqe->rkey = rdma_wr(wr)->rkey;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		wqe->remote_addr = atomic_wr(wr)->remote_addr;
		wqe->rkey = atomic_wr(wr)->rkey;
		wqe->compare_add = atomic_wr(wr)->compare_add;
		wqe->swap = atomic_wr(wr)->swap;
		break;
	case IB_WR_REG_MR:
	case IB_WR_REG_MR_INTEGRITY:
		wqe->mr = reg_wr(wr)->mr;
		wqe->key = reg_wr(wr)->key;
		wqe->access = reg_wr(wr)->access;
		break;
	case IB_WR_BIND_MW:
		bind = &bind_mw_wr(wr)->bind_info;
		wqe->key = bind_mw_wr(wr)->rkey;
		wqe->access = bind->mw_access_flags;
		wqe->bind_lkey = bind->mr ? bind->mr->lkey : 0;
		wqe->remote_addr = bind->addr;
		wqe->bind_length = bind->length;
		break;
	default:
		break;
	}
}

static bool send_valid(const struct memdev_qp *qp, const struct ib_send_wr *wr)
{
	bool reads = wr->opcode == IB_WR_RDMA_READ || wr->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
		     wr->opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
	const struct ib_bind_mw_wr *bind = bind_mw_wr(wr);

	/* Only the low bits of a window's key change, and without a region nothing can be bound. */
	if (wr->opcode == IB_WR_BIND_MW &&
	    (!bind->mw || bind->mw->rkey >> 8 != bind->rkey >> 8 ||
	     (!bind->bind_info.mr && bind->bind_info.length)))
		return false;
	return wr->opcode < ARRAY_SIZE(types_of) &&
	       (types_of[wr->opcode] & BIT(qp->ibqp.qp_type)) &&
	       wr->num_sge >= 0 && wr->num_sge <= qp->sq.max_sge &&
	       !(reads && (wr->send_flags & IB_SEND_INLINE)) &&
	       !(memdev_is_datagram(qp) && !ud_wr(wr)->ah);
}

/* Copies a request. Returns an ERR_PTR if it is invalid. */
static struct memdev_wqe *copy_send(const struct memdev_qp *qp, const struct ib_send_wr *wr)
{
	bool inlined = wr->send_flags & IB_SEND_INLINE;
	struct memdev_wqe *wqe;
	int ret;

	if (!send_valid(qp, wr))
		return ERR_PTR(-EINVAL);
	wqe = kzalloc(sizeof(*wqe), GFP_ATOMIC);
	if (!wqe)
		return ERR_PTR(-ENOMEM);
	wqe->wr = *wr;
	ret = copy_sges(wqe, wr->sg_list, wr->num_sge, inlined);
	if (ret) {
		kfree(wqe);
		return ERR_PTR(ret);
	}
	if (qp->ibqp.qp_type == IB_QPT_XRC_INI)
		wqe->srq_num = container_of(wr, struct memdev_xrc_wr, rdma.wr)->srq_num;
	if (!memdev_is_datagram(qp)) {
		copy_rdma(wqe, wr);
		return wqe;
	}
	/* The handle may be destroyed when the request has completed, the source GID sooner. */
	rdma_copy_ah_attr(&wqe->ah, &to_fakedev_ah(ud_wr(wr)->ah)->attr);
	wqe->remote_qpn = ud_wr(wr)->remote_qpn;
	wqe->remote_qkey = ud_wr(wr)->remote_qkey;
	wqe->pkey_index = ud_wr(wr)->pkey_index;
	return wqe;
}

static int post_one_send(struct memdev_qp *qp, const struct ib_send_wr *wr)
{
	struct memdev_wqe *wqe;
	unsigned long flags;
	int ret;

	ret = fakedev_count_call(qp->ibqp.device, FAKEDEV_POST_SEND);
	if (ret)
		return ret;
	wqe = copy_send(qp, wr);
	if (IS_ERR(wqe))
		return PTR_ERR(wqe);
	spin_lock_irqsave(&memdev_fabric.lock, flags);
	ret = qp->attr.qp_state < IB_QPS_RTS ? -EINVAL : add(&qp->sq, wqe);
	if (!ret)
		memdev_schedule(qp);
	spin_unlock_irqrestore(&memdev_fabric.lock, flags);
	if (ret)
		memdev_free_wqe(wqe);
	return ret;
}

static int post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		     const struct ib_send_wr **bad_wr)
{
	int ret = 0;

	for (; wr && !ret; wr = ret ? wr : wr->next)
		ret = post_one_send(to_memdev_qp(ibqp), wr);
	*bad_wr = wr;
	return ret;
}

int memdev_post_recvs(struct memdev_queue *queue, const struct ib_recv_wr *wr,
		      const struct ib_recv_wr **bad_wr, struct ib_device *ibdev, enum fakedev_op op)
{
	struct memdev_wqe *wqe;
	int ret = 0;

	lockdep_assert_held(&memdev_fabric.lock);
	for (; wr; wr = wr->next) {
		ret = fakedev_count_call(ibdev, op);
		if (ret)
			break;
		ret = -EINVAL;
		if (wr->num_sge < 0 || wr->num_sge > queue->max_sge)
			break;
		ret = -ENOMEM;
		wqe = kzalloc(sizeof(*wqe), GFP_ATOMIC);
		if (!wqe)
			break;
		wqe->wr.wr_id = wr->wr_id;
		copy_sges(wqe, wr->sg_list, wr->num_sge, false);
		ret = add(queue, wqe);
		if (ret) {
			kfree(wqe);
			break;
		}
	}
	*bad_wr = wr;
	return ret;
}

static int post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		     const struct ib_recv_wr **bad_wr)
{
	struct memdev_qp *qp = to_memdev_qp(ibqp);
	unsigned long flags;
	int ret = -EINVAL;

	*bad_wr = wr;
	spin_lock_irqsave(&memdev_fabric.lock, flags);
	if (qp->attr.qp_state != IB_QPS_RESET && !ibqp->srq)
		ret = memdev_post_recvs(&qp->rq, wr, bad_wr, ibqp->device, FAKEDEV_POST_RECV);
	if (qp->attr.qp_state == IB_QPS_ERR)
		memdev_schedule(qp);
	spin_unlock_irqrestore(&memdev_fabric.lock, flags);
	return ret;
}

const struct ib_device_ops memdev_queue_ops = {
	.post_recv = post_recv,
	.post_send = post_send,
};
