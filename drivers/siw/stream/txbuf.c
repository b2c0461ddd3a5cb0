// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Bytes for TCP. TCP takes page fragments by reference, so bytes are written only once. A page is
 * reused when TCP has dropped its references. On a local connection, these include the references
 * of the receiving socket.
 */
#include <linux/mm.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "drivers/siw/stream/txbuf.h"

/* Largest fragment in bytes. TCP's own fragments have the same limit. */
#define FRAG_MAX	(32 * 1024)

static struct siw_txpiece *txbuf_piece(struct siw_txbuf *buf, u32 index)
{
	return &buf->pieces[index & (SIW_TXBUF_PIECES - 1)];
}

u8 *siw_txbuf_reserve(struct siw_txbuf *buf, u32 *len)
{
	struct page_frag *frag = &buf->frag;
	int order;

	/* Reuse the page if all references of TCP to it are gone. */
	if (frag->page && page_ref_count(frag->page) == 1)
		frag->offset = 0;
	/*
	 * If the rest of the fragment is too short, it stays unused. The next fragment has twice
	 * the size, so that a connection that sends little has one page, and one that sends much
	 * soon has FRAG_MAX. If memory is short or fragmented, the next fragment is one page. No
	 * larger fragment is taken from the memory reserves, because the receipt of packets needs
	 * the reserves, too.
	 */
	if (frag->offset + *len > frag->size) {
		order = get_order(min_t(u32, max_t(u32, *len, 2 * frag->size), FRAG_MAX));
		if (frag->page)
			put_page(frag->page);
		frag->page = alloc_pages(GFP_NOWAIT | __GFP_NOWARN | __GFP_NOMEMALLOC | __GFP_COMP |
					 __GFP_NORETRY, order);
		if (!frag->page)
			frag->page = alloc_page(GFP_ATOMIC | __GFP_NOWARN);
		frag->size = frag->page ? page_size(frag->page) : 0;
		frag->offset = 0;
		if (!frag->page)
			return NULL;
	}
	*len = min_t(u32, *len, frag->size - frag->offset);
	return (u8 *)page_address(frag->page) + frag->offset;
}

void siw_txbuf_commit(struct siw_txbuf *buf, u32 len)
{
	struct page_frag *frag = &buf->frag;
	struct siw_txpiece *last = txbuf_piece(buf, buf->head - 1);

	if (buf->head != buf->tail && last->page == frag->page &&
	    last->off + last->len == frag->offset) {
		last->len += len;
	} else {
		get_page(frag->page);
		*txbuf_piece(buf, buf->head++) = (struct siw_txpiece) {
			.page = frag->page, .off = frag->offset, .len = len,
		};
	}
	frag->offset += len;
	buf->built += len;
}

int siw_txbuf_push(struct siw_txbuf *buf, struct sock *sk, u32 keep)
{
	u64 end = buf->built - keep;

	lockdep_assert(lockdep_sock_is_held(sk));
	while (buf->pushed != end) {
		struct siw_txpiece *first = txbuf_piece(buf, buf->tail);
		u32 len = min_t(u64, first->len, end - buf->pushed);
		int sent;

		sent = krdma_tcp_send_page_locked(sk, first->page, first->off, len,
						  MSG_DONTWAIT | MSG_NOSIGNAL,
						  buf->pushed + len != end);
		if (sent <= 0)
			return sent ?: -EAGAIN;
		first->off += sent;
		first->len -= sent;
		buf->pushed += sent;
		if (!first->len) {
			put_page(first->page);
			buf->tail++;
		}
	}
	return 0;
}

void siw_txbuf_trim(struct siw_txbuf *buf)
{
	if (buf->frag.page)
		put_page(buf->frag.page);
	buf->frag = (struct page_frag) {};
}

void siw_txbuf_free(struct siw_txbuf *buf)
{
	for (; buf->tail != buf->head; buf->tail++)
		put_page(txbuf_piece(buf, buf->tail)->page);
	siw_txbuf_trim(buf);
	memset(buf, 0, sizeof(*buf));
}

void siw_txbuf_destroy(struct siw_txbuf *buf)
{
	if (IS_ERR_OR_NULL(buf))
		return;
	siw_txbuf_free(buf);
	kfree(buf);
}
