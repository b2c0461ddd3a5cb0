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
};

static KTAP_SUITE(kt_cma_suite, "bind", main_cases);

static const struct ktap_suite * const suites[] = { &kt_cma_suite, &kt_cma_ports_suite };

KTAP_MODULE(suites);
