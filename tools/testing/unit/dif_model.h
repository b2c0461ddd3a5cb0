/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A model of T10 DIF, for the tests of soft/dif.c in user space, and of siw's regions in
 * the kernel: memory is flat, sums are made bit by bit, and each copy is described from the
 * beginning of its intervals.
 */
#ifndef UNIT_DIF_MODEL_H
#define UNIT_DIF_MODEL_H

#include "compat/port.h"
#include <rdma/signature.h>

/* @data has @num intervals; @meta has 8 bytes for each. */
struct dif_model {
	struct ib_sig_attrs attrs;
	uint32_t interval;
	uint32_t num;
	uint8_t *data;
	uint8_t *meta;
};

static inline uint16_t model_crc(uint16_t crc, const uint8_t *p, size_t len)
{
	while (len--) {
		for (int bit = 7; bit >= 0; bit--) {
			bool one = (crc >> 15) ^ (*p >> bit & 1);

			crc = (uint16_t)(crc << 1) ^ (one ? 0x8bb7 : 0);
		}
		p++;
	}
	return crc;
}

static inline uint16_t model_csum(uint16_t seed, const uint8_t *p, size_t len)
{
	uint64_t sum = seed;

	for (size_t i = 0; i < len; i++)
		sum += i & 1 ? p[i] : p[i] * 256u;
	while (sum > 0xffff)
		sum = sum % 0x10000 + sum / 0x10000;
	return (uint16_t)(0xffff - sum);
}

static inline uint16_t model_guard(const struct ib_t10_dif_domain *d, const uint8_t *p, size_t len)
{
	return d->bg_type == IB_T10DIF_CSUM ? model_csum(d->bg, p, len) : model_crc(d->bg, p, len);
}

static inline void model_put(uint8_t *to, uint64_t value, int bytes)
{
	while (bytes--) {
		to[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static inline uint64_t model_get(const uint8_t *from, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *from++;
	return value;
}

/* The protection information that interval @i should have in a domain. */
static inline void model_right_pi(const struct dif_model *m, const struct ib_t10_dif_domain *d,
				  uint32_t i, uint8_t *pi)
{
	model_put(pi, model_guard(d, m->data + (size_t)i * m->interval, m->interval), 2);
	model_put(pi + 2, d->app_tag, 2);
	model_put(pi + 4, (uint32_t)(d->ref_tag + (d->ref_remap ? i : 0)), 4);
}

/* Compares what @check_mask selects. Returns the number of the error, or -1. */
static inline int model_check(const struct dif_model *m, const struct ib_t10_dif_domain *d,
			      uint32_t i, const uint8_t *pi, struct ib_sig_err *err)
{
	static const struct { int at, len, type; } parts[] = {
		{ 0, 2, IB_SIG_BAD_GUARD },
		{ 4, 4, IB_SIG_BAD_REFTAG },
		{ 2, 2, IB_SIG_BAD_APPTAG },
	};
	uint8_t right[8], mask[8];

	model_right_pi(m, d, i, right);
	for (int byte = 0; byte < 8; byte++)
		mask[byte] = m->attrs.check_mask & 0x80 >> byte ? 0xff : 0;
	mask[2] &= d->apptag_check_mask >> 8;
	mask[3] &= d->apptag_check_mask;
	for (int part = 0; part < 3; part++) {
		int at = parts[part].at, len = parts[part].len;

		for (int byte = at; byte < at + len; byte++) {
			if (!((right[byte] ^ pi[byte]) & mask[byte]))
				continue;
			*err = (struct ib_sig_err) {
				.err_type = parts[part].type,
				.expected = model_get(right + at, len),
				.actual = model_get(pi + at, len),
				.sig_err_offset = (uint64_t)i * (m->interval + 8),
			};
			return part;
		}
	}
	return -1;
}

static inline bool model_escaped(const struct ib_t10_dif_domain *d, const uint8_t *pi)
{
	bool app = pi[2] == 0xff && pi[3] == 0xff;
	bool ref = pi[4] == 0xff && pi[5] == 0xff && pi[6] == 0xff && pi[7] == 0xff;

	if (d->app_escape && d->ref_escape)
		return app && ref;
	return (d->app_escape && app) || (d->ref_escape && ref);
}

/*
 * Checks interval @i, and turns its protection information @pi of one domain into that of the other
 * one. Returns whether it is wrong.
 */
static inline bool model_end(const struct dif_model *m, const struct ib_sig_domain *from,
			     const struct ib_sig_domain *to, uint32_t i, uint8_t *pi,
			     struct ib_sig_err *err)
{
	const struct ib_t10_dif_domain *a = &from->sig.dif, *b = &to->sig.dif;
	uint8_t made[8];
	bool wrong;

	model_right_pi(m, b, i, made);
	if (!from->sig_type) {
		memcpy(pi, made, 8);
		return false;
	}
	if (model_escaped(a, pi))
		return false;
	wrong = model_check(m, a, i, pi, err) >= 0;
	if (!to->sig_type)
		return wrong;
	if (a->bg_type != b->bg_type || a->bg != b->bg)
		memcpy(pi, made, 2);
	if (a->app_tag != b->app_tag)
		memcpy(pi + 2, made + 2, 2);
	if (a->ref_tag != b->ref_tag || a->ref_remap != b->ref_remap)
		memcpy(pi + 4, made + 4, 4);
	return wrong;
}

static inline uint32_t model_stride(const struct dif_model *m)
{
	return m->interval + (m->attrs.wire.sig_type ? 8 : 0);
}

/* Ends interval @i of a copy of [@from, @to). Returns whether it is wrong. */
static inline bool model_interval(struct dif_model *m, uint32_t i, uint64_t from, uint64_t to,
				  uint8_t *wire, bool in, struct ib_sig_err *err)
{
	const struct ib_sig_domain *w = &m->attrs.wire, *mem = &m->attrs.mem;
	uint64_t pi_at = (uint64_t)i * model_stride(m) + m->interval;
	uint64_t first = from > pi_at ? from : pi_at, last = to < pi_at + 8 ? to : pi_at + 8;
	uint8_t *meta = m->meta + (size_t)i * 8, pi[8];

	if (!w->sig_type) {
		if (from >= pi_at || to < pi_at || !mem->sig_type)
			return false;
		if (in)
			return model_end(m, w, mem, i, meta, err);
		memcpy(pi, meta, 8);
		return model_end(m, mem, w, i, pi, err);
	}
	if (first >= last)
		return false;
	if (!in) {
		bool wrong;

		memcpy(pi, meta, 8);
		wrong = model_end(m, mem, w, i, pi, err);
		memcpy(wire + (first - from), pi + (first - pi_at), last - first);
		return wrong;
	}
	if (last - first != 8)
		return false;
	memcpy(pi, wire + (first - from), 8);
	if (!mem->sig_type)
		return model_end(m, w, mem, i, pi, err);
	memcpy(meta, pi, 8);
	return model_end(m, w, mem, i, meta, err);
}

/* Does what soft_dif_copy() should do in a transfer of @len bytes. */
static inline bool model_copy(struct dif_model *m, uint64_t offset, uint8_t *wire, uint32_t len,
			      bool in, struct ib_sig_err *err)
{
	uint32_t stride = model_stride(m);
	struct ib_sig_err later;
	bool wrong = false;

	for (uint32_t n = 0; n < len; n++) {
		uint64_t i = (offset + n) / stride, pos = (offset + n) % stride;
		uint8_t *byte = m->data + i * m->interval + pos;

		if (pos < m->interval && in)
			*byte = wire[n];
		else if (pos < m->interval)
			wire[n] = *byte;
	}
	for (uint32_t i = 0; i < m->num; i++)
		wrong |= model_interval(m, i, offset, offset + len, wire, in,
					wrong ? &later : err);
	return wrong;
}

#endif /* UNIT_DIF_MODEL_H */
