/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The steps of clients' calls that concern the provider, for the tables of state.c. All functions
 * are called without a lock, while the identifier is busy, and return 0 or a negative errno.
 */
#ifndef _KRDMA_IWCM_PROVIDER_H_
#define _KRDMA_IWCM_PROVIDER_H_

#include <linux/types.h>

struct iw_cm_conn_param;
struct iwcm_id;

/**
 * struct iwcm_args - arguments of a call
 * @param: for connect and accept: the client's parameters
 * @private_data: for reject: data for the peer's client
 * @private_data_len: for reject: number of bytes at @private_data
 * @backlog: for listen: largest number of pending requests
 * @abrupt: for disconnect: reset the connection instead of closing it
 */
struct iwcm_args {
	struct iw_cm_conn_param	*param;
	const void		*private_data;
	u16			private_data_len;
	int			backlog;
	bool			abrupt;
};

/* Called before the state changes. After an error nothing has changed. */
int iwcm_prepare_connect(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_prepare_accept(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_prepare_reject(struct iwcm_id *id, struct iwcm_args *args);

/* Called in the state call_rule.during. @args is NULL in the calls DESTROY and REMOVE. */
int iwcm_do_nothing(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_map(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_listen(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_unlisten(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_connect(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_accept(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_reject(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_disconnect(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_abort(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_abort_unbind(struct iwcm_id *id, struct iwcm_args *args);
int iwcm_do_unbind(struct iwcm_id *id, struct iwcm_args *args);

#endif /* _KRDMA_IWCM_PROVIDER_H_ */
