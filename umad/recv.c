// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * MADs that an agent has received.
 */
#include "umad/recv.h"

#include <linux/slab.h>

#include "umad/umad.h"

/* Fills in the global route by which an answer would go. Returns 0 or the errors of the look-up. */
static int set_route(struct ib_user_mad_hdr *hdr, struct ib_mad_agent *base,
		     const struct ib_mad_recv_wc *received)
{
	const struct ib_global_route *route;
	struct rdma_ah_attr attr;
	int ret;

	ret = ib_init_ah_attr_from_wc(base->device, base->port_num, received->wc,
				      received->recv_buf.grh, &attr);
	if (ret)
		return ret;
	route = rdma_ah_read_grh(&attr);
	hdr->grh_present = 1;
	hdr->gid_index = route->sgid_index;
	hdr->hop_limit = route->hop_limit;
	hdr->traffic_class = route->traffic_class;
	memcpy(hdr->gid, &route->dgid, sizeof(hdr->gid));
	hdr->flow_label = cpu_to_be32(route->flow_label);
	rdma_destroy_ah_attr(&attr);
	return 0;
}

static int set_header(struct ib_user_mad_hdr *hdr, const struct umad_agent *agent,
		      struct ib_mad_agent *base, const struct ib_mad_recv_wc *received)
{
	const struct ib_wc *wc = received->wc;

	*hdr = (struct ib_user_mad_hdr) {
		.id = agent->id,
		.qpn = cpu_to_be32(wc->src_qp),
		.lid = cpu_to_be16(wc->slid),
		.sl = wc->sl,
		.path_bits = wc->dlid_path_bits,
		.pkey_index = wc->pkey_index,
	};
	return wc->wc_flags & IB_WC_GRH ? set_route(hdr, base, received) : 0;
}

/* Makes the MAD that is queued. Returns NULL without memory, or an address of the sender. */
static struct umad_mad *new_received(const struct umad_agent *agent, struct ib_mad_agent *base,
				     struct ib_mad_recv_wc *received)
{
	struct umad_mad *mad = kzalloc(sizeof(*mad), GFP_KERNEL);
	u32 datagrams = DIV_ROUND_UP(received->mad_len, IB_MGMT_RMPP_DATA);

	if (!mad)
		return NULL;
	if (set_header(&mad->hdr, agent, base, received)) {
		kfree(mad);
		return NULL;
	}
	mad->length = received->mad_len;
	mad->memory = (size_t)datagrams * (IB_MGMT_MAD_SIZE + UMAD_OVERHEAD);
	mad->received = received;
	return mad;
}

void umad_received(struct ib_mad_agent *base, struct ib_mad_send_buf *request,
		   struct ib_mad_recv_wc *received)
{
	struct umad_agent *agent = base->context;
	struct umad_mad *mad = new_received(agent, base, received);
	struct umad_mad *sent;

	if (mad && umad_queue_received(&agent->file->queue, mad))
		return;
	if (request) {
		/* umad_send_done() is called after this, and has the process read the request. */
		sent = request->context[0];
		sent->response_lost = true;
	}
	atomic_long_inc(&agent->file->port->dropped);
	if (mad)
		umad_mad_free(mad);
	else
		ib_free_recv_mad(received);
}
