// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Files that collectors expect of every port: those InfiniBand counters that have a meaning for
 * iWARP.
 */
#include <linux/sysfs.h>
#include <rdma/ib_sysfs.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/base/sysfs.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/base/stats.h"

/**
 * struct port_counter - a counter that is the sum of one or two counters of siw
 * @attr: file of the counter
 * @first: first counter of the sum
 * @second: second counter of the sum; SIW_NUM_COUNTERS if there is none
 * @unit: number by which the sum is divided
 */
struct port_counter {
	struct ib_port_attribute	attr;
	enum siw_counter		first;
	enum siw_counter		second;
	unsigned int			unit;
};

static ssize_t port_counter_show(struct ib_device *base, u32 port, struct ib_port_attribute *attr,
				 char *buf)
{
	const struct port_counter *counter = container_of(attr, struct port_counter, attr);
	const struct siw_device *dev = to_siw_dev(base);
	u64 value = soft_stats_sum(dev->soft.stats, counter->first);

	if (counter->second != SIW_NUM_COUNTERS)
		value += soft_stats_sum(dev->soft.stats, counter->second);
	return sysfs_emit(buf, "%llu\n", div_u64(value, counter->unit));
}

#define COUNTER(_name, _first, _second, _unit)					\
static struct port_counter _name = {						\
	.attr = __ATTR(_name, 0444, port_counter_show, NULL),			\
	.first = (_first),							\
	.second = (_second),							\
	.unit = (_unit),							\
}

/* Packets are FPDUs. The unit of the data counters is four bytes, as InfiniBand defines them. */
COUNTER(port_xmit_data, SIW_TX_BYTES, SIW_NUM_COUNTERS, 4);
COUNTER(port_rcv_data, SIW_RX_BYTES, SIW_NUM_COUNTERS, 4);
COUNTER(port_xmit_packets, SIW_TX_FPDUS, SIW_NUM_COUNTERS, 1);
COUNTER(port_rcv_packets, SIW_RX_FPDUS, SIW_NUM_COUNTERS, 1);
COUNTER(unicast_xmit_packets, SIW_TX_FPDUS, SIW_NUM_COUNTERS, 1);
COUNTER(unicast_rcv_packets, SIW_RX_FPDUS, SIW_NUM_COUNTERS, 1);
COUNTER(port_rcv_errors, SIW_RX_CRC_ERRORS, SIW_RX_PROTOCOL_ERRORS, 1);

static struct attribute *counter_attrs[] = {
	&port_rcv_data.attr.attr,
	&port_rcv_errors.attr.attr,
	&port_rcv_packets.attr.attr,
	&port_xmit_data.attr.attr,
	&port_xmit_packets.attr.attr,
	&unicast_rcv_packets.attr.attr,
	&unicast_xmit_packets.attr.attr,
	NULL
};

static const struct attribute_group counters_group = {
	.name = "counters",
	.attrs = counter_attrs,
};

const struct attribute_group *siw_port_groups[] = {
	&counters_group,
	NULL
};
