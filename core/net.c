// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The mode of network namespaces: all namespaces share the devices, or each device belongs to one
 * namespace.
 */
#include "core/net.h"

#include <linux/capability.h>
#include <linux/moduleparam.h>
#include <net/net_namespace.h>

#include "core/registry.h"

/*
 * The mode: true if all network namespaces share the devices. Changed under ib_core_registry_lock,
 * and only while no namespace but the initial one exists. As long as another namespace exists, the
 * mode is therefore constant. Readers take no lock.
 */
static bool shared = true;
module_param_named(netns_mode, shared, bool, 0444);
MODULE_PARM_DESC(netns_mode, "Devices are shared by all network namespaces (default: yes)");

/* Number of namespaces other than the initial one. Protected by ib_core_registry_lock. */
static unsigned int num_others;

bool rdma_netns_is_shared(void)
{
	return READ_ONCE(shared);
}
EXPORT_SYMBOL(rdma_netns_is_shared);

bool rdma_dev_access_netns(const struct ib_device *device, const struct net *net)
{
	return rdma_netns_is_shared() || net_eq(rdma_dev_net(device), net);
}
EXPORT_SYMBOL(rdma_dev_access_netns);

bool rdma_dev_may_admin(const struct ib_device *device)
{
	bool may;

	if (rdma_netns_is_shared())
		return capable(CAP_NET_ADMIN);
	/*
	 * The lock keeps the device in its namespace, and the namespace exists while it has
	 * devices.
	 */
	mutex_lock(&ib_core_registry_lock);
	may = ns_capable(rdma_dev_net(device)->user_ns, CAP_NET_ADMIN);
	mutex_unlock(&ib_core_registry_lock);
	return may;
}
EXPORT_SYMBOL(rdma_dev_may_admin);

int ib_core_netns_set_shared(bool wanted)
{
	int ret = 0;

	mutex_lock(&ib_core_registry_lock);
	if (wanted != shared && num_others)
		ret = -EBUSY;
	else
		WRITE_ONCE(shared, wanted);
	mutex_unlock(&ib_core_registry_lock);
	return ret;
}

void ib_core_netns_begin(const struct net *net)
{
	mutex_lock(&ib_core_registry_lock);
	if (!net_eq(net, &init_net))
		num_others++;
	mutex_unlock(&ib_core_registry_lock);
}

void ib_core_netns_end(const struct net *net)
{
	mutex_lock(&ib_core_registry_lock);
	if (!net_eq(net, &init_net))
		num_others--;
	mutex_unlock(&ib_core_registry_lock);
}
