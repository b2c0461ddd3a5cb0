/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Virtual functions of an InfiniBand device, as the network interface of its port configures them.
 */
#ifndef _RDMA_VERBS_VF_H_
#define _RDMA_VERBS_VF_H_

#include <rdma/verbs/types.h>

struct ifla_vf_guid;
struct ifla_vf_info;
struct ifla_vf_stats;

/**
 * ib_set_vf_link_state - set the link state of a virtual function
 * @device: the device
 * @vf: number of the virtual function
 * @port: port number
 * @state: the state, an IFLA_VF_LINK_STATE_ constant
 *
 * Process context, may sleep.
 *
 * Return: 0; -EOPNOTSUPP if the device has no virtual functions; -EINVAL if there is no such port;
 * or the provider's error, which is -EINVAL if there is no such virtual function.
 */
int ib_set_vf_link_state(struct ib_device *device, int vf, u32 port, int state);

/**
 * ib_get_vf_config - get the configuration of a virtual function
 * @device: the device
 * @vf: number of the virtual function
 * @port: port number
 * @info: out: the configuration
 *
 * See ib_set_vf_link_state().
 *
 * Return: as ib_set_vf_link_state().
 */
int ib_get_vf_config(struct ib_device *device, int vf, u32 port, struct ifla_vf_info *info);

/**
 * ib_get_vf_stats - get the statistics of a virtual function
 * @device: the device
 * @vf: number of the virtual function
 * @port: port number
 * @stats: out: the statistics
 *
 * See ib_set_vf_link_state().
 *
 * Return: as ib_set_vf_link_state().
 */
int ib_get_vf_stats(struct ib_device *device, int vf, u32 port, struct ifla_vf_stats *stats);

/**
 * ib_get_vf_guid - get the GUIDs of a virtual function
 * @device: the device
 * @vf: number of the virtual function
 * @port: port number
 * @node_guid: out: GUID of the node
 * @port_guid: out: GUID of the port
 *
 * See ib_set_vf_link_state().
 *
 * Return: as ib_set_vf_link_state().
 */
int ib_get_vf_guid(struct ib_device *device, int vf, u32 port, struct ifla_vf_guid *node_guid,
		   struct ifla_vf_guid *port_guid);

/**
 * ib_set_vf_guid - set a GUID of a virtual function
 * @device: the device
 * @vf: number of the virtual function
 * @port: port number
 * @guid: the GUID, in host order
 * @type: which GUID: IFLA_VF_IB_NODE_GUID or IFLA_VF_IB_PORT_GUID
 *
 * See ib_set_vf_link_state().
 *
 * Return: as ib_set_vf_link_state().
 */
int ib_set_vf_guid(struct ib_device *device, int vf, u32 port, u64 guid, int type);

#endif /* _RDMA_VERBS_VF_H_ */
