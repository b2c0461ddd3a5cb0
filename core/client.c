// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Clients: who hears of devices that come and go.
 *
 * A link stands for one client that was told of one device, also when it declined. It is made
 * before add() is called and goes after remove() has returned. The registry's lock is not held
 * during callbacks; where a device comes or goes, its own unregistration_lock is. The state of the
 * link keeps others from calling them at the same time, and whoever needs a link to move on waits
 * for link_changed. The device outlives its links, because unregistration waits
 * for them; the client does for the same reason.
 */
#include <linux/idr.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "core/core.h"

enum link_state {
	LINK_ADDING,	/* add() is running */
	LINK_ADDED,
	LINK_DECLINED,	/* add() failed: no more callbacks */
	LINK_REMOVING,	/* somebody is removing it */
};

struct link {
	/* All guarded by ib_core_registry_lock. */
	struct list_head	list;		/* in ib_device.client_links */
	struct ib_client	*client;
	enum link_state		state;
	unsigned int		callers;	/* of rename() and get_nl_info() */
};

/* Guarded by ib_core_registry_lock. */
static LIST_HEAD(clients);
static DEFINE_IDA(client_ids);

static DECLARE_WAIT_QUEUE_HEAD(link_changed);

/* Lets go of the lock until some link has changed. What was looked up before is stale after. */
static void wait_for_change(void)
	__must_hold(&ib_core_registry_lock)
{
	DEFINE_WAIT(wait);

	lockdep_assert_held(&ib_core_registry_lock);
	prepare_to_wait(&link_changed, &wait, TASK_UNINTERRUPTIBLE);
	mutex_unlock(&ib_core_registry_lock);
	schedule();
	finish_wait(&link_changed, &wait);
	mutex_lock(&ib_core_registry_lock);
}

static bool client_wants(const struct ib_client *client, const struct ib_device *dev)
{
	return dev->kverbs_provider || client->no_kverbs_req;
}

static struct link *find_link(struct ib_device *dev, const struct ib_client *client)
{
	struct link *link;

	lockdep_assert_held(&ib_core_registry_lock);
	list_for_each_entry(link, &dev->client_links, list)
		if (link->client == client)
			return link;
	return NULL;
}

static struct link *new_link(struct ib_device *dev, struct ib_client *client)
{
	struct link *link = kzalloc(sizeof(*link), GFP_KERNEL);

	lockdep_assert_held(&ib_core_registry_lock);
	if (!link)
		return NULL;
	/* So that ib_set_client_data() needs no memory. */
	if (xa_reserve(&dev->client_data, client->client_id, GFP_KERNEL)) {
		kfree(link);
		return NULL;
	}
	link->client = client;
	link->state = LINK_ADDING;
	list_add_tail(&link->list, &dev->client_links);
	return link;
}

/* Tells the client of the device. */
static int add_link(struct ib_device *dev, struct ib_client *client)
	__must_hold(&ib_core_registry_lock)
{
	struct link *link = new_link(dev, client);
	int ret;

	if (!link)
		return -ENOMEM;
	mutex_unlock(&ib_core_registry_lock);
	ret = client->add(dev);
	if (ret && ret != -EOPNOTSUPP)
		ibdev_notice(dev, "%s does not use the device: error %d\n", client->name, ret);
	mutex_lock(&ib_core_registry_lock);
	if (ret)
		xa_erase(&dev->client_data, client->client_id);
	link->state = ret ? LINK_DECLINED : LINK_ADDED;
	wake_up_all(&link_changed);
	return 0;
}

static bool may_remove(const struct link *link)
{
	return link->state == LINK_ADDED || link->state == LINK_DECLINED;
}

static void remove_link(struct ib_device *dev, struct link *link)
	__must_hold(&ib_core_registry_lock)
{
	struct ib_client *client = link->client;
	bool added = link->state == LINK_ADDED;

	link->state = LINK_REMOVING;
	while (link->callers)
		wait_for_change();
	if (added) {
		mutex_unlock(&ib_core_registry_lock);
		client->remove(dev, ib_get_client_data(dev, client));
		mutex_lock(&ib_core_registry_lock);
		xa_erase(&dev->client_data, client->client_id);
	}
	list_del(&link->list);
	kfree(link);
	wake_up_all(&link_changed);
}

/* The first client that has not been told of the device. */
static struct ib_client *next_client(struct ib_device *dev)
{
	struct ib_client *client;

	lockdep_assert_held(&ib_core_registry_lock);
	list_for_each_entry(client, &clients, list)
		if (client_wants(client, dev) && !find_link(dev, client))
			return client;
	return NULL;
}

/*
 * While the device is being enabled, nobody else makes links to it, so that the clients are told in
 * their order. It becomes registered in the moment in which there is no client left to be told.
 */
int ib_core_clients_add_device(struct ib_device *dev)
{
	struct ib_client *client;
	int ret = 0;

	mutex_lock(&ib_core_registry_lock);
	while (!ret && (client = next_client(dev)))
		ret = add_link(dev, client);
	if (!ret)
		WRITE_ONCE(dev->state, IB_CORE_DEVICE_REGISTERED);
	mutex_unlock(&ib_core_registry_lock);
	return ret;
}

/* In reverse order. The state of the device keeps new links from being made. */
void ib_core_clients_remove_device(struct ib_device *dev)
{
	mutex_lock(&ib_core_registry_lock);
	while (!list_empty(&dev->client_links)) {
		struct link *link = list_last_entry(&dev->client_links, struct link, list);

		if (may_remove(link))
			remove_link(dev, link);
		else
			wait_for_change();
	}
	mutex_unlock(&ib_core_registry_lock);
}

/* The caller has a reference to the device. */
void ib_core_clients_rename_device(struct ib_device *dev)
{
	struct link *link;

	mutex_lock(&ib_core_registry_lock);
	list_for_each_entry(link, &dev->client_links, list) {
		struct ib_client *client = link->client;

		if (link->state != LINK_ADDED || !client->rename)
			continue;
		/* Keeps the link, and with it the place in the list. */
		link->callers++;
		mutex_unlock(&ib_core_registry_lock);
		client->rename(dev, ib_get_client_data(dev, client));
		mutex_lock(&ib_core_registry_lock);
		link->callers--;
		wake_up_all(&link_changed);
	}
	mutex_unlock(&ib_core_registry_lock);
}

static struct ib_client *find_client(const char *name)
{
	struct ib_client *client;

	lockdep_assert_held(&ib_core_registry_lock);
	list_for_each_entry(client, &clients, list)
		if (!strcmp(client->name, name))
			return client;
	return NULL;
}

/* The client can go as soon as the lock is held again: what it told is used before. */
static int ask_client(struct ib_device *dev, struct ib_client *client,
		      struct ib_client_nl_info *info, ib_core_nl_info_fn *use,
		      unsigned int *callers)
	__must_hold(&ib_core_registry_lock)
{
	int ret;

	(*callers)++;
	mutex_unlock(&ib_core_registry_lock);
	if (dev)
		ret = client->get_nl_info(dev, ib_get_client_data(dev, client), info);
	else
		ret = client->get_global_nl_info(info);
	if (!ret)
		ret = use(info);
	mutex_lock(&ib_core_registry_lock);
	(*callers)--;
	wake_up_all(&link_changed);
	return ret;
}

static int ask_for_device(struct ib_device *dev, struct ib_client *client,
			  struct ib_client_nl_info *info, ib_core_nl_info_fn *use)
	__must_hold(&ib_core_registry_lock)
{
	struct link *link = find_link(dev, client);

	if (!client->get_nl_info || !link || link->state != LINK_ADDED)
		return -EOPNOTSUPP;
	return ask_client(dev, client, info, use, &link->callers);
}

int ib_core_client_nl_info(struct ib_device *dev, const char *name,
			   struct ib_client_nl_info *info, ib_core_nl_info_fn *use)
{
	struct ib_client *client;
	int ret;

	mutex_lock(&ib_core_registry_lock);
	client = find_client(name);
	if (!client)
		ret = -ENOENT;
	else if (dev)
		ret = ask_for_device(dev, client, info, use);
	else if (client->get_global_nl_info)
		ret = ask_client(NULL, client, info, use, &client->callers);
	else
		ret = -EOPNOTSUPP;
	mutex_unlock(&ib_core_registry_lock);
	return ret;
}

/* The first registered device that the client has not been told of. */
static struct ib_device *next_device(struct ib_client *client)
{
	struct ib_device *dev;
	unsigned long index;

	for (index = 0; (dev = ib_core_registry_next(&index)); index++)
		if (dev->state == IB_CORE_DEVICE_REGISTERED && client_wants(client, dev) &&
		    !find_link(dev, client))
			return dev;
	return NULL;
}

static struct link *any_link(struct ib_client *client, struct ib_device **dev)
{
	unsigned long index;
	struct link *link;

	for (index = 0; (*dev = ib_core_registry_next(&index)); index++) {
		link = find_link(*dev, client);
		if (link)
			return link;
	}
	return NULL;
}

static void unregister_client(struct ib_client *client)
	__must_hold(&ib_core_registry_lock)
{
	struct ib_device *dev;
	struct link *link;

	list_del(&client->list);
	while (client->callers)
		wait_for_change();
	while ((link = any_link(client, &dev))) {
		if (may_remove(link))
			remove_link(dev, link);
		else
			wait_for_change();
	}
	ida_free(&client_ids, client->client_id);
}

int ib_register_client(struct ib_client *client)
{
	struct ib_device *dev;
	int ret;

	if (!client->add || !client->remove)
		return -EINVAL;
	mutex_lock(&ib_core_registry_lock);
	ret = ida_alloc(&client_ids, GFP_KERNEL);
	if (ret < 0)
		goto out;
	client->client_id = ret;
	list_add_tail(&client->list, &clients);
	ret = 0;
	while (!ret && (dev = next_device(client)))
		ret = add_link(dev, client);
	if (ret)
		unregister_client(client);
out:
	mutex_unlock(&ib_core_registry_lock);
	return ret;
}
EXPORT_SYMBOL(ib_register_client);

void ib_unregister_client(struct ib_client *client)
{
	mutex_lock(&ib_core_registry_lock);
	unregister_client(client);
	mutex_unlock(&ib_core_registry_lock);
}
EXPORT_SYMBOL(ib_unregister_client);

void ib_set_client_data(struct ib_device *device, struct ib_client *client, void *data)
{
	WARN_ON(xa_is_err(xa_store(&device->client_data, client->client_id, data, GFP_KERNEL)));
}
EXPORT_SYMBOL(ib_set_client_data);
