// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Adds and checks CRCs and markers, in both directions of the stream. */

#include "iwarp/fpdu.h"
#include "stream.h"
#include "tools/testing/unit/crc32c.h"

/* Size limits in bytes of FPDUs that may be larger than a segment: without CRC, and with CRC. */
#define LARGE_FPDU	(32 * 1024)
#define LARGE_FPDU_CRC	(16 * 1024)

/* An FPDU that is being sent. */
struct emitter {
	struct run *run;
	struct direction *dir;
	struct bytes out;
	size_t ahead;	/* bytes of the marker before the FPDU's first byte, or 0 */
	bool markers;
	u16 skew;
	u16 reserved;
};

static void emit_marker(struct emitter *e)
{
	u8 marker[MPA_MARKER_LEN];
	u16 offset = e->out.len - e->ahead;

	put_unaligned_be16(e->reserved, marker);
	put_unaligned_be16(offset + e->skew, marker + 2);
	if (!e->out.len)
		e->ahead = sizeof(marker);
	bytes_add(e->run, &e->out, marker, sizeof(marker));
	e->dir->pos += sizeof(marker);
}

static void emit(struct emitter *e, const u8 *data, size_t len)
{
	for (; len; data++, len--) {
		if (e->markers && !(e->dir->pos % MPA_MARKER_PERIOD))
			emit_marker(e);
		bytes_add(e->run, &e->out, data, 1);
		e->dir->pos++;
	}
}

/* Appends the CRC, and before the CRC a marker if one is due. The CRC covers this marker. */
static void emit_crc(struct emitter *e, const char *how, bool on)
{
	u8 field[MPA_CRC_LEN];
	u32 crc;

	if (!strcmp(how, "none"))
		return;
	if (e->markers && !(e->dir->pos % MPA_MARKER_PERIOD))
		emit_marker(e);
	crc = crc32c(~0u, e->out.at, e->out.len) ^ ~0u;
	if (!strcmp(how, "bad"))
		crc ^= 0x00010000;
	else if (!strcmp(how, "zero") || (!strcmp(how, "default") && !on))
		crc = 0;
	else if (strcmp(how, "good") && strcmp(how, "default"))
		crc = number(e->run, how);
	mpa_crc_put(field, crc);
	emit(e, field, sizeof(field));
}

void stream_send(struct run *run, struct conn *conn, const struct bytes *fpdu, struct args *args)
{
	struct emitter e = {
		.run = run,
		.dir = &conn->tx,
		.markers = conn->tx.markers && args_number(args, "markers", 1),
		.skew = args_number(args, "ptr", 0),
		.reserved = args_number(args, "mrsvd", 0),
	};
	const char *crc = args_text(args, "crc");
	u32 times = args_number(args, "times", 1);
	bool urgent = args_flag(args, "urgent");
	struct bytes all = {};
	size_t len;

	emit(&e, fpdu->at, fpdu->len);
	emit_crc(&e, crc ?: "default", conn->crc);
	len = min_t(size_t, e.out.len, args_number(args, "cut", e.out.len));
	args_done(args);
	while (times--)
		bytes_add(run, &all, e.out.at, len);
	if (urgent)
		conn_send_urgent(run, conn, all.at, all.len);
	else
		conn_send(run, conn, all.at, all.len);
}

void stream_send_raw(struct run *run, struct conn *conn, const struct bytes *raw)
{
	conn->tx.pos += raw->len;
	conn_send(run, conn, raw->at, raw->len);
}

/* An FPDU that is being received. */
struct taker {
	struct run *run;
	struct conn *conn;
	struct bytes *fpdu;
	const char *what;
	u32 crc;
	u32 taken;	/* bytes of the stream taken for the FPDU, without @ahead */
	u32 ahead;	/* bytes of the marker before the FPDU's first byte, or 0 */
};

static void take_due_marker(struct taker *t)
{
	struct direction *rx = &t->conn->rx;
	const u8 *marker;

	if (!rx->markers || rx->pos % MPA_MARKER_PERIOD)
		return;
	marker = conn_take(t->run, t->conn, MPA_MARKER_LEN, "a marker");
	if (get_unaligned_be16(marker) || get_unaligned_be16(marker + 2) != t->taken)
		run_fail(t->run, "marker %08x, expected it to point %u back",
			 get_unaligned_be32(marker), t->taken);
	t->crc = crc32c(t->crc, marker, MPA_MARKER_LEN);
	rx->pos += MPA_MARKER_LEN;
	if (t->taken)
		t->taken += MPA_MARKER_LEN;
	else
		t->ahead = MPA_MARKER_LEN;
}

static void take(struct taker *t, size_t len)
{
	while (len) {
		size_t n = len;
		const u8 *at;

		take_due_marker(t);
		if (t->conn->rx.markers)
			n = min_t(size_t, n, mpa_marker_gap(t->conn->rx.pos));
		at = conn_take(t->run, t->conn, n, t->what);
		t->crc = crc32c(t->crc, at, n);
		bytes_add(t->run, t->fpdu, at, n);
		t->conn->rx.pos += n;
		t->taken += n;
		len -= n;
	}
}

void stream_take(struct run *run, struct conn *conn, struct bytes *fpdu, const char *what)
{
	struct taker t = { .run = run, .conn = conn, .fpdu = fpdu, .what = what, .crc = ~0u };
	bool large = conn->large && !conn->rx.markers;
	u32 ulpdu_len, pad, max, want, seen;

	take(&t, MPA_LEN_LEN);
	ulpdu_len = get_unaligned_be16(fpdu->at);
	pad = mpa_pad(ulpdu_len);
	take(&t, ulpdu_len + pad);

	take_due_marker(&t);
	want = conn->crc ? t.crc ^ ~0u : 0;
	seen = mpa_crc_get(conn_take(run, conn, MPA_CRC_LEN, "a CRC"));
	conn->rx.pos += MPA_CRC_LEN;
	t.taken += MPA_CRC_LEN;
	if (seen != want)
		run_fail(run, "CRC: expected %08x, seen %08x, of\n%s", want, seen,
			 bytes_dump(run, fpdu->at, fpdu->len));

	for (; pad; pad--)
		if (fpdu->at[--fpdu->len])
			run_fail(run, "pad is not zero");
	max = !large ? conn_mss(conn) : conn->crc ? LARGE_FPDU_CRC : LARGE_FPDU;
	if (max && t.ahead + t.taken > max)
		run_fail(run, "an FPDU of %u bytes, more than %u", t.ahead + t.taken, max);
}
