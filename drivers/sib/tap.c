// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Copies of packets on their way to the readers. Runs in the context of the sender. */
#include "drivers/sib/tap.h"

#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

#include "drivers/sib/reader.h"

/**
 * struct crossing - a packet that crosses a link
 * @out: port that sends it, or NULL
 * @in: port that it comes to
 * @packet: the packet, or NULL: see @bytes
 * @bytes: the packet as it was injected
 * @len: length in bytes
 * @is_bad: the packet is dropped
 */
struct crossing {
	const struct sib_port *out;
	const struct sib_port *in;
	const struct sib_packet *packet;
	const u8 *bytes;
	size_t len;
	bool is_bad;
};

/* Copies a packet, with a reference for the caller. Returns NULL if there is no memory. */
static struct sib_record *record_crossing(const struct crossing *x)
{
	struct sib_record *record;

	record = kmalloc(struct_size(record, bytes, x->len), GFP_ATOMIC | __GFP_NOWARN);
	if (!record)
		return NULL;
	refcount_set(&record->ref, 1);
	record->time = ktime_get_real_ns();
	record->guid = x->out ? x->out->node->guid : 0;
	record->port = x->out ? x->out->num : 0;
	record->is_bad = x->is_bad;
	record->len = x->len;
	if (x->packet)
		sib_packet_build(record->bytes, x->packet);
	else
		memcpy(record->bytes, x->bytes, x->len);
	return record;
}

static bool is_at(const struct sib_port *port, const struct sib_place *place)
{
	return port && (place->port == SIB_PLACE_ANY || place->port == port->num) &&
	       !strcmp(place->node, port->node->name);
}

/* Returns whether the filter lets the packet through. @came: out: the packet came to its place. */
static bool wants(const struct sib_place *filter, const struct crossing *x, bool *came)
{
	*came = false;
	if (!filter->node[0] || is_at(x->out, filter))
		return true;
	*came = is_at(x->in, filter);
	return *came;
}

/* Adds a record, or notes that it is lost. @record: NULL if there was no memory. */
static void add(struct sib_reader *reader, struct sib_record *record, bool came)
{
	struct sib_waiting *waiting;
	unsigned long flags;
	bool has_room;

	spin_lock_irqsave(&reader->lock, flags);
	has_room = record && reader->count < SIB_READER_PACKETS &&
		   reader->bytes + record->len <= SIB_READER_BYTES;
	if (has_room) {
		refcount_inc(&record->ref);
		waiting = &reader->queue[(reader->first + reader->count) % SIB_READER_PACKETS];
		*waiting = (struct sib_waiting) {
			.record = record,
			.lost = reader->lost,
			.came = came,
		};
		WRITE_ONCE(reader->count, reader->count + 1);
		WRITE_ONCE(reader->bytes, reader->bytes + record->len);
		reader->lost = 0;
	} else if (reader->lost < U16_MAX) {
		reader->lost++;
	}
	spin_unlock_irqrestore(&reader->lock, flags);
	atomic64_inc(has_room ? &reader->tap->captured : &reader->tap->dropped);
	if (has_room)
		wake_up_interruptible(&reader->wait);
}

static void give(struct sib_tap *tap, const struct crossing *x)
{
	struct sib_record *record = NULL;
	struct sib_reader *reader;
	bool came;

	rcu_read_lock();
	list_for_each_entry_rcu(reader, &tap->readers, entry) {
		if (!wants(&reader->filter, x, &came))
			continue;
		if (!record)
			record = record_crossing(x);
		add(reader, record, came);
	}
	rcu_read_unlock();
	sib_record_put(record);
}

void sib_tap_copy(struct sib_tap *tap, const struct sib_port *out, const struct sib_port *in,
		  const struct sib_packet *packet)
{
	const struct crossing crossing = {
		.out = out,
		.in = in,
		.packet = packet,
		.len = sib_packet_size(packet),
	};

	give(tap, &crossing);
}

void sib_tap_bytes(struct sib_tap *tap, const struct sib_port *out, const struct sib_port *in,
		   const u8 *bytes, size_t len, bool is_bad)
{
	const struct crossing crossing = {
		.out = out,
		.in = in,
		.bytes = bytes,
		.len = len,
		.is_bad = is_bad,
	};

	give(tap, &crossing);
}
