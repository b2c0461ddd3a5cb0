// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Links. A link is up if both ports have a peer, the cable is plugged in, no port is disabled, at
 * least one polls, and they have a width and a speed in common.
 *
 * The state of a link is that of two ports, at two nodes. sib_fabric.links keeps changes apart, and
 * the mgmt of each node is taken after that of the other one was released.
 */
#include "drivers/sib/link.h"

#include <linux/log2.h>

#include "drivers/sib/event.h"
#include "drivers/sib/node.h"
#include "drivers/sib/trap_state.h"

static struct sib_port *peer_of(struct sib_port *port)
{
	return rcu_dereference_protected(port->peer,
					 lockdep_is_held(&port->node->fabric->topology));
}

/* Notes a change of a port's state, which the SM asks the switch for, and hears of by a trap. */
static void note_change(struct sib_port *port)
{
	struct sib_node *node = port->node;

	lockdep_assert_held(&node->mgmt);
	if (!sib_node_is_switch(node))
		return;
	node->sw.info.state_change = true;
	sib_trap_raise(&node->ports[0], SIB_TRAP_LINK_STATE, 0);
}

/* Takes a port down. @quietly: the SM has set the state, and need not be told. */
static void go_down(struct sib_port *port, bool quietly)
{
	u32 events = 0;

	mutex_lock(&port->node->mgmt);
	if (port->info.state != PORT_STATE_DOWN) {
		if (port->info.state == PORT_STATE_ACTIVE)
			events = SIB_EVENT(PORT_ERR);
		port->info.state = PORT_STATE_DOWN;
		sib_count(port, SIB_LINK_DOWNED);
		if (!quietly)
			note_change(port);
	}
	port->info.phys_state = port->phys_wanted;
	sib_port_publish(port);
	mutex_unlock(&port->node->mgmt);
	sib_port_events(port, events);
}

static void go_up(struct sib_port *port, u8 width, u8 speed)
{
	mutex_lock(&port->node->mgmt);
	port->info.state = PORT_STATE_INIT;
	port->info.phys_state = PORT_PHYS_LINK_UP;
	port->info.width_active = width;
	port->info.speed_active = speed;
	note_change(port);
	sib_port_publish(port);
	mutex_unlock(&port->node->mgmt);
}

/* Settings of a port that its link depends on. */
struct offer {
	u8 phys;
	u8 widths;
	u8 speeds;
	u8 state;
};

static struct offer offer_of(struct sib_port *port)
{
	struct offer offer;

	mutex_lock(&port->node->mgmt);
	offer = (struct offer) {
		.phys = port->phys_wanted,
		.widths = port->info.width_enabled,
		.speeds = port->info.speed_enabled,
		.state = port->info.state,
	};
	mutex_unlock(&port->node->mgmt);
	return offer;
}

/* Brings a link up that is down and can come up. */
static void train(struct sib_port *a, struct sib_port *b)
{
	struct offer x = offer_of(a), y = offer_of(b);
	u8 widths = x.widths & y.widths, speeds = x.speeds & y.speeds;
	u8 width, speed;

	lockdep_assert_held(&a->node->fabric->links);
	if (a->unplugged || x.state != PORT_STATE_DOWN || !widths || !speeds)
		return;
	if (x.phys == PORT_PHYS_DISABLED || y.phys == PORT_PHYS_DISABLED)
		return;
	if (x.phys != PORT_PHYS_POLLING && y.phys != PORT_PHYS_POLLING)
		return;
	width = rounddown_pow_of_two(widths);
	speed = rounddown_pow_of_two(speeds);
	go_up(a, width, speed);
	go_up(b, width, speed);
}

void sib_link_connect(struct sib_port *a, struct sib_port *b)
{
	struct sib_fabric *fabric = a->node->fabric;

	lockdep_assert_held_write(&fabric->topology);
	rcu_assign_pointer(a->peer, b);
	rcu_assign_pointer(b->peer, a);
	WRITE_ONCE(fabric->num_links, fabric->num_links + 1);
	mutex_lock(&fabric->links);
	train(a, b);
	mutex_unlock(&fabric->links);
}

void sib_link_disconnect(struct sib_port *a)
{
	struct sib_fabric *fabric = a->node->fabric;
	struct sib_port *b = peer_of(a);

	lockdep_assert_held_write(&fabric->topology);
	if (!b)
		return;
	RCU_INIT_POINTER(a->peer, NULL);
	RCU_INIT_POINTER(b->peer, NULL);
	WRITE_ONCE(fabric->num_links, fabric->num_links - 1);
	mutex_lock(&fabric->links);
	a->unplugged = false;
	b->unplugged = false;
	go_down(a, false);
	go_down(b, false);
	mutex_unlock(&fabric->links);
}

int sib_link_plug(struct sib_port *a, bool in)
{
	struct sib_fabric *fabric = a->node->fabric;
	struct sib_port *b = peer_of(a);

	if (!b)
		return -ENOTCONN;
	mutex_lock(&fabric->links);
	a->unplugged = !in;
	b->unplugged = !in;
	if (in) {
		train(a, b);
	} else {
		go_down(a, false);
		go_down(b, false);
	}
	mutex_unlock(&fabric->links);
	return 0;
}

void sib_link_retrain(struct sib_port *a)
{
	struct sib_fabric *fabric = a->node->fabric;
	struct sib_port *b = peer_of(a);

	if (!b)
		return;
	mutex_lock(&fabric->links);
	train(a, b);
	mutex_unlock(&fabric->links);
}

/* Sets the physical state that the port has without a link. */
static void want(struct sib_port *port, enum portinfo_link change)
{
	mutex_lock(&port->node->mgmt);
	switch (change) {
	case PORTINFO_LINK_SLEEP:
		port->phys_wanted = PORT_PHYS_SLEEP;
		break;
	case PORTINFO_LINK_POLL:
		port->phys_wanted = PORT_PHYS_POLLING;
		break;
	case PORTINFO_LINK_DISABLE:
		port->phys_wanted = PORT_PHYS_DISABLED;
		break;
	default:
		/* A port that is disabled stays so. */
		if (port->phys_wanted != PORT_PHYS_DISABLED)
			port->phys_wanted = port->info.down_default;
		break;
	}
	mutex_unlock(&port->node->mgmt);
}

void sib_link_change(struct sib_port *port, enum portinfo_link change)
{
	struct sib_fabric *fabric = port->node->fabric;
	struct sib_port *peer = peer_of(port);

	if (change == PORTINFO_LINK_KEEP)
		return;
	mutex_lock(&fabric->links);
	want(port, change);
	go_down(port, change == PORTINFO_LINK_DOWN);
	if (peer) {
		go_down(peer, false);
		train(port, peer);
	}
	mutex_unlock(&fabric->links);
}
