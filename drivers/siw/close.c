// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The end of a connection, from the open stream to the closed socket.
 *
 * Graceful: what is in the socket goes out, then our FIN; the socket is released when TCP has
 * come to its end, so that nothing that we said is lost by a reset, or after SIW_CLOSE_MS by one.
 * QP and iw_cm are not kept waiting for that.
 */
#include <linux/net.h>
#include <net/sock.h>
#include <net/tcp_states.h>

#include "drivers/siw/close.h"
#include "drivers/siw/cep.h"
#include "drivers/siw/stats.h"

static void end_of_stream(struct siw_cep *cep, int status)
{
	bool unexpected = cep->state == SIW_CEP_RDMA && !cep->closing;

	siw_cep_clear_deadline(cep);
	siw_cep_unbind(cep);
	if (unexpected)
		siw_cep_queue_iw_event(cep, IW_CM_EVENT_DISCONNECT, status);
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_CLOSE, 0);
	siw_count(cep->dev, SIW_DISCONNECTS);
}

/* The consumer closes: what it has posted still goes out, if the peer takes it. */
void siw_close_begun(struct siw_cep *cep)
{
	cep->closing = true;
	siw_cep_set_deadline(cep, SIW_CLOSE_MS);
}

/* All it has posted is in the socket. */
void siw_close_drained(struct siw_cep *cep)
{
	cep->state = SIW_CEP_FIN_WAIT;
	kernel_sock_shutdown(cep->sock, SHUT_WR);
	siw_cep_set_deadline(cep, SIW_CLOSE_MS);
}

void siw_close_graceful(struct siw_cep *cep)
{
	end_of_stream(cep, 0);
	siw_cep_linger(cep);
}

void siw_close_terminated(struct siw_cep *cep)
{
	end_of_stream(cep, -ECONNRESET);
	siw_cep_linger(cep);
}

void siw_close_abort(struct siw_cep *cep)
{
	end_of_stream(cep, -ECONNRESET);
	siw_cep_close(cep, true);
}

/*
 * Consumers that have asked for the end, or see their requests flushed, often move the QP to the
 * error state next, to get the rest back. That is no reason to take back what the peer has not
 * received yet.
 */
void siw_close_aborted(struct siw_cep *cep)
{
	if (cep->closing || siw_cep_terminating(cep))
		siw_close_graceful(cep);
	else
		siw_close_abort(cep);
}

void siw_close_linger(struct siw_cep *cep)
{
	if (READ_ONCE(cep->sock->sk->sk_state) == TCP_CLOSE)
		siw_cep_close(cep, false);
}

void siw_close_now(struct siw_cep *cep)
{
	siw_cep_close(cep, true);
}
