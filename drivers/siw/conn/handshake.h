/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The MPA handshake of a connection. All functions are called with the endpoint's lock held.
 */
#ifndef SIW_HANDSHAKE_H
#define SIW_HANDSHAKE_H

#include <linux/socket.h>
#include <linux/types.h>

#include "drivers/siw/base/settings.h"
#include "iwarp/mpa.h"

struct iw_cm_id;
struct siw_cep;

/**
 * struct siw_mpa_conn - what an endpoint needs until its connection is set up
 * @settings: copy of the device's settings, made when the handshake begins; the fallback changes
 *	mpa_rev to 1
 * @first_err: errno with which the first connection ended if there was a fallback, else 0
 * @policy: what our frame asks for
 * @request: the MPA request that we have sent (its pd is NULL) or received
 * @peer: the peer's frame; its private data is in @rx
 * @agreement: what the two frames agree on
 * @rx: collects the peer's frame
 * @local: our address, once TCP is connected
 * @remote: the peer's address
 * @pd_len: bytes in @pd
 * @pd: private data of our request
 */
struct siw_mpa_conn {
	struct siw_settings settings;
	int first_err;
	struct mpa_policy policy;
	struct mpa_frame request;
	struct mpa_frame peer;
	struct mpa_agreement agreement;
	struct mpa_rx rx;
	struct sockaddr_storage local;
	struct sockaddr_storage remote;
	u16 pd_len;
	u8 pd[MPA_PD_MAX];
};

/* Copies the device's settings. Sets what our frame asks for; @ird and @ord are the read depths. */
void siw_mpa_begin(struct siw_cep *cep, u16 ird, u16 ord);

/*
 * Creates a socket and begins to connect it. On success, moves the endpoint to SIW_CEP_CONNECTING
 * and returns 0. On failure, returns the errno of socket(), bind() or connect(), or -EBUSY if
 * somebody else uses the socket's sk_user_data; the caller then has to close the endpoint.
 */
int siw_mpa_connect(struct siw_cep *cep, const struct iw_cm_id *cm_id);

/*
 * Accepts the peer's request with @pd_len bytes of private data, and starts the stream. On success,
 * returns 0. Returns -EINVAL if the private data is too long, or -EPROTO if no agreement is
 * possible; the request is then still unanswered. If the reply cannot be sent or the stream cannot
 * start, closes the endpoint and returns an errno, which may also be -EINVAL.
 */
int siw_mpa_accept(struct siw_cep *cep, const void *pd, u16 pd_len);

/*
 * Rejects the peer's request. Returns 0, even if the reply could not be sent. Returns -EINVAL if
 * the private data is too long; the request is then still unanswered.
 */
int siw_mpa_reject(struct siw_cep *cep, const void *pd, u16 pd_len);

/* The functions below handle events of the endpoint (cm_event.c). */

/* Called in SIW_CEP_CONNECTING when the socket has changed. */
void siw_mpa_handle_connected(struct siw_cep *cep);
/* Called in SIW_CEP_AWAIT_REPLY when the socket has changed. */
void siw_mpa_handle_reply(struct siw_cep *cep);
/* Called in SIW_CEP_CONNECTING and SIW_CEP_AWAIT_REPLY when the deadline has passed. */
void siw_mpa_connect_timeout(struct siw_cep *cep);
/*
 * Called in SIW_CEP_CONNECTING and SIW_CEP_AWAIT_REPLY when the QP or the device is going away, or
 * when the QP is in ERR.
 */
void siw_mpa_connect_aborted(struct siw_cep *cep);

/* Called in SIW_CEP_AWAIT_REQUEST when the socket has changed. */
void siw_mpa_handle_request(struct siw_cep *cep);
/* Called in SIW_CEP_AWAIT_REQUEST when the deadline has passed. */
void siw_mpa_request_timeout(struct siw_cep *cep);

/* Called in SIW_CEP_REQUESTED when the turn of the request has come. */
void siw_mpa_requested_deliver(struct siw_cep *cep);
/* Called in SIW_CEP_REQUESTED when the socket has changed. */
void siw_mpa_requested_socket(struct siw_cep *cep);
/* Called in SIW_CEP_REQUESTED when the listener or the device is going away. */
void siw_mpa_requested_kill(struct siw_cep *cep);

/* Called in SIW_CEP_AWAIT_RTR when the consumer closes the connection. */
void siw_mpa_rtr_close(struct siw_cep *cep);
/* Called in SIW_CEP_AWAIT_RTR when the first FPDU was received, or no RTR message is awaited. */
void siw_mpa_established(struct siw_cep *cep);
/* Called in SIW_CEP_AWAIT_RTR when the deadline has passed. */
void siw_mpa_rtr_timeout(struct siw_cep *cep);
/* Called in SIW_CEP_AWAIT_RTR when the stream has failed. */
void siw_mpa_rtr_failed(struct siw_cep *cep);

#endif /* SIW_HANDSHAKE_H */
