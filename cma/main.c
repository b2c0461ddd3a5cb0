// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * rdma_cm.ko: start and end of the connection manager.
 */
#include <linux/module.h>
#include <rdma/iw_cm.h>
#include <rdma/krdma.h>

#include "cma/cma.h"

KRDMA_NEEDS_IB_CORE;

/* Handlers run here, which may sleep: as many at a time as there are identifiers that want to. */
struct workqueue_struct *cma_wq;

static int __init cma_init(void)
{
	int ret;

	cma_wq = alloc_workqueue("rdma_cm", WQ_UNBOUND | WQ_MEM_RECLAIM, WQ_MAX_ACTIVE);
	if (!cma_wq)
		return -ENOMEM;
	ret = cma_ports_init();
	if (ret)
		goto free_wq;
	ret = cma_resolve_init();
	if (ret)
		goto exit_ports;
	ret = cma_client_init();
	if (ret)
		goto exit_resolve;
	ret = cma_netdev_init();
	if (ret)
		goto exit_client;
	return 0;

exit_client:
	cma_client_exit();
exit_resolve:
	cma_resolve_exit();
exit_ports:
	cma_ports_exit();
free_wq:
	destroy_workqueue(cma_wq);
	return ret;
}
module_init(cma_init);

/* The owners of identifiers are modules that stand on this one: none is left. */
static void __exit cma_exit(void)
{
	cma_netdev_exit();
	cma_client_exit();
	cma_resolve_exit();
	/* What destroys its own identifier is still on its way out. */
	iw_cm_flush();
	destroy_workqueue(cma_wq);
	cma_ports_exit();
}
module_exit(cma_exit);

MODULE_DESCRIPTION("RDMA connection manager");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
