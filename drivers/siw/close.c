// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The end of a connection, from the open stream to the closed socket.
 *
 * Graceful: TCP sends what is in the socket, and then our FIN. The socket is released when TCP has
 * closed it, so that no reset destroys data in flight; after SIW_CLOSE_MS it is released with a
 * reset. QP and iw_cm are released before that.
 */
#include <linux/net.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "drivers/siw/close.h"
#include "drivers/siw/cep.h"
#include "drivers/siw/siw.h"
#include "drivers/siw/stats.h"

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

/* The consumer closes: posted requests are still sent, within SIW_CLOSE_MS. */
void siw_close_begin(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	cep->closing = true;
	siw_cep_set_deadline(cep, SIW_CLOSE_MS);
}

/* After siw_close_begin(), the stream has written all posted requests to the socket. */
void siw_close_drained(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	cep->state = SIW_CEP_FIN_WAIT;
	kernel_sock_shutdown(cep->sock, SHUT_WR);
	siw_cep_set_deadline(cep, SIW_CLOSE_MS);
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
 * A consumer that has closed the connection, or whose requests were flushed, often moves the QP to
 * ERR next, to get the remaining requests flushed. Do not reset then, because that would destroy
 * data that the peer has not received yet.
 */
void siw_close_aborted(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	if (cep->closing || siw_cep_terminating(cep))
		siw_close_graceful(cep);
	else
		siw_close_reset(cep);
}

void siw_close_linger(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	if (READ_ONCE(cep->sock->sk->sk_state) == TCP_CLOSE)
		siw_cep_close(cep, false);
}

void siw_close_now(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	siw_cep_close(cep, true);
}
