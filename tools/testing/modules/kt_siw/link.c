// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* kt_siw_link.ko: the hosts and connections of the other kt_siw_*.ko. */
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <net/net_namespace.h>
#include <rdma/krdma.h>

#include "link.h"

KRDMA_NEEDS_IB_CORE;

#define PORT		7100
#define PATIENCE	(20 * HZ)

static void op_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kt_op *op = container_of(wc->wr_cqe, struct kt_op, cqe);

	/* After an error, flushed requests follow; the first status counts. */
	if (completion_done(&op->done))
		return;
	op->status = wc->status;
	complete(&op->done);
}

void kt_op_begin(struct kt_op *op)
{
	reinit_completion(&op->done);
	op->cqe.done = op_done;
}
EXPORT_SYMBOL(kt_op_begin);

int kt_op_wait(struct kt_op *op)
{
	return wait_for_completion_timeout(&op->done, PATIENCE) ? op->status : -1;
}
EXPORT_SYMBOL(kt_op_wait);

int kt_run(struct ib_qp *qp, struct kt_op *op, struct ib_send_wr *wr)
{
	struct ib_send_wr *last;

	kt_op_begin(op);
	for (last = wr;; last = last->next) {
		last->wr_cqe = &op->cqe;
		if (!last->next)
			break;
	}
	last->send_flags |= IB_SEND_SIGNALED;
	return ib_post_send(qp, wr, NULL) ? -1 : kt_op_wait(op);
}
EXPORT_SYMBOL(kt_run);

static void host_close(struct kt_host *host)
{
	if (!IS_ERR_OR_NULL(host->cq))
		ib_free_cq(host->cq);
	if (!IS_ERR_OR_NULL(host->pd))
		ib_dealloc_pd(host->pd);
	if (host->dev)
		ib_device_put(host->dev);
}

/* Returns the namespace that has the device's netdev, or NULL. The test keeps the netdev there. */
static struct net *net_of(const struct ib_device *dev)
{
	struct net *net, *found = NULL;

	rcu_read_lock();
	for_each_net_rcu(net)
		if (dev_get_by_name_rcu(net, dev->iw_ifname))
			found = net;
	rcu_read_unlock();
	return found;
}

static bool host_open(struct ktap *t, struct kt_host *host, const char *name)
{
	host->dev = ib_device_get_by_name(name, RDMA_DRIVER_UNKNOWN);
	if (!host->dev) {
		ktap_skip(t, "no device");
		return false;
	}
	host->net = net_of(host->dev);
	if (!KT_EXPECT(t, host->net))
		return false;
	/* Each host may name all of the other one's memory. */
	host->pd = ib_alloc_pd(host->dev, IB_PD_UNSAFE_GLOBAL_RKEY);
	host->cq = ib_alloc_cq(host->dev, NULL, 1024, 0, IB_POLL_WORKQUEUE);
	return KT_EXPECT_ERR(t, host->pd, 0) && KT_EXPECT_ERR(t, host->cq, 0);
}

static int create_qp(struct kt_link *link, struct rdma_cm_id *id, struct kt_host *host)
{
	bool is_a = host == &link->hosts->a;
	struct ib_qp_init_attr init = {
		.send_cq = host->cq,
		.recv_cq = host->cq,
		.cap = {
			.max_send_wr = 32, .max_recv_wr = 8,
			.max_send_sge = 4, .max_recv_sge = 4,
		},
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.port_num = 1,
	};

	if (is_a && !link->plain_qp) {
		init.create_flags = IB_QP_CREATE_INTEGRITY_EN;
		init.cap.max_rdma_ctxs = KT_DIF_CTXS;
	}
	return rdma_create_qp(id, host->pd, &init);
}

static void take_step(struct kt_link *link, int status)
{
	link->status = status;
	complete(&link->step);
}

static int a_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	switch (event->event) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
	case RDMA_CM_EVENT_ESTABLISHED:
		take_step(id->context, 0);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
	case RDMA_CM_EVENT_TIMEWAIT_EXIT:
		break;
	default:
		take_step(id->context, event->status ?: -ECONNREFUSED);
	}
	return 0;
}

static const struct rdma_conn_param conn_param = {
	.responder_resources = 8, .initiator_depth = 8,
};

static int b_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct kt_hosts *hosts = id->context;
	struct rdma_conn_param param = conn_param;
	struct kt_link *link;
	int ret;

	if (event->event == RDMA_CM_EVENT_ESTABLISHED) {
		link = id->context;
		complete(&link->accepted);
		return 0;
	}
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	link = hosts->incoming;
	ret = create_qp(link, id, &hosts->b);
	if (ret)
		return ret;
	id->context = link;
	ret = rdma_accept(id, &param);
	if (ret)
		rdma_destroy_qp(id);
	else
		link->b = id;
	return ret;
}

static bool set_address(struct sockaddr_storage *addr, const char *ip)
{
	struct sockaddr_in *in = (struct sockaddr_in *)addr;

	*addr = (struct sockaddr_storage) {};
	in->sin_family = AF_INET;
	in->sin_port = htons(PORT);
	return in4_pton(ip, -1, (u8 *)&in->sin_addr, -1, NULL);
}

bool kt_hosts_open(struct ktap *t, struct kt_hosts *hosts)
{
	struct sockaddr_storage addr;

	*hosts = (struct kt_hosts) {};
	if (!host_open(t, &hosts->a, "siwa") || !host_open(t, &hosts->b, "siwb"))
		return false;
	hosts->listener = rdma_create_id(hosts->b.net, b_event, hosts, RDMA_PS_TCP, IB_QPT_RC);
	if (!KT_EXPECT_ERR(t, hosts->listener, 0))
		return false;
	return KT_EXPECT(t, set_address(&addr, "10.77.1.2")) &&
	       KT_EXPECT_EQ(t, rdma_bind_addr(hosts->listener, (struct sockaddr *)&addr), 0) &&
	       KT_EXPECT_EQ(t, rdma_listen(hosts->listener, 4), 0);
}
EXPORT_SYMBOL(kt_hosts_open);

void kt_hosts_close(struct kt_hosts *hosts)
{
	if (!IS_ERR_OR_NULL(hosts->listener))
		rdma_destroy_id(hosts->listener);
	host_close(&hosts->a);
	host_close(&hosts->b);
}
EXPORT_SYMBOL(kt_hosts_close);

/* Waits for the event that follows the call that returned @ret. */
static bool step(struct ktap *t, struct kt_link *link, int ret)
{
	return KT_EXPECT_EQ(t, ret, 0) &&
	       KT_EXPECT(t, wait_for_completion_timeout(&link->step, PATIENCE)) &&
	       KT_EXPECT_EQ(t, link->status, 0);
}

bool kt_link_open(struct ktap *t, struct kt_hosts *hosts, struct kt_link *link, bool plain_qp)
{
	struct rdma_conn_param param = conn_param;
	struct sockaddr_storage addr;
	int i;

	*link = (struct kt_link) { .hosts = hosts, .plain_qp = plain_qp };
	init_completion(&link->step);
	init_completion(&link->accepted);
	for (i = 0; i < 2; i++) {
		init_completion(&link->op[i].done);
		init_completion(&link->recv[i].done);
	}
	hosts->incoming = link;
	link->a = rdma_create_id(hosts->a.net, a_event, link, RDMA_PS_TCP, IB_QPT_RC);
	if (!KT_EXPECT_ERR(t, link->a, 0))
		return false;
	set_address(&addr, "10.77.1.2");
	return step(t, link, rdma_resolve_addr(link->a, NULL, (struct sockaddr *)&addr, 5000)) &&
	       step(t, link, rdma_resolve_route(link->a, 5000)) &&
	       KT_EXPECT_EQ(t, create_qp(link, link->a, &hosts->a), 0) &&
	       step(t, link, rdma_connect(link->a, &param)) &&
	       KT_EXPECT(t, wait_for_completion_timeout(&link->accepted, PATIENCE));
}
EXPORT_SYMBOL(kt_link_open);

static void end_close(struct rdma_cm_id *id)
{
	if (IS_ERR_OR_NULL(id))
		return;
	if (id->qp) {
		rdma_disconnect(id);
		ib_drain_qp(id->qp);
		rdma_destroy_qp(id);
	}
	rdma_destroy_id(id);
}

void kt_link_close(struct kt_link *link)
{
	end_close(link->a);
	end_close(link->b);
}
EXPORT_SYMBOL(kt_link_close);

MODULE_DESCRIPTION("hosts and connections of krdma's tests over siw");
MODULE_LICENSE("Dual BSD/GPL");
