// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The local address of an identifier, with the port and the device that go with it.
 */
#include <linux/export.h>

#include "cma/cma.h"

/* The interface of an address that says so by itself has to be there. */
static int check_scope(struct cma_id *id)
{
	struct net_device *ndev;

	if (!id->scope)
		return 0;
	ndev = dev_get_by_index(id->net, id->scope);
	dev_put(ndev);
	return ndev ? 0 : -ENODEV;
}

static int take_address(struct cma_id *id)
{
	int ret;

	ret = check_scope(id);
	if (ret)
		return ret;
	ret = cma_port_get(id);
	if (ret || krdma_addr_is_any(cma_src(id)))
		return ret;
	ret = cma_device_find(id);
	/* Programs bind to "localhost" to ask what there is, wherever devices stand. */
	if (ret == -ENODEV && cma_addr_is_loopback(cma_src(id)))
		return 0;
	if (ret)
		cma_port_put(id);
	return ret;
}

/* A new identifier gets the address; after an error it is new. */
int cma_bind(struct cma_id *id, const struct sockaddr_storage *addr, int scope)
{
	int ret;

	if (!cma_cmpxchg_state(id, RDMA_CM_IDLE, RDMA_CM_ADDR_BOUND))
		return -EINVAL;
	*cma_src(id) = *addr;
	id->scope = scope;
	ret = take_address(id);
	if (!ret)
		return 0;
	memset(cma_src(id), 0, sizeof(*cma_src(id)));
	id->scope = 0;
	cma_cmpxchg_state(id, RDMA_CM_ADDR_BOUND, RDMA_CM_IDLE);
	return ret;
}

int rdma_bind_addr(struct rdma_cm_id *base, struct sockaddr *addr)
{
	struct cma_id *id = to_cma_id(base);
	struct sockaddr_storage copy;
	int scope = 0;
	int ret;

	ret = cma_addr_copy(&copy, addr, &scope);
	if (ret)
		return ret;
	return cma_bind(id, &copy, scope);
}
EXPORT_SYMBOL(rdma_bind_addr);
