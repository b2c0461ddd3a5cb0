// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Silent peers, in a list that iwpm_net.lock protects. The number of silent peers is limited,
 * because each connection that uses the port mapper searches the list.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "iwpm/peer.h"
#include "iwpm/addr.h"
#include "iwpm/iwpm.h"

#define MAX_SILENT	256
#define SILENT_TIME	(60 * HZ)

/**
 * struct silent_peer - a peer without a port mapper
 * @entry: entry in iwpm_net.silent_peers
 * @until: time at which the next query may be made, in jiffies
 * @addr: address of the peer, with any port
 */
struct silent_peer {
	struct list_head entry;
	unsigned long until;
	struct sockaddr_storage addr;
};

static void peer_del(struct iwpm_net *ns, struct silent_peer *peer)
{
	list_del(&peer->entry);
	ns->num_silent_peers--;
	kfree(peer);
}

/* Compares scopes, too: hosts on different interfaces may have the same link-local address. */
static bool is_same_peer(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	return krdma_addr_same_host(a, b) &&
	       (a->ss_family == AF_INET ||
		krdma_addr6(a)->sin6_scope_id == krdma_addr6(b)->sin6_scope_id);
}

void iwpm_peer_clear_silent(struct iwpm_net *ns, const struct sockaddr_storage *addr)
{
	struct silent_peer *peer, *next;

	lockdep_assert_held(&ns->lock);
	list_for_each_entry_safe(peer, next, &ns->silent_peers, entry)
		if (!addr || krdma_addr_same_host(&peer->addr, addr))
			peer_del(ns, peer);
}

void iwpm_peer_set_silent(struct iwpm_net *ns, const struct sockaddr_storage *addr)
{
	struct silent_peer *peer;

	lockdep_assert_held(&ns->lock);
	if (ns->dead)
		return;
	iwpm_peer_clear_silent(ns, addr);
	if (ns->num_silent_peers == MAX_SILENT)
		peer_del(ns, list_first_entry(&ns->silent_peers, struct silent_peer, entry));
	peer = kmalloc(sizeof(*peer), GFP_ATOMIC);
	if (!peer)
		return;
	peer->until = jiffies + SILENT_TIME;
	iwpm_addr_copy(&peer->addr, addr);
	list_add_tail(&peer->entry, &ns->silent_peers);
	ns->num_silent_peers++;
}

bool iwpm_peer_is_silent(struct iwpm_net *ns, const struct sockaddr_storage *addr)
{
	struct silent_peer *peer;

	lockdep_assert_held(&ns->lock);
	list_for_each_entry(peer, &ns->silent_peers, entry)
		if (is_same_peer(&peer->addr, addr))
			return time_before(jiffies, peer->until);
	return false;
}
