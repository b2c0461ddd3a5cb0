// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The requests that the daemon answers, each from its start to its result. A thread adds a request
 * to the list of its namespace, sends it, waits for the answer, and repeats it if no answer comes.
 */
#include <linux/jiffies.h>

#include "iwpm/query.h"
#include "iwpm/daemon.h"
#include "iwpm/iwpm.h"
#include "iwpm/message.h"
#include "iwpm/request.h"

/* Time after which a request is sent again, and how many times it is sent at most. */
#define REPLY_TIMEOUT	(2 * HZ)
#define ATTEMPTS	3

static int request_send(struct iwpm_net *ns, struct iwpm_request *req)
{
	struct iwpm_daemon daemon;
	int err;

	spin_lock(&ns->lock);
	daemon = ns->daemon;
	spin_unlock(&ns->lock);
	/* Only a registration is sent if no daemon is known: to all sockets that listen. */
	if (!daemon.portid && req->op != RDMA_NL_IWPM_REG_PID)
		return -ECONNREFUSED;
	req->portid = daemon.portid;
	err = iwpm_msg_send(ns, iwpm_msg_request(req, daemon.version), daemon.portid);
	if (err == -ECONNREFUSED)
		iwpm_daemon_del(ns, daemon.portid, false);
	return err;
}

/* Sends a request that is in the list, and waits until it ends. Returns its result. */
static int request_run(struct iwpm_net *ns, struct iwpm_request *req)
{
	int err = -EAGAIN;
	int n;

	might_sleep();
	for (n = 0; n < ATTEMPTS; n++) {
		/*
		 * A query that was sent is not repeated, because the daemon counts each copy and
		 * sends it to the peer. If another request is repeated, the daemon answers one copy
		 * and refuses the others; the refusals have no effect, because the answer has ended
		 * the request.
		 */
		if (err || req->op != RDMA_NL_IWPM_QUERY_MAPPING)
			err = request_send(ns, req);
		if (err && err != -EAGAIN)
			break;
		if (wait_for_completion_timeout(&req->done, REPLY_TIMEOUT))
			break;
	}
	/* Has no effect on a request that was answered. */
	spin_lock(&ns->lock);
	iwpm_request_end(ns, req, err ?: -ETIMEDOUT);
	spin_unlock(&ns->lock);
	return req->result;
}

/*
 * Adds the registration @req to the list, unless none is needed or another one is in the list:
 * threads that look for the daemon at the same time share a request.
 *
 * Returns 0 if the daemon has answered a registration before; -ETIMEDOUT if a daemon did not answer
 * within the last RETRY_DELAY; otherwise 1, and *running is the other registration with a
 * reference, or NULL if @req was added.
 */
static int register_begin(struct iwpm_net *ns, struct iwpm_request *req,
			  struct iwpm_request **running)
{
	const struct iwpm_daemon *daemon = &ns->daemon;
	int ret = 1;

	spin_lock(&ns->lock);
	if (daemon->registered) {
		ret = 0;
	} else if (daemon->unresponsive && time_before(jiffies, daemon->retry_at)) {
		ret = -ETIMEDOUT;
	} else {
		*running = iwpm_request_find_op(ns, RDMA_NL_IWPM_REG_PID);
		if (*running)
			kref_get(&(*running)->ref);
		else
			iwpm_request_add(ns, req);
	}
	spin_unlock(&ns->lock);
	return ret;
}

int iwpm_query_register(struct iwpm_net *ns, const struct iwpm_dev_data *dev)
{
	struct iwpm_request *req = iwpm_request_new(RDMA_NL_IWPM_REG_PID);
	struct iwpm_request *running = NULL;
	int ret;

	if (!req)
		return -ENOMEM;
	strscpy(req->dev.dev_name, dev->dev_name, sizeof(req->dev.dev_name));
	strscpy(req->dev.if_name, dev->if_name, sizeof(req->dev.if_name));
	ret = register_begin(ns, req, &running);
	if (ret > 0 && running) {
		/* The thread that sends the request ends it in bounded time. */
		wait_for_completion(&running->done);
		ret = running->result;
		iwpm_request_put(running);
	} else if (ret > 0) {
		ret = request_run(ns, req);
		if (ret == -ETIMEDOUT)
			iwpm_daemon_del(ns, req->portid, true);
	}
	iwpm_request_put(req);
	return ret;
}

int iwpm_query(struct iwpm_net *ns, u16 op, struct iwpm_sa_data *sa)
{
	struct iwpm_request *req;
	bool has_flags;
	int ret;

	/* A daemon that does not know the flags would map a port that must stay. */
	spin_lock(&ns->lock);
	has_flags = ns->daemon.version != IWPM_UABI_VERSION_MIN;
	spin_unlock(&ns->lock);
	if (!has_flags && sa->flags & IWPM_FLAGS_NO_PORT_MAP) {
		sa->mapped_loc_addr = sa->loc_addr;
		sa->mapped_rem_addr = sa->rem_addr;
		return 1;
	}

	req = iwpm_request_new(op);
	if (!req)
		return -ENOMEM;
	req->sa = *sa;
	spin_lock(&ns->lock);
	iwpm_request_add(ns, req);
	spin_unlock(&ns->lock);
	ret = request_run(ns, req);
	/* Without an answer the daemon is taken for dead, because an addition needs no peer. */
	if (ret == -ETIMEDOUT && op == RDMA_NL_IWPM_ADD_MAPPING)
		iwpm_daemon_del(ns, req->portid, true);
	if (!ret) {
		sa->mapped_loc_addr = req->sa.mapped_loc_addr;
		sa->mapped_rem_addr = req->sa.mapped_rem_addr;
	}
	iwpm_request_put(req);
	return ret;
}

int iwpm_query_remove(struct iwpm_net *ns, const struct sockaddr_storage *local)
{
	u32 portid, seq;

	spin_lock(&ns->lock);
	portid = ns->daemon.portid;
	seq = ns->next_seq++;
	spin_unlock(&ns->lock);
	if (!portid)
		return -ECONNREFUSED;
	return iwpm_msg_send(ns, iwpm_msg_remove(seq, local), portid);
}
