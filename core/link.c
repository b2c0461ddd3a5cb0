// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * RDMA link types. A driver registers a type by name, so that `rdma link add` can create a device
 * of that type on a netdev.
 */
#include "core/link.h"

#include <linux/kmod.h>
#include <linux/rwsem.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_netlink.h>

#include "core/quota.h"

/*
 * Protects link_types. Held for reading while a newlink() runs, so that rdma_link_unregister()
 * waits for newlink(). Taken before RTNL and all locks of devices.
 */
static DECLARE_RWSEM(link_types_rwsem);
static LIST_HEAD(link_types);

static struct rdma_link_ops *link_find_type(const char *type)
{
	struct rdma_link_ops *ops;

	lockdep_assert_held(&link_types_rwsem);
	list_for_each_entry(ops, &link_types, list)
		if (!strcmp(ops->type, type))
			return ops;
	return NULL;
}

void rdma_link_register(struct rdma_link_ops *ops)
{
	down_write(&link_types_rwsem);
	if (!WARN(link_find_type(ops->type), "RDMA link type %s is registered twice\n", ops->type))
		list_add_tail(&ops->list, &link_types);
	else
		INIT_LIST_HEAD(&ops->list);
	up_write(&link_types_rwsem);
}
EXPORT_SYMBOL(rdma_link_register);

void rdma_link_unregister(struct rdma_link_ops *ops)
{
	down_write(&link_types_rwsem);
	list_del_init(&ops->list);
	up_write(&link_types_rwsem);
}
EXPORT_SYMBOL(rdma_link_unregister);

/*
 * Calls newlink() of the device type @type, and sets *@err to the result. Returns false, without a
 * call, if the type is not registered.
 */
static bool link_try_new(const char *type, const char *name, struct net_device *ndev, int *err)
{
	struct rdma_link_ops *ops;

	down_read(&link_types_rwsem);
	ops = link_find_type(type);
	if (ops)
		*err = ops->newlink(name, ndev);
	up_read(&link_types_rwsem);
	return ops;
}

static bool name_is_taken(const char *name)
{
	struct ib_device *dev = ib_device_get_by_name(name, RDMA_DRIVER_UNKNOWN);

	if (!dev)
		return false;
	ib_device_put(dev);
	return true;
}

int ib_core_link_new(const char *type, const char *name, struct net_device *ndev,
		     struct user_namespace *owner, struct netlink_ext_ack *extack)
{
	struct ib_core_maker maker;
	bool found;
	int err;

	if (name_is_taken(name)) {
		NL_SET_ERR_MSG(extack, "An RDMA device of this name exists");
		return -EEXIST;
	}
	if (owner)
		ib_core_maker_begin(&maker, owner);
	found = link_try_new(type, name, ndev, &err);
	if (!found) {
		request_module("rdma-link-%s", type);
		found = link_try_new(type, name, ndev, &err);
	}
	if (owner)
		ib_core_maker_end(&maker);
	if (!found) {
		NL_SET_ERR_MSG(extack, "Unknown type of RDMA device");
		return -EINVAL;
	}
	/* newlink() has returned an errno without a message: report the likely reason. */
	switch (err) {
	case -EEXIST:
	case -ENFILE:
		if (name_is_taken(name))
			NL_SET_ERR_MSG(extack, "An RDMA device of this name exists");
		else
			NL_SET_ERR_MSG(extack, "The netdev has an RDMA device of this type");
		break;
	case -EINVAL:
	case -EOPNOTSUPP:
		NL_SET_ERR_MSG(extack, "This type of RDMA device cannot stand on this netdev");
		break;
	case -ENOSPC:
		NL_SET_ERR_MSG(extack, "This user namespace has all RDMA devices that it may have");
		break;
	case -EUSERS:
		NL_SET_ERR_MSG(extack, "The fabric of this network namespace has no free port");
		break;
	case -ENODEV:
		NL_SET_ERR_MSG(extack, "The netdev is being unregistered");
		break;
	}
	return err;
}
