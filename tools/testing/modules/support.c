// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_support.ko has the report writer and the fake provider, which the modules with in-kernel tests
 * need.
 */
#include <linux/module.h>
#include <rdma/krdma.h>

#include "rows.h"
#include "support.h"

KRDMA_NEEDS_IB_CORE;

static int __init support_init(void)
{
	ktap_init();
	return 0;
}
module_init(support_init);

static void __exit support_exit(void)
{
	ktap_exit();
	kt_rows_exit();
}
module_exit(support_exit);

MODULE_DESCRIPTION("krdma in-kernel tests: report writer and fake provider");
MODULE_LICENSE("Dual BSD/GPL");
