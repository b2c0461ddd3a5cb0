// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Multicast: each switch sends copies by the ports that its table has for the LID, except the one
 * that the packet came by.
 *
 * A walk in depth, in a loop. Tables that make no tree would multiply a packet without end. As a
 * packet crosses each link of a tree once at most, no more copies are made than the fabric has
 * links.
 */
#include "drivers/sib/multicast.h"

#include "drivers/sib/forward.h"
#include "drivers/sib/receive.h"

/**
 * struct branch - a switch at which the walk is
 * @in: port by which the packet has come
 * @next: first port that was not looked at yet
 */
struct branch {
	struct sib_port *in;
	u16 next;
};

/**
 * struct walk - a packet that is being copied
 * @packet: the packet
 * @left: copies that may still be made
 * @depth: switches between the sender and the walk's place, which is the last of them
 * @at: these switches
 */
struct walk {
	struct sib_packet *packet;
	u32 left;
	int depth;
	struct branch at[SIB_HOPS_MAX];
};

/* Returns the default port for LIDs beyond the table, or SWITCH_PORT_NONE. */
static u8 default_port(const struct sib_port *in)
{
	const struct sib_switch *sw = &in->node->sw;
	u8 num = READ_ONCE(sw->mcast_primary);

	return num == in->num ? READ_ONCE(sw->mcast_other) : num;
}

static bool is_beyond_table(const struct sib_switch *sw, u16 dlid)
{
	u16 top = READ_ONCE(sw->mcast_top);

	return (top && dlid > top) || dlid - LID_MULTICAST_MIN >= SIB_MULTICAST_CAP;
}

/* Returns whether the table has @num for the LID. */
static bool table_has(const struct sib_switch *sw, u16 dlid, int num)
{
	const struct sib_mft *mft = rcu_dereference(sw->mft);
	u32 index = dlid - LID_MULTICAST_MIN;
	__be16 mask;

	if (!mft || index >= mft->len)
		return false;
	mask = READ_ONCE(mft->mask[index * sw->positions + num / PORTS_PER_POSITION]);
	return be16_to_cpu(mask) >> num % PORTS_PER_POSITION & 1;
}

/*
 * Returns the first port from @num on that gets a copy of what came by @in; @in itself counts if
 * @with_in. Returns -1 if there is none.
 */
static int next_port(const struct sib_port *in, u16 dlid, int num, bool with_in)
{
	const struct sib_node *node = in->node;
	bool beyond = is_beyond_table(&node->sw, dlid);

	for (; num <= node->num_ports; num++) {
		if (num == in->num && !with_in)
			continue;
		if (beyond ? num == default_port(in) : table_has(&node->sw, dlid, num))
			return num;
	}
	return -1;
}

/* Goes on at a switch to which the packet has come. */
static void enter_switch(struct walk *walk, struct sib_port *in)
{
	if (walk->depth == SIB_HOPS_MAX ||
	    next_port(in, walk->packet->dlid, 0, true) < 0) {
		sib_count(in, SIB_RCV_SWITCH_RELAY_ERRORS);
		return;
	}
	walk->at[walk->depth++] = (struct branch) { .in = in };
}

/* Lets the packet in by a port. */
static void come_in(struct walk *walk, struct sib_port *in)
{
	if (!sib_enter(in, walk->packet))
		return;
	if (sib_node_is_switch(in->node))
		enter_switch(walk, in);
	else
		sib_receive(in, walk->packet);
}

/* Sends a copy across the link of a port. @in_num: port of the node that the packet came by. */
static void send_copy(struct walk *walk, struct sib_port *out, u8 in_num)
{
	struct sib_port *in = sib_leave(out, in_num, walk->packet);

	walk->left--;
	if (in)
		come_in(walk, in);
}

/* Looks at the next port of the last switch. Returns false if the walk has to end. */
static bool take_step(struct walk *walk)
{
	struct branch *branch = &walk->at[walk->depth - 1];
	struct sib_node *node = branch->in->node;
	int num;

	num = next_port(branch->in, walk->packet->dlid, branch->next, false);
	if (num < 0) {
		walk->depth--;
		return true;
	}
	branch->next = num + 1;
	if (!num) {
		sib_receive(&node->ports[0], walk->packet);
		return true;
	}
	if (!walk->left) {
		sib_count(branch->in, SIB_RCV_SWITCH_RELAY_ERRORS);
		return false;
	}
	send_copy(walk, &node->ports[num], branch->in->num);
	return true;
}

void sib_multicast_send(struct sib_port *from, struct sib_packet *packet)
{
	struct walk walk = {
		.packet = packet,
		.left = READ_ONCE(from->node->fabric->num_links),
	};

	if (READ_ONCE(from->state) != PORT_STATE_ACTIVE || !walk.left) {
		sib_count(from, SIB_XMIT_DISCARDS);
		return;
	}
	/* No switch sends a packet back, so a CA gives copies to its own QPs itself. */
	sib_receive(from, packet);
	if (sib_node_is_switch(from->node))
		enter_switch(&walk, from);
	else
		send_copy(&walk, from, from->num);
	while (walk.depth && take_step(&walk))
		;
}

void sib_multicast_arrive(struct sib_port *in, struct sib_packet *packet)
{
	struct walk walk = {
		.packet = packet,
		.left = READ_ONCE(in->node->fabric->num_links),
	};

	come_in(&walk, in);
	while (walk.depth && take_step(&walk))
		;
}
