// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Identifiers and the port mapper: the addresses on the wire of a listener or a connection.
 *
 * An identifier that listens or connects owns a mapping, until the identifier is used again or
 * destroyed. The requests of a listener use the listener's mapping.
 */
#include <linux/export.h>
#include <linux/net.h>
#include <net/net_namespace.h>
#include <net/sock.h>
#include <rdma/iw_portmap.h>
#include <rdma/krdma_addr.h>

#include "iwcm/mapping.h"
#include "iwcm/iwcm.h"

/*
 * Returns the namespace of the device's netdev, with a reference, and the netdev's index; NULL if
 * the device has no netdev, or the namespace is going away.
 */
static struct net *get_net_of(struct ib_device *dev, int *ifindex)
{
	struct net_device *ndev = ib_device_get_netdev(dev, rdma_start_port(dev));
	struct net *net;

	if (!ndev)
		return NULL;
	net = maybe_get_net(dev_net(ndev));
	*ifindex = ndev->ifindex;
	dev_put(ndev);
	return net;
}

/*
 * Sets the local address to the source address that the routing table chooses for the peer. Finds
 * that address with a UDP socket, which sends nothing when it is connected. The port does not
 * change.
 */
static int find_source(struct net *net, int ifindex, struct iw_cm_id *base)
{
	struct sockaddr_unsized *remote = (struct sockaddr_unsized *)&base->remote_addr;
	__be16 port = krdma_addr_port(&base->local_addr);
	struct sockaddr_storage local = {};
	struct socket *sock;
	int ret;

	ret = sock_create_kern(net, base->remote_addr.ss_family, SOCK_DGRAM, IPPROTO_UDP, &sock);
	if (ret)
		return ret;
	/* The route to a link-local address depends on the interface. */
	ret = sock_bindtoindex(sock->sk, ifindex, true);
	if (ret)
		goto release;
	ret = kernel_connect(sock, remote, krdma_addr_len(&base->remote_addr), 0);
	if (ret)
		goto release;
	ret = kernel_getsockname(sock, (struct sockaddr *)&local);
	if (ret < 0)
		goto release;
	ret = 0;
	krdma_addr_set_port(&local, port);
	base->local_addr = local;
release:
	sock_release(sock);
	return ret;
}

bool iw_cm_uses_port_mapper(const struct ib_device *device)
{
	return device->iw_ifname[0] && !(READ_ONCE(device->iw_driver_flags) & IW_F_NO_PORT_MAPPER);
}
EXPORT_SYMBOL(iw_cm_uses_port_mapper);

void iwcm_map_nothing(struct iwcm_id *id)
{
	iwcm_unmap(id);
	id->base.m_local_addr = id->base.local_addr;
	id->base.m_remote_addr = id->base.remote_addr;
}

int iwcm_map(struct iwcm_id *id, bool active)
{
	struct iw_cm_id *base = &id->base;
	struct ib_device *device = base->device;
	char name[IB_DEVICE_NAME_MAX];
	struct iwpm_dev_data dev = {};
	struct iwpm_sa_data sa = {};
	struct iwpm_map *mapping;
	struct net *net;
	int ifindex;
	u32 flags;
	int ret;

	iwcm_map_nothing(id);
	if (!iw_cm_uses_port_mapper(device))
		return 0;
	net = get_net_of(device, &ifindex);
	if (!net)
		return 0;
	if (active && krdma_addr_is_any(&base->local_addr)) {
		ret = find_source(net, ifindex, base);
		if (ret)
			goto put_net;
		base->m_local_addr = base->local_addr;
	}

	ib_device_name_get(device, name);
	strscpy(dev.dev_name, name, sizeof(dev.dev_name));
	strscpy(dev.if_name, device->iw_ifname, sizeof(dev.if_name));
	sa.loc_addr = base->local_addr;
	sa.rem_addr = base->remote_addr;
	flags = READ_ONCE(device->iw_driver_flags);
	if (flags & IW_F_NO_PORT_MAP)
		sa.flags |= IWPM_FLAGS_NO_PORT_MAP;
	if (flags & IW_F_HOST_TCP)
		sa.flags |= IWPM_MAP_HOST_TCP;
	if (active)
		mapping = iwpm_map_connect(net, &dev, &sa, &id->asking);
	else
		mapping = iwpm_map_listen(net, &dev, &sa, &id->asking);
	ret = PTR_ERR_OR_ZERO(mapping);
	if (ret || !mapping)
		goto put_net;

	base->mapped = true;
	base->local_addr = sa.loc_addr;
	base->m_local_addr = sa.mapped_loc_addr;
	if (active)
		base->m_remote_addr = sa.mapped_rem_addr;
	spin_lock_irq(&id->lock);
	id->mapping = mapping;
	spin_unlock_irq(&id->lock);
put_net:
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
 * The provider reports the addresses on the wire. The peer's port mapper announces the peer's real
 * address to our port mapper. If that announcement has not arrived yet, remote_addr stays the
 * address on the wire.
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
