// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The attribute PortCounters. The counters of a port only grow; a Set notes what is subtracted from
 * then on, so that PortCounters and PortCountersExtended are set apart. A member stays at its
 * maximum.
 *
 * Members without a row are always 0, because what they count does not happen inside one kernel:
 * errors of symbols, of links and of buffers, and packets that another port has marked as bad.
 */
#include "drivers/sib/pma_counters.h"

#include <linux/bits.h>
#include <rdma/ib_pma.h>

#include "ibwire/mad.h"

/* CounterSelect2 follows CounterSelect in this number. */
#define SELECT2_SHIFT	16

/**
 * struct counter_row - a member of PortCounters
 * @select: its bit in CounterSelect and CounterSelect2
 * @at: offset in bytes
 * @len: length in bytes
 * @counter: counter of the port
 */
struct counter_row {
	u32 select;
	u8 at;
	u8 len;
	enum sib_counter counter;
};

#define COUNTER_ROW(bit, member, number)					\
	{								\
		.select = BIT(bit),					\
		.at = offsetof(struct ib_pma_portcounters, member),	\
		.len = sizeof_field(struct ib_pma_portcounters, member), \
		.counter = number,					\
	}

static const struct counter_row rows[] = {
	COUNTER_ROW(2, link_downed_counter, SIB_LINK_DOWNED),
	COUNTER_ROW(3, port_rcv_errors, SIB_RCV_ERRORS),
	COUNTER_ROW(5, port_rcv_switch_relay_errors, SIB_RCV_SWITCH_RELAY_ERRORS),
	COUNTER_ROW(6, port_xmit_discards, SIB_XMIT_DISCARDS),
	COUNTER_ROW(7, port_xmit_constraint_errors, SIB_XMIT_CONSTRAINT_ERRORS),
	COUNTER_ROW(8, port_rcv_constraint_errors, SIB_RCV_CONSTRAINT_ERRORS),
	COUNTER_ROW(11, vl15_dropped, SIB_VL15_DROPPED),
	COUNTER_ROW(12, port_xmit_data, SIB_XMIT_DATA),
	COUNTER_ROW(13, port_rcv_data, SIB_RCV_DATA),
	COUNTER_ROW(14, port_xmit_packets, SIB_XMIT_PACKETS),
	COUNTER_ROW(15, port_rcv_packets, SIB_RCV_PACKETS),
	COUNTER_ROW(SELECT2_SHIFT, port_xmit_wait, SIB_XMIT_WAIT),
};

static u64 read_member(const u8 *data, const struct counter_row *row)
{
	u64 value = 0;
	int i;

	for (i = 0; i < row->len; i++)
		value = value << BITS_PER_BYTE | data[row->at + i];
	return value;
}

static void write_member(u8 *data, const struct counter_row *row, u64 value)
{
	int i;

	value = min(value, GENMASK_ULL(row->len * BITS_PER_BYTE - 1, 0));
	for (i = row->len - 1; i >= 0; i--, value >>= BITS_PER_BYTE)
		data[row->at + i] = value;
}

/* Returns what a port has counted since the counter was set, with the value that it was set to. */
static u64 counter_value(const struct sib_port *port, enum sib_counter counter)
{
	u64 base = port->cleared ? port->cleared->base[counter] : 0;

	return atomic64_read(&port->count[counter]) - base;
}

/* Returns the sum of a counter over ports. */
static u64 counter_sum(const struct sib_pma_ports *ports, enum sib_counter counter)
{
	const struct sib_port *port;
	u64 sum = 0;

	for (port = ports->first; port <= ports->last; port++)
		sum = sib_pma_add(sum, counter_value(port, counter));
	return sum;
}

u16 sib_pma_get_counters(struct sib_pma_call *call)
{
	struct ib_pma_portcounters *c = (struct ib_pma_portcounters *)call->data;
	const u8 select = c->port_select;
	const struct counter_row *row;
	struct sib_pma_ports ports;

	if (!sib_pma_select(call->node, select, &ports))
		return MAD_STATUS_BAD_VALUE;
	memset(call->data, 0, SIB_PMA_DATA_LEN);
	c->port_select = select;
	for (row = rows; row < rows + ARRAY_SIZE(rows); row++)
		write_member(call->data, row, counter_sum(&ports, row->counter));
	return 0;
}

static void set_row(struct sib_port *port, const struct counter_row *row, u64 value)
{
	lockdep_assert_held(&port->node->fabric->clearing);
	port->cleared->base[row->counter] = atomic64_read(&port->count[row->counter]) - value;
}

u16 sib_pma_set_counters(struct sib_pma_call *call)
{
	const struct ib_pma_portcounters *c = (const struct ib_pma_portcounters *)call->data;
	u32 select = be16_to_cpu(c->counter_select) | (u32)c->reserved1 << SELECT2_SHIFT;
	const struct counter_row *row;
	struct sib_pma_ports ports;
	struct sib_port *port;
	u16 status;

	status = sib_pma_prepare(call->node, c->port_select, &ports);
	if (status)
		return status;
	for (port = ports.first; port <= ports.last; port++)
		for (row = rows; row < rows + ARRAY_SIZE(rows); row++)
			if (select & row->select)
				set_row(port, row, read_member(call->data, row));
	return 0;
}
