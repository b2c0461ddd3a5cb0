// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_support.ko has the report writer and the providers, which the modules with in-kernel tests
 * need.
 */
#include <linux/module.h>
#include <rdma/krdma.h>

#include "rows.h"
#include "support.h"

KRDMA_NEEDS_IB_CORE;

static int __init support_init(void)
{
	int ret = memdev_init();

	if (!ret)
		ktap_init();
	return ret;
}
module_init(support_init);

static void __exit support_exit(void)
{
	ktap_exit();
	memdev_exit();
	kt_rows_exit();
}
module_exit(support_exit);

MODULE_DESCRIPTION("krdma in-kernel tests: report writer and providers");
MODULE_LICENSE("Dual BSD/GPL");
