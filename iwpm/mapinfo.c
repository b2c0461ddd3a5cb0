// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table of a namespace's mappings, which iwpm_net.lock protects, and its transmission to a
 * daemon that has started.
 */
#include <linux/slab.h>

#include "iwpm/mapinfo.h"
#include "iwpm/addr.h"
#include "iwpm/iwpm.h"
#include "iwpm/message.h"
#include "iwpm/net.h"
#include "iwpm/outbox.h"

struct iwpm_map *iwpm_mapinfo_new(struct iwpm_net *ns, const struct sockaddr_storage *local,
				  u32 flags)
{
	struct iwpm_map *map = kzalloc(sizeof(*map), GFP_KERNEL);

	if (!map)
		return NULL;
	kref_get(&ns->ref);
	map->ns = ns;
	map->flags = flags;
	map->users = 1;
	iwpm_addr_copy(&map->local, local);
	return map;
}

void iwpm_mapinfo_free(struct iwpm_map *map)
{
	iwpm_net_put(map->ns);
	kfree(map);
}

struct iwpm_map *iwpm_mapinfo_find(struct iwpm_net *ns, const struct sockaddr_storage *local)
{
	u32 key = (__force u16)krdma_addr_port(local);
	struct iwpm_map *map;

	lockdep_assert_held(&ns->lock);
	hash_for_each_possible(ns->maps, map, entry, key)
		if (iwpm_addr_equal(&map->local, local))
			return map;
	return NULL;
}

int iwpm_mapinfo_add(struct iwpm_net *ns, struct iwpm_map *map)
{
	lockdep_assert_held(&ns->lock);
	if (ns->dead)
		return -ENODEV;
	hash_add(ns->maps, &map->entry, (__force u16)krdma_addr_port(&map->local));
	return 0;
}

void iwpm_mapinfo_reset(struct iwpm_net *ns)
{
	struct iwpm_map *map;
	int bucket;

	lockdep_assert_held(&ns->lock);
	hash_for_each(ns->maps, bucket, map, entry)
		map->daemon_refs = 0;
}

void iwpm_mapinfo_clear(struct iwpm_net *ns)
{
	struct hlist_node *next;
	struct iwpm_map *map;
	HLIST_HEAD(cleared);
	int bucket;

	spin_lock(&ns->lock);
	hash_for_each_safe(ns->maps, bucket, next, map, entry) {
		if (!map->by_client)
			continue;
		hash_del(&map->entry);
		hlist_add_head(&map->entry, &cleared);
	}
	spin_unlock(&ns->lock);
	hlist_for_each_entry_safe(map, next, &cleared, entry)
		iwpm_mapinfo_free(map);
}

int iwpm_mapinfo_prepare(struct iwpm_net *ns, struct sk_buff_head *messages)
{
	struct sk_buff *skb;
	struct iwpm_map *map;
	unsigned int num = 1; /* one message for the number of mappings */
	int bucket;

	spin_lock(&ns->lock);
	hash_for_each(ns->maps, bucket, map, entry)
		num++;
	spin_unlock(&ns->lock);
	while (num--) {
		skb = iwpm_msg_new(GFP_KERNEL);
		if (!skb) {
			__skb_queue_purge(messages);
			return -ENOMEM;
		}
		__skb_queue_tail(messages, skb);
	}
	return 0;
}

/*
 * The daemon counts each mapping that this function sends as one request, so iwpm_map.daemon_refs
 * becomes 1. All messages are added to the outbox before the lock is released. A removal is added
 * with the lock held, too, so the daemon gets each mapping before the removal of that mapping.
 */
void iwpm_mapinfo_replay(struct iwpm_net *ns, struct sk_buff_head *messages)
{
	struct sk_buff *num_msg = __skb_dequeue(messages);
	struct iwpm_sa_data sa = {};
	struct sk_buff *skb;
	struct iwpm_map *map;
	unsigned int num = 0;
	int bucket;

	lockdep_assert_held(&ns->lock);
	hash_for_each(ns->maps, bucket, map, entry) {
		/* A pending mapping has no address on the wire yet. */
		if (map->pending)
			continue;
		/*
		 * Skip a mapping with IWPM_FLAGS_NO_PORT_MAP if the daemon is too old to know the
		 * flag, because the daemon would map the port regardless.
		 */
		if (ns->daemon.version == IWPM_UABI_VERSION_MIN &&
		    map->flags & IWPM_FLAGS_NO_PORT_MAP)
			continue;
		/* Allocate a message if mappings were added after @messages was prepared. */
		skb = __skb_dequeue(messages) ?: iwpm_msg_new(GFP_ATOMIC);
		if (!skb)
			break;
		sa.loc_addr = map->local;
		sa.mapped_loc_addr = map->mapped;
		sa.flags = map->flags;
		/*
		 * Ask for no port map if a socket of the host has bound the port, because then the
		 * daemon cannot bind the port.
		 */
		if (map->flags & IWPM_MAP_HOST_TCP)
			sa.flags |= IWPM_FLAGS_NO_PORT_MAP;
		iwpm_msg_put_mapinfo(skb, &sa, ns->daemon.version);
		iwpm_outbox_add(ns, skb);
		map->daemon_refs = 1;
		num++;
	}
	if (num) {
		iwpm_msg_put_mapinfo_num(num_msg, num);
		iwpm_outbox_add(ns, num_msg);
	} else {
		kfree_skb(num_msg);
	}
}
