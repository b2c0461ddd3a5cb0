/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Cached attributes of a port, for callers that cannot wait for the provider: P_Keys, LMC and
 * state. <rdma/verbs/gid.h> declares the functions for the cached GIDs.
 *
 * The cache is filled from the provider at registration and after each event of the port; handlers
 * of an event already see the new values. The functions may be called in any context. The caller
 * ensures that the device stays registered during the call.
 */
#ifndef _RDMA_IB_CACHE_H_
#define _RDMA_IB_CACHE_H_

#ifdef _IB_CACHE_H
#error "the kernel's <rdma/ib_cache.h> was included before krdma's"
#endif
#define _IB_CACHE_H

#include <rdma/ib_verbs.h>

/**
 * ib_get_cached_pkey - get a P_Key by its index
 * @device: the device
 * @port_num: port number
 * @index: index in the port's table
 * @pkey: out: the P_Key
 *
 * Return: 0; -EINVAL if there is no such port or index.
 */
int ib_get_cached_pkey(struct ib_device *device, u32 port_num, int index, u16 *pkey);

/**
 * ib_find_cached_pkey - find the index of a partition in a port's table
 * @device: the device
 * @port_num: port number
 * @pkey: P_Key; its upper bit is ignored
 * @index: out: index of the partition's P_Key as a full member; if there is none, as a limited one
 *
 * Return: 0; -EINVAL if there is no such port; -ENOENT if the port is no member of the partition.
 */
int ib_find_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);

/**
 * ib_find_exact_cached_pkey - find the index of a P_Key in a port's table
 * @device: the device
 * @port_num: port number
 * @pkey: P_Key; all its bits are compared
 * @index: out: the index
 *
 * Return: 0; -EINVAL if there is no such port; -ENOENT if the table does not have the P_Key.
 */
int ib_find_exact_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);

/**
 * ib_get_cached_lmc - get the number of low bits of its LID that a port ignores
 * @device: the device
 * @port_num: port number
 * @lmc: out: the number of bits
 *
 * Return: 0; -EINVAL if there is no such port.
 */
int ib_get_cached_lmc(struct ib_device *device, u32 port_num, u8 *lmc);

/**
 * ib_get_cached_port_state - get the state of a port
 * @device: the device
 * @port_num: port number
 * @port_active: out: the state
 *
 * Return: 0; -EINVAL if there is no such port.
 */
int ib_get_cached_port_state(struct ib_device *device, u32 port_num,
			     enum ib_port_state *port_active);

/**
 * ib_get_cached_subnet_prefix - get the prefix of the subnet that a port is in
 * @device: the device
 * @port_num: port number
 * @sn_pfx: out: the upper half of the port's first GID, in host order
 *
 * Return: 0; -EINVAL if there is no such port; -ENOENT if it has no GID.
 */
int ib_get_cached_subnet_prefix(struct ib_device *device, u32 port_num, u64 *sn_pfx);

/**
 * ib_cache_gid_type_str - get the name of a type of GID, as files of sysfs have it
 * @gid_type: the type
 */
const char *ib_cache_gid_type_str(enum ib_gid_type gid_type);

/**
 * ib_cache_gid_parse_type_str - find the type of GID that has a name
 * @buf: the name, which may end with a newline
 *
 * Return: &enum ib_gid_type; %IB_GID_TYPE_IB for the name that InfiniBand and RoCE version 1 share;
 * -EINVAL if no type has the name.
 */
int ib_cache_gid_parse_type_str(const char *buf);

/**
 * roce_gid_type_mask_support - get the types of GIDs that a port has
 * @ib_dev: the device
 * @port: a valid port number
 *
 * Return: bit 1 << &enum ib_gid_type for each type.
 */
unsigned long roce_gid_type_mask_support(struct ib_device *ib_dev, u32 port);

#endif /* _RDMA_IB_CACHE_H_ */
