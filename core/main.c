// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ib_core.ko: initialisation and exit of the module.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>
#include <rdma/krdma.h>

#include "core/addr_resolve.h"
#include "core/device.h"
#include "core/neigh.h"
#include "core/netlink.h"
#include "core/nldev.h"
#include "verbs/ah_dmac.h"
#include "verbs/cq.h"

/*
 * All our other modules refer to this symbol. If one of them is loaded while the kernel has another
 * ib_core than ours, the kernel logs the symbol's name, which tells the user what to do; see
 * <rdma/krdma.h>.
 */
const char krdma_ib_core_is_required__rmmod_distro_ib_core;
EXPORT_SYMBOL(krdma_ib_core_is_required__rmmod_distro_ib_core);

static int __init ib_core_init(void)
{
	int ret;

	ret = ib_core_netlink_init();
	if (ret)
		return ret;
	ret = ib_core_device_init();
	if (ret)
		goto out_netlink;
	ret = ib_core_cq_init();
	if (ret)
		goto out_device;
	ret = verbs_ah_dmac_init();
	if (ret)
		goto out_cq;
	ret = ib_core_neigh_init();
	if (ret)
		goto out_dmac;
	ret = ib_core_addr_resolve_init();
	if (ret)
		goto out_neigh;
	ib_core_nldev_init();
	return 0;

out_neigh:
	ib_core_neigh_exit();
out_dmac:
	verbs_ah_dmac_exit();
out_cq:
	ib_core_cq_exit();
out_device:
	ib_core_device_exit();
out_netlink:
	ib_core_netlink_exit();
	return ret;
}

static void __exit ib_core_exit(void)
{
	ib_core_nldev_exit();
	ib_core_addr_resolve_exit();
	ib_core_neigh_exit();
	verbs_ah_dmac_exit();
	ib_core_cq_exit();
	ib_core_device_exit();
	ib_core_netlink_exit();
}

module_init(ib_core_init);
module_exit(ib_core_exit);

MODULE_DESCRIPTION("RDMA core: devices, verbs and netlink");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
