// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Parses management datagrams of any content, and sends one with a directed route from node to
 * node. The input has 1 byte with the number of nodes, 1 byte for each node that the datagram comes
 * to, bit 7 for a switch, and its number of ports, and the datagram.
 */

#include "fuzz.h"
#include "ibwire/mad.h"
#include "ibwire/rmpp.h"
#include "ibwire/smp.h"

#define NODES_MAX	80
#define HOP_POINTER	6

static void claim_mad(const uint8_t *buf)
{
	uint8_t out[MAD_LEN];
	struct mad mad, again;
	struct rmpp rmpp;

	if (mad_parse(buf, MAD_LEN, &mad))
		return;
	memcpy(out, buf, sizeof(out));
	mad_build(out, &mad);
	CLAIM(!mad_parse(out, MAD_LEN, &again));
	CLAIM(!memcmp(out + MAD_HDR_LEN, buf + MAD_HDR_LEN, MAD_LEN - MAD_HDR_LEN));
	CLAIM(mad.tid == again.tid && mad.status == again.status && mad.attr_mod == again.attr_mod);
	CLAIM(mad_data_offset(mad.mgmt_class) < MAD_LEN);
	if (!mad_class_has_rmpp(mad.mgmt_class) || rmpp_parse(buf, &rmpp))
		return;
	CLAIM(rmpp.type >= RMPP_DATA && rmpp.type <= RMPP_ABORT);
	rmpp_build(out, &rmpp);
	CLAIM(!memcmp(out + MAD_HDR_LEN, buf + MAD_HDR_LEN, MAD_RMPP_HDR_LEN));
}

/* Claims that a step has changed the hop pointer by one, and one entry of a path at most. */
static void claim_step(const uint8_t *before, const uint8_t *after, enum smp_next next,
		       const struct smp_node *node, uint8_t port)
{
	unsigned int returns = 0;

	CLAIM(next != SMP_PORT || (port && port <= node->num_ports));
	for (size_t i = 0; i < MAD_LEN; i++) {
		if (before[i] == after[i])
			continue;
		CLAIM(i == HOP_POINTER || i > SMP_RETURN_PATH);
		if (i == HOP_POINTER)
			CLAIM(after[i] == (uint8_t)(before[i] + 1) ||
			      after[i] == (uint8_t)(before[i] - 1));
		else
			CLAIM(!returns++ && after[i] == node->in_port);
	}
}

/* Sends the SMP on until it is dropped or at its end; claims that the hops are not too many. */
static void walk(uint8_t *smp, const uint8_t *nodes, size_t num_nodes)
{
	uint8_t before[MAD_LEN], port = 0;
	enum smp_next next = SMP_PORT;
	size_t i;

	for (i = 0; i < num_nodes && next == SMP_PORT; i++) {
		struct smp_node node = { nodes[i] & 0x80, nodes[i] & 0x7f, i ? port : 0 };

		memcpy(before, smp, MAD_LEN);
		next = i ? smp_step(smp, &node, &port) : smp_start(smp, &node, &port);
		claim_step(before, smp, next, &node, port);
	}
	CLAIM(i <= SMP_PATH_LEN + 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t nodes[NODES_MAX], *smp;
	size_t num_nodes = take(&in, 1) % (NODES_MAX + 1);

	for (size_t i = 0; i < num_nodes; i++)
		nodes[i] = take(&in, 1);
	if (in.len < MAD_LEN)
		return 0;
	smp = exact(in.at, MAD_LEN);
	claim_mad(smp);
	walk(smp, nodes, num_nodes);
	smp_make_response(smp);
	walk(smp, nodes, num_nodes);
	free(smp);
	return 0;
}
