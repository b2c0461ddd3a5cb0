// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of a CA with two ports, ca3, both of which are active. */
#include <linux/slab.h>

#include "kt_sib.h"

#define TWO_PORTS_MLID	0xc123

static const union ib_gid group = { .raw = { 0xff, 0x12, 0x53, 0x49, 0xff, 0xff, [15] = 7 } };

/* The CA, whose QP is at port 1, and what it has at port 2. */
struct dual {
	struct ksb_host h;
	u16 second_lid;
	struct ib_qp *second;
};

typedef void dual_test(struct ktap *t, struct dual *d);

/* Returns a QP in RTS at port 2, or NULL after the test has failed. */
static struct ib_qp *second_qp(struct ktap *t, struct ksb_host *h)
{
	struct ib_qp *qp = ksb_qp(t, h, IB_QPS_RESET);

	if (!qp || ksb_ready_at(t, qp, 2, IB_QPS_RTS))
		return qp;
	ib_destroy_qp(qp);
	return NULL;
}

static bool start_dual(struct ktap *t, struct dual *d)
{
	struct ib_port_attr port;

	if (!ksb_open(t, &d->h, "ca3") || !KT_EXPECT_EQ(t, ib_query_port(d->h.dev, 2, &port), 0) ||
	    !KT_EXPECT_EQ(t, port.state, IB_PORT_ACTIVE))
		return false;
	d->second_lid = port.lid;
	KT_EXPECT(t, d->second_lid != d->h.lid);
	d->second = second_qp(t, &d->h);
	return d->second;
}

static void run_dual(struct ktap *t)
{
	dual_test * const *test = ktap_arg(t);
	struct dual *d = kzalloc(sizeof(*d), GFP_KERNEL);

	if (!KT_EXPECT(t, d))
		return;
	if (start_dual(t, d))
		(*test)(t, d);
	if (d->second)
		KT_EXPECT_EQ(t, ib_destroy_qp(d->second), 0);
	ksb_close(t, &d->h);
	kfree(d);
}

/* Returns an address for port 2, or NULL after the test has failed. */
static struct ib_ah *second_ah(struct ktap *t, struct dual *d, u16 dlid, const union ib_gid *dgid)
{
	struct rdma_ah_attr attr = ksb_ah_attr(dlid, dgid);

	rdma_ah_set_port_num(&attr, 2);
	return ksb_ah_with(t, &d->h, &attr);
}

/* A datagram leaves by the port of its QP, and only if its address is for that port. */
static void test_address(struct ktap *t, struct dual *d)
{
	struct ib_ah *first = ksb_ah(t, &d->h, d->h.lid, NULL);
	struct ib_ah *second = second_ah(t, d, d->second_lid, NULL);
	struct ksb_msg msg;
	struct ib_wc wc;

	if (!first || !second)
		goto destroy;
	msg = ksb_msg_to(&d->h, second, d->second->qp_num, 100);
	msg.qp = d->second;
	KT_EXPECT_EQ(t, ksb_post_recv(&d->h, d->second, 0, KSB_SLOT), 0);
	KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	wc = ksb_expect(t, &d->h, 0, IB_WC_SUCCESS);
	KT_EXPECT(t, wc.qp == d->second && wc.slid == d->second_lid && wc.port_num == 2);
	ksb_expect(t, &d->h, KSB_SEND, IB_WC_SUCCESS);
	msg.ah = first;
	ksb_send(t, &msg, IB_WC_LOC_QP_OP_ERR);
	msg.qp = d->h.qp;
	msg.ah = second;
	ksb_send(t, &msg, IB_WC_LOC_QP_OP_ERR);
destroy:
	if (first)
		KT_EXPECT_EQ(t, rdma_destroy_ah(first, 0), 0);
	if (second)
		KT_EXPECT_EQ(t, rdma_destroy_ah(second, 0), 0);
}

/* What is sent to a group by one port comes to no QP of the other one. */
static void test_group(struct ktap *t, struct dual *d)
{
	struct ib_ah *ah = second_ah(t, d, TWO_PORTS_MLID, &group);
	const u64 lost = ksb_value(&d->h, "rx_no_qp");
	union ib_gid gid = group;
	struct ksb_msg msg;
	struct ib_wc wc;

	if (!ah)
		return;
	KT_EXPECT_EQ(t, ib_attach_mcast(d->h.qp, &gid, TWO_PORTS_MLID), 0);
	KT_EXPECT_EQ(t, ib_attach_mcast(d->second, &gid, TWO_PORTS_MLID), 0);
	ksb_recv(t, &d->h, 0, KSB_SLOT);
	KT_EXPECT_EQ(t, ksb_post_recv(&d->h, d->second, 1, KSB_SLOT), 0);
	msg = ksb_msg_to(&d->h, ah, IB_MULTICAST_QPN, 100);
	msg.qp = d->second;
	KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	wc = ksb_expect(t, &d->h, 1, IB_WC_SUCCESS);
	KT_EXPECT(t, wc.qp == d->second && wc.port_num == 2);
	ksb_expect(t, &d->h, KSB_SEND, IB_WC_SUCCESS);
	ksb_expect_none(t, &d->h);
	KT_EXPECT_EQ(t, ksb_value(&d->h, "rx_no_qp"), lost);
	KT_EXPECT_EQ(t, ib_detach_mcast(d->h.qp, &gid, TWO_PORTS_MLID), 0);
	KT_EXPECT_EQ(t, ib_detach_mcast(d->second, &gid, TWO_PORTS_MLID), 0);
	KT_EXPECT_EQ(t, rdma_destroy_ah(ah, 0), 0);
}

#define DUAL_CASE(title, test)							\
	{ .name = (title), .run = run_dual, .arg = (dual_test * const[]) { test } }

static const struct ktap_case dual_cases[] = {
	DUAL_CASE("addresses of each port", test_address),
	DUAL_CASE("a group at one port", test_group),
};

KTAP_SUITE(ksb_dual_suite, "sib two ports", dual_cases);
