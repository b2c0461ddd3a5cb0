// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The receiving end of a connection. An error of a message ends the connection, except that an
 * unreliable one drops messages that it can drop without having taken a receive request.
 */
#include "internal.h"

#define PSN_MASK	0xffffff

/* A message. */
struct message {
	struct memdev_qp *to;
	const struct memdev_wqe *wqe;
	struct memdev_span *data;	/* memory of the sender */
	struct ib_srq *xrc_srq;
	struct ib_pd *pd;		/* of the R_Keys */
};

u32 memdev_packets(const struct memdev_qp *qp, u64 length)
{
	return max_t(u32, DIV_ROUND_UP(length, ib_mtu_enum_to_int(qp->attr.path_mtu)), 1);
}

/* @status: IB_WC_REM_INV_REQ_ERR or IB_WC_REM_ACCESS_ERR */
static int refuse(const struct message *m, enum ib_wc_status status)
{
	if (!memdev_is_reliable(m->to))
		return IB_WC_SUCCESS;
	memdev_enter_error(m->to);
	memdev_qp_event(m->to, status == IB_WC_REM_ACCESS_ERR ? IB_EVENT_QP_ACCESS_ERR :
								IB_EVENT_QP_REQ_ERR);
	return status;
}

/* Completes a receive request with an error. Returns the status of the sender's request. */
static int fail_receive(const struct message *m, struct memdev_receive *recv,
			enum ib_wc_status status, enum ib_wc_status of_sender)
{
	struct ib_wc wc = { .status = status, .opcode = IB_WC_RECV };

	memdev_end_receive(m->to, recv, &wc, false);
	memdev_enter_error(m->to);
	return memdev_is_reliable(m->to) ? of_sender : IB_WC_SUCCESS;
}

static void complete_receive(const struct message *m, struct memdev_receive *recv,
			     enum ib_wc_opcode opcode)
{
	const struct ib_send_wr *wr = &m->wqe->wr;
	struct ib_wc wc = {
		.opcode = opcode,
		.byte_len = m->wqe->length,
		.src_qp = m->to->attr.dest_qp_num,
		.port_num = m->to->attr.port_num,
	};

	if (wr->opcode == IB_WR_SEND_WITH_INV) {
		wc.wc_flags = IB_WC_WITH_INVALIDATE;
		wc.ex.invalidate_rkey = wr->ex.invalidate_rkey;
	} else if (wr->opcode != IB_WR_SEND) {
		wc.wc_flags = IB_WC_WITH_IMM;
		wc.ex.imm_data = wr->ex.imm_data;
	}
	memdev_end_receive(m->to, recv, &wc, wr->send_flags & IB_SEND_SOLICITED);
}

static int receive_send(const struct message *m)
{
	const struct ib_send_wr *wr = &m->wqe->wr;
	struct memdev_receive recv;
	struct memdev_span to;

	if (!memdev_get_receive(m->to, m->xrc_srq, &recv))
		return MEMDEV_NOT_READY;
	if (memdev_span_local(&to, recv.pd, recv.wqe->sge, recv.wqe->wr.num_sge,
			      IB_ACCESS_LOCAL_WRITE))
		return fail_receive(m, &recv, IB_WC_LOC_PROT_ERR, IB_WC_REM_OP_ERR);
	if (m->data->length > to.length) {
		if (memdev_is_reliable(m->to) || recv.srq)
			return fail_receive(m, &recv, IB_WC_LOC_LEN_ERR, IB_WC_REM_INV_REQ_ERR);
		memdev_return_receive(&recv);
		return IB_WC_SUCCESS;
	}
	if (wr->opcode == IB_WR_SEND_WITH_INV &&
	    !memdev_invalidate(m->to, m->pd, wr->ex.invalidate_rkey))
		return fail_receive(m, &recv, IB_WC_REM_INV_REQ_ERR, IB_WC_REM_OP_ERR);
	memdev_copy(&to, m->data, m->data->length);
	complete_receive(m, &recv, IB_WC_RECV);
	return IB_WC_SUCCESS;
}

static int receive_write(const struct message *m)
{
	const struct memdev_wqe *wqe = m->wqe;
	struct memdev_receive recv;
	struct memdev_span to;

	if (!(m->to->attr.qp_access_flags & IB_ACCESS_REMOTE_WRITE))
		return refuse(m, IB_WC_REM_INV_REQ_ERR);
	if (memdev_span_remote(&to, m->to, m->pd, wqe->remote_addr, wqe->length, wqe->rkey,
			       IB_ACCESS_REMOTE_WRITE))
		return refuse(m, IB_WC_REM_ACCESS_ERR);
	if (wqe->wr.opcode == IB_WR_RDMA_WRITE_WITH_IMM &&
	    !memdev_get_receive(m->to, m->xrc_srq, &recv))
		return MEMDEV_NOT_READY;
	memdev_copy(&to, m->data, wqe->length);
	if (wqe->wr.opcode == IB_WR_RDMA_WRITE_WITH_IMM)
		complete_receive(m, &recv, IB_WC_RECV_RDMA_WITH_IMM);
	return IB_WC_SUCCESS;
}

/* Answers an RDMA Read or an atomic operation. */
static int receive_read(const struct message *m)
{
	const struct memdev_wqe *wqe = m->wqe;
	bool read = wqe->wr.opcode == IB_WR_RDMA_READ;
	int access = read ? IB_ACCESS_REMOTE_READ : IB_ACCESS_REMOTE_ATOMIC;
	struct memdev_span from, to, old_value, new_value;
	u64 old, value;

	if (!(m->to->attr.qp_access_flags & access) || !m->to->attr.max_dest_rd_atomic ||
	    (!read && wqe->remote_addr % sizeof(u64)))
		return refuse(m, IB_WC_REM_INV_REQ_ERR);
	if (memdev_span_remote(&from, m->to, m->pd, wqe->remote_addr,
			       read ? wqe->length : sizeof(u64), wqe->rkey, access))
		return refuse(m, IB_WC_REM_ACCESS_ERR);
	if (read) {
		memdev_copy(m->data, &from, wqe->length);
		return IB_WC_SUCCESS;
	}
	to = from;
	memdev_span_kernel(&old_value, &old, sizeof(old));
	memdev_copy(&old_value, &from, sizeof(old));
	if (wqe->wr.opcode == IB_WR_ATOMIC_FETCH_AND_ADD)
		value = old + wqe->compare_add;
	else
		value = old == wqe->compare_add ? wqe->swap : old;
	memdev_span_kernel(&new_value, &value, sizeof(value));
	memdev_copy(&to, &new_value, sizeof(value));
	memdev_span_kernel(&old_value, &old, sizeof(old));
	memdev_copy(m->data, &old_value, sizeof(old));
	return IB_WC_SUCCESS;
}

int memdev_respond(struct memdev_qp *qp, struct memdev_qp *from, const struct memdev_wqe *wqe,
		   struct memdev_span *data)
{
	struct message m = { .to = qp, .wqe = wqe, .data = data, .pd = qp->ibqp.pd };
	u32 psn = from->attr.sq_psn;
	struct memdev_srq *srq;
	int status;

	/* An unreliable connection accepts the first packet of any message. */
	if (memdev_is_reliable(qp) && psn != qp->attr.rq_psn)
		return MEMDEV_LOST;
	if (qp->attr.qp_state == IB_QPS_RTR && !qp->established)
		memdev_qp_event(qp, IB_EVENT_COMM_EST);
	qp->established = true;
	if (qp->ibqp.qp_type == IB_QPT_XRC_TGT) {
		/* The R_Keys belong to the PD of the SRQ that the message names. */
		srq = xa_load(&to_memdev(qp->ibqp.device)->srqs, wqe->srq_num);
		if (!srq || srq->ibsrq.ext.xrc.xrcd != qp->ibqp.xrcd)
			return refuse(&m, IB_WC_REM_INV_REQ_ERR);
		m.xrc_srq = &srq->ibsrq;
		m.pd = srq->ibsrq.pd;
	}
	switch (wqe->wr.opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
	case IB_WR_SEND_WITH_INV:
		status = receive_send(&m);
		break;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		status = receive_write(&m);
		break;
	default:
		status = receive_read(&m);
	}
	if (status == IB_WC_SUCCESS)
		qp->attr.rq_psn = (psn + memdev_packets(from, wqe->length)) & PSN_MASK;
	return status;
}
