// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The test ULP's device node. Each open file is a session, which ends when the file is closed or
 * the RDMA device is removed.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/krdma.h>

#include "tools/testing/modules/kulp/kulp.h"

KRDMA_NEEDS_IB_CORE;

/**
 * struct session - an open file
 * @entry: entry in the list sessions
 * @busy: the session has a server, or runs a client
 * @site: device and network namespace while @busy
 * @server: server started by KULP_SERVE, or NULL
 * @stop: the client has to end, because the session ends, or the process that runs the client has a
 *	signal pending
 * @ending: stop_session() ends the session, because the device is removed or the file is closed
 * @running: a client runs, or a server is being started
 * @idle: woken when @running becomes false
 */
struct session {
	struct list_head entry;
	bool busy;
	struct kulp_site site;
	struct kulp_server *server;
	bool stop;
	bool ending;
	bool running;
	wait_queue_head_t idle;
};

static LIST_HEAD(sessions);
static DEFINE_MUTEX(lock); /* protects the list sessions and the members of each session */

static int add_device(struct ib_device *dev);
static void remove_device(struct ib_device *dev, void *data);

static struct ib_client client = {
	.name = "kulp",
	.add = add_device,
	.remove = remove_device,
};

static int add_device(struct ib_device *dev)
{
	ib_set_client_data(dev, &client, &client);
	return 0;
}

static void make_idle(struct session *session)
{
	lockdep_assert_held(&lock);
	if (session->busy)
		put_net(session->site.net);
	session->site = (struct kulp_site) {};
	session->busy = false;
}

static void stop_session(struct session *session)
{
	struct kulp_server *server;

	mutex_lock(&lock);
	session->stop = true;
	session->ending = true;
	mutex_unlock(&lock);
	wait_event(session->idle, !READ_ONCE(session->running));

	mutex_lock(&lock);
	server = session->server;
	session->server = NULL;
	mutex_unlock(&lock);
	if (server)
		server->stop(server);

	mutex_lock(&lock);
	make_idle(session);
	session->ending = false;
	mutex_unlock(&lock);
}

static struct session *find_session(struct ib_device *dev)
{
	struct session *session;

	mutex_lock(&lock);
	list_for_each_entry(session, &sessions, entry) {
		if (session->site.dev == dev) {
			mutex_unlock(&lock);
			return session;
		}
	}
	mutex_unlock(&lock);
	return NULL;
}

/*
 * Held while a session is stopped, so that the session is not freed. A session whose device is
 * removed stays open and becomes idle.
 */
static DEFINE_MUTEX(dying_lock);

static void remove_device(struct ib_device *dev, void *data)
{
	struct session *session;

	mutex_lock(&lock);
	ib_set_client_data(dev, &client, NULL);
	mutex_unlock(&lock);

	mutex_lock(&dying_lock);
	while ((session = find_session(dev)))
		stop_session(session);
	mutex_unlock(&dying_lock);
}

static int check_args(struct kulp_args *args)
{
	args->dev[KULP_DEV_NAME_MAX - 1] = '\0';
	if (args->op >= KULP_OP_COUNT || args->over >= KULP_OVER_COUNT ||
	    args->size > KULP_MAX_SIZE || args->offset > PAGE_SIZE || !args->depth ||
	    args->depth > KULP_MAX_DEPTH || !args->qps || args->qps > 1024 ||
	    args->pdata_len > 512 || args->max_samples > KULP_MAX_SAMPLES || !args->timeout_ms)
		return -EINVAL;
	/* GET and PUT run one connection after another. */
	if (args->flags & KULP_F_TOGETHER && (args->qps > KULP_MAX_TOGETHER ||
					      args->op == KULP_OP_GET || args->op == KULP_OP_PUT))
		return -EINVAL;
	/* TCP has no receive requests to share. */
	if (args->over == KULP_OVER_TCP && args->flags & KULP_F_SRQ)
		return -EINVAL;
	return 0;
}

static int make_busy(struct session *session, struct ib_device *dev)
{
	int ret = 0;

	mutex_lock(&lock);
	if (session->busy)
		ret = -EBUSY;
	else if (dev && !ib_get_client_data(dev, &client))
		ret = -ENODEV;
	if (!ret) {
		session->busy = true;
		session->site.dev = dev;
		session->site.net = get_net(current->nsproxy->net_ns);
		session->running = true;
		session->stop = false;
	}
	mutex_unlock(&lock);
	return ret;
}

/*
 * Makes the session busy with its device, or over TCP without a device. Returns -ENODEV if there is
 * no such device or the device is being removed, -EBUSY if the session is busy.
 */
static int begin(struct session *session, const struct kulp_args *args)
{
	struct ib_device *dev;
	int ret;

	if (args->over == KULP_OVER_TCP)
		return make_busy(session, NULL);
	dev = ib_device_get_by_name(args->dev, RDMA_DRIVER_UNKNOWN);
	if (!dev)
		return -ENODEV;
	ret = make_busy(session, dev);
	ib_device_put(dev);
	return ret;
}

static void end_running(struct session *session)
{
	mutex_lock(&lock);
	session->running = false;
	if (!session->ending)
		make_idle(session);
	wake_up_all(&session->idle);
	mutex_unlock(&lock);
}

static int serve(struct session *session, struct kulp_args *args)
{
	struct kulp_server *server;
	int ret;

	ret = begin(session, args);
	if (ret)
		return ret;
	server = kulp_server_start(&session->site, args);
	mutex_lock(&lock);
	if (!IS_ERR(server))
		session->server = server;
	session->running = false;
	if (IS_ERR(server) && !session->ending)
		make_idle(session);
	wake_up_all(&session->idle);
	mutex_unlock(&lock);
	return PTR_ERR_OR_ZERO(server);
}

static int run(struct session *session, struct kulp_args *args)
{
	int ret;

	ret = begin(session, args);
	if (ret)
		return ret;
	ret = kulp_client_run(&session->site, args, &session->stop);
	end_running(session);
	return ret;
}

static int status(struct session *session, struct kulp_args *args)
{
	int ret = -ENODEV;

	mutex_lock(&lock);
	if (session->server)
		ret = kulp_server_status(session->server, args);
	mutex_unlock(&lock);
	return ret;
}

static long ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct session *session = file->private_data;
	struct kulp_args args;
	int ret;

	if (copy_from_user(&args, (void __user *)arg, sizeof(args)))
		return -EFAULT;
	ret = check_args(&args);
	if (ret)
		return ret;

	switch (cmd) {
	case KULP_SERVE:
		return serve(session, &args);
	case KULP_RUN:
		ret = run(session, &args);
		break;
	case KULP_STATUS:
		ret = status(session, &args);
		break;
	default:
		return -ENOTTY;
	}
	if (copy_to_user((void __user *)arg, &args, sizeof(args)))
		return -EFAULT;
	return ret;
}

static int open(struct inode *inode, struct file *file)
{
	struct session *session = kzalloc(sizeof(*session), GFP_KERNEL);

	if (!session)
		return -ENOMEM;
	init_waitqueue_head(&session->idle);
	mutex_lock(&lock);
	list_add_tail(&session->entry, &sessions);
	mutex_unlock(&lock);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static int release(struct inode *inode, struct file *file)
{
	struct session *session = file->private_data;

	mutex_lock(&dying_lock);
	stop_session(session);
	mutex_lock(&lock);
	list_del(&session->entry);
	mutex_unlock(&lock);
	mutex_unlock(&dying_lock);
	kfree(session);
	return 0;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = open,
	.release = release,
	.unlocked_ioctl = ioctl,
};

static struct miscdevice misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "kulp",
	.fops = &fops,
	.mode = 0600,
};

static int __init kulp_init(void)
{
	int ret;

	ret = ib_register_client(&client);
	if (ret)
		return ret;
	ret = misc_register(&misc);
	if (ret)
		ib_unregister_client(&client);
	return ret;
}

static void __exit kulp_exit(void)
{
	misc_deregister(&misc);
	ib_unregister_client(&client);
}

module_init(kulp_init);
module_exit(kulp_exit);

MODULE_DESCRIPTION("Test ULP: moves data over iw_cm, rdma_cm or TCP and checks it");
MODULE_LICENSE("Dual BSD/GPL");
