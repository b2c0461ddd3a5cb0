// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of network interfaces of RDMA devices. The provider of these tests transfers packets from
 * an interface to itself.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/skbuff.h>

#include "kt_verbs.h"

/* The private data of an interface, the ULP's and the provider's. */
struct loop_netdev {
	struct rdma_netdev rn;
	struct sk_buff *received;
	u32 dqpn;
	int id;
	u16 group;
	bool freed;
};

static struct loop_netdev *to_loop(struct net_device *netdev)
{
	return netdev_priv(netdev);
}

static void loop_set_id(struct net_device *netdev, int id)
{
	to_loop(netdev)->id = id;
}

static int loop_send(struct net_device *netdev, struct sk_buff *skb, struct ib_ah *address,
		     u32 dqpn)
{
	to_loop(netdev)->received = skb;
	to_loop(netdev)->dqpn = dqpn;
	return 0;
}

static int loop_attach(struct net_device *netdev, struct ib_device *hca, union ib_gid *gid,
		       u16 mlid, int set_qkey, u32 qkey)
{
	to_loop(netdev)->group = mlid;
	return 0;
}

static int loop_detach(struct net_device *netdev, struct ib_device *hca, union ib_gid *gid,
		       u16 mlid)
{
	if (to_loop(netdev)->group != mlid)
		return -EINVAL;
	to_loop(netdev)->group = 0;
	return 0;
}

static void loop_free(struct net_device *netdev)
{
	to_loop(netdev)->freed = true;
}

static int init_error;

static int loop_init(struct ib_device *device, u32 port, struct net_device *netdev, void *param)
{
	struct rdma_netdev *rn = netdev_priv(netdev);

	if (init_error)
		return init_error;
	rn->mtu = *(int *)param;
	rn->set_id = loop_set_id;
	rn->send = loop_send;
	rn->attach_mcast = loop_attach;
	rn->detach_mcast = loop_detach;
	rn->free_rdma_netdev = loop_free;
	return 0;
}

static int tx_queues = 3;

static int loop_get_params(struct ib_device *device, u32 port, enum rdma_netdev_t type,
			   struct rdma_netdev_alloc_params *params)
{
	static int mtu = 2044;

	if (type != RDMA_NETDEV_IPOIB)
		return -EOPNOTSUPP;
	params->sizeof_priv = sizeof(struct loop_netdev);
	params->txqs = tx_queues;
	params->rxqs = 2;
	params->param = &mtu;
	params->initialize_rdma_netdev = loop_init;
	return 0;
}

static const struct ib_device_ops loop_ops = { .rdma_netdev_get_params = loop_get_params };
static const struct fakedev_config loop_config = { .more_ops = &loop_ops };

/* A new interface, or an ERR_PTR(). */
static struct net_device *new_netdev(struct ib_device *dev, u32 port, enum rdma_netdev_t type)
{
	return rdma_alloc_netdev(dev, port, type, "kt%d", NET_NAME_UNKNOWN, ether_setup);
}

static int init_netdev(struct ib_device *dev, u32 port, enum rdma_netdev_t type,
		       struct net_device *netdev)
{
	return rdma_init_netdev(dev, port, type, "", NET_NAME_UNKNOWN, ether_setup, netdev);
}

static void test_netdev(struct ktap *t)
{
	union ib_gid gid = kt_gid_of("ff12::1");
	struct net_device *netdev;
	struct loop_netdev *loop;
	struct kt_env env;
	struct sk_buff *skb;

	if (!kt_start_with(t, &env, &loop_config))
		return;
	netdev = new_netdev(env.dev, 1, RDMA_NETDEV_IPOIB);
	if (!KT_EXPECT_ERR(t, netdev, 0))
		goto out;
	KT_EXPECT_EQ(t, netdev->num_tx_queues, 3);
	KT_EXPECT_EQ(t, netdev->num_rx_queues, 2);
	KT_EXPECT_EQ(t, netdev->type, ARPHRD_ETHER);
	KT_EXPECT_EQ(t, init_netdev(env.dev, 1, RDMA_NETDEV_IPOIB, netdev), 0);
	loop = to_loop(netdev);
	KT_EXPECT_EQ(t, loop->rn.mtu, 2044);
	loop->rn.set_id(netdev, 5);
	KT_EXPECT_EQ(t, loop->id, 5);
	skb = alloc_skb(64, GFP_KERNEL);
	if (KT_EXPECT(t, skb)) {
		KT_EXPECT_EQ(t, loop->rn.send(netdev, skb, NULL, 7), 0);
		KT_EXPECT(t, loop->received == skb && loop->dqpn == 7);
		kfree_skb(loop->received);
	}
	KT_EXPECT_EQ(t, loop->rn.attach_mcast(netdev, env.dev, &gid, 0xc001, 0, 0), 0);
	KT_EXPECT_EQ(t, loop->rn.detach_mcast(netdev, env.dev, &gid, 0xc002), -EINVAL);
	KT_EXPECT_EQ(t, loop->rn.detach_mcast(netdev, env.dev, &gid, 0xc001), 0);
	loop->rn.free_rdma_netdev(netdev);
	KT_EXPECT(t, loop->freed);
	free_netdev(netdev);
out:
	kt_end(t, &env);
}

static void refuse_netdev(struct ktap *t, struct ib_device *dev, u32 port, enum rdma_netdev_t type,
			  int error)
{
	KT_EXPECT_ERR(t, new_netdev(dev, port, type), error);
	KT_EXPECT_EQ(t, init_netdev(dev, port, type, NULL), error);
}

static void test_netdev_errors(struct ktap *t)
{
	struct net_device *netdev;
	struct kt_env env;

	if (!kt_start_with(t, &env, &loop_config))
		return;
	refuse_netdev(t, env.dev, 1, RDMA_NETDEV_OPA_VNIC, -EOPNOTSUPP);
	refuse_netdev(t, env.dev, 0, RDMA_NETDEV_IPOIB, -EINVAL);
	refuse_netdev(t, env.dev, 2, RDMA_NETDEV_IPOIB, -EINVAL);
	netdev = new_netdev(env.dev, 1, RDMA_NETDEV_IPOIB);
	if (KT_EXPECT_ERR(t, netdev, 0)) {
		init_error = -EIO;
		KT_EXPECT_EQ(t, init_netdev(env.dev, 1, RDMA_NETDEV_IPOIB, netdev), -EIO);
		init_error = 0;
		free_netdev(netdev);
	}
	/* The kernel makes no interface without a queue. */
	tx_queues = 0;
	KT_EXPECT_ERR(t, new_netdev(env.dev, 1, RDMA_NETDEV_IPOIB), -ENOMEM);
	tx_queues = 3;
	KT_WITHOUT(&env, rdma_netdev_get_params,
		   refuse_netdev(t, env.dev, 1, RDMA_NETDEV_IPOIB, -EOPNOTSUPP));
	kt_end(t, &env);
}

static const struct ktap_case netdev_cases[] = {
	{ "an interface has what the provider asks for, and the provider's functions", test_netdev,
	  COVERS(rdma_netdev net_device sk_buff) },
	{ "each error", test_netdev_errors },
};

KTAP_SUITE(kt_netdev_suite, "netdev", netdev_cases);
