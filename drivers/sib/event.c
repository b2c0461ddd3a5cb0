// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Events of a port for the clients of its device. */
#include "drivers/sib/event.h"

#include "drivers/sib/sib.h"

/* Events in the order in which they are reported: a port is active after it has got its LID. */
static const u8 order[] = {
	IB_EVENT_PORT_ERR, IB_EVENT_LID_CHANGE, IB_EVENT_SM_CHANGE, IB_EVENT_GID_CHANGE,
	IB_EVENT_PKEY_CHANGE, IB_EVENT_PORT_ACTIVE, IB_EVENT_CLIENT_REREGISTER,
};

void sib_port_events(struct sib_port *port, u32 events)
{
	struct sib_device *dev;
	struct ib_event event;
	int i;

	lockdep_assert_held(&port->node->fabric->topology);
	dev = rcu_dereference_protected(port->node->device, true);
	if (!dev)
		return;
	event = (struct ib_event) { .device = &dev->soft.base, .element.port_num = port->num };
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		event.event = order[i];
		if (events & BIT(order[i]))
			ib_dispatch_event(&event);
	}
}
