// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The port of a device: its attributes, GIDs and P_Keys, and MADs for its own agents. */
#include "drivers/sib/port.h"

#include <rdma/ib_mad.h>

#include "drivers/sib/node.h"
#include "drivers/sib/pma.h"
#include "drivers/sib/sib.h"
#include "drivers/sib/sma.h"
#include "drivers/sib/trap_state.h"

/* Capabilities that the host's software sets: what it manages. */
#define HOST_CAPS	(PORT_CAP_SM | PORT_CAP_CM | PORT_CAP_SNMP | PORT_CAP_DEVICE_MGMT |	\
			 PORT_CAP_VENDOR_CLASS)

static struct sib_port *port_of(struct ib_device *base, u32 num)
{
	return &to_sib_dev(base)->node->ports[num];
}

int sib_query_port(struct ib_device *base, u32 num, struct ib_port_attr *attr)
{
	struct sib_port *port = port_of(base, num);
	const struct portinfo *info = &port->info;

	mutex_lock(&port->node->mgmt);
	attr->subnet_prefix = info->gid_prefix;
	attr->state = (enum ib_port_state)info->state;
	attr->phys_state = info->phys_state;
	attr->max_mtu = (enum ib_mtu)info->mtu_cap;
	attr->active_mtu = (enum ib_mtu)info->neighbor_mtu;
	attr->gid_tbl_len = SIB_GUIDS;
	attr->pkey_tbl_len = SIB_PKEYS;
	attr->port_cap_flags = info->cap_mask;
	attr->max_msg_sz = SIB_MTU;
	attr->sm_lid = info->sm_lid;
	attr->lid = info->lid;
	attr->lmc = info->lmc;
	attr->max_vl_num = info->vl_cap;
	attr->sm_sl = info->sm_sl;
	attr->subnet_timeout = info->subnet_timeout;
	attr->init_type_reply = info->init_type_reply;
	attr->active_width = info->width_active;
	attr->active_speed = info->speed_active;
	mutex_unlock(&port->node->mgmt);
	attr->bad_pkey_cntr = atomic_read(&port->pkey_violations);
	attr->qkey_viol_cntr = atomic_read(&port->qkey_violations);
	return 0;
}

int sib_modify_port(struct ib_device *base, u32 num, int mask, struct ib_port_modify *change)
{
	struct sib_port *port = port_of(base, num);
	u32 old;

	if (mask & ~(IB_PORT_RESET_QKEY_CNTR | IB_PORT_INIT_TYPE) ||
	    (change->set_port_cap_mask | change->clr_port_cap_mask) & ~HOST_CAPS)
		return -EOPNOTSUPP;
	mutex_lock(&port->node->mgmt);
	old = port->info.cap_mask;
	port->info.cap_mask |= change->set_port_cap_mask;
	port->info.cap_mask &= ~change->clr_port_cap_mask;
	if (port->info.cap_mask != old)
		sib_trap_raise(port, SIB_TRAP_CAPABILITIES, 0);
	if (mask & IB_PORT_INIT_TYPE)
		port->info.init_type = change->init_type;
	mutex_unlock(&port->node->mgmt);
	if (mask & IB_PORT_RESET_QKEY_CNTR)
		atomic_set(&port->qkey_violations, 0);
	return 0;
}

int sib_get_port_immutable(struct ib_device *base, u32 num, struct ib_port_immutable *immutable)
{
	immutable->pkey_tbl_len = SIB_PKEYS;
	immutable->gid_tbl_len = SIB_GUIDS;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

enum rdma_link_layer sib_get_link_layer(struct ib_device *base, u32 num)
{
	return IB_LINK_LAYER_INFINIBAND;
}

int sib_query_gid(struct ib_device *base, u32 num, int index, union ib_gid *gid)
{
	struct sib_port *port = port_of(base, num);
	u64 guid;

	if (index < 0 || index >= SIB_GUIDS)
		return -EINVAL;
	memset(gid, 0, sizeof(*gid));
	mutex_lock(&port->node->mgmt);
	guid = sib_port_guid(port, index);
	if (guid) {
		gid->global.subnet_prefix = cpu_to_be64(port->info.gid_prefix);
		gid->global.interface_id = cpu_to_be64(guid);
	}
	mutex_unlock(&port->node->mgmt);
	return 0;
}

int sib_query_pkey(struct ib_device *base, u32 num, u16 index, u16 *pkey)
{
	if (index >= SIB_PKEYS)
		return -EINVAL;
	*pkey = sib_port_pkey(port_of(base, num), index);
	return 0;
}

int sib_modify_device(struct ib_device *base, int mask, struct ib_device_modify *change)
{
	struct sib_node *node = to_sib_dev(base)->node;

	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC) {
		mutex_lock(&node->mgmt);
		sib_node_describe(node, change->node_desc, sizeof(node->desc));
		memcpy(base->node_desc, change->node_desc, sizeof(base->node_desc));
		mutex_unlock(&node->mgmt);
	}
	return 0;
}

int sib_process_mad(struct ib_device *base, int flags, u32 num, const struct ib_wc *wc,
		    const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		    size_t *out_size, u16 *out_pkey_index)
{
	struct sib_port *port = port_of(base, num);
	struct sib_fabric *fabric = port->node->fabric;
	enum sib_sma_verdict verdict;

	*out = *in;
	if (sib_pma_takes((const u8 *)in)) {
		sib_pma_process(port, (u8 *)out);
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	}
	if (!mad_class_is_smp(in->mad_hdr.mgmt_class))
		return IB_MAD_RESULT_SUCCESS;
	down_read(&fabric->topology);
	verdict = sib_sma_process(port, (u8 *)out, wc ? wc->slid : 0, flags & IB_MAD_IGNORE_MKEY);
	up_read(&fabric->topology);
	switch (verdict) {
	case SIB_SMA_ANSWERED:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	case SIB_SMA_TAKEN:
	case SIB_SMA_DROPPED:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
}
