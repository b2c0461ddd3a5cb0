// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The address of the sender of a received datagram, to which an answer can be sent.
 */
#include <rdma/ib_verbs.h>

#include "verbs/ah_dmac.h"

/* GUID that every subnet administration answers to, whatever the GUID of its port. */
#define SA_WELL_KNOWN_GUID	cpu_to_be64(BIT_ULL(57) | 2)

#define NO_VLAN			0xffff

/* The largest hop limit: an answer may cross any number of routers. */
#define ANSWER_HOP_LIMIT	0xff

static void set_answer_route(struct rdma_ah_attr *attr, union ib_gid *dgid, u32 tclass_flow,
			     const struct ib_gid_attr *sgid)
{
	rdma_move_grh_sgid_attr(attr, dgid, tclass_flow & IB_GRH_FLOWLABEL_MASK, ANSWER_HOP_LIMIT,
				tclass_flow >> 20 & 0xff, sgid);
}

static int ib_answer(struct ib_device *dev, const struct ib_wc *wc, const struct ib_grh *grh,
		     struct rdma_ah_attr *attr)
{
	const struct ib_gid_attr *sgid;
	union ib_gid dgid;

	rdma_ah_set_dlid(attr, wc->slid);
	rdma_ah_set_path_bits(attr, wc->dlid_path_bits);
	if (!(wc->wc_flags & IB_WC_GRH))
		return 0;
	if (grh->dgid.global.interface_id == SA_WELL_KNOWN_GUID)
		sgid = rdma_get_gid_attr(dev, attr->port_num, 0);
	else
		sgid = rdma_find_gid_by_port(dev, &grh->dgid, IB_GID_TYPE_IB, attr->port_num, NULL);
	if (IS_ERR(sgid))
		return PTR_ERR(sgid);
	dgid = grh->sgid;
	set_answer_route(attr, &dgid, be32_to_cpu(grh->version_tclass_flow), sgid);
	return 0;
}

/*
 * Returns the kind of a RoCE datagram's network header, or a number that is no kind, which
 * ib_get_gids_from_rdma_hdr() refuses.
 */
static int network_type(const struct ib_wc *wc, const union rdma_network_hdr *hdr)
{
	if (wc->wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE)
		return wc->network_hdr_type;
	switch (ib_get_rdma_header_version(hdr)) {
	case 4:
		return RDMA_NETWORK_IPV4;
	case 6:
		return hdr->ibgrh.next_hdr == IPPROTO_UDP ? RDMA_NETWORK_IPV6 :
							    RDMA_NETWORK_ROCE_V1;
	default:
		return -EPROTOTYPE;
	}
}

/* Properties of the GID to which a RoCE datagram was sent, for is_destination(). */
struct destination {
	enum ib_gid_type	type;
	u16			vlan;
};

static bool is_destination(const union ib_gid *gid, const struct ib_gid_attr *attr, void *context)
{
	const struct destination *dest = context;
	u16 vlan;

	return attr->gid_type == dest->type && !rdma_read_gid_l2_fields(attr, &vlan, NULL) &&
	       vlan == dest->vlan;
}

static int roce_answer(struct ib_device *dev, const struct ib_wc *wc, const struct ib_grh *grh,
		       struct rdma_ah_attr *attr)
{
	const union rdma_network_hdr *hdr = (const union rdma_network_hdr *)grh;
	struct destination dest = { .vlan = NO_VLAN };
	const struct ib_gid_attr *sgid;
	union ib_gid from, to;
	u32 tclass_flow;
	int type, ret;

	if (!(wc->wc_flags & IB_WC_GRH))
		return -EPROTOTYPE;
	type = network_type(wc, hdr);
	if (ib_get_gids_from_rdma_hdr(hdr, type, &from, &to))
		return -EPROTOTYPE;
	/* A tag with VLAN 0 carries only a priority. */
	if (wc->wc_flags & IB_WC_WITH_VLAN && wc->vlan_id)
		dest.vlan = wc->vlan_id;
	dest.type = ib_network_to_gid_type(type);
	sgid = rdma_find_gid_by_filter(dev, &to, attr->port_num, is_destination, &dest);
	if (IS_ERR(sgid))
		return PTR_ERR(sgid);

	if (type == RDMA_NETWORK_IPV4)
		tclass_flow = hdr->roce4grh.tos << 20;
	else
		tclass_flow = be32_to_cpu(grh->version_tclass_flow);
	set_answer_route(attr, &from, tclass_flow, sgid);
	ret = verbs_ah_find_dmac(attr, true);
	if (ret)
		rdma_destroy_ah_attr(attr);
	return ret;
}

int ib_init_ah_attr_from_wc(struct ib_device *device, u32 port_num, const struct ib_wc *wc,
			    const struct ib_grh *grh, struct rdma_ah_attr *ah_attr)
{
	bool roce;
	int ret;

	memset(ah_attr, 0, sizeof(*ah_attr));
	if (!rdma_is_port_valid(device, port_num))
		return -EINVAL;
	roce = rdma_protocol_roce(device, port_num);
	if (!roce && !rdma_cap_ib_mad(device, port_num))
		return -EOPNOTSUPP;
	if (wc->wc_flags & IB_WC_GRH && !grh)
		return -EINVAL;

	ah_attr->type = rdma_ah_find_type(device, port_num);
	ah_attr->port_num = port_num;
	ah_attr->sl = wc->sl;
	ret = roce ? roce_answer(device, wc, grh, ah_attr) : ib_answer(device, wc, grh, ah_attr);
	if (ret)
		memset(ah_attr, 0, sizeof(*ah_attr));
	return ret;
}
EXPORT_SYMBOL(ib_init_ah_attr_from_wc);

int ib_init_ah_from_wc(struct ib_device *device, u8 port_num, const struct ib_wc *wc,
		       const struct ib_grh *grh, struct rdma_ah_attr *ah_attr)
{
	int ret = ib_init_ah_attr_from_wc(device, port_num, wc, grh, ah_attr);

	rdma_destroy_ah_attr(ah_attr);
	return ret;
}
EXPORT_SYMBOL(ib_init_ah_from_wc);

struct ib_ah *ib_create_ah_from_wc(struct ib_pd *pd, const struct ib_wc *wc,
				   const struct ib_grh *grh, u32 port_num)
{
	struct rdma_ah_attr attr;
	struct ib_ah *ah;
	int ret;

	if (!pd->device->ops.create_ah)
		return ERR_PTR(-EOPNOTSUPP);
	ret = ib_init_ah_attr_from_wc(pd->device, port_num, wc, grh, &attr);
	if (ret)
		return ERR_PTR(ret);
	ah = rdma_create_ah(pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	rdma_destroy_ah_attr(&attr);
	return ah;
}
EXPORT_SYMBOL(ib_create_ah_from_wc);
