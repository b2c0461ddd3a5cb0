// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Datagrams. One that is not expected or does not fit is dropped; the sender does not learn of it.
 */
#include <linux/if_vlan.h>
#include <linux/random.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <rdma/ib_addr.h>

#include "internal.h"

/* Bytes of the BTH, the DETH and the ICRC, which are counted as payload of the network header. */
#define TRANSPORT_BYTES		(12 + 8 + 4)
#define NEXT_HDR_TRANSPORT	0x1b

/* A datagram on its way. */
struct datagram {
	struct memdev_qp *from;
	const struct memdev_wqe *wqe;
	struct memdev_span *data;
	struct ib_wc wc;		/* of the receiver */
	union rdma_network_hdr hdr;
};

static void fill_header(union rdma_network_hdr *hdr, const struct ib_global_route *grh, u64 length)
{
	enum rdma_network_type type = rdma_gid_attr_network_type(grh->sgid_attr);
	u16 payload = length + TRANSPORT_BYTES;
	struct iphdr *ip = &hdr->roce4grh;

	if (type == RDMA_NETWORK_IPV4) {
		*ip = (struct iphdr) {
			.version = 4,
			.ihl = 5,
			.tos = grh->traffic_class,
			.tot_len = htons(sizeof(*ip) + sizeof(struct udphdr) + payload),
			.ttl = grh->hop_limit,
			.protocol = IPPROTO_UDP,
			.saddr = ((const struct in6_addr *)&grh->sgid_attr->gid)->s6_addr32[3],
			.daddr = ((const struct in6_addr *)&grh->dgid)->s6_addr32[3],
		};
		ip->check = ip_fast_csum(ip, ip->ihl);
		return;
	}
	hdr->ibgrh = (struct ib_grh) {
		.version_tclass_flow = cpu_to_be32(6 << 28 | grh->traffic_class << 20 |
						   (grh->flow_label & IB_GRH_FLOWLABEL_MASK)),
		.next_hdr = NEXT_HDR_TRANSPORT,
		.hop_limit = grh->hop_limit,
		.sgid = grh->sgid_attr->gid,
		.dgid = grh->dgid,
	};
	if (type == RDMA_NETWORK_IPV6) {
		hdr->ibgrh.next_hdr = IPPROTO_UDP;
		payload += sizeof(struct udphdr);
	}
	hdr->ibgrh.paylen = cpu_to_be16(payload);
}

/* Fills in what all receivers get. */
static void fill_wc(struct datagram *d)
{
	const struct memdev_wqe *wqe = d->wqe;
	const struct ib_gid_attr *sgid = wqe->ah.grh.sgid_attr;
	u16 vlan;

	d->wc = (struct ib_wc) {
		.opcode = IB_WC_RECV,
		.byte_len = sizeof(d->hdr) + wqe->length,
		.src_qp = d->from->ibqp.qp_num,
		.sl = wqe->ah.sl,
	};
	if (wqe->wr.opcode == IB_WR_SEND_WITH_IMM) {
		d->wc.wc_flags |= IB_WC_WITH_IMM;
		d->wc.ex.imm_data = wqe->wr.ex.imm_data;
	}
	if (wqe->ah.ah_flags & IB_AH_GRH) {
		d->wc.wc_flags |= IB_WC_GRH;
		fill_header(&d->hdr, &wqe->ah.grh, wqe->length);
	} else {
		/* What is in the room for a header that does not come is not defined. */
		get_random_bytes(&d->hdr, sizeof(d->hdr));
	}
	if (wqe->ah.type != RDMA_AH_ATTR_TYPE_ROCE) {
		d->wc.slid = memdev_lid(d->from->ibqp.device, d->from->attr.port_num) |
			     wqe->ah.ib.src_path_bits;
		return;
	}
	d->wc.network_hdr_type = rdma_gid_attr_network_type(sgid);
	d->wc.wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
	if (rdma_read_gid_l2_fields(sgid, &vlan, d->wc.smac))
		return;
	d->wc.wc_flags |= IB_WC_WITH_SMAC;
	if (vlan >= VLAN_N_VID)
		return;
	d->wc.vlan_id = vlan;
	d->wc.wc_flags |= IB_WC_WITH_VLAN;
}

/* Completes a receive request with an error. */
static void datagram_fail_receive(struct memdev_qp *to, struct memdev_receive *recv,
				  enum ib_wc_status status)
{
	struct ib_wc wc = { .status = status, .opcode = IB_WC_RECV };

	memdev_end_receive(to, recv, &wc, false);
	memdev_enter_error(to);
}

/* Writes the header and the data to the memory of a receive request, if @to accepts them. */
static void deliver(struct datagram *d, struct memdev_qp *to)
{
	bool privileged = d->wqe->remote_qkey & BIT(31);
	u32 qkey = privileged ? d->from->attr.qkey : d->wqe->remote_qkey;
	struct memdev_span span, hdr, data = *d->data;
	struct memdev_receive recv;
	struct ib_wc wc = d->wc;

	if (!memdev_is_datagram(to) || (to->ibqp.qp_type != IB_QPT_SMI && qkey != to->attr.qkey) ||
	    !memdev_get_receive(to, NULL, &recv))
		return;
	if (memdev_span_local(&span, recv.pd, recv.wqe->sge, recv.wqe->wr.num_sge,
			      IB_ACCESS_LOCAL_WRITE)) {
		datagram_fail_receive(to, &recv, IB_WC_LOC_PROT_ERR);
		return;
	}
	if (wc.byte_len > span.length) {
		if (recv.srq)
			datagram_fail_receive(to, &recv, IB_WC_LOC_LEN_ERR);
		else
			memdev_return_receive(&recv);
		return;
	}
	memdev_span_kernel(&hdr, &d->hdr, sizeof(d->hdr));
	memdev_copy(&span, &hdr, sizeof(d->hdr));
	memdev_copy(&span, &data, data.length);
	/* A switch, which is on port 0, names the port by which the datagram has come. */
	wc.port_num = to->attr.port_num ?: 1;
	memdev_end_receive(to, &recv, &wc, d->wqe->wr.send_flags & IB_SEND_SOLICITED);
}

/* Returns whether the QP is on a port and in a state to receive from the datagram's group. */
static bool is_attached(const struct datagram *d, const struct memdev_qp *to)
{
	struct memdev_port port = { to_memdev(to->ibqp.device), to->attr.port_num };
	const struct rdma_ah_attr *ah = &d->wqe->ah;
	const struct memdev_group *group;

	if (!memdev_receives(to, &port) || rdma_ah_find_type(to->ibqp.device, port.num) != ah->type)
		return false;
	if (to == d->from && to->init_attr.create_flags & IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK)
		return false;
	for (group = to->groups; group < to->groups + MEMDEV_MAX_GROUPS; group++)
		if (group->used && !memcmp(&group->gid, &ah->grh.dgid, sizeof(group->gid)) &&
		    (ah->type == RDMA_AH_ATTR_TYPE_ROCE || group->lid == ah->ib.dlid))
			return true;
	return false;
}

/* Returns whether a test has the datagram lost. */
static bool is_lost(const struct memdev_wqe *wqe, const struct memdev_span *data)
{
	struct memdev_span from = *data, to;
	u8 mad[MEMDEV_MAD_LEN] = {};
	u32 length = min_t(u64, data->length, sizeof(mad));

	if (!memdev_fabric.lose || wqe->remote_qpn > 1)
		return false;
	memdev_span_kernel(&to, mad, sizeof(mad));
	memdev_copy(&to, &from, length);
	return memdev_fabric.lose(memdev_fabric.lose_context, mad, length);
}

int memdev_send_datagram(struct memdev_qp *qp, const struct memdev_wqe *wqe,
			 struct memdev_span *data)
{
	struct datagram d = { .from = qp, .wqe = wqe, .data = data };
	const struct rdma_ah_attr *ah = &wqe->ah;
	struct memdev_port port;
	struct memdev_qp *to;
	struct memdev *dev;
	unsigned long i;

	if (wqe->length > MEMDEV_MTU)
		return IB_WC_LOC_LEN_ERR;
	if (ah->port_num != qp->attr.port_num)
		return IB_WC_LOC_QP_OP_ERR;
	fill_wc(&d);
	if (is_lost(wqe, data))
		return IB_WC_SUCCESS;
	if (wqe->remote_qpn == IB_MULTICAST_QPN && ah->ah_flags & IB_AH_GRH &&
	    rdma_is_multicast_addr((struct in6_addr *)&ah->grh.dgid)) {
		list_for_each_entry(dev, &memdev_fabric.devices, entry)
			xa_for_each(&dev->qps, i, to)
				if (is_attached(&d, to))
					deliver(&d, to);
		return IB_WC_SUCCESS;
	}
	if (!memdev_find_port(qp, ah, &port))
		return IB_WC_SUCCESS;
	to = memdev_find_qp(&port, wqe->remote_qpn);
	if (to)
		deliver(&d, to);
	return IB_WC_SUCCESS;
}
