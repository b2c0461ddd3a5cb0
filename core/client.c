// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Clients: callbacks when devices appear, disappear or get another name.
 *
 * A link stands for one client and one device, even if the client declined the device. The link is
 * made before add() is called, and freed after remove() has returned. Callbacks run without
 * ib_core_registry_lock. When a device is registered or unregistered, add() and remove() run with
 * the device's unregistration_lock held; when a client is, they run without that lock. The state of
 * a link keeps add() and remove() from running at the same time as other callbacks: a thread that
 * needs another state waits for link_changed. Device and client outlive their links, because
 * unregistration of a device or a client waits until its links are freed.
 */
#include "core/client.h"

#include <linux/idr.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <rdma/ib_verbs.h>

#include "core/registry.h"

enum link_state {
	LINK_ADDING,	/* add() is running */
	LINK_ADDED,
	LINK_DECLINED,	/* add() failed: the client gets no more callbacks for the device */
	LINK_REMOVING,	/* a thread is in remove_link(), and will free the link */
};

/* All members are protected by ib_core_registry_lock. */
struct client_link {
	struct list_head	list;		/* in ib_device.client_links */
	struct ib_client	*client;
	enum link_state		state;
	unsigned int		callers;	/* rename() and get_nl_info() calls now running */
};

/* The clients in order of their registration, protected by ib_core_registry_lock. */
static LIST_HEAD(clients);
static DEFINE_IDA(client_ids);

static DECLARE_WAIT_QUEUE_HEAD(link_changed);

/*
 * Releases ib_core_registry_lock, which the caller holds, waits for a wake-up of link_changed, and
 * takes the lock again. Clients, devices and links may have changed: the caller repeats its
 * look-ups.
 */
static void wait_for_link_change(void)
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

static struct client_link *find_link(struct ib_device *dev, const struct ib_client *client)
{
	struct client_link *link;

	lockdep_assert_held(&ib_core_registry_lock);
	list_for_each_entry(link, &dev->client_links, list)
		if (link->client == client)
			return link;
	return NULL;
}

/*
 * Links the client to the device, and calls the client's add(). A client whose add() fails has
 * declined the device, and its link stays. Returns 0 or -ENOMEM. Called with ib_core_registry_lock
 * held; releases the lock while add() runs.
 */
static int add_link(struct ib_device *dev, struct ib_client *client)
{
	struct client_link *link;
	int ret;

	lockdep_assert_held(&ib_core_registry_lock);
	link = kzalloc(sizeof(*link), GFP_KERNEL_ACCOUNT);
	if (!link)
		return -ENOMEM;
	/* Reserve the entry, so that ib_set_client_data() cannot fail for want of memory. */
	if (xa_reserve(&dev->client_data, client->client_id, GFP_KERNEL)) {
		kfree(link);
		return -ENOMEM;
	}
	link->client = client;
	link->state = LINK_ADDING;
	list_add_tail(&link->list, &dev->client_links);
	mutex_unlock(&ib_core_registry_lock);
	ret = client->add ? client->add(dev) : 0;
	if (ret && ret != -EOPNOTSUPP)
		ibdev_notice_ratelimited(dev, "%s does not use the device: error %d\n",
					 client->name, ret);
	mutex_lock(&ib_core_registry_lock);
	if (ret)
		xa_erase(&dev->client_data, client->client_id);
	link->state = ret ? LINK_DECLINED : LINK_ADDED;
	wake_up_all(&link_changed);
	return 0;
}

/*
 * Frees the link. Before that, calls remove() of the client unless the client declined the device.
 * If another thread is adding or removing the link, does not free the link, but waits until some
 * link changes; then the caller looks for links again. Called with ib_core_registry_lock held;
 * releases the lock during the wait and while remove() runs.
 */
static void remove_link(struct ib_device *dev, struct client_link *link)
{
	struct ib_client *client = link->client;
	bool added = link->state == LINK_ADDED;

	lockdep_assert_held(&ib_core_registry_lock);
	if (!added && link->state != LINK_DECLINED) {
		wait_for_link_change();
		return;
	}
	link->state = LINK_REMOVING;
	while (link->callers)
		wait_for_link_change();
	if (added) {
		mutex_unlock(&ib_core_registry_lock);
		if (client->remove)
			client->remove(dev, ib_get_client_data(dev, client));
		mutex_lock(&ib_core_registry_lock);
		xa_erase(&dev->client_data, client->client_id);
	}
	list_del(&link->list);
	kfree(link);
	wake_up_all(&link_changed);
}

/* Returns the first client that wants the device and has no link to it. */
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
 * Makes a link to each client that wants the device, and then sets the device's state to
 * IB_CORE_DEVICE_REGISTERED. Until then only this function makes links to the device, so that add()
 * is called in the order in which the clients registered. No client is missed, because
 * ib_core_registry_lock is held from the search that finds no further client until the state is
 * set: a client that registers later finds the device in the new state, and makes its link itself.
 */
int ib_core_clients_add_device(struct ib_device *dev)
{
	struct ib_client *client;
	int ret = 0;

	lockdep_assert_held(&dev->unregistration_lock);
	mutex_lock(&ib_core_registry_lock);
	while (!ret && (client = next_client(dev)))
		ret = add_link(dev, client);
	if (!ret)
		WRITE_ONCE(dev->state, IB_CORE_DEVICE_REGISTERED);
	mutex_unlock(&ib_core_registry_lock);
	return ret;
}

/*
 * Removes the links in reverse order. No link is added while this function runs, because a client
 * that registers makes links only to devices in state IB_CORE_DEVICE_REGISTERED.
 */
void ib_core_clients_remove_device(struct ib_device *dev)
{
	lockdep_assert_held(&dev->unregistration_lock);
	mutex_lock(&ib_core_registry_lock);
	while (!list_empty(&dev->client_links))
		remove_link(dev, list_last_entry(&dev->client_links, struct client_link, list));
	mutex_unlock(&ib_core_registry_lock);
}

void ib_core_clients_rename_device(struct ib_device *dev)
{
	struct client_link *link;

	mutex_lock(&ib_core_registry_lock);
	list_for_each_entry(link, &dev->client_links, list) {
		struct ib_client *client = link->client;

		if (link->state != LINK_ADDED || !client->rename)
			continue;
		/* The count keeps the link in the list while the lock is released. */
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

/*
 * Calls the client's get_nl_info() or, if @dev is NULL, get_global_nl_info(). If that call
 * succeeds, calls @use. Called with ib_core_registry_lock held; releases the lock while these
 * functions run. Decrements *@callers only after @use has returned, because the client may be
 * unloaded as soon as *@callers is decremented.
 */
static int call_nl_info(struct ib_device *dev, struct ib_client *client,
			struct ib_client_nl_info *info, ib_core_nl_info_fn *use,
			unsigned int *callers)
{
	int ret;

	lockdep_assert_held(&ib_core_registry_lock);
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

int ib_core_client_nl_info(struct ib_device *dev, const char *name,
			   struct ib_client_nl_info *info, ib_core_nl_info_fn *use)
{
	struct client_link *link;
	struct ib_client *client;
	int ret = -EOPNOTSUPP;

	mutex_lock(&ib_core_registry_lock);
	client = find_client(name);
	if (!client) {
		ret = -ENOENT;
	} else if (dev) {
		link = find_link(dev, client);
		if (client->get_nl_info && link && link->state == LINK_ADDED)
			ret = call_nl_info(dev, client, info, use, &link->callers);
	} else if (client->get_global_nl_info) {
		ret = call_nl_info(NULL, client, info, use, &client->callers);
	}
	mutex_unlock(&ib_core_registry_lock);
	return ret;
}

/* Returns the first registered device that the client wants and has no link to. */
static struct ib_device *next_device(struct ib_client *client)
{
	struct ib_device *dev;
	unsigned long index;

	lockdep_assert_held(&ib_core_registry_lock);
	for (index = 0; (dev = ib_core_registry_next(&index)); index++)
		if (dev->state == IB_CORE_DEVICE_REGISTERED && client_wants(client, dev) &&
		    !find_link(dev, client))
			return dev;
	return NULL;
}

/* Returns some link of the client, and its device in *@dev; NULL if there is no link. */
static struct client_link *any_link(struct ib_client *client, struct ib_device **dev)
{
	unsigned long index;
	struct client_link *link;

	lockdep_assert_held(&ib_core_registry_lock);
	for (index = 0; (*dev = ib_core_registry_next(&index)); index++) {
		link = find_link(*dev, client);
		if (link)
			return link;
	}
	return NULL;
}

/*
 * Removes the client and all its links. Called with ib_core_registry_lock held; releases the lock
 * while it waits for running get_global_nl_info() calls or for another thread to change a link, and
 * while remove() runs.
 */
static void unregister_client_locked(struct ib_client *client)
{
	struct client_link *link;
	struct ib_device *dev;

	lockdep_assert_held(&ib_core_registry_lock);
	list_del(&client->list);
	while (client->callers)
		wait_for_link_change();
	while ((link = any_link(client, &dev)))
		remove_link(dev, link);
	ida_free(&client_ids, client->client_id);
}

int ib_register_client(struct ib_client *client)
{
	struct ib_device *dev;
	int ret;

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
		unregister_client_locked(client);
out:
	mutex_unlock(&ib_core_registry_lock);
	return ret;
}
EXPORT_SYMBOL(ib_register_client);

void ib_unregister_client(struct ib_client *client)
{
	mutex_lock(&ib_core_registry_lock);
	unregister_client_locked(client);
	mutex_unlock(&ib_core_registry_lock);
}
EXPORT_SYMBOL(ib_unregister_client);

void ib_set_client_data(struct ib_device *device, struct ib_client *client, void *data)
{
	WARN_ON(xa_is_err(xa_store(&device->client_data, client->client_id, data, GFP_KERNEL)));
}
EXPORT_SYMBOL(ib_set_client_data);
