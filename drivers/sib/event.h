/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Events of a port for the clients of its device. */
#ifndef SIB_EVENT_H
#define SIB_EVENT_H

#include <linux/bits.h>
#include <rdma/ib_verbs.h>

#include "drivers/sib/model.h"

#define SIB_EVENT(name)	BIT(IB_EVENT_##name)

/**
 * sib_port_events() - report events of a port
 * @port: the port; has no effect unless its node is a device
 * @events: bits of &enum ib_event_type
 *
 * Called with sib_fabric.topology held. Handlers of the events run later, in a work item of the
 * core.
 */
void sib_port_events(struct sib_port *port, u32 events);

#endif /* SIB_EVENT_H */
