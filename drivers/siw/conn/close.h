/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How a connection ends: handlers of an endpoint's events. Called with the endpoint's lock held.
 */
#ifndef SIW_CLOSE_H
#define SIW_CLOSE_H

struct siw_cep;

/* The next four functions are called in SIW_CEP_RDMA. */
void siw_close_begin(struct siw_cep *cep);
void siw_close_drained(struct siw_cep *cep);
void siw_close_terminated(struct siw_cep *cep);
void siw_close_aborted(struct siw_cep *cep);

/* The next two functions are called in SIW_CEP_RDMA and SIW_CEP_FIN_WAIT. */
void siw_close_graceful(struct siw_cep *cep);
void siw_close_reset(struct siw_cep *cep);

/* Called in SIW_CEP_RDMA, SIW_CEP_FIN_WAIT and SIW_CEP_LINGER when the deadline has passed. */
void siw_close_timeout(struct siw_cep *cep);

/* Called in SIW_CEP_LINGER. */
void siw_close_linger(struct siw_cep *cep);
/*
 * Called when the timer has fired before the deadline. If TCP has not taken siw_cep.rest because
 * memory was short, pushes it again.
 */
void siw_close_retry(struct siw_cep *cep);

/* Called in SIW_CEP_LINGER and SIW_CEP_AWAIT_REQUEST. */
void siw_close_now(struct siw_cep *cep);

#endif /* SIW_CLOSE_H */
