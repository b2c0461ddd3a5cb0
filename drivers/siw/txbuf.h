/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Bytes on their way to TCP: built into page fragments, then handed over by reference.
 */
#ifndef SIW_TXBUF_H
#define SIW_TXBUF_H

#include <linux/mm_types.h>
#include <linux/types.h>

struct sock;

#define SIW_TXBUF_PIECES	32		/* power of two */
#define SIW_TXBUF_BATCH		(128 * 1024)	/* bytes built ahead of TCP */
#define SIW_TXBUF_MIN		512		/* least stretch; a whole control message fits */

/**
 * struct siw_txpiece - built bytes in one page fragment
 * @page: referenced
 * @off: of the first byte that TCP has not taken
 * @len: bytes that TCP has not taken
 */
struct siw_txpiece {
	struct page *page;
	u32 off;
	u32 len;
};

/**
 * struct siw_txbuf - built bytes that TCP has not taken yet; all zero: empty
 * @frag: where bytes are built
 * @pieces: a ring
 * @head: next free piece; free running
 * @tail: piece to hand over next; free running
 * @built: bytes built since the stream began
 * @pushed: bytes taken by TCP since the stream began
 */
struct siw_txbuf {
	struct page_frag frag;
	struct siw_txpiece pieces[SIW_TXBUF_PIECES];
	u32 head;
	u32 tail;
	u64 built;
	u64 pushed;
};

static inline bool siw_txbuf_empty(const struct siw_txbuf *buf)
{
	return buf->built == buf->pushed;
}

/* Enough is built; more comes when TCP has taken it. */
static inline bool siw_txbuf_full(const struct siw_txbuf *buf)
{
	return buf->built - buf->pushed >= SIW_TXBUF_BATCH ||
	       buf->head - buf->tail == SIW_TXBUF_PIECES;
}

/*
 * siw_txbuf_reserve() finds a contiguous stretch to build in: at most *@len bytes, which it cuts to
 * what there is, and at least the lesser of *@len and SIW_TXBUF_MIN. NULL: no memory now.
 * siw_txbuf_commit() makes the first @len bytes of it part of the stream. The buffer is not full.
 * siw_txbuf_free() drops everything.
 */
u8 *siw_txbuf_reserve(struct siw_txbuf *buf, u32 *len);
void siw_txbuf_commit(struct siw_txbuf *buf, u32 len);
void siw_txbuf_free(struct siw_txbuf *buf);

/*
 * Hands bytes to TCP until all are taken. 0, -EAGAIN when TCP takes no more now (it will call
 * write_space if its buffer is full), or the error that ended the connection. The socket is locked.
 */
int siw_txbuf_push(struct siw_txbuf *buf, struct sock *sk);

#endif /* SIW_TXBUF_H */
