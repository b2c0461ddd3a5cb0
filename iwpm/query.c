// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * What is asked of the daemon, one request each.
 */
#include <linux/jiffies.h>

#include "iwpm/iwpm.h"

/* Whether the daemon is known already, or known not to answer: 0, -ETIMEDOUT; 1: not known. */
static int known(const struct iwpm_net *ns)
{
	const struct iwpm_daemon *daemon = &ns->daemon;

	lockdep_assert_held(&ns->lock);
	if (daemon->registered)
		return 0;
	if (daemon->unresponsive && time_before(jiffies, daemon->silent_until))
		return -ETIMEDOUT;
	return 1;
}

/* Several that look for the daemon at a time do so by one request. */
static int join(struct iwpm_net *ns, struct iwpm_request *mine, struct iwpm_request **other)
{
	int ret;

	spin_lock(&ns->lock);
	ret = known(ns);
	if (ret > 0) {
		*other = iwpm_request_find_op(ns, RDMA_NL_IWPM_REG_PID);
		if (*other)
			kref_get(&(*other)->ref);
		else
			iwpm_request_enter(ns, mine);
	}
	spin_unlock(&ns->lock);
	return ret;
}

static int look(struct iwpm_net *ns, struct iwpm_request *req)
{
	struct iwpm_request *other = NULL;
	int ret;

	ret = join(ns, req, &other);
	if (ret <= 0)
		return ret;
	if (other) {
		/* Whoever sends it ends it, in time. */
		wait_for_completion(&other->over);
		ret = other->result;
		iwpm_request_put(other);
		return ret;
	}
	ret = iwpm_request_run(ns, req);
	if (ret == -ETIMEDOUT)
		iwpm_daemon_forget(ns, req->portid, true);
	return ret;
}

int iwpm_query_register(struct iwpm_net *ns, const struct iwpm_dev_data *dev)
{
	struct iwpm_request *req = iwpm_request_new(RDMA_NL_IWPM_REG_PID);
	int ret;

	if (!req)
		return -ENOMEM;
	strscpy(req->dev.dev_name, dev->dev_name, sizeof(req->dev.dev_name));
	strscpy(req->dev.if_name, dev->if_name, sizeof(req->dev.if_name));
	ret = look(ns, req);
	iwpm_request_put(req);
	return ret;
}

/* A daemon that knows no flags would map what is not to be mapped. */
static bool must_not_map(struct iwpm_net *ns, const struct iwpm_sa_data *sa)
{
	bool old;

	spin_lock(&ns->lock);
	old = ns->daemon.version == IWPM_UABI_VERSION_MIN;
	spin_unlock(&ns->lock);
	return old && sa->flags & IWPM_FLAGS_NO_PORT_MAP;
}

static int query_daemon(struct iwpm_net *ns, struct iwpm_request *req, struct iwpm_sa_data *sa)
{
	int ret;

	req->sa = *sa;
	spin_lock(&ns->lock);
	iwpm_request_enter(ns, req);
	spin_unlock(&ns->lock);
	ret = iwpm_request_run(ns, req);
	/* A daemon that does not answer what it can answer by itself is taken for dead. */
	if (ret == -ETIMEDOUT && req->op == RDMA_NL_IWPM_ADD_MAPPING)
		iwpm_daemon_forget(ns, req->portid, true);
	if (ret)
		return ret;
	sa->mapped_loc_addr = req->sa.mapped_loc_addr;
	sa->mapped_rem_addr = req->sa.mapped_rem_addr;
	return 0;
}

int iwpm_query(struct iwpm_net *ns, u16 op, struct iwpm_sa_data *sa)
{
	struct iwpm_request *req;
	int ret;

	if (must_not_map(ns, sa)) {
		sa->mapped_loc_addr = sa->loc_addr;
		sa->mapped_rem_addr = sa->rem_addr;
		return 1;
	}
	req = iwpm_request_new(op);
	if (!req)
		return -ENOMEM;
	ret = query_daemon(ns, req, sa);
	iwpm_request_put(req);
	return ret;
}

int iwpm_query_remove(struct iwpm_net *ns, const struct sockaddr_storage *local)
{
	struct sk_buff *skb;
	u32 portid, seq;

	spin_lock(&ns->lock);
	portid = ns->daemon.portid;
	seq = ns->next_seq++;
	spin_unlock(&ns->lock);
	if (!portid)
		return -ECONNREFUSED;
	skb = iwpm_msg_remove(seq, local);
	return skb ? iwpm_msg_send(ns, skb, portid) : -ENOMEM;
}
