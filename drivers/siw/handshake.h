/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The MPA handshake of a connection.
 */
#ifndef SIW_HANDSHAKE_H
#define SIW_HANDSHAKE_H

#include <linux/types.h>

struct iw_cm_id;
struct siw_cep;

/* frames */

/* Notes the device's settings and our read depths. */
void siw_mpa_begin(struct siw_cep *cep, u16 ird, u16 ord);
/*
 * Begins to connect, with a new socket: 0, and the state is SIW_CEP_CONNECTING; or the reason why
 * that is not possible.
 */
int siw_mpa_connect(struct siw_cep *cep, const struct iw_cm_id *cm_id);
/*
 * Accepts the peer's request and opens the stream: 0; -EINVAL private data too long, -EPROTO
 * nothing agreed on, the request still open in either case; or what went wrong at socket or QP,
 * the endpoint being closed.
 */
int siw_mpa_accept(struct siw_cep *cep, const void *pd, u16 pd_len);
/* Refuses it: 0, -EINVAL private data too long; the reply being lost is no error. */
int siw_mpa_reject(struct siw_cep *cep, const void *pd, u16 pd_len);

/* handlers */
void siw_mpa_connected(struct siw_cep *cep);		/* CONNECTING: the socket changed */
void siw_mpa_reply(struct siw_cep *cep);		/* AWAIT_REPLY: likewise */
void siw_mpa_request(struct siw_cep *cep);		/* AWAIT_REQUEST: likewise */
void siw_mpa_peer_left(struct siw_cep *cep);		/* REQUESTED: likewise */
void siw_mpa_connect_timeout(struct siw_cep *cep);	/* CONNECTING, AWAIT_REPLY */
void siw_mpa_connect_killed(struct siw_cep *cep);
void siw_mpa_request_timeout(struct siw_cep *cep);	/* AWAIT_REQUEST */
void siw_mpa_gone(struct siw_cep *cep);		/* REQUESTED */
void siw_mpa_closing(struct siw_cep *cep);		/* AWAIT_RTR */
void siw_mpa_established(struct siw_cep *cep);
void siw_mpa_rtr_timeout(struct siw_cep *cep);
void siw_mpa_rtr_failed(struct siw_cep *cep);

#endif /* SIW_HANDSHAKE_H */
