// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of datagrams to a multicast group, whose members are the ports of sib0, sib1 and sib2, but
 * not that of sib3.
 */
#include <linux/inet.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "kt_sib_ud.h"

static unsigned int mlid = 0xc001;
module_param(mlid, uint, 0444);
MODULE_PARM_DESC(mlid, "LID of the group");
static char *mgid = "ff12:5349:ffff::1";
module_param(mgid, charp, 0444);
MODULE_PARM_DESC(mgid, "GID of the group");

#define HOSTS	4
#define MEMBERS	3

/* Hosts with a QP each that is attached to the group. */
struct mesh {
	struct kts_host h[HOSTS];
	union ib_gid gid;
	int attached;
	struct ib_ah *ah;
};

static bool start_mesh(struct ktap *t, struct mesh *m)
{
	char name[8];
	int i;

	*m = (struct mesh) {};
	if (!KT_EXPECT(t, in6_pton(mgid, -1, m->gid.raw, -1, NULL)))
		return false;
	for (i = 0; i < HOSTS; i++) {
		snprintf(name, sizeof(name), "sib%d", i);
		if (!kts_open(t, &m->h[i], name) ||
		    !KT_EXPECT_EQ(t, ib_attach_mcast(m->h[i].qp, &m->gid, mlid), 0))
			return false;
		m->attached++;
	}
	m->ah = kts_ah(t, &m->h[0], mlid, &m->gid);
	return m->ah;
}

static void end_mesh(struct ktap *t, struct mesh *m)
{
	int i;

	if (m->ah)
		KT_EXPECT_EQ(t, rdma_destroy_ah(m->ah), 0);
	while (m->attached--)
		KT_EXPECT_EQ(t, ib_detach_mcast(m->h[m->attached].qp, &m->gid, mlid), 0);
	for (i = 0; i < HOSTS; i++)
		kts_close(&m->h[i]);
}

static struct kts_send to_group(const struct mesh *m, u8 seed)
{
	return (struct kts_send) {
		.ah = m->ah,
		.qpn = IB_MULTICAST_QPN,
		.qkey = KTS_QKEY,
		.length = 1000,
		.seed = seed,
	};
}

static void prepare(struct ktap *t, struct mesh *m)
{
	int i;

	for (i = 0; i < HOSTS; i++)
		KT_EXPECT_EQ(t, kts_recv(&m->h[i], m->h[i].qp, 0, KTS_SLOT), 0);
}

/* Expects that the datagram has come to a host. */
static void expect_copy(struct ktap *t, struct mesh *m, int host, int slot, u8 seed)
{
	struct ib_grh *grh = (struct ib_grh *)(m->h[host].slots + slot * KTS_SLOT);
	struct ib_wc wc;

	wc = kts_expect_data(t, &m->h[host], slot, 1000, seed);
	KT_EXPECT_EQ(t, wc.slid, m->h[0].lid);
	KT_EXPECT_EQ(t, wc.src_qp, m->h[0].qp->qp_num);
	KT_EXPECT_EQ(t, wc.wc_flags, IB_WC_GRH);
	KT_EXPECT_EQ(t, wc.dlid_path_bits, 0);
	KT_EXPECT(t, !memcmp(&grh->dgid, &m->gid, sizeof(m->gid)));
}

static void expect_nothing(struct ktap *t, struct mesh *m)
{
	int i;

	for (i = 0; i < HOSTS; i++)
		kts_expect_none(t, &m->h[i]);
}

static void test_members(struct ktap *t)
{
	struct kts_send send;
	struct mesh m;
	int i;

	if (start_mesh(t, &m)) {
		prepare(t, &m);
		send = to_group(&m, 3);
		KT_EXPECT_EQ(t, kts_post(&m.h[0], m.h[0].qp, &send), 0);
		/* The sender is a member, too, and gets its copy first. */
		for (i = 0; i < MEMBERS; i++)
			expect_copy(t, &m, i, 0, 3);
		kts_expect(t, &m.h[0], KTS_SEND, IB_WC_SUCCESS);
		expect_nothing(t, &m);
	}
	end_mesh(t, &m);
}

/* Other QPs of the sending port get copies; the sender does not, if it was created so. */
static void test_loopback(struct ktap *t)
{
	struct ib_qp *blocked, *other;
	struct kts_send send;
	struct mesh m;

	if (!start_mesh(t, &m))
		goto out;
	blocked = kts_qp(t, &m.h[0], IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK);
	other = kts_qp(t, &m.h[0], 0);
	if (!blocked || !other)
		goto destroy;
	KT_EXPECT_EQ(t, ib_attach_mcast(blocked, &m.gid, mlid), 0);
	KT_EXPECT_EQ(t, ib_attach_mcast(other, &m.gid, mlid), 0);
	KT_EXPECT_EQ(t, ib_detach_mcast(m.h[0].qp, &m.gid, mlid), 0);
	KT_EXPECT_EQ(t, kts_recv(&m.h[0], blocked, 1, KTS_SLOT), 0);
	KT_EXPECT_EQ(t, kts_recv(&m.h[0], other, 2, KTS_SLOT), 0);
	send = to_group(&m, 4);
	KT_EXPECT_EQ(t, kts_post(&m.h[0], blocked, &send), 0);
	kts_expect_data(t, &m.h[0], 2, 1000, 4);
	kts_expect(t, &m.h[0], KTS_SEND, IB_WC_SUCCESS);
	kts_expect_none(t, &m.h[0]);
	/* What another QP of the port sends does come. */
	KT_EXPECT_EQ(t, ib_detach_mcast(other, &m.gid, mlid), 0);
	KT_EXPECT_EQ(t, kts_post(&m.h[0], other, &send), 0);
	kts_expect_data(t, &m.h[0], 1, 1000, 4);
	kts_expect(t, &m.h[0], KTS_SEND, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, ib_detach_mcast(blocked, &m.gid, mlid), 0);
	KT_EXPECT_EQ(t, ib_attach_mcast(m.h[0].qp, &m.gid, mlid), 0);
destroy:
	if (blocked)
		KT_EXPECT_EQ(t, ib_destroy_qp(blocked), 0);
	if (other)
		KT_EXPECT_EQ(t, ib_destroy_qp(other), 0);
out:
	end_mesh(t, &m);
}

/* Sends what no member takes. */
static void expect_lost(struct ktap *t, struct mesh *m, const struct kts_send *send)
{
	kts_send(t, &m->h[0], m->h[0].qp, send, IB_WC_SUCCESS);
	expect_nothing(t, m);
}

static void test_others(struct ktap *t)
{
	union ib_gid other;
	struct kts_send send;
	struct mesh m;

	if (!start_mesh(t, &m))
		goto out;
	prepare(t, &m);
	/* Another group with the same LID */
	other = m.gid;
	other.raw[15]++;
	send = to_group(&m, 5);
	send.ah = kts_ah(t, &m.h[0], mlid, &other);
	if (send.ah) {
		expect_lost(t, &m, &send);
		KT_EXPECT_EQ(t, rdma_destroy_ah(send.ah), 0);
	}
	/* The same group at another LID, which no switch knows */
	send.ah = kts_ah(t, &m.h[0], mlid + 1, &m.gid);
	if (send.ah) {
		expect_lost(t, &m, &send);
		KT_EXPECT_EQ(t, rdma_destroy_ah(send.ah), 0);
	}
	/* No GRH */
	send.ah = kts_ah(t, &m.h[0], mlid, NULL);
	if (send.ah) {
		expect_lost(t, &m, &send);
		KT_EXPECT_EQ(t, rdma_destroy_ah(send.ah), 0);
	}
	/* Another QP than that of groups */
	send = to_group(&m, 5);
	send.qpn = m.h[1].qp->qp_num;
	expect_lost(t, &m, &send);
out:
	end_mesh(t, &m);
}

/* One member has another Q_Key, one is in RESET: the others get their copies. */
static void test_some(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS, .qkey = KTS_QKEY + 1 };
	struct kts_send send;
	struct mesh m;

	if (!start_mesh(t, &m))
		goto out;
	prepare(t, &m);
	KT_EXPECT_EQ(t, kts_move(m.h[0].qp, IB_QPS_RESET), 0);
	KT_EXPECT(t, kts_ready(t, m.h[0].qp));
	KT_EXPECT_EQ(t, ib_modify_qp(m.h[1].qp, &attr, IB_QP_STATE | IB_QP_QKEY), 0);
	send = to_group(&m, 6);
	kts_send(t, &m.h[0], m.h[0].qp, &send, IB_WC_SUCCESS);
	expect_copy(t, &m, 2, 0, 6);
	expect_nothing(t, &m);
out:
	end_mesh(t, &m);
}

static void test_attach(struct ktap *t)
{
	struct ib_device_attr *attrs;
	union ib_gid gid;
	struct mesh m;
	int i;

	if (!start_mesh(t, &m))
		goto out;
	gid = m.gid;
	attrs = &m.h[0].dev->attrs;
	KT_EXPECT(t, attrs->max_mcast_grp && attrs->max_mcast_qp_attach &&
		  attrs->max_total_mcast_qp_attach >= attrs->max_mcast_qp_attach);
	KT_EXPECT_EQ(t, ib_attach_mcast(m.h[0].qp, &m.gid, mlid), -EINVAL);
	KT_EXPECT_EQ(t, ib_detach_mcast(m.h[0].qp, &m.gid, mlid + 1), -EINVAL);
	KT_EXPECT_EQ(t, ib_destroy_qp(m.h[0].qp), -EBUSY);
	for (i = 1; i < attrs->max_total_mcast_qp_attach; i++) {
		put_unaligned_be32(i, gid.raw + 8);
		if (!KT_EXPECT_EQ(t, ib_attach_mcast(m.h[0].qp, &gid, mlid), 0))
			break;
	}
	put_unaligned_be32(i, gid.raw + 8);
	KT_EXPECT_EQ(t, ib_attach_mcast(m.h[0].qp, &gid, mlid), -ENOMEM);
	while (--i) {
		put_unaligned_be32(i, gid.raw + 8);
		KT_EXPECT_EQ(t, ib_detach_mcast(m.h[0].qp, &gid, mlid), 0);
	}
out:
	end_mesh(t, &m);
}

static void test_group_full(struct ktap *t)
{
	struct ib_qp **qps;
	struct mesh m;
	int most, i;

	if (!start_mesh(t, &m))
		goto out;
	most = m.h[0].dev->attrs.max_mcast_qp_attach;
	qps = kcalloc(most, sizeof(*qps), GFP_KERNEL);
	if (!KT_EXPECT(t, qps))
		goto out;
	/* One is attached. */
	for (i = 0; i < most; i++) {
		qps[i] = kts_qp(t, &m.h[0], 0);
		if (!qps[i])
			break;
		KT_EXPECT_EQ(t, ib_attach_mcast(qps[i], &m.gid, mlid), i < most - 1 ? 0 : -ENOMEM);
	}
	while (i--) {
		if (i < most - 1)
			KT_EXPECT_EQ(t, ib_detach_mcast(qps[i], &m.gid, mlid), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(qps[i]), 0);
	}
	kfree(qps);
out:
	end_mesh(t, &m);
}

static const struct ktap_case mcast_cases[] = {
	{ "all members get a copy, and nobody else", test_members },
	{ "copies for other QPs of the sending port", test_loopback },
	{ "what is not for the group is lost", test_others },
	{ "members that cannot receive do not disturb the others", test_some },
	{ "limits of a device", test_attach },
	{ "limit of a group", test_group_full },
};

KTAP_SUITE(kts_mcast_suite, "sib mcast", mcast_cases);
