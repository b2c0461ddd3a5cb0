/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How a connection ends: handlers of an endpoint's events.
 */
#ifndef SIW_CLOSE_H
#define SIW_CLOSE_H

struct siw_cep;

void siw_close_begun(struct siw_cep *cep);	/* RDMA */
void siw_close_drained(struct siw_cep *cep);
void siw_close_graceful(struct siw_cep *cep);	/* RDMA, DRAINED */
void siw_close_terminated(struct siw_cep *cep);
void siw_close_aborted(struct siw_cep *cep);
void siw_close_abort(struct siw_cep *cep);
void siw_close_linger(struct siw_cep *cep);	/* LINGER */
void siw_close_now(struct siw_cep *cep);	/* AWAIT_REQUEST, LINGER */

#endif /* SIW_CLOSE_H */
