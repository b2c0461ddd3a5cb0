// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * iw_portmap.ko, the kernel part of the port mapper: module init and exit.
 */
#include <linux/module.h>
#include <rdma/krdma.h>
#include <rdma/rdma_netlink.h>

#include "iwpm/daemon.h"
#include "iwpm/nl_callbacks.h"
#include "iwpm/pernet.h"

KRDMA_NEEDS_IB_CORE;

static int __init iwpm_module_init(void)
{
	int ret;

	ret = iwpm_pernet_init();
	if (ret)
		return ret;
	ret = iwpm_daemon_init();
	if (ret) {
		iwpm_pernet_exit();
		return ret;
	}
	rdma_nl_register(RDMA_NL_IWCM, iwpm_nl_cbs);
	return 0;
}
module_init(iwpm_module_init);

/*
 * Stops the reception of messages, then the notifications of closed sockets, then frees the states.
 * No mapping is left, because the modules that use mappings depend on this module.
 */
static void __exit iwpm_module_exit(void)
{
	rdma_nl_unregister(RDMA_NL_IWCM);
	iwpm_daemon_exit();
	iwpm_pernet_exit();
}
module_exit(iwpm_module_exit);

MODULE_ALIAS_RDMA_NETLINK(RDMA_NL_IWCM, 2);
MODULE_DESCRIPTION("iWARP port mapper: client of the daemon iwpmd");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
