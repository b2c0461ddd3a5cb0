// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Idle streams. A stream with memory that could be freed is checked every CHECK_DELAY jiffies. The
 * stream is idle if it has done nothing since the last check, and has nothing in flight. So the
 * memory is freed between one and two CHECK_DELAYs after the last traffic. Each pass of a stream
 * calls siw_idle_check(), which only compares the time until the next check is due. If the stream
 * has no such memory yet, siw_idle_check() only looks whether that has changed.
 */
#include <linux/jiffies.h>
#include <linux/tcp.h>
#include <linux/timer.h>

#include "drivers/siw/stream/idle.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/sq.h"
#include "drivers/siw/stream/read.h"
#include "drivers/siw/stream/stream_state.h"
#include "drivers/siw/stream/tx.h"
#include "drivers/siw/stream/txbuf.h"
#include "soft/sq.h"

#define CHECK_DELAY	(4 * HZ)

/*
 * Returns a number that changes with each byte received from TCP or pushed to TCP, and with each
 * request in the send queue. The number wraps.
 */
static u32 idle_activity(const struct siw_stream *s)
{
	return tcp_sk(siw_stream_sk(s))->copied_seq + (u32)s->tx->buf.pushed +
	       READ_ONCE(s->qp->soft.sq.head);
}

static bool idle_has_memory(const struct siw_stream *s)
{
	return s->tx->buf.frag.page || soft_sq_has_chunks(&s->qp->soft.sq) ||
	       siw_reads_have_grown(&s->reads);
}

/* Returns whether nothing is in flight. If so, the memory that could be freed is not in use. */
static bool idle_nothing_in_flight(struct siw_stream *s)
{
	return siw_sq_empty(s->qp) && siw_tx_idle(s->tx) && !siw_orrq_used(&s->reads) &&
	       !siw_irrq_used(&s->reads);
}

void siw_idle_check(struct siw_stream *s)
{
	struct siw_idle *idle = &s->idle;
	u32 activity;

	/* A stream that has failed is stopped soon, which frees all its memory. */
	if (s->failed)
		return;
	if (!idle->check_at || time_after_eq(jiffies, idle->check_at)) {
		activity = idle_activity(s);
		if (idle->check_at && activity == idle->activity && idle_nothing_in_flight(s)) {
			siw_txbuf_trim(&s->tx->buf);
			soft_sq_trim(&s->qp->soft.sq);
			siw_reads_trim(&s->reads, s->qp);
		}
		idle->activity = activity;
		idle->check_at = idle_has_memory(s) ? (jiffies + CHECK_DELAY) ?: 1 : 0;
	}
	/* A timer that is pending starts a pass anyway, which arms the timer for the check. */
	if (idle->check_at && !timer_pending(&s->retry))
		timer_reduce(&s->retry, idle->check_at);
}
