/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Network interfaces whose packets an RDMA device transfers by itself, as IP over InfiniBand and
 * Omni-Path's Ethernet do on such devices.
 */
#ifndef _RDMA_VERBS_NETDEV_H_
#define _RDMA_VERBS_NETDEV_H_

#include <linux/netdevice.h>
#include <rdma/verbs/types.h>

struct ib_ah;
struct sk_buff;

/**
 * enum rdma_netdev_t - kinds of network interfaces that a device may offer
 * @RDMA_NETDEV_OPA_VNIC: Ethernet over Omni-Path
 * @RDMA_NETDEV_IPOIB: IP over InfiniBand
 */
enum rdma_netdev_t {
	RDMA_NETDEV_OPA_VNIC,
	RDMA_NETDEV_IPOIB,
};

/**
 * struct rdma_netdev - begin of the private data of a network interface of an RDMA device
 * @clnt_priv: the ULP's own
 * @hca: device
 * @port_num: port of @hca
 * @mtu: largest MTU in bytes that the interface may have
 * @free_rdma_netdev: undoes what initialising the interface has done; called before the interface
 *	is freed
 * @set_id: tells the provider a number by which the ULP distinguishes interfaces
 * @send: sends a packet to the address @address, QP @dqpn; consumes @skb. Returns 0 or a negative
 *	errno
 * @attach_mcast: attaches the interface to a multicast group, and uses @qkey if @set_qkey is not 0
 * @detach_mcast: detaches the interface from a multicast group
 * @tx_timeout: the network stack has waited too long for a queue to send
 *
 * The provider enters the functions when it initialises the interface; the ULP enters @clnt_priv,
 * @hca and @port_num.
 */
struct rdma_netdev {
	void *clnt_priv;
	struct ib_device *hca;
	u32 port_num;
	int mtu;
	void (*free_rdma_netdev)(struct net_device *netdev);
	void (*set_id)(struct net_device *netdev, int id);
	int (*send)(struct net_device *dev, struct sk_buff *skb, struct ib_ah *address, u32 dqpn);
	int (*attach_mcast)(struct net_device *dev, struct ib_device *hca, union ib_gid *gid,
			    u16 mlid, int set_qkey, u32 qkey);
	int (*detach_mcast)(struct net_device *dev, struct ib_device *hca, union ib_gid *gid,
			    u16 mlid);
	void (*tx_timeout)(struct net_device *dev, unsigned int txqueue);
};

/**
 * struct rdma_netdev_alloc_params - what a provider wants a network interface to have
 * @sizeof_priv: size in bytes of the private data, &struct rdma_netdev included
 * @txqs: number of queues to send
 * @rxqs: number of queues to receive
 * @param: given to @initialize_rdma_netdev
 * @initialize_rdma_netdev: initialises the private data of an interface that is not registered
 *	yet. Returns 0 or a negative errno
 */
struct rdma_netdev_alloc_params {
	size_t sizeof_priv;
	unsigned int txqs;
	unsigned int rxqs;
	void *param;
	int (*initialize_rdma_netdev)(struct ib_device *device, u32 port_num,
				      struct net_device *netdev, void *param);
};

/**
 * rdma_alloc_netdev - allocate a network interface of an RDMA device
 * @device: the device
 * @port_num: its port
 * @type: kind of the interface
 * @name: name of the interface, or pattern of the name
 * @name_assign_type: where the name comes from, NET_NAME_*
 * @setup: initialises the interface for the network stack
 *
 * Process context, may sleep. The caller initialises the interface by rdma_init_netdev(), registers
 * it, and frees it by free_netdev().
 *
 * Return: the interface; ERR_PTR(-EOPNOTSUPP) if the provider has no such interfaces;
 * ERR_PTR(-EINVAL) if there is no such port; ERR_PTR(-ENOMEM); or the provider's error.
 */
struct net_device *rdma_alloc_netdev(struct ib_device *device, u32 port_num,
				     enum rdma_netdev_t type, const char *name,
				     unsigned char name_assign_type,
				     void (*setup)(struct net_device *));

/**
 * rdma_init_netdev - have the provider initialise a network interface
 * @device: as for rdma_alloc_netdev()
 * @port_num: as for rdma_alloc_netdev()
 * @type: as for rdma_alloc_netdev()
 * @name: not used
 * @name_assign_type: not used
 * @setup: not used
 * @netdev: the interface, with as much private data as the provider asks for; not registered
 *
 * Process context, may sleep. Before the interface is freed, the caller calls
 * &rdma_netdev.free_rdma_netdev if the provider has set it.
 *
 * Return: 0; -EOPNOTSUPP and -EINVAL as rdma_alloc_netdev(); or the provider's error.
 */
int rdma_init_netdev(struct ib_device *device, u32 port_num, enum rdma_netdev_t type,
		     const char *name, unsigned char name_assign_type,
		     void (*setup)(struct net_device *), struct net_device *netdev);

#endif /* _RDMA_VERBS_NETDEV_H_ */
