/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The requests that the daemon answers, each from its start to its result. The functions sleep for
 * 6 s at most. They return -EINTR when the process is killed, and -ECANCELED when the argument
 * @wait is cancelled; @wait may be NULL. <rdma/iw_portmap.h> lists all errors.
 */
#ifndef _KRDMA_IWPM_QUERY_H_
#define _KRDMA_IWPM_QUERY_H_

#include <linux/socket.h>
#include <linux/types.h>

struct iwpm_dev_data;
struct iwpm_net;
struct iwpm_sa_data;
struct iwpm_wait;

/**
 * iwpm_query_register - register with the daemon, unless it has answered a registration before
 * @ns: the namespace
 * @dev: the device of the caller
 * @again: register even if the daemon has answered before, and send the registration only once, to
 *	see within 2 s whether the daemon still answers
 * @wait: lets another thread end the wait; may be NULL
 *
 * Return: 0 or a negative errno; -ETIMEDOUT, at once, if the daemon became unresponsive less than a
 * minute ago.
 */
int iwpm_query_register(struct iwpm_net *ns, const struct iwpm_dev_data *dev, bool again,
			struct iwpm_wait *wait);

/**
 * iwpm_query - ask the daemon to map addresses
 * @ns: the namespace
 * @op: RDMA_NL_IWPM_ADD_MAPPING or RDMA_NL_IWPM_QUERY_MAPPING
 * @sa: in: the real addresses and flags; out: the mapped addresses
 * @wait: lets another thread end the wait; may be NULL
 *
 * If 0 is returned, the daemon counts one more user of the local address of @sa, until
 * iwpm_query_remove() is called. Any other result leaves the daemon's count as it was.
 *
 * Return: 0; 1 if no request was sent, because IWPM_FLAGS_NO_PORT_MAP is set and the daemon is too
 * old to know this flag; or a negative errno.
 */
int iwpm_query(struct iwpm_net *ns, u16 op, struct iwpm_sa_data *sa, struct iwpm_wait *wait);

/*
 * Tells the daemon that @local has one user less. Does not wait, because the daemon does not answer
 * a removal. Returns 0 or a negative errno.
 */
int iwpm_query_remove(struct iwpm_net *ns, const struct sockaddr_storage *local);

#endif /* _KRDMA_IWPM_QUERY_H_ */
