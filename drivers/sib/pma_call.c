// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Room for what the attributes of performance management set. */
#include "drivers/sib/pma_call.h"

#include <linux/slab.h>

#include "ibwire/mad.h"

u16 sib_pma_prepare(struct sib_node *node, u8 select, struct sib_pma_ports *ports)
{
	struct sib_port *port;

	if (!sib_pma_select(node, select, ports))
		return MAD_STATUS_BAD_VALUE;
	for (port = ports->first; port <= ports->last; port++) {
		if (!port->cleared)
			port->cleared = kzalloc(sizeof(*port->cleared), GFP_KERNEL);
		if (!port->cleared)
			return MAD_STATUS_BUSY;
	}
	return 0;
}
