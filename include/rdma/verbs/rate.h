/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Static rates of a path.
 */
#ifndef _RDMA_VERBS_RATE_H_
#define _RDMA_VERBS_RATE_H_

#include <linux/types.h>

/*
 * Static rates, in the encoding of InfiniBand path records; the name is the rate in Gbit/s.
 * IB_RATE_PORT_CURRENT stands for the present rate of the local port.
 */
enum ib_rate {
	IB_RATE_PORT_CURRENT = 0,
	IB_RATE_2_5_GBPS = 2,
	IB_RATE_5_GBPS   = 5,
	IB_RATE_10_GBPS  = 3,
	IB_RATE_20_GBPS  = 6,
	IB_RATE_30_GBPS  = 4,
	IB_RATE_40_GBPS  = 7,
	IB_RATE_60_GBPS  = 8,
	IB_RATE_80_GBPS  = 9,
	IB_RATE_120_GBPS = 10,
	IB_RATE_14_GBPS  = 11,
	IB_RATE_56_GBPS  = 12,
	IB_RATE_112_GBPS = 13,
	IB_RATE_168_GBPS = 14,
	IB_RATE_25_GBPS  = 15,
	IB_RATE_100_GBPS = 16,
	IB_RATE_200_GBPS = 17,
	IB_RATE_300_GBPS = 18,
	IB_RATE_28_GBPS  = 19,
	IB_RATE_50_GBPS  = 20,
	IB_RATE_400_GBPS = 21,
	IB_RATE_600_GBPS = 22,
};

/**
 * ib_rate_to_mult - a rate as a multiple of 2.5 Gbit/s
 * @rate: the rate
 *
 * Any context.
 *
 * Return: the multiple, rounded down to an integer; -1 for %IB_RATE_PORT_CURRENT and for a value
 * that is not a rate.
 */
int ib_rate_to_mult(enum ib_rate rate) __attribute_const__;

/**
 * ib_rate_to_mbps - a rate in Mbit/s
 * @rate: the rate
 *
 * Any context.
 *
 * Return: the rate in Mbit/s; -1 for %IB_RATE_PORT_CURRENT and for a value that is not a rate.
 */
int ib_rate_to_mbps(enum ib_rate rate) __attribute_const__;

/**
 * mult_to_ib_rate - find the rate of a multiple of 2.5 Gbit/s; the inverse of ib_rate_to_mult()
 * @mult: the multiple
 *
 * Any context.
 *
 * Return: the rate; %IB_RATE_PORT_CURRENT if no rate is that multiple.
 */
enum ib_rate mult_to_ib_rate(int mult) __attribute_const__;

#endif /* _RDMA_VERBS_RATE_H_ */
