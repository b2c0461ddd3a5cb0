// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The exported functions with an argument nl_client, each of which does one step of the port
 * mapper's work in the initial network namespace.
 */
#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/minmax.h>
#include <net/net_namespace.h>

#include "iwpm/addr.h"
#include "iwpm/iwpm.h"
#include "iwpm/mapinfo.h"
#include "iwpm/pernet.h"
#include "iwpm/query.h"
#include "iwpm/remote.h"

/* Number of calls iwpm_init(RDMA_NL_IWCM) that no iwpm_exit() has undone yet. */
static atomic_t clients = ATOMIC_INIT(0);

static bool is_client(u8 nl_client)
{
	return nl_client == RDMA_NL_IWCM && atomic_read(&clients);
}

int iwpm_init(u8 nl_client)
{
	if (nl_client != RDMA_NL_IWCM)
		return -EINVAL;
	atomic_inc(&clients);
	return 0;
}
EXPORT_SYMBOL(iwpm_init);

int iwpm_exit(u8 nl_client)
{
	int left;

	if (nl_client != RDMA_NL_IWCM)
		return -EINVAL;
	left = atomic_dec_if_positive(&clients);
	if (left < 0)
		return -EINVAL;
	if (!left)
		iwpm_net_clear_all();
	return 0;
}
EXPORT_SYMBOL(iwpm_exit);

int iwpm_valid_pid(void)
{
	struct iwpm_net *ns = iwpm_net_of(&init_net);
	int valid;

	spin_lock(&ns->lock);
	valid = ns->daemon.portid && !ns->daemon.unresponsive;
	spin_unlock(&ns->lock);
	return valid;
}
EXPORT_SYMBOL(iwpm_valid_pid);

int iwpm_register_pid(struct iwpm_dev_data *pm_msg, u8 nl_client)
{
	if (!is_client(nl_client))
		return -EINVAL;
	return iwpm_query_register(iwpm_net_of(&init_net), pm_msg, false, NULL);
}
EXPORT_SYMBOL(iwpm_register_pid);

int iwpm_add_mapping(struct iwpm_sa_data *pm_msg, u8 nl_client)
{
	if (!is_client(nl_client) || !krdma_addr_is_ip(&pm_msg->loc_addr))
		return -EINVAL;
	return min(iwpm_query(iwpm_net_of(&init_net), RDMA_NL_IWPM_ADD_MAPPING, pm_msg,
			      NULL), 0);
}
EXPORT_SYMBOL(iwpm_add_mapping);

int iwpm_add_and_query_mapping(struct iwpm_sa_data *pm_msg, u8 nl_client)
{
	if (!is_client(nl_client) || !krdma_addr_is_ip(&pm_msg->loc_addr) ||
	    pm_msg->loc_addr.ss_family != pm_msg->rem_addr.ss_family)
		return -EINVAL;
	return min(iwpm_query(iwpm_net_of(&init_net), RDMA_NL_IWPM_QUERY_MAPPING, pm_msg,
			      NULL), 0);
}
EXPORT_SYMBOL(iwpm_add_and_query_mapping);

int iwpm_remove_mapping(struct sockaddr_storage *local_addr, u8 nl_client)
{
	if (!is_client(nl_client) || !krdma_addr_is_ip(local_addr))
		return -EINVAL;
	return iwpm_query_remove(iwpm_net_of(&init_net), local_addr);
}
EXPORT_SYMBOL(iwpm_remove_mapping);

int iwpm_get_remote_info(struct sockaddr_storage *mapped_loc_addr,
			 struct sockaddr_storage *mapped_rem_addr,
			 struct sockaddr_storage *remote_addr, u8 nl_client)
{
	if (!is_client(nl_client) || !krdma_addr_is_ip(mapped_loc_addr) ||
	    !krdma_addr_is_ip(mapped_rem_addr))
		return -EINVAL;
	return iwpm_remote_pop(iwpm_net_of(&init_net), mapped_loc_addr, mapped_rem_addr,
			       remote_addr);
}
EXPORT_SYMBOL(iwpm_get_remote_info);

int (iwpm_create_mapinfo)(struct sockaddr_storage *local_addr, struct sockaddr_storage *mapped_addr,
			  u8 nl_client, u32 map_flags)
{
	struct iwpm_net *ns = iwpm_net_of(&init_net);
	struct iwpm_map *map;
	int err = -EEXIST;

	if (!is_client(nl_client) || !krdma_addr_is_ip(local_addr) ||
	    local_addr->ss_family != mapped_addr->ss_family)
		return -EINVAL;
	map = iwpm_mapinfo_new(ns, local_addr, map_flags);
	if (!map)
		return -ENOMEM;
	map->by_client = true;
	iwpm_addr_copy(&map->mapped, mapped_addr);
	spin_lock(&ns->lock);
	if (!iwpm_mapinfo_find(ns, &map->local))
		err = iwpm_mapinfo_add(ns, map);
	spin_unlock(&ns->lock);
	if (err)
		iwpm_mapinfo_free(map);
	return err;
}
EXPORT_SYMBOL(iwpm_create_mapinfo);

int iwpm_remove_mapinfo(struct sockaddr_storage *local_addr, struct sockaddr_storage *mapped_addr)
{
	struct iwpm_net *ns = iwpm_net_of(&init_net);
	struct iwpm_map *map;

	if (!krdma_addr_is_ip(local_addr) || local_addr->ss_family != mapped_addr->ss_family)
		return -EINVAL;
	spin_lock(&ns->lock);
	map = iwpm_mapinfo_find(ns, local_addr);
	if (map && (!map->by_client || !iwpm_addr_equal(&map->mapped, mapped_addr)))
		map = NULL;
	if (map)
		hash_del(&map->entry);
	spin_unlock(&ns->lock);
	if (!map)
		return -ENOENT;
	iwpm_mapinfo_free(map);
	return 0;
}
EXPORT_SYMBOL(iwpm_remove_mapinfo);
