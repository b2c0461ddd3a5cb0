// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Virtual functions of devices.
 */
#include <linux/export.h>
#include <rdma/ib_verbs.h>

/* Calls an operation on a virtual function, unless the provider lacks it or the port is wrong. */
#define vf_op(device, port, op, args...)						\
	(!(device)->ops.op ? -EOPNOTSUPP :						\
	 !rdma_is_port_valid((device), (port)) ? -EINVAL : (device)->ops.op(args))

int ib_set_vf_link_state(struct ib_device *device, int vf, u32 port, int state)
{
	return vf_op(device, port, set_vf_link_state, device, vf, port, state);
}
EXPORT_SYMBOL(ib_set_vf_link_state);

int ib_get_vf_config(struct ib_device *device, int vf, u32 port, struct ifla_vf_info *info)
{
	return vf_op(device, port, get_vf_config, device, vf, port, info);
}
EXPORT_SYMBOL(ib_get_vf_config);

int ib_get_vf_stats(struct ib_device *device, int vf, u32 port, struct ifla_vf_stats *stats)
{
	return vf_op(device, port, get_vf_stats, device, vf, port, stats);
}
EXPORT_SYMBOL(ib_get_vf_stats);

int ib_get_vf_guid(struct ib_device *device, int vf, u32 port, struct ifla_vf_guid *node_guid,
		   struct ifla_vf_guid *port_guid)
{
	return vf_op(device, port, get_vf_guid, device, vf, port, node_guid, port_guid);
}
EXPORT_SYMBOL(ib_get_vf_guid);

int ib_set_vf_guid(struct ib_device *device, int vf, u32 port, u64 guid, int type)
{
	return vf_op(device, port, set_vf_guid, device, vf, port, guid, type);
}
EXPORT_SYMBOL(ib_set_vf_guid);
