// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * MADs that ib_mad sends by itself: answers of providers, refusals, answers of RMPP, and what a
 * switch forwards. Each of them is caused by a MAD that has come, so their number is bounded.
 */
#include "mad/reply.h"

#include <linux/slab.h>

#include "mad/port.h"

/**
 * struct reply - a MAD on its way out
 * @wr: the send
 * @port: the port
 * @ah: the destination
 * @mad: the MAD
 */
struct reply {
	struct mad_wr wr;
	struct mad_port *port;
	struct ib_ah *ah;
	struct ib_mad mad;
};

static void free_reply(struct reply *reply)
{
	reply->port->nr_replies--;
	rdma_destroy_ah(reply->ah, RDMA_DESTROY_AH_SLEEPABLE);
	kfree(reply);
}

static void reply_done(struct mad_wr *wr, enum ib_wc_status status, u32 vendor_err)
{
	struct reply *reply = container_of(wr, struct reply, wr);

	if (status != IB_WC_SUCCESS)
		mad_count(reply->port, KRDMA_MAD_REPLIES_DROPPED);
	free_reply(reply);
}

/* Sends a copy of a MAD to an address, which is destroyed afterwards. */
static bool send_reply(struct mad_qp *qp, struct ib_ah *ah, const void *mad, u32 remote_qpn,
		       u16 pkey_index, u32 out_port)
{
	struct reply *reply;

	if (IS_ERR(ah))
		return false;
	reply = kzalloc(sizeof(*reply), GFP_KERNEL);
	if (!reply) {
		rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE);
		return false;
	}
	reply->port = qp->port;
	reply->ah = ah;
	memcpy(&reply->mad, mad, sizeof(reply->mad));
	reply->wr.done = reply_done;
	reply->wr.part[0] = &reply->mad;
	reply->wr.length[0] = sizeof(reply->mad);
	reply->wr.ud.ah = ah;
	reply->wr.ud.remote_qpn = remote_qpn;
	reply->wr.ud.remote_qkey = IB_QP_SET_QKEY;
	reply->wr.ud.pkey_index = pkey_index;
	reply->wr.ud.port_num = out_port;
	qp->port->nr_replies++;
	if (!mad_qp_send(qp, &reply->wr))
		return true;
	free_reply(reply);
	return false;
}

/*
 * Returns whether an answer may be sent. Without an open QP it may not be: when the port is closed,
 * no address handle can be created, because the PD is gone.
 */
static bool may_send(const struct mad_qp *qp)
{
	lockdep_assert_held(&qp->port->serial);
	return READ_ONCE(qp->open) && qp->port->nr_replies < MAD_PORT_REPLIES;
}

void mad_reply(struct mad_recv *to, const void *answer, u16 pkey_index, u32 out_port)
{
	struct mad_port *port = to->qp->port;

	if (may_send(to->qp) &&
	    send_reply(to->qp, ib_create_ah_from_wc(port->pd, &to->wc, &to->data.grh, port->num),
		       answer, to->wc.src_qp, pkey_index, out_port))
		mad_count(port, KRDMA_MAD_REPLIES);
	else
		mad_count(port, KRDMA_MAD_REPLIES_DROPPED);
}

void mad_forward(struct mad_recv *smp, u32 out_port)
{
	struct mad_port *port = smp->qp->port;
	struct rdma_ah_attr attr = {
		.type = rdma_ah_find_type(port->device, port->num),
		.port_num = port->num,
	};

	rdma_ah_set_dlid(&attr, be16_to_cpu(IB_LID_PERMISSIVE));
	if (may_send(smp->qp) &&
	    send_reply(smp->qp, rdma_create_ah(port->pd, &attr, RDMA_CREATE_AH_SLEEPABLE),
		       &smp->data.mad, IB_QP0, smp->wc.pkey_index, out_port))
		mad_count(port, KRDMA_MAD_FORWARDED);
	else
		mad_count(port, KRDMA_MAD_REPLIES_DROPPED);
}
