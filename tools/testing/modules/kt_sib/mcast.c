// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of datagrams to a multicast group, whose members are the ports of sib0, sib1 and sib2, but
 * not that of sib3.
 */
#include <linux/inet.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "kt_sib.h"

static unsigned int mlid = 0xc001;
module_param(mlid, uint, 0444);
MODULE_PARM_DESC(mlid, "LID of the group");
static char *mgid = "ff12:5349:ffff::1";
module_param(mgid, charp, 0444);
MODULE_PARM_DESC(mgid, "GID of the group");

#define HOSTS	4
#define MEMBERS	3

/* CAs whose QPs are attached to the group, and the address of the group for the first one. */
struct mesh {
	struct ksb_host h[HOSTS];
	union ib_gid gid;
	int attached;
	struct ib_ah *ah;
};

typedef void mesh_test(struct ktap *t, struct mesh *m);

static bool start_mesh(struct ktap *t, struct mesh *m)
{
	char name[8];
	int i;

	if (!KT_EXPECT(t, in6_pton(mgid, -1, m->gid.raw, -1, NULL)))
		return false;
	for (i = 0; i < HOSTS; i++) {
		snprintf(name, sizeof(name), "sib%d", i);
		if (!ksb_open(t, &m->h[i], name) ||
		    !KT_EXPECT_EQ(t, ib_attach_mcast(m->h[i].qp, &m->gid, mlid), 0))
			return false;
		m->attached++;
	}
	m->ah = ksb_ah(t, &m->h[0], mlid, &m->gid);
	return m->ah;
}

static void end_mesh(struct ktap *t, struct mesh *m)
{
	int i;

	if (m->ah)
		KT_EXPECT_EQ(t, rdma_destroy_ah(m->ah, 0), 0);
	while (m->attached--)
		KT_EXPECT_EQ(t, ib_detach_mcast(m->h[m->attached].qp, &m->gid, mlid), 0);
	for (i = 0; i < HOSTS; i++)
		ksb_close(t, &m->h[i]);
}

/* Runs the test of a case between the start and the end of a mesh. */
static void run_mesh(struct ktap *t)
{
	mesh_test * const *test = ktap_arg(t);
	struct mesh *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!KT_EXPECT(t, m))
		return;
	if (start_mesh(t, m))
		(*test)(t, m);
	end_mesh(t, m);
	kfree(m);
}

static struct ksb_msg to_group(struct mesh *m, u8 seed)
{
	struct ksb_msg msg = ksb_msg_to(&m->h[0], m->ah, IB_MULTICAST_QPN, 1000);

	msg.seed = seed;
	return msg;
}

static void prepare(struct ktap *t, struct mesh *m)
{
	int i;

	for (i = 0; i < HOSTS; i++)
		ksb_recv(t, &m->h[i], 0, KSB_SLOT);
}

/* Expects that the datagram has come to a host. */
static void expect_copy(struct ktap *t, struct mesh *m, int host, int slot,
			const struct ksb_msg *msg)
{
	struct ib_grh *grh = (struct ib_grh *)ksb_slot(&m->h[host], slot);
	struct ib_wc wc = ksb_expect_data(t, &m->h[host], slot, msg);

	KT_EXPECT_EQ(t, wc.wc_flags, IB_WC_GRH);
	KT_EXPECT_EQ(t, wc.dlid_path_bits, 0);
	KT_EXPECT(t, !memcmp(&grh->dgid, &m->gid, sizeof(m->gid)));
}

static void expect_nothing(struct ktap *t, struct mesh *m)
{
	int i;

	for (i = 0; i < HOSTS; i++)
		ksb_expect_none(t, &m->h[i]);
}

static void test_members(struct ktap *t, struct mesh *m)
{
	struct ksb_msg msg = to_group(m, 3);
	int i;

	prepare(t, m);
	KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	/* The sender is a member, too, and gets its copy first. */
	for (i = 0; i < MEMBERS; i++)
		expect_copy(t, m, i, 0, &msg);
	ksb_expect(t, &m->h[0], KSB_SEND, IB_WC_SUCCESS);
	expect_nothing(t, m);
}

/* Posts by a QP of the first host, and expects that another one gets the only copy there. */
static void expect_one_copy(struct ktap *t, struct mesh *m, struct ib_qp *from, int slot)
{
	struct ksb_msg msg = to_group(m, 4);

	msg.qp = from;
	KT_EXPECT_EQ(t, ksb_post(&msg), 0);
	expect_copy(t, m, 0, slot, &msg);
	ksb_expect(t, &m->h[0], KSB_SEND, IB_WC_SUCCESS);
	expect_nothing(t, m);
}

/* Other QPs of the sending port get copies; the sender does not, if it was created so. */
static void test_loopback(struct ktap *t, struct mesh *m)
{
	struct ib_qp_init_attr init = ksb_init_attr(&m->h[0]);
	struct ib_qp *blocked, *other;

	other = ksb_qp(t, &m->h[0], IB_QPS_RTS);
	init.create_flags = IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	blocked = ksb_qp_with(t, m->h[0].pd, &init, IB_QPS_RTS);
	if (!blocked || !other)
		goto destroy;
	KT_EXPECT_EQ(t, ib_attach_mcast(blocked, &m->gid, mlid), 0);
	KT_EXPECT_EQ(t, ib_attach_mcast(other, &m->gid, mlid), 0);
	KT_EXPECT_EQ(t, ib_detach_mcast(m->h[0].qp, &m->gid, mlid), 0);
	KT_EXPECT_EQ(t, ksb_post_recv(&m->h[0], blocked, 1, KSB_SLOT), 0);
	KT_EXPECT_EQ(t, ksb_post_recv(&m->h[0], other, 2, KSB_SLOT), 0);
	expect_one_copy(t, m, blocked, 2);
	/* What another QP of the port sends does come. */
	KT_EXPECT_EQ(t, ib_detach_mcast(other, &m->gid, mlid), 0);
	expect_one_copy(t, m, other, 1);
	KT_EXPECT_EQ(t, ib_detach_mcast(blocked, &m->gid, mlid), 0);
	KT_EXPECT_EQ(t, ib_attach_mcast(m->h[0].qp, &m->gid, mlid), 0);
destroy:
	if (blocked)
		KT_EXPECT_EQ(t, ib_destroy_qp(blocked), 0);
	if (other)
		KT_EXPECT_EQ(t, ib_destroy_qp(other), 0);
}

/* Sends what no member takes. */
static void expect_lost(struct ktap *t, struct mesh *m, const struct ksb_msg *msg)
{
	ksb_send(t, msg, IB_WC_SUCCESS);
	expect_nothing(t, m);
}

/* Sends to another address than that of the group. */
static void expect_lost_at(struct ktap *t, struct mesh *m, u16 dlid, const union ib_gid *dgid)
{
	struct ksb_msg msg = to_group(m, 5);

	msg.ah = ksb_ah(t, &m->h[0], dlid, dgid);
	if (!msg.ah)
		return;
	expect_lost(t, m, &msg);
	KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
}

static void test_others(struct ktap *t, struct mesh *m)
{
	struct ksb_msg msg = to_group(m, 5);
	union ib_gid other = m->gid;

	prepare(t, m);
	/* Another group with the same LID */
	other.raw[15]++;
	expect_lost_at(t, m, mlid, &other);
	/* The same group at another LID, which no switch knows */
	expect_lost_at(t, m, mlid + 1, &m->gid);
	/* No GRH */
	expect_lost_at(t, m, mlid, NULL);
	/* Another QP than that of groups */
	msg.qpn = m->h[1].qp->qp_num;
	expect_lost(t, m, &msg);
}

/* One member has another Q_Key, one is in RESET: the others get their copies. */
static void test_some(struct ktap *t, struct mesh *m)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS, .qkey = KSB_QKEY + 1 };
	struct ksb_msg msg = to_group(m, 6);

	prepare(t, m);
	KT_EXPECT_EQ(t, ksb_modify(m->h[0].qp, IB_QPS_RESET), 0);
	ksb_ready(t, m->h[0].qp, IB_QPS_RTS);
	KT_EXPECT_EQ(t, ib_modify_qp(m->h[1].qp, &attr, IB_QP_STATE | IB_QP_QKEY), 0);
	ksb_send(t, &msg, IB_WC_SUCCESS);
	expect_copy(t, m, 2, 0, &msg);
	expect_nothing(t, m);
}

static void test_attach(struct ktap *t, struct mesh *m)
{
	const struct ib_device_attr *attrs = &m->h[0].dev->attrs;
	struct ib_qp *qp = m->h[0].qp;
	union ib_gid gid = m->gid;
	int i;

	KT_EXPECT(t, attrs->max_mcast_grp && attrs->max_mcast_qp_attach &&
		  attrs->max_total_mcast_qp_attach >= attrs->max_mcast_qp_attach);
	KT_EXPECT_EQ(t, ib_attach_mcast(qp, &m->gid, mlid), -EINVAL);
	KT_EXPECT_EQ(t, ib_detach_mcast(qp, &m->gid, mlid + 1), -EINVAL);
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EBUSY);
	/* One is attached. */
	for (i = 1; i < attrs->max_total_mcast_qp_attach; i++) {
		put_unaligned_be32(i, gid.raw + 8);
		if (!KT_EXPECT_EQ(t, ib_attach_mcast(qp, &gid, mlid), 0))
			break;
	}
	put_unaligned_be32(i, gid.raw + 8);
	KT_EXPECT_EQ(t, ib_attach_mcast(qp, &gid, mlid), -ENOMEM);
	/* The QP is in many groups with this LID, but not in this one. */
	prepare(t, m);
	expect_lost_at(t, m, mlid, &gid);
	while (--i) {
		put_unaligned_be32(i, gid.raw + 8);
		KT_EXPECT_EQ(t, ib_detach_mcast(qp, &gid, mlid), 0);
	}
}

static void test_group_full(struct ktap *t, struct mesh *m)
{
	int most = m->h[0].dev->attrs.max_mcast_qp_attach, i;
	struct ib_qp **qps = kcalloc(most, sizeof(*qps), GFP_KERNEL);

	if (!KT_EXPECT(t, qps))
		return;
	/* One is attached. */
	for (i = 0; i < most; i++) {
		qps[i] = ksb_qp(t, &m->h[0], IB_QPS_RTS);
		if (!qps[i])
			break;
		KT_EXPECT_EQ(t, ib_attach_mcast(qps[i], &m->gid, mlid), i < most - 1 ? 0 : -ENOMEM);
	}
	while (i--) {
		if (i < most - 1)
			KT_EXPECT_EQ(t, ib_detach_mcast(qps[i], &m->gid, mlid), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(qps[i]), 0);
	}
	kfree(qps);
}

#define MESH_CASE(title, test)							\
	{ .name = (title), .run = run_mesh, .arg = (mesh_test * const[]) { test } }

static const struct ktap_case mcast_cases[] = {
	MESH_CASE("all members get a copy, and nobody else", test_members),
	MESH_CASE("copies for other QPs of the sending port", test_loopback),
	MESH_CASE("what is not for the group is lost", test_others),
	MESH_CASE("members that cannot receive do not disturb the others", test_some),
	MESH_CASE("limits of a device", test_attach),
	MESH_CASE("limit of a group", test_group_full),
};

KTAP_SUITE(ksb_mcast_suite, "sib multicast", mcast_cases);
