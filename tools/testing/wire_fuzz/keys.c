// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Prepares items for sending: inserts the connection's keys, makes changes, calculates the CRC. */
#include <string.h>

#include "iwarp/atomic.h"
#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"
#include "iwarp/rdmap.h"
#include "keys.h"
#include "tools/testing/unit/crc32c.h"

/*
 * Length of a message of the test ULP, and offset of a region's STag in the message, in bytes. The
 * region's address and length follow the STag.
 */
#define MSG_LEN		40
#define MSG_STAG	4

static uint64_t get(const uint8_t *p, uint32_t width)
{
	uint64_t value = 0;

	while (width--)
		value = value << 8 | *p++;
	return value;
}

static void put(uint8_t *p, uint32_t width, uint64_t value)
{
	while (width--) {
		p[width] = value;
		value >>= 8;
	}
}

static void learn(struct keys *keys, const uint8_t *old, const uint8_t *live)
{
	struct key key = {
		.old_stag = get(old, 4), .new_stag = get(live, 4),
		.old_base = get(old + 4, 8), .new_base = get(live + 4, 8),
		.len = get(live + 12, 4),
	};

	if (!key.old_stag)
		return;
	for (uint32_t i = 0; i < keys->count; i++) {
		if (keys->all[i].old_stag == key.old_stag) {
			keys->all[i] = key;
			return;
		}
	}
	if (keys->count < KEYS_MAX)
		keys->all[keys->count++] = key;
}

static bool is_send(uint8_t opcode)
{
	return opcode >= RDMAP_SEND && opcode <= RDMAP_SEND_SE_INV;
}

void keys_learn(struct keys *keys, const struct item *recorded, const uint8_t *live, uint32_t len)
{
	struct ddp_segment old, now;

	if (ddp_segment_parse(recorded->data, recorded->len, &old) ||
	    ddp_segment_parse(live, len, &now) || old.opcode != now.opcode)
		return;
	/* A Read Request begins with the sink's key, address and length, in this order. */
	if (old.opcode == RDMAP_READ_REQUEST)
		learn(keys, recorded->data + old.hdr_len, live + now.hdr_len);
	else if (is_send(old.opcode) && old.payload_len == MSG_LEN && now.payload_len == MSG_LEN)
		learn(keys, recorded->data + old.hdr_len + MSG_STAG,
		      live + now.hdr_len + MSG_STAG);
}

static void replace(const struct keys *keys, uint8_t *stag, uint8_t *to)
{
	uint32_t old = get(stag, 4);

	for (uint32_t i = 0; i < keys->count; i++) {
		const struct key *key = &keys->all[i];

		if (key->old_stag != old)
			continue;
		put(stag, 4, key->new_stag);
		if (to)
			put(to, 8, get(to, 8) - key->old_base + key->new_base);
		return;
	}
}

void keys_put(const struct keys *keys, uint8_t *fpdu, uint32_t len)
{
	struct ddp_segment seg;
	uint8_t *payload;

	if (ddp_segment_parse(fpdu, len, &seg))
		return;
	payload = fpdu + seg.hdr_len;
	if (seg.tagged)
		replace(keys, fpdu + 4, fpdu + 8);
	else if (seg.opcode == RDMAP_READ_REQUEST)
		replace(keys, payload + offsetof(struct rdmap_wire_read_req, source_stag),
			payload + offsetof(struct rdmap_wire_read_req, source_to));
	else if (seg.opcode == RDMAP_ATOMIC_REQUEST)
		replace(keys, payload + offsetof(struct rdmap_wire_atomic_req, stag),
			payload + offsetof(struct rdmap_wire_atomic_req, to));
	else if (seg.inv_stag)
		replace(keys, fpdu + 4, NULL);
}

static uint32_t resize(uint8_t *buf, uint32_t len)
{
	uint32_t now = mpa_fpdu_size(get_unaligned_be16(buf));

	if (now > len)
		memset(buf + len, 0x5a, now - len);
	return now;
}

uint32_t step_render(const struct step *step, const struct keys *keys, uint8_t *buf)
{
	bool is_mpa = item_is_mpa(step->item);
	uint64_t value;
	uint32_t len;

	if (!step->item) {
		memcpy(buf, step->raw, step->raw_len);
		return step->raw_len;
	}
	len = step->item->len;
	memcpy(buf, step->item->data, len);
	if (!is_mpa)
		keys_put(keys, buf, len);
	for (uint32_t i = 0; i < step->num_edits; i++) {
		const struct edit *edit = &step->edits[i];

		if (edit->offset + edit->width > len)
			continue;
		value = edit->value;
		if (edit->add)
			value += get(buf + edit->offset, edit->width);
		put(buf + edit->offset, edit->width, value);
	}
	if (is_mpa)
		return len;
	if (step->resize)
		len = resize(buf, len);
	if (step->fix_crc && len > MPA_CRC_LEN)
		mpa_crc_put(buf + len - MPA_CRC_LEN, ~crc32c(~0u, buf, len - MPA_CRC_LEN));
	return len;
}

static bool is_granted(const struct keys *keys, uint32_t stag, uint64_t to, uint32_t len)
{
	for (uint32_t i = 0; i < keys->count; i++) {
		const struct key *key = &keys->all[i];

		if (key->new_stag == stag && to >= key->new_base && len <= key->len &&
		    to - key->new_base <= key->len - len)
			return true;
	}
	return false;
}

/*
 * Returns whether the server has granted what the segment accesses. Returns false for a request
 * that the parser refuses: an unassigned operation, or an unaligned word.
 */
static bool memory_is_granted(const struct ddp_segment *seg, enum side side,
			      const struct keys *keys, const uint8_t *payload)
{
	bool sink = seg->opcode == (side == CLIENT ? RDMAP_WRITE : RDMAP_READ_RESPONSE);
	struct rdmap_atomic_req atomic;
	struct rdmap_read_req read;

	if (sink && seg->payload_len)
		return is_granted(keys, seg->stag, seg->to, seg->payload_len);
	if (side == CLIENT && seg->opcode == RDMAP_READ_REQUEST)
		return !rdmap_read_req_parse(payload, RDMAP_READ_REQ_LEN, &read) &&
		       (!read.length ||
			is_granted(keys, read.source_stag, read.source_to, read.length));
	if (side == CLIENT && seg->opcode == RDMAP_ATOMIC_REQUEST)
		return !rdmap_atomic_req_parse(payload, RDMAP_ATOMIC_REQ_LEN, &atomic) &&
		       is_granted(keys, atomic.stag, atomic.to, sizeof(uint64_t));
	return true;
}

/*
 * Returns whether the RDMAP version is as recorded. In an untagged segment, the queue number, MSN
 * and MO must also be as recorded. If the Tagged flag or the DDP version has changed, the headers
 * cannot be compared, and the function returns true.
 */
static bool order_is_kept(const uint8_t *was, const uint8_t *is)
{
	if ((was[2] ^ is[2]) & (DDP_CTRL_TAGGED | DDP_CTRL_VERSION))
		return true;
	if ((was[3] ^ is[3]) & RDMAP_CTRL_VERSION)
		return false;
	return was[2] & DDP_CTRL_TAGGED || !memcmp(was + 8, is + 8, 12);
}

bool step_is_forbidden(const struct step *step, enum side side, const struct keys *keys,
		       const uint8_t *buf, uint32_t len)
{
	struct ddp_segment seg;

	if (!step->num_edits || !step->item || item_is_mpa(step->item) || !step->fix_crc ||
	    len < DDP_TAGGED_HEAD || mpa_fpdu_size(get_unaligned_be16(buf)) != len)
		return false;
	if (ddp_segment_parse(buf, len, &seg))
		return true;
	return !memory_is_granted(&seg, side, keys, buf + seg.hdr_len) ||
	       !order_is_kept(step->item->data, buf);
}
