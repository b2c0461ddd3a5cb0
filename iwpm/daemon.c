// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The daemon of a network namespace. A process becomes the daemon when it sends a hello, a request
 * for the mappings, or an answer to our registration. A daemon is removed when its socket is
 * closed, and replaced when another process becomes the daemon. A daemon that does not answer
 * becomes unresponsive, and gets no requests for mappings until a late answer arrives, or until the
 * daemon answers a registration, which is sent a minute later at the earliest. iwpm_net.lock
 * protects iwpm_net.daemon.
 */
#include <linux/jiffies.h>
#include <linux/netlink.h>
#include <linux/notifier.h>
#include <net/net_namespace.h>

#include "iwpm/daemon.h"
#include "iwpm/iwpm.h"
#include "iwpm/mapinfo.h"
#include "iwpm/outbox.h"
#include "iwpm/peer.h"
#include "iwpm/pernet.h"
#include "iwpm/request.h"

/* Time for which no registration is sent after a daemon did not answer a request. */
#define RETRY_DELAY	(60 * HZ)

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
	bool same = daemon->portid == portid;

	lockdep_assert_held(&ns->lock);
	if (daemon->portid && !same)
		iwpm_request_end_all(ns, -ECONNREFUSED);
	if (!registered || !same) {
		iwpm_outbox_clear(ns, same);
		iwpm_mapinfo_reset(ns);
		iwpm_peer_clear_silent(ns, NULL);
		WRITE_ONCE(ns->noticed, 0);
	}
	*daemon = (struct iwpm_daemon) {
		.portid = portid,
		.version = version,
		.registered = registered,
	};
}

void iwpm_daemon_set_unresponsive(struct iwpm_net *ns, u32 portid)
{
	spin_lock(&ns->lock);
	if (ns->daemon.portid == portid) {
		ns->daemon.registered = false;
		ns->daemon.unresponsive = true;
		ns->daemon.retry_at = jiffies + RETRY_DELAY;
		iwpm_request_end_all(ns, -ETIMEDOUT);
	}
	spin_unlock(&ns->lock);
}

/* Removes the daemon when its socket is closed, so that open requests end before their timeout. */
static int socket_event(struct notifier_block *nb, unsigned long event, void *info)
{
	const struct netlink_notify *notify = info;
	struct iwpm_net *ns;

	if (event != NETLINK_URELEASE || notify->protocol != NETLINK_RDMA)
		return NOTIFY_DONE;
	ns = iwpm_net_of(notify->net);
	if (!ns)
		return NOTIFY_DONE;
	spin_lock(&ns->lock);
	if (ns->daemon.portid == notify->portid) {
		ns->daemon = (struct iwpm_daemon) {};
		iwpm_request_end_all(ns, -ECONNREFUSED);
		iwpm_outbox_clear(ns, false);
		iwpm_mapinfo_reset(ns);
	}
	spin_unlock(&ns->lock);
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
