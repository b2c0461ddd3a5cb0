/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lists of objects: what the machinery that walks through them (nldev_res.c) and the description of
 * each kind (nldev_res_kinds.c) share.
 */
#ifndef _IB_CORE_NLDEV_RES_H
#define _IB_CORE_NLDEV_RES_H

#include <rdma/restrack.h>
#include "core/nldev.h"

/**
 * struct nldev_res_reader - whom an object is described to
 * @admin: may see keys and addresses
 * @port: wants objects of this port only; 0: of all
 * @brief: of a list that an object has, as much as finds room is enough
 */
struct nldev_res_reader {
	bool admin;
	u32 port;
	bool brief;
};

/**
 * struct nldev_res_kind - how objects of a kind are asked for and described
 * @type: in the resource table
 * @number: attribute that names one in a request
 * @table: attribute around all of a message
 * @entry: attribute around one of them
 * @needs: offset in struct ib_device_ops of the method without which nothing can be told, or 0
 * @put: describes one: 0; -EMSGSIZE, or -ENOENT when this reader is not to see it; or why nothing
 *	is known of it
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

/* By number of the command. */
extern const struct nldev_res_kind nldev_res_kinds[RDMA_NLDEV_NUM_OPS];

#endif /* _IB_CORE_NLDEV_RES_H */
