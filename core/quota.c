// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Limits the devices that owners of user namespaces make in their own network namespaces. By
 * default the owners may make none, because each device takes a name and a number that are unique
 * on the whole host.
 *
 * An outermost user namespace and all those inside it share one limit, so that nesting does not
 * raise the limit. All namespaces of an unprivileged user share one limit, too, because any user
 * can make many namespaces.
 */
#include "core/quota.h"

#include <linux/moduleparam.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>
#include <rdma/ib_verbs.h>

#include "core/registry.h"

static unsigned int devices_per_userns;
module_param(devices_per_userns, uint, 0644);
MODULE_PARM_DESC(devices_per_userns,
		 "Devices that the owner of a user namespace may add in exclusive mode (default: 0)");

/* Protects makers. Taken in process context; no other lock is taken inside. */
static DEFINE_SPINLOCK(makers_lock);
static LIST_HEAD(makers);

bool ib_core_quota_allows(void)
{
	return READ_ONCE(devices_per_userns);
}

void ib_core_maker_begin(struct ib_core_maker *maker, struct user_namespace *ns)
{
	while (ns->parent != &init_user_ns)
		ns = ns->parent;
	maker->ns = ns;
	maker->task = current;
	spin_lock(&makers_lock);
	list_add(&maker->list, &makers);
	spin_unlock(&makers_lock);
}

void ib_core_maker_end(struct ib_core_maker *maker)
{
	spin_lock(&makers_lock);
	list_del(&maker->list);
	spin_unlock(&makers_lock);
}

/* Returns the user namespace for whose owner the calling thread makes devices, or NULL. */
static struct user_namespace *maker_of_current(void)
{
	struct user_namespace *ns = NULL;
	struct ib_core_maker *maker;

	spin_lock(&makers_lock);
	list_for_each_entry(maker, &makers, list)
		if (maker->task == current)
			ns = maker->ns;
	spin_unlock(&makers_lock);
	return ns;
}

int ib_core_quota_charge(struct ib_device *dev)
{
	struct user_namespace *ns = maker_of_current(), *old;
	struct ib_device *other;
	unsigned int count = 0;
	unsigned long index;
	int ret = 0;

	mutex_lock(&ib_core_registry_lock);
	/* An earlier registration that failed may have left maker_ns set. */
	old = dev->maker_ns;
	dev->maker_ns = NULL;
	for (index = 0; ns && (other = ib_core_registry_next(&index)); index++)
		if (other->maker_ns == ns ||
		    (other->maker_ns && uid_eq(other->maker_ns->owner, ns->owner) &&
		     !uid_eq(ns->owner, GLOBAL_ROOT_UID)))
			count++;
	if (ns && count >= READ_ONCE(devices_per_userns))
		ret = -ENOSPC;
	else if (ns)
		dev->maker_ns = get_user_ns(ns);
	mutex_unlock(&ib_core_registry_lock);
	put_user_ns(old);
	return ret;
}

void ib_core_quota_release(struct ib_device *dev)
{
	put_user_ns(dev->maker_ns);
}
