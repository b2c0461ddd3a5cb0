// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The end of a connection, from the open stream to the closed socket.
 *
 * If a connection ends gracefully, TCP sends the data that is in the socket, then the FPDUs that
 * the stream has left because TCP was full, and then our FIN. The socket is released when TCP has
 * closed it, so that no reset destroys data in flight. The socket is released with a reset if the
 * peer acknowledges nothing for SIW_CLOSE_MS, or if the end of this time was put off
 * SIW_CLOSE_PUT_OFFS times. QP and iw_cm are released before the socket.
 */
#include <linux/net.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "drivers/siw/conn/close.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/base/sock.h"
#include "drivers/siw/base/stats.h"
#include "drivers/siw/conn/cep.h"
#include "drivers/siw/stream/txbuf.h"

/* Bytes that siw_close_linger() drops before other events are handled. */
#define DROP_BATCH	(256 * 1024)

static void end_stream(struct siw_cep *cep, int status)
{
	bool unexpected = cep->state == SIW_CEP_RDMA && !cep->closing;

	lockdep_assert_held(&cep->lock);
	siw_cep_clear_deadline(cep);
	siw_cep_unbind(cep);
	if (unexpected)
		siw_cep_queue_iw_event(cep, IW_CM_EVENT_DISCONNECT, status);
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_CLOSE, 0);
	siw_count(cep->dev, SIW_DISCONNECTS);
}

/* Begins an orderly close for the consumer: posted requests are still sent, within SIW_CLOSE_MS. */
void siw_close_begin(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	cep->closing = true;
	siw_cep_set_close_deadline(cep);
}

/* Called after siw_close_begin(), when TCP has taken all requests and responses. */
void siw_close_drained(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	cep->state = SIW_CEP_FIN_WAIT;
	kernel_sock_shutdown(cep->sock, SHUT_WR);
	siw_cep_set_close_deadline(cep);
}

void siw_close_graceful(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	end_stream(cep, 0);
	siw_cep_linger(cep);
}

void siw_close_terminated(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	end_stream(cep, -ECONNRESET);
	siw_cep_linger(cep);
}

void siw_close_reset(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	end_stream(cep, -ECONNRESET);
	siw_cep_close(cep, true);
}

/*
 * Called when the consumer has moved the QP to ERR, as consumers often do to flush the remaining
 * requests. If the consumer has closed the connection before, or if our Terminate has ended the
 * stream, the connection is not reset, because a reset would destroy data that the peer has not
 * received yet.
 */
void siw_close_aborted(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	if (cep->closing || siw_cep_terminating(cep))
		siw_close_graceful(cep);
	else
		siw_close_reset(cep);
}

/*
 * Pushes siw_cep.rest, the FPDUs that the stream has left, to TCP, and sends our FIN when TCP has
 * taken all of them. Returns false if the connection is lost.
 */
static bool push_rest(struct siw_cep *cep)
{
	struct sock *sk = cep->sock->sk;
	unsigned long retry = jiffies + SIW_RETRY_DELAY;
	bool starved;
	int ret;

	lockdep_assert_held(&cep->lock);
	lock_sock(sk);
	cep->pushing = true;
	ret = siw_txbuf_push(cep->rest, sk, 0);
	cep->pushing = false;
	starved = ret == -EAGAIN && sk_stream_memory_free(sk);
	/*
	 * Ask TCP to call write_space when there is room again. If only memory was short, TCP does
	 * not call write_space, so a timer tries again.
	 */
	if (ret == -EAGAIN)
		set_bit(SOCK_NOSPACE, &sk->sk_socket->flags);
	release_sock(sk);

	if (starved && time_before(retry, cep->deadline))
		siw_cep_set_timer(cep, retry);
	if (ret)
		return ret == -EAGAIN;
	siw_txbuf_destroy(cep->rest);
	cep->rest = NULL;
	kernel_sock_shutdown(cep->sock, SHUT_WR);
	siw_cep_set_close_deadline(cep);
	return true;
}

/*
 * Drops what the peer sends. Otherwise, its data would fill the receive buffer, and its FIN would
 * wait behind the data that does not fit. A refused peer that has acknowledged our answer has
 * nothing left to send. Its further bytes are answered with a reset, so that the peer cannot keep
 * us busy dropping data.
 */
void siw_close_linger(struct siw_cep *cep)
{
	int dropped;

	lockdep_assert_held(&cep->lock);
	dropped = siw_sock_drop(cep->sock, DROP_BATCH);
	if (READ_ONCE(cep->sock->sk->sk_state) == TCP_CLOSE)
		siw_cep_close(cep, false);
	else if (cep->rest && !push_rest(cep))
		siw_cep_close(cep, true);
	else if (cep->refused && dropped > 0 && siw_sock_is_acked(cep->sock))
		siw_cep_close(cep, true);
	else if (dropped == DROP_BATCH)
		siw_cep_post_event(cep, SIW_CEP_EV_SOCKET);
}

void siw_close_retry(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	if (cep->state != SIW_CEP_LINGER || !cep->rest)
		return;
	siw_cep_set_timer(cep, cep->deadline);
	siw_close_linger(cep);
}

/*
 * Called when the deadline has passed. Puts the deadline off if the peer has acknowledged bytes,
 * because our consumer regards the remaining bytes as sent, and a slow network may need longer to
 * deliver them. If the peer has acknowledged nothing, or if the deadline was put off too often,
 * resets the connection. The number of times is limited, because the peer may acknowledge one byte
 * at a time.
 */
void siw_close_timeout(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	if (cep->put_offs && siw_sock_acked(cep->sock) != cep->acked) {
		cep->put_offs--;
		siw_cep_set_close_deadline(cep);
	} else if (cep->state == SIW_CEP_LINGER) {
		siw_cep_close(cep, true);
	} else {
		siw_close_reset(cep);
	}
}

void siw_close_now(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	siw_cep_close(cep, true);
}
