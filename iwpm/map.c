// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Mappings of listeners and connections: how they are requested, shared and removed.
 *
 * An address is mapped once for all its users. The first user sends the request to the daemon. The
 * mapping is pending until there is a result; other users wait for the result. The daemon counts
 * the additions and queries of an address, and removes the mapping after as many removals.
 * iwpm_map.daemon_refs is the daemon's count; iwpm_unmap() sends a removal if that count is above
 * the number of users.
 */
#include <linux/printk.h>
#include <linux/export.h>
#include <net/ip.h>

#include "iwpm/addr.h"
#include "iwpm/iwpm.h"
#include "iwpm/mapinfo.h"
#include "iwpm/message.h"
#include "iwpm/net.h"
#include "iwpm/outbox.h"
#include "iwpm/peer.h"
#include "iwpm/pernet.h"
#include "iwpm/query.h"
#include "iwpm/remote.h"
#include "iwpm/wait.h"

/*
 * Converts the errno of a failed mapping. If the errno means that no port mapper has answered, logs
 * this once and returns NULL, so that the real ports are used. Otherwise returns an ERR_PTR.
 */
static struct iwpm_map *map_failed(struct iwpm_net *ns, const struct iwpm_dev_data *dev, u16 op,
				   int err)
{
	enum iwpm_noticed what = IWPM_NOTICED_NO_DAEMON;
	const char *text = "no port mapper (iwpmd)";

	if (err != -ECONNREFUSED && err != -ETIMEDOUT)
		return ERR_PTR(err);
	if (op == RDMA_NL_IWPM_QUERY_MAPPING && err == -ETIMEDOUT) {
		what = IWPM_NOTICED_NO_PEER;
		text = "no port mapper with a peer";
	}
	if (!test_and_set_bit(what, &ns->noticed))
		pr_notice_ratelimited("iw_portmap: %s: %s: connections use the real ports\n",
				      dev->dev_name, text);
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

/*
 * Chooses a local port that is not mapped. A port that a TCP socket uses may be chosen as well,
 * because the real ports of RDMA are not ports of TCP. Returns 0 or -EADDRNOTAVAIL.
 */
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

/*
 * Returns the existing mapping of the address, with one more user; or a new mapping, which is
 * pending until map_query() has a result; or an ERR_PTR: -ENOMEM; -EADDRNOTAVAIL if no port is
 * free; -EADDRINUSE if iwpm_create_mapinfo() has stored a mapping of the address; -ENODEV if the
 * namespace is going away. *@created is set to whether the mapping is new.
 */
static struct iwpm_map *map_get(struct iwpm_net *ns, const struct iwpm_sa_data *sa, bool *created)
{
	struct iwpm_map *new, *found = NULL;
	int low, high;
	int err = 0;

	new = iwpm_mapinfo_new(ns, &sa->loc_addr, sa->flags);
	if (!new)
		return ERR_PTR(-ENOMEM);
	iwpm_result_init(&new->resolved);
	inet_get_local_port_range(ns->net, &low, &high);
	spin_lock(&ns->lock);
	if (!krdma_addr_port(&new->local) && !(new->flags & IWPM_FLAGS_NO_PORT_MAP))
		err = choose_port(ns, &new->local, low, high);
	if (!err)
		found = iwpm_mapinfo_find(ns, &new->local);
	if (found && found->by_client) {
		err = -EADDRINUSE;
	} else if (found) {
		found->users++;
	} else if (!err) {
		new->pending = true;
		err = iwpm_mapinfo_add(ns, new);
	}
	spin_unlock(&ns->lock);
	*created = !err && !found;
	if (*created)
		return new;
	iwpm_mapinfo_free(new);
	return err ? ERR_PTR(err) : found;
}

/*
 * Requests the mapped addresses from the daemon. A user that did not create the mapping waits for
 * the result of the first user's request, and sends a request only if it needs the address of its
 * peer. Returns 0 or a negative errno. If this user or the first user has given up waiting,
 * iwpm_gave_up() is true for the errno.
 */
static int map_query(struct iwpm_map *map, u16 op, struct iwpm_sa_data *sa, bool created,
		     struct iwpm_wait *wait)
{
	struct iwpm_net *ns = map->ns;
	int ret;

	if (!created) {
		/*
		 * Wait without a limit: the thread that created the mapping gets a result in
		 * bounded time.
		 */
		ret = iwpm_result_wait(&map->resolved, wait, MAX_SCHEDULE_TIMEOUT);
		if (ret)
			return ret;
		sa->mapped_loc_addr = sa->loc_addr;
		krdma_addr_set_port(&sa->mapped_loc_addr, krdma_addr_port(&map->mapped));
		/*
		 * Do not return -ETIMEDOUT, which would mean that this user's peer may be silent,
		 * because that peer was not asked.
		 */
		if (map->error == -ETIMEDOUT && op == RDMA_NL_IWPM_QUERY_MAPPING)
			return -ECONNREFUSED;
		if (map->error || op == RDMA_NL_IWPM_ADD_MAPPING)
			return map->error;
	}

	ret = iwpm_query(ns, op, sa, wait);
	if (ret == -EADDRINUSE && created) {
		/*
		 * The daemon has a mapping of this address that nobody uses any more: replace it.
		 */
		iwpm_query_remove(ns, &sa->loc_addr);
		ret = iwpm_query(ns, op, sa, wait);
	}
	spin_lock(&ns->lock);
	if (!ret && ns->daemon.portid)
		map->daemon_refs++;
	if (created) {
		map->pending = false;
		map->error = min(ret, 0);
		map->mapped = sa->mapped_loc_addr;
		/* Remove a failed mapping, so that the next user of the address sends a request. */
		if (map->error)
			hash_del(&map->entry);
		iwpm_result_set(&map->resolved);
	}
	spin_unlock(&ns->lock);
	if (ret < 0)
		return ret;
	/* The daemon must give the same mapped address in all answers. */
	return iwpm_addr_equal(&map->mapped, &sa->mapped_loc_addr) ? 0 : -EPROTO;
}

/*
 * Drops one user of the mapping. If iwpm_map.daemon_refs is then above the number of users, sends
 * the daemon a removal. Frees the mapping when it has no user any more.
 */
void iwpm_unmap(struct iwpm_map *map)
{
	struct sk_buff *removal;
	struct iwpm_net *ns;
	bool surplus, last;

	if (!map)
		return;
	ns = map->ns;
	removal = iwpm_msg_remove(&map->local);
	spin_lock(&ns->lock);
	last = !--map->users;
	surplus = map->daemon_refs > map->users;
	if (surplus) {
		map->daemon_refs--;
		iwpm_outbox_add(ns, removal);
	}
	if (last)
		hash_del(&map->entry);
	spin_unlock(&ns->lock);
	if (!surplus)
		kfree_skb(removal);
	if (last)
		iwpm_mapinfo_free(map);
}
EXPORT_SYMBOL(iwpm_unmap);

/*
 * Finds out, by a registration, why a query of the peer's address had no answer. If the daemon
 * answers the registration, the peer has no port mapper, and is not asked again within a minute.
 * Otherwise the daemon itself is not asked again within a minute. Returns -ETIMEDOUT, or an errno
 * for which iwpm_gave_up() is true.
 */
static int query_unanswered(struct iwpm_net *ns, const struct iwpm_dev_data *dev,
			    const struct sockaddr_storage *peer, struct iwpm_wait *wait)
{
	int err = iwpm_query_register(ns, dev, true, wait);

	spin_lock(&ns->lock);
	if (!err)
		iwpm_peer_set_silent(ns, peer);
	spin_unlock(&ns->lock);
	return iwpm_gave_up(err) ? err : -ETIMEDOUT;
}

static struct iwpm_map *map_address(struct net *net, const struct iwpm_dev_data *dev,
				    struct iwpm_sa_data *sa, u16 op, struct iwpm_wait *wait)
{
	__be16 port = krdma_addr_port(&sa->loc_addr);
	struct iwpm_net *ns = iwpm_net_get(net);
	struct iwpm_map *map;
	bool silent, created;
	int err;

	if (!ns)
		return ERR_PTR(-ENODEV);
again:
	err = iwpm_query_register(ns, dev, false, wait);
	if (err) {
		map = map_failed(ns, dev, RDMA_NL_IWPM_REG_PID, err);
		goto put_net;
	}
	spin_lock(&ns->lock);
	silent = op == RDMA_NL_IWPM_QUERY_MAPPING && iwpm_peer_is_silent(ns, &sa->rem_addr);
	spin_unlock(&ns->lock);
	if (silent) {
		map = NULL;
		goto put_net;
	}
	map = map_get(ns, sa, &created);
	if (IS_ERR(map))
		goto put_net;
	krdma_addr_set_port(&sa->loc_addr, krdma_addr_port(&map->local));
	err = map_query(map, op, sa, created, wait);
	if (!err)
		goto put_net;
	iwpm_unmap(map);
	/* Undo the choice of a port, which was for this mapping only. */
	krdma_addr_set_port(&sa->loc_addr, port);
	/*
	 * If the thread that created the mapping has given up waiting, but the current thread has
	 * not, try again.
	 */
	if (iwpm_gave_up(err) && iwpm_wait_allowed(wait))
		goto again;
	if (err == -ETIMEDOUT && op == RDMA_NL_IWPM_QUERY_MAPPING)
		err = query_unanswered(ns, dev, &sa->rem_addr, wait);
	map = map_failed(ns, dev, op, err);
put_net:
	iwpm_net_put(ns);
	return map;
}

struct iwpm_map *iwpm_map_listen(struct net *net, const struct iwpm_dev_data *dev,
				 struct iwpm_sa_data *sa, struct iwpm_wait *wait)
{
	if (!krdma_addr_is_ip(&sa->loc_addr))
		return ERR_PTR(-EINVAL);
	return map_address(net, dev, sa, RDMA_NL_IWPM_ADD_MAPPING, wait);
}
EXPORT_SYMBOL(iwpm_map_listen);

struct iwpm_map *iwpm_map_connect(struct net *net, const struct iwpm_dev_data *dev,
				  struct iwpm_sa_data *sa, struct iwpm_wait *wait)
{
	if (!krdma_addr_is_ip(&sa->loc_addr) || sa->loc_addr.ss_family != sa->rem_addr.ss_family ||
	    krdma_addr_is_any(&sa->loc_addr))
		return ERR_PTR(-EINVAL);
	return map_address(net, dev, sa, RDMA_NL_IWPM_QUERY_MAPPING, wait);
}
EXPORT_SYMBOL(iwpm_map_connect);

int iwpm_map_remote(struct iwpm_map *map, const struct sockaddr_storage *mapped_loc_addr,
		    const struct sockaddr_storage *mapped_rem_addr,
		    struct sockaddr_storage *remote_addr)
{
	return iwpm_remote_pop(map->ns, mapped_loc_addr, mapped_rem_addr, remote_addr);
}
EXPORT_SYMBOL(iwpm_map_remote);
