// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Address vectors, as processes pass and get them by write().
 */
#include "uverbs/object/path.h"

#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/ib_user_verbs.h>

/*
 * If the device does not have the port that @from names, the value of @to->type does not matter,
 * because the core refuses such a path.
 */
void uverbs_path_get(struct ib_device *dev, struct rdma_ah_attr *to,
		     const struct ib_uverbs_qp_dest *from)
{
	to->type = RDMA_AH_ATTR_TYPE_IB;
	if (rdma_is_port_valid(dev, from->port_num))
		to->type = rdma_ah_find_type(dev, from->port_num);
	to->sl = from->sl;
	to->static_rate = from->static_rate;
	to->port_num = from->port_num;
	if (from->is_global) {
		to->ah_flags = IB_AH_GRH;
		memcpy(to->grh.dgid.raw, from->dgid, sizeof(to->grh.dgid.raw));
		to->grh.flow_label = from->flow_label;
		to->grh.sgid_index = from->sgid_index;
		to->grh.hop_limit = from->hop_limit;
		to->grh.traffic_class = from->traffic_class;
	}
	rdma_ah_set_dlid(to, from->dlid);
	rdma_ah_set_path_bits(to, from->src_path_bits);
}

void uverbs_path_get_ah(struct ib_device *dev, struct rdma_ah_attr *to,
			const struct ib_uverbs_ah_attr *from)
{
	struct ib_uverbs_qp_dest dest = {
		.flow_label = from->grh.flow_label,
		.dlid = from->dlid,
		.sgid_index = from->grh.sgid_index,
		.hop_limit = from->grh.hop_limit,
		.traffic_class = from->grh.traffic_class,
		.sl = from->sl,
		.src_path_bits = from->src_path_bits,
		.static_rate = from->static_rate,
		.is_global = from->is_global,
		.port_num = from->port_num,
	};

	memcpy(dest.dgid, from->grh.dgid, sizeof(dest.dgid));
	uverbs_path_get(dev, to, &dest);
}

void uverbs_path_put(struct ib_uverbs_qp_dest *to, const struct rdma_ah_attr *from)
{
	to->dlid = rdma_ah_get_dlid(from);
	to->src_path_bits = rdma_ah_get_path_bits(from);
	to->sl = from->sl;
	to->static_rate = from->static_rate;
	to->port_num = from->port_num;
	to->is_global = !!(from->ah_flags & IB_AH_GRH);
	if (to->is_global) {
		memcpy(to->dgid, from->grh.dgid.raw, sizeof(to->dgid));
		to->flow_label = from->grh.flow_label;
		to->sgid_index = from->grh.sgid_index;
		to->hop_limit = from->grh.hop_limit;
		to->traffic_class = from->grh.traffic_class;
	}
}
