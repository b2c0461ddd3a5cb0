// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The agent for performance management. Counters only grow; a Set notes their value, which is
 * subtracted from then on, so that PortCounters and PortCountersExtended are cleared apart.
 */
#include "drivers/sib/pma.h"

#include <rdma/ib_pma.h>

#define RESPONSE_TIME_PMA	8	/* 4.096 us * 2^8: a millisecond */

bool sib_pma_takes(const u8 *mad)
{
	const struct ib_mad_hdr *hdr = (const struct ib_mad_hdr *)mad;

	return hdr->base_version == IB_MGMT_BASE_VERSION &&
	       hdr->mgmt_class == IB_MGMT_CLASS_PERF_MGMT &&
	       (hdr->method == IB_MGMT_METHOD_GET || hdr->method == IB_MGMT_METHOD_SET);
}

/* Returns the port that a request selects, or NULL. A switch has a port 0, too. */
static struct sib_port *selected(struct sib_port *in, u8 num)
{
	struct sib_node *node = in->node;

	if (!num && !sib_node_is_switch(node))
		return NULL;
	return num <= node->num_ports ? &node->ports[num] : NULL;
}

static u16 class_port_info(u8 *data)
{
	struct ib_class_port_info *info = (struct ib_class_port_info *)data;

	memset(data, 0, sizeof(*info));
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = 1;
	info->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH;
	ib_set_cpi_resp_time(info, RESPONSE_TIME_PMA);
	return 0;
}

/* Returns a counter since it was cleared, at most @most. */
static u64 since(const struct sib_port *port, enum sib_counter counter, u64 most)
{
	return min_t(u64, atomic64_read(&port->count[counter]) - port->base[counter], most);
}

static void read_counters(const struct sib_port *port, struct ib_pma_portcounters *c)
{
	const u8 select = c->port_select;

#define C8(counter)	since(port, counter, U8_MAX)
#define C16(counter)	cpu_to_be16(since(port, counter, U16_MAX))
#define C32(counter)	cpu_to_be32(since(port, counter, U32_MAX))
	*c = (struct ib_pma_portcounters) {
		.port_select = select,
		.link_downed_counter = C8(SIB_LINK_DOWNED),
		.port_rcv_errors = C16(SIB_RCV_ERRORS),
		.port_rcv_switch_relay_errors = C16(SIB_RCV_SWITCH_RELAY_ERRORS),
		.port_xmit_discards = C16(SIB_XMIT_DISCARDS),
		.port_xmit_constraint_errors = C8(SIB_XMIT_CONSTRAINT_ERRORS),
		.port_rcv_constraint_errors = C8(SIB_RCV_CONSTRAINT_ERRORS),
		.vl15_dropped = C16(SIB_VL15_DROPPED),
		.port_xmit_data = C32(SIB_XMIT_DATA),
		.port_rcv_data = C32(SIB_RCV_DATA),
		.port_xmit_packets = C32(SIB_XMIT_PACKETS),
		.port_rcv_packets = C32(SIB_RCV_PACKETS),
	};
}

/* Bits of the selection of PortCounters, in the order of the attribute. */
static const struct {
	u16 bit;
	enum sib_counter counter;
} selections[] = {
	{ 0x0004, SIB_LINK_DOWNED },
	{ 0x0008, SIB_RCV_ERRORS },
	{ 0x0020, SIB_RCV_SWITCH_RELAY_ERRORS },
	{ 0x0040, SIB_XMIT_DISCARDS },
	{ 0x0080, SIB_XMIT_CONSTRAINT_ERRORS },
	{ 0x0100, SIB_RCV_CONSTRAINT_ERRORS },
	{ 0x0800, SIB_VL15_DROPPED },
	{ 0x1000, SIB_XMIT_DATA },
	{ 0x2000, SIB_RCV_DATA },
	{ 0x4000, SIB_XMIT_PACKETS },
	{ 0x8000, SIB_RCV_PACKETS },
};

static u64 wanted_value(const struct ib_pma_portcounters *c, enum sib_counter counter)
{
	switch (counter) {
	case SIB_LINK_DOWNED:
		return c->link_downed_counter;
	case SIB_RCV_ERRORS:
		return be16_to_cpu(c->port_rcv_errors);
	case SIB_RCV_SWITCH_RELAY_ERRORS:
		return be16_to_cpu(c->port_rcv_switch_relay_errors);
	case SIB_XMIT_DISCARDS:
		return be16_to_cpu(c->port_xmit_discards);
	case SIB_XMIT_CONSTRAINT_ERRORS:
		return c->port_xmit_constraint_errors;
	case SIB_RCV_CONSTRAINT_ERRORS:
		return c->port_rcv_constraint_errors;
	case SIB_VL15_DROPPED:
		return be16_to_cpu(c->vl15_dropped);
	case SIB_XMIT_DATA:
		return be32_to_cpu(c->port_xmit_data);
	case SIB_RCV_DATA:
		return be32_to_cpu(c->port_rcv_data);
	case SIB_XMIT_PACKETS:
		return be32_to_cpu(c->port_xmit_packets);
	default:
		return be32_to_cpu(c->port_rcv_packets);
	}
}

static void set_counters(struct sib_port *port, const struct ib_pma_portcounters *c)
{
	u16 select = be16_to_cpu(c->counter_select);
	enum sib_counter counter;
	int i;

	for (i = 0; i < ARRAY_SIZE(selections); i++) {
		counter = selections[i].counter;
		if (select & selections[i].bit)
			port->base[counter] = atomic64_read(&port->count[counter]) -
					      wanted_value(c, counter);
	}
}

static u16 port_counters(struct sib_port *in, bool set, u8 *data)
{
	struct ib_pma_portcounters *c = (struct ib_pma_portcounters *)data;
	struct sib_port *port = selected(in, c->port_select);

	if (!port)
		return MAD_STATUS_BAD_VALUE;
	if (set)
		set_counters(port, c);
	read_counters(port, c);
	return 0;
}

static __be64 since_ext(const struct sib_port *port, enum sib_counter counter)
{
	return cpu_to_be64(atomic64_read(&port->count[counter]) -
			   port->base_ext[counter - SIB_XMIT_DATA]);
}

static void set_ext(struct sib_port *port, enum sib_counter counter, bool selected, __be64 value)
{
	if (selected)
		port->base_ext[counter - SIB_XMIT_DATA] =
			atomic64_read(&port->count[counter]) - be64_to_cpu(value);
}

static u16 port_counters_ext(struct sib_port *in, bool set, u8 *data)
{
	struct ib_pma_portcounters_ext *c = (struct ib_pma_portcounters_ext *)data;
	struct sib_port *port = selected(in, c->port_select);
	const u8 select = c->port_select;
	__be16 which = c->counter_select;

	if (!port)
		return MAD_STATUS_BAD_VALUE;
	if (set) {
		set_ext(port, SIB_XMIT_DATA, which & IB_PMA_SELX_PORT_XMIT_DATA,
			c->port_xmit_data);
		set_ext(port, SIB_RCV_DATA, which & IB_PMA_SELX_PORT_RCV_DATA, c->port_rcv_data);
		set_ext(port, SIB_XMIT_PACKETS, which & IB_PMA_SELX_PORT_XMIT_PACKETS,
			c->port_xmit_packets);
		set_ext(port, SIB_RCV_PACKETS, which & IB_PMA_SELX_PORT_RCV_PACKETS,
			c->port_rcv_packets);
	}
	/* All packets are unicast ones. */
	*c = (struct ib_pma_portcounters_ext) {
		.port_select = select,
		.port_xmit_data = since_ext(port, SIB_XMIT_DATA),
		.port_rcv_data = since_ext(port, SIB_RCV_DATA),
		.port_xmit_packets = since_ext(port, SIB_XMIT_PACKETS),
		.port_rcv_packets = since_ext(port, SIB_RCV_PACKETS),
		.port_unicast_xmit_packets = since_ext(port, SIB_XMIT_PACKETS),
		.port_unicast_rcv_packets = since_ext(port, SIB_RCV_PACKETS),
	};
	return 0;
}

static u16 process(struct sib_port *in, struct ib_pma_mad *mad)
{
	bool set = mad->mad_hdr.method == IB_MGMT_METHOD_SET;
	u16 status;

	if (mad->mad_hdr.class_version != 1)
		return MAD_STATUS_BAD_VERSION;
	switch (mad->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		return set ? MAD_STATUS_BAD_ATTR : class_port_info(mad->data);
	case IB_PMA_PORT_COUNTERS:
	case IB_PMA_PORT_COUNTERS_EXT:
		mutex_lock(&in->node->fabric->clearing);
		if (mad->mad_hdr.attr_id == IB_PMA_PORT_COUNTERS)
			status = port_counters(in, set, mad->data);
		else
			status = port_counters_ext(in, set, mad->data);
		mutex_unlock(&in->node->fabric->clearing);
		return status;
	default:
		return MAD_STATUS_BAD_ATTR;
	}
}

void sib_pma_process(struct sib_port *in, u8 *mad)
{
	struct ib_pma_mad *pma = (struct ib_pma_mad *)mad;

	pma->mad_hdr.status = cpu_to_be16(process(in, pma));
	pma->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
}
