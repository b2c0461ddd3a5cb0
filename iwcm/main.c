// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * iw_cm.ko, the iWARP connection manager: module init and exit.
 */
#include <linux/module.h>
#include <rdma/iw_portmap.h>
#include <rdma/krdma.h>

#include "iwcm/device.h"
#include "iwcm/event.h"
#include "iwcm/id.h"

KRDMA_NEEDS_IB_CORE;

static int __init iwcm_init(void)
{
	int ret;

	ret = iwcm_event_init();
	if (ret)
		return ret;
	ret = iwpm_init(RDMA_NL_IWCM);
	if (ret)
		goto out_event;
	ret = iwcm_device_init();
	if (ret)
		goto out_portmap;
	return 0;

out_portmap:
	iwpm_exit(RDMA_NL_IWCM);
out_event:
	iwcm_event_exit();
	return ret;
}
module_init(iwcm_init);

/*
 * Unloads the module: no client is left, but providers may still have identifiers and report
 * events.
 */
static void __exit iwcm_exit(void)
{
	iwcm_device_exit();
	iwcm_ids_wait();
	iwpm_exit(RDMA_NL_IWCM);
	iwcm_event_exit();
}
module_exit(iwcm_exit);

MODULE_DESCRIPTION("iWARP connection manager");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
