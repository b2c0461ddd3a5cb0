// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The attributes of samples. Each node has one mechanism. A Set while it is in use changes nothing,
 * and is answered with what goes on: a requester knows by the tag whether the samples are its own.
 */
#include "drivers/sib/pma_samples.h"

#include <rdma/ib_pma.h>

#include "drivers/sib/sampler.h"
#include "ibwire/mad.h"

#define TICK		255	/* SIB_SAMPLE_TICK_NS */
#define WIDTH_32	4	/* 32 bits */
#define WIDTH_64	2	/* the same for PortSamplesResultExtended: 64 bits */
#define WIDTH_64_SHIFT	30

/* Each counter can count the quantities that are mandatory, and no others: 1 in its three bits. */
#define MASK_0_9	01111111111
#define MASK_10_14	011111

static_assert(sizeof(struct ib_pma_portsamplescontrol) == SIB_PMA_DATA_LEN);

u16 sib_pma_get_samples(struct sib_pma_call *call)
{
	struct ib_pma_portsamplescontrol *c = (struct ib_pma_portsamplescontrol *)call->data;
	struct sib_sample_state state;
	int i;

	sib_sampler_read(call->node, &state);
	*c = (struct ib_pma_portsamplescontrol) {
		.opcode = state.plan.opcode,
		.port_select = state.plan.port_select,
		.tick = TICK,
		.counter_width = WIDTH_32,
		.counter_mask0_9 = cpu_to_be32(MASK_0_9),
		.counter_mask10_14 = cpu_to_be16(MASK_10_14),
		.sample_status = state.status,
		.sample_start = cpu_to_be32(state.plan.start),
		.sample_interval = cpu_to_be32(state.plan.interval),
		.tag = cpu_to_be16(state.plan.tag),
	};
	for (i = 0; i < SIB_SAMPLES; i++)
		c->counter_select[i] = cpu_to_be16(state.plan.select[i]);
	return 0;
}

u16 sib_pma_set_samples(struct sib_pma_call *call)
{
	const struct ib_pma_portsamplescontrol *c =
		(const struct ib_pma_portsamplescontrol *)call->data;
	struct sib_sample_plan plan = {
		.opcode = c->opcode,
		.port_select = c->port_select,
		.tag = be16_to_cpu(c->tag),
		.start = be32_to_cpu(c->sample_start),
		.interval = be32_to_cpu(c->sample_interval),
	};
	struct sib_pma_ports ports;
	int i;

	if (!sib_pma_select(call->node, c->port_select, &ports))
		return MAD_STATUS_BAD_VALUE;
	plan.first = ports.first->num;
	plan.last = ports.last->num;
	for (i = 0; i < SIB_SAMPLES; i++) {
		plan.select[i] = be16_to_cpu(c->counter_select[i]);
		if (plan.select[i] >= SIB_SAMPLE_SELECTS)
			return MAD_STATUS_BAD_VALUE;
	}
	return sib_sampler_start(call->node, &plan) ? MAD_STATUS_BUSY : 0;
}

/* Both kinds of result begin alike. */
static_assert(offsetof(struct ib_pma_portsamplesresult, tag) ==
	      offsetof(struct ib_pma_portsamplesresult_ext, tag));
static_assert(offsetof(struct ib_pma_portsamplesresult, sample_status) ==
	      offsetof(struct ib_pma_portsamplesresult_ext, sample_status));

/* Reads the state of the mechanism, and writes what both kinds of result have of it. */
static void begin_result(struct sib_pma_call *call, struct sib_sample_state *state)
{
	struct ib_pma_portsamplesresult *r = (struct ib_pma_portsamplesresult *)call->data;

	sib_sampler_read(call->node, state);
	memset(call->data, 0, SIB_PMA_DATA_LEN);
	r->tag = cpu_to_be16(state->plan.tag);
	r->sample_status = cpu_to_be16(state->status);
}

u16 sib_pma_get_samples_result(struct sib_pma_call *call)
{
	struct ib_pma_portsamplesresult *r = (struct ib_pma_portsamplesresult *)call->data;
	struct sib_sample_state state;
	int i;

	begin_result(call, &state);
	for (i = 0; i < SIB_SAMPLES; i++)
		r->counter[i] = cpu_to_be32(min_t(u64, state.value[i], U32_MAX));
	return 0;
}

u16 sib_pma_get_samples_extended(struct sib_pma_call *call)
{
	struct ib_pma_portsamplesresult_ext *r = (struct ib_pma_portsamplesresult_ext *)call->data;
	struct sib_sample_state state;
	int i;

	begin_result(call, &state);
	r->extended_width = cpu_to_be32((u32)WIDTH_64 << WIDTH_64_SHIFT);
	for (i = 0; i < SIB_SAMPLES; i++)
		r->counter[i] = cpu_to_be64(state.value[i]);
	return 0;
}
