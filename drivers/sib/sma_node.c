// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Attributes of a node: NodeDescription, NodeInfo, SwitchInfo, LedInfo. */
#include "drivers/sib/sma_node.h"

#include "drivers/sib/limits.h"
#include "drivers/sib/node.h"

u16 sib_sma_get_node_desc(struct sib_sma_call *call)
{
	memcpy(call->data, call->node->desc, sizeof(call->node->desc));
	return 0;
}

u16 sib_sma_get_node_info(struct sib_sma_call *call)
{
	const struct sib_node *node = call->node;
	const struct nodeinfo info = {
		.type = node->type,
		.num_ports = node->num_ports,
		.system_guid = node->system_guid,
		.node_guid = node->guid,
		.port_guid = sib_port_end(call->in)->guid,
		.partition_cap = SIB_PKEYS,
		.device_id = SIB_DEVICE_ID,
		.local_port = call->in->num,
		.vendor_id = SIB_VENDOR_ID,
	};

	nodeinfo_build(call->data, &info);
	return 0;
}

u16 sib_sma_get_switch_info(struct sib_sma_call *call)
{
	if (!sib_node_is_switch(call->node))
		return MAD_STATUS_BAD_ATTR;
	switchinfo_build(call->data, &call->node->sw.info);
	return 0;
}

u16 sib_sma_set_switch_info(struct sib_sma_call *call)
{
	struct sib_switch *sw = &call->node->sw;
	struct switchinfo wanted;
	u16 status;

	if (!sib_node_is_switch(call->node))
		return MAD_STATUS_BAD_ATTR;
	switchinfo_parse(call->data, &wanted);
	status = switchinfo_set(&sw->info, &wanted, call->node->num_ports);
	if (!status)
		sib_switch_publish(sw);
	return status;
}

u16 sib_sma_get_led_info(struct sib_sma_call *call)
{
	put_unaligned_be32(call->node->led ? LED_ON : 0, call->data);
	return 0;
}

u16 sib_sma_set_led_info(struct sib_sma_call *call)
{
	return ledinfo_set(call->data, &call->node->led);
}
