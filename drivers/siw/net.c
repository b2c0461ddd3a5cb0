// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * siw's part in the creation and destruction of network namespaces.
 *
 * Kernel sockets hold no reference to their network namespace, so a namespace can be deleted
 * while it has RDMA connections. The namespace's netdevs leave first, which resets all connections
 * of their devices (siw_cm_device_reset()). Then pernet_exit() waits until the last socket of these
 * connections is released.
 */
#include <net/net_namespace.h>

#include "drivers/siw/net.h"
#include "drivers/siw/base/sock.h"
#include "drivers/siw/conn/listen.h"

static int pernet_init(struct net *net)
{
	struct siw_net *sn = siw_net(net);

	siw_lsocks_init_net(sn);
	spin_lock_init(&sn->lock);
	init_waitqueue_head(&sn->idle);
	return 0;
}

static void pernet_exit(struct net *net)
{
	struct siw_net *sn = siw_net(net);

	siw_lsocks_exit_net(sn);
	spin_lock(&sn->lock);
	wait_event_cmd(sn->idle, !sn->num_ceps, spin_unlock(&sn->lock), spin_lock(&sn->lock));
	spin_unlock(&sn->lock);
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
