// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * T10 DIF between memory and the wire.
 *
 * A copy reads one domain ("from") and writes the other one ("to"). Protection information that
 * is read is checked. If both domains have the same rules for a field of the protection
 * information, the field is copied unchanged, so that damage is not hidden. The other fields are
 * computed by the rules of the domain that is written.
 */
#include "soft/dif.h"
#include "soft/dif_guard.h"

#define APP_ESCAPE	0xffff
#define REF_ESCAPE	0xffffffff

/* The two tags and the guard, as numbers. */
struct pi {
	u16 guard;
	u16 app_tag;
	u32 ref_tag;
};

/**
 * struct copy - a call of soft_dif_copy()
 * @dif: the registration
 * @cursor: the transfer
 * @in: true for a copy from the wire into memory, false for a copy from memory to the wire
 * @from: the domain that is read
 * @to: the domain that is written
 * @sum_from: the guard of @from is needed
 * @sum_to: the guard of @to is needed
 * @index: number of the current interval
 * @failed: an interval has failed a check
 * @err: the caller's memory for a description of the first interval that has failed
 */
struct copy {
	const struct soft_dif *dif;
	struct soft_dif_cursor *cursor;
	bool in;
	const struct ib_sig_domain *from;
	const struct ib_sig_domain *to;
	bool sum_from;
	bool sum_to;
	u64 index;
	bool failed;
	struct ib_sig_err *err;
};

static bool has_pi(const struct ib_sig_domain *domain)
{
	return domain->sig_type == IB_SIG_TYPE_T10_DIF;
}

/* Registrations */

static bool domain_is_valid(const struct ib_sig_domain *domain)
{
	const struct ib_t10_dif_domain *dif = &domain->sig.dif;

	if (domain->sig_type == IB_SIG_TYPE_NONE)
		return true;
	return has_pi(domain) && dif->pi_interval &&
	       (dif->bg_type == IB_T10DIF_CRC || dif->bg_type == IB_T10DIF_CSUM);
}

static bool attrs_are_valid(const struct ib_sig_attrs *attrs)
{
	const struct ib_sig_domain *mem = &attrs->mem, *wire = &attrs->wire;

	if (!domain_is_valid(mem) || !domain_is_valid(wire))
		return false;
	return !has_pi(mem) || !has_pi(wire) ||
	       mem->sig.dif.pi_interval == wire->sig.dif.pi_interval;
}

static u32 interval_of(const struct ib_sig_attrs *attrs)
{
	if (has_pi(&attrs->wire))
		return attrs->wire.sig.dif.pi_interval;
	return has_pi(&attrs->mem) ? attrs->mem.sig.dif.pi_interval : 0;
}

u64 soft_dif_wire_len(const struct ib_sig_attrs *attrs, u64 data_len)
{
	u32 interval, rest;
	u64 num;

	if (!attrs_are_valid(attrs))
		return 0;
	interval = interval_of(attrs);
	if (!interval)
		return data_len;
	num = div_u64_rem(data_len, interval, &rest);
	return num * (interval + (has_pi(&attrs->wire) ? SOFT_PI_LEN : 0));
}

int soft_dif_register(struct soft_dif *dif, const struct ib_sig_attrs *attrs)
{
	u64 data_len = soft_dif_list_len(&dif->data);
	u64 wire_len = soft_dif_wire_len(attrs, data_len);
	u32 interval, rest = 0;
	u64 num = 0;

	if (!wire_len)
		return -EINVAL;
	interval = interval_of(attrs);
	if (interval)
		num = div_u64_rem(data_len, interval, &rest);
	if (rest || (has_pi(&attrs->mem) && soft_dif_list_len(&dif->meta) / SOFT_PI_LEN < num))
		return -EINVAL;

	dif->attrs = *attrs;
	dif->interval = interval;
	dif->stride = interval + (has_pi(&attrs->wire) ? SOFT_PI_LEN : 0);
	dif->wire_len = wire_len;
	dif->id = dif->id + 1 ?: 1;
	return 0;
}

/* Memory */

/* Returns the piece with the byte at @offset. The caller ensures that the list has this byte. */
static const struct soft_dif_seg *find_seg(const struct soft_dif_list *list, u64 offset)
{
	u32 low = 0, high = list->num - 1, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (list->segs[middle].end > offset)
			high = middle;
		else
			low = middle + 1;
	}
	return &list->segs[low];
}

/* Returns the memory at @offset. Lowers *@len if fewer bytes follow in this piece of memory. */
static u8 *memory_at(const struct soft_dif_list *list, u64 offset, u32 *len)
{
	const struct soft_dif_seg *seg = find_seg(list, offset);
	u64 begin = seg == list->segs ? 0 : seg[-1].end;

	*len = (u32)min_t(u64, *len, seg->end - offset);
	return seg->at + (offset - begin);
}

static void copy_memory(const struct soft_dif_list *list, u64 offset, u8 *other, u32 len, bool in)
{
	u32 piece;
	u8 *memory;

	for (; len; len -= piece, other += piece, offset += piece) {
		piece = len;
		memory = memory_at(list, offset, &piece);
		if (in)
			memcpy(memory, other, piece);
		else
			memcpy(other, memory, piece);
	}
}

/* Protection information */

static struct pi pi_parse(const u8 *at)
{
	return (struct pi) {
		get_unaligned_be16(at), get_unaligned_be16(at + 2), get_unaligned_be32(at + 4),
	};
}

static void pi_build(u8 *at, const struct pi *pi)
{
	put_unaligned_be16(pi->guard, at);
	put_unaligned_be16(pi->app_tag, at + 2);
	put_unaligned_be32(pi->ref_tag, at + 4);
}

static u32 ref_tag_of(const struct copy *c, const struct ib_t10_dif_domain *dif)
{
	return dif->ref_tag + (dif->ref_remap ? (u32)c->index : 0);
}

static bool is_escaped(const struct ib_t10_dif_domain *dif, const struct pi *pi)
{
	if (!dif->app_escape && !dif->ref_escape)
		return false;
	return (!dif->app_escape || pi->app_tag == APP_ESCAPE) &&
	       (!dif->ref_escape || pi->ref_tag == REF_ESCAPE);
}

/*
 * Turns @check_mask, which has one bit for each byte of protection information, into a mask of the
 * information's bits. The reference tag is in the lowest bits.
 */
static u64 checked_bits(u8 check_mask)
{
	u64 bits = 0;
	int byte;

	for (byte = 0; byte < SOFT_PI_LEN; byte++)
		if (check_mask >> byte & 1)
			bits |= 0xffULL << (8 * byte);
	return bits;
}

/* Computes the guard of the current interval from the memory. */
static u16 guard_of_memory(const struct copy *c, const struct ib_t10_dif_domain *dif)
{
	u32 state = soft_guard_begin(dif->bg_type, dif->bg);
	u32 offset, piece;
	const u8 *memory;

	for (offset = 0; offset < c->dif->interval; offset += piece) {
		piece = c->dif->interval - offset;
		memory = memory_at(&c->dif->data, c->index * c->dif->interval + offset, &piece);
		state = soft_guard_add(dif->bg_type, state, memory, piece, offset);
	}
	return soft_guard_end(dif->bg_type, state);
}

static void dif_fail(struct copy *c, enum ib_sig_err_type type, u32 expected, u32 actual)
{
	if (c->failed)
		return;
	c->failed = true;
	*c->err = (struct ib_sig_err) {
		.err_type = type,
		.expected = expected,
		.actual = actual,
		.sig_err_offset = c->index * (c->dif->interval + SOFT_PI_LEN),
	};
}

/* Checks @pi, whose tags do not have the escape value that turns checks off. */
static void check_pi(struct copy *c, const struct pi *pi)
{
	const struct ib_t10_dif_domain *dif = &c->from->sig.dif;
	u64 bits = checked_bits(c->dif->attrs.check_mask);
	u32 ref_tag = ref_tag_of(c, dif);
	u16 guard;

	if (c->sum_from) {
		guard = c->cursor->whole ? soft_guard_end(dif->bg_type, c->cursor->from_sum)
					 : guard_of_memory(c, dif);
		if ((pi->guard ^ guard) & (u16)(bits >> 48)) {
			dif_fail(c, IB_SIG_BAD_GUARD, guard, pi->guard);
			return;
		}
	}
	if ((pi->ref_tag ^ ref_tag) & (u32)bits)
		dif_fail(c, IB_SIG_BAD_REFTAG, ref_tag, pi->ref_tag);
	else if ((pi->app_tag ^ dif->app_tag) & (u16)(bits >> 32) & dif->apptag_check_mask)
		dif_fail(c, IB_SIG_BAD_APPTAG, dif->app_tag, pi->app_tag);
}

static bool same_guard(const struct ib_t10_dif_domain *a, const struct ib_t10_dif_domain *b)
{
	return a->bg_type == b->bg_type && a->bg == b->bg;
}

/*
 * Turns @pi into the protection information of the destination. On entry @pi is the protection
 * information of the source, or all zero if the source has none.
 */
static void make_pi(const struct copy *c, struct pi *pi)
{
	const struct ib_t10_dif_domain *from = &c->from->sig.dif, *to = &c->to->sig.dif;
	bool none = !has_pi(c->from);

	if (c->sum_to)
		pi->guard = c->cursor->whole ? soft_guard_end(to->bg_type, c->cursor->to_sum)
					     : guard_of_memory(c, to);
	if (none || from->app_tag != to->app_tag)
		pi->app_tag = to->app_tag;
	if (none || from->ref_tag != to->ref_tag || from->ref_remap != to->ref_remap)
		pi->ref_tag = ref_tag_of(c, to);
}

/*
 * Ends the current interval, whose data was copied completely. If the source has protection
 * information, checks it. If the destination has protection information, makes it. cursor->pi
 * holds the protection information of the wire: in a copy into memory, the caller has stored it
 * there; in a copy out of memory, this function stores it.
 */
static void end_interval(struct copy *c)
{
	u64 offset = c->index * SOFT_PI_LEN;
	struct pi pi = {};
	u8 in_memory[SOFT_PI_LEN];
	bool escaped = false;

	if (has_pi(c->from)) {
		if (!c->in)
			copy_memory(&c->dif->meta, offset, in_memory, SOFT_PI_LEN, false);
		pi = pi_parse(c->in ? c->cursor->pi : in_memory);
		escaped = is_escaped(&c->from->sig.dif, &pi);
		if (!escaped)
			check_pi(c, &pi);
	}
	if (!has_pi(c->to))
		return;
	if (!escaped)
		make_pi(c, &pi);
	pi_build(c->in ? in_memory : c->cursor->pi, &pi);
	if (c->in)
		copy_memory(&c->dif->meta, offset, in_memory, SOFT_PI_LEN, true);
}

/* Copies */

/* Copies data, from byte @pos of the current interval on, and adds the data to the guards. */
static void copy_data(struct copy *c, u32 pos, u8 *wire, u32 len)
{
	const struct ib_t10_dif_domain *from = &c->from->sig.dif, *to = &c->to->sig.dif;
	struct soft_dif_cursor *cursor = c->cursor;

	if (!pos) {
		cursor->whole = true;
		if (c->sum_from)
			cursor->from_sum = soft_guard_begin(from->bg_type, from->bg);
		if (c->sum_to)
			cursor->to_sum = soft_guard_begin(to->bg_type, to->bg);
	}
	cursor->pi_whole = false;
	copy_memory(&c->dif->data, c->index * c->dif->interval + pos, wire, len, c->in);
	if (!cursor->whole)
		return;
	/* Take the guards from the bytes of the wire: those in memory may change meanwhile. */
	if (c->sum_from)
		cursor->from_sum = soft_guard_add(from->bg_type, cursor->from_sum, wire, len, pos);
	if (c->sum_to)
		cursor->to_sum = soft_guard_add(to->bg_type, cursor->to_sum, wire, len, pos);
}

static void start_cursor(struct soft_dif_cursor *cursor, const struct soft_dif *dif, u64 offset)
{
	if (cursor->dif == dif && cursor->id == dif->id && cursor->next == offset)
		return;
	*cursor = (struct soft_dif_cursor) {.dif = dif, .id = dif->id, .next = offset};
}

bool soft_dif_copy(const struct soft_dif *dif, struct soft_dif_cursor *cursor, u64 offset, u8 *wire,
		   u32 len, bool in, struct ib_sig_err *err)
{
	const struct ib_sig_domain *from = in ? &dif->attrs.wire : &dif->attrs.mem;
	const struct ib_sig_domain *to = in ? &dif->attrs.mem : &dif->attrs.wire;
	struct copy c = {
		.dif = dif, .cursor = cursor, .in = in, .from = from, .to = to, .err = err,
		.sum_from = has_pi(from) && dif->attrs.check_mask & IB_SIG_CHECK_GUARD,
		.sum_to = has_pi(to) &&
			  !(has_pi(from) && same_guard(&from->sig.dif, &to->sig.dif)),
	};
	u32 pos, part;
	bool ends;

	if (!dif->interval) {
		copy_memory(&dif->data, offset, wire, len, in);
		return false;
	}
	start_cursor(cursor, dif, offset);
	cursor->next += len;
	c.index = div_u64_rem(offset, dif->stride, &pos);
	for (; len; len -= part, wire += part) {
		/* Copy up to the end of the data, or of the protection information. */
		part = min_t(u32, len, (pos < dif->interval ? dif->interval : dif->stride) - pos);
		ends = pos + part == dif->stride;
		if (pos < dif->interval) {
			copy_data(&c, pos, wire, part);
			if (ends)
				end_interval(&c);
		} else if (in) {
			if (pos == dif->interval)
				cursor->pi_whole = true;
			memcpy(cursor->pi + (pos - dif->interval), wire, part);
			if (cursor->pi_whole && ends)
				end_interval(&c);
		} else {
			if (!cursor->pi_whole)
				end_interval(&c);
			cursor->pi_whole = true;
			memcpy(wire, cursor->pi + (pos - dif->interval), part);
		}
		pos = ends ? 0 : pos + part;
		c.index += ends;
	}
	return c.failed;
}
