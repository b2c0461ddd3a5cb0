// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The agents of a device for subnet and performance management, which answer for each port.
 */
#include <rdma/ib_pma.h>
#include <rdma/ib_smi.h>

#include "internal.h"

#define GUIDS_PER_BLOCK		8
#define RESPONSE_TIME		18

static void node_info(struct ib_device *ibdev, u32 port, struct ib_smp *smp)
{
	struct ib_node_info *info = (struct ib_node_info *)smp->data;

	*info = (struct ib_node_info) {
		.base_version = IB_MGMT_BASE_VERSION,
		.class_version = 1,
		.node_type = ibdev->node_type,
		.num_ports = ibdev->phys_port_cnt,
		.sys_guid = ibdev->node_guid,
		.node_guid = ibdev->node_guid,
		.port_guid = memdev_gid(ibdev, port, 0).global.interface_id,
		.partition_cap = cpu_to_be16(1),
		.device_id = cpu_to_be16(1),
		.local_port_num = port,
		.vendor_id = { 0x6d, 0x65, 0x6d },
	};
}

static void port_info(struct ib_device *ibdev, u32 port, struct ib_smp *smp)
{
	struct ib_port_info *info = (struct ib_port_info *)smp->data;
	u16 lid = memdev_lid(ibdev, port);

	*info = (struct ib_port_info) {
		.gid_prefix = memdev_gid(ibdev, port, 0).global.subnet_prefix,
		.lid = cpu_to_be16(lid),
		.sm_lid = cpu_to_be16(lid),
		.local_port_num = port,
		.link_width_enabled = IB_WIDTH_4X,
		.link_width_supported = IB_WIDTH_4X,
		.link_width_active = IB_WIDTH_4X,
		.linkspeed_portstate = IB_SPEED_SDR << 4 | IB_PORT_ACTIVE,
		.portphysstate_linkdown = IB_PORT_PHYS_STATE_LINK_UP << 4 |
					  IB_PORT_PHYS_STATE_POLLING,
		.linkspeedactive_enabled = IB_SPEED_SDR << 4 | IB_SPEED_SDR,
		.neighbormtu_mastersmsl = IB_MTU_4096 << 4,
		.vlcap_inittype = 1 << 4,
		.inittypereply_mtucap = IB_MTU_4096,
		.operationalvl_pei_peo_fpi_fpo = 1 << 4,
		.guid_cap = MEMDEV_GIDS,
		.resv_resptimevalue = RESPONSE_TIME,
	};
}

static void guid_info(struct ib_device *ibdev, u32 port, struct ib_smp *smp)
{
	__be64 *guids = (__be64 *)smp->data;
	int i;

	for (i = 0; i < GUIDS_PER_BLOCK; i++)
		guids[i] = i < MEMDEV_GIDS && !smp->attr_mod ?
			   memdev_gid(ibdev, port, i).global.interface_id : 0;
}

/* Fills in an attribute. Returns the status of the answer. A Set changes nothing. */
static __be16 subnet_attribute(struct ib_device *ibdev, u32 port, struct ib_smp *smp)
{
	memset(smp->data, 0, sizeof(smp->data));
	switch (smp->attr_id) {
	case IB_SMP_ATTR_NODE_DESC:
		memcpy(smp->data, ibdev->node_desc, sizeof(smp->data));
		return 0;
	case IB_SMP_ATTR_NODE_INFO:
		node_info(ibdev, port, smp);
		return 0;
	case IB_SMP_ATTR_PORT_INFO:
		port_info(ibdev, port, smp);
		return 0;
	case IB_SMP_ATTR_GUID_INFO:
		guid_info(ibdev, port, smp);
		return 0;
	case IB_SMP_ATTR_PKEY_TABLE:
		*(__be16 *)smp->data = cpu_to_be16(IB_DEFAULT_PKEY_FULL);
		return 0;
	default:
		return cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	}
}

static int answer_smp(struct ib_device *ibdev, u32 port, const struct ib_mad *in,
		      struct ib_mad *out)
{
	struct ib_smp *smp = (struct ib_smp *)out;

	/* The software of the host has SMInfo. */
	if (in->mad_hdr.attr_id == IB_SMP_ATTR_SM_INFO)
		return IB_MAD_RESULT_SUCCESS;
	*out = *in;
	smp->method = IB_MGMT_METHOD_GET_RESP;
	smp->status = subnet_attribute(ibdev, port, smp);
	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		smp->status |= IB_SMP_DIRECTION;
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

static int answer_pma(const struct ib_mad *in, struct ib_mad *out)
{
	struct ib_pma_mad *pma = (struct ib_pma_mad *)out;
	struct ib_class_port_info *info = (struct ib_class_port_info *)pma->data;

	*out = *in;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	memset(pma->data, 0, sizeof(pma->data));
	if (in->mad_hdr.attr_id == IB_PMA_CLASS_PORT_INFO) {
		info->base_version = IB_MGMT_BASE_VERSION;
		info->class_version = 1;
		ib_set_cpi_resp_time(info, RESPONSE_TIME);
	} else {
		out->mad_hdr.status = cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	}
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}

static int process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
		       const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		       size_t *out_size, u16 *out_pkey_index)
{
	if (in->mad_hdr.method != IB_MGMT_METHOD_GET && in->mad_hdr.method != IB_MGMT_METHOD_SET)
		return IB_MAD_RESULT_SUCCESS;
	switch (in->mad_hdr.mgmt_class) {
	case IB_MGMT_CLASS_SUBN_LID_ROUTED:
	case IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE:
		return answer_smp(ibdev, port, in, out);
	case IB_MGMT_CLASS_PERF_MGMT:
		return answer_pma(in, out);
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
}

const struct ib_device_ops memdev_mad_ops = {
	.process_mad = process_mad,
};
