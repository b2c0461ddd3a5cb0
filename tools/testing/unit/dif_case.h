/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Chosen registrations and transfers of soft/dif.c, compared with the model. A unit test
 * chooses by a generator of numbers, the fuzzer by its input.
 */
#ifndef UNIT_DIF_CASE_H
#define UNIT_DIF_CASE_H

#include <stdlib.h>

#include "dif_model.h"
#include "soft/dif.h"

/* Where choices come from: @next returns a number of @bytes bytes. */
struct dif_choices {
	uint32_t (*next)(void *source, unsigned int bytes);
	void *source;
};

#define DIF_NUM_MAX	6	/* intervals of a region */
#define DIF_SEGS_MAX	64

static inline uint32_t dif_choose(struct dif_choices *ch, unsigned int bytes)
{
	return ch->next(ch->source, bytes);
}

static inline uint8_t *dif_alloc(size_t len)
{
	uint8_t *p = malloc(len ? len : 1);

	if (!p)
		abort();
	return p;
}

static inline void dif_fill(struct dif_choices *ch, uint8_t *p, size_t len)
{
	uint32_t state = dif_choose(ch, 1);

	for (size_t i = 0; i < len; i++) {
		state = state * 1664525 + 1013904223;
		p[i] = (uint8_t)(state >> 24);
	}
}

/* Cuts a list of @len bytes into pieces, each in an allocation of its own. */
static inline struct soft_dif_list dif_list(struct dif_choices *ch, uint32_t len)
{
	struct soft_dif_list list = {calloc(DIF_SEGS_MAX, sizeof(*list.segs)), 0};
	uint32_t at = 0, most = dif_choose(ch, 1) % 4 ? 700 : 9, piece;

	while (at < len) {
		piece = 1 + dif_choose(ch, 2) % most;
		if (piece > len - at || list.num == DIF_SEGS_MAX - 1)
			piece = len - at;
		at += piece;
		list.segs[list.num++] = (struct soft_dif_seg) {dif_alloc(piece), at};
	}
	return list;
}

static inline void dif_list_free(struct soft_dif_list *list)
{
	for (uint32_t i = 0; i < list->num; i++)
		free(list->segs[i].at);
	free(list->segs);
}

/* Copies the whole list from or to flat memory. */
static inline void dif_list_copy(const struct soft_dif_list *list, uint8_t *flat, bool in)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < list->num; at = list->segs[i++].end) {
		if (in)
			memcpy(list->segs[i].at, flat + at, list->segs[i].end - at);
		else
			memcpy(flat + at, list->segs[i].at, list->segs[i].end - at);
	}
}

static inline struct ib_t10_dif_domain dif_choose_domain(struct dif_choices *ch, uint16_t interval)
{
	static const uint16_t words[] = { 0, 0xffff, 0x1234 };
	static const uint32_t refs[] = { 0, 0xffffffff, 0xfffffffd, 77 };
	uint32_t bits = dif_choose(ch, 2);

	return (struct ib_t10_dif_domain) {
		.bg_type = bits & 1 ? IB_T10DIF_CSUM : IB_T10DIF_CRC,
		.pi_interval = interval,
		.ref_remap = bits & 2,
		.app_escape = bits & 4,
		.ref_escape = bits & 8,
		.bg = words[(bits >> 4) % 3],
		.app_tag = words[(bits >> 6) % 3],
		.ref_tag = refs[(bits >> 8) % 4],
		.apptag_check_mask = bits & 0x400 ? 0xffff : dif_choose(ch, 2),
	};
}

static inline void dif_choose_attrs(struct dif_choices *ch, struct ib_sig_attrs *attrs)
{
	static const uint16_t intervals[] = { 1, 3, 8, 64, 512, 520 };
	uint32_t bits = dif_choose(ch, 1);
	uint16_t interval = intervals[bits % 6];

	memset(attrs, 0, sizeof(*attrs));
	attrs->check_mask = bits & 0x80 ? 0xff : dif_choose(ch, 1);
	bits = dif_choose(ch, 1);
	attrs->mem.sig_type = bits & 1;
	attrs->wire.sig_type = bits >> 1 & 1;
	attrs->mem.sig.dif = dif_choose_domain(ch, interval);
	attrs->wire.sig.dif = dif_choose_domain(ch, interval);
	/* Often both domains have the same rules, or nearly. */
	if (bits & 4)
		attrs->wire.sig.dif = attrs->mem.sig.dif;
	if (bits & 8)
		attrs->wire.sig.dif.bg_type ^= 1;
}

/* Damages bytes of protection information, or writes escape values into it. */
static inline void dif_damage(struct dif_choices *ch, uint8_t *pi)
{
	uint32_t what = dif_choose(ch, 1);

	if (what & 0x80)
		memset(pi + (what & 1 ? 2 : 4), 0xff, what & 1 ? what & 2 ? 6 : 2 : 4);
	else if (what & 0x40)
		pi[what & 7] ^= (uint8_t)(1 << (what >> 3 & 7));
}

/* Makes memory with right protection information, some of it damaged. */
static inline void dif_make_memory(struct dif_choices *ch, struct dif_model *m)
{
	dif_fill(ch, m->data, (size_t)m->num * m->interval);
	for (uint32_t i = 0; i < m->num; i++) {
		model_right_pi(m, &m->attrs.mem.sig.dif, i, m->meta + (size_t)i * 8);
		dif_damage(ch, m->meta + (size_t)i * 8);
	}
}

/* Makes a stream for the whole region, with right protection information, some of it damaged. */
static inline void dif_make_stream(struct dif_choices *ch, const struct dif_model *m,
				   uint8_t *stream)
{
	struct dif_model sent = *m;
	uint32_t stride = model_stride(m);

	sent.data = dif_alloc((size_t)m->num * m->interval);
	dif_fill(ch, sent.data, (size_t)m->num * m->interval);
	for (uint32_t i = 0; i < m->num; i++) {
		uint8_t *at = stream + (size_t)i * stride;

		memcpy(at, sent.data + (size_t)i * m->interval, m->interval);
		if (stride == m->interval)
			continue;
		model_right_pi(&sent, &m->attrs.wire.sig.dif, i, at + m->interval);
		dif_damage(ch, at + m->interval);
	}
	free(sent.data);
}

/* Copies in pieces, with one cursor. */
static inline bool dif_copy_cut(struct dif_choices *ch, const struct soft_dif *dif, uint64_t offset,
				uint8_t *wire, uint32_t len, bool in, struct ib_sig_err *err)
{
	uint32_t most = dif_choose(ch, 1) % 3 ? 1500 : 7, piece;
	struct soft_dif_cursor cursor = {0};
	struct ib_sig_err later;
	bool wrong = false;

	for (; len; len -= piece, offset += piece, wire += piece) {
		uint8_t *exact;

		piece = 1 + dif_choose(ch, 2) % most;
		piece = piece < len ? piece : len;
		exact = dif_alloc(piece);
		memcpy(exact, wire, piece);
		wrong |=
			soft_dif_copy(dif, &cursor, offset, exact, piece, in, wrong ? &later : err);
		memcpy(wire, exact, piece);
		free(exact);
	}
	return wrong;
}

static inline bool dif_same_err(const struct ib_sig_err *a, const struct ib_sig_err *b)
{
	return a->err_type == b->err_type && a->expected == b->expected &&
	       a->actual == b->actual && a->sig_err_offset == b->sig_err_offset;
}

/* One transfer of any part of the region. Returns what differs from the model, or NULL. */
static inline const char *dif_transfer(struct dif_choices *ch, const struct soft_dif *dif,
				       struct dif_model *m)
{
	size_t data_len = (size_t)m->num * m->interval, meta_len = (size_t)m->num * 8;
	uint32_t kind = dif_choose(ch, 1), offset = 0, len = dif->wire_len;
	uint8_t *stream = dif_alloc(len), *flat = dif_alloc(data_len + meta_len), *wire;
	struct ib_sig_err want = { 0 }, got = { 0 };
	bool in = kind & 1, want_wrong, wrong;
	const char *diff = NULL;

	if (kind & 2) {
		offset = dif_choose(ch, 2) % len;
		len = 1 + dif_choose(ch, 2) % (len - offset);
	}
	dif_make_stream(ch, m, stream);
	wire = dif_alloc(len);
	memcpy(wire, stream + offset, len);
	want_wrong = model_copy(m, offset, stream + offset, len, in, &want);
	wrong = dif_copy_cut(ch, dif, offset, wire, len, in, &got);
	dif_list_copy(&dif->data, flat, false);
	dif_list_copy(&dif->meta, flat + data_len, false);
	if (memcmp(flat, m->data, data_len))
		diff = "data in memory";
	else if (memcmp(flat + data_len, m->meta, meta_len))
		diff = "protection information in memory";
	else if (memcmp(wire, stream + offset, len))
		diff = "bytes on the wire";
	else if (wrong != want_wrong)
		diff = "whether there is an error";
	else if (wrong && !dif_same_err(&got, &want))
		diff = "the error";
	free(wire);
	free(stream);
	free(flat);
	return diff;
}

/* A region and some transfers. Returns what differs from the model, or NULL. */
static inline const char *dif_case_run(struct dif_choices *ch)
{
	const char *diff = NULL;
	struct dif_model m = { 0 };
	struct soft_dif dif = {0};

	dif_choose_attrs(ch, &m.attrs);
	m.interval = m.attrs.mem.sig.dif.pi_interval;
	m.num = 1 + dif_choose(ch, 1) % DIF_NUM_MAX;
	m.data = dif_alloc((size_t)m.num * m.interval);
	m.meta = dif_alloc((size_t)m.num * 8);
	dif_make_memory(ch, &m);
	dif.data = dif_list(ch, m.num * m.interval);
	dif.meta = dif_list(ch, m.num * 8);
	dif_list_copy(&dif.data, m.data, true);
	dif_list_copy(&dif.meta, m.meta, true);
	if (soft_dif_register(&dif, &m.attrs))
		diff = "the registration was refused";
	else if (dif.wire_len != (uint64_t)m.num * model_stride(&m))
		diff = "the length on the wire";
	for (uint32_t n = 1 + dif_choose(ch, 1) % 4; !diff && n; n--)
		diff = dif_transfer(ch, &dif, &m);
	dif_list_free(&dif.data);
	dif_list_free(&dif.meta);
	free(m.data);
	free(m.meta);
	return diff;
}

#endif /* UNIT_DIF_CASE_H */
