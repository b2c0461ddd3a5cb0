// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Mappings of listeners and connections, from the first request to the daemon to their end.
 *
 * One address is mapped once, whoever uses it: the first asks while the mapping is pending, others
 * wait for what comes of it. The daemon counts additions and queries of an address, and forgets it
 * after as many removals; daemon_refs is its count, which goes down when it is above the users'.
 */
#include <linux/printk.h>
#include <linux/export.h>
#include <linux/wait.h>
#include <net/ip.h>

#include "iwpm/iwpm.h"

static void notice_once(struct iwpm_net *ns, enum iwpm_noticed what, const char *text,
			const struct iwpm_dev_data *dev)
{
	if (!test_and_set_bit(what, &ns->noticed))
		pr_notice_ratelimited("iw_portmap: %s: %s: connections use the real ports\n",
				      dev->dev_name, text);
}

/* Nobody who could map is no reason to fail. */
static struct iwpm_map *failed(struct iwpm_net *ns, const struct iwpm_dev_data *dev, u16 op,
			       int err)
{
	if (err != -ECONNREFUSED && err != -ETIMEDOUT)
		return ERR_PTR(err);
	if (op == RDMA_NL_IWPM_QUERY_MAPPING && err == -ETIMEDOUT)
		notice_once(ns, IWPM_NOTICED_NO_PEER, "no port mapper with a peer", dev);
	else
		notice_once(ns, IWPM_NOTICED_NO_DAEMON, "no port mapper (iwpmd)", dev);
	return NULL;
}

static bool port_is_free(struct iwpm_net *ns, u16 port)
{
	struct iwpm_map *map;

	lockdep_assert_held(&ns->lock);
	hash_for_each_possible(ns->maps, map, entry, (__force u16)htons(port))
		if (krdma_addr_port(&map->local) == htons(port))
			return false;
	return true;
}

/* Ports of RDMA are not those of TCP: free is what is not mapped. */
static int choose_port(struct iwpm_net *ns, struct sockaddr_storage *local, int low, int high)
{
	int left = high - low + 1;

	lockdep_assert_held(&ns->lock);
	for (; left > 0; left--) {
		if (ns->next_port < low || ns->next_port > high)
			ns->next_port = low;
		if (port_is_free(ns, ns->next_port)) {
			krdma_addr_set_port(local, htons(ns->next_port++));
			return 0;
		}
		ns->next_port++;
	}
	return -EADDRNOTAVAIL;
}

/* Finds the mapping of the address, or makes @map it, which the caller then has to settle. */
static struct iwpm_map *find_or_enter(struct iwpm_net *ns, struct iwpm_map *map, int low, int high)
{
	struct iwpm_map *found;
	int err = 0;

	lockdep_assert_held(&ns->lock);
	if (!krdma_addr_port(&map->local) && !(map->flags & IWPM_FLAGS_NO_PORT_MAP))
		err = choose_port(ns, &map->local, low, high);
	if (err)
		return ERR_PTR(err);
	found = iwpm_mapinfo_find(ns, &map->local);
	if (found && found->by_client)
		return ERR_PTR(-EADDRINUSE);
	if (found) {
		found->users++;
		return found;
	}
	map->pending = true;
	err = iwpm_mapinfo_enter(ns, map);
	return err ? ERR_PTR(err) : map;
}

/* Gives a use back, and tells the daemon if it counts too many. */
static void map_put(struct iwpm_map *map)
{
	struct iwpm_net *ns = map->ns;
	bool surplus, last;

	spin_lock(&ns->lock);
	last = !--map->users;
	surplus = map->daemon_refs > map->users;
	if (surplus)
		map->daemon_refs--;
	if (last)
		hash_del(&map->entry);
	spin_unlock(&ns->lock);
	/* The address is not ours any more if it is the last: whoever maps it now asks later. */
	if (surplus)
		iwpm_query_remove(ns, &map->local);
	if (last)
		iwpm_mapinfo_free(map);
}

static struct iwpm_map *map_get(struct iwpm_net *ns, const struct iwpm_sa_data *sa, bool *created)
{
	struct iwpm_map *mine, *map;
	int low, high;

	mine = iwpm_mapinfo_new(ns, &sa->loc_addr, sa->flags);
	if (!mine)
		return ERR_PTR(-ENOMEM);
	inet_get_local_port_range(ns->net, &low, &high);
	spin_lock(&ns->lock);
	map = find_or_enter(ns, mine, low, high);
	spin_unlock(&ns->lock);
	*created = map == mine;
	if (!*created)
		iwpm_mapinfo_free(mine);
	return map;
}

static bool is_settled(struct iwpm_map *map)
{
	bool resolved;

	spin_lock(&map->ns->lock);
	resolved = !map->pending;
	spin_unlock(&map->ns->lock);
	return resolved;
}

/* Whoever asks for it ends that in time. */
static int await(struct iwpm_map *map, struct iwpm_sa_data *sa)
{
	wait_event(map->ns->resolved, is_settled(map));
	sa->mapped_loc_addr = map->mapped;
	return map->error;
}

/* What the daemon has counted, it has counted, even if its answer came too late. */
static bool is_counted(u16 op, int ret)
{
	return !ret || (ret == -ETIMEDOUT && op == RDMA_NL_IWPM_QUERY_MAPPING);
}

static void settle(struct iwpm_map *map, u16 op, int ret, const struct iwpm_sa_data *sa,
		   bool created)
{
	struct iwpm_net *ns = map->ns;

	spin_lock(&ns->lock);
	if (is_counted(op, ret) && ns->daemon.portid)
		map->daemon_refs++;
	if (created) {
		map->pending = false;
		map->error = ret < 0 ? ret : 0;
		map->mapped = sa->mapped_loc_addr;
		wake_up_all(&ns->resolved);
	}
	spin_unlock(&ns->lock);
}

/* The daemon gives one address one mapping. */
static int check_mapped(const struct iwpm_map *map, const struct iwpm_sa_data *sa)
{
	return iwpm_addr_equal(&map->mapped, &sa->mapped_loc_addr) ? 0 : -EPROTO;
}

static int map_query(struct iwpm_map *map, u16 op, struct iwpm_sa_data *sa, bool created)
{
	int ret = 0;

	if (!created)
		ret = await(map, sa);
	if (ret || (!created && op == RDMA_NL_IWPM_ADD_MAPPING))
		return ret;
	ret = iwpm_query(map->ns, op, sa);
	settle(map, op, ret, sa, created);
	if (ret < 0)
		return ret;
	return check_mapped(map, sa);
}

static struct iwpm_map *map_in(struct iwpm_net *ns, const struct iwpm_dev_data *dev,
			       struct iwpm_sa_data *sa, u16 op)
{
	struct iwpm_map *map;
	bool created;
	int err;

	err = iwpm_query_register(ns, dev);
	if (err)
		return failed(ns, dev, RDMA_NL_IWPM_REG_PID, err);
	map = map_get(ns, sa, &created);
	if (IS_ERR(map))
		return map;
	sa->loc_addr = map->local;
	err = map_query(map, op, sa, created);
	if (!err)
		return map;
	map_put(map);
	return failed(ns, dev, op, err);
}

static struct iwpm_map *map_address(struct net *net, const struct iwpm_dev_data *dev,
				    struct iwpm_sa_data *sa, u16 op)
{
	struct sockaddr_storage local = sa->loc_addr;
	struct iwpm_net *ns = iwpm_net_get(net);
	struct iwpm_map *ret;

	if (!ns)
		return ERR_PTR(-ENODEV);
	ret = map_in(ns, dev, sa, op);
	/* A port was chosen for the mapping only. */
	if (IS_ERR_OR_NULL(ret))
		sa->loc_addr = local;
	iwpm_net_put(ns);
	return ret;
}

struct iwpm_map *iwpm_map_listen(struct net *net, const struct iwpm_dev_data *dev,
				 struct iwpm_sa_data *sa)
{
	if (!krdma_addr_is_ip(&sa->loc_addr))
		return ERR_PTR(-EINVAL);
	return map_address(net, dev, sa, RDMA_NL_IWPM_ADD_MAPPING);
}
EXPORT_SYMBOL(iwpm_map_listen);

struct iwpm_map *iwpm_map_connect(struct net *net, const struct iwpm_dev_data *dev,
				  struct iwpm_sa_data *sa)
{
	if (!krdma_addr_is_ip(&sa->loc_addr) || sa->loc_addr.ss_family != sa->rem_addr.ss_family ||
	    krdma_addr_is_any(&sa->loc_addr))
		return ERR_PTR(-EINVAL);
	return map_address(net, dev, sa, RDMA_NL_IWPM_QUERY_MAPPING);
}
EXPORT_SYMBOL(iwpm_map_connect);

void iwpm_unmap(struct iwpm_map *map)
{
	if (map)
		map_put(map);
}
EXPORT_SYMBOL(iwpm_unmap);

int iwpm_map_remote(struct iwpm_map *map, const struct sockaddr_storage *mapped_loc_addr,
		    const struct sockaddr_storage *mapped_rem_addr,
		    struct sockaddr_storage *remote_addr)
{
	return iwpm_remote_take(map->ns, mapped_loc_addr, mapped_rem_addr, remote_addr);
}
EXPORT_SYMBOL(iwpm_map_remote);
