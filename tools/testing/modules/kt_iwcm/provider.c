// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The provider and the client that the tests of iw_cm use.
 */
#include <linux/inet.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "kt_iwcm.h"

struct kt_provider kt_prov;

static struct kt_qp *to_kt_qp(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct kt_qp, ibqp);
}

static void iw_add_ref(struct ib_qp *ibqp)
{
	atomic_inc(&to_kt_qp(ibqp)->refs);
}

static void iw_rem_ref(struct ib_qp *ibqp)
{
	WARN_ON(atomic_dec_return(&to_kt_qp(ibqp)->refs) < 0);
}

static struct ib_qp *iw_get_qp(struct ib_device *dev, int qpn)
{
	if (kt_prov.getting)
		kt_prov.getting();
	return qpn > 0 && qpn <= KT_NR_QPS ? &kt_qp(qpn)->ibqp : NULL;
}

static int call_method(struct iw_cm_id *id, enum kt_op op)
{
	atomic_inc(&kt_prov.calls[op]);
	if (kt_prov.inside[op])
		kt_prov.inside[op](id);
	return kt_prov.ret[op];
}

static void unbind_qp(struct kt_qp *qp)
{
	if (qp->id)
		qp->id->rem_ref(qp->id);
	qp->id = NULL;
}

static void bind_qp(struct iw_cm_id *id, u32 qpn)
{
	struct kt_qp *qp = kt_qp(qpn);

	unbind_qp(qp);
	id->add_ref(id);
	qp->id = id;
}

static int iw_connect(struct iw_cm_id *id, struct iw_cm_conn_param *param)
{
	bind_qp(id, param->qpn);
	return call_method(id, KT_CONNECT);
}

static int iw_accept(struct iw_cm_id *id, struct iw_cm_conn_param *param)
{
	bind_qp(id, param->qpn);
	return call_method(id, KT_ACCEPT);
}

static int iw_reject_data(struct iw_cm_id *id, const void *pdata, u16 len)
{
	kt_prov.reject_len = len;
	return call_method(id, KT_REJECT);
}

static int iw_reject(struct iw_cm_id *id, const void *pdata, u8 len)
{
	return iw_reject_data(id, pdata, len);
}

static int iw_create_listen(struct iw_cm_id *id, int backlog)
{
	int ret;

	kt_prov.backlog = backlog;
	ret = call_method(id, KT_LISTEN);
	if (!ret)
		id->add_ref(id);
	return ret;
}

static int iw_destroy_listen(struct iw_cm_id *id)
{
	int ret = call_method(id, KT_UNLISTEN);

	id->rem_ref(id);
	return ret;
}

static int modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		     struct ib_udata *udata)
{
	struct kt_qp *qp = to_kt_qp(ibqp);

	atomic_inc(attr->qp_state == IB_QPS_ERR ? &qp->aborts : &qp->drains);
	return kt_prov.modify(qp, attr->qp_state);
}

int kt_close_on_abort(struct kt_qp *qp, enum ib_qp_state to)
{
	if (to == IB_QPS_ERR)
		kt_report(qp->id, IW_CM_EVENT_CLOSE, -ECONNRESET);
	return 0;
}

int kt_do_nothing(struct kt_qp *qp, enum ib_qp_state to)
{
	return 0;
}

const struct ib_device_ops kt_iw_ops = {
	.iw_accept = iw_accept,
	.iw_add_ref = iw_add_ref,
	.iw_connect = iw_connect,
	.iw_create_listen = iw_create_listen,
	.iw_destroy_listen = iw_destroy_listen,
	.iw_get_qp = iw_get_qp,
	.iw_reject = iw_reject,
	.iw_reject_data = iw_reject_data,
	.iw_rem_ref = iw_rem_ref,
};

bool kt_iw_start(struct ktap *t)
{
	struct fakedev_config config = { .more_ops = &kt_iw_ops };
	struct ib_qp *ibqp;
	int i;

	memset(&kt_prov, 0, sizeof(kt_prov));
	kt_prov.modify = kt_close_on_abort;
	kt_prov.fd = fakedev_create(&config);
	if (!KT_EXPECT_ERR(t, kt_prov.fd, 0))
		return false;
	kt_prov.dev = &kt_prov.fd->ibdev;
	kt_prov.dev->ops.modify_qp = modify_qp;
	for (i = 0; i < KT_NR_QPS; i++) {
		ibqp = &kt_prov.qps[i].ibqp;
		ibqp->device = kt_prov.dev;
		ibqp->real_qp = ibqp;
		ibqp->qp_num = i + 1;
		ibqp->qp_type = IB_QPT_RC;
	}
	return true;
}

void kt_iw_unregister(void)
{
	ib_unregister_device(kt_prov.dev);
}

void kt_iw_end(struct ktap *t)
{
	int i;

	for (i = 0; i < KT_NR_QPS; i++) {
		if (kt_prov.qps[i].id)
			KT_EXPECT_EQ(t, kt_refs(i + 1), 0);
		unbind_qp(&kt_prov.qps[i]);
	}
	fakedev_destroy(kt_prov.fd);
}

static void set_address(struct sockaddr_storage *addr, u16 port)
{
	struct sockaddr_in *in = (struct sockaddr_in *)addr;

	in->sin_family = AF_INET;
	in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	in->sin_port = htons(port);
}

void kt_set_addresses(struct iw_cm_id *id)
{
	set_address(&id->local_addr, 1000);
	set_address(&id->remote_addr, 2000);
}

int kt_report_data(struct iw_cm_id *id, enum iw_cm_event_type type, int status, u16 len)
{
	struct iw_cm_event event = {
		.event = type,
		.status = status,
		.private_data_len = len,
		.ird = 3,
		.ord = 4,
	};
	u8 *data = kmalloc(len, in_interrupt() ? GFP_ATOMIC : GFP_KERNEL | __GFP_NOFAIL);
	int ret;

	if (!data)
		return -ENOBUFS;
	memset(data, 0x5a, len);
	event.private_data = data;
	if (type == IW_CM_EVENT_CONNECT_REQUEST) {
		event.provider_data = &kt_prov;
		set_address(&event.local_addr, 1001);
		set_address(&event.remote_addr, 2001);
	}
	ret = id->event_handler(id, &event);
	/*
	 * Clear the buffer, so that a client sees wrong data if iw_cm delivers the buffer instead
	 * of a copy.
	 */
	memset(data, 0, len);
	kfree(data);
	return ret;
}

int kt_report(struct iw_cm_id *id, enum iw_cm_event_type type, int status)
{
	return kt_report_data(id, type, status, 0);
}

static int client_handler(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct kt_client *c = id->context;
	int nr = atomic_read(&c->nr), ret = 0;

	if (atomic_inc_return(&c->running) != 1)
		c->overlapped = true;
	if (nr < KT_MAX_SEEN) {
		c->seen[nr] = event->event;
		c->status[nr] = event->status;
		c->len[nr] = event->private_data_len;
		c->ids[nr] = id;
	}
	if (event->private_data_len &&
	    memchr_inv(event->private_data, 0x5a, event->private_data_len))
		c->data_ok = false;
	if (event->event == IW_CM_EVENT_CONNECT_REQUEST && c->child) {
		id->context = c->child;
		c->child->id = id;
	}
	if (c->hook)
		ret = c->hook(c, id, event);
	atomic_dec(&c->running);
	atomic_inc(&c->nr);
	wake_up_all(&c->wait);
	return ret;
}

void kt_client_init(struct kt_client *c)
{
	memset(c, 0, sizeof(*c));
	c->data_ok = true;
	init_completion(&c->entered);
	init_completion(&c->go);
	init_waitqueue_head(&c->wait);
}

bool kt_client_open(struct ktap *t, struct kt_client *c)
{
	kt_client_init(c);
	c->id = iw_create_cm_id(kt_prov.dev, client_handler, c);
	if (!KT_EXPECT_ERR(t, c->id, 0))
		return false;
	kt_set_addresses(c->id);
	return true;
}

int kt_connect(struct kt_client *c, u32 qpn)
{
	struct iw_cm_conn_param param = { .qpn = qpn };

	return iw_cm_connect(c->id, &param);
}

bool kt_establish(struct ktap *t, struct kt_client *c, u32 qpn)
{
	return kt_client_open(t, c) && KT_EXPECT_EQ(t, kt_connect(c, qpn), 0) &&
	       KT_EXPECT_EQ(t, kt_report(c->id, IW_CM_EVENT_CONNECT_REPLY, 0), 0) &&
	       KT_EXPECT(t, kt_wait_events(c, 1));
}

bool kt_listen(struct ktap *t, struct kt_client *c, int backlog)
{
	return kt_client_open(t, c) && KT_EXPECT_EQ(t, iw_cm_listen(c->id, backlog), 0);
}

int kt_accept(struct iw_cm_id *id, u32 qpn)
{
	struct iw_cm_conn_param param = { .qpn = qpn };

	return iw_cm_accept(id, &param);
}

void kt_close(struct kt_client *c)
{
	iw_destroy_cm_id(c->id);
	c->id = NULL;
}

bool kt_wait_events(struct kt_client *c, int nr)
{
	return wait_event_timeout(c->wait, atomic_read(&c->nr) >= nr, 5 * HZ);
}

bool kt_no_more_events(struct kt_client *c, int nr)
{
	msleep(20);
	return atomic_read(&c->nr) + atomic_read(&c->running) <= nr;
}

int kt_block(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event)
{
	complete(&c->entered);
	wait_for_completion_timeout(&c->go, 60 * HZ);
	return 0;
}

int kt_destroy_inside(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event)
{
	iw_destroy_cm_id(id);
	return 0;
}

int kt_return_error(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event)
{
	return -EIO;
}

int kt_destroy_and_error(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event)
{
	iw_destroy_cm_id(id);
	return -EIO;
}

static void destroy_work(struct work_struct *work)
{
	struct kt_destroyer *d = container_of(work, struct kt_destroyer, work);

	iw_destroy_cm_id(d->id);
	complete(&d->done);
}

void kt_destroy_start(struct kt_destroyer *d, struct iw_cm_id *id)
{
	d->id = id;
	init_completion(&d->done);
	INIT_WORK_ONSTACK(&d->work, destroy_work);
	queue_work(system_unbound_wq, &d->work);
}

bool kt_destroy_waits(struct kt_destroyer *d)
{
	return !wait_for_completion_timeout(&d->done, msecs_to_jiffies(30));
}

bool kt_destroy_finish(struct kt_destroyer *d)
{
	bool done = wait_for_completion_timeout(&d->done, 5 * HZ);

	flush_work(&d->work);
	destroy_work_on_stack(&d->work);
	return done;
}
