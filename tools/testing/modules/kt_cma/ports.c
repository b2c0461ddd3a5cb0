// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of rdma_cm with a device of two ports. The interface of port 1 is the dummy kta, that of
 * port 2 the dummy ktb. The provider reports the connection requests that a test chooses.
 */
#include <linux/in.h>
#include <linux/inet.h>
#include <linux/netdevice.h>
#include <net/net_namespace.h>
#include <rdma/iw_cm.h>
#include <rdma/rdma_cm.h>

#include "../support/fakedev.h"
#include "kt_cma.h"

#define ADDR_A	"10.1.8.1"
#define ADDR_B	"10.1.9.1"
#define ADDR_LO	"10.1.7.1"	/* of lo in the initial namespace */
#define TCP_PORT	5556

/* The provider's listener, or NULL. */
static struct iw_cm_id *provider_listener;

static int iw_create_listen(struct iw_cm_id *id, int backlog)
{
	id->add_ref(id);
	provider_listener = id;
	return 0;
}

static int iw_destroy_listen(struct iw_cm_id *id)
{
	provider_listener = NULL;
	id->rem_ref(id);
	return 0;
}

/* Calls of iw_reject() and iw_get_qp(). */
static atomic_t rejections, qp_lookups;

static int iw_reject(struct iw_cm_id *id, const void *pdata, u8 len)
{
	atomic_inc(&rejections);
	return 0;
}

/* No test connects. */
static int iw_connect(struct iw_cm_id *id, struct iw_cm_conn_param *param)
{
	return -EOPNOTSUPP;
}

static int iw_accept(struct iw_cm_id *id, struct iw_cm_conn_param *param)
{
	return 0;
}

#define THE_QPN	1

/* The only QP of the device. */
static struct ib_qp the_qp = { .qp_num = THE_QPN, .qp_type = IB_QPT_RC };

static struct ib_qp *iw_get_qp(struct ib_device *dev, int qpn)
{
	atomic_inc(&qp_lookups);
	the_qp.device = dev;
	return qpn == THE_QPN ? &the_qp : NULL;
}

static void iw_ref(struct ib_qp *qp)
{
}

static const struct ib_device_ops iw_ops = {
	.iw_accept = iw_accept,
	.iw_add_ref = iw_ref,
	.iw_connect = iw_connect,
	.iw_create_listen = iw_create_listen,
	.iw_destroy_listen = iw_destroy_listen,
	.iw_get_qp = iw_get_qp,
	.iw_reject = iw_reject,
	.iw_rem_ref = iw_ref,
};

/* The events that a consumer has seen. */
struct seen {
	atomic_t changes;
	atomic_t requests;
	atomic_t resolved;	/* ADDR_RESOLVED and ROUTE_RESOLVED */
	u32 port;	/* of the last request */
	struct rdma_conn_param param;	/* of the last request, without its private data */
};

/* Refuses requests, because no test needs the connection. */
static int note_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct seen *seen = id->context;

	if (event->event == RDMA_CM_EVENT_ADDR_CHANGE)
		atomic_inc(&seen->changes);
	if (event->event == RDMA_CM_EVENT_ADDR_RESOLVED ||
	    event->event == RDMA_CM_EVENT_ROUTE_RESOLVED)
		atomic_inc(&seen->resolved);
	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		return 0;
	seen->port = id->port_num;
	seen->param = event->param.conn;
	atomic_inc(&seen->requests);
	return -ECONNREFUSED;
}

/* Changes the link address again, and gives up the identifier. */
static int change_again(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct seen *seen = id->context;

	if (event->event != RDMA_CM_EVENT_ADDR_CHANGE)
		return 0;
	kt_sh("ip link set ktb address 02:00:00:00:00:1b");
	atomic_inc(&seen->changes);
	return -ECANCELED;
}

static struct sockaddr_storage address(const char *text, u16 port)
{
	struct sockaddr_storage addr = {};
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;

	in->sin_family = AF_INET;
	in->sin_addr.s_addr = in_aton(text);
	in->sin_port = htons(port);
	return addr;
}

/* Returns an identifier of @net that is bound to @text, or NULL. */
static struct rdma_cm_id *bind_id(struct ktap *t, struct net *net, const char *text,
				  struct seen *seen)
{
	struct sockaddr_storage addr = address(text, TCP_PORT);
	struct rdma_cm_id *id;

	memset(seen, 0, sizeof(*seen));
	id = rdma_create_id(net, note_event, seen, RDMA_PS_TCP, IB_QPT_RC);
	if (!KT_EXPECT_ERR(t, id, 0))
		return NULL;
	if (KT_EXPECT_EQ(t, rdma_bind_addr(id, (struct sockaddr *)&addr), 0))
		return id;
	rdma_destroy_id(id);
	return NULL;
}

struct two_ports {
	struct fakedev *fd;
	struct net_device *a, *b;
};

static void end(struct two_ports *p)
{
	if (!IS_ERR_OR_NULL(p->fd))
		fakedev_destroy(p->fd);
	dev_put(p->a);
	dev_put(p->b);
	kt_sh("ip link del kta; ip link del ktb; ip address del " ADDR_LO "/32 dev lo");
}

static bool start(struct ktap *t, struct two_ports *p)
{
	struct fakedev_config config = { .nr_ports = 2, .more_ops = &iw_ops };

	memset(p, 0, sizeof(*p));
	KT_EXPECT_EQ(t, kt_sh("ip link add kta up type dummy && ip link add ktb up type dummy"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add " ADDR_A "/24 dev kta"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add " ADDR_B "/24 dev ktb"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip address add " ADDR_LO "/32 dev lo"), 0);
	p->a = dev_get_by_name(&init_net, "kta");
	p->b = dev_get_by_name(&init_net, "ktb");
	if (!KT_EXPECT(t, p->a && p->b))
		goto fail;
	config.ndev = p->a;
	p->fd = fakedev_create(&config);
	if (KT_EXPECT_ERR(t, p->fd, 0) &&
	    KT_EXPECT_EQ(t, ib_device_set_netdev(&p->fd->ibdev, p->b, 2), 0))
		return true;
fail:
	end(p);
	return false;
}

static bool has_link_of(const struct rdma_cm_id *id, const struct net_device *ndev)
{
	return !memcmp(id->route.addr.dev_addr.src_dev_addr, ndev->dev_addr, ndev->addr_len);
}

/*
 * Changes the link address of ktb, then that of kta. The identifier of kta comes first in the
 * device's list, so an event that the first change caused for it would run before that of ktb.
 */
static void change_both(struct ktap *t, const struct two_ports *p, struct rdma_cm_id *of_a,
			struct rdma_cm_id *of_b)
{
	struct seen *seen_a = of_a->context, *seen_b = of_b->context;

	KT_EXPECT_EQ(t, of_a->port_num, 1);
	KT_EXPECT_EQ(t, of_b->port_num, 2);
	KT_EXPECT_EQ(t, of_a->route.addr.dev_addr.network, RDMA_NETWORK_IPV4);
	KT_EXPECT_EQ(t, kt_sh("ip link set ktb address 02:00:00:00:00:0b"), 0);
	KT_WAIT(t, atomic_read(&seen_b->changes) == 1);
	KT_EXPECT(t, has_link_of(of_a, p->a) && has_link_of(of_b, p->b));
	KT_EXPECT_EQ(t, atomic_read(&seen_a->changes), 0);

	KT_EXPECT_EQ(t, kt_sh("ip link set kta address 02:00:00:00:00:0a"), 0);
	KT_WAIT(t, atomic_read(&seen_a->changes) == 1);
	KT_EXPECT(t, has_link_of(of_a, p->a) && has_link_of(of_b, p->b));
	KT_EXPECT_EQ(t, atomic_read(&seen_b->changes), 1);
}

/* A new link address of one port's interface does not concern the identifiers of the other port. */
static void test_link_addresses(struct ktap *t)
{
	struct rdma_cm_id *of_a, *of_b;
	struct seen seen_a, seen_b;
	struct two_ports p;

	if (!start(t, &p))
		return;
	of_a = bind_id(t, &init_net, ADDR_A, &seen_a);
	of_b = bind_id(t, &init_net, ADDR_B, &seen_b);
	if (of_a && of_b)
		change_both(t, &p, of_a, of_b);
	if (of_b)
		rdma_destroy_id(of_b);
	if (of_a)
		rdma_destroy_id(of_a);
	end(&p);
}

/* An identifier whose handler gives up gets no event of a change that comes while it runs. */
static void test_change_again(struct ktap *t)
{
	struct sockaddr_storage addr = address(ADDR_B, TCP_PORT);
	struct seen seen = {};
	struct rdma_cm_id *id;
	struct two_ports p;

	if (!start(t, &p))
		return;
	id = rdma_create_id(&init_net, change_again, &seen, RDMA_PS_TCP, IB_QPT_RC);
	if (KT_EXPECT_ERR(t, id, 0)) {
		KT_EXPECT_EQ(t, rdma_bind_addr(id, (struct sockaddr *)&addr), 0);
		KT_EXPECT_EQ(t, kt_sh("ip link set ktb address 02:00:00:00:00:0b"), 0);
		KT_WAIT(t, atomic_read(&seen.changes) == 1);
	}
	/* The device is removed after its identifiers. */
	end(&p);
	KT_EXPECT_EQ(t, atomic_read(&seen.changes), 1);
}

static struct iw_cm_event request_event(const char *local)
{
	return (struct iw_cm_event) {
		.event = IW_CM_EVENT_CONNECT_REQUEST,
		.local_addr = address(local, TCP_PORT),
		.remote_addr = address("10.1.8.2", 1000),
	};
}

/* Reports a request, and waits until iw_cm has delivered it. */
static void report_request(struct ktap *t, struct iw_cm_event *event)
{
	if (!KT_EXPECT(t, provider_listener))
		return;
	KT_EXPECT_EQ(t, provider_listener->event_handler(provider_listener, event), 0);
	iw_cm_flush();
}

static void request(struct ktap *t, const char *local)
{
	struct iw_cm_event event = request_event(local);

	report_request(t, &event);
}

/* Requests to @a and @b are delivered as those of port 1 and 2; if a port is 0, they are not. */
static void expect_requests(struct ktap *t, struct net *net, u32 a, u32 b)
{
	struct rdma_cm_id *id;
	struct seen seen;

	id = bind_id(t, net, "0.0.0.0", &seen);
	if (!id)
		return;
	KT_EXPECT_EQ(t, rdma_listen(id, 5), 0);
	if (!a && !b) {
		KT_EXPECT(t, !provider_listener);
	} else if (KT_EXPECT(t, provider_listener)) {
		request(t, ADDR_A);
		KT_EXPECT_EQ(t, atomic_read(&seen.requests), a ? 1 : 0);
		KT_EXPECT_EQ(t, seen.port, a);
		seen.port = 0;
		request(t, ADDR_B);
		KT_EXPECT_EQ(t, atomic_read(&seen.requests), (a ? 1 : 0) + (b ? 1 : 0));
		KT_EXPECT_EQ(t, seen.port, b);
		/* No port has the address, so the first one counts. */
		request(t, ADDR_LO);
		KT_EXPECT_EQ(t, seen.port, a ?: b);
	}
	rdma_destroy_id(id);
	KT_EXPECT(t, !provider_listener);
}

/* An identifier of all addresses that listens, or not, on a device of another node type. */
static void listen_as(struct ktap *t, u8 node_type, bool listens)
{
	struct sockaddr_storage any = address("0.0.0.0", TCP_PORT);
	struct seen seen = {};
	struct rdma_cm_id *id;

	id = rdma_create_id(&init_net, note_event, &seen, RDMA_PS_TCP, IB_QPT_RC);
	if (!KT_EXPECT_ERR(t, id, 0))
		return;
	KT_EXPECT_EQ(t, rdma_restrict_node_type(id, node_type), 0);
	KT_EXPECT_EQ(t, rdma_bind_addr(id, (struct sockaddr *)&any), 0);
	KT_EXPECT_EQ(t, rdma_listen(id, 5), 0);
	KT_EXPECT_EQ(t, !!provider_listener, listens);
	rdma_destroy_id(id);
}

/* Of two identifiers that reuse an address, the second one does not listen beside the first. */
static void listen_twice(struct ktap *t)
{
	struct sockaddr_storage addr = address(ADDR_A, TCP_PORT);
	struct rdma_cm_id *id[2];
	struct iw_cm_id *first;
	struct seen seen = {};
	int i;

	for (i = 0; i < ARRAY_SIZE(id); i++) {
		id[i] = rdma_create_id(&init_net, note_event, &seen, RDMA_PS_TCP, IB_QPT_RC);
		if (!KT_EXPECT_ERR(t, id[i], 0))
			break;
		KT_EXPECT_EQ(t, rdma_set_reuseaddr(id[i], 1), 0);
		KT_EXPECT_EQ(t, rdma_bind_addr(id[i], (struct sockaddr *)&addr), 0);
	}
	if (i == ARRAY_SIZE(id)) {
		KT_EXPECT_EQ(t, rdma_listen(id[0], 5), 0);
		first = provider_listener;
		KT_EXPECT_EQ(t, rdma_listen(id[1], 5), -EADDRINUSE);
		KT_EXPECT(t, first && provider_listener == first);
	}
	while (i--)
		rdma_destroy_id(id[i]);
}

/* A request with more of everything than the parameters of rdma_cm have room for. */
static void test_large_request(struct ktap *t)
{
	struct iw_cm_event event = request_event(ADDR_A);
	static char data[300];
	struct rdma_cm_id *id;
	struct two_ports p;
	struct seen seen;

	if (!start(t, &p))
		return;
	id = bind_id(t, &init_net, "0.0.0.0", &seen);
	if (id) {
		event.ord = 256;
		event.ird = 257;
		event.private_data = data;
		event.private_data_len = sizeof(data);
		KT_EXPECT_EQ(t, rdma_listen(id, 5), 0);
		report_request(t, &event);
		KT_EXPECT_EQ(t, atomic_read(&seen.requests), 1);
		KT_EXPECT_EQ(t, seen.param.initiator_depth, U8_MAX);
		KT_EXPECT_EQ(t, seen.param.responder_resources, U8_MAX);
		KT_EXPECT_EQ(t, seen.param.private_data_len, 255);
		rdma_destroy_id(id);
	}
	end(&p);
}

static void test_listeners(struct ktap *t)
{
	struct two_ports p;

	if (!start(t, &p))
		return;
	listen_as(t, RDMA_NODE_RNIC, true);
	listen_as(t, RDMA_NODE_IB_CA, false);
	listen_twice(t);
	end(&p);
}

/* A consumer that passes no parameters is told so, and may call again. */
static void test_no_param(struct ktap *t)
{
	struct sockaddr_storage to = address(ADDR_A, TCP_PORT);
	struct rdma_conn_param param = { .qp_num = THE_QPN + 1 };
	struct seen seen = {};
	struct rdma_cm_id *id;
	struct two_ports p;

	if (!start(t, &p))
		return;
	atomic_set(&qp_lookups, 0);
	id = rdma_create_id(&init_net, note_event, &seen, RDMA_PS_TCP, IB_QPT_RC);
	if (KT_EXPECT_ERR(t, id, 0)) {
		KT_EXPECT_EQ(t, rdma_resolve_addr(id, NULL, (struct sockaddr *)&to, 1000), 0);
		KT_WAIT(t, atomic_read(&seen.resolved) == 1);
		KT_EXPECT_EQ(t, rdma_resolve_route(id, 1000), 0);
		KT_WAIT(t, atomic_read(&seen.resolved) == 2);
		KT_EXPECT_EQ(t, rdma_connect(id, NULL), -EINVAL);
		param.private_data_len = 1;
		KT_EXPECT_EQ(t, rdma_connect(id, &param), -EINVAL);
		/* The last call gets as far as the QP, which does not exist. */
		KT_EXPECT_EQ(t, atomic_read(&qp_lookups), 0);
		param.private_data_len = 0;
		KT_EXPECT_EQ(t, rdma_connect(id, &param), -EINVAL);
		KT_EXPECT_EQ(t, atomic_read(&qp_lookups), 1);
		rdma_destroy_id(id);
	}
	end(&p);
}

/* A request that its consumer keeps while the device is removed. */
struct kept {
	struct rdma_cm_id *id;
	struct fakedev *fd;
	struct work_struct removal;	/* of @fd */
	struct completion removed;	/* @id has got DEVICE_REMOVAL */
	atomic_t late;	/* events of @id after that */
	struct rdma_cm_event last;	/* the last event but CONNECT_REQUEST */
};

static int keep_request(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct kept *kept = id->context;

	if (event->event != RDMA_CM_EVENT_CONNECT_REQUEST)
		kept->last = *event;
	if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		kept->id = id;
	else if (event->event == RDMA_CM_EVENT_DEVICE_REMOVAL)
		complete(&kept->removed);
	else if (completion_done(&kept->removed))
		atomic_inc(&kept->late);
	return 0;
}

static void remove_fakedev(struct work_struct *work)
{
	fakedev_destroy(container_of(work, struct kept, removal)->fd);
}

static int report_to(struct rdma_cm_id *id, enum iw_cm_event_type type)
{
	struct iw_cm_event event = { .event = type };
	struct iw_cm_id *iw = rdma_iw_cm_id(id);
	int ret = iw->event_handler(iw, &event);

	iw_cm_flush();
	return ret;
}

static void accept_kept(struct ktap *t, const struct kept *kept)
{
	struct rdma_conn_param param = { .qp_num = THE_QPN };

	rdma_lock_handler(kept->id);
	KT_EXPECT_EQ(t, rdma_accept(kept->id, &param), 0);
	rdma_unlock_handler(kept->id);
}

/* The removal waits until the identifier is destroyed. */
static void remove_kept(struct ktap *t, struct kept *kept, bool accepted)
{
	INIT_WORK_ONSTACK(&kept->removal, remove_fakedev);
	queue_work(system_unbound_wq, &kept->removal);
	KT_WAIT(t, completion_done(&kept->removed));
	atomic_set(&rejections, 0);
	KT_EXPECT_EQ(t, rdma_reject(kept->id, NULL, 0, 0), -EINVAL);
	KT_EXPECT_EQ(t, atomic_read(&rejections), 0);
	if (accepted)
		KT_EXPECT_EQ(t, report_to(kept->id, IW_CM_EVENT_CLOSE), 0);
	KT_EXPECT_EQ(t, atomic_read(&kept->late), 0);
	rdma_destroy_id(kept->id);
	flush_work(&kept->removal);
	destroy_work_on_stack(&kept->removal);
	/* A request without an answer is rejected by its end. */
	KT_EXPECT_EQ(t, atomic_read(&rejections), accepted ? 0 : 1);
}

typedef void kept_fn(struct ktap *t, struct kept *kept, struct two_ports *p);

/* Calls @use with a request that the consumer keeps. @use destroys its identifier. */
static void with_request(struct ktap *t, kept_fn *use)
{
	struct sockaddr_storage any = address("0.0.0.0", TCP_PORT);
	struct kept kept = {};
	struct rdma_cm_id *id;
	struct two_ports p;

	if (!start(t, &p))
		return;
	init_completion(&kept.removed);
	id = rdma_create_id(&init_net, keep_request, &kept, RDMA_PS_TCP, IB_QPT_RC);
	if (KT_EXPECT_ERR(t, id, 0)) {
		KT_EXPECT_EQ(t, rdma_bind_addr(id, (struct sockaddr *)&any), 0);
		if (KT_EXPECT_EQ(t, rdma_listen(id, 5), 0))
			request(t, ADDR_A);
		if (KT_EXPECT(t, kept.id))
			use(t, &kept, &p);
		rdma_destroy_id(id);
	}
	end(&p);
}

static void remove_device(struct ktap *t, struct kept *kept, struct two_ports *p)
{
	kept->fd = p->fd;
	p->fd = NULL;
	if (ktap_arg(t)) {
		accept_kept(t, kept);
		KT_EXPECT_EQ(t, report_to(kept->id, IW_CM_EVENT_ESTABLISHED), 0);
	}
	remove_kept(t, kept, ktap_arg(t));
}

/*
 * Removes the device of a request, which the consumer has accepted if the case has an argument.
 * Expects that the consumer can reject nothing any more, and gets no event after DEVICE_REMOVAL.
 */
static void test_kept(struct ktap *t)
{
	with_request(t, remove_device);
}

static void close_early(struct ktap *t, struct kept *kept, struct two_ports *p)
{
	accept_kept(t, kept);
	KT_EXPECT_EQ(t, report_to(kept->id, IW_CM_EVENT_CLOSE), 0);
	KT_EXPECT_EQ(t, kept->last.event, RDMA_CM_EVENT_CONNECT_ERROR);
	KT_EXPECT_EQ(t, kept->last.status, -ECONNRESET);
	rdma_destroy_id(kept->id);
}

/* A connection that ends before it is established has failed. */
static void test_closed_early(struct ktap *t)
{
	with_request(t, close_early);
}

/*
 * The device belongs to the initial namespace, and namespaces share it. While its interfaces are in
 * two namespaces, a wildcard of the initial one gets no requests to the other's address, but those
 * to its own, even if the other namespace says that each address is local; and one of the other
 * namespace does not listen on the device.
 */
static void test_wildcards(struct ktap *t)
{
	struct two_ports p;
	struct net *other;

	if (!start(t, &p))
		return;
	expect_requests(t, &init_net, 1, 2);
	KT_EXPECT_EQ(t, kt_sh("ip netns add ktns && ip link set ktb netns ktns"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip -n ktns address add " ADDR_B "/24 dev ktb"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip -n ktns link set ktb up"), 0);
	KT_EXPECT_EQ(t, kt_sh("ip -n ktns route add local 0.0.0.0/0 dev ktb"), 0);
	other = get_net(dev_net(p.b));
	if (KT_EXPECT(t, !net_eq(other, &init_net))) {
		expect_requests(t, &init_net, 1, 0);
		expect_requests(t, other, 0, 0);
		KT_EXPECT_EQ(t, kt_sh("ip -n ktns route del local 0.0.0.0/0 dev ktb"), 0);
		KT_EXPECT_EQ(t, kt_sh("ip link set kta netns ktns"), 0);
		KT_EXPECT_EQ(t, kt_sh("ip -n ktns address add " ADDR_A "/24 dev kta"), 0);
		expect_requests(t, other, 1, 2);
		/* Port 1 has no interface, so all requests are those of port 2. */
		KT_EXPECT_EQ(t, ib_device_set_netdev(&p.fd->ibdev, NULL, 1), 0);
		expect_requests(t, other, 2, 2);
		KT_EXPECT_EQ(t, ib_device_set_netdev(&p.fd->ibdev, NULL, 2), 0);
		expect_requests(t, other, 0, 0);
	}
	put_net(other);
	end(&p);
	kt_sh("ip netns del ktns");
}

static const struct ktap_case ports_cases[] = {
	{ "a new link address is that of its port's identifiers only", test_link_addresses },
	{ "a link address changes while a handler gives up", test_change_again },
	{ "listeners that the device does not get", test_listeners },
	{ "a request with much of everything", test_large_request },
	{ "an identifier does not connect without parameters", test_no_param },
	{ "the device of a request is removed", test_kept },
	{ "the device of a connection is removed", test_kept, .arg = "accepted" },
	{ "a connection ends before it is established", test_closed_early },
	{ "wildcards get requests to their own namespace's interfaces only", test_wildcards },
};

KTAP_SUITE(kt_cma_ports_suite, "two ports", ports_cases);
