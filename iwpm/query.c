// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The requests that the daemon answers, each from its start to its result. A thread adds a request
 * to the list of its namespace, sends it, and waits for the answer.
 *
 * Only registrations are repeated: the daemon counts each addition and each query that arrives, so
 * it would count a repeated request twice. If an addition or a query that was sent gets no valid
 * answer, a removal is sent, too. The daemon receives the removal after the request, so its count
 * is the same whether it answers late or never.
 */
#include <linux/jiffies.h>

#include "iwpm/query.h"
#include "iwpm/daemon.h"
#include "iwpm/iwpm.h"
#include "iwpm/message.h"
#include "iwpm/outbox.h"
#include "iwpm/request.h"
#include "iwpm/wait.h"

/* Time after which a registration is sent again, and how many times it is sent at most. */
#define REPLY_TIMEOUT	(2 * HZ)
#define ATTEMPTS	3

/* Sends a request that is in the list, unless it has ended. Returns 0 or a negative errno. */
static int request_send(struct iwpm_net *ns, struct iwpm_request *req)
{
	struct iwpm_daemon daemon;
	struct sk_buff *skb;
	int err = 0;

	spin_lock(&ns->lock);
	daemon = ns->daemon;
	spin_unlock(&ns->lock);
	skb = iwpm_msg_request(req, daemon.version);
	if (!skb)
		return -ENOMEM;
	spin_lock(&ns->lock);
	daemon = ns->daemon;
	/*
	 * If no daemon is known, only a registration can be sent; it goes to all sockets that
	 * listen.
	 */
	if (!daemon.portid && req->op != RDMA_NL_IWPM_REG_PID)
		err = -ECONNREFUSED;
	else if (daemon.unresponsive && req->op != RDMA_NL_IWPM_REG_PID)
		err = -ETIMEDOUT;
	else
		req->portid = daemon.portid;
	if (!err && daemon.portid && !list_empty(&req->entry)) {
		iwpm_outbox_add(ns, skb);
		skb = NULL;
	}
	spin_unlock(&ns->lock);
	if (skb && !err && !daemon.portid)
		return iwpm_outbox_multicast(ns, skb);
	kfree_skb(skb);
	return err;
}

/*
 * Sends a request that is in the list, up to @attempts times, and waits until the request ends.
 * Returns the request's result.
 */
static int request_run(struct iwpm_net *ns, struct iwpm_request *req, int attempts, long timeout,
		       struct iwpm_wait *wait)
{
	int err, n, waited = -ETIMEDOUT;

	might_sleep();
	for (n = 0; n < attempts && waited == -ETIMEDOUT; n++) {
		err = request_send(ns, req);
		if (err && err != -EAGAIN)
			break;
		waited = iwpm_result_wait(&req->ended, wait, timeout);
	}
	if (!err || iwpm_gave_up(waited))
		err = waited;
	/*
	 * End a request that was not answered. The call has no effect on one that has ended
	 * already.
	 */
	spin_lock(&ns->lock);
	iwpm_request_end(ns, req, err);
	spin_unlock(&ns->lock);
	return req->result;
}

/*
 * Adds the registration @req to the list, unless no registration is needed or the list already has
 * one: threads that look for the daemon at the same time share a request.
 *
 * Returns 0 if the daemon has answered a registration before and @again is false; -ETIMEDOUT if the
 * daemon became unresponsive less than RETRY_DELAY ago; otherwise 1. If 1 is returned, *running is
 * NULL if @req was added, or else the registration that was in the list already, with a reference.
 */
static int register_begin(struct iwpm_net *ns, struct iwpm_request *req, bool again,
			  struct iwpm_request **running)
{
	const struct iwpm_daemon *daemon = &ns->daemon;
	int ret = 1;

	spin_lock(&ns->lock);
	if (daemon->registered && !again) {
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

int iwpm_query_register(struct iwpm_net *ns, const struct iwpm_dev_data *dev, bool again,
			struct iwpm_wait *wait)
{
	struct iwpm_request *req = iwpm_request_new(RDMA_NL_IWPM_REG_PID);
	struct iwpm_request *running = NULL;
	int ret;

	if (!req)
		return -ENOMEM;
	strscpy(req->dev.dev_name, dev->dev_name, sizeof(req->dev.dev_name));
	strscpy(req->dev.if_name, dev->if_name, sizeof(req->dev.if_name));
	/*
	 * If the thread that has sent the shared request has given up waiting, another thread sends
	 * a request.
	 */
	do {
		ret = register_begin(ns, req, again, &running);
		if (ret <= 0 || !running)
			break;
		/*
		 * Wait without a limit: the thread that sends the request ends it in bounded time.
		 */
		ret = iwpm_result_wait(&running->ended, wait, MAX_SCHEDULE_TIMEOUT) ?:
		      running->result;
		iwpm_request_put(running);
	} while (iwpm_gave_up(ret) && iwpm_wait_allowed(wait));
	if (ret > 0) {
		ret = request_run(ns, req, again ? 1 : ATTEMPTS, REPLY_TIMEOUT, wait);
		if (ret == -ETIMEDOUT)
			iwpm_daemon_set_unresponsive(ns, req->portid);
	}
	iwpm_request_put(req);
	return ret;
}

int iwpm_query(struct iwpm_net *ns, u16 op, struct iwpm_sa_data *sa, struct iwpm_wait *wait)
{
	struct iwpm_request *req;
	bool has_flags, sent;
	int ret;

	/* Do not ask a daemon that is too old to know the flags: it would map the port anyway. */
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
	ret = request_run(ns, req, 1, ATTEMPTS * REPLY_TIMEOUT, wait);
	if (ret == -ETIMEDOUT || ret == -EPROTO || iwpm_gave_up(ret)) {
		spin_lock(&ns->lock);
		sent = req->portid && req->portid == ns->daemon.portid &&
		       !iwpm_outbox_cancel(ns, req->seq);
		spin_unlock(&ns->lock);
		if (sent)
			iwpm_query_remove(ns, &sa->loc_addr);
	}
	/* An addition asks no peer, so if it has no answer, the daemon itself is unresponsive. */
	if (ret == -ETIMEDOUT && op == RDMA_NL_IWPM_ADD_MAPPING)
		iwpm_daemon_set_unresponsive(ns, req->portid);
	if (!ret) {
		sa->mapped_loc_addr = req->sa.mapped_loc_addr;
		sa->mapped_rem_addr = req->sa.mapped_rem_addr;
	}
	iwpm_request_put(req);
	return ret;
}

int iwpm_query_remove(struct iwpm_net *ns, const struct sockaddr_storage *local)
{
	struct sk_buff *skb = iwpm_msg_remove(local);
	bool known;

	spin_lock(&ns->lock);
	known = ns->daemon.portid;
	iwpm_outbox_add(ns, skb);
	spin_unlock(&ns->lock);
	return known ? 0 : -ECONNREFUSED;
}
