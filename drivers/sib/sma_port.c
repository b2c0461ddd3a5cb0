// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The attribute PortInfo. */
#include "drivers/sib/sma_port.h"

#include "drivers/sib/event.h"
#include "drivers/sib/node.h"
#include "drivers/sib/trap_state.h"

/* The bit of the modifier by which an SM says that it knows extended speeds, and the port. */
#define KNOWS_EXTENDED	0x80000000
#define PORT_MASK	0x000000ff

static struct sib_port *named_port(const struct sib_sma_call *call)
{
	if (call->attr_mod & ~(KNOWS_EXTENDED | PORT_MASK))
		return NULL;
	return sib_sma_port(call, call->attr_mod & PORT_MASK);
}

/* Copies to PortInfo the numbers that the data path counts. */
static void read_violations(struct sib_port *port)
{
	port->info.pkey_violations = atomic_read(&port->pkey_violations);
	port->info.qkey_violations = atomic_read(&port->qkey_violations);
}

static void clear_violations(struct sib_port *port)
{
	if (!port->info.pkey_violations)
		atomic_set(&port->pkey_violations, 0);
	if (!port->info.qkey_violations)
		atomic_set(&port->qkey_violations, 0);
}

u16 sib_sma_get_port_info(struct sib_sma_call *call)
{
	struct sib_port *port = named_port(call);
	struct portinfo info;

	if (!port)
		return MAD_STATUS_BAD_VALUE;
	read_violations(port);
	info = port->info;
	info.local_port = call->in->num;
	info.reregister = call->reregister;
	if (call->hide_mkey)
		info.mkey = 0;
	portinfo_build(call->data, &info);
	return 0;
}

/* Returns what clients of the device learn of a change. */
static u32 events_of(const struct portinfo *old, const struct portinfo *new)
{
	u32 events = 0;

	if (new->lid != old->lid || new->lmc != old->lmc)
		events |= SIB_EVENT(LID_CHANGE);
	if (new->sm_lid != old->sm_lid || new->sm_sl != old->sm_sl)
		events |= SIB_EVENT(SM_CHANGE);
	if (new->gid_prefix != old->gid_prefix)
		events |= SIB_EVENT(GID_CHANGE);
	if (new->state == PORT_STATE_ACTIVE && old->state != PORT_STATE_ACTIVE)
		events |= SIB_EVENT(PORT_ACTIVE);
	return events;
}

u16 sib_sma_set_port_info(struct sib_sma_call *call)
{
	struct sib_port *port = named_port(call);
	struct portinfo wanted, old;
	u16 status;

	if (!port)
		return MAD_STATUS_BAD_VALUE;
	portinfo_parse(call->data, &wanted);
	if (wanted.lid && sib_port_kind(port) != PORTINFO_SWITCH && !sib_trap_prepare(port))
		return MAD_STATUS_BUSY;
	read_violations(port);
	old = port->info;
	status = portinfo_set(&port->info, &wanted, sib_port_kind(port), &call->link);
	if (status)
		return status;
	clear_violations(port);
	/* A new key begins without a lease. */
	port->mkey_leased = false;
	sib_port_publish(port);
	call->port = port;
	call->events = events_of(&old, &port->info);
	call->reregister = wanted.reregister && sib_port_kind(port) != PORTINFO_SWITCH;
	if (call->reregister)
		call->events |= SIB_EVENT(CLIENT_REREGISTER);
	return 0;
}
