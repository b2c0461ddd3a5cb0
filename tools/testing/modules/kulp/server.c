// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The common part of the test ULP's servers.
 */
#include "tools/testing/modules/kulp/kulp.h"

int kulp_server_init(struct kulp_server *server, const struct kulp_site *site,
		     const struct kulp_args *args)
{
	server->site = *site;
	server->args = *args;
	mutex_init(&server->lock);
	INIT_LIST_HEAD(&server->conns);
	server->wq = alloc_workqueue("kulp_server", WQ_UNBOUND, WQ_UNBOUND_MAX_ACTIVE);
	return server->wq ? 0 : -ENOMEM;
}
