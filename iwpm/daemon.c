// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Who the daemon is. It comes by a message of its own or by the answer to a registration, and goes
 * when its socket closes, when another comes, or when it does not answer.
 */
#include <linux/jiffies.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <net/net_namespace.h>

#include "iwpm/iwpm.h"

/* How long nobody looks for a daemon that did not answer. */
#define SILENCE		(60 * HZ)

int iwpm_daemon_version(u16 theirs, u16 *common)
{
	if (theirs < IWPM_UABI_VERSION_MIN)
		return -EPROTO;
	*common = min_t(u16, theirs, IWPM_UABI_VERSION);
	return 0;
}

void iwpm_daemon_set(struct iwpm_net *ns, u32 portid, u16 version, bool registered)
{
	struct iwpm_daemon *daemon = &ns->daemon;

	lockdep_assert_held(&ns->lock);
	if (daemon->portid && daemon->portid != portid)
		iwpm_request_end_all(ns, -ECONNREFUSED);
	if (!registered || daemon->portid != portid)
		iwpm_mapinfo_reset(ns);
	*daemon = (struct iwpm_daemon) {
		.portid = portid,
		.version = version,
		.registered = registered,
	};
	WRITE_ONCE(ns->noticed, 0);
}

void iwpm_daemon_forget(struct iwpm_net *ns, u32 portid, bool unresponsive)
{
	spin_lock(&ns->lock);
	if (ns->daemon.portid == portid) {
		ns->daemon = (struct iwpm_daemon) {
			.unresponsive = unresponsive,
			.silent_until = jiffies + SILENCE,
		};
		iwpm_request_end_all(ns, unresponsive ? -ETIMEDOUT : -ECONNREFUSED);
		iwpm_mapinfo_reset(ns);
	}
	spin_unlock(&ns->lock);
}

/* Requests to a daemon that dies do not wait for their time to be up. */
static int socket_event(struct notifier_block *nb, unsigned long event, void *info)
{
	const struct netlink_notify *notify = info;
	struct iwpm_net *ns;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_RDMA || !notify->portid)
		return NOTIFY_DONE;
	ns = iwpm_net_of(notify->net);
	if (ns)
		iwpm_daemon_forget(ns, notify->portid, false);
	return NOTIFY_DONE;
}

static struct notifier_block socket_notifier = {
	.notifier_call = socket_event,
};

int iwpm_daemon_init(void)
{
	return netlink_register_notifier(&socket_notifier);
}

void iwpm_daemon_exit(void)
{
	netlink_unregister_notifier(&socket_notifier);
}
