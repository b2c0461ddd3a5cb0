// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The local address of an identifier, with the port and the device that go with it.
 */
#include "cma/bind.h"

#include <linux/export.h>
#include <linux/string.h>
#include <rdma/ib.h>

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
	ret = cma_device_find(id, 0);
	/*
	 * Some programs bind to "localhost" to test whether rdma_cm works. Let them succeed even if
	 * no device serves the loopback address.
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

/*
 * Turns the AF_IB wildcard into the IPv6 wildcard with the same port, which is in the last 16 bits
 * of the service ID. iWARP has no AF_IB addresses. The wildcard is accepted because ULPs that also
 * run on InfiniBand listen on it and on an IP wildcard, and fail if either is refused.
 */
static int from_any_gid(struct sockaddr_storage *to, const struct sockaddr_ib *from)
{
	u64 service = be64_to_cpu(from->sib_sid);

	if (memchr_inv(&from->sib_addr, 0, sizeof(from->sib_addr)))
		return -EADDRNOTAVAIL;
	if ((service & RDMA_IB_IP_PS_MASK) != RDMA_IB_IP_PS_IB)
		return -EINVAL;
	*to = (struct sockaddr_storage){ .ss_family = AF_INET6 };
	krdma_addr_set_port(to, cpu_to_be16(service));
	return 0;
}

int rdma_bind_addr(struct rdma_cm_id *base, struct sockaddr *addr)
{
	struct cma_id *id = to_cma_id(base);
	struct sockaddr_storage copy;
	int scope = 0;
	int ret;

	if (addr->sa_family == AF_IB && base->ps == RDMA_PS_IB)
		ret = from_any_gid(&copy, (struct sockaddr_ib *)addr);
	else
		ret = cma_addr_copy(&copy, addr, &scope);
	if (ret)
		return ret;
	return cma_bind(id, &copy, scope);
}
EXPORT_SYMBOL(rdma_bind_addr);
