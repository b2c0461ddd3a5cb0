// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The test ULP's device node. Each open file is a session, which ends when the file is closed or
 * the RDMA device is removed.
 */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/krdma.h>

#include "tools/testing/modules/kulp/kulp.h"
#include "tools/testing/modules/support/sessions.h"

KRDMA_NEEDS_IB_CORE;

/**
 * struct kulp_session - an open file
 * @base: the session; has the device, unless the session runs over TCP
 * @lock: protects the members below
 * @busy: the session has a server, or runs a client
 * @site: device and network namespace while @busy
 * @server: server started by KULP_SERVE, or NULL
 * @stop: the client has to end, because the session ends, or the process that runs the client has a
 *	signal pending
 * @ending: stop_session() ends the session, because the device is removed or the file is closed
 * @running: a client runs, or a server is being started
 * @idle: woken when @running becomes false
 */
struct kulp_session {
	struct session base;
	struct mutex lock; /* protects the members below */
	bool busy;
	struct kulp_site site;
	struct kulp_server *server;
	bool stop;
	bool ending;
	bool running;
	wait_queue_head_t idle;
};

static void make_idle(struct kulp_session *session)
{
	lockdep_assert_held(&session->lock);
	if (session->busy)
		put_net(session->site.net);
	session_detach(&session->base);
	session->site = (struct kulp_site) {};
	session->busy = false;
}

static void stop_session(struct session *base, struct ib_device *removed)
{
	struct kulp_session *session = container_of(base, struct kulp_session, base);
	struct kulp_server *server;

	mutex_lock(&session->lock);
	session->stop = true;
	session->ending = true;
	mutex_unlock(&session->lock);
	wait_event(session->idle, !READ_ONCE(session->running));

	mutex_lock(&session->lock);
	server = session->server;
	session->server = NULL;
	mutex_unlock(&session->lock);
	if (server)
		server->stop(server);

	mutex_lock(&session->lock);
	make_idle(session);
	session->ending = false;
	mutex_unlock(&session->lock);
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

/* Ends what begin() has begun. The session stays busy if it has a server. */
static void end_running(struct kulp_session *session)
{
	mutex_lock(&session->lock);
	session->running = false;
	if (!session->server && !session->ending)
		make_idle(session);
	wake_up_all(&session->idle);
	mutex_unlock(&session->lock);
}

/*
 * Makes the session busy with its device, or over TCP without a device. Returns -ENODEV if there is
 * no such device or the device is being removed, -EBUSY if the session is busy.
 */
static int begin(struct kulp_session *session, const struct kulp_args *args)
{
	bool busy;
	int ret;

	mutex_lock(&session->lock);
	busy = session->busy;
	if (!busy) {
		session->busy = true;
		session->site.net = get_net(current->nsproxy->net_ns);
		session->running = true;
		session->stop = false;
	}
	mutex_unlock(&session->lock);
	if (busy)
		return -EBUSY;
	if (args->over == KULP_OVER_TCP)
		return 0;
	ret = session_attach(&session->base, args->dev);
	if (ret)
		end_running(session);
	else
		session->site.dev = session->base.dev;
	return ret;
}

static int serve(struct kulp_session *session, struct kulp_args *args)
{
	struct kulp_server *server;
	int ret;

	ret = begin(session, args);
	if (ret)
		return ret;
	server = args->over == KULP_OVER_TCP ? kulp_server_tcp(&session->site, args) :
					       kulp_server_verbs(&session->site, args);
	if (!IS_ERR(server)) {
		mutex_lock(&session->lock);
		session->server = server;
		mutex_unlock(&session->lock);
	}
	end_running(session);
	return PTR_ERR_OR_ZERO(server);
}

/* Stores the number of connections of the server. Returns the first error that it has found. */
static int status(struct kulp_session *session, struct kulp_args *args)
{
	struct kulp_server *server;
	int ret = -ENODEV;

	mutex_lock(&session->lock);
	server = session->server;
	if (server) {
		mutex_lock(&server->lock);
		args->connects = server->served;
		mutex_unlock(&server->lock);
		ret = READ_ONCE(server->first_error);
	}
	mutex_unlock(&session->lock);
	return ret;
}

static long ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct kulp_session *session = file->private_data;
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
		ret = begin(session, &args);
		if (ret)
			return ret;
		ret = kulp_client_run(&session->site, &args, &session->stop);
		end_running(session);
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
	struct kulp_session *session = kzalloc(sizeof(*session), GFP_KERNEL);

	if (!session)
		return -ENOMEM;
	mutex_init(&session->lock);
	init_waitqueue_head(&session->idle);
	session_open(&session->base);
	file->private_data = session;
	return nonseekable_open(inode, file);
}

static int release(struct inode *inode, struct file *file)
{
	struct kulp_session *session = file->private_data;

	session_close(&session->base);
	kfree(session);
	return 0;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = open,
	.release = release,
	.unlocked_ioctl = ioctl,
};

static const struct session_ops ulp_ops = {
	.name = "kulp",
	.fops = &fops,
	.stop = stop_session,
};

static int __init kulp_init(void)
{
	return sessions_init(&ulp_ops);
}

static void __exit kulp_exit(void)
{
	sessions_exit();
}

module_init(kulp_init);
module_exit(kulp_exit);

MODULE_DESCRIPTION("Test ULP: moves data over iw_cm, rdma_cm or TCP and checks it");
MODULE_LICENSE("Dual BSD/GPL");
