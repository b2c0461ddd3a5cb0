/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The mechanism of samples that each node has: counts what a port sends and receives in an interval
 * that begins later. A timer reads the counters at both ends of the interval. A node whose
 * mechanism was never used has no memory for it.
 */
#ifndef SIB_SAMPLER_H
#define SIB_SAMPLER_H

#include "drivers/sib/model.h"

#define SIB_SAMPLES		15	/* counters of the mechanism */
#define SIB_SAMPLE_TICK_NS	1024	/* 256 symbols of 10 bits at 2.5 Gbit/s */

/* Quantities that a counter of the mechanism may count. */
enum sib_sample_select {
	SIB_SAMPLE_NOTHING,
	SIB_SAMPLE_XMIT_DATA,
	SIB_SAMPLE_RCV_DATA,
	SIB_SAMPLE_XMIT_PACKETS,
	SIB_SAMPLE_RCV_PACKETS,
	SIB_SAMPLE_XMIT_WAIT,
	SIB_SAMPLE_SELECTS
};

enum sib_sample_status {
	SIB_SAMPLE_DONE,	/* also before the first interval */
	SIB_SAMPLE_STARTED,	/* the interval has not begun */
	SIB_SAMPLE_UNDERWAY,
};

/**
 * struct sib_sample_plan - what to count, and when
 * @port_select: port as the requester has named it
 * @opcode: kept for the requester
 * @tag: kept for the requester
 * @first: number of the first port
 * @last: number of the last port; values of several ports are added up
 * @start: ticks until the interval begins
 * @interval: ticks that it lasts
 * @select: enum sib_sample_select of each counter
 */
struct sib_sample_plan {
	u8 port_select;
	u8 opcode;
	u16 tag;
	u8 first;
	u8 last;
	u32 start;
	u32 interval;
	u16 select[SIB_SAMPLES];
};

/**
 * struct sib_sample_state - what the mechanism does, or has found
 * @plan: what it counts
 * @status: enum sib_sample_status
 * @value: values of the counters; 0 unless @status is SIB_SAMPLE_DONE
 */
struct sib_sample_state {
	struct sib_sample_plan plan;
	enum sib_sample_status status;
	u64 value[SIB_SAMPLES];
};

/**
 * sib_sampler_start() - count, unless the mechanism is in use
 * @node: the node
 * @plan: what to count; its ports are those of the node, its selections are known
 *
 * Process context, called with sib_fabric.clearing held. An interval that was started before stays
 * as it is.
 *
 * Return: 0; -ENOMEM if the mechanism was not used before, and there is no memory for it.
 */
int sib_sampler_start(struct sib_node *node, const struct sib_sample_plan *plan);

/**
 * sib_sampler_read() - get the state of the mechanism
 * @node: the node
 * @state: out: the state; zero if the mechanism was never used
 *
 * Process context, called with sib_fabric.clearing held.
 */
void sib_sampler_read(const struct sib_node *node, struct sib_sample_state *state);

/**
 * sib_sampler_free() - stop counting, and free the mechanism
 * @sampler: the mechanism of a node, or NULL
 *
 * Process context.
 */
void sib_sampler_free(struct sib_sampler *sampler);

#endif /* SIB_SAMPLER_H */
