// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The sending end: executes the requests of a QP, and flushes them.
 */
#include "internal.h"

#define PSN_MASK	0xffffff

static bool is_atomic(const struct memdev_wqe *wqe)
{
	return wqe->wr.opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       wqe->wr.opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
}

static bool writes_locally(const struct memdev_wqe *wqe)
{
	return wqe->wr.opcode == IB_WR_RDMA_READ || is_atomic(wqe);
}

static bool is_local(const struct memdev_wqe *wqe)
{
	return wqe->wr.opcode == IB_WR_LOCAL_INV || wqe->wr.opcode == IB_WR_REG_MR ||
	       wqe->wr.opcode == IB_WR_BIND_MW || wqe->wr.opcode == IB_WR_REG_MR_INTEGRITY;
}

/* The operations that completions report. */
static const u8 completed_as[] = {
	[IB_WR_SEND] = IB_WC_SEND,
	[IB_WR_SEND_WITH_IMM] = IB_WC_SEND,
	[IB_WR_SEND_WITH_INV] = IB_WC_SEND,
	[IB_WR_RDMA_WRITE] = IB_WC_RDMA_WRITE,
	[IB_WR_RDMA_WRITE_WITH_IMM] = IB_WC_RDMA_WRITE,
	[IB_WR_RDMA_READ] = IB_WC_RDMA_READ,
	[IB_WR_ATOMIC_CMP_AND_SWP] = IB_WC_COMP_SWAP,
	[IB_WR_ATOMIC_FETCH_AND_ADD] = IB_WC_FETCH_ADD,
	[IB_WR_LOCAL_INV] = IB_WC_LOCAL_INV,
	[IB_WR_REG_MR] = IB_WC_REG_MR,
	[IB_WR_BIND_MW] = IB_WC_BIND_MW,
	[IB_WR_REG_MR_INTEGRITY] = IB_WC_REG_MR,
};

/* Finds the other end of a connection, if that is connected to this end. */
static struct memdev_qp *find_peer(struct memdev_qp *qp)
{
	enum ib_qp_type type = qp->ibqp.qp_type == IB_QPT_XRC_INI ? IB_QPT_XRC_TGT :
								    qp->ibqp.qp_type;
	struct memdev_port there, back;
	struct memdev_qp *peer;

	if (!memdev_find_port(qp, &qp->attr.ah_attr, &there))
		return NULL;
	peer = memdev_find_qp(&there, qp->attr.dest_qp_num);
	if (!peer || peer->ibqp.qp_type != type || peer->attr.dest_qp_num != qp->ibqp.qp_num)
		return NULL;
	if (!memdev_find_port(peer, &peer->attr.ah_attr, &back) ||
	    back.dev != to_memdev(qp->ibqp.device) || back.num != qp->attr.port_num)
		return NULL;
	return peer;
}

/* Executes a request. Returns its status, or why it has none yet. */
static int execute(struct memdev_qp *qp, struct memdev_wqe *wqe)
{
	struct ib_pd *pd = qp->ibqp.pd;
	struct memdev_span data;
	struct memdev_qp *peer;
	bool done;

	if (is_local(wqe)) {
		if (wqe->wr.opcode == IB_WR_LOCAL_INV)
			done = memdev_invalidate(qp, pd, wqe->wr.ex.invalidate_rkey);
		else if (wqe->wr.opcode == IB_WR_BIND_MW)
			done = memdev_bind(qp, wqe);
		else
			done = memdev_register(pd, wqe);
		return done ? IB_WC_SUCCESS : IB_WC_MW_BIND_ERR;
	}
	if (wqe->wr.send_flags & IB_SEND_INLINE)
		memdev_span_kernel(&data, wqe->inline_data, wqe->length);
	else if (memdev_span_local(&data, pd, wqe->sge, wqe->wr.num_sge,
				   writes_locally(wqe) ? IB_ACCESS_LOCAL_WRITE : 0))
		return IB_WC_LOC_PROT_ERR;
	if (wqe->length > MEMDEV_MAX_MSG || (is_atomic(wqe) && wqe->length != sizeof(u64)))
		return IB_WC_LOC_LEN_ERR;
	if (memdev_is_datagram(qp))
		return memdev_send_datagram(qp, wqe, &data);
	if (writes_locally(wqe) && !qp->attr.max_rd_atomic)
		return IB_WC_LOC_QP_OP_ERR;
	peer = find_peer(qp);
	return peer ? memdev_respond(peer, qp, wqe, &data) : MEMDEV_LOST;
}

/*
 * Returns the time until a request is executed again: for a peer that does not answer, the QP's
 * timeout, otherwise the time for which a peer that has no receive request asks us to wait.
 */
static unsigned long delay_of(struct memdev_qp *qp, bool lost)
{
	struct memdev_qp *peer;
	u32 code, us;

	if (lost)
		return qp->attr.timeout ? nsecs_to_jiffies(4096ULL << qp->attr.timeout) + 1 : 0;
	peer = find_peer(qp);
	code = peer ? peer->attr.min_rnr_timer : 1;
	if (code < 2)
		us = code ? 10 : 655360;
	else
		us = (code % 2 ? 15 : 10) << (code / 2);
	return usecs_to_jiffies(us) + 1;
}

/*
 * Has a request executed again later, if it may be. Otherwise returns false, and the final status.
 */
static bool try_again(struct memdev_qp *qp, int *status)
{
	bool lost = *status == MEMDEV_LOST;

	if (*status >= 0)
		return false;
	if (!memdev_is_reliable(qp)) {
		*status = IB_WC_SUCCESS;
		return false;
	}
	if (lost ? qp->tries == qp->attr.retry_cnt :
		   qp->attr.rnr_retry < 7 && qp->rnr_tries == qp->attr.rnr_retry) {
		*status = lost ? IB_WC_RETRY_EXC_ERR : IB_WC_RNR_RETRY_EXC_ERR;
		return false;
	}
	qp->started = true;
	if (lost)
		qp->tries++;
	else
		qp->rnr_tries++;
	memdev_wait(qp, delay_of(qp, lost));
	return true;
}

/* Completes the first request, which is removed from the queue. */
static void finish(struct memdev_qp *qp, enum ib_wc_status status)
{
	struct memdev_wqe *wqe = memdev_take(&qp->sq);
	struct ib_wc wc = {
		.wr_id = wqe->wr.wr_id,
		.status = status,
		.opcode = completed_as[wqe->wr.opcode],
		.byte_len = wqe->length,
		.qp = &qp->ibqp,
		.port_num = qp->attr.port_num,
	};

	if (status != IB_WC_SUCCESS || qp->init_attr.sq_sig_type == IB_SIGNAL_ALL_WR ||
	    (wqe->wr.send_flags & IB_SEND_SIGNALED))
		memdev_complete(qp, qp->ibqp.send_cq, &wc, false);
	memdev_free_wqe(wqe);
}

static void run_first(struct memdev_qp *qp, struct memdev_wqe *wqe)
{
	u32 packets = 0;
	int status;

	status = execute(qp, wqe);
	if (try_again(qp, &status))
		return;
	if (!memdev_is_datagram(qp) && !is_local(wqe))
		packets = memdev_packets(qp, wqe->length);
	qp->started = false;
	qp->tries = 0;
	qp->rnr_tries = 0;
	qp->attr.sq_psn = (qp->attr.sq_psn + packets) & PSN_MASK;
	finish(qp, status);
	/* A QP that is connected to itself may have failed as a responder. */
	if (status == IB_WC_SUCCESS || qp->attr.qp_state == IB_QPS_ERR)
		return;
	if (memdev_is_reliable(qp))
		memdev_enter_error(qp);
	else
		memdev_set_state(qp, IB_QPS_SQE);
}

static void flush_receives(struct memdev_qp *qp)
{
	struct ib_wc wc = {
		.status = IB_WC_WR_FLUSH_ERR,
		.opcode = IB_WC_RECV,
		.qp = &qp->ibqp,
	};
	struct memdev_wqe *wqe;

	while ((wqe = memdev_take(&qp->rq))) {
		wc.wr_id = wqe->wr.wr_id;
		memdev_free_wqe(wqe);
		memdev_complete(qp, qp->ibqp.recv_cq, &wc, false);
	}
}

void memdev_run(struct memdev_qp *qp)
{
	struct memdev_wqe *wqe = memdev_first(&qp->sq);

	switch (qp->attr.qp_state) {
	case IB_QPS_RTS:
		if (wqe)
			run_first(qp, wqe);
		break;
	case IB_QPS_SQD:
		if (wqe && qp->started)
			run_first(qp, wqe);
		if (qp->started)
			return;
		if (qp->attr.en_sqd_async_notify && !qp->drained)
			memdev_qp_event(qp, IB_EVENT_SQ_DRAINED);
		qp->drained = true;
		return;
	case IB_QPS_ERR:
		flush_receives(qp);
		fallthrough;
	case IB_QPS_SQE:
		while (memdev_first(&qp->sq))
			finish(qp, IB_WC_WR_FLUSH_ERR);
		return;
	default:
		return;
	}
	spin_lock_irq(&memdev_fabric.lock);
	if (!list_empty(&qp->sq.requests))
		memdev_schedule(qp);
	spin_unlock_irq(&memdev_fabric.lock);
}
