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

/*
 * Copies at most @max mappings, and returns their number. The daemon counts one user for each
 * mapping that it gets. If there are more than @max, mappings were added since they
 * were counted. The rest can be left out, because the daemon gets a request for each mapping that
 * is added.
 */
static unsigned int copy_maps(struct iwpm_net *ns, struct iwpm_sa_data *to, unsigned int max,
			      u16 version)
{
	struct iwpm_map *map;
	unsigned int num = 0;
	int bucket;

	spin_lock(&ns->lock);
	hash_for_each(ns->maps, bucket, map, entry) {
		if (num == max)
			break;
		/* A pending mapping has no address on the wire yet. */
		if (map->pending)
			continue;
		/* A daemon that does not know the flags would map a port that must stay. */
		if (version == IWPM_UABI_VERSION_MIN && map->flags & IWPM_FLAGS_NO_PORT_MAP)
			continue;
		to[num].loc_addr = map->local;
		to[num].mapped_loc_addr = map->mapped;
		to[num].flags = map->flags;
		/* A socket of the host has bound the port, so the daemon cannot bind it. */
		if (map->flags & IWPM_MAP_HOST_TCP)
			to[num].flags |= IWPM_FLAGS_NO_PORT_MAP;
		map->daemon_refs = 1;
		num++;
	}
	spin_unlock(&ns->lock);
	return num;
}

int iwpm_mapinfo_replay(struct iwpm_net *ns, u32 portid, u16 version)
{
	struct iwpm_sa_data *maps;
	struct iwpm_map *map;
	unsigned int max = 0;
	unsigned int num, i;
	int bucket, err = 0;

	spin_lock(&ns->lock);
	hash_for_each(ns->maps, bucket, map, entry)
		max++;
	spin_unlock(&ns->lock);
	if (!max)
		return 0;
	maps = kvmalloc_array(max, sizeof(*maps), GFP_KERNEL | __GFP_ZERO);
	if (!maps)
		return -ENOMEM;
	num = copy_maps(ns, maps, max, version);
	for (i = 0; i < num && !err; i++)
		err = iwpm_msg_send(ns, iwpm_msg_mapinfo(&maps[i], version), portid);
	if (num && !err)
		err = iwpm_msg_send(ns, iwpm_msg_mapinfo_num(0, num), portid);
	kvfree(maps);
	return err;
}
