// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Identifiers and the port mapper: which addresses a listener or a connection has on the wire.
 *
 * The one who listens or connects has the mapping, from then until the identifier is used again or
 * ends, or its device goes. The connections of a listener use its mapping without having one.
 */
#include <linux/net.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <rdma/iw_portmap.h>
#include <rdma/krdma_addr.h>

#include "iwcm/portmap.h"
#include "iwcm/iwcm.h"

/* The namespace of the device's netdev, and its number; NULL: none that one could map ports in. */
static struct net *get_net_of(struct ib_device *dev, int *ifindex)
{
	struct net_device *ndev = ib_device_netdev(dev, rdma_start_port(dev));
	struct net *net;

	if (!ndev)
		return NULL;
	net = maybe_get_net(dev_net(ndev));
	*ifindex = ndev->ifindex;
	dev_put(ndev);
	return net;
}

static int ask_route(struct socket *sock, int ifindex, const struct sockaddr_storage *remote,
		     struct sockaddr_storage *local)
{
	int ret;

	/* A link-local address means nothing without it. */
	ret = sock_bindtoindex(sock->sk, ifindex, true);
	if (ret)
		return ret;
	ret = kernel_connect(sock, (struct sockaddr *)remote, krdma_addr_len(remote), 0);
	if (ret)
		return ret;
	ret = kernel_getsockname(sock, (struct sockaddr *)local);
	return ret < 0 ? ret : 0;
}

/* The address that connections to the peer come from: that of a UDP socket, which sends nothing. */
static int find_source(struct net *net, int ifindex, struct iw_cm_id *base)
{
	__be16 port = krdma_addr_port(&base->local_addr);
	struct sockaddr_storage local = {};
	struct socket *sock;
	int ret;

	ret = sock_create_kern(net, base->remote_addr.ss_family, SOCK_DGRAM, IPPROTO_UDP, &sock);
	if (ret)
		return ret;
	ret = ask_route(sock, ifindex, &base->remote_addr, &local);
	sock_release(sock);
	if (ret)
		return ret;
	krdma_addr_set_port(&local, port);
	base->local_addr = local;
	return 0;
}

static u32 map_flags(const struct ib_device *dev)
{
	u32 flags = READ_ONCE(dev->iw_driver_flags);

	return (flags & IW_F_NO_PORT_MAP ? IWPM_FLAGS_NO_PORT_MAP : 0) |
	       (flags & IW_F_HOST_TCP ? IWPM_MAP_HOST_TCP : 0);
}

static struct iwpm_map *map(struct net *net, struct iw_cm_id *base, struct iwpm_sa_data *sa,
			    bool active)
{
	struct iwpm_dev_data who = {};

	strscpy(who.dev_name, dev_name(&base->device->dev), sizeof(who.dev_name));
	strscpy(who.if_name, base->device->iw_ifname, sizeof(who.if_name));
	sa->loc_addr = base->local_addr;
	sa->rem_addr = base->remote_addr;
	sa->flags = map_flags(base->device);
	return active ? iwpm_map_connect(net, &who, sa) : iwpm_map_listen(net, &who, sa);
}

static int map_in(struct net *net, int ifindex, struct iwcm_id *id, bool active)
{
	struct iw_cm_id *base = &id->base;
	struct iwpm_sa_data sa = {};
	struct iwpm_map *mapping;
	int ret;

	if (active && krdma_addr_is_any(&base->local_addr)) {
		ret = find_source(net, ifindex, base);
		if (ret)
			return ret;
	}
	mapping = map(net, base, &sa, active);
	if (IS_ERR_OR_NULL(mapping))
		return PTR_ERR_OR_ZERO(mapping);
	base->mapped = true;
	base->local_addr = sa.loc_addr;
	base->m_local_addr = sa.mapped_loc_addr;
	if (active)
		base->m_remote_addr = sa.mapped_rem_addr;
	spin_lock_irq(&id->lock);
	id->mapping = mapping;
	spin_unlock_irq(&id->lock);
	return 0;
}

static bool wants_mapping(const struct ib_device *dev)
{
	return dev->iw_ifname[0] && !(READ_ONCE(dev->iw_driver_flags) & IW_F_NO_PORT_MAPPER);
}

int iwcm_map(struct iwcm_id *id, bool active)
{
	struct iw_cm_id *base = &id->base;
	struct net *net;
	int ifindex;
	int ret;

	iwcm_unmap(id);
	base->m_local_addr = base->local_addr;
	base->m_remote_addr = base->remote_addr;
	if (!wants_mapping(base->device))
		return 0;
	net = get_net_of(base->device, &ifindex);
	if (!net)
		return 0;
	ret = map_in(net, ifindex, id, active);
	if (!base->mapped)
		base->m_local_addr = base->local_addr;
	put_net(net);
	return ret;
}

void iwcm_unmap(struct iwcm_id *id)
{
	struct iwpm_map *mapping;

	spin_lock_irq(&id->lock);
	mapping = id->mapping;
	id->mapping = NULL;
	spin_unlock_irq(&id->lock);
	id->base.mapped = false;
	iwpm_unmap(mapping);
}

/*
 * The provider tells what is on the wire. What the peer's real address is, its daemon has told
 * ours; if that has not told us yet, the one on the wire stands for it.
 */
void iwcm_unmap_request(struct iwcm_id *listener, struct iwcm_id *child, struct iw_cm_event *event)
{
	struct iw_cm_id *base = &child->base;

	if (!listener->base.mapped)
		return;
	base->mapped = true;
	krdma_addr_set_port(&base->local_addr, krdma_addr_port(&listener->base.local_addr));
	iwpm_map_remote(listener->mapping, &base->m_local_addr, &base->m_remote_addr,
			&base->remote_addr);
	event->local_addr = base->local_addr;
	event->remote_addr = base->remote_addr;
}
