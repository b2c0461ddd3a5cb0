/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lists of objects: nldev_res.c walks the resource table, and nldev_res_kinds.c describes an object
 * of each kind.
 */
#ifndef _IB_CORE_NLDEV_RES_H
#define _IB_CORE_NLDEV_RES_H

#include <linux/types.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

/**
 * struct nldev_res_reader - the reader of an object's description
 * @admin: the reader has CAP_NET_ADMIN, and may see the keys and addresses of memory
 * @port: number of the port whose objects the reader asks for; 0: all ports
 * @brief: a list inside the object's description may be cut where the message ends
 */
struct nldev_res_reader {
	bool admin;
	u32 port;
	bool brief;
};

/**
 * struct nldev_res_kind - how objects of a kind are requested and described
 * @type: kind in the resource table
 * @number: attribute of a request that names one object
 * @table: attribute that encloses all objects of a message
 * @entry: attribute that encloses one object
 * @needs: offset, in struct ib_device_ops, of the method that is needed to describe objects of
 *	this kind; 0: no method is needed
 * @put: puts the description of an object. Returns 0; -EMSGSIZE if the message is too short;
 *	-ENOENT if the reader must not see the object, or has asked for objects of another port; or
 *	the error that prevented the description
 */
struct nldev_res_kind {
	enum rdma_restrack_type type;
	u16 number;
	u16 table;
	u16 entry;
	size_t needs;
	int (*put)(struct sk_buff *msg, struct rdma_restrack_entry *res,
		   const struct nldev_res_reader *reader);
};

/* Indexed by the netlink command that asks for objects, such as RDMA_NLDEV_CMD_RES_QP_GET. */
extern const struct nldev_res_kind nldev_res_kinds[RDMA_NLDEV_NUM_OPS];

#endif /* _IB_CORE_NLDEV_RES_H */
