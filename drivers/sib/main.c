// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The module: load and unload. */
#include <linux/module.h>
#include <rdma/ib_verbs.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>

#include "drivers/sib/device.h"
#include "drivers/sib/net.h"

static int __init sib_init(void)
{
	int err = sib_net_init();

	if (!err)
		rdma_link_register(&sib_link_ops);
	return err;
}

static void __exit sib_exit(void)
{
	rdma_link_unregister(&sib_link_ops);
	krdma_unregister_devices_of(THIS_MODULE);
	sib_net_exit();
}

module_init(sib_init);
module_exit(sib_exit);

KRDMA_NEEDS_IB_CORE;
MODULE_DESCRIPTION("Soft InfiniBand: a fabric inside one kernel");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
MODULE_ALIAS_RDMA_LINK("sib");
MODULE_SOFTDEP("post: ib_mad ib_umad");
