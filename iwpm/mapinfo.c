// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table of mappings, and sending it to a daemon that has started.
 */
#include <linux/slab.h>

#include "iwpm/iwpm.h"

/* NULL: no memory. It is not in the table yet. */
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

int iwpm_mapinfo_enter(struct iwpm_net *ns, struct iwpm_map *map)
{
	lockdep_assert_held(&ns->lock);
	if (ns->dead)
		return -ENODEV;
	hash_add(ns->maps, &map->entry, (__force u16)krdma_addr_port(&map->local));
	return 0;
}

/* The daemon has gone, and with it what it knew. */
void iwpm_mapinfo_reset(struct iwpm_net *ns)
{
	struct iwpm_map *map;
	int bucket;

	lockdep_assert_held(&ns->lock);
	hash_for_each(ns->maps, bucket, map, entry)
		map->daemon_refs = 0;
}

/* Those of iwpm_create_mapinfo(). The others have somebody who gives them back. */
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

/* Whether it can be sent to a daemon of this version. One that is pending is not known yet. */
static bool is_sendable(const struct iwpm_map *map, u16 version)
{
	if (map->pending)
		return false;
	return version > IWPM_UABI_VERSION_MIN || !(map->flags & IWPM_FLAGS_NO_PORT_MAP);
}

static unsigned int count(struct iwpm_net *ns)
{
	struct iwpm_map *map;
	unsigned int num = 0;
	int bucket;

	spin_lock(&ns->lock);
	hash_for_each(ns->maps, bucket, map, entry)
		num++;
	spin_unlock(&ns->lock);
	return num;
}

/* Copies at most @max; what has come since they were counted, the daemon has been asked for. */
static unsigned int copy(struct iwpm_net *ns, struct iwpm_sa_data *to, unsigned int max,
			 u16 version)
{
	struct iwpm_map *map;
	unsigned int num = 0;
	int bucket;

	spin_lock(&ns->lock);
	hash_for_each(ns->maps, bucket, map, entry) {
		if (num == max)
			break;
		if (!is_sendable(map, version))
			continue;
		to[num].loc_addr = map->local;
		to[num].mapped_loc_addr = map->mapped;
		to[num].flags = map->flags;
		/* Our own socket has the port. */
		if (map->flags & IWPM_MAP_HOST_TCP)
			to[num].flags |= IWPM_FLAGS_NO_PORT_MAP;
		map->daemon_refs = 1;
		num++;
	}
	spin_unlock(&ns->lock);
	return num;
}

static int mapinfo_send(struct iwpm_net *ns, struct sk_buff *skb, u32 portid)
{
	return skb ? iwpm_msg_send(ns, skb, portid) : -ENOMEM;
}

static int send_all(struct iwpm_net *ns, const struct iwpm_sa_data *maps, unsigned int num,
		    u32 portid, u16 version)
{
	unsigned int i;
	int err;

	for (i = 0; i < num; i++) {
		err = mapinfo_send(ns, iwpm_msg_mapinfo(&maps[i], version), portid);
		if (err)
			return err;
	}
	return num ? mapinfo_send(ns, iwpm_msg_mapinfo_num(0, num), portid) : 0;
}

int iwpm_mapinfo_replay(struct iwpm_net *ns, u32 portid, u16 version)
{
	unsigned int max = count(ns);
	struct iwpm_sa_data *maps;
	int err;

	if (!max)
		return 0;
	maps = kvmalloc_array(max, sizeof(*maps), GFP_KERNEL | __GFP_ZERO);
	if (!maps)
		return -ENOMEM;
	err = send_all(ns, maps, copy(ns, maps, max, version), portid, version);
	kvfree(maps);
	return err;
}
