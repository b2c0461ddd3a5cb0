// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The default fabrics of network namespaces. A device that was moved to another namespace stays in
 * its fabric, and goes with the namespace of the fabric.
 */
#include "drivers/sib/net.h"

#include <linux/err.h>
#include <linux/wait_bit.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "drivers/sib/debugfs.h"
#include "drivers/sib/fabric.h"
#include "drivers/sib/guid.h"
#include "drivers/sib/sib.h"
#include "drivers/sib/star.h"

/**
 * struct sib_net - what a network namespace has
 * @lock: protects @fabric and @devices; taken before all locks of the fabric
 * @fabric: the default fabric, or NULL
 * @devices: devices of the fabric
 * @users: number of devices, with those that leave
 */
struct sib_net {
	struct mutex lock; /* protects @fabric and @devices */
	struct sib_fabric *fabric;
	struct list_head devices;
	atomic_t users;
};

static unsigned int sib_net_id __read_mostly;

static struct sib_net *sib_net(const struct net *net)
{
	return net_generic(net, sib_net_id);
}

static void release(struct kref *ref)
{
	struct sib_fabric *fabric = container_of(ref, struct sib_fabric, ref);
	struct sib_net *sn = sib_net(fabric->net);

	lockdep_assert_held(&sn->lock);
	sn->fabric = NULL;
	sib_debugfs_remove(fabric);
	sib_star_free(fabric);
}

/* Returns the namespace's fabric with a reference; NULL if there is no memory. */
static struct sib_fabric *get_fabric(struct sib_net *sn, const struct net *net)
{
	char name[SIB_NAME_LEN];

	lockdep_assert_held(&sn->lock);
	if (sn->fabric) {
		kref_get(&sn->fabric->ref);
		return sn->fabric;
	}
	snprintf(name, sizeof(name), "ns-%u", net->ns.inum);
	sn->fabric = sib_star_create(name, sib_guid_of_net(net->ns.inum));
	if (!sn->fabric)
		return NULL;
	sn->fabric->net = net;
	sib_debugfs_add(sn->fabric);
	return sn->fabric;
}

int sib_net_join(struct net *net, struct sib_device *dev, const char *name)
{
	struct sib_net *sn = sib_net(net);
	struct sib_fabric *fabric;
	struct sib_node *node;
	int ret = 0;

	mutex_lock(&sn->lock);
	fabric = get_fabric(sn, net);
	if (!fabric) {
		ret = -ENOMEM;
		goto unlock;
	}
	node = sib_star_add_ca(fabric, name, dev);
	if (IS_ERR(node)) {
		kref_put(&fabric->ref, release);
		ret = PTR_ERR(node);
		goto unlock;
	}
	dev->fabric = fabric;
	dev->node = node;
	list_add_tail(&dev->entry, &sn->devices);
	atomic_inc(&sn->users);
unlock:
	mutex_unlock(&sn->lock);
	return ret;
}

void sib_net_leave(struct sib_device *dev)
{
	struct sib_net *sn = sib_net(dev->fabric->net);

	sib_fabric_detach(dev->node);
	mutex_lock(&sn->lock);
	sib_fabric_remove(dev->node);
	kref_put(&dev->fabric->ref, release);
	list_del(&dev->entry);
	mutex_unlock(&sn->lock);
	/* The namespace may be gone after that. wake_up_var() uses the address only. */
	if (atomic_dec_and_test(&sn->users))
		wake_up_var(&sn->users);
}

static int pernet_init(struct net *net)
{
	struct sib_net *sn = sib_net(net);

	mutex_init(&sn->lock);
	INIT_LIST_HEAD(&sn->devices);
	return 0;
}

/* Returns a device of the fabric, with a reference to its memory, or NULL. */
static struct ib_device *first_device(struct sib_net *sn)
{
	struct sib_device *dev;

	mutex_lock(&sn->lock);
	dev = list_first_entry_or_null(&sn->devices, struct sib_device, entry);
	if (dev)
		get_device(&dev->soft.base.dev);
	mutex_unlock(&sn->lock);
	return dev ? &dev->soft.base : NULL;
}

/*
 * Called when the namespace ends, or the module is unloaded; no device is made any more. Devices go
 * before ib_core moves those that are left to the initial namespace.
 */
static void pernet_pre_exit(struct net *net)
{
	struct sib_net *sn = sib_net(net);
	struct ib_device *dev;

	/* Waits for those that unregister a device at the same time. */
	while ((dev = first_device(sn))) {
		ib_unregister_device(dev);
		put_device(&dev->dev);
	}
}

static void pernet_exit(struct net *net)
{
	struct sib_net *sn = sib_net(net);

	wait_var_event(&sn->users, !atomic_read(&sn->users));
	mutex_destroy(&sn->lock);
}

static struct pernet_operations net_ops = {
	.init = pernet_init,
	.pre_exit = pernet_pre_exit,
	.exit = pernet_exit,
	.id = &sib_net_id,
	.size = sizeof(struct sib_net),
};

int sib_net_init(void)
{
	return register_pernet_subsys(&net_ops);
}

void sib_net_exit(void)
{
	unregister_pernet_subsys(&net_ops);
}
