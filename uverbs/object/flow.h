/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Flows of processes, and flow actions, which tell what is done with the packets of a flow.
 */
#ifndef _KRDMA_UVERBS_OBJECT_FLOW_H_
#define _KRDMA_UVERBS_OBJECT_FLOW_H_

#include "uverbs/frame/object.h"

struct ib_uverbs_flow_attr;

extern const struct uverbs_object_type uverbs_flow_type, uverbs_flow_action_type;

/**
 * uverbs_create_flow - steer packets to a QP
 * @call: the call
 * @qp: handle of the QP
 * @attr: attributes of the flow; @attr->size bytes of specifications follow them
 *
 * Return: 0; -EOPNOTSUPP: the device has no flows; -EPERM: the process lacks CAP_NET_RAW; -EINVAL:
 * the attributes or the specifications are not valid; or another errno.
 */
int uverbs_create_flow(struct uverbs_attr_bundle *call, u32 qp,
		       const struct ib_uverbs_flow_attr *attr);

/* Each returns 0; -EOPNOTSUPP: the device has no flows, or no flow actions; or another errno. */
int uverbs_destroy_flow(struct uverbs_attr_bundle *call, u32 handle);
int uverbs_destroy_flow_action(struct uverbs_attr_bundle *call, u32 handle);

#endif /* _KRDMA_UVERBS_OBJECT_FLOW_H_ */
