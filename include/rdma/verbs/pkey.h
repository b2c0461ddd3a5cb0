/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * P_Keys: the partitions of InfiniBand. The upper bit of a P_Key is set for full
 * members and clear for limited ones; the lower 15 name the partition.
 */
#ifndef _RDMA_VERBS_PKEY_H_
#define _RDMA_VERBS_PKEY_H_

#include <rdma/verbs/types.h>

/**
 * ib_query_pkey - ask the provider for a P_Key
 * @device: the device
 * @port_num: port number
 * @index: index in the port's table
 * @pkey: out: the P_Key
 *
 * Process context.
 *
 * Return: 0; -EINVAL if there is no such port; -EOPNOTSUPP if the provider has no P_Keys; or the
 * provider's error.
 */
int ib_query_pkey(struct ib_device *device, u32 port_num, u16 index, u16 *pkey);

/**
 * ib_find_pkey - ask the provider for the index of a partition in a port's table
 * @device: the device
 * @port_num: port number
 * @pkey: P_Key; its upper bit is ignored
 * @index: out: index of the partition's P_Key as a full member; if there is none, as a limited one
 *
 * Process context.
 *
 * Return: 0; -ENOENT if the port is no member of the partition; or the error of ib_query_pkey().
 */
int ib_find_pkey(struct ib_device *device, u32 port_num, u16 pkey, u16 *index);

#endif /* _RDMA_VERBS_PKEY_H_ */
