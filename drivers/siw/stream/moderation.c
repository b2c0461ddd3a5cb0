// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Moderation: counts what a stream does in a tick, and decides when gathering work is better than
 * doing it at once.
 *
 * A walk through TCP, and the completion of a request, cost more time than the bytes of a short
 * message. Softirq context cannot accumulate segments, because it receives each one as it arrives;
 * segments that are left to the work item for a moment are received together. A stream that moves
 * little, and a ping-pong, are better served at once.
 */
#include <linux/jiffies.h>
#include <linux/percpu.h>

#include "drivers/siw/stream/moderation.h"

/*
 * A stream counts as bulk when it has moved BULK_BYTES in a tick; or SHARE_BYTES, if all streams
 * together have moved BULK_BYTES on this CPU with BHs off.
 */
#define BULK_BYTES	(128 * 1024)
#define SHARE_BYTES	(8 * 1024)
/*
 * PINGPONG_SAMPLE passes of the work item make a sample, which shows whether the stream is a
 * ping-pong. The passes of a ping-pong receive less than PINGPONG_BYTES on average. A positive
 * result is valid for PINGPONG_TICKS.
 */
#define PINGPONG_SAMPLE	16
#define PINGPONG_BYTES	(8 * 1024)
#define PINGPONG_TICKS	16
/* After this number of posting calls or doorbells in a tick, further requests are gathered. */
#define MAX_KICKS	8

/*
 * Bytes that all streams have moved on a CPU in a tick, in softirq context and in posting calls,
 * but not in work items. Used with BHs off.
 */
struct cpu_load {
	unsigned long tick;
	u64 moved;
};

static DEFINE_PER_CPU(struct cpu_load, cpu_load);

/* Returns the load of this CPU in this tick. */
static struct cpu_load *this_load(void)
{
	struct cpu_load *load = this_cpu_ptr(&cpu_load);
	unsigned long now = jiffies;

	if (load->tick != now) {
		load->tick = now;
		load->moved = 0;
	}
	return load;
}

void siw_moderation_init(struct siw_moderation *mod)
{
	*mod = (struct siw_moderation) { .tick = jiffies, .pingpong_until = jiffies };
}

bool siw_moderation_is_bulk(struct siw_moderation *mod)
{
	if (time_is_before_jiffies(mod->tick)) {
		mod->tick = jiffies;
		mod->moved = 0;
		/*
		 * Move a past time up to now, because times that are far apart cannot be compared.
		 */
		if (time_after(jiffies, mod->pingpong_until))
			mod->pingpong_until = jiffies;
	}
	if (time_before(jiffies, mod->pingpong_until))
		return false;
	return mod->moved >= BULK_BYTES ||
	       (mod->moved >= SHARE_BYTES && this_load()->moved >= BULK_BYTES);
}

bool siw_moderation_shares_cpu(const struct siw_moderation *mod)
{
	return this_load()->moved >= mod->moved + BULK_BYTES;
}

void siw_moderation_charge_cpu(u64 bytes)
{
	this_load()->moved += bytes;
}

void siw_moderation_sample(struct siw_moderation *mod, u32 messages, u32 bytes, u64 pushed)
{
	struct siw_pingpong_sample *sample = &mod->sample;

	if (!bytes)
		return;
	sample->bytes += bytes;
	sample->messages += messages;
	sample->answered += pushed != sample->pushed;
	sample->pushed = pushed;
	if (++sample->passes < PINGPONG_SAMPLE)
		return;
	if (sample->bytes < PINGPONG_SAMPLE * PINGPONG_BYTES &&
	    sample->messages > PINGPONG_SAMPLE * 3 / 4 &&
	    sample->messages < PINGPONG_SAMPLE * 5 / 4 &&
	    sample->answered > PINGPONG_SAMPLE * 3 / 4)
		mod->pingpong_until = jiffies + PINGPONG_TICKS;
	*sample = (struct siw_pingpong_sample) { .pushed = pushed };
}

bool siw_moderation_gathers(struct siw_moderation *mod)
{
	unsigned long now = jiffies;

	if (mod->kick_tick != now) {
		mod->kick_tick = now;
		mod->kicks = 0;
	}
	return ++mod->kicks > MAX_KICKS;
}
