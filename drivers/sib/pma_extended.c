// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The attribute PortCountersExtended, whose counters are set apart from those of PortCounters. */
#include "drivers/sib/pma_extended.h"

#include <linux/bits.h>
#include <rdma/ib_pma.h>

#include "ibwire/mad.h"

/**
 * struct ext_row - a member, by its place in the attribute and its bit in CounterSelect
 * @counter: counter of the port
 * @without: counter that is subtracted, unless it is the same
 */
struct ext_row {
	enum sib_counter counter;
	enum sib_counter without;
};

#define ALL(counter)	{ counter, counter }

static const struct ext_row ext_rows[SIB_EXT_COUNTERS] = {
	ALL(SIB_XMIT_DATA),
	ALL(SIB_RCV_DATA),
	ALL(SIB_XMIT_PACKETS),
	ALL(SIB_RCV_PACKETS),
	{ SIB_XMIT_PACKETS, SIB_MCAST_XMIT },
	{ SIB_RCV_PACKETS, SIB_MCAST_RCV },
	ALL(SIB_MCAST_XMIT),
	ALL(SIB_MCAST_RCV),
};

static __be64 *members(u8 *data)
{
	return (__be64 *)(data + offsetof(struct ib_pma_portcounters_ext, port_xmit_data));
}

static u64 raw_value(const struct sib_port *port, const struct ext_row *row)
{
	u64 less = 0;

	if (row->without != row->counter)
		less = atomic64_read(&port->count[row->without]);
	return atomic64_read(&port->count[row->counter]) - less;
}

static u64 ext_value(const struct sib_port *port, int i)
{
	struct sib_counter_set set = {};
	s64 more;

	if (port->cleared)
		set = port->cleared->ext[i];
	/* While a multicast packet is being counted, the number of unicast ones is wrong by one. */
	more = raw_value(port, &ext_rows[i]) - set.from;
	return sib_pma_add(set.value, max_t(s64, more, 0));
}

u16 sib_pma_get_extended(struct sib_pma_call *call)
{
	struct ib_pma_portcounters_ext *c = (struct ib_pma_portcounters_ext *)call->data;
	const u8 select = c->port_select;
	const struct sib_port *port;
	struct sib_pma_ports ports;
	u64 sum;
	int i;

	if (!sib_pma_select(call->node, select, &ports))
		return MAD_STATUS_BAD_VALUE;
	memset(call->data, 0, SIB_PMA_DATA_LEN);
	c->port_select = select;
	for (i = 0; i < SIB_EXT_COUNTERS; i++) {
		sum = 0;
		for (port = ports.first; port <= ports.last; port++)
			sum = sib_pma_add(sum, ext_value(port, i));
		members(call->data)[i] = cpu_to_be64(sum);
	}
	return 0;
}

u16 sib_pma_set_extended(struct sib_pma_call *call)
{
	const struct ib_pma_portcounters_ext *c = (struct ib_pma_portcounters_ext *)call->data;
	u16 select = be16_to_cpu(c->counter_select);
	struct sib_pma_ports ports;
	struct sib_port *port;
	u16 status;
	int i;

	status = sib_pma_prepare(call->node, c->port_select, &ports);
	if (status)
		return status;
	for (port = ports.first; port <= ports.last; port++)
		for (i = 0; i < SIB_EXT_COUNTERS; i++)
			if (select & BIT(i))
				port->cleared->ext[i] = (struct sib_counter_set) {
					.from = raw_value(port, &ext_rows[i]),
					.value = be64_to_cpu(members(call->data)[i]),
				};
	return 0;
}
