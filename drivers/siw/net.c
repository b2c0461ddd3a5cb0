// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Creation and destruction of network namespaces.
 *
 * Kernel sockets hold no reference to their network namespace, so that a namespace can be deleted
 * while it has RDMA connections. The namespace's netdevs leave first, which resets all connections
 * of their devices (siw_cm_device_down()). Then pernet_exit() waits until the last socket of these
 * connections is released.
 */
#include <net/net_namespace.h>

#include "drivers/siw/net.h"
#include "drivers/siw/listen.h"
#include "drivers/siw/sock.h"

static int pernet_init(struct net *net)
{
	struct siw_net *sn = siw_net(net);

	INIT_LIST_HEAD(&sn->lsocks);
	spin_lock_init(&sn->lock);
	init_waitqueue_head(&sn->idle);
	return 0;
}

static bool net_is_idle(struct siw_net *sn)
{
	bool idle;

	spin_lock(&sn->lock);
	idle = !sn->num_ceps;
	spin_unlock(&sn->lock);
	return idle;
}

static void pernet_exit(struct net *net)
{
	struct siw_net *sn = siw_net(net);

	siw_lsocks_exit_net(sn);
	wait_event(sn->idle, net_is_idle(sn));
}

static struct pernet_operations net_ops = {
	.init = pernet_init,
	.exit = pernet_exit,
	.id = &siw_net_id,
	.size = sizeof(struct siw_net),
};

int siw_net_init(void)
{
	return register_pernet_subsys(&net_ops);
}

void siw_net_exit(void)
{
	unregister_pernet_subsys(&net_ops);
}
