/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* What the devices and nodes are called, and how much they can have. */
#ifndef SIB_LIMITS_H
#define SIB_LIMITS_H

/* The letters "sib", because the fabric has no OUI; and the number of the product. */
#define SIB_VENDOR_ID		0x736962
#define SIB_DEVICE_ID		1

#define SIB_MAX_QP		(16 * 1024)
#define SIB_MAX_QP_WR		(16 * 1024)
#define SIB_MAX_CQ		(64 * 1024)
#define SIB_MAX_CQE		(1024 * 1024)
#define SIB_MAX_MR		(512 * 1024)
#define SIB_MAX_PD		(64 * 1024)
#define SIB_MAX_AH		(1024 * 1024)
#define SIB_MAX_ATTACHED	8192	/* QPs in multicast groups, each group of a QP counts */
#define SIB_MAX_GROUP_QPS	256	/* QPs of a device in a multicast group */
#define SIB_MAX_PAGE_LIST	8192
#define SIB_MTU			4096	/* largest payload of a packet in bytes */

#endif /* SIB_LIMITS_H */
