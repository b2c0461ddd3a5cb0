// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * rdma_cm.ko: start and end of the connection manager.
 */
#include <linux/module.h>
#include <rdma/iw_cm.h>
#include <rdma/krdma.h>

#include "cma/client.h"
#include "cma/cma.h"
#include "cma/netdev.h"
#include "cma/port.h"

KRDMA_NEEDS_IB_CORE;

/*
 * Runs the work items that call handlers. Handlers may sleep. Up to WQ_MAX_ACTIVE work items run at
 * a time, so that a handler does not wait for the others to return.
 */
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
	ret = ib_register_client(&cma_client);
	if (ret)
		goto exit_ports;
	ret = cma_netdev_init();
	if (ret)
		goto unregister_client;
	return 0;

unregister_client:
	ib_unregister_client(&cma_client);
exit_ports:
	cma_ports_exit();
free_wq:
	destroy_workqueue(cma_wq);
	return ret;
}
module_init(cma_init);

/*
 * Unloads the module: no identifier is left, because consumers are modules that depend on this one.
 */
static void __exit cma_exit(void)
{
	cma_netdev_exit();
	ib_unregister_client(&cma_client);
	/*
	 * Wait for handlers that have destroyed their own identifier, and are still returning
	 * through iw.c.
	 */
	iw_cm_flush();
	destroy_workqueue(cma_wq);
	cma_ports_exit();
}
module_exit(cma_exit);

MODULE_DESCRIPTION("RDMA connection manager");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
