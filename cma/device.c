// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Devices: the list of the identifiers of each device, and the choice of the device for an
 * identifier.
 */
#include "cma/device.h"

#include "cma/addr.h"
#include "cma/client.h"
#include "cma/id.h"
#include "cma/track.h"
#include "cma/transport.h"

/*
 * Returns whether the device serves the identifier's port space, and has the node type that the
 * identifier requires.
 */
static bool may_use(const struct cma_id *id, const struct cma_device *dev)
{
	return dev->transport->serves(id->base.ps) &&
	       (id->node_type == RDMA_NODE_UNSPECIFIED || id->node_type == dev->ibdev->node_type);
}

int cma_device_add_id(struct cma_id *id, struct ib_device *ibdev, struct net_device *ndev)
{
	struct rdma_dev_addr *addr = &id->base.route.addr.dev_addr;
	struct net_device *of_port;
	struct cma_device *dev;
	int ret = -ENODEV;
	u32 port;

	might_sleep();
	addr->dev_type = ndev->type;
	addr->bound_dev_if = ndev->ifindex;
	addr->transport = rdma_node_get_transport(ibdev->node_type);
	addr->network = cma_src(id)->ss_family == AF_INET ? RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	memcpy(addr->broadcast, ndev->broadcast, sizeof(addr->broadcast));
	/*
	 * Choose the port whose interface is @ndev or, if no port has this interface, the first
	 * port.
	 */
	id->base.port_num = rdma_start_port(ibdev);
	rdma_for_each_port(ibdev, port) {
		of_port = ib_device_get_netdev(ibdev, port);
		dev_put(of_port);
		if (of_port == ndev) {
			id->base.port_num = port;
			break;
		}
	}
	rcu_read_lock();
	dev = ib_get_client_data(ibdev, &cma_client);
	if (dev && may_use(id, dev)) {
		spin_lock(&dev->lock);
		if (!dev->gone) {
			id->dev = dev;
			id->base.device = ibdev;
			list_add_tail(&id->dev_entry, &dev->ids);
			/*
			 * Read the link address after the id was added to the list, so that a
			 * later change of the address finds the id.
			 */
			cma_addr_set_link(id, ndev);
			ret = 0;
		}
		spin_unlock(&dev->lock);
	}
	rcu_read_unlock();
	if (ret)
		return ret;
	ret = cma_track(id);
	if (ret)
		cma_device_del_id(id);
	return ret;
}

void cma_device_del_id(struct cma_id *id)
{
	struct cma_device *dev = id->dev;

	if (!dev)
		return;
	id->base.device = NULL;
	id->base.port_num = 0;
	id->dev = NULL;
	spin_lock(&dev->lock);
	list_del_init(&id->dev_entry);
	wake_up_all(&dev->idle);
	spin_unlock(&dev->lock);
}

int cma_device_open(struct cma_device *dev)
{
	int ret = 0;

	spin_lock(&dev->lock);
	if (dev->gone)
		ret = -ENODEV;
	else
		dev->open++;
	spin_unlock(&dev->lock);
	return ret;
}

void cma_device_close(struct cma_device *dev)
{
	spin_lock(&dev->lock);
	dev->open--;
	wake_up_all(&dev->idle);
	spin_unlock(&dev->lock);
}

int cma_device_find(struct cma_id *id, int way_out)
{
	struct net_device *ndev;
	struct ib_device *ibdev;
	int ret = -ENODEV;

	might_sleep();
	ndev = krdma_addr_netdev(id->net, cma_src(id), id->scope);
	if (!ndev)
		return -EADDRNOTAVAIL;
	ibdev = ib_device_get_by_netdev(ndev, RDMA_DRIVER_UNKNOWN);
	if (!ibdev && way_out) {
		dev_put(ndev);
		ndev = dev_get_by_index(id->net, way_out);
		if (ndev)
			ibdev = ib_device_get_by_netdev(ndev, RDMA_DRIVER_UNKNOWN);
	}
	if (ibdev) {
		if (rdma_dev_access_netns(ibdev, id->net))
			ret = cma_device_add_id(id, ibdev, ndev);
		ib_device_put(ibdev);
	}
	dev_put(ndev);
	return ret;
}

/*
 * Returns whether the interface has the address. Looks in the namespace of the interface, which may
 * differ from the caller's. RCU keeps that namespace from being freed.
 */
static bool has_addr(struct net_device *ndev, const struct sockaddr_storage *addr)
{
	bool has;

	rcu_read_lock();
	has = krdma_netdev_has_addr(ndev, addr);
	rcu_read_unlock();
	return has;
}

struct net_device *cma_device_netdev(struct ib_device *ibdev, struct net *net,
				     const struct sockaddr_storage *addr)
{
	struct net_device *ndev, *first = NULL;
	bool others = false;
	u32 port;

	rdma_for_each_port(ibdev, port) {
		ndev = ib_device_get_netdev(ibdev, port);
		if (!ndev)
			continue;
		if (!net_eq(dev_net(ndev), net)) {
			others = true;
			dev_put(ndev);
			continue;
		}
		if (has_addr(ndev, addr)) {
			dev_put(first);
			return ndev;
		}
		if (first)
			dev_put(ndev);
		else
			first = ndev;
	}
	if (!others)
		return first;
	/*
	 * If no interface in @net has @addr, the interface of another port may have it, in another
	 * namespace. Do not look there, because the owner of that namespace may have set any
	 * address.
	 */
	ndev = krdma_addr_netdev(net, addr, 0);
	dev_put(ndev);
	if (ndev)
		return first;
	dev_put(first);
	return NULL;
}

void cma_device_walk(struct net_device *ndev,
		     void (*fn)(struct cma_id *id, const struct net_device *ndev))
{
	struct ib_device *ibdev = ib_device_get_by_netdev(ndev, RDMA_DRIVER_UNKNOWN);
	struct cma_device *dev;
	struct cma_id *id;

	if (!ibdev)
		return;
	rcu_read_lock();
	dev = ib_get_client_data(ibdev, &cma_client);
	if (dev) {
		spin_lock(&dev->lock);
		list_for_each_entry(id, &dev->ids, dev_entry)
			if (id->base.route.addr.dev_addr.bound_dev_if == ndev->ifindex &&
			    net_eq(id->net, dev_net(ndev)))
				fn(id, ndev);
		spin_unlock(&dev->lock);
	}
	rcu_read_unlock();
	ib_device_put(ibdev);
}

/*
 * Returns whether a wildcard of @net may listen on @ibdev, a shared device that is in another
 * namespace. A listener listens on all ports of a device, so the interfaces of all ports have to be
 * in @net. Otherwise the wildcard would also occupy the port number in another namespace.
 */
static bool all_ports_in(struct ib_device *ibdev, const struct net *net)
{
	struct net_device *ndev;
	bool all = true, any = false;
	u32 port;

	rdma_for_each_port(ibdev, port) {
		ndev = ib_device_get_netdev(ibdev, port);
		if (!ndev)
			continue;
		any = true;
		all &= net_eq(dev_net(ndev), net);
		dev_put(ndev);
	}
	return any && all;
}

bool cma_device_matches(const struct cma_device *dev, struct cma_id *id)
{
	struct net_device *ndev;
	bool found = false;
	u32 port;

	if (!may_use(id, dev) || !rdma_dev_access_netns(dev->ibdev, id->net))
		return false;
	/*
	 * A wildcard matches each device of its namespace, even one without an interface, because
	 * an interface may be added later.
	 */
	if (krdma_addr_is_any(cma_src(id)))
		return net_eq(rdma_dev_net(dev->ibdev), id->net) ||
		       all_ports_in(dev->ibdev, id->net);
	/* An address that is no wildcard matches if an interface of the device has it. */
	rdma_for_each_port(dev->ibdev, port) {
		ndev = ib_device_get_netdev(dev->ibdev, port);
		if (ndev)
			found |= net_eq(dev_net(ndev), id->net) && has_addr(ndev, cma_src(id));
		dev_put(ndev);
	}
	return found;
}
