/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * GUIDs, which are assigned locally. Those of a default fabric have the number of its network
 * namespace, which is larger than any number of a fabric in configfs:
 *
 *	0x0253 (16 bits) | number of the namespace (32) | port of the switch (8) | port (8)
 *	0x0253 (16 bits) | 0 (4) | number of the fabric (20) | number of the node (16) | port (8)
 */
#ifndef SIB_GUID_H
#define SIB_GUID_H

#include <linux/types.h>

#define SIB_GUID_PREFIX		(0x0253ULL << 48)
#define SIB_GUID_FABRICS	0xfffff	/* largest number of a fabric */
#define SIB_GUID_NODE_SHIFT	8

/* Returns the GUID from which those of a namespace's default fabric are made. */
static inline u64 sib_guid_of_net(u32 inum)
{
	return SIB_GUID_PREFIX | (u64)inum << 16;
}

/* Returns the same for a fabric in configfs. @number: 1 to SIB_GUID_FABRICS. */
static inline u64 sib_guid_of_fabric(u32 number)
{
	return SIB_GUID_PREFIX | (u64)number << 24;
}

#endif /* SIB_GUID_H */
