// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ib_mad.ko, management datagrams: module init and exit.
 */
#include <linux/module.h>
#include <rdma/krdma.h>

#include "mad/client.h"
#include "mad/port.h"
#include "mad/recvbuf.h"

KRDMA_NEEDS_IB_CORE;

static int __init mad_init(void)
{
	int ret;

	ret = mad_recv_init();
	if (ret)
		return ret;
	ret = mad_port_init();
	if (ret)
		goto err_recv;
	ret = mad_client_init();
	if (ret)
		goto err_port;
	return 0;

err_port:
	mad_port_exit();
err_recv:
	mad_recv_exit();
	return ret;
}
module_init(mad_init);

static void __exit mad_exit(void)
{
	mad_client_exit();
	mad_port_exit();
	mad_recv_exit();
}
module_exit(mad_exit);

MODULE_DESCRIPTION("InfiniBand management datagrams");
MODULE_LICENSE("Dual BSD/GPL");
MODULE_VERSION(KRDMA_VERSION);
