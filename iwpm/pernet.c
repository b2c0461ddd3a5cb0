// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Each network namespace has a state of the port mapper, which is created and ended with the
 * namespace.
 */
#include <linux/mutex.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "iwpm/pernet.h"
#include "iwpm/iwpm.h"
#include "iwpm/mapinfo.h"
#include "iwpm/net.h"
#include "iwpm/outbox.h"
#include "iwpm/peer.h"
#include "iwpm/remote.h"
#include "iwpm/request.h"

struct iwpm_pernet {
	struct iwpm_net *ns;
};

static unsigned int pernet_id __read_mostly;

/* Protects nets, the list of the states of all namespaces. Taken before an iwpm_net.lock. */
static DEFINE_MUTEX(nets_mutex);
static LIST_HEAD(nets);

struct iwpm_net *iwpm_net_of(const struct net *net)
{
	struct iwpm_pernet *pernet = net_generic(net, pernet_id);

	return READ_ONCE(pernet->ns);
}

struct iwpm_net *iwpm_net_get(const struct net *net)
{
	struct iwpm_net *ns = iwpm_net_of(net);

	if (ns)
		kref_get(&ns->ref);
	return ns;
}

void iwpm_net_clear_all(void)
{
	struct iwpm_net *ns;

	mutex_lock(&nets_mutex);
	list_for_each_entry(ns, &nets, entry) {
		iwpm_mapinfo_clear(ns);
		iwpm_remote_clear(ns);
	}
	mutex_unlock(&nets_mutex);
}

static int pernet_begin(struct net *net)
{
	struct iwpm_pernet *pernet = net_generic(net, pernet_id);
	struct iwpm_net *ns = iwpm_net_new(net);

	if (!ns)
		return -ENOMEM;
	if (iwpm_outbox_init(ns)) {
		iwpm_net_put(ns);
		return -ENOMEM;
	}
	mutex_lock(&nets_mutex);
	list_add_tail(&ns->entry, &nets);
	mutex_unlock(&nets_mutex);
	WRITE_ONCE(pernet->ns, ns);
	return 0;
}

/*
 * Unpublishes the state and marks it dead, so that no message is sent and no request added any
 * more; ends the requests that wait for an answer; waits until the messages that are being sent
 * have been sent; drops the namespace's reference.
 */
static void pernet_end(struct net *net)
{
	struct iwpm_pernet *pernet = net_generic(net, pernet_id);
	struct iwpm_net *ns = pernet->ns;

	WRITE_ONCE(pernet->ns, NULL);
	mutex_lock(&nets_mutex);
	list_del(&ns->entry);
	mutex_unlock(&nets_mutex);
	spin_lock(&ns->lock);
	ns->dead = true;
	ns->daemon.portid = 0;
	iwpm_request_end_all(ns, -ENODEV);
	iwpm_mapinfo_reset(ns);
	iwpm_outbox_clear(ns, false);
	wait_event_cmd(ns->idle, !ns->active, spin_unlock(&ns->lock), spin_lock(&ns->lock));
	iwpm_peer_clear_silent(ns, NULL);
	spin_unlock(&ns->lock);
	iwpm_outbox_stop(ns);
	iwpm_mapinfo_clear(ns);
	iwpm_remote_clear(ns);
	iwpm_net_put(ns);
}

static struct pernet_operations pernet_ops = {
	.init = pernet_begin,
	.exit = pernet_end,
	.id = &pernet_id,
	.size = sizeof(struct iwpm_pernet),
};

int iwpm_pernet_init(void)
{
	return register_pernet_subsys(&pernet_ops);
}

void iwpm_pernet_exit(void)
{
	unregister_pernet_subsys(&pernet_ops);
}
