// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Directed routes. The names C14-9 and C14-13 are those of the rules in IBTA 14.2.2. */

#include "smp.h"
#include "lrh.h"

#define STATUS		4	/* offsets in an SMP */
#define HOP_POINTER	6
#define HOP_COUNT	7

static bool is_returning(const u8 *smp)
{
	return get_unaligned_be16(smp + STATUS) & SMP_DIRECTION;
}

/* Returns SMP_PORT if the node has the port. A path may name ports that do not exist. */
static enum smp_next by_port(const struct smp_node *node, u8 entry, u8 *port)
{
	if (!entry || entry > node->num_ports)
		return SMP_DROP;
	*port = entry;
	return SMP_PORT;
}

/* Returns what comes at the end of the path: the SMP is where it should be, or goes on by a LID. */
static enum smp_next by_lid(const u8 *smp, size_t lid, bool may_forward)
{
	if (get_unaligned_be16(smp + lid) == LID_PERMISSIVE)
		return SMP_HERE;
	return may_forward ? SMP_LID : SMP_DROP;
}

/* Returns whether the path of a request begins at the sender, and not where a LID leads to. */
static bool begins_here(const u8 *smp)
{
	return get_unaligned_be16(smp + SMP_DR_SLID) == LID_PERMISSIVE;
}

enum smp_next smp_start(u8 *smp, const struct smp_node *node, u8 *port)
{
	u8 hops = smp[HOP_COUNT];

	if (hops > SMP_HOPS_MAX)
		return SMP_DROP;
	if (is_returning(smp)) {
		if (smp[HOP_POINTER] != hops + 1)
			return SMP_DROP;
		/* A LID has brought the request from the end of its path: back there. */
		if (hops && get_unaligned_be16(smp + SMP_DR_DLID) != LID_PERMISSIVE)
			return SMP_LID;
		/* C14-13, 1: the response leaves by the port that the request came by. */
		smp[HOP_POINTER]--;
		if (!hops)
			return by_lid(smp, SMP_DR_SLID, true);
		return by_port(node, smp[SMP_RETURN_PATH + hops], port);
	}
	/* C14-9, 1 */
	if (smp[HOP_POINTER])
		return SMP_DROP;
	if (!begins_here(smp))
		return SMP_LID;
	smp[HOP_POINTER] = 1;
	if (!hops)
		return by_lid(smp, SMP_DR_DLID, true);
	return by_port(node, smp[SMP_INITIAL_PATH + 1], port);
}

static enum smp_next step_out(u8 *smp, const struct smp_node *node, u8 *port)
{
	u8 hops = smp[HOP_COUNT], at = smp[HOP_POINTER];

	/* C14-9, 1: a LID has brought the SMP to the switch at which its path begins. */
	if (!at && hops) {
		if (!node->is_switch || begins_here(smp))
			return SMP_DROP;
		smp[HOP_POINTER] = 1;
		return by_port(node, smp[SMP_INITIAL_PATH + 1], port);
	}
	/* C14-9, 2: a switch on the path */
	if (at && at < hops) {
		if (!node->is_switch)
			return SMP_DROP;
		smp[SMP_RETURN_PATH + at] = node->in_port;
		smp[HOP_POINTER] = ++at;
		return by_port(node, smp[SMP_INITIAL_PATH + at], port);
	}
	/* C14-9, 3: the end of the path. Without hops, a LID has brought the SMP. */
	if (at == hops) {
		if (hops)
			smp[SMP_RETURN_PATH + at] = node->in_port;
		smp[HOP_POINTER]++;
		return by_lid(smp, SMP_DR_DLID, node->is_switch);
	}
	/* C14-9, 4 and 5: a LID has brought the SMP from the end of the path */
	return at == hops + 1 ? SMP_HERE : SMP_DROP;
}

static enum smp_next step_back(u8 *smp, const struct smp_node *node, u8 *port)
{
	u8 hops = smp[HOP_COUNT], at = smp[HOP_POINTER];

	/* C14-13, 1 and 2: a switch on the path, or at its end after a LID has brought the SMP */
	if (at >= 2 && at <= hops + 1) {
		if (!node->is_switch)
			return SMP_DROP;
		smp[HOP_POINTER] = --at;
		return by_port(node, smp[SMP_RETURN_PATH + at], port);
	}
	/* C14-13, 3: the begin of the path */
	if (at == 1) {
		smp[HOP_POINTER] = 0;
		return by_lid(smp, SMP_DR_SLID, node->is_switch);
	}
	/* C14-13, 4 and 5 */
	return at ? SMP_DROP : SMP_HERE;
}

enum smp_next smp_step(u8 *smp, const struct smp_node *node, u8 *port)
{
	if (smp[HOP_COUNT] > SMP_HOPS_MAX)
		return SMP_DROP;
	return is_returning(smp) ? step_back(smp, node, port) : step_out(smp, node, port);
}

void smp_make_response(u8 *smp)
{
	smp[offsetof(struct mad_wire, method)] = MAD_METHOD_GET | MAD_METHOD_RESPONSE;
	put_unaligned_be16(get_unaligned_be16(smp + STATUS) | SMP_DIRECTION, smp + STATUS);
}
