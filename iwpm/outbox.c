// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Messages on their way to the daemon, in the order in which they were added. A message is added
 * while iwpm_net.lock is held for the change that the message reports. Thus the daemon counts a
 * mapping's additions, queries and removals in the order in which they were made here.
 *
 * A work item sends the messages, because it may wait for room in the daemon's receive buffer. A
 * thread that adds messages may not wait: in iwpm_mapping_info_cb(), that thread is the daemon's
 * own. If a thread sent a message without waiting and the buffer were full, the message would be
 * lost, and the daemon would get an error.
 */
#include <linux/workqueue.h>
#include <net/netlink.h>
#include <rdma/rdma_netlink.h>

#include "iwpm/outbox.h"
#include "iwpm/iwpm.h"
#include "iwpm/net.h"
#include "iwpm/request.h"

void iwpm_outbox_add(struct iwpm_net *ns, struct sk_buff *skb)
{
	lockdep_assert_held(&ns->lock);
	if (!ns->daemon.portid) {
		kfree_skb(skb);
		return;
	}
	__skb_queue_tail(&ns->outbox, skb);
	queue_work(ns->outbox_wq, &ns->outbox_work);
}

bool iwpm_outbox_cancel(struct iwpm_net *ns, u32 seq)
{
	struct sk_buff *skb;

	lockdep_assert_held(&ns->lock);
	skb_queue_walk(&ns->outbox, skb) {
		if (nlmsg_hdr(skb)->nlmsg_seq != seq)
			continue;
		__skb_unlink(skb, &ns->outbox);
		kfree_skb(skb);
		return true;
	}
	return false;
}

static bool is_hello(const struct sk_buff *skb)
{
	return RDMA_NL_GET_OP(nlmsg_hdr(skb)->nlmsg_type) == RDMA_NL_IWPM_HELLO;
}

void iwpm_outbox_clear(struct iwpm_net *ns, bool same_daemon)
{
	bool keep_hello = same_daemon;
	struct sk_buff *skb, *next;

	lockdep_assert_held(&ns->lock);
	skb_queue_walk_safe(&ns->outbox, skb, next) {
		if (iwpm_request_find(ns, nlmsg_hdr(skb)->nlmsg_seq))
			continue;
		if (keep_hello && is_hello(skb)) {
			keep_hello = false;
			continue;
		}
		__skb_unlink(skb, &ns->outbox);
		kfree_skb(skb);
	}
	ns->outbox_cleared++;
}

/*
 * Sends messages until the outbox is empty. If the daemon reads nothing during the 10 s that
 * rdma_nl_unicast_wait() waits, sends the message again. Drops the message instead if the outbox
 * was cleared meanwhile and the message belongs to no open request. Other errors mean that the
 * daemon's socket is closed.
 */
static void outbox_work(struct work_struct *work)
{
	struct iwpm_net *ns = container_of(work, struct iwpm_net, outbox_work);
	unsigned int cleared;
	struct sk_buff *skb;
	u32 portid;
	int err;

	if (!iwpm_net_tryget(ns))
		return;
	spin_lock(&ns->lock);
	while ((skb = __skb_dequeue(&ns->outbox))) {
		portid = ns->daemon.portid;
		cleared = ns->outbox_cleared;
		spin_unlock(&ns->lock);
		err = rdma_nl_unicast_wait(ns->net, skb_get(skb), portid);
		spin_lock(&ns->lock);
		if (err == -EAGAIN && (cleared == ns->outbox_cleared ||
				       iwpm_request_find(ns, nlmsg_hdr(skb)->nlmsg_seq)))
			__skb_queue_head(&ns->outbox, skb);
		else
			consume_skb(skb);
	}
	spin_unlock(&ns->lock);
	iwpm_net_put_active(ns);
}

int iwpm_outbox_multicast(struct iwpm_net *ns, struct sk_buff *skb)
{
	int err;

	if (!iwpm_net_tryget(ns)) {
		kfree_skb(skb);
		return -ENODEV;
	}
	err = rdma_nl_multicast(ns->net, skb, RDMA_NL_GROUP_IWPM, GFP_KERNEL);
	iwpm_net_put_active(ns);
	/*
	 * Return the errno that a unicast returns if no socket listens or the receive buffer is
	 * full.
	 */
	if (err == -ESRCH)
		return -ECONNREFUSED;
	return err == -ENOBUFS ? -EAGAIN : err;
}

int iwpm_outbox_init(struct iwpm_net *ns)
{
	__skb_queue_head_init(&ns->outbox);
	INIT_WORK(&ns->outbox_work, outbox_work);
	ns->outbox_wq = alloc_ordered_workqueue("iwpm", 0);
	return ns->outbox_wq ? 0 : -ENOMEM;
}

void iwpm_outbox_stop(struct iwpm_net *ns)
{
	cancel_work_sync(&ns->outbox_work);
	destroy_workqueue(ns->outbox_wq);
}
