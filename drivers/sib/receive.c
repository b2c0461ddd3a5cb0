// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Receives of datagrams. A receive begins with 40 bytes for a GRH, which are zero if the datagram
 * has none.
 */
#include "drivers/sib/receive.h"

#include "drivers/sib/node.h"
#include "drivers/sib/sib.h"
#include "drivers/sib/stats.h"
#include "drivers/sib/violation.h"
#include "soft/rq.h"
#include "soft/sgl.h"

static struct sib_qp *find_qp(struct sib_device *dev, const struct sib_port *port,
			      const struct sib_packet *p)
{
	bool is_smp = p->vl == VL_MANAGEMENT;

	/* Only SMPs are for QP 0, and they are for nobody else. */
	if (is_smp != !p->dqpn)
		return NULL;
	if (p->dqpn <= 1)
		return rcu_dereference(dev->special[p->dqpn][port->num]);
	return xa_load(&dev->qps, p->dqpn);
}

/* Returns whether the QP may receive, in its state and from this port. */
static bool can_receive(const struct sib_qp *qp, const struct sib_port *port)
{
	enum ib_qp_state state = READ_ONCE(qp->soft.state);

	return state >= IB_QPS_RTR && state <= IB_QPS_SQE && READ_ONCE(qp->port) == port;
}

/* Checks the partition. Returns the index in the port's table, or -EACCES. */
static int check_pkey(struct sib_qp *qp, struct sib_port *port, const struct sib_packet *p)
{
	u16 index = READ_ONCE(qp->pkey_index);
	int found;

	if (qp->type == IB_QPT_SMI)
		return 0;
	if (qp->type == IB_QPT_GSI)
		found = sib_port_find_pkey(port, p->pkey);
	else
		found = pkey_matches(p->pkey, sib_port_pkey(port, index)) ? index : -ENOENT;
	if (found >= 0)
		return found;
	sib_violation_of_pkey(port, p);
	return -EACCES;
}

static bool check_qkey(struct sib_qp *qp, struct sib_port *port, const struct sib_packet *p)
{
	if (qp->type == IB_QPT_SMI || p->qkey == READ_ONCE(qp->qkey))
		return true;
	sib_violation_of_qkey(port, p);
	return false;
}

/* Copies GRH and payload to the memory of a receive. Returns 0 or an errno. */
static int place(struct sib_qp *qp, struct soft_recv_wqe *wqe, const struct sib_packet *p)
{
	struct soft_sgl_iter sgl = {};
	u8 grh[GRH_LEN] = {};
	int ret;

	if (p->has_grh)
		grh_build(grh, &p->grh);
	ret = soft_sgl_iter_init(&sgl, soft_rq_pd(&qp->soft), wqe->sge, wqe->num_sge,
				 IB_ACCESS_LOCAL_WRITE);
	if (!ret)
		ret = soft_sgl_iter_copy_in(&sgl, grh, sizeof(grh));
	if (!ret)
		ret = soft_sgl_iter_copy_in(&sgl, p->payload, p->len);
	soft_sgl_iter_exit(&sgl);
	soft_sgl_iter_free(&sgl);
	return ret;
}

static void complete_recv(struct sib_qp *qp, const struct soft_recv_wqe *wqe,
			  struct sib_port *port, const struct sib_packet *p, u16 pkey_index,
			  enum ib_wc_status status)
{
	struct ib_wc wc = {
		.wr_id = wqe->wr_id,
		.status = status,
		.opcode = IB_WC_RECV,
		.byte_len = GRH_LEN + p->len,
		.qp = &qp->soft.base,
		.src_qp = p->sqpn,
		.slid = p->slid,
		.pkey_index = pkey_index,
		.sl = p->sl,
		.port_num = port->num,
	};

	if (lid_is_unicast(p->dlid))
		wc.dlid_path_bits = p->dlid & ((1 << READ_ONCE(port->lmc)) - 1);
	if (p->has_grh)
		wc.wc_flags |= IB_WC_GRH;
	if (p->has_imm) {
		wc.wc_flags |= IB_WC_WITH_IMM;
		wc.ex.imm_data = p->imm;
	}
	soft_cq_add(to_soft_cq(qp->soft.base.recv_cq), &wc, p->solicited);
}

/* Takes a receive, and places the datagram. Returns the counter of what came of it. */
static enum sib_stat take_receive(struct sib_qp *qp, struct sib_port *port,
				  const struct sib_packet *p, u16 pkey_index)
{
	struct soft_recv_wqe wqe;
	int ret;

	lockdep_assert_held(&qp->recv_lock);
	switch (soft_rq_pop_fitting(&qp->soft, GRH_LEN + p->len, &wqe)) {
	case SOFT_RQ_EMPTY:
		return SIB_RX_NO_RECEIVE;
	case SOFT_RQ_SHORT:
		return SIB_RX_TOO_LONG;
	case SOFT_RQ_POPPED:
		break;
	}
	ret = place(qp, &wqe, p);
	complete_recv(qp, &wqe, port, p, pkey_index, ret ? IB_WC_LOC_PROT_ERR : IB_WC_SUCCESS);
	return ret ? SIB_RX_MEMORY_ERRORS : SIB_RX_DATAGRAMS;
}

/* Gives a datagram to a QP. Returns the counter of what came of it. */
static enum sib_stat receive_at(struct sib_qp *qp, struct sib_port *port,
				const struct sib_packet *p)
{
	unsigned long flags;
	enum sib_stat stat;
	int pkey_index;

	if (!can_receive(qp, port))
		return SIB_RX_NO_QP;
	pkey_index = check_pkey(qp, port, p);
	if (pkey_index < 0)
		return SIB_RX_BAD_PKEY;
	if (!check_qkey(qp, port, p))
		return SIB_RX_BAD_QKEY;
	spin_lock_irqsave(&qp->recv_lock, flags);
	/* Look again, because modify_qp() waits for the lock after it has changed the state. */
	if (can_receive(qp, port))
		stat = take_receive(qp, port, p, pkey_index);
	else
		stat = SIB_RX_NO_QP;
	spin_unlock_irqrestore(&qp->recv_lock, flags);
	soft_cq_schedule_notify(to_soft_cq(qp->soft.base.recv_cq));
	return stat;
}

static enum sib_stat receive_unicast(struct sib_device *dev, struct sib_port *port,
				     const struct sib_packet *p)
{
	struct sib_qp *qp;

	if (p->has_grh && !sib_port_has_gid(port, p->grh.dgid))
		return SIB_RX_BAD_GID;
	qp = find_qp(dev, port, p);
	return qp ? receive_at(qp, port, p) : SIB_RX_NO_QP;
}

/* Returns whether an attachment takes a datagram that has come to @port. */
static bool takes(const struct sib_attachment *a, const struct sib_port *port,
		  const struct sib_packet *p)
{
	if (a->lid != p->dlid || memcmp(&a->gid, p->grh.dgid, sizeof(a->gid)) ||
	    READ_ONCE(a->qp->port) != port)
		return false;
	return !a->qp->block_loopback || a->qp->soft.base.qp_num != p->sqpn ||
	       !sib_port_has_lid(port, p->slid);
}

/* Gives a datagram to all QPs of the port that are in its group. */
static void receive_multicast(struct sib_device *dev, struct sib_port *port,
			      const struct sib_packet *p)
{
	const struct sib_attachment *a;
	bool taken = false;

	/* Only the GRH says which group of the LID is meant. */
	if (p->dqpn == IB_MULTICAST_QPN && p->has_grh) {
		hlist_for_each_entry_rcu(a, sib_group_bucket(dev, p->grh.dgid), entry) {
			if (!takes(a, port, p))
				continue;
			soft_count(&dev->soft, receive_at(a->qp, port, p));
			taken = true;
		}
	}
	/* The sender's port was asked, because the switch does not send the packet back. */
	if (!taken && !sib_port_has_lid(port, p->slid))
		soft_count(&dev->soft, SIB_RX_NO_GROUP);
}

/* Counts a packet for a host that does not exist. */
static void count_lost(struct sib_port *port, const struct sib_packet *p)
{
	sib_count(port, p->vl == VL_MANAGEMENT ? SIB_VL15_DROPPED : SIB_RCV_ERRORS);
}

void sib_receive(struct sib_port *port, const struct sib_packet *packet)
{
	struct sib_device *dev = rcu_dereference(port->node->device);

	if (!dev)
		count_lost(port, packet);
	else if (lid_is_multicast(packet->dlid))
		receive_multicast(dev, port, packet);
	else
		soft_count(&dev->soft, receive_unicast(dev, port, packet));
}
