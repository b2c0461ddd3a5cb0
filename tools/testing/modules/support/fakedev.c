// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A fake provider without a network.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "fakedev.h"

#define FAKEDEV_ROCE_GIDS	8

void fakedev_fail(struct fakedev *fd, enum fakedev_op op, int nth, int errno)
{
	fd->fail_with[op] = errno;
	atomic_set(&fd->fail_in[op], nth);
}
EXPORT_SYMBOL(fakedev_fail);

int fakedev_calls(struct fakedev *fd, enum fakedev_op op)
{
	return atomic_read(&fd->calls[op]);
}
EXPORT_SYMBOL(fakedev_calls);

int fakedev_count_call(struct ib_device *ibdev, enum fakedev_op op)
{
	struct fakedev *fd = to_fakedev(ibdev);

	atomic_inc(&fd->calls[op]);
	if (!atomic_read(&fd->fail_in[op]) || !atomic_dec_and_test(&fd->fail_in[op]))
		return 0;
	atomic_inc(&fd->failures[op]);
	return fd->fail_with[op];
}
EXPORT_SYMBOL(fakedev_count_call);

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	to_fakedev(pd->device)->last_pd_flags = pd->flags;
	return fakedev_count_call(pd->device, FAKEDEV_ALLOC_PD);
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return fakedev_count_call(pd->device, FAKEDEV_DEALLOC_PD);
}

static int init_ah(struct ib_ah *ibah, const struct rdma_ah_init_attr *attr)
{
	to_fakedev_ah(ibah)->attr = *attr->ah_attr;
	to_fakedev(ibah->device)->last_ah_flags = attr->flags;
	return 0;
}

static int create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr, struct ib_udata *udata)
{
	return fakedev_count_call(ibah->device, FAKEDEV_CREATE_AH) ?: init_ah(ibah, attr);
}

static int create_user_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *attr,
			  struct ib_udata *udata)
{
	return fakedev_count_call(ibah->device, FAKEDEV_CREATE_USER_AH) ?: init_ah(ibah, attr);
}

static int modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	int ret;

	ret = fakedev_count_call(ibah->device, FAKEDEV_MODIFY_AH);
	if (!ret)
		to_fakedev_ah(ibah)->attr = *attr;
	return ret;
}

static int query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_fakedev_ah(ibah)->attr;
	return fakedev_count_call(ibah->device, FAKEDEV_QUERY_AH);
}

static int destroy_ah(struct ib_ah *ibah, u32 flags)
{
	to_fakedev(ibah->device)->last_ah_flags = flags;
	return fakedev_count_call(ibah->device, FAKEDEV_DESTROY_AH);
}

static struct ib_wc *cq_slot(struct fakedev_cq *cq, int i)
{
	return &cq->ring[(cq->head + i) % cq->size];
}

/* Returns whether the CQ is armed for an event that is due. If so, disarms the CQ. */
static bool take_event(struct fakedev_cq *cq, bool solicited)
{
	bool due = (cq->armed & IB_CQ_NEXT_COMP) || ((cq->armed & IB_CQ_SOLICITED) && solicited);

	lockdep_assert_held(&cq->lock);
	if (due)
		cq->armed = 0;
	if (cq->ncomp && cq->count >= cq->ncomp) {
		cq->ncomp = 0;
		due = true;
	}
	return due;
}

static void raise_event(struct ib_cq *ibcq)
{
	if (ibcq->comp_handler)
		ibcq->comp_handler(ibcq, ibcq->cq_context);
}

bool fakedev_cq_push(struct ib_cq *ibcq, const struct ib_wc *wc, bool solicited)
{
	struct fakedev_cq *cq = to_fakedev_cq(ibcq);
	bool room, event = false;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	room = cq->count < cq->size;
	if (room) {
		*cq_slot(cq, cq->count++) = *wc;
		event = take_event(cq, solicited || wc->status != IB_WC_SUCCESS);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	if (event)
		raise_event(ibcq);
	return room;
}
EXPORT_SYMBOL(fakedev_cq_push);

void fakedev_cq_forget(struct ib_cq *ibcq, const struct ib_qp *qp)
{
	struct fakedev_cq *cq = to_fakedev_cq(ibcq);
	int i, kept = 0;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	for (i = 0; i < cq->count; i++)
		if (cq_slot(cq, i)->qp != qp)
			*cq_slot(cq, kept++) = *cq_slot(cq, i);
	cq->count = kept;
	spin_unlock_irqrestore(&cq->lock, flags);
}
EXPORT_SYMBOL(fakedev_cq_forget);

int fakedev_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		      struct ib_udata *udata)
{
	struct fakedev_cq *cq = to_fakedev_cq(ibcq);
	int ret;

	ret = fakedev_count_call(ibcq->device, FAKEDEV_CREATE_CQ);
	if (ret)
		return ret;
	spin_lock_init(&cq->lock);
	cq->size = roundup_pow_of_two(attr->cqe);
	cq->ring = kvcalloc(cq->size, sizeof(*cq->ring), GFP_KERNEL);
	ibcq->cqe = cq->size;
	return cq->ring ? 0 : -ENOMEM;
}

int fakedev_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	int ret;

	ret = fakedev_count_call(ibcq->device, FAKEDEV_DESTROY_CQ);
	if (!ret)
		kvfree(to_fakedev_cq(ibcq)->ring);
	return ret;
}

int fakedev_resize_cq(struct ib_cq *ibcq, int cqe, struct ib_udata *udata)
{
	struct fakedev_cq *cq = to_fakedev_cq(ibcq);
	int size = roundup_pow_of_two(cqe), i, ret;
	struct ib_wc *ring, *old;

	ret = fakedev_count_call(ibcq->device, FAKEDEV_RESIZE_CQ);
	if (ret)
		return ret;
	ring = kvcalloc(size, sizeof(*ring), GFP_KERNEL);
	if (!ring)
		return -ENOMEM;

	spin_lock_irq(&cq->lock);
	if (cq->count > size) {
		spin_unlock_irq(&cq->lock);
		kvfree(ring);
		return -EINVAL;
	}
	for (i = 0; i < cq->count; i++)
		ring[i] = *cq_slot(cq, i);
	old = cq->ring;
	cq->ring = ring;
	cq->head = 0;
	cq->size = size;
	ibcq->cqe = size;
	spin_unlock_irq(&cq->lock);
	kvfree(old);
	return 0;
}

static int modify_cq(struct ib_cq *ibcq, u16 count, u16 period)
{
	struct fakedev_cq *cq = to_fakedev_cq(ibcq);

	cq->moderation_count = count;
	cq->moderation_period = period;
	return fakedev_count_call(ibcq->device, FAKEDEV_MODIFY_CQ);
}

static int poll_cq(struct ib_cq *ibcq, int num_entries, struct ib_wc *wc)
{
	struct fakedev_cq *cq = to_fakedev_cq(ibcq);
	unsigned long flags;
	int ret, n;

	ret = fakedev_count_call(ibcq->device, FAKEDEV_POLL_CQ);
	if (ret)
		return ret;
	spin_lock_irqsave(&cq->lock, flags);
	for (n = 0; n < num_entries && cq->count; n++) {
		wc[n] = *cq_slot(cq, 0);
		cq->head = (cq->head + 1) % cq->size;
		cq->count--;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

static int peek_cq(struct ib_cq *ibcq, int wc_cnt)
{
	return min(READ_ONCE(to_fakedev_cq(ibcq)->count), wc_cnt);
}

static int req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags arm)
{
	struct fakedev_cq *cq = to_fakedev_cq(ibcq);
	unsigned long flags;
	int ret;

	ret = fakedev_count_call(ibcq->device, FAKEDEV_REQ_NOTIFY_CQ);
	if (ret)
		return ret;
	spin_lock_irqsave(&cq->lock, flags);
	cq->armed = arm & IB_CQ_SOLICITED_MASK;
	ret = (arm & IB_CQ_REPORT_MISSED_EVENTS) && cq->count;
	spin_unlock_irqrestore(&cq->lock, flags);
	return ret;
}

static int req_ncomp_notif(struct ib_cq *ibcq, int wc_cnt)
{
	struct fakedev_cq *cq = to_fakedev_cq(ibcq);
	unsigned long flags;
	bool event;

	spin_lock_irqsave(&cq->lock, flags);
	cq->ncomp = wc_cnt;
	event = take_event(cq, false);
	spin_unlock_irqrestore(&cq->lock, flags);
	if (event)
		raise_event(ibcq);
	return 0;
}

/* Completes up to @nr requests, oldest first. Returns the number of requests completed. */
static int complete_queue(struct fakedev_qp *qp, struct fakedev_queue *q, int nr,
			  enum ib_wc_status status)
{
	unsigned long flags;
	struct ib_wc *wc;
	int n;

	spin_lock_irqsave(&qp->lock, flags);
	for (n = 0; n < nr && q->first != q->end; n++, q->first++) {
		wc = &q->posted[q->first % FAKEDEV_QUEUE];
		wc->status = status;
		if (status != IB_WC_SUCCESS || !q->unsignaled[q->first % FAKEDEV_QUEUE])
			fakedev_cq_push(q->cq, wc, false);
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	return n;
}

int fakedev_complete_sends(struct ib_qp *ibqp, int nr, enum ib_wc_status status)
{
	struct fakedev_qp *qp = to_fakedev_qp(ibqp);

	return complete_queue(qp, &qp->sq, nr, status);
}
EXPORT_SYMBOL(fakedev_complete_sends);

int fakedev_complete_recvs(struct ib_qp *ibqp, int nr, enum ib_wc_status status)
{
	struct fakedev_qp *qp = to_fakedev_qp(ibqp);

	return complete_queue(qp, &qp->rq, nr, status);
}
EXPORT_SYMBOL(fakedev_complete_recvs);

static void flush_qp(struct work_struct *work)
{
	struct fakedev_qp *qp = container_of(work, struct fakedev_qp, flush.work);

	complete_queue(qp, &qp->sq, INT_MAX, IB_WC_WR_FLUSH_ERR);
	complete_queue(qp, &qp->rq, INT_MAX, IB_WC_WR_FLUSH_ERR);
}

static int fake_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *attr, struct ib_udata *udata)
{
	struct fakedev *fd = to_fakedev(ibqp->device);
	struct fakedev_qp *qp = to_fakedev_qp(ibqp);
	int ret;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_CREATE_QP);
	if (ret)
		return ret;
	/* Drivers find the context of a process's QP by its uobject. XRC target QPs have none. */
	if (udata && !ibqp->uobject)
		return -EIO;
	spin_lock_init(&qp->lock);
	INIT_DELAYED_WORK(&qp->flush, flush_qp);
	qp->sq.cq = attr->send_cq;
	qp->rq.cq = attr->recv_cq;
	qp->rq.receives = true;
	qp->signal_all = attr->sq_sig_type == IB_SIGNAL_ALL_WR;
	attr->cap.max_send_sge = max(attr->cap.max_send_sge, 2U);
	qp->init_attr = *attr;
	ibqp->qp_num = atomic_inc_return(&fd->next_qpn);
	return 0;
}

static void copy_attr(struct ib_qp_attr *to, const struct ib_qp_attr *from, int mask)
{
	if (mask & IB_QP_STATE)
		to->qp_state = from->qp_state;
	if (mask & IB_QP_PORT)
		to->port_num = from->port_num;
	if (mask & IB_QP_ACCESS_FLAGS)
		to->qp_access_flags = from->qp_access_flags;
	if (mask & IB_QP_AV)
		to->ah_attr = from->ah_attr;
	if (mask & IB_QP_ALT_PATH)
		to->alt_ah_attr = from->alt_ah_attr;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		to->max_rd_atomic = from->max_rd_atomic;
}

static int fake_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			  struct ib_udata *udata)
{
	struct fakedev_qp *qp = to_fakedev_qp(ibqp);
	int ret;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_MODIFY_QP);
	if (ret)
		return ret;
	spin_lock_irq(&qp->lock);
	copy_attr(&qp->attr, attr, mask);
	qp->last_mask = mask;
	spin_unlock_irq(&qp->lock);
	if (qp->attr.qp_state == IB_QPS_ERR)
		mod_delayed_work(system_wq, &qp->flush, to_fakedev(ibqp->device)->flush_delay);
	return 0;
}

static int fake_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
			 struct ib_qp_init_attr *init_attr)
{
	struct fakedev_qp *qp = to_fakedev_qp(ibqp);

	*attr = qp->attr;
	*init_attr = qp->init_attr;
	return fakedev_count_call(ibqp->device, FAKEDEV_QUERY_QP);
}

static int fake_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	int ret;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_DESTROY_QP);
	if (!ret)
		cancel_delayed_work_sync(&to_fakedev_qp(ibqp)->flush);
	return ret;
}

/*
 * Queues one request. If the QP is in ERR, the request is flushed after the requests in front of
 * it. Returns -ENOMEM if the queue is full.
 */
static int post(struct fakedev_qp *qp, struct fakedev_queue *q, const struct ib_wc *wc,
		bool unsignaled)
{
	unsigned long flags;
	int ret = -ENOMEM;

	spin_lock_irqsave(&qp->lock, flags);
	if (q->end - q->first < FAKEDEV_QUEUE) {
		q->posted[q->end % FAKEDEV_QUEUE] = *wc;
		q->unsignaled[q->end % FAKEDEV_QUEUE] = unsignaled;
		q->end++;
		ret = 0;
	}
	if (!ret && qp->attr.qp_state == IB_QPS_ERR)
		queue_delayed_work(system_wq, &qp->flush,
				   to_fakedev(qp->ibqp.device)->flush_delay);
	spin_unlock_irqrestore(&qp->lock, flags);
	return ret;
}

static int fake_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
			  const struct ib_send_wr **bad_wr)
{
	struct fakedev_qp *qp = to_fakedev_qp(ibqp);
	struct ib_wc wc = { .qp = ibqp };
	int ret = 0;

	for (; wr && !ret; wr = ret ? wr : wr->next) {
		wc.wr_id = wr->wr_id;
		wc.opcode = wr->opcode == IB_WR_REG_MR ? IB_WC_REG_MR :
			    wr->opcode == IB_WR_RDMA_WRITE ? IB_WC_RDMA_WRITE : IB_WC_SEND;
		ret = fakedev_count_call(ibqp->device, FAKEDEV_POST_SEND);
		if (!ret)
			ret = post(qp, &qp->sq, &wc,
				   !qp->signal_all && !(wr->send_flags & IB_SEND_SIGNALED));
	}
	*bad_wr = wr;
	return ret;
}

static int fake_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
			  const struct ib_recv_wr **bad_wr)
{
	struct ib_wc wc = { .qp = ibqp, .opcode = IB_WC_RECV };
	struct fakedev_qp *qp = to_fakedev_qp(ibqp);
	int ret = 0;

	for (; wr && !ret; wr = ret ? wr : wr->next) {
		wc.wr_id = wr->wr_id;
		ret = fakedev_count_call(ibqp->device, FAKEDEV_POST_RECV);
		if (!ret)
			ret = post(qp, &qp->rq, &wc, false);
	}
	*bad_wr = wr;
	return ret;
}

void fakedev_qp_event(struct ib_qp *ibqp, enum ib_event_type type)
{
	struct ib_event event = { .device = ibqp->device, .element.qp = ibqp, .event = type };

	if (ibqp->event_handler)
		ibqp->event_handler(&event, ibqp->qp_context);
}
EXPORT_SYMBOL(fakedev_qp_event);

/* Returns the entry of @groups that has this GID, or NULL. */
static union ib_gid *find_group(struct ib_qp *ibqp, const union ib_gid *gid)
{
	struct fakedev_qp *qp = to_fakedev_qp(ibqp);
	int i;

	for (i = 0; i < FAKEDEV_GROUPS; i++)
		if (!memcmp(&qp->groups[i], gid, sizeof(*gid)))
			return &qp->groups[i];
	return NULL;
}

static int fake_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	static const union ib_gid none;
	union ib_gid *slot = find_group(ibqp, &none);
	int ret;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_ATTACH_MCAST);
	if (ret)
		return ret;
	if (!slot)
		return -ENOMEM;
	*slot = *gid;
	return 0;
}

static int fake_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	union ib_gid *slot = find_group(ibqp, gid);
	int ret;

	ret = fakedev_count_call(ibqp->device, FAKEDEV_DETACH_MCAST);
	if (ret)
		return ret;
	if (!slot)
		return -EINVAL;
	memset(slot, 0, sizeof(*slot));
	return 0;
}

static int alloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	return fakedev_count_call(xrcd->device, FAKEDEV_ALLOC_XRCD);
}

static int dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	return fakedev_count_call(xrcd->device, FAKEDEV_DEALLOC_XRCD);
}

static int fake_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *attr,
			   struct ib_udata *udata)
{
	struct fakedev_srq *srq = to_fakedev_srq(ibsrq);

	spin_lock_init(&srq->lock);
	attr->attr.max_wr = roundup_pow_of_two(attr->attr.max_wr);
	attr->attr.max_sge = max(attr->attr.max_sge, 2U);
	srq->attr = attr->attr;
	srq->attr.srq_limit = 0;
	if (ibsrq->srq_type == IB_SRQT_XRC)
		ibsrq->ext.xrc.srq_num = atomic_inc_return(&to_fakedev(ibsrq->device)->next_qpn);
	return fakedev_count_call(ibsrq->device, FAKEDEV_CREATE_SRQ);
}

static int fake_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
			   enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct fakedev_srq *srq = to_fakedev_srq(ibsrq);

	spin_lock_irq(&srq->lock);
	if (mask & IB_SRQ_MAX_WR)
		srq->attr.max_wr = roundup_pow_of_two(attr->max_wr);
	if (mask & IB_SRQ_LIMIT)
		srq->attr.srq_limit = attr->srq_limit;
	*attr = srq->attr;
	spin_unlock_irq(&srq->lock);
	return fakedev_count_call(ibsrq->device, FAKEDEV_MODIFY_SRQ);
}

static int fake_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	*attr = to_fakedev_srq(ibsrq)->attr;
	return fakedev_count_call(ibsrq->device, FAKEDEV_QUERY_SRQ);
}

static int fake_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	return fakedev_count_call(ibsrq->device, FAKEDEV_DESTROY_SRQ);
}

static int fake_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
			      const struct ib_recv_wr **bad_wr)
{
	struct fakedev_srq *srq = to_fakedev_srq(ibsrq);
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&srq->lock, flags);
	for (; wr && !ret; wr = ret ? wr : wr->next) {
		ret = fakedev_count_call(ibsrq->device, FAKEDEV_POST_SRQ_RECV);
		if (!ret && srq->end - srq->first == srq->attr.max_wr)
			ret = -ENOMEM;
		if (!ret)
			srq->posted[srq->end++ % FAKEDEV_QUEUE] = wr->wr_id;
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	*bad_wr = wr;
	return ret;
}

static void raise_limit(struct ib_srq *ibsrq)
{
	struct ib_event event = {
		.device = ibsrq->device,
		.element.srq = ibsrq,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};

	if (ibsrq->event_handler)
		ibsrq->event_handler(&event, ibsrq->srq_context);
}

bool fakedev_srq_take(struct ib_qp *ibqp)
{
	struct fakedev_srq *srq = to_fakedev_srq(ibqp->srq);
	struct ib_wc wc = { .qp = ibqp, .opcode = IB_WC_RECV };
	bool found, low = false;

	spin_lock_irq(&srq->lock);
	found = srq->first != srq->end;
	if (found) {
		wc.wr_id = srq->posted[srq->first++ % FAKEDEV_QUEUE];
		low = srq->end - srq->first < srq->attr.srq_limit;
		srq->attr.srq_limit = low ? 0 : srq->attr.srq_limit;
	}
	spin_unlock_irq(&srq->lock);
	if (low)
		raise_limit(ibqp->srq);
	return found && fakedev_cq_push(ibqp->recv_cq, &wc, false);
}
EXPORT_SYMBOL(fakedev_srq_take);

static struct ib_mr *make_mr(struct ib_pd *pd, u32 max_pages)
{
	struct fakedev_mr *mr;
	u32 key;

	mr = kzalloc(struct_size(mr, pages, max_pages), GFP_KERNEL);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	key = atomic_inc_return(&to_fakedev(pd->device)->next_key) << 8;
	mr->max_pages = max_pages;
	mr->ibmr.lkey = key;
	mr->ibmr.rkey = key;
	return &mr->ibmr;
}

static struct ib_mr *fake_get_dma_mr(struct ib_pd *pd, int access)
{
	int ret;

	to_fakedev(pd->device)->last_access = access;
	ret = fakedev_count_call(pd->device, FAKEDEV_GET_DMA_MR);
	return ret ? ERR_PTR(ret) : make_mr(pd, 0);
}

static struct ib_mr *fake_alloc_mr(struct ib_pd *pd, enum ib_mr_type type, u32 max_num_sg)
{
	int ret;

	ret = fakedev_count_call(pd->device, FAKEDEV_ALLOC_MR);
	return ret ? ERR_PTR(ret) : make_mr(pd, max_num_sg);
}

static struct ib_mr *fake_alloc_mr_integrity(struct ib_pd *pd, u32 max_num_data_sg,
					     u32 max_num_meta_sg)
{
	struct ib_mr *ibmr;
	int ret;

	ret = fakedev_count_call(pd->device, FAKEDEV_ALLOC_MR_INTEGRITY);
	ibmr = ret ? ERR_PTR(ret) : make_mr(pd, max_num_data_sg);
	if (!IS_ERR(ibmr))
		to_fakedev_mr(ibmr)->max_meta = max_num_meta_sg;
	return ibmr;
}

static struct ib_mr *fake_reg_user_mr(struct ib_pd *pd, u64 start, u64 length, u64 virt_addr,
				      int access, struct ib_udata *udata)
{
	int ret;

	ret = fakedev_count_call(pd->device, FAKEDEV_REG_USER_MR);
	return ret ? ERR_PTR(ret) : make_mr(pd, 0);
}

static struct ib_mr *fake_rereg_user_mr(struct ib_mr *ibmr, int flags, u64 start, u64 length,
					u64 virt_addr, int access, struct ib_pd *pd,
					struct ib_udata *udata)
{
	struct fakedev *fd = to_fakedev(ibmr->device);
	int ret;

	fd->last_rereg.flags = flags;
	fd->last_rereg.start = start;
	fd->last_rereg.length = length;
	fd->last_rereg.virt_addr = virt_addr;
	fd->last_rereg.access = access;
	fd->last_rereg.pd = pd;
	ret = fakedev_count_call(ibmr->device, FAKEDEV_REREG_USER_MR);
	if (ret)
		return ERR_PTR(ret);
	return fd->rereg_anew ? make_mr(pd, 0) : NULL;
}

static int fake_set_page(struct ib_mr *ibmr, u64 addr)
{
	struct fakedev_mr *mr = to_fakedev_mr(ibmr);

	if (mr->nr_pages == mr->max_pages)
		return -ENOMEM;
	mr->pages[mr->nr_pages++] = addr;
	return 0;
}

static int fake_map_mr_sg(struct ib_mr *ibmr, struct scatterlist *sg, int nents,
			  unsigned int *offset)
{
	int ret;

	ret = fakedev_count_call(ibmr->device, FAKEDEV_MAP_MR_SG);
	if (ret)
		return ret;
	to_fakedev_mr(ibmr)->nr_pages = 0;
	return ib_sg_to_pages(ibmr, sg, nents, offset, fake_set_page);
}

static int fake_map_mr_sg_pi(struct ib_mr *ibmr, struct scatterlist *data, int data_nents,
			     unsigned int *data_offset, struct scatterlist *meta, int meta_nents,
			     unsigned int *meta_offset)
{
	struct fakedev_mr *mr = to_fakedev_mr(ibmr);
	int ret;

	ret = fakedev_count_call(ibmr->device, FAKEDEV_MAP_MR_SG_PI);
	if (ret)
		return ret;
	if (meta_nents > mr->max_meta)
		return -EINVAL;
	mr->nr_pages = 0;
	mr->meta_nents = meta_nents;
	ret = ib_sg_to_pages(ibmr, data, data_nents, data_offset, fake_set_page);
	return ret == data_nents ? 0 : ret < 0 ? ret : -EINVAL;
}

static int fake_check_mr_status(struct ib_mr *ibmr, u32 check_mask, struct ib_mr_status *status)
{
	struct fakedev_mr *mr = to_fakedev_mr(ibmr);
	int ret;

	ret = fakedev_count_call(ibmr->device, FAKEDEV_CHECK_MR_STATUS);
	if (ret || !mr->has_sig_err)
		return ret;
	status->fail_status = IB_MR_CHECK_SIG_STATUS;
	status->sig_err = mr->sig_err;
	mr->has_sig_err = false;
	return 0;
}

static int fake_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	int ret;

	ret = fakedev_count_call(ibmr->device, FAKEDEV_DEREG_MR);
	if (!ret)
		kfree(to_fakedev_mr(ibmr));
	return ret;
}

static int fake_alloc_mw(struct ib_mw *ibmw, struct ib_udata *udata)
{
	ibmw->rkey = atomic_inc_return(&to_fakedev(ibmw->device)->next_key) << 8;
	return fakedev_count_call(ibmw->device, FAKEDEV_ALLOC_MW);
}

static int fake_dealloc_mw(struct ib_mw *ibmw)
{
	return fakedev_count_call(ibmw->device, FAKEDEV_DEALLOC_MW);
}

static struct ib_fmr *fake_alloc_fmr(struct ib_pd *pd, int access, struct ib_fmr_attr *attr)
{
	struct fakedev_fmr *fmr;
	int ret;

	ret = fakedev_count_call(pd->device, FAKEDEV_ALLOC_FMR);
	if (ret)
		return ERR_PTR(ret);
	fmr = kzalloc(sizeof(*fmr), GFP_KERNEL);
	if (!fmr)
		return ERR_PTR(-ENOMEM);
	fmr->attr = *attr;
	fmr->access = access;
	return &fmr->ibfmr;
}

static int fake_map_phys_fmr(struct ib_fmr *ibfmr, u64 *page_list, int list_len, u64 iova)
{
	struct fakedev_fmr *fmr = to_fakedev_fmr(ibfmr);
	int ret;

	ret = fakedev_count_call(ibfmr->device, FAKEDEV_MAP_FMR);
	if (ret)
		return ret;
	fmr->nr_pages = list_len;
	fmr->iova = iova;
	ibfmr->rkey++;
	ibfmr->lkey++;
	return 0;
}

static int fake_unmap_fmr(struct list_head *fmr_list)
{
	struct ib_fmr *first = list_first_entry(fmr_list, struct ib_fmr, list), *ibfmr;
	int ret;

	ret = fakedev_count_call(first->device, FAKEDEV_UNMAP_FMR);
	if (ret)
		return ret;
	list_for_each_entry(ibfmr, fmr_list, list)
		to_fakedev_fmr(ibfmr)->nr_pages = 0;
	return 0;
}

static int fake_dealloc_fmr(struct ib_fmr *ibfmr)
{
	int ret;

	ret = fakedev_count_call(ibfmr->device, FAKEDEV_DEALLOC_FMR);
	if (!ret)
		kfree(to_fakedev_fmr(ibfmr));
	return ret;
}

static int fake_query_device(struct ib_device *device, struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	attr->max_qp = 1024;
	attr->max_qp_wr = FAKEDEV_QUEUE;
	attr->max_send_sge = 8;
	attr->max_recv_sge = 8;
	attr->max_sge_rd = 1;
	attr->max_srq = 1024;
	attr->max_srq_wr = FAKEDEV_QUEUE;
	attr->max_srq_sge = 8;
	attr->max_cq = 1024;
	attr->max_cqe = 4096;
	attr->max_mr = 1024;
	attr->max_pd = 1024;
	attr->max_fast_reg_page_list_len = 256;
	attr->max_pi_fast_reg_page_list_len = 64;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	return fakedev_count_call(device, FAKEDEV_QUERY_DEVICE);
}

static bool is_roce(const struct fakedev *fd)
{
	return fd->caps & (RDMA_CORE_CAP_PROT_ROCE | RDMA_CORE_CAP_PROT_ROCE_UDP_ENCAP);
}

static int gid_tbl_len(const struct fakedev *fd)
{
	return is_roce(fd) ? FAKEDEV_ROCE_GIDS : max(fd->nr_gids, 1);
}

static int fake_query_port(struct ib_device *device, u32 port, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = IB_MTU_4096;
	attr->gid_tbl_len = gid_tbl_len(to_fakedev(device));
	attr->pkey_tbl_len = 1;
	return 0;
}

static int get_port_immutable(struct ib_device *device, u32 port,
			      struct ib_port_immutable *immutable)
{
	const struct fakedev *fd = to_fakedev(device);

	immutable->gid_tbl_len = gid_tbl_len(fd);
	immutable->core_cap_flags = fd->caps;
	if (device->node_type == RDMA_NODE_RNIC)
		return 0;
	immutable->pkey_tbl_len = 1;
	immutable->max_mad_size = 256;
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *device, u32 port)
{
	return device->node_type == RDMA_NODE_RNIC || is_roce(to_fakedev(device)) ?
	       IB_LINK_LAYER_ETHERNET : IB_LINK_LAYER_INFINIBAND;
}

static int fake_query_gid(struct ib_device *device, u32 port, int index, union ib_gid *gid)
{
	if (index < to_fakedev(device)->nr_gids)
		*gid = fakedev_gid(port, index);
	return 0;
}

static int add_gid(const struct ib_gid_attr *attr, void **context)
{
	atomic_inc(&to_fakedev(attr->device)->gids_held);
	return 0;
}

static int del_gid(const struct ib_gid_attr *attr, void **context)
{
	atomic_dec(&to_fakedev(attr->device)->gids_held);
	return 0;
}

static const struct ib_device_ops fakedev_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,

	.add_gid = add_gid,
	.alloc_fmr = fake_alloc_fmr,
	.alloc_mr = fake_alloc_mr,
	.alloc_mr_integrity = fake_alloc_mr_integrity,
	.alloc_mw = fake_alloc_mw,
	.alloc_pd = alloc_pd,
	.alloc_xrcd = alloc_xrcd,
	.attach_mcast = fake_attach_mcast,
	.check_mr_status = fake_check_mr_status,
	.create_ah = create_ah,
	.create_cq = fakedev_create_cq,
	.create_qp = fake_create_qp,
	.create_srq = fake_create_srq,
	.create_user_ah = create_user_ah,
	.dealloc_fmr = fake_dealloc_fmr,
	.dealloc_mw = fake_dealloc_mw,
	.dealloc_pd = dealloc_pd,
	.dealloc_xrcd = dealloc_xrcd,
	.del_gid = del_gid,
	.dereg_mr = fake_dereg_mr,
	.destroy_ah = destroy_ah,
	.destroy_cq = fakedev_destroy_cq,
	.destroy_qp = fake_destroy_qp,
	.destroy_srq = fake_destroy_srq,
	.detach_mcast = fake_detach_mcast,
	.get_dma_mr = fake_get_dma_mr,
	.get_link_layer = get_link_layer,
	.get_port_immutable = get_port_immutable,
	.map_mr_sg = fake_map_mr_sg,
	.map_mr_sg_pi = fake_map_mr_sg_pi,
	.map_phys_fmr = fake_map_phys_fmr,
	.modify_ah = modify_ah,
	.modify_cq = modify_cq,
	.modify_qp = fake_modify_qp,
	.modify_srq = fake_modify_srq,
	.peek_cq = peek_cq,
	.poll_cq = poll_cq,
	.post_recv = fake_post_recv,
	.post_send = fake_post_send,
	.post_srq_recv = fake_post_srq_recv,
	.query_ah = query_ah,
	.query_device = fake_query_device,
	.query_gid = fake_query_gid,
	.query_port = fake_query_port,
	.query_qp = fake_query_qp,
	.query_srq = fake_query_srq,
	.reg_user_mr = fake_reg_user_mr,
	.req_ncomp_notif = req_ncomp_notif,
	.req_notify_cq = req_notify_cq,
	.rereg_user_mr = fake_rereg_user_mr,
	.resize_cq = fakedev_resize_cq,
	.unmap_fmr = fake_unmap_fmr,

	INIT_RDMA_OBJ_SIZE(ib_ah, fakedev_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, fakedev_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_mw, fakedev_mw, ibmw),
	INIT_RDMA_OBJ_SIZE(ib_pd, fakedev_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, fakedev_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, fakedev_srq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, fakedev_xrcd, ibxrcd),
};

static int add_platform_device(struct fakedev *fd)
{
	struct platform_device *platform;

	platform = platform_device_register_simple("krdma-fake", PLATFORM_DEVID_AUTO, NULL, 0);
	if (IS_ERR(platform))
		return PTR_ERR(platform);
	fd->platform = platform;
	return dma_coerce_mask_and_coherent(&platform->dev, DMA_BIT_MASK(64));
}

struct fakedev *fakedev_create(const struct fakedev_config *config)
{
	static const struct fakedev_config plain;
	const struct ib_device_ops * const *own;
	struct fakedev *fd;
	int ret = 0;

	config = config ?: &plain;
	fd = ib_alloc_device(fakedev, ibdev);
	if (!fd)
		return ERR_PTR(-ENOMEM);
	/* The first of two operations stays. */
	for (own = config->own_ops; own && *own; own++)
		ib_set_device_ops(&fd->ibdev, *own);
	if (config->more_ops)
		ib_set_device_ops(&fd->ibdev, config->more_ops);
	ib_set_device_ops(&fd->ibdev, &fakedev_ops);
	fd->private = config->private;
	fd->ibdev.driver_def = config->driver_def;
	fd->ibdev.node_type = config->node_type ?: RDMA_NODE_RNIC;
	fd->ibdev.is_switch = config->node_type == RDMA_NODE_IB_SWITCH;
	fd->ibdev.phys_port_cnt = config->nr_ports ?: 1;
	fd->ibdev.num_comp_vectors = config->vectors ?: 4;
	fd->ibdev.local_dma_lkey = 0xd3ad;
	fd->nr_gids = config->nr_gids;
	fd->caps = config->caps ?: fd->ibdev.node_type == RDMA_NODE_RNIC ? RDMA_CORE_PORT_IWARP :
								       RDMA_CORE_PORT_IBA_IB;

	if (config->real_dma)
		ret = add_platform_device(fd);
	if (!ret && config->ndev)
		ret = ib_device_set_netdev(&fd->ibdev, config->ndev, 1);
	if (!ret)
		ret = ib_register_device(&fd->ibdev, config->name ?: "fake%d",
					 fd->platform ? &fd->platform->dev : NULL);
	if (ret) {
		platform_device_unregister(fd->platform);
		ib_dealloc_device(&fd->ibdev);
		return ERR_PTR(ret);
	}
	return fd;
}
EXPORT_SYMBOL(fakedev_create);

void fakedev_destroy(struct fakedev *fd)
{
	struct platform_device *platform = fd->platform;

	ib_unregister_device(&fd->ibdev);
	ib_dealloc_device(&fd->ibdev);
	platform_device_unregister(platform);
}
EXPORT_SYMBOL(fakedev_destroy);
