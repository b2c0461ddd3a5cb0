// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The list of sessions of a test ULP, its client of RDMA devices, and its device node. */
#include <linux/mutex.h>

#include "tools/testing/modules/support/sessions.h"

static const struct session_ops *ulp;
static LIST_HEAD(sessions);
static DEFINE_MUTEX(sessions_lock); /* protects the list and session.dev */

/*
 * Held while a session is stopped, so that the session is not freed; taken before sessions_lock. A
 * session whose device is removed stays open without a device.
 */
static DEFINE_MUTEX(stopping_lock);

static int add_device(struct ib_device *dev);
static void remove_device(struct ib_device *dev, void *data);

static struct ib_client client = {
	.add = add_device,
	.remove = remove_device,
};

/* The name, the operations and the permissions are those of the ULP. */
TEST_NODE(node, NULL, NULL);

/* Lets sessions attach the device. */
static int add_device(struct ib_device *dev)
{
	ib_set_client_data(dev, &client, &client);
	return 0;
}

static struct session *find_session(struct ib_device *dev)
{
	struct session *session, *found = NULL;

	mutex_lock(&sessions_lock);
	list_for_each_entry(session, &sessions, entry)
		if (session->dev == dev)
			found = session;
	mutex_unlock(&sessions_lock);
	return found;
}

static void remove_device(struct ib_device *dev, void *data)
{
	struct session *session;

	mutex_lock(&sessions_lock);
	ib_set_client_data(dev, &client, NULL);
	mutex_unlock(&sessions_lock);

	mutex_lock(&stopping_lock);
	while ((session = find_session(dev)))
		ulp->stop(session, dev);
	mutex_unlock(&stopping_lock);
}

int session_attach(struct session *session, const char *name)
{
	struct ib_device *dev = ib_device_get_by_name(name, RDMA_DRIVER_UNKNOWN);
	int ret = 0;

	if (!dev)
		return -ENODEV;
	mutex_lock(&sessions_lock);
	if (session->dev)
		ret = -EBUSY;
	else if (!ib_get_client_data(dev, &client))
		ret = -ENODEV;
	else
		session->dev = dev;
	mutex_unlock(&sessions_lock);
	ib_device_put(dev);
	return ret;
}

void session_detach(struct session *session)
{
	mutex_lock(&sessions_lock);
	session->dev = NULL;
	mutex_unlock(&sessions_lock);
}

void session_open(struct session *session)
{
	mutex_lock(&sessions_lock);
	list_add_tail(&session->entry, &sessions);
	mutex_unlock(&sessions_lock);
}

void session_close(struct session *session)
{
	mutex_lock(&stopping_lock);
	ulp->stop(session, NULL);
	mutex_lock(&sessions_lock);
	list_del(&session->entry);
	mutex_unlock(&sessions_lock);
	mutex_unlock(&stopping_lock);
}

int sessions_init(const struct session_ops *ops)
{
	int ret;

	ulp = ops;
	client.name = ops->name;
	node.name = ops->name;
	node.fops = ops->fops;
	if (ops->mode)
		node.mode = ops->mode;
	ret = ib_register_client(&client);
	if (ret)
		return ret;
	ret = misc_register(&node);
	if (ret)
		ib_unregister_client(&client);
	return ret;
}

void sessions_exit(void)
{
	misc_deregister(&node);
	ib_unregister_client(&client);
}
