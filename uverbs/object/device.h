/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Queries of the device and its ports. Each returns 0 or an errno.
 */
#ifndef _KRDMA_UVERBS_OBJECT_DEVICE_H_
#define _KRDMA_UVERBS_OBJECT_DEVICE_H_

#include <linux/types.h>

struct ib_uverbs_ex_query_device_resp;
struct ib_uverbs_query_device_resp;
struct ib_uverbs_query_port_resp_ex;
struct uverbs_attr_bundle;

int uverbs_query_device(struct uverbs_attr_bundle *call, struct ib_uverbs_query_device_resp *resp);
int uverbs_query_device_ex(struct uverbs_attr_bundle *call,
			   struct ib_uverbs_ex_query_device_resp *resp);
int uverbs_query_port(struct uverbs_attr_bundle *call, u8 port,
		      struct ib_uverbs_query_port_resp_ex *resp);

#endif /* _KRDMA_UVERBS_OBJECT_DEVICE_H_ */
