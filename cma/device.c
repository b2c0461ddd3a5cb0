// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Devices that have connections: which identifiers have them, and which device an identifier gets.
 */
#include "cma/cma.h"

static int link_id(struct cma_device *dev, struct cma_id *id, const struct net_device *ndev)
{
	int ret = 0;

	if (!dev->transport->serves(id->base.ps))
		return -ENODEV;
	spin_lock(&dev->lock);
	if (dev->gone) {
		ret = -ENODEV;
	} else {
		id->dev = dev;
		id->base.device = dev->ibdev;
		list_add_tail(&id->dev_entry, &dev->ids);
		/* A change after this finds it in the list. */
		cma_addr_set_link(id, ndev);
	}
	spin_unlock(&dev->lock);
	return ret;
}

/* The device's port on that interface; without one it is the first. */
static u32 port_on(struct ib_device *ibdev, const struct net_device *ndev)
{
	struct net_device *of_port;
	u32 port;

	rdma_for_each_port(ibdev, port) {
		of_port = ib_device_netdev(ibdev, port);
		dev_put(of_port);
		if (of_port && of_port == ndev)
			return port;
	}
	return rdma_start_port(ibdev);
}

static void set_link(struct cma_id *id, const struct ib_device *ibdev,
		     const struct net_device *ndev)
{
	struct rdma_dev_addr *addr = &id->base.route.addr.dev_addr;

	addr->dev_type = ndev->type;
	addr->bound_dev_if = ndev->ifindex;
	addr->transport = rdma_node_get_transport(ibdev->node_type);
	addr->network = cma_src(id)->ss_family == AF_INET ? RDMA_NETWORK_IPV4 : RDMA_NETWORK_IPV6;
	memcpy(addr->broadcast, ndev->broadcast, sizeof(addr->broadcast));
}

/*
 * From now on the identifier has the device, which waits for its end when it goes; -ENODEV: it
 * does not serve the port space, or goes already.
 * @ndev: interface that has the identifier's source address
 */
int cma_device_enter(struct cma_id *id, struct ib_device *ibdev, struct net_device *ndev)
{
	struct cma_device *dev;
	int ret = -ENODEV;

	set_link(id, ibdev, ndev);
	id->base.port_num = port_on(ibdev, ndev);
	rcu_read_lock();
	dev = ib_get_client_data(ibdev, &cma_client);
	if (dev)
		ret = link_id(dev, id, ndev);
	rcu_read_unlock();
	if (ret)
		return ret;
	ret = cma_track(id);
	if (ret)
		cma_device_leave(id);
	return ret;
}

/* The device may be gone on return. */
void cma_device_leave(struct cma_id *id)
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

int cma_device_find(struct cma_id *id)
{
	struct net_device *ndev = cma_addr_netdev(id->net, cma_src(id), id->scope);
	struct ib_device *ibdev;
	int ret = -ENODEV;

	if (!ndev)
		return -EADDRNOTAVAIL;
	ibdev = ib_device_get_by_netdev(ndev, RDMA_DRIVER_UNKNOWN);
	if (ibdev) {
		if (rdma_dev_access_netns(ibdev, id->net))
			ret = cma_device_enter(id, ibdev, ndev);
		ib_device_put(ibdev);
	}
	dev_put(ndev);
	return ret;
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
			fn(id, ndev);
		spin_unlock(&dev->lock);
	}
	rcu_read_unlock();
	ib_device_put(ibdev);
}

/* Of a wildcard: any in its namespace, if namespaces share devices. Else that with the address. */
static bool is_for(const struct net_device *ndev, struct cma_id *id)
{
	struct net_device *with_addr;

	if (krdma_addr_is_any(cma_src(id)))
		return net_eq(dev_net(ndev), id->net);
	with_addr = cma_addr_netdev(id->net, cma_src(id), id->scope);
	dev_put(with_addr);
	return ndev == with_addr;
}

bool cma_device_suits(const struct cma_device *dev, struct cma_id *id)
{
	struct net_device *ndev;
	bool found = false;
	u32 port;

	if (!dev->transport->serves(id->base.ps) || !rdma_dev_access_netns(dev->ibdev, id->net))
		return false;
	/* Its interface may come later, and go and come back. */
	if (krdma_addr_is_any(cma_src(id)) && net_eq(rdma_dev_net(dev->ibdev), id->net))
		return true;
	rdma_for_each_port(dev->ibdev, port) {
		ndev = ib_device_netdev(dev->ibdev, port);
		found |= ndev && is_for(ndev, id);
		dev_put(ndev);
	}
	return found;
}
