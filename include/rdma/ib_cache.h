/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the core caches of a port, for callers that cannot wait for the provider: P_Keys, LMC and
 * state here, GIDs in <rdma/verbs/gid.h>.
 *
 * The cache is filled from the provider at registration and after each event of the port; handlers
 * of an event already see the new values. The functions may be called in any context, for a device
 * that the caller keeps registered.
 */
#ifndef _RDMA_IB_CACHE_H_
#define _RDMA_IB_CACHE_H_

#include <rdma/ib_verbs.h>

/**
 * ib_get_cached_pkey - a P_Key by its index
 * @device: the device
 * @port_num: port number
 * @index: place in the port's table
 * @pkey: result
 *
 * Return: 0; -EINVAL: no such port or place.
 */
int ib_get_cached_pkey(struct ib_device *device, u32 port_num, int index, u16 *pkey);

/**
 * ib_find_cached_pkey - where a partition is in a port's table
 * @device: the device
 * @port_num: port number
 * @pkey: P_Key; its upper bit does not count
 * @index: result: where the port is a full member, or else a limited one
 *
 * Return: 0; -EINVAL: no such port; -ENOENT.
 */
int ib_find_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);

/**
 * ib_find_exact_cached_pkey - where a P_Key is in a port's table
 * @device: the device
 * @port_num: port number
 * @pkey: P_Key with all its bits
 * @index: result
 *
 * Return: 0; -EINVAL: no such port; -ENOENT.
 */
int ib_find_exact_cached_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);

/**
 * ib_get_cached_lmc - how many low bits of its LID a port ignores
 * @device: the device
 * @port_num: port number
 * @lmc: result
 *
 * Return: 0; -EINVAL: no such port.
 */
int ib_get_cached_lmc(struct ib_device *device, u32 port_num, u8 *lmc);

/**
 * ib_get_cached_port_state - state of a port
 * @device: the device
 * @port_num: port number
 * @port_active: result
 *
 * Return: 0; -EINVAL: no such port.
 */
int ib_get_cached_port_state(struct ib_device *device, u32 port_num,
			     enum ib_port_state *port_active);

#endif /* _RDMA_IB_CACHE_H_ */
