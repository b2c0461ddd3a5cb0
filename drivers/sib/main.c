// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The module: load and unload. */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <rdma/ib_verbs.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>

#include "drivers/sib/config.h"
#include "drivers/sib/debugfs.h"
#include "drivers/sib/device.h"
#include "drivers/sib/net.h"

static int __init sib_init(void)
{
	int err;

	sib_debugfs_init();
	err = sib_net_init();
	if (err)
		goto exit_debugfs;
	err = sib_config_init();
	if (err)
		goto exit_net;
	rdma_link_register(&sib_link_ops);
	return 0;

exit_net:
	sib_net_exit();
exit_debugfs:
	sib_debugfs_exit();
	return err;
}

static void __exit sib_exit(void)
{
	/* No fabric is left in configfs, because each keeps the module loaded. */
	sib_config_exit();
	rdma_link_unregister(&sib_link_ops);
	krdma_unregister_devices_of(THIS_MODULE);
	sib_net_exit();
	sib_debugfs_exit();
	/* Wait for the functions that free nodes. */
	rcu_barrier();
}

module_init(sib_init);
module_exit(sib_exit);

KRDMA_NEEDS_IB_CORE;
MODULE_DESCRIPTION("Soft InfiniBand: a fabric inside one kernel");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
MODULE_ALIAS_RDMA_LINK("sib");
MODULE_SOFTDEP("post: ib_mad ib_umad");
