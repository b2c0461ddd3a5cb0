/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Bytes for TCP, which are built in page fragments. TCP takes the fragments by reference.
 */
#ifndef SIW_TXBUF_H
#define SIW_TXBUF_H

#include <linux/mm_types.h>
#include <linux/types.h>

struct sock;

#define SIW_TXBUF_PIECES	32		/* entries of siw_txbuf.pieces; a power of two */
#define SIW_TXBUF_BATCH		(128 * 1024)	/* bytes that may be built before TCP takes them */
#define SIW_TXBUF_MIN		512		/* smallest reservation; any control message fits */

/**
 * struct siw_txpiece - built bytes in one page fragment
 * @page: the page, with a reference
 * @off: offset in @page of the first byte that TCP has not taken
 * @len: number of bytes that TCP has not taken
 */
struct siw_txpiece {
	struct page *page;
	u32 off;
	u32 len;
};

/**
 * struct siw_txbuf - built bytes that TCP has not taken yet; empty if all members are zero
 * @frag: where the next bytes are built
 * @pieces: ring of the built bytes, in the order of the stream
 * @head: next free piece; free running
 * @tail: piece to push next; free running
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

/* Returns how many built bytes TCP has not taken yet; always far less than 2 GiB. */
static inline u32 siw_txbuf_unpushed(const struct siw_txbuf *buf)
{
	return buf->built - buf->pushed;
}

static inline bool siw_txbuf_empty(const struct siw_txbuf *buf)
{
	return !siw_txbuf_unpushed(buf);
}

/*
 * Returns whether no more bytes may be built until TCP has taken some. One piece is left for a
 * Terminate.
 */
static inline bool siw_txbuf_full(const struct siw_txbuf *buf)
{
	return siw_txbuf_unpushed(buf) >= SIW_TXBUF_BATCH ||
	       buf->head - buf->tail >= SIW_TXBUF_PIECES - 1;
}

/**
 * siw_txbuf_reserve() - find contiguous memory to build in
 * @buf: the buffer; may be full only if a Terminate is to be built
 * @len: in: bytes wanted; out: bytes available, at least the smaller of the bytes wanted and
 *	SIW_TXBUF_MIN
 *
 * Return: the memory; NULL if memory is short.
 */
u8 *siw_txbuf_reserve(struct siw_txbuf *buf, u32 *len);
/* Adds the first @len bytes of the reserved memory to the bytes that are built. */
void siw_txbuf_commit(struct siw_txbuf *buf, u32 len);
/* Frees the memory where the next bytes would be built. Called if there are no pieces. */
void siw_txbuf_trim(struct siw_txbuf *buf);
/* Drops all bytes and frees their memory. */
void siw_txbuf_free(struct siw_txbuf *buf);

/* Frees a buffer that was allocated by kmalloc(); @buf may be NULL or an error pointer. */
void siw_txbuf_destroy(struct siw_txbuf *buf);

/*
 * Hands all built bytes but the last @keep to TCP. Returns 0 if TCP has taken them; -EAGAIN if TCP
 * has taken fewer, because its buffer is full or memory is short; or the error that ended the
 * connection. If the buffer is full, TCP calls write_space later. Called with the socket locked.
 */
int siw_txbuf_push(struct siw_txbuf *buf, struct sock *sk, u32 keep);

#endif /* SIW_TXBUF_H */
