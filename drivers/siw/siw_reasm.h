/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * MPA's side of receive, for streams with CRC or markers: an FPDU is looked at when all of it is in
 * and its CRC was found right. Only the engine's runner touches this.
 */
#ifndef SIW_REASM_H
#define SIW_REASM_H

#include <linux/types.h>

struct siw_qp;
struct sk_buff;

/**
 * struct siw_reasm - the FPDU that is coming in
 * @buf: what is in of one that came in pieces, or has markers
 * @room: size of @buf
 * @have: bytes in it; 0 between FPDUs
 * @pos: where the FPDU begins in the stream, markers counted; only kept with markers
 */
struct siw_reasm {
	u8 *buf;
	u32 room;
	u32 have;
	u64 pos;
};

/*
 * Takes @len bytes of @skb from @offset on, and passes whole FPDUs to siw_rx_feed(). Returns how
 * many it took: fewer when there is no memory to keep them, so that they have to stay in the socket
 * for now.
 */
u32 siw_reasm_input(struct siw_qp *qp, struct sk_buff *skb, u32 offset, u32 len);
/* Drops what it keeps. */
void siw_reasm_clear(struct siw_reasm *in);

#endif /* SIW_REASM_H */
