/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Requests to the daemon, and the list of the requests that have not ended.
 */
#ifndef _KRDMA_IWPM_REQUEST_H_
#define _KRDMA_IWPM_REQUEST_H_

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/types.h>
#include <rdma/iw_portmap.h>

#include "iwpm/wait.h"

struct iwpm_net;

/**
 * struct iwpm_request - a request to the daemon
 * @ref: references; each thread that waits for the request holds one
 * @entry: entry in iwpm_net.requests until the request ends; protected by iwpm_net.lock
 * @seq: number of the request, which the answer repeats
 * @op: RDMA_NL_IWPM_*
 * @portid: netlink port that the request was last sent to; 0: the request was sent to all sockets
 *	that listen, or not at all; protected by iwpm_net.lock
 * @ended: set when the request ends; threads wait for it
 * @result: 0 or negative errno; valid once @ended is set
 * @dev: for a registration: the device of the caller
 * @sa: for other requests: addresses of the request and of its answer
 */
struct iwpm_request {
	struct kref ref;
	struct list_head entry;
	u32 seq;
	u16 op;
	u32 portid;
	struct iwpm_result ended;
	int result;
	struct iwpm_dev_data dev;
	struct iwpm_sa_data sa;
};

/* Returns a request that is not in the list, with one reference, or NULL if there is no memory. */
struct iwpm_request *iwpm_request_new(u16 op);
void iwpm_request_put(struct iwpm_request *req);

/* The functions below are called with ns->lock held. */

/* Numbers a request and adds it to the list; ends it at once if the namespace is going away. */
void iwpm_request_add(struct iwpm_net *ns, struct iwpm_request *req);

/* The next two functions return the oldest request that matches, without a reference, or NULL. */
struct iwpm_request *iwpm_request_find(struct iwpm_net *ns, u32 seq);
struct iwpm_request *iwpm_request_find_op(struct iwpm_net *ns, u16 op);

/*
 * Removes a request from the list, and wakes the threads that wait for the request's end. Has no
 * effect on a request that has ended already.
 */
void iwpm_request_end(struct iwpm_net *ns, struct iwpm_request *req, int result);
void iwpm_request_end_all(struct iwpm_net *ns, int result);

#endif /* _KRDMA_IWPM_REQUEST_H_ */
