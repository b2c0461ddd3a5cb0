/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Listeners of iw_cm, and the listening sockets (lsocks) that they stand behind.
 */
#ifndef SIW_LISTEN_H
#define SIW_LISTEN_H

#include <linux/types.h>

struct iw_cm_id;
struct siw_cep;
struct siw_listener;
struct siw_net;

/*
 * A connection of a listener is half open until its request is delivered to iw_cm.
 * siw_listener_begin_request() ends that: it returns the listener's cm_id, to be used until
 * siw_listener_end_request(), or NULL if the listener is gone. It may sleep for a moment, so that
 * requests of one host are delivered in order. siw_listener_drop() ends it without a request. Both
 * are called at most once for a connection, and give back its reference to the listener; for a
 * request, siw_listener_end_request() does.
 */
struct iw_cm_id *siw_listener_begin_request(struct siw_listener *listener, struct siw_cep *cep);
void siw_listener_end_request(struct siw_listener *listener, struct siw_cep *cep);
void siw_listener_drop(struct siw_listener *listener, struct siw_cep *cep);

/* Releases the listening sockets of a network namespace that goes away. */
void siw_lsocks_exit_net(struct siw_net *sn);

#endif /* SIW_LISTEN_H */
