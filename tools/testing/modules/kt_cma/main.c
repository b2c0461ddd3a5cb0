// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_cma.ko: tests of rdma_cm's functions with arguments that no process can pass. Processes bind
 * to IP addresses only; ULPs of the kernel may bind to the wildcard of GIDs.
 */
#include <linux/in.h>
#include <linux/netdevice.h>
#include <linux/socket.h>

#include <rdma/ib.h>
#include <rdma/krdma.h>
#include <rdma/rdma_cm.h>

#include "../support/fakedev.h"
#include "kt_cma.h"

KRDMA_NEEDS_IB_CORE;

#define PORT	5555

/* Service IDs of a port space end with a port. */
#define SERVICE(space, port)	((u64)(space) << 16 | (port))

static int no_event(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	return 0;
}

static struct rdma_cm_id *open_id(struct ktap *t, enum rdma_ucm_port_space space)
{
	struct rdma_cm_id *id;

	id = rdma_create_id(&init_net, no_event, NULL, space, IB_QPT_RC);
	return KT_EXPECT_ERR(t, id, 0) ? id : NULL;
}

static int bind_gid(struct rdma_cm_id *id, u64 service, u8 last_byte)
{
	struct sockaddr_ib addr = { .sib_family = AF_IB, .sib_sid = cpu_to_be64(service) };

	((u8 *)&addr.sib_addr)[sizeof(addr.sib_addr) - 1] = last_byte;
	return rdma_bind_addr(id, (struct sockaddr *)&addr);
}

/* The wildcard of GIDs is the wildcard of IPv6, and its port is taken. */
static void test_any_gid(struct ktap *t)
{
	struct rdma_cm_id *id = open_id(t, RDMA_PS_IB), *other = open_id(t, RDMA_PS_IB);
	struct sockaddr_in6 *src;

	if (id && other) {
		src = (struct sockaddr_in6 *)&id->route.addr.src_addr;
		KT_EXPECT_EQ(t, bind_gid(id, SERVICE(RDMA_PS_IB, PORT), 0), 0);
		KT_EXPECT_EQ(t, src->sin6_family, AF_INET6);
		KT_EXPECT(t, ipv6_addr_any(&src->sin6_addr));
		KT_EXPECT_EQ(t, ntohs(src->sin6_port), PORT);
		KT_EXPECT_EQ(t, bind_gid(other, SERVICE(RDMA_PS_IB, PORT), 0), -EADDRINUSE);
		KT_EXPECT_EQ(t, bind_gid(id, SERVICE(RDMA_PS_IB, PORT + 1), 0), -EINVAL);
	}
	if (other)
		rdma_destroy_id(other);
	if (id)
		rdma_destroy_id(id);
}

/* Refused addresses leave an identifier as it was. */
static void test_refused_gids(struct ktap *t)
{
	struct rdma_cm_id *id = open_id(t, RDMA_PS_IB), *tcp = open_id(t, RDMA_PS_TCP);
	struct rdma_cm_id *udp = open_id(t, RDMA_PS_UDP);

	if (id && tcp && udp) {
		KT_EXPECT_EQ(t, bind_gid(id, SERVICE(RDMA_PS_IB, PORT), 1), -EADDRNOTAVAIL);
		KT_EXPECT_EQ(t, bind_gid(id, SERVICE(RDMA_PS_TCP, PORT), 0), -EINVAL);
		KT_EXPECT_EQ(t, bind_gid(id, PORT, 0), -EINVAL);
		KT_EXPECT_EQ(t, bind_gid(tcp, SERVICE(RDMA_PS_TCP, PORT), 0), -EAFNOSUPPORT);
		/* No socket of TCP is asked for this one. */
		KT_EXPECT_EQ(t, bind_gid(udp, SERVICE(RDMA_PS_UDP, PORT), 0), -EAFNOSUPPORT);
		KT_EXPECT_EQ(t, udp->route.addr.src_addr.ss_family, AF_UNSPEC);
		KT_EXPECT_EQ(t, bind_gid(id, SERVICE(RDMA_PS_IB, PORT), 0), 0);
	}
	if (udp)
		rdma_destroy_id(udp);
	if (tcp)
		rdma_destroy_id(tcp);
	if (id)
		rdma_destroy_id(id);
}

/* Binds a new identifier of this space and node type to 127.0.0.1, and returns its device. */
static struct ib_device *device_of(struct ktap *t, enum rdma_ucm_port_space space, u8 node_type)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	struct rdma_cm_id *id = open_id(t, space);
	struct ib_device *dev;

	if (!id)
		return NULL;
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	KT_EXPECT_EQ(t, rdma_restrict_node_type(id, node_type), 0);
	KT_EXPECT_EQ(t, rdma_bind_addr(id, (struct sockaddr *)&addr), 0);
	KT_EXPECT_EQ(t, rdma_restrict_node_type(id, node_type), -EINVAL);
	dev = id->device;
	rdma_destroy_id(id);
	return dev;
}

/* Binding to a loopback address succeeds without a device, too. */
static void test_node_type(struct ktap *t)
{
	struct fakedev_config config = { .ndev = init_net.loopback_dev };
	struct rdma_cm_id *id = open_id(t, RDMA_PS_TCP);
	struct fakedev *fd = fakedev_create(&config);

	if (id) {
		KT_EXPECT_EQ(t, rdma_restrict_node_type(id, RDMA_NODE_IB_SWITCH), -EINVAL);
		KT_EXPECT_EQ(t, rdma_restrict_node_type(id, RDMA_NODE_USNIC), -EINVAL);
		rdma_destroy_id(id);
	}
	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	KT_EXPECT(t, device_of(t, RDMA_PS_TCP, RDMA_NODE_UNSPECIFIED) == &fd->ibdev);
	KT_EXPECT(t, device_of(t, RDMA_PS_TCP, RDMA_NODE_RNIC) == &fd->ibdev);
	KT_EXPECT(t, !device_of(t, RDMA_PS_TCP, RDMA_NODE_IB_CA));
	fakedev_destroy(fd);
}

/* A program for datagrams learns that iWARP has none when it creates its QP. */
static void test_port_spaces(struct ktap *t)
{
	struct fakedev_config config = { .ndev = init_net.loopback_dev };
	struct fakedev *fd = fakedev_create(&config);

	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	KT_EXPECT(t, device_of(t, RDMA_PS_UDP, RDMA_NODE_UNSPECIFIED) == &fd->ibdev);
	KT_EXPECT(t, !device_of(t, RDMA_PS_IPOIB, RDMA_NODE_UNSPECIFIED));
	fakedev_destroy(fd);
}

/* A device whose only port speaks RoCE. */
static void test_other_protocol(struct ktap *t)
{
	struct fakedev_config config = {
		.node_type = RDMA_NODE_IB_CA,
		.caps = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP,
		.ndev = init_net.loopback_dev,
	};
	struct fakedev *fd = fakedev_create(&config);

	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	KT_EXPECT(t, !device_of(t, RDMA_PS_TCP, RDMA_NODE_UNSPECIFIED));
	KT_EXPECT(t, !device_of(t, RDMA_PS_TCP, RDMA_NODE_IB_CA));
	fakedev_destroy(fd);
}

/* Opens an identifier whose QP is one end of XRC. */
static struct rdma_cm_id *open_xrc(struct ktap *t, enum ib_qp_type type)
{
	struct rdma_cm_id *id = rdma_create_id(&init_net, no_event, NULL, RDMA_PS_TCP, type);

	return KT_EXPECT_ERR(t, id, 0) ? id : NULL;
}

/* The initiator of XRC waits for acknowledgements, and the target for receive requests. */
static void test_xrc_options(struct ktap *t)
{
	struct rdma_cm_id *ini = open_xrc(t, IB_QPT_XRC_INI), *tgt = open_xrc(t, IB_QPT_XRC_TGT);

	if (ini && tgt) {
		KT_EXPECT_EQ(t, rdma_set_ack_timeout(ini, 1), 0);
		KT_EXPECT_EQ(t, rdma_set_ack_timeout(tgt, 1), -EINVAL);
		KT_EXPECT_EQ(t, rdma_set_min_rnr_timer(tgt, 1), 0);
		KT_EXPECT_EQ(t, rdma_set_min_rnr_timer(ini, 1), -EINVAL);
	}
	if (tgt)
		rdma_destroy_id(tgt);
	if (ini)
		rdma_destroy_id(ini);
}

static void test_event_names(struct ktap *t)
{
	KT_EXPECT(t, strcmp(rdma_event_msg(RDMA_CM_EVENT_ADDR_RESOLVED), "unknown event"));
	KT_EXPECT(t, strcmp(rdma_event_msg(RDMA_CM_EVENT_INTERNAL), "unknown event"));
	KT_EXPECT(t, !strcmp(rdma_event_msg(RDMA_CM_EVENT_INTERNAL + 1), "unknown event"));
	KT_EXPECT(t, !strcmp(rdma_event_msg(-1), "unknown event"));
}

/* Returns an identifier that is bound to 127.0.0.1, where @fd is, or NULL. */
static struct rdma_cm_id *open_bound(struct ktap *t, const struct fakedev *fd)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	struct rdma_cm_id *id = open_id(t, RDMA_PS_TCP);

	if (!id)
		return NULL;
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	KT_EXPECT_EQ(t, rdma_bind_addr(id, (struct sockaddr *)&addr), 0);
	if (KT_EXPECT(t, id->device == &fd->ibdev))
		return id;
	rdma_destroy_id(id);
	return NULL;
}

/* Only the peer's consumer rejects with private data, and only on a device. */
static void test_consumer_reject(struct ktap *t)
{
	struct fakedev_config config = { .ndev = init_net.loopback_dev };
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_REJECTED, .status = -ECONNREFUSED };
	struct rdma_cm_id *id, *unbound = open_id(t, RDMA_PS_TCP);
	struct fakedev *fd = fakedev_create(&config);
	u8 len = 1;

	event.param.conn.private_data = "data";
	event.param.conn.private_data_len = 4;
	if (unbound) {
		KT_EXPECT(t, !rdma_is_consumer_reject(unbound, -ECONNREFUSED));
		rdma_destroy_id(unbound);
	}
	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	id = open_bound(t, fd);
	if (id) {
		KT_EXPECT(t, rdma_is_consumer_reject(id, -ECONNREFUSED));
		KT_EXPECT(t, rdma_consumer_reject_data(id, &event, &len) ==
			     event.param.conn.private_data);
		KT_EXPECT_EQ(t, len, 4);
		event.status = -ETIMEDOUT;
		KT_EXPECT(t, !rdma_is_consumer_reject(id, -ETIMEDOUT));
		KT_EXPECT(t, !rdma_consumer_reject_data(id, &event, &len));
		KT_EXPECT_EQ(t, len, 0);
		rdma_destroy_id(id);
	}
	fakedev_destroy(fd);
}

static void fail_qps(struct ktap *t, struct fakedev *fd, struct rdma_cm_id *id, struct ib_pd *pd,
		     struct ib_cq *cq)
{
	struct ib_qp_init_attr attr = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IB_QPT_RC,
		.cap = {
			.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1,
		},
	};

	fakedev_fail(fd, FAKEDEV_CREATE_QP, 1, -ENOSPC);
	KT_EXPECT_EQ(t, rdma_create_qp(id, pd, &attr), -ENOSPC);
	KT_EXPECT(t, !id->qp);
	fakedev_fail(fd, FAKEDEV_MODIFY_QP, 1, -EIO);
	KT_EXPECT_EQ(t, rdma_create_qp(id, pd, &attr), -EIO);
	KT_EXPECT(t, !id->qp);
	KT_EXPECT_EQ(t, fakedev_calls(fd, FAKEDEV_DESTROY_QP), 1);
	KT_EXPECT_EQ(t, atomic_read(&pd->usecnt), 0);
	if (KT_EXPECT_EQ(t, rdma_create_qp(id, pd, &attr), 0))
		rdma_destroy_qp(id);
	KT_EXPECT(t, !id->qp);
}

/* A QP that the device does not make, or does not set up, leaves nothing. */
static void test_failed_qps(struct ktap *t)
{
	struct fakedev_config config = { .ndev = init_net.loopback_dev };
	struct fakedev *fd = fakedev_create(&config);
	struct rdma_cm_id *id;
	struct ib_pd *pd;
	struct ib_cq *cq;

	if (!KT_EXPECT_ERR(t, fd, 0))
		return;
	id = open_bound(t, fd);
	pd = ib_alloc_pd(&fd->ibdev, 0);
	cq = ib_alloc_cq(&fd->ibdev, NULL, 4, 0, IB_POLL_DIRECT);
	if (KT_EXPECT_ERR(t, pd, 0) && KT_EXPECT_ERR(t, cq, 0) && id)
		fail_qps(t, fd, id, pd, cq);
	if (id)
		rdma_destroy_id(id);
	if (!IS_ERR(cq))
		ib_free_cq(cq);
	if (!IS_ERR(pd))
		ib_dealloc_pd(pd);
	fakedev_destroy(fd);
}

/* A source without a family is none: the source is the address of the route. */
static void test_no_source(struct ktap *t)
{
	struct sockaddr_in to = { .sin_family = AF_INET }, none = {};
	struct rdma_cm_id *id = open_id(t, RDMA_PS_TCP);

	if (!id)
		return;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	to.sin_port = htons(PORT);
	KT_EXPECT_EQ(t, rdma_resolve_addr(id, (struct sockaddr *)&none, (struct sockaddr *)&to,
					  1000), 0);
	rdma_destroy_id(id);
}

static void test_refused_options(struct ktap *t)
{
	struct rdma_cm_id *rc = open_id(t, RDMA_PS_TCP), *ud;

	ud = rdma_create_id(&init_net, no_event, NULL, RDMA_PS_UDP, IB_QPT_UD);
	if (KT_EXPECT_ERR(t, ud, 0)) {
		KT_EXPECT_EQ(t, rdma_set_min_rnr_timer(ud, 1), -EINVAL);
		KT_EXPECT_EQ(t, rdma_set_ack_timeout(ud, 1), -EINVAL);
		rdma_destroy_id(ud);
	}
	if (rc) {
		KT_EXPECT_EQ(t, rdma_set_min_rnr_timer(rc, 31), 0);
		KT_EXPECT_EQ(t, rdma_set_min_rnr_timer(rc, 32), -EINVAL);
		KT_EXPECT_EQ(t, rdma_set_ack_timeout(rc, 31), 0);
		rdma_destroy_id(rc);
	}
	KT_EXPECT_ERR(t, rdma_create_id(&init_net, NULL, NULL, RDMA_PS_TCP, IB_QPT_RC), -EINVAL);
}

static const struct ktap_case main_cases[] = {
	{ "the wildcard of GIDs is that of IPv6", test_any_gid },
	{ "an identifier takes devices of its node type only", test_node_type },
	{ "identifiers for datagrams take iWARP devices", test_port_spaces },
	{ "other addresses of the family AF_IB are refused", test_refused_gids },
	{ "devices of other protocols are not taken", test_other_protocol },
	{ "options that a QP of this type has not, and no handler", test_refused_options },
	{ "options of the two ends of XRC", test_xrc_options },
	{ "names of events", test_event_names },
	{ "a rejection by the peer's consumer", test_consumer_reject },
	{ "QPs that cannot be made", test_failed_qps },
	{ "an address is resolved without a source", test_no_source },
};

static KTAP_SUITE(kt_cma_suite, "bind", main_cases);

static const struct ktap_suite * const suites[] = { &kt_cma_suite, &kt_cma_ports_suite };

KTAP_MODULE(suites);
