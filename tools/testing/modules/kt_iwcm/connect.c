// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of iw_cm on the active side of connections, and at the end of connections.
 */
#include <linux/in6.h>
#include <linux/inet.h>
#include <net/net_namespace.h>

#include "kt_iwcm.h"

static int unused_handler(struct iw_cm_id *id, struct iw_cm_event *event)
{
	return 0;
}

static void bad_creations(struct ktap *t)
{
	struct fakedev *plain;

	if (!kt_iw_start(t))
		return;
	KT_EXPECT_ERR(t, iw_create_cm_id(NULL, unused_handler, NULL), -EINVAL);
	KT_EXPECT_ERR(t, iw_create_cm_id(kt_prov.dev, NULL, NULL), -EINVAL);
	plain = fakedev_create(NULL);
	if (KT_EXPECT_ERR(t, plain, 0)) {
		KT_EXPECT_ERR(t, iw_create_cm_id(&plain->ibdev, unused_handler, NULL),
			      -EOPNOTSUPP);
		KT_EXPECT(t, !iw_cm_get_qp(&plain->ibdev, 1));
		fakedev_destroy(plain);
	}
	kt_iw_end(t);
}

static void bad_arguments(struct ktap *t)
{
	struct iw_cm_conn_param param = { .qpn = 1 };
	struct kt_client c;
	char byte = 0;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	KT_EXPECT_EQ(t, iw_cm_connect(c.id, NULL), -EINVAL);
	param.private_data = &byte;
	param.private_data_len = 513;
	KT_EXPECT_EQ(t, iw_cm_connect(c.id, &param), -EINVAL);
	param.private_data = NULL;
	param.private_data_len = 1;
	KT_EXPECT_EQ(t, iw_cm_connect(c.id, &param), -EINVAL);
	param.private_data_len = 0;
	c.id->remote_addr.ss_family = AF_INET6;
	KT_EXPECT_EQ(t, iw_cm_connect(c.id, &param), -EINVAL);
	c.id->local_addr.ss_family = AF_UNIX;
	c.id->remote_addr.ss_family = AF_UNIX;
	KT_EXPECT_EQ(t, iw_cm_connect(c.id, &param), -EINVAL);
	KT_EXPECT_EQ(t, iw_cm_listen(c.id, 1), -EINVAL);
	kt_set_addresses(c.id);
	param.qpn = KT_NR_QPS + 1;
	KT_EXPECT_EQ(t, iw_cm_connect(c.id, &param), -EINVAL);
	KT_EXPECT_EQ(t, kt_calls(KT_CONNECT), 0);

	c.id->local_addr.ss_family = AF_INET6;
	c.id->remote_addr.ss_family = AF_INET6;
	param.qpn = 1;
	KT_EXPECT_EQ(t, iw_cm_connect(c.id, &param), 0);
	KT_EXPECT_EQ(t, c.id->m_local_addr.ss_family, AF_INET6);
	KT_EXPECT_EQ(t, c.id->m_remote_addr.ss_family, AF_INET6);
	KT_EXPECT(t, !c.id->mapped);
	kt_close(&c);
	kt_iw_end(t);
}

static void connects_and_closes(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	KT_EXPECT_EQ(t, kt_refs(1), 1);
	KT_EXPECT_EQ(t, kt_report_data(c.id, IW_CM_EVENT_CONNECT_REPLY, 0, 513), -EINVAL);
	KT_EXPECT_EQ(t, kt_report_data(c.id, IW_CM_EVENT_CONNECT_REPLY, 0, 512), 0);
	KT_EXPECT(t, kt_wait_events(&c, 1));
	KT_EXPECT_EQ(t, c.seen[0], IW_CM_EVENT_CONNECT_REPLY);
	KT_EXPECT_EQ(t, c.len[0], 512);
	KT_EXPECT(t, c.data_ok);
	KT_EXPECT_EQ(t, kt_connect(&c, 1), -EINVAL);

	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 0), 0);
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 0), 0);
	KT_EXPECT_EQ(t, atomic_read(&kt_qp(1)->drains), 1);
	KT_EXPECT_EQ(t, kt_refs(1), 1);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), 0);
	/*
	 * Expects that iw_cm drops its reference to the QP when CLOSE is reported, not when CLOSE
	 * is delivered.
	 */
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	KT_EXPECT(t, kt_wait_events(&c, 2));
	KT_EXPECT_EQ(t, c.seen[1], IW_CM_EVENT_CLOSE);
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 0), -EINVAL);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), -EINVAL);

	/* Expects that the identifier can connect again. */
	KT_EXPECT_EQ(t, kt_connect(&c, 2), 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CONNECT_REPLY, 0), 0);
	KT_EXPECT(t, kt_wait_events(&c, 3));
	kt_close(&c);
	KT_EXPECT(t, !c.overlapped);
	kt_iw_end(t);
}

static void report_connect_connection(struct iw_cm_id *id)
{
	kt_report(id, IW_CM_EVENT_CONNECT_REPLY, 0);
	kt_report(id, IW_CM_EVENT_DISCONNECT, 0);
	kt_report(id, IW_CM_EVENT_CLOSE, 0);
	msleep(20);
}

static void early_events(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	kt_prov.inside[KT_CONNECT] = report_connect_connection;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	KT_EXPECT(t, kt_wait_events(&c, 3));
	KT_EXPECT_EQ(t, c.seen[0], IW_CM_EVENT_CONNECT_REPLY);
	KT_EXPECT_EQ(t, c.seen[1], IW_CM_EVENT_DISCONNECT);
	KT_EXPECT_EQ(t, c.seen[2], IW_CM_EVENT_CLOSE);
	kt_close(&c);
	kt_iw_end(t);
}

static void failed_connect(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	kt_prov.ret[KT_CONNECT] = -EHOSTUNREACH;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), -EHOSTUNREACH);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	kt_prov.inside[KT_CONNECT] = report_connect_connection;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), -EHOSTUNREACH);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CONNECT_REPLY, 0), -EINVAL);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), -EINVAL);
	KT_EXPECT(t, kt_no_more_events(&c, 0));
	kt_prov.ret[KT_CONNECT] = 0;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	KT_EXPECT(t, kt_wait_events(&c, 3));
	kt_close(&c);
	kt_iw_end(t);
}

static int connect_again(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event)
{
	return event->status ? kt_connect(c, 2) : 0;
}

static void failed_reply(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	c.hook = connect_again;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	KT_EXPECT_EQ(t, kt_report_data(c.id, IW_CM_EVENT_CONNECT_REPLY, -ECONNREFUSED, 7), 0);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	KT_EXPECT(t, kt_wait_events(&c, 1));
	KT_EXPECT_EQ(t, c.status[0], -ECONNREFUSED);
	KT_EXPECT_EQ(t, c.len[0], 7);
	KT_EXPECT_EQ(t, kt_calls(KT_CONNECT), 2);
	KT_EXPECT_EQ(t, kt_refs(2), 1);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CONNECT_REPLY, 0), 0);
	KT_EXPECT(t, kt_wait_events(&c, 2));
	kt_close(&c);
	kt_iw_end(t);
}

static void peer_closes(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_establish(t, &c, 1))
		return;
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_DISCONNECT, 0), 0);
	KT_EXPECT(t, kt_wait_events(&c, 2));
	KT_EXPECT_EQ(t, c.seen[1], IW_CM_EVENT_DISCONNECT);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_DISCONNECT, 0), 0);
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 0), 0);
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 0), 0);
	KT_EXPECT_EQ(t, atomic_read(&kt_qp(1)->drains), 1);
	kt_prov.modify = kt_do_nothing;
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 1), 0);
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 1), 0);
	KT_EXPECT_EQ(t, atomic_read(&kt_qp(1)->aborts), 1);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, -ECONNRESET), 0);
	KT_EXPECT(t, kt_wait_events(&c, 3));
	KT_EXPECT_EQ(t, c.status[2], -ECONNRESET);
	KT_EXPECT(t, kt_no_more_events(&c, 3));
	kt_close(&c);
	kt_iw_end(t);
}

static int fail_modify(struct kt_qp *qp, enum ib_qp_state to)
{
	return -EIO;
}

static int close_and_fail(struct kt_qp *qp, enum ib_qp_state to)
{
	kt_report(qp->id, IW_CM_EVENT_CLOSE, 0);
	return -EIO;
}

static void failed_disconnect(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_establish(t, &c, 1))
		return;
	kt_prov.modify = fail_modify;
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 0), -EIO);
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 1), -EIO);
	KT_EXPECT_EQ(t, kt_refs(1), 1);
	kt_prov.modify = close_and_fail;
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 0), 0);
	KT_EXPECT(t, kt_wait_events(&c, 2));
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	kt_close(&c);
	kt_iw_end(t);
}

static int disconnect_and_fail(struct kt_qp *qp, enum ib_qp_state to)
{
	kt_report(qp->id, IW_CM_EVENT_DISCONNECT, 0);
	return -EIO;
}

static int disconnect_too(struct kt_qp *qp, enum ib_qp_state to)
{
	return kt_report(qp->id, IW_CM_EVENT_DISCONNECT, 0);
}

static void both_close(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_establish(t, &c, 1))
		return;
	kt_prov.modify = disconnect_too;
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 0), 0);
	KT_EXPECT(t, kt_no_more_events(&c, 1));
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), 0);
	KT_EXPECT(t, kt_wait_events(&c, 2));
	KT_EXPECT_EQ(t, c.seen[1], IW_CM_EVENT_CLOSE);

	/*
	 * The peer disconnects first, but the client disconnects before DISCONNECT is delivered.
	 * Expects that only CLOSE is delivered.
	 */
	c.hook = kt_block;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CONNECT_REPLY, 0), 0);
	KT_EXPECT(t, wait_for_completion_timeout(&c.entered, HZ));
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_DISCONNECT, 0), 0);
	kt_prov.modify = kt_do_nothing;
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 0), 0);
	c.hook = NULL;
	complete_all(&c.go);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), 0);
	KT_EXPECT(t, kt_wait_events(&c, 4));
	KT_EXPECT_EQ(t, c.seen[3], IW_CM_EVENT_CLOSE);
	kt_close(&c);
	kt_iw_end(t);
}

static void peer_closes_anyway(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_establish(t, &c, 1))
		return;
	kt_prov.modify = disconnect_and_fail;
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 0), 0);
	KT_EXPECT(t, kt_wait_events(&c, 2));
	KT_EXPECT_EQ(t, c.seen[1], IW_CM_EVENT_DISCONNECT);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), 0);
	KT_EXPECT(t, kt_wait_events(&c, 3));
	kt_close(&c);
	kt_iw_end(t);
}

static int disconnect_inside(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event)
{
	return event->event == IW_CM_EVENT_CLOSE ? 0 : iw_cm_disconnect(id, 1);
}

static void disconnect_in_handler(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	c.hook = disconnect_inside;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CONNECT_REPLY, 0), 0);
	KT_EXPECT(t, kt_wait_events(&c, 2));
	KT_EXPECT_EQ(t, c.seen[1], IW_CM_EVENT_CLOSE);
	kt_close(&c);
	kt_iw_end(t);
}

static void unbound_qp(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_establish(t, &c, 1))
		return;
	iw_cm_unbind_qp(c.id, &kt_qp(2)->ibqp);
	KT_EXPECT_EQ(t, kt_refs(1), 1);
	KT_EXPECT_EQ(t, kt_refs(2), 0);
	iw_cm_unbind_qp(c.id, &kt_qp(1)->ibqp);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	iw_cm_unbind_qp(c.id, &kt_qp(1)->ibqp);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 0), 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), 0);
	KT_EXPECT(t, kt_wait_events(&c, 2));
	kt_close(&c);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	kt_iw_end(t);
}

static void found_qp(struct ktap *t)
{
	struct ib_qp *qp;

	if (!kt_iw_start(t))
		return;
	KT_EXPECT(t, !iw_cm_get_qp(kt_prov.dev, KT_NR_QPS + 1));
	qp = iw_cm_get_qp(kt_prov.dev, 5);
	KT_EXPECT(t, qp == &kt_qp(5)->ibqp);
	KT_EXPECT_EQ(t, kt_refs(5), 1);
	kt_prov.dev->ops.iw_rem_ref(qp);
	kt_iw_end(t);
}

static void expect_attr(struct ktap *t, struct iw_cm_id *id, int ret)
{
	static const enum ib_qp_state states[] = { IB_QPS_INIT, IB_QPS_RTR, IB_QPS_RTS };
	struct ib_qp_attr attr;
	int i, mask;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		attr.qp_state = states[i];
		mask = -1;
		if (!KT_EXPECT_EQ(t, iw_cm_init_qp_attr(id, &attr, &mask), ret) || ret)
			continue;
		if (states[i] == IB_QPS_RTS) {
			KT_EXPECT_EQ(t, mask, 0);
			continue;
		}
		KT_EXPECT_EQ(t, mask, IB_QP_STATE | IB_QP_ACCESS_FLAGS);
		KT_EXPECT_EQ(t, attr.qp_access_flags, IB_ACCESS_LOCAL_WRITE |
			     IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ);
	}
	attr.qp_state = IB_QPS_SQD;
	KT_EXPECT_EQ(t, iw_cm_init_qp_attr(id, &attr, &mask), -EINVAL);
	KT_EXPECT_EQ(t, iw_cm_init_qp_attr(id, NULL, &mask), -EINVAL);
	KT_EXPECT_EQ(t, iw_cm_init_qp_attr(id, &attr, NULL), -EINVAL);
}

static void qp_attributes(struct ktap *t)
{
	struct kt_client c, l;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	expect_attr(t, c.id, 0);
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	expect_attr(t, c.id, 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CONNECT_REPLY, 0), 0);
	expect_attr(t, c.id, 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_DISCONNECT, 0), 0);
	expect_attr(t, c.id, -EINVAL);
	kt_close(&c);
	if (kt_listen(t, &l, 1)) {
		expect_attr(t, l.id, -EINVAL);
		kt_close(&l);
	}
	kt_iw_end(t);
}

static void set_ipv6(struct sockaddr_storage *addr, const char *text, u16 port)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)addr;

	*in6 = (struct sockaddr_in6) { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	in6_pton(text, -1, in6->sin6_addr.s6_addr, -1, NULL);
}

/* A device that names an interface, so that iw_cm would ask the port mapper, but has none. */
static void without_netdev(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	strscpy(kt_prov.dev->iw_ifname, "lo", sizeof(kt_prov.dev->iw_ifname));
	KT_EXPECT(t, iw_cm_uses_port_mapper(kt_prov.dev));
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	KT_EXPECT(t, !c.id->mapped);
	KT_EXPECT(t, !memcmp(&c.id->local_addr, &c.id->m_local_addr, sizeof(c.id->local_addr)));
	kt_close(&c);
	kt_iw_end(t);
}

/* The port mapper needs the local address, which is that of the route to the peer. */
static void without_route(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	strscpy(kt_prov.dev->iw_ifname, "lo", sizeof(kt_prov.dev->iw_ifname));
	KT_EXPECT_EQ(t, ib_device_set_netdev(kt_prov.dev, init_net.loopback_dev, 1), 0);
	set_ipv6(&c.id->local_addr, "::", 1000);
	set_ipv6(&c.id->remote_addr, "2001:db8::1", 2000);
	KT_EXPECT_EQ(t, kt_connect(&c, 1), -ENETUNREACH);
	KT_EXPECT_EQ(t, kt_calls(KT_CONNECT), 0);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	kt_close(&c);
	kt_iw_end(t);
}

/* Connects twice to the port that the mapper has chosen; the first attempt fails. */
static void mapped_first(struct ktap *t)
{
	struct sockaddr_in *remote;
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	c.id->map_first = true;
	KT_EXPECT_EQ(t, iw_cm_map(c.id), 0);
	remote = (struct sockaddr_in *)&c.id->m_remote_addr;
	KT_EXPECT_EQ(t, ntohs(remote->sin_port), 2000);
	remote->sin_port = htons(3000);
	kt_prov.ret[KT_CONNECT] = -EHOSTUNREACH;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), -EHOSTUNREACH);
	kt_prov.ret[KT_CONNECT] = 0;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	KT_EXPECT_EQ(t, kt_calls(KT_CONNECT), 2);
	KT_EXPECT_EQ(t, ntohs(remote->sin_port), 3000);
	kt_close(&c);
	kt_iw_end(t);
}

static void reject_messages(struct ktap *t)
{
	KT_EXPECT(t, strstr(iwcm_reject_msg(-ECONNREFUSED), "refused"));
	KT_EXPECT(t, strcmp(iwcm_reject_msg(-ETIMEDOUT), iwcm_reject_msg(-ECONNRESET)));
	KT_EXPECT(t, iwcm_reject_msg(12345));
}

static const struct ktap_case connect_cases[] = {
	{ "identifiers are refused without device, handler or iWARP", bad_creations,
	  COVERS(iw_create_cm_id ib_device) },
	{ "connect and listen refuse bad arguments and stay usable", bad_arguments,
	  COVERS(iw_cm_connect iw_cm_listen iw_cm_conn_param) },
	{ "a connection is made, drained and closed, and made again", connects_and_closes,
	  COVERS(iw_cm_connect iw_cm_disconnect IW_CM_EVENT_CLOSE) },
	{ "events reported inside connect come in order", early_events,
	  COVERS(iw_cm_handler iw_cm_event) },
	{ "after a failed connect there are no events", failed_connect, COVERS(iw_cm_connect) },
	{ "a failed reply frees the QP; the handler may connect again", failed_reply,
	  COVERS(iw_cm_connect) },
	{ "the peer closes; the QP is drained and aborted once", peer_closes,
	  COVERS(IW_CM_EVENT_CLOSE ib_qp) },
	{ "a failed disconnect changes nothing, unless CLOSE was reported", failed_disconnect,
	  COVERS(iw_cm_disconnect) },
	{ "both sides close at once: no DISCONNECT after disconnect", both_close,
	  COVERS(iw_cm_disconnect) },
	{ "a disconnect fails because the peer closes", peer_closes_anyway },
	{ "disconnect inside the handler", disconnect_in_handler,
	  COVERS(iw_cm_disconnect iw_cm_handler) },
	{ "a QP is unbound only once", unbound_qp, COVERS(iw_cm_unbind_qp ib_qp) },
	{ "QPs are found by number, with a reference", found_qp, COVERS(iw_cm_get_qp ib_qp) },
	{ "attributes of the QP by state", qp_attributes, COVERS(iw_cm_init_qp_attr ib_qp_attr) },
	{ "a device without a network interface has no mappings", without_netdev },
	{ "no route to the peer", without_route },
	{ "addresses that were mapped before are kept", mapped_first },
	{ "messages for the reasons of a reject", reject_messages },
};

KTAP_SUITE(kt_iwcm_connect_suite, "connect", connect_cases);
