// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The local address of an identifier, with the port and the device that go with it.
 */
#include "cma/bind.h"

#include <linux/export.h>

#include "cma/addr.h"
#include "cma/device.h"
#include "cma/id.h"
#include "cma/port.h"

int cma_bind(struct cma_id *id, const struct sockaddr_storage *addr, int scope)
{
	struct net_device *ndev;
	int ret;

	might_sleep();
	if (!cma_cmpxchg_state(id, RDMA_CM_IDLE, RDMA_CM_ADDR_BOUND))
		return -EINVAL;
	*cma_src(id) = *addr;
	id->scope = scope;
	if (scope) {
		ret = -ENODEV;
		ndev = dev_get_by_index(id->net, scope);
		if (!ndev)
			goto unbind;
		dev_put(ndev);
	}
	ret = cma_port_get(id);
	if (ret)
		goto unbind;
	if (krdma_addr_is_any(cma_src(id)))
		return 0;
	ret = cma_device_find(id);
	/*
	 * Programs bind to "localhost" to find out whether RDMA is supported. So binding to a
	 * loopback address succeeds even without a device.
	 */
	if (!ret || (ret == -ENODEV && cma_addr_is_loopback(cma_src(id))))
		return 0;
	cma_port_put(id);
unbind:
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
