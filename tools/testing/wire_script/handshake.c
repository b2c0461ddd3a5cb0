// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends and compares MPA request and reply frames. A field that a script does not name is sent with
 * the value of a conforming peer of revision 2 with CRC. A request of the host has the flag for
 * large FPDUs unless the script says otherwise.
 */

#include "handshake.h"
#include "iwarp/wire.h"

#define DEFAULT_DEPTH	8

/* Returns the flag by which a request wishes for large FPDUs, or a reply agrees to them. */
static u8 large_flag(bool reply)
{
	return reply ? MPA_FLAG_LARGE_AGREED : MPA_FLAG_LARGE_WANTED;
}

/* Returns, for a reply to a host's request, the depth in that request; else DEFAULT_DEPTH. */
static u16 default_depth(struct run *run, bool reply, const char *requested)
{
	const u64 *depth = var_find(run, requested);

	return reply && depth ? *depth : DEFAULT_DEPTH;
}

static void apply_flags(struct conn *conn, bool reply, u8 flags, struct direction *dir)
{
	conn->crc |= flags & MPA_FLAG_CRC;
	conn->large = flags & large_flag(reply) && (!reply || conn->large);
	dir->markers = flags & MPA_FLAG_MARKERS;
}

void handshake_send(struct run *run, struct conn *conn, bool reply, struct args *args)
{
	struct mpa_wire_hdr hdr = { .rev = args_number(args, "rev", MPA_REV_ENHANCED) };
	u16 ird = args_number(args, "ird", default_depth(run, reply, "mpa.ord"));
	u16 ord = args_number(args, "ord", default_depth(run, reply, "mpa.ird"));
	struct bytes key = {}, private = {}, frame = {};
	struct mpa_wire_enhanced enhanced;

	memcpy(hdr.key, reply ? MPA_KEY_REPLY : MPA_KEY_REQUEST, MPA_KEY_LEN);
	if (args_bytes(args, "key", &key)) {
		if (key.len > MPA_KEY_LEN)
			run_fail(run, "key: more than %d bytes", MPA_KEY_LEN);
		memcpy(hdr.key, key.at, key.len);
	}
	hdr.flags = (args_number(args, "mark", 0) ? MPA_FLAG_MARKERS : 0) |
		    (args_number(args, "crc", 1) ? MPA_FLAG_CRC : 0) |
		    (args_number(args, "large", 0) ? large_flag(reply) : 0) |
		    (args_number(args, "rej", 0) && reply ? MPA_FLAG_REJECT : 0) |
		    (args_number(args, "s", hdr.rev == MPA_REV_ENHANCED) ? MPA_FLAG_ENHANCED : 0);
	hdr.flags = args_number(args, "flags", hdr.flags);
	ird |= args_number(args, "a", 0) ? MPA_IRD_PEER_TO_PEER : 0;
	ird |= args_number(args, "b", 0) ? MPA_IRD_RTR_SEND : 0;
	ord |= args_number(args, "c", 0) ? MPA_ORD_RTR_WRITE : 0;
	ord |= args_number(args, "d", 0) ? MPA_ORD_RTR_READ : 0;
	enhanced = (struct mpa_wire_enhanced) { cpu_to_be16(ird), cpu_to_be16(ord) };
	if (hdr.flags & MPA_FLAG_ENHANCED && args_number(args, "words", 1))
		bytes_add(run, &private, &enhanced, sizeof(enhanced));
	args_bytes(args, "pdata", &private);
	hdr.pd_len = cpu_to_be16(args_number(args, "pdlen", private.len));

	bytes_add(run, &frame, &hdr, sizeof(hdr));
	bytes_add(run, &frame, private.at, private.len);
	frame.len = min_t(size_t, frame.len, args_number(args, "cut", frame.len));
	args_done(args);
	apply_flags(conn, reply, hdr.flags, &conn->rx);
	conn_send(run, conn, frame.at, frame.len);
}

void handshake_expect(struct run *run, struct conn *conn, bool reply, struct args *args)
{
	u8 large = args_number(args, "large", !reply) ? large_flag(reply) : 0;
	struct bytes want = {};
	struct mpa_wire_hdr hdr;
	u16 ird, ord, len, skip = 0;
	const u8 *private;

	memcpy(&hdr, conn_take(run, conn, sizeof(hdr), reply ? "a reply" : "a request"),
	       sizeof(hdr));
	bytes_expect(run, "key", hdr.key, sizeof(hdr.key),
		     (const u8 *)(reply ? MPA_KEY_REPLY : MPA_KEY_REQUEST), MPA_KEY_LEN);
	args_expect(args, "rev", hdr.rev);
	args_expect(args, "flags", hdr.flags);
	args_expect(args, "mark", !!(hdr.flags & MPA_FLAG_MARKERS));
	args_expect(args, "crc", !!(hdr.flags & MPA_FLAG_CRC));
	args_expect(args, "rej", !!(hdr.flags & MPA_FLAG_REJECT));
	args_expect(args, "s", !!(hdr.flags & MPA_FLAG_ENHANCED));
	if ((hdr.flags & 0x0f) != large)
		run_fail(run, "the low four flags are not %#x: %#x", large, hdr.flags);

	len = be16_to_cpu(hdr.pd_len);
	args_expect(args, "pdlen", len);
	private = conn_take(run, conn, len, "private data");
	if (hdr.flags & MPA_FLAG_ENHANCED) {
		if (len < MPA_ENHANCED_LEN)
			run_fail(run, "S is set, but there are only %u bytes of private data", len);
		ird = get_unaligned_be16(private);
		ord = get_unaligned_be16(private + 2);
		args_expect(args, "ird", ird & MPA_DEPTH_MASK);
		args_expect(args, "ord", ord & MPA_DEPTH_MASK);
		args_expect(args, "a", !!(ird & MPA_IRD_PEER_TO_PEER));
		args_expect(args, "b", !!(ird & MPA_IRD_RTR_SEND));
		args_expect(args, "c", !!(ord & MPA_ORD_RTR_WRITE));
		args_expect(args, "d", !!(ord & MPA_ORD_RTR_READ));
		var_set(run, "mpa.ird", ird & MPA_DEPTH_MASK);
		var_set(run, "mpa.ord", ord & MPA_DEPTH_MASK);
		skip = MPA_ENHANCED_LEN;
	}
	if (args_bytes(args, "pdata", &want))
		bytes_expect(run, "private data", private + skip, len - skip, want.at, want.len);
	args_done(args);
	apply_flags(conn, reply, hdr.flags, &conn->tx);
}
