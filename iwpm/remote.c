// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Peers that the daemon has announced to the kernel, and that have not connected yet. Their number
 * and age are limited, so that a daemon cannot fill the memory. Protected by iwpm_net.lock.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "iwpm/remote.h"
#include "iwpm/addr.h"
#include "iwpm/iwpm.h"

#define MAX_REMOTES	4096
#define MAX_AGE		(60 * HZ)

/**
 * struct remote - an announced peer
 * @entry: entry in iwpm_net.remotes
 * @age_entry: entry in iwpm_net.remotes_by_age
 * @since: time of the announcement, in jiffies
 * @mapped_loc: our address on the wire; may be a wildcard
 * @mapped_rem: the peer's address on the wire
 * @real: the peer's real address
 */
struct remote {
	struct hlist_node entry;
	struct list_head age_entry;
	unsigned long since;
	struct sockaddr_storage mapped_loc;
	struct sockaddr_storage mapped_rem;
	struct sockaddr_storage real;
};

static u32 remote_key(const struct sockaddr_storage *mapped_rem)
{
	return (__force u16)krdma_addr_port(mapped_rem);
}

static void remote_del(struct iwpm_net *ns, struct remote *remote)
{
	lockdep_assert_held(&ns->lock);
	hash_del(&remote->entry);
	list_del(&remote->age_entry);
	ns->num_remotes--;
	kfree(remote);
}

static struct remote *oldest_remote(struct iwpm_net *ns)
{
	return list_first_entry_or_null(&ns->remotes_by_age, struct remote, age_entry);
}

static void expire_remotes(struct iwpm_net *ns)
{
	struct remote *remote;

	lockdep_assert_held(&ns->lock);
	while ((remote = oldest_remote(ns)) && time_after(jiffies, remote->since + MAX_AGE))
		remote_del(ns, remote);
}

static bool is_announced_for(const struct sockaddr_storage *announced,
			     const struct sockaddr_storage *addr)
{
	if (krdma_addr_is_any(announced))
		return krdma_addr_port(announced) == krdma_addr_port(addr);
	return iwpm_addr_equal(announced, addr);
}

static struct remote *remote_find(struct iwpm_net *ns, const struct sockaddr_storage *mapped_loc,
				  const struct sockaddr_storage *mapped_rem)
{
	struct remote *remote;

	lockdep_assert_held(&ns->lock);
	hash_for_each_possible(ns->remotes, remote, entry, remote_key(mapped_rem))
		if (iwpm_addr_equal(&remote->mapped_rem, mapped_rem) &&
		    is_announced_for(&remote->mapped_loc, mapped_loc))
			return remote;
	return NULL;
}

int iwpm_remote_add(struct iwpm_net *ns, const struct iwpm_sa_data *sa)
{
	struct remote *remote = kzalloc(sizeof(*remote), GFP_KERNEL_ACCOUNT);
	struct remote *old;

	if (!remote)
		return -ENOMEM;
	remote->since = jiffies;
	remote->mapped_loc = sa->mapped_loc_addr;
	remote->mapped_rem = sa->mapped_rem_addr;
	remote->real = sa->rem_addr;
	spin_lock(&ns->lock);
	old = remote_find(ns, &remote->mapped_loc, &remote->mapped_rem);
	if (old)
		remote_del(ns, old);
	expire_remotes(ns);
	if (ns->num_remotes == MAX_REMOTES)
		remote_del(ns, oldest_remote(ns));
	hash_add(ns->remotes, &remote->entry, remote_key(&remote->mapped_rem));
	list_add_tail(&remote->age_entry, &ns->remotes_by_age);
	ns->num_remotes++;
	spin_unlock(&ns->lock);
	return 0;
}

int iwpm_remote_pop(struct iwpm_net *ns, const struct sockaddr_storage *mapped_loc,
		    const struct sockaddr_storage *mapped_rem, struct sockaddr_storage *real)
{
	struct remote *remote;
	int ret = -ENOENT;

	spin_lock(&ns->lock);
	expire_remotes(ns);
	remote = remote_find(ns, mapped_loc, mapped_rem);
	if (remote) {
		*real = remote->real;
		/* The daemon does not know the scope, so take that of the address on the wire. */
		if (real->ss_family == AF_INET6)
			krdma_addr6(real)->sin6_scope_id = krdma_addr6(mapped_rem)->sin6_scope_id;
		remote_del(ns, remote);
		ret = 0;
	}
	spin_unlock(&ns->lock);
	return ret;
}

void iwpm_remote_clear(struct iwpm_net *ns)
{
	struct remote *remote;

	spin_lock(&ns->lock);
	while ((remote = oldest_remote(ns)))
		remote_del(ns, remote);
	spin_unlock(&ns->lock);
}
