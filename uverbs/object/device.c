// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Queries of the device and its ports.
 */
#include "uverbs/object/device.h"

#include "uverbs/frame/uverbs.h"

/*
 * Asks the provider for the attributes that hold for the process, because ibdev->attrs has those
 * that hold for the kernel, and the provider may offer less to a process. The provider may also add
 * its own data to the response, by way of the call's driver_udata.
 */
static int query_device(struct uverbs_attr_bundle *call, struct ib_device_attr *attr,
			struct ib_uverbs_query_device_resp *resp)
{
	struct ib_device *ibdev = call->context->device;
	int ret;

	memset(attr, 0, sizeof(*attr));
	ret = ibdev->ops.query_device(ibdev, attr, &call->driver_udata);
	if (ret)
		return ret;
	*resp = (struct ib_uverbs_query_device_resp) {
		/* Identity. */
		.node_guid = ibdev->node_guid,
		.phys_port_cnt = min_t(u32, ibdev->phys_port_cnt, U8_MAX),
		.sys_image_guid = attr->sys_image_guid,
		.vendor_id = attr->vendor_id,
		.vendor_part_id = attr->vendor_part_id,
		.hw_ver = attr->hw_ver,
		.fw_ver = attr->fw_ver,

		/* Capabilities. */
		.device_cap_flags = lower_32_bits(attr->device_cap_flags),
		.atomic_cap = attr->atomic_cap,
		.page_size_cap = attr->page_size_cap,
		.local_ca_ack_delay = attr->local_ca_ack_delay,

		/* Limits of the number of objects. */
		.max_pd = attr->max_pd,
		.max_mr = attr->max_mr,
		.max_mw = attr->max_mw,
		.max_cq = attr->max_cq,
		.max_qp = attr->max_qp,
		.max_srq = attr->max_srq,
		.max_ah = attr->max_ah,
		.max_pkeys = attr->max_pkeys,
		.max_ee = attr->max_ee,
		.max_rdd = attr->max_rdd,
		.max_raw_ethy_qp = attr->max_raw_ethy_qp,
		.max_raw_ipv6_qp = attr->max_raw_ipv6_qp,
		.max_mcast_grp = attr->max_mcast_grp,
		.max_mcast_qp_attach = attr->max_mcast_qp_attach,
		.max_total_mcast_qp_attach = attr->max_total_mcast_qp_attach,

		/* Limits of each object. */
		.max_mr_size = attr->max_mr_size,
		.max_cqe = attr->max_cqe,
		.max_qp_wr = attr->max_qp_wr,
		.max_srq_wr = attr->max_srq_wr,
		.max_srq_sge = attr->max_srq_sge,
		.max_sge = min(attr->max_send_sge, attr->max_recv_sge),
		.max_sge_rd = attr->max_sge_rd,
		.max_qp_init_rd_atom = attr->max_qp_init_rd_atom,
		.max_ee_init_rd_atom = attr->max_ee_init_rd_atom,
		.max_qp_rd_atom = attr->max_qp_rd_atom,
		.max_ee_rd_atom = attr->max_ee_rd_atom,
		.max_res_rd_atom = attr->max_res_rd_atom,
	};
	return 0;
}

int uverbs_query_device(struct uverbs_attr_bundle *call, struct ib_uverbs_query_device_resp *resp)
{
	struct ib_device_attr attr;

	return query_device(call, &attr, resp);
}

static void put_odp_caps(struct ib_uverbs_ex_query_device_resp *resp,
			 const struct ib_odp_caps *caps)
{
	resp->odp_caps.general_caps = caps->general_caps;
	resp->odp_caps.per_transport_caps.rc_odp_caps = caps->per_transport_caps.rc_odp_caps;
	resp->odp_caps.per_transport_caps.uc_odp_caps = caps->per_transport_caps.uc_odp_caps;
	resp->odp_caps.per_transport_caps.ud_odp_caps = caps->per_transport_caps.ud_odp_caps;
	resp->xrc_odp_caps = caps->per_transport_caps.xrc_odp_caps;
}

int uverbs_query_device_ex(struct uverbs_attr_bundle *call,
			   struct ib_uverbs_ex_query_device_resp *resp)
{
	struct ib_device_attr attr;
	int ret;

	ret = query_device(call, &attr, &resp->base);
	if (ret)
		return ret;
	put_odp_caps(resp, &attr.odp_caps);
	resp->timestamp_mask = attr.timestamp_mask;
	resp->hca_core_clock = attr.hca_core_clock;
	resp->device_cap_flags_ex = attr.device_cap_flags;
	resp->rss_caps.supported_qpts = attr.rss_caps.supported_qpts;
	resp->rss_caps.max_rwq_indirection_tables = attr.rss_caps.max_rwq_indirection_tables;
	resp->rss_caps.max_rwq_indirection_table_size =
		attr.rss_caps.max_rwq_indirection_table_size;
	resp->max_wq_type_rq = attr.max_wq_type_rq;
	resp->raw_packet_caps = attr.raw_packet_caps;
	resp->tm_caps.max_rndv_hdr_size = attr.tm_caps.max_rndv_hdr_size;
	resp->tm_caps.max_num_tags = attr.tm_caps.max_num_tags;
	resp->tm_caps.flags = attr.tm_caps.flags;
	resp->tm_caps.max_ops = attr.tm_caps.max_ops;
	resp->tm_caps.max_sge = attr.tm_caps.max_sge;
	resp->max_dm_size = attr.max_dm_size;
	resp->cq_moderation_caps.max_cq_moderation_count = attr.cq_caps.max_cq_moderation_count;
	resp->cq_moderation_caps.max_cq_moderation_period = attr.cq_caps.max_cq_moderation_period;
	return 0;
}

/* Returns @lid in 16 bits; 0 if @lid is an extended LID of Omni-Path, which needs more bits. */
static u16 short_lid(struct ib_device *ibdev, u32 port, u32 lid)
{
	if (rdma_cap_opa_ah(ibdev, port) && lid >= be16_to_cpu(IB_MULTICAST_LID_BASE))
		return 0;
	return ib_lid_cpu16(lid);
}

int uverbs_query_port(struct uverbs_attr_bundle *call, u8 port,
		      struct ib_uverbs_query_port_resp_ex *resp)
{
	struct ib_uverbs_query_port_resp *legacy = &resp->legacy_resp;
	struct ib_device *ibdev = call->context->device;
	struct ib_port_attr attr = {};
	int ret;

	ret = ib_query_port(ibdev, port, &attr);
	if (ret)
		return ret;
	/*
	 * IB_UVERBS_PCF_IP_BASED_GIDS tells the process the value of attr.ip_gids. Clear the bit
	 * first, because in attr.port_cap_flags the same bit is another flag.
	 */
	legacy->port_cap_flags = attr.port_cap_flags & ~(u32)IB_UVERBS_PCF_IP_BASED_GIDS;
	if (attr.ip_gids)
		legacy->port_cap_flags |= IB_UVERBS_PCF_IP_BASED_GIDS;
	legacy->max_msg_sz = attr.max_msg_sz;
	legacy->bad_pkey_cntr = attr.bad_pkey_cntr;
	legacy->qkey_viol_cntr = attr.qkey_viol_cntr;
	legacy->gid_tbl_len = attr.gid_tbl_len;
	legacy->pkey_tbl_len = attr.pkey_tbl_len;
	legacy->lid = short_lid(ibdev, port, attr.lid);
	legacy->sm_lid = short_lid(ibdev, port, attr.sm_lid);
	legacy->state = attr.state;
	legacy->max_mtu = attr.max_mtu;
	legacy->active_mtu = attr.active_mtu;
	legacy->lmc = attr.lmc;
	legacy->max_vl_num = attr.max_vl_num;
	legacy->sm_sl = attr.sm_sl;
	legacy->subnet_timeout = attr.subnet_timeout;
	legacy->init_type_reply = attr.init_type_reply;
	legacy->active_width = attr.active_width;
	/* The member has 8 bits; NDR is the highest speed whose code fits. */
	legacy->active_speed = min_t(u16, attr.active_speed, IB_SPEED_NDR);
	legacy->phys_state = attr.phys_state;
	legacy->link_layer = rdma_port_get_link_layer(ibdev, port);
	if (rdma_is_grh_required(ibdev, port))
		legacy->flags |= IB_UVERBS_QPF_GRH_REQUIRED;
	resp->port_cap_flags2 = attr.port_cap_flags2;
	return 0;
}
