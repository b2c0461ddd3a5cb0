// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * QP 0 and QP 1 of a port: receives that are kept posted, and a bounded queue of sends.
 *
 * For each response that is awaited there is a receive, and there are some for requests: a burst
 * that takes half of them doubles their number, and when bursts have been small for a while, half
 * of them are not posted again. The CQ is made larger when it lacks room for their completions.
 *
 * An error of a send moves the QP to SQE, in which the sends behind it are flushed; the QP goes
 * back to RTS, and what was flushed is sent again.
 */
#include "mad/qp.h"

#include <linux/delay.h>
#include <rdma/ib_mad.h>

#include "mad/port.h"
#include "mad/recvbuf.h"

enum {
	FLUSHED_MAX = 3,	/* times that a send is posted again after a flush */
	QUIET_MAX = 64,		/* small bursts before the number of receives is halved */
	CLOSE_MS = 1000,	/* time that a device has to flush a QP */
	REFILL_MS = 100,	/* time until receives that could not be posted are tried again */
};

/* Many ports may ask the one that has the SA, but an SM has few SMPs under way. */
const struct mad_qp_size mad_qp_sizes[2] = {
	{ .min = 8, .max = 256 },
	{ .min = 32, .max = 512 },
};

static struct ib_device *device_of(const struct mad_qp *qp)
{
	return qp->pd->device;
}

/* Maps the parts of a send for the device. */
static int map_parts(struct mad_qp *qp, struct mad_wr *wr)
{
	struct ib_device *dev = device_of(qp);
	int i;

	for (i = 0; i < MAD_QP_PARTS && wr->part[i]; i++) {
		wr->sge[i].addr = ib_dma_map_single(dev, wr->part[i], wr->length[i], DMA_TO_DEVICE);
		if (ib_dma_mapping_error(dev, wr->sge[i].addr))
			break;
		wr->sge[i].length = wr->length[i];
		wr->sge[i].lkey = qp->pd->local_dma_lkey;
	}
	wr->ud.wr.num_sge = i;
	if (i == MAD_QP_PARTS || !wr->part[i])
		return 0;
	while (i--)
		ib_dma_unmap_single(dev, wr->sge[i].addr, wr->sge[i].length, DMA_TO_DEVICE);
	return -EIO;
}

static void unmap_parts(struct mad_qp *qp, struct mad_wr *wr)
{
	int i;

	for (i = 0; i < wr->ud.wr.num_sge; i++)
		ib_dma_unmap_single(device_of(qp), wr->sge[i].addr, wr->sge[i].length,
				    DMA_TO_DEVICE);
}

/* Posts a send, if there is room; otherwise adds it to the overflow. */
static int post_or_queue(struct mad_qp *qp, struct mad_wr *wr)
{
	int ret;

	lockdep_assert_held(&qp->lock);
	if (qp->nr_sends >= qp->max_sends) {
		list_add_tail(&wr->entry, &qp->overflow);
		return 0;
	}
	ret = ib_post_send(qp->ibqp, &wr->ud.wr, NULL);
	if (ret)
		return ret;
	list_add_tail(&wr->entry, &qp->sends);
	qp->nr_sends++;
	return 0;
}

/*
 * Takes sends from the overflow until the QP is full, after a send has completed. Sends that cannot
 * be posted, all of them if the QP is closed, are moved to @failed.
 */
static void refill(struct mad_qp *qp, struct list_head *failed)
{
	struct mad_wr *wr;

	lockdep_assert_held(&qp->lock);
	while (!list_empty(&qp->overflow) && qp->nr_sends < qp->max_sends) {
		wr = list_first_entry(&qp->overflow, struct mad_wr, entry);
		list_del(&wr->entry);
		if (!qp->open || post_or_queue(qp, wr))
			list_add_tail(&wr->entry, failed);
	}
}

/* Returns the status of a send that is not posted. Flushed is what ends because the port goes. */
static enum ib_wc_status unposted_status(const struct mad_qp *qp)
{
	return READ_ONCE(qp->open) ? IB_WC_LOC_QP_OP_ERR : IB_WC_WR_FLUSH_ERR;
}

/* Completes sends that are not posted. */
static void fail_sends(struct mad_qp *qp, struct list_head *wrs)
{
	enum ib_wc_status status = unposted_status(qp);
	struct mad_wr *wr, *next;

	list_for_each_entry_safe(wr, next, wrs, entry) {
		unmap_parts(qp, wr);
		wr->done(wr, status, 0);
	}
}

/* Moves the QP from SQE to RTS. If that fails, later sends fail as well, and report it. */
static void recover(struct mad_qp *qp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS,
		.cur_qp_state = IB_QPS_SQE,
	};

	ib_modify_qp(qp->ibqp, &attr, IB_QP_STATE | IB_QP_CUR_STATE);
}

static void send_completed(struct ib_cq *cq, struct ib_wc *wc)
{
	struct mad_wr *wr = container_of(wc->wr_cqe, struct mad_wr, cqe);
	bool was_flushed = wc->status == IB_WC_WR_FLUSH_ERR;
	struct mad_qp *qp = wr->qp;
	LIST_HEAD(failed);
	bool again;

	if (wc->status != IB_WC_SUCCESS && !was_flushed && READ_ONCE(qp->open))
		recover(qp);
	spin_lock_irq(&qp->lock);
	list_del(&wr->entry);
	qp->nr_sends--;
	again = qp->open && was_flushed && wr->flushed++ < FLUSHED_MAX && !post_or_queue(qp, wr);
	refill(qp, &failed);
	spin_unlock_irq(&qp->lock);
	if (!again) {
		unmap_parts(qp, wr);
		wr->done(wr, was_flushed ? unposted_status(qp) : wc->status, wc->vendor_err);
	}
	fail_sends(qp, &failed);
}

int mad_qp_send(struct mad_qp *qp, struct mad_wr *wr)
{
	unsigned long flags;
	int ret = -ENODEV;

	wr->qp = qp;
	wr->flushed = 0;
	wr->cqe.done = send_completed;
	wr->ud.wr.wr_cqe = &wr->cqe;
	wr->ud.wr.next = NULL;
	wr->ud.wr.opcode = IB_WR_SEND;
	wr->ud.wr.send_flags = IB_SEND_SIGNALED;
	wr->ud.wr.sg_list = wr->sge;
	spin_lock_irqsave(&qp->lock, flags);
	if (qp->open) {
		ret = map_parts(qp, wr);
		if (!ret) {
			ret = post_or_queue(qp, wr);
			if (ret)
				unmap_parts(qp, wr);
		}
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	return ret;
}

bool mad_qp_withdraw(struct mad_qp *qp, struct mad_wr *wr)
{
	bool found = false;
	unsigned long flags;
	struct mad_wr *at;

	spin_lock_irqsave(&qp->lock, flags);
	list_for_each_entry(at, &qp->overflow, entry) {
		if (at != wr)
			continue;
		list_del(&wr->entry);
		unmap_parts(qp, wr);
		found = true;
		break;
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	return found;
}

static void unmap_recv(struct mad_qp *qp, struct mad_recv *recv)
{
	ib_dma_unmap_single(device_of(qp), recv->dma, sizeof(recv->data), DMA_FROM_DEVICE);
}

static void recv_completed(struct ib_cq *cq, struct ib_wc *wc);

/* Posts a receive, if the CQ has room for its completion. Returns whether that was possible. */
static bool post_recv(struct mad_qp *qp, gfp_t gfp)
{
	struct ib_sge sge = {
		.length = sizeof_field(struct mad_recv, data),
		.lkey = qp->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = { .sg_list = &sge, .num_sge = 1 };
	struct mad_recv *recv;
	unsigned long flags;
	int ret = -ENODEV;

	if (atomic_dec_if_positive(&qp->port->room) < 0)
		return false;
	recv = mad_recv_alloc(qp, gfp);
	if (!recv)
		goto err_room;
	recv->cqe.done = recv_completed;
	recv->dma = ib_dma_map_single(device_of(qp), &recv->data, sizeof(recv->data),
				      DMA_FROM_DEVICE);
	if (ib_dma_mapping_error(device_of(qp), recv->dma))
		goto err_free;
	sge.addr = recv->dma;
	wr.wr_cqe = &recv->cqe;
	spin_lock_irqsave(&qp->lock, flags);
	if (qp->open)
		ret = ib_post_recv(qp->ibqp, &wr, NULL);
	if (!ret) {
		list_add_tail(&recv->entry, &qp->recvs);
		qp->nr_recvs++;
	}
	spin_unlock_irqrestore(&qp->lock, flags);
	if (!ret)
		return true;
	unmap_recv(qp, recv);
err_free:
	ib_free_recv_mad(&recv->info);
err_room:
	atomic_inc(&qp->port->room);
	return false;
}

/* Returns how many receives are to be posted: some for requests, and one for each response. */
static u32 wanted_recvs(const struct mad_qp *qp)
{
	return min(READ_ONCE(qp->target) + READ_ONCE(qp->expected), qp->max_recvs);
}

/* Makes the CQ twice as large, but not larger than both QPs can need. Returns whether it grew. */
static bool grow_cq(struct mad_port *port)
{
	const struct mad_qp *q = port->qps;
	const u32 most = q[0].max_sends + q[0].max_recvs + q[1].max_sends + q[1].max_recvs;
	const int old = port->cq->cqe;

	lockdep_assert_held(&port->serial);
	if (old >= most || ib_resize_cq(port->cq, min_t(u32, 2 * old, most)))
		return false;
	atomic_add(port->cq->cqe - old, &port->room);
	return true;
}

void mad_qp_fill(struct mad_qp *qp)
{
	while (READ_ONCE(qp->open) && READ_ONCE(qp->nr_recvs) < wanted_recvs(qp)) {
		if (post_recv(qp, GFP_KERNEL))
			continue;
		if (!atomic_read(&qp->port->room) && grow_cq(qp->port))
			continue;
		queue_delayed_work(mad_wq, &qp->port->refill, msecs_to_jiffies(REFILL_MS));
		return;
	}
}

void mad_qp_expect(struct mad_qp *qp)
{
	unsigned long flags;
	bool lacks;

	spin_lock_irqsave(&qp->lock, flags);
	WRITE_ONCE(qp->expected, qp->expected + 1);
	lacks = qp->open && qp->nr_recvs < wanted_recvs(qp);
	spin_unlock_irqrestore(&qp->lock, flags);
	if (!lacks || post_recv(qp, GFP_ATOMIC | __GFP_NOWARN))
		return;
	/* The work item can make the CQ larger. It is not queued any more when the QP is closed. */
	spin_lock_irqsave(&qp->lock, flags);
	if (qp->open)
		mod_delayed_work(mad_wq, &qp->port->refill, 0);
	spin_unlock_irqrestore(&qp->lock, flags);
}

void mad_qp_unexpect(struct mad_qp *qp)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	WRITE_ONCE(qp->expected, qp->expected - 1);
	spin_unlock_irqrestore(&qp->lock, flags);
}

void mad_qp_answered(struct mad_qp *qp)
{
	lockdep_assert_held(&qp->port->serial);
	qp->burst--;
}

static void recv_completed(struct ib_cq *cq, struct ib_wc *wc)
{
	struct mad_recv *recv = container_of(wc->wr_cqe, struct mad_recv, cqe);
	struct mad_qp *qp = recv->qp;

	unmap_recv(qp, recv);
	spin_lock_irq(&qp->lock);
	list_del(&recv->entry);
	qp->nr_recvs--;
	spin_unlock_irq(&qp->lock);
	atomic_inc(&qp->port->room);
	qp->burst++;
	mad_qp_fill(qp);
	if (wc->status != IB_WC_SUCCESS) {
		ib_free_recv_mad(&recv->info);
		return;
	}
	recv->wc = *wc;
	qp->receive(recv);
}

void mad_qp_idle(struct mad_qp *qp)
{
	if (!qp->ibqp || !qp->burst)
		return;
	if (qp->burst >= qp->target / 2) {
		WRITE_ONCE(qp->target, min(2 * qp->target, qp->max_recvs));
		qp->quiet = 0;
		mad_qp_fill(qp);
	} else if (qp->burst < qp->target / 8 && ++qp->quiet >= QUIET_MAX) {
		WRITE_ONCE(qp->target, max(qp->target / 2, qp->min_recvs));
		qp->quiet = 0;
	}
	qp->burst = 0;
}

static int to_rts(struct ib_qp *ibqp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT,
		.qkey = ibqp->qp_type == IB_QPT_GSI ? IB_QP1_QKEY : 0,
	};
	int ret;

	ret = ib_modify_qp(ibqp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX | IB_QP_QKEY);
	if (ret)
		return ret;
	attr.qp_state = IB_QPS_RTR;
	ret = ib_modify_qp(ibqp, &attr, IB_QP_STATE);
	if (ret)
		return ret;
	attr.qp_state = IB_QPS_RTS;
	return ib_modify_qp(ibqp, &attr, IB_QP_STATE | IB_QP_SQ_PSN);
}

int mad_qp_open(struct mad_qp *qp, struct mad_port *port, enum ib_qp_type type, u32 share)
{
	u32 most = port->device->attrs.max_qp_wr > 0 ? port->device->attrs.max_qp_wr : U32_MAX;
	struct ib_qp_init_attr attr = {
		.send_cq = port->cq,
		.recv_cq = port->cq,
		.qp_type = type,
		.port_num = port->num,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.cap.max_send_sge = MAD_QP_PARTS,
		.cap.max_recv_sge = 1,
	};
	const struct mad_qp_size *size = &mad_qp_sizes[type == IB_QPT_GSI];
	struct ib_qp *ibqp;
	int ret;

	spin_lock_init(&qp->lock);
	INIT_LIST_HEAD(&qp->recvs);
	INIT_LIST_HEAD(&qp->sends);
	INIT_LIST_HEAD(&qp->overflow);
	qp->pd = port->pd;
	qp->port = port;
	qp->max_sends = min3((u32)MAD_QP_SENDS, most, share / 2);
	qp->max_recvs = min3(size->max, most, share - qp->max_sends);
	qp->min_recvs = min(size->min, qp->max_recvs);
	qp->target = qp->min_recvs;
	atomic_sub(qp->max_sends, &port->room);
	attr.cap.max_send_wr = qp->max_sends;
	attr.cap.max_recv_wr = qp->max_recvs;
	ibqp = ib_create_qp(port->pd, &attr);
	if (IS_ERR(ibqp))
		return PTR_ERR(ibqp);
	ret = to_rts(ibqp);
	if (ret) {
		WARN_ON_ONCE(ib_destroy_qp(ibqp));
		return ret;
	}
	qp->ibqp = ibqp;
	qp->open = true;
	mad_qp_fill(qp);
	return 0;
}

/* Returns whether the device has given everything back. */
static bool is_flushed(struct mad_qp *qp)
{
	bool flushed;

	spin_lock_irq(&qp->lock);
	flushed = !qp->nr_sends && !qp->nr_recvs;
	spin_unlock_irq(&qp->lock);
	return flushed;
}

void mad_qp_close(struct mad_qp *qp)
{
	unsigned long end = jiffies + msecs_to_jiffies(CLOSE_MS);
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	if (!qp->ibqp)
		return;
	spin_lock_irq(&qp->lock);
	qp->open = false;
	spin_unlock_irq(&qp->lock);
	if (!ib_modify_qp(qp->ibqp, &attr, IB_QP_STATE))
		while (!is_flushed(qp) && time_before(jiffies, end))
			usleep_range(500, 1000);
}

void mad_qp_destroy(struct mad_qp *qp)
{
	if (!qp->ibqp)
		return;
	WARN_ON_ONCE(ib_destroy_qp(qp->ibqp));
	qp->ibqp = NULL;
}

void mad_qp_end(struct mad_qp *qp)
{
	struct mad_recv *recv, *next;
	LIST_HEAD(left);

	if (!qp->pd)
		return;
	spin_lock_irq(&qp->lock);
	list_splice_init(&qp->sends, &left);
	list_splice_tail_init(&qp->overflow, &left);
	qp->nr_sends = 0;
	spin_unlock_irq(&qp->lock);
	fail_sends(qp, &left);
	list_for_each_entry_safe(recv, next, &qp->recvs, entry) {
		unmap_recv(qp, recv);
		ib_free_recv_mad(&recv->info);
	}
	INIT_LIST_HEAD(&qp->recvs);
}
