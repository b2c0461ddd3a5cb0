// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Network interfaces whose packets an RDMA device transfers by itself.
 */
#include <linux/export.h>
#include <rdma/ib_verbs.h>

/*
 * Asks the provider for the parameters of a network interface. Returns 0, or one of the errnos that
 * rdma_alloc_netdev() documents.
 */
static int get_netdev_params(struct ib_device *dev, u32 port, enum rdma_netdev_t type,
			     struct rdma_netdev_alloc_params *params)
{
	if (!dev->ops.rdma_netdev_get_params)
		return -EOPNOTSUPP;
	if (!rdma_is_port_valid(dev, port))
		return -EINVAL;
	return dev->ops.rdma_netdev_get_params(dev, port, type, params);
}

struct net_device *rdma_alloc_netdev(struct ib_device *device, u32 port_num,
				     enum rdma_netdev_t type, const char *name,
				     unsigned char name_assign_type,
				     void (*setup)(struct net_device *))
{
	struct rdma_netdev_alloc_params params = {};
	struct net_device *netdev;
	int ret;

	ret = get_netdev_params(device, port_num, type, &params);
	if (ret)
		return ERR_PTR(ret);
	netdev = alloc_netdev_mqs(params.sizeof_priv, name, name_assign_type, setup, params.txqs,
				  params.rxqs);
	return netdev ?: ERR_PTR(-ENOMEM);
}
EXPORT_SYMBOL(rdma_alloc_netdev);

int rdma_init_netdev(struct ib_device *device, u32 port_num, enum rdma_netdev_t type,
		     const char *name, unsigned char name_assign_type,
		     void (*setup)(struct net_device *), struct net_device *netdev)
{
	struct rdma_netdev_alloc_params params = {};
	int ret;

	ret = get_netdev_params(device, port_num, type, &params);
	return ret ?: params.initialize_rdma_netdev(device, port_num, netdev, params.param);
}
EXPORT_SYMBOL(rdma_init_netdev);
