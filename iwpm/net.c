// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The port mapper in each network namespace. Its state may outlive the namespace, for mappings
 * refer to it: then it is dead, and nothing is sent any more.
 */
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "iwpm/iwpm.h"

struct slot {
	struct iwpm_net *ns;
};

static unsigned int slot_id __read_mostly;

/* Guards nets: all that live. Outside of every iwpm_net.lock. */
static DEFINE_MUTEX(nets_mutex);
static LIST_HEAD(nets);

static void free_net(struct kref *ref)
{
	kfree(container_of(ref, struct iwpm_net, ref));
}

void iwpm_net_put(struct iwpm_net *ns)
{
	kref_put(&ns->ref, free_net);
}

struct iwpm_net *iwpm_net_of(const struct net *net)
{
	struct slot *slot = net_generic(net, slot_id);

	return READ_ONCE(slot->ns);
}

struct iwpm_net *iwpm_net_get(const struct net *net)
{
	struct iwpm_net *ns = iwpm_net_of(net);

	if (ns)
		kref_get(&ns->ref);
	return ns;
}

bool iwpm_net_enter(struct iwpm_net *ns)
{
	bool entered;

	spin_lock(&ns->lock);
	entered = !ns->dead;
	if (entered)
		ns->users++;
	spin_unlock(&ns->lock);
	return entered;
}

void iwpm_net_leave(struct iwpm_net *ns)
{
	spin_lock(&ns->lock);
	if (!--ns->users)
		wake_up_all(&ns->quiet);
	spin_unlock(&ns->lock);
}

static bool is_quiet(struct iwpm_net *ns)
{
	bool quiet;

	spin_lock(&ns->lock);
	quiet = !ns->users;
	spin_unlock(&ns->lock);
	return quiet;
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

static struct iwpm_net *new_net(struct net *net)
{
	struct iwpm_net *ns = kzalloc(sizeof(*ns), GFP_KERNEL);

	if (!ns)
		return NULL;
	kref_init(&ns->ref);
	ns->net = net;
	init_waitqueue_head(&ns->quiet);
	init_waitqueue_head(&ns->resolved);
	spin_lock_init(&ns->lock);
	ns->next_seq = get_random_u32();
	ns->next_port = get_random_u32();
	INIT_LIST_HEAD(&ns->requests);
	hash_init(ns->maps);
	hash_init(ns->remotes);
	INIT_LIST_HEAD(&ns->remotes_by_age);
	return ns;
}

static int net_begin(struct net *net)
{
	struct slot *slot = net_generic(net, slot_id);
	struct iwpm_net *ns = new_net(net);

	if (!ns)
		return -ENOMEM;
	mutex_lock(&nets_mutex);
	list_add_tail(&ns->entry, &nets);
	mutex_unlock(&nets_mutex);
	WRITE_ONCE(slot->ns, ns);
	return 0;
}

static void net_end(struct net *net)
{
	struct slot *slot = net_generic(net, slot_id);
	struct iwpm_net *ns = slot->ns;

	WRITE_ONCE(slot->ns, NULL);
	mutex_lock(&nets_mutex);
	list_del(&ns->entry);
	mutex_unlock(&nets_mutex);
	/* Nobody begins to send; who waits for an answer leaves; who sends is waited for. */
	spin_lock(&ns->lock);
	ns->dead = true;
	ns->daemon.portid = 0;
	iwpm_request_end_all(ns, -ENODEV);
	iwpm_mapinfo_reset(ns);
	spin_unlock(&ns->lock);
	wait_event(ns->quiet, is_quiet(ns));
	iwpm_mapinfo_clear(ns);
	iwpm_remote_clear(ns);
	iwpm_net_put(ns);
}

static struct pernet_operations net_ops = {
	.init = net_begin,
	.exit = net_end,
	.id = &slot_id,
	.size = sizeof(struct slot),
};

int iwpm_net_init(void)
{
	return register_pernet_subsys(&net_ops);
}

void iwpm_net_exit(void)
{
	unregister_pernet_subsys(&net_ops);
}
