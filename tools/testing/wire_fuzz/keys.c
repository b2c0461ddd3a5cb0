// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Prepares items for sending: inserts the connection's keys, makes changes, calculates the CRC. */
#include <string.h>

#include "iwarp/atomic.h"
#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"
#include "iwarp/rdmap.h"
#include "keys.h"

/*
 * Length of a message of the test ULP, and offset of a region's STag in the message, in bytes. The
 * region's address and length follow the STag.
 */
#define MSG_LEN		40
#define MSG_STAG	4

static uint32_t crc_table[256];

static void fill_crc_table(void)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t crc = i;

		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
		crc_table[i] = crc;
	}
}

static uint32_t crc32c(const uint8_t *data, size_t len)
{
	uint32_t crc = ~0u;

	if (!crc_table[1])
		fill_crc_table();
	while (len--)
		crc = crc_table[(crc ^ *data++) & 0xff] ^ crc >> 8;
	return ~crc;
}

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

static const struct key *find(const struct keys *keys, uint32_t stag)
{
	for (uint32_t i = 0; i < keys->count; i++)
		if (keys->all[i].old_stag == stag)
			return &keys->all[i];
	return NULL;
}

static void replace(const struct keys *keys, uint8_t *stag, uint8_t *to)
{
	const struct key *key = find(keys, get(stag, 4));

	if (!key)
		return;
	put(stag, 4, key->new_stag);
	if (to)
		put(to, 8, get(to, 8) - key->old_base + key->new_base);
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

static void apply(const struct edit *edit, uint8_t *buf, uint32_t len)
{
	uint64_t value = edit->value;

	if (edit->offset + edit->width > len)
		return;
	if (edit->add)
		value += get(buf + edit->offset, edit->width);
	put(buf + edit->offset, edit->width, value);
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
	uint32_t len;

	if (!step->item) {
		memcpy(buf, step->raw, step->raw_len);
		return step->raw_len;
	}
	len = step->item->len;
	memcpy(buf, step->item->data, len);
	if (!is_mpa)
		keys_put(keys, buf, len);
	for (uint32_t i = 0; i < step->num_edits; i++)
		apply(&step->edits[i], buf, len);
	if (is_mpa)
		return len;
	if (step->resize)
		len = resize(buf, len);
	if (step->fix_crc && len > MPA_CRC_LEN)
		mpa_crc_put(buf + len - MPA_CRC_LEN, crc32c(buf, len - MPA_CRC_LEN));
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

/* Returns whether the server has granted the source of a Read Request. */
static bool source_is_granted(const struct keys *keys, const uint8_t *payload)
{
	struct rdmap_read_req req;

	if (rdmap_read_req_parse(payload, RDMAP_READ_REQ_LEN, &req))
		return false;
	return !req.length || is_granted(keys, req.source_stag, req.source_to, req.length);
}

/*
 * Returns whether the server has granted the word of an atomic operation. Returns false for an
 * unassigned operation or an unaligned word, because the parser refuses both.
 */
static bool atomic_is_granted(const struct keys *keys, const uint8_t *payload)
{
	struct rdmap_atomic_req req;

	return !rdmap_atomic_req_parse(payload, RDMAP_ATOMIC_REQ_LEN, &req) &&
	       is_granted(keys, req.stag, req.to, sizeof(uint64_t));
}

static bool memory_is_granted(const struct ddp_segment *seg, enum side side,
			      const struct keys *keys, const uint8_t *payload)
{
	bool sink = seg->opcode == (side == CLIENT ? RDMAP_WRITE : RDMAP_READ_RESPONSE);

	if (sink && seg->payload_len)
		return is_granted(keys, seg->stag, seg->to, seg->payload_len);
	if (side == CLIENT && seg->opcode == RDMAP_READ_REQUEST)
		return source_is_granted(keys, payload);
	if (side == CLIENT && seg->opcode == RDMAP_ATOMIC_REQUEST)
		return atomic_is_granted(keys, payload);
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
