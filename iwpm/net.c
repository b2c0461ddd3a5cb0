// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The port mapper's state in a network namespace. Mappings refer to the state, so the state may
 * outlive the namespace. When the namespace goes away, the state is marked dead, and nothing is
 * sent any more.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "iwpm/net.h"
#include "iwpm/iwpm.h"

struct iwpm_net *iwpm_net_new(struct net *net)
{
	struct iwpm_net *ns = kzalloc(sizeof(*ns), GFP_KERNEL);

	if (!ns)
		return NULL;
	kref_init(&ns->ref);
	ns->net = net;
	init_waitqueue_head(&ns->idle);
	spin_lock_init(&ns->lock);
	ns->next_seq = get_random_u32();
	ns->next_port = get_random_u32();
	INIT_LIST_HEAD(&ns->requests);
	hash_init(ns->maps);
	hash_init(ns->remotes);
	INIT_LIST_HEAD(&ns->remotes_by_age);
	INIT_LIST_HEAD(&ns->silent_peers);
	return ns;
}

static void free_net(struct kref *ref)
{
	kfree(container_of(ref, struct iwpm_net, ref));
}

void iwpm_net_put(struct iwpm_net *ns)
{
	kref_put(&ns->ref, free_net);
}

bool iwpm_net_tryget(struct iwpm_net *ns)
{
	bool alive;

	spin_lock(&ns->lock);
	alive = !ns->dead;
	if (alive)
		ns->active++;
	spin_unlock(&ns->lock);
	return alive;
}

void iwpm_net_put_active(struct iwpm_net *ns)
{
	spin_lock(&ns->lock);
	if (!--ns->active)
		wake_up_all(&ns->idle);
	spin_unlock(&ns->lock);
}
