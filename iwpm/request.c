// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Requests: sent, waited for, and over by an answer, by the end of the daemon or of the namespace,
 * or because time is up. Whoever takes a request off the list, under the lock, decides its result.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "iwpm/iwpm.h"

/* How long to wait before sending once more, and how many times to send. */
#define REPLY_TIMEOUT	(2 * HZ)
#define ATTEMPTS	3

/* NULL: no memory. */
struct iwpm_request *iwpm_request_new(u16 op)
{
	struct iwpm_request *req = kzalloc(sizeof(*req), GFP_KERNEL);

	if (!req)
		return NULL;
	kref_init(&req->ref);
	INIT_LIST_HEAD(&req->entry);
	req->op = op;
	init_completion(&req->over);
	return req;
}

static void free_request(struct kref *ref)
{
	kfree(container_of(ref, struct iwpm_request, ref));
}

void iwpm_request_put(struct iwpm_request *req)
{
	kref_put(&req->ref, free_request);
}

void iwpm_request_enter(struct iwpm_net *ns, struct iwpm_request *req)
{
	lockdep_assert_held(&ns->lock);
	/* What comes unasked, and answers nothing, has the number 0. */
	do {
		req->seq = ns->next_seq++;
	} while (!req->seq);
	list_add_tail(&req->entry, &ns->requests);
	if (ns->dead)
		iwpm_request_end(ns, req, -ENODEV);
}

struct iwpm_request *iwpm_request_find(struct iwpm_net *ns, u32 seq)
{
	struct iwpm_request *req;

	lockdep_assert_held(&ns->lock);
	list_for_each_entry(req, &ns->requests, entry)
		if (req->seq == seq)
			return req;
	return NULL;
}

struct iwpm_request *iwpm_request_find_op(struct iwpm_net *ns, u16 op)
{
	struct iwpm_request *req;

	lockdep_assert_held(&ns->lock);
	list_for_each_entry(req, &ns->requests, entry)
		if (req->op == op)
			return req;
	return NULL;
}

void iwpm_request_end(struct iwpm_net *ns, struct iwpm_request *req, int result)
{
	lockdep_assert_held(&ns->lock);
	if (list_empty(&req->entry))
		return;
	list_del_init(&req->entry);
	req->result = result;
	complete_all(&req->over);
}

void iwpm_request_end_all(struct iwpm_net *ns, int result)
{
	struct iwpm_request *req, *next;

	lockdep_assert_held(&ns->lock);
	list_for_each_entry_safe(req, next, &ns->requests, entry)
		iwpm_request_end(ns, req, result);
}

static int request_send(struct iwpm_net *ns, struct iwpm_request *req)
{
	struct iwpm_daemon daemon;
	struct sk_buff *skb;
	int err;

	spin_lock(&ns->lock);
	daemon = ns->daemon;
	spin_unlock(&ns->lock);
	/* All that listen are asked who the daemon is, and nothing else. */
	if (!daemon.portid && req->op != RDMA_NL_IWPM_REG_PID)
		return -ECONNREFUSED;
	req->portid = daemon.portid;
	skb = iwpm_msg_request(req, daemon.version);
	if (!skb)
		return -ENOMEM;
	err = iwpm_msg_send(ns, skb, daemon.portid);
	if (err == -ECONNREFUSED)
		iwpm_daemon_forget(ns, daemon.portid, false);
	return err;
}

/*
 * The daemon counts queries, and asks the peer for each: what it has got it is not sent again. Of
 * the others it answers one, and refuses the repetition, which nobody waits for then.
 */
static bool may_repeat(const struct iwpm_request *req)
{
	return req->op != RDMA_NL_IWPM_QUERY_MAPPING;
}

static int try_repeatedly(struct iwpm_net *ns, struct iwpm_request *req)
{
	int err = -EAGAIN;
	int n;

	for (n = 0; n < ATTEMPTS; n++) {
		if (err || may_repeat(req))
			err = request_send(ns, req);
		if (err && err != -EAGAIN)
			return err;
		if (wait_for_completion_timeout(&req->over, REPLY_TIMEOUT))
			return 0;
	}
	return err ?: -ETIMEDOUT;
}

int iwpm_request_run(struct iwpm_net *ns, struct iwpm_request *req)
{
	int err;

	might_sleep();
	err = try_repeatedly(ns, req);
	spin_lock(&ns->lock);
	iwpm_request_end(ns, req, err);
	spin_unlock(&ns->lock);
	return req->result;
}
