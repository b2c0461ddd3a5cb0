// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends of datagrams. The poster takes the payload together in the buffer of the QP, and brings it
 * to the receiver, or to the queue of management packets. As the receiver of a datagram sends
 * nothing, no send ever runs inside another.
 *
 * A request that fails moves the QP to SQE, in which later ones are flushed. In SQD requests wait.
 */
#include "drivers/sib/send.h"

#include <rdma/ib_mad.h>

#include <linux/slab.h>

#include "drivers/sib/datagram.h"
#include "drivers/sib/hold.h"
#include "drivers/sib/node.h"
#include "drivers/sib/queue.h"
#include "drivers/sib/sib.h"
#include "drivers/sib/stats.h"
#include "soft/rq.h"
#include "soft/sgl.h"
#include "soft/wqe.h"

#define QPN_MASK	0xffffff

/* Requests of a list that are posted while interrupts are off. */
#define SEND_BATCH	16

static void complete_send(struct sib_qp *qp, const struct ib_send_wr *wr,
			  enum ib_wc_status status, u32 length)
{
	struct ib_wc wc = {
		.wr_id = wr->wr_id,
		.status = status,
		.opcode = IB_WC_SEND,
		.byte_len = length,
		.qp = &qp->soft.base,
	};

	lockdep_assert_held(&qp->send_lock);
	if (status != IB_WC_SUCCESS || qp->signal_all || wr->send_flags & IB_SEND_SIGNALED)
		soft_cq_add(to_soft_cq(qp->soft.base.send_cq), &wc, false);
}

/* Takes the payload together. Returns the status of the request. */
static enum ib_wc_status gather(struct sib_qp *qp, const struct ib_send_wr *wr, u32 length)
{
	struct soft_sgl_iter sgl = {};
	int ret;

	if (length > min_t(u32, READ_ONCE(qp->port->mtu), qp->max_len))
		return IB_WC_LOC_LEN_ERR;
	if (wr->send_flags & IB_SEND_INLINE) {
		soft_copy_inline(qp->buf, wr);
		return IB_WC_SUCCESS;
	}
	ret = soft_sgl_iter_init(&sgl, qp->soft.base.pd, wr->sg_list, wr->num_sge, 0);
	if (!ret)
		ret = soft_sgl_iter_copy_out(&sgl, qp->buf, length);
	soft_sgl_iter_exit(&sgl);
	soft_sgl_iter_free(&sgl);
	return ret ? IB_WC_LOC_PROT_ERR : IB_WC_SUCCESS;
}

static void fill_grh(struct sib_packet *p, const struct ib_global_route *route)
{
	p->has_grh = true;
	p->grh = (struct grh) {
		.tclass = route->traffic_class,
		.hop_limit = route->hop_limit,
		.pay_len = BTH_LEN + DETH_LEN + (p->has_imm ? IMMDT_LEN : 0) +
			   ALIGN(p->len, 4) + ICRC_LEN,
		.flow = route->flow_label & GRH_FLOW_MASK,
	};
	memcpy(p->grh.sgid, route->sgid_attr->gid.raw, sizeof(p->grh.sgid));
	memcpy(p->grh.dgid, route->dgid.raw, sizeof(p->grh.dgid));
}

static void fill_packet(struct sib_qp *qp, const struct ib_ud_wr *ud, u32 length,
			struct sib_packet *p)
{
	const struct rdma_ah_attr *ah = &to_sib_ah(ud->ah)->attr;
	u16 pkey_index = qp->type == IB_QPT_GSI ? ud->pkey_index : READ_ONCE(qp->pkey_index);
	bool own_qkey = ud->remote_qkey & IB_QP_SET_QKEY;
	u16 lid = READ_ONCE(qp->port->lid), bits = (1 << READ_ONCE(qp->port->lmc)) - 1;

	*p = (struct sib_packet) {
		.dlid = ah->ib.dlid,
		.slid = lid | (ah->ib.src_path_bits & bits),
		.sl = ah->sl & (SL_COUNT - 1),
		.solicited = ud->wr.send_flags & IB_SEND_SOLICITED,
		.dqpn = ud->remote_qpn & QPN_MASK,
		.sqpn = qp->soft.base.qp_num,
		.qkey = own_qkey ? READ_ONCE(qp->qkey) : ud->remote_qkey,
		.has_imm = ud->wr.opcode == IB_WR_SEND_WITH_IMM,
		.payload = qp->buf,
		.len = length,
	};
	if (p->has_imm)
		p->imm = ud->wr.ex.imm_data;
	if (qp->type == IB_QPT_SMI) {
		p->vl = VL_MANAGEMENT;
		p->sl = 0;
		if (ah->ib.dlid == LID_PERMISSIVE)
			p->slid = LID_PERMISSIVE;
	} else {
		p->pkey = sib_port_pkey(qp->port, pkey_index);
	}
	if (ah->ah_flags & IB_AH_GRH && ah->grh.sgid_attr)
		fill_grh(p, &ah->grh);
}

/* Queues an SMP for the fabric's work item. */
static void send_smp(struct sib_qp *qp, const struct sib_packet *p)
{
	struct soft_device *dev = to_soft_dev(qp->soft.base.device);
	struct mad mad;

	/* QP 0 sends to QP 0 only, and nothing but SMPs. */
	if (p->dqpn || mad_parse(p->payload, p->len, &mad) || p->len != MAD_LEN ||
	    !mad_class_is_smp(mad.mgmt_class))
		soft_count(dev, SIB_TX_BAD_MADS);
	else if (!sib_queue_add(qp->port, p))
		soft_count(dev, SIB_TX_SMPS_DROPPED);
}

static enum ib_wc_status send_one(struct sib_qp *qp, const struct ib_ud_wr *ud, u32 length)
{
	struct sib_packet packet;
	enum ib_wc_status status;

	lockdep_assert_held(&qp->send_lock);
	if (to_sib_ah(ud->ah)->attr.port_num != qp->port->num ||
	    (qp->type == IB_QPT_GSI && ud->pkey_index >= SIB_PKEYS))
		return IB_WC_LOC_QP_OP_ERR;
	status = gather(qp, &ud->wr, length);
	if (status != IB_WC_SUCCESS)
		return status;
	fill_packet(qp, ud, length, &packet);
	soft_qp_count(&qp->soft, SIB_TX_DATAGRAMS);
	if (qp->type == IB_QPT_SMI) {
		send_smp(qp, &packet);
		return IB_WC_SUCCESS;
	}
	rcu_read_lock();
	sib_datagram_send(qp->port, &packet);
	rcu_read_unlock();
	return IB_WC_SUCCESS;
}

/* Sends a checked request, or flushes it in a state in which nothing is sent. */
static void execute(struct sib_qp *qp, const struct ib_ud_wr *ud, u32 length)
{
	enum ib_qp_state state = READ_ONCE(qp->soft.state);
	enum ib_wc_status status;

	if (state == IB_QPS_SQE || state == IB_QPS_ERR) {
		complete_send(qp, &ud->wr, IB_WC_WR_FLUSH_ERR, 0);
		return;
	}
	status = send_one(qp, ud, length);
	if (status != IB_WC_SUCCESS)
		WRITE_ONCE(qp->soft.state, IB_QPS_SQE);
	complete_send(qp, &ud->wr, status, length);
}

/* Posts a request. Returns 0, or an errno if there will be no completion. */
static int post_one(struct sib_qp *qp, const struct ib_send_wr *wr)
{
	enum ib_qp_state state = READ_ONCE(qp->soft.state);
	u32 length;

	lockdep_assert_held(&qp->send_lock);
	if (wr->opcode != IB_WR_SEND && wr->opcode != IB_WR_SEND_WITH_IMM)
		return -EOPNOTSUPP;
	if (state < IB_QPS_RTS)
		return -EINVAL;
	if (soft_sge_length(wr->sg_list, wr->num_sge, qp->cap.max_send_sge, &length))
		return -EINVAL;
	if (wr->send_flags & IB_SEND_INLINE && length > qp->cap.max_inline_data)
		return -EINVAL;
	if (!ud_wr(wr)->ah && state != IB_QPS_SQE && state != IB_QPS_ERR)
		return -EINVAL;
	/* Requests keep their order behind those that still wait. */
	if (state == IB_QPS_SQD || !list_empty(&qp->held))
		return sib_hold(qp, ud_wr(wr), length);
	execute(qp, ud_wr(wr), length);
	return 0;
}

int sib_post_send(struct ib_qp *base, const struct ib_send_wr *wr,
		  const struct ib_send_wr **bad_wr)
{
	struct sib_qp *qp = to_sib_qp(base);
	u32 left = SEND_BATCH;
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&qp->send_lock, flags);
	for (; wr; wr = wr->next, left--) {
		if (!left) {
			/* Enable interrupts for a moment. */
			spin_unlock_irqrestore(&qp->send_lock, flags);
			left = SEND_BATCH;
			spin_lock_irqsave(&qp->send_lock, flags);
		}
		ret = post_one(qp, wr);
		if (ret) {
			*bad_wr = wr;
			break;
		}
		/* A group may have many members. */
		if (ud_wr(wr)->remote_qpn == IB_MULTICAST_QPN)
			left = 1;
	}
	spin_unlock_irqrestore(&qp->send_lock, flags);
	soft_cq_schedule_notify(to_soft_cq(base->send_cq));
	return ret;
}

void sib_send_held(struct sib_qp *qp)
{
	struct sib_held *held;

	do {
		spin_lock_irq(&qp->send_lock);
		held = READ_ONCE(qp->soft.state) == IB_QPS_SQD ? NULL : sib_hold_take(qp);
		if (held)
			execute(qp, &held->ud, held->length);
		spin_unlock_irq(&qp->send_lock);
		kfree(held);
		cond_resched();
	} while (held);
	soft_cq_schedule_notify(to_soft_cq(qp->soft.base.send_cq));
}

int sib_post_recv(struct ib_qp *base, const struct ib_recv_wr *wr,
		  const struct ib_recv_wr **bad_wr)
{
	return soft_rq_post(&to_sib_qp(base)->soft, wr, bad_wr);
}
