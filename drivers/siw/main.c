// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The module: load and unload, `rdma link add ... type siw`, and the events of netdevs.
 */
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_verbs.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>

#include "drivers/siw/base/port.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/conn/cep.h"
#include "drivers/siw/conn/listen.h"
#include "drivers/siw/device.h"
#include "drivers/siw/net.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/stream/stream.h"

/*
 * Called when the netdev is destroyed or leaves its network namespace. All connections of the
 * device end. If the netdev only moves, and namespaces do not share devices, the device stays
 * registered: the administrator can move the device to the netdev's new namespace, or move the
 * netdev back. Otherwise the device is unregistered.
 */
static void netdev_removed(struct siw_device *dev)
{
	if (dev->netdev->reg_state == NETREG_REGISTERED && !rdma_netns_is_shared()) {
		siw_cm_device_reset(dev, false);
		return;
	}
	siw_port_event(dev, IB_EVENT_DEVICE_FATAL);
	siw_cm_device_reset(dev, true);
	ib_unregister_device_queued(&dev->soft.base);
}

static int netdev_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct net_device *netdev = netdev_notifier_info_to_dev(info);
	struct ib_device *base = ib_device_get_by_netdev(netdev, RDMA_DRIVER_SIW);
	struct siw_device *dev;
	bool up;

	if (!base)
		return NOTIFY_DONE;
	dev = to_siw_dev(base);
	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
		ASSERT_RTNL();
		up = siw_link_is_up(dev);
		if (up != dev->link_up) {
			dev->link_up = up;
			siw_port_event(dev, up ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR);
		}
		break;
	case NETDEV_CHANGEADDR:
		siw_port_event(dev, IB_EVENT_GID_CHANGE);
		break;
	case NETDEV_CHANGENAME:
		strscpy(base->iw_ifname, netdev_name(netdev), sizeof(base->iw_ifname));
		break;
	case NETDEV_CHANGEUPPER:
		siw_listeners_follow_vrf(dev);
		break;
	case NETDEV_UNREGISTER:
		netdev_removed(dev);
		break;
	}
	ib_device_put(base);
	return NOTIFY_DONE;
}

static struct notifier_block netdev_notifier = {
	.notifier_call = netdev_event,
};

static int __init siw_init(void)
{
	int err;

	err = siw_streams_init();
	if (err)
		return err;
	err = siw_flush_init();
	if (err)
		goto exit_streams;
	err = siw_cm_init();
	if (err)
		goto exit_flush;
	err = siw_net_init();
	if (err)
		goto exit_cm;
	err = register_netdevice_notifier(&netdev_notifier);
	if (err)
		goto exit_net;
	rdma_link_register(&siw_link_ops);
	return 0;

exit_net:
	siw_net_exit();
exit_cm:
	siw_cm_exit();
exit_flush:
	siw_flush_exit();
exit_streams:
	siw_streams_exit();
	return err;
}

static void __exit siw_exit(void)
{
	rdma_link_unregister(&siw_link_ops);
	ib_unregister_driver(RDMA_DRIVER_SIW);
	unregister_netdevice_notifier(&netdev_notifier);
	siw_net_exit();
	siw_cm_exit();
	siw_flush_exit();
	siw_streams_exit();
}

module_init(siw_init);
module_exit(siw_exit);

KRDMA_NEEDS_IB_CORE;
MODULE_DESCRIPTION("Soft-iWARP: RDMA over the kernel's TCP");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
MODULE_ALIAS_RDMA_LINK("siw");
