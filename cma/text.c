// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Texts for events and rejections. The functions are declared in <rdma/rdma_cm.h>.
 */
#include <linux/export.h>
#include <linux/kernel.h>

#include "cma/cma.h"
#include "cma/device.h"
#include "cma/transport.h"

static const char *const event_names[] = {
	[RDMA_CM_EVENT_ADDR_RESOLVED]	 = "address resolved",
	[RDMA_CM_EVENT_ADDR_ERROR]	 = "address not resolved",
	[RDMA_CM_EVENT_ROUTE_RESOLVED]	 = "route resolved",
	[RDMA_CM_EVENT_ROUTE_ERROR]	 = "route not resolved",
	[RDMA_CM_EVENT_CONNECT_REQUEST]	 = "connection requested",
	[RDMA_CM_EVENT_CONNECT_RESPONSE] = "connection accepted by the peer",
	[RDMA_CM_EVENT_CONNECT_ERROR]	 = "connection failed",
	[RDMA_CM_EVENT_UNREACHABLE]	 = "peer unreachable",
	[RDMA_CM_EVENT_REJECTED]	 = "connection rejected by the peer",
	[RDMA_CM_EVENT_ESTABLISHED]	 = "connection established",
	[RDMA_CM_EVENT_DISCONNECTED]	 = "connection ended",
	[RDMA_CM_EVENT_DEVICE_REMOVAL]	 = "device is going",
	[RDMA_CM_EVENT_MULTICAST_JOIN]	 = "multicast group joined",
	[RDMA_CM_EVENT_MULTICAST_ERROR]	 = "multicast group not joined",
	[RDMA_CM_EVENT_ADDR_CHANGE]	 = "link address changed",
	[RDMA_CM_EVENT_TIMEWAIT_EXIT]	 = "QP may be used again",
	[RDMA_CM_EVENT_ADDRINFO_RESOLVED] = "service resolved",
	[RDMA_CM_EVENT_ADDRINFO_ERROR]	 = "service not resolved",
	[RDMA_CM_EVENT_USER]		 = "event of a process",
	[RDMA_CM_EVENT_INTERNAL]	 = "no event",
};

const char *__attribute_const__ rdma_event_msg(enum rdma_cm_event_type event)
{
	unsigned int index = event;

	return index < ARRAY_SIZE(event_names) ? event_names[index] : "unknown event";
}
EXPORT_SYMBOL(rdma_event_msg);

const char *__attribute_const__ rdma_reject_msg(struct rdma_cm_id *base, int reason)
{
	const struct cma_device *dev = to_cma_id(base)->dev;

	return dev ? dev->transport->reject_msg(reason) : "no device";
}
EXPORT_SYMBOL(rdma_reject_msg);

bool rdma_is_consumer_reject(struct rdma_cm_id *base, int reason)
{
	const struct cma_device *dev = to_cma_id(base)->dev;

	return dev && dev->transport->is_consumer_reject(reason);
}
EXPORT_SYMBOL(rdma_is_consumer_reject);

const void *rdma_consumer_reject_data(struct rdma_cm_id *base, struct rdma_cm_event *ev,
				      u8 *data_len)
{
	if (!rdma_is_consumer_reject(base, ev->status)) {
		*data_len = 0;
		return NULL;
	}
	*data_len = ev->param.conn.private_data_len;
	return ev->param.conn.private_data;
}
EXPORT_SYMBOL(rdma_consumer_reject_data);
