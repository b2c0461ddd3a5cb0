// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Peers that the daemon has announced, until they have connected. They are few and they do not
 * last: a daemon cannot fill the memory.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "iwpm/iwpm.h"

#define MAX_REMOTES	4096
#define MAX_AGE		(60 * HZ)

/**
 * struct remote - an announced peer
 * @entry: in iwpm_net.remotes
 * @age_entry: in iwpm_net.remotes_by_age
 * @since: in jiffies
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

static u32 key(const struct sockaddr_storage *mapped_rem)
{
	return (__force u16)krdma_addr_port(mapped_rem);
}

static void drop(struct iwpm_net *ns, struct remote *remote)
{
	lockdep_assert_held(&ns->lock);
	hash_del(&remote->entry);
	list_del(&remote->age_entry);
	ns->num_remotes--;
	kfree(remote);
}

static struct remote *oldest(struct iwpm_net *ns)
{
	return list_first_entry_or_null(&ns->remotes_by_age, struct remote, age_entry);
}

static void drop_old(struct iwpm_net *ns)
{
	struct remote *remote;

	lockdep_assert_held(&ns->lock);
	while ((remote = oldest(ns)) && time_after(jiffies, remote->since + MAX_AGE))
		drop(ns, remote);
	if (ns->num_remotes >= MAX_REMOTES)
		drop(ns, oldest(ns));
}

static bool is_at(const struct sockaddr_storage *announced, const struct sockaddr_storage *addr)
{
	if (krdma_addr_is_any(announced))
		return krdma_addr_port(announced) == krdma_addr_port(addr);
	return iwpm_addr_equal(announced, addr);
}

static struct remote *find(struct iwpm_net *ns, const struct sockaddr_storage *mapped_loc,
			   const struct sockaddr_storage *mapped_rem)
{
	struct remote *remote;

	lockdep_assert_held(&ns->lock);
	hash_for_each_possible(ns->remotes, remote, entry, key(mapped_rem))
		if (iwpm_addr_equal(&remote->mapped_rem, mapped_rem) &&
		    is_at(&remote->mapped_loc, mapped_loc))
			return remote;
	return NULL;
}

/* What was said before about the same connection does not hold any more. */
static void remote_add(struct iwpm_net *ns, struct remote *remote)
{
	struct remote *old;

	lockdep_assert_held(&ns->lock);
	old = find(ns, &remote->mapped_loc, &remote->mapped_rem);
	if (old)
		drop(ns, old);
	drop_old(ns);
	hash_add(ns->remotes, &remote->entry, key(&remote->mapped_rem));
	list_add_tail(&remote->age_entry, &ns->remotes_by_age);
	ns->num_remotes++;
}

int iwpm_remote_add(struct iwpm_net *ns, const struct iwpm_sa_data *sa)
{
	struct remote *remote = kzalloc(sizeof(*remote), GFP_KERNEL_ACCOUNT);

	if (!remote)
		return -ENOMEM;
	remote->since = jiffies;
	remote->mapped_loc = sa->mapped_loc_addr;
	remote->mapped_rem = sa->mapped_rem_addr;
	remote->real = sa->rem_addr;
	spin_lock(&ns->lock);
	remote_add(ns, remote);
	spin_unlock(&ns->lock);
	return 0;
}

int iwpm_remote_take(struct iwpm_net *ns, const struct sockaddr_storage *mapped_loc,
		     const struct sockaddr_storage *mapped_rem, struct sockaddr_storage *real)
{
	struct remote *remote;
	int ret = -ENOENT;

	spin_lock(&ns->lock);
	drop_old(ns);
	remote = find(ns, mapped_loc, mapped_rem);
	if (remote) {
		*real = remote->real;
		drop(ns, remote);
		ret = 0;
	}
	spin_unlock(&ns->lock);
	return ret;
}

void iwpm_remote_clear(struct iwpm_net *ns)
{
	struct remote *remote;

	spin_lock(&ns->lock);
	while ((remote = oldest(ns)))
		drop(ns, remote);
	spin_unlock(&ns->lock);
}
