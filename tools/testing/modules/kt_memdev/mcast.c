// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of datagrams to multicast groups.
 */
#include "ud.h"

#define GROUP_LID	0xc005

static union ib_gid group = { { 0xff, 0x12, 0x40, 0x1b, [15] = 5 } };
static union ib_gid other_group = { { 0xff, 0x12, 0x40, 0x1b, [15] = 6 } };

/* Sends 100 bytes to a group from @h. The request has no completion. */
static void send_to_group(struct ktap *t, struct ktm_host *h, struct ib_qp *qp, union ib_gid *gid,
			  u16 lid)
{
	struct ib_ud_wr wr = { .remote_qpn = IB_MULTICAST_QPN, .remote_qkey = KTM_QKEY };
	struct rdma_ah_attr attr = ktm_ah_attr(h, h);

	attr.ib.dlid = lid;
	attr.ah_flags = IB_AH_GRH;
	attr.grh.dgid = *gid;
	attr.grh.hop_limit = 1;
	wr.ah = rdma_create_ah(h->pd, &attr);
	if (!KT_EXPECT_ERR(t, wr.ah, 0))
		return;
	kt_fill(h->buf, 100, 3);
	ktm_post_datagram(t, h, qp, &wr, 0, 100);
	KT_EXPECT_EQ(t, rdma_destroy_ah(wr.ah), 0);
}

/* Posts a receive request for a datagram, at offset 1024 * @id. */
static void prepare(struct ktap *t, struct ktm_host *h, struct ib_qp *qp, u64 id)
{
	KT_EXPECT_EQ(t, ktm_recv(qp, h, id, 1024 * id, KTM_GRH + 100), 0);
}

static void expect_datagram(struct ktap *t, struct ktm_host *h, u64 id, u32 src_qp)
{
	struct ib_wc wc = KTM_EXPECT(t, h, id, SUCCESS, RECV);
	struct ib_grh *grh = (struct ib_grh *)(h->buf + 1024 * id);

	KT_EXPECT(t, wc.byte_len == KTM_GRH + 100 && wc.wc_flags == IB_WC_GRH);
	KT_EXPECT_EQ(t, wc.src_qp, src_qp);
	KT_EXPECT(t, !memcmp(&grh->dgid, &group, sizeof(group)));
	KT_EXPECT(t, kt_is(h->buf + 1024 * id + KTM_GRH, 100, 3));
}

static void test_group(struct ktap *t)
{
	struct ib_qp_attr attr;
	struct ktm_pair p;
	struct ib_qp *qc;
	int i;

	if (!ktm_start_ud(t, &p))
		return;
	qc = ktm_qp(t, &p.b, IB_QPT_UD);
	attr = ktm_attr(&p.b, &p.b, 0);
	ktm_ready(t, qc, &attr, IB_QPS_RTS);
	for (i = 0; i < 3; i++) {
		prepare(t, &p.a, p.qa, 1 + i);
		prepare(t, &p.b, p.qb, 5 + i);
		prepare(t, &p.b, qc, 9 + i);
	}
	/* No QP is attached; then one, two and three of them, one of which is the sender. */
	send_to_group(t, &p.a, p.qa, &group, GROUP_LID);
	ktm_expect_none(t, &p.a);
	KT_EXPECT_EQ(t, ib_attach_mcast(p.qb, &group, GROUP_LID), 0);
	KT_EXPECT_EQ(t, ib_attach_mcast(p.qb, &group, GROUP_LID), -EINVAL);
	send_to_group(t, &p.a, p.qa, &group, GROUP_LID);
	expect_datagram(t, &p.b, 5, p.qa->qp_num);
	ktm_expect_none(t, &p.b);
	KT_EXPECT_EQ(t, ib_attach_mcast(p.qa, &group, GROUP_LID), 0);
	KT_EXPECT_EQ(t, ib_attach_mcast(qc, &group, GROUP_LID), 0);
	send_to_group(t, &p.b, p.qb, &group, GROUP_LID);
	expect_datagram(t, &p.a, 1, p.qb->qp_num);
	expect_datagram(t, &p.b, 6, p.qb->qp_num);
	expect_datagram(t, &p.b, 9, p.qb->qp_num);

	/* Other groups; a QP that is detached. */
	send_to_group(t, &p.a, p.qa, &other_group, GROUP_LID);
	send_to_group(t, &p.a, p.qa, &group, GROUP_LID + 1);
	KT_EXPECT_EQ(t, ib_detach_mcast(p.qb, &group, GROUP_LID), 0);
	KT_EXPECT_EQ(t, ib_detach_mcast(p.qb, &group, GROUP_LID), -EINVAL);
	send_to_group(t, &p.b, p.qb, &group, GROUP_LID);
	expect_datagram(t, &p.a, 2, p.qb->qp_num);
	expect_datagram(t, &p.b, 10, p.qb->qp_num);
	ktm_expect_none(t, &p.a);
	ktm_expect_none(t, &p.b);

	KT_EXPECT_EQ(t, ib_detach_mcast(p.qa, &group, GROUP_LID), 0);
	KT_EXPECT_EQ(t, ib_detach_mcast(qc, &group, GROUP_LID), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(qc), 0);
	ktm_end_pair(t, &p);
}

/* One receiver has another Q_Key, one no request, one is not ready: the others get the datagram. */
static void test_some(struct ktap *t)
{
	struct ib_qp_attr attr;
	struct ib_qp *qps[4];
	struct ktm_host h;
	int i;

	if (!ktm_start(t, &h, NULL))
		return;
	for (i = 0; i < 4; i++) {
		qps[i] = ktm_qp(t, &h, IB_QPT_UD);
		attr = ktm_attr(&h, &h, 0);
		attr.qkey += i == 1;
		ktm_ready(t, qps[i], &attr, i == 3 ? IB_QPS_INIT : IB_QPS_RTS);
		if (i != 2)
			prepare(t, &h, qps[i], 1 + i);
		KT_EXPECT_EQ(t, ib_attach_mcast(qps[i], &group, GROUP_LID), 0);
	}
	send_to_group(t, &h, qps[1], &group, GROUP_LID);
	expect_datagram(t, &h, 1, qps[1]->qp_num);
	ktm_expect_none(t, &h);
	for (i = 0; i < 4; i++) {
		KT_EXPECT_EQ(t, ib_detach_mcast(qps[i], &group, GROUP_LID), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(qps[i]), 0);
	}
	ktm_end(t, &h);
}

static void test_mcast_loopback(struct ktap *t)
{
	struct ib_qp_init_attr init_attr;
	struct ib_qp_attr attr;
	struct ktm_host h;
	struct ib_qp *qp;

	if (!ktm_start(t, &h, NULL))
		return;
	init_attr = ktm_init_attr(&h, IB_QPT_UD);
	init_attr.create_flags = IB_QP_CREATE_BLOCK_MULTICAST_LOOPBACK;
	qp = ib_create_qp(h.pd, &init_attr);
	if (KT_EXPECT_ERR(t, qp, 0)) {
		attr = ktm_attr(&h, &h, 0);
		ktm_ready(t, qp, &attr, IB_QPS_RTS);
		prepare(t, &h, qp, 1);
		KT_EXPECT_EQ(t, ib_attach_mcast(qp, &group, GROUP_LID), 0);
		send_to_group(t, &h, qp, &group, GROUP_LID);
		ktm_expect_none(t, &h);
		KT_EXPECT_EQ(t, ib_detach_mcast(qp, &group, GROUP_LID), 0);
		KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	}
	ktm_end(t, &h);
}

static void test_mcast_full(struct ktap *t)
{
	union ib_gid gid = group;
	struct ktm_host h;
	struct ib_qp *qp;
	int i;

	if (!ktm_start(t, &h, NULL))
		return;
	qp = ktm_qp(t, &h, IB_QPT_UD);
	for (i = 0; i < 5; i++) {
		gid.raw[15] = i;
		KT_EXPECT_EQ(t, ib_attach_mcast(qp, &gid, GROUP_LID), i < 4 ? 0 : -ENOMEM);
	}
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), -EBUSY);
	for (i = 0; i < 4; i++) {
		gid.raw[15] = i;
		KT_EXPECT_EQ(t, ib_detach_mcast(qp, &gid, GROUP_LID), 0);
	}
	KT_EXPECT_EQ(t, ib_destroy_qp(qp), 0);
	ktm_end(t, &h);
}

static const struct ktap_case mcast_cases[] = {
	{ "all QPs that are attached get a datagram, the sender too", test_group },
	{ "QPs that cannot receive do not disturb the others", test_some },
	{ "a QP that does not want its own datagrams", test_mcast_loopback },
	{ "a QP is in four groups at most", test_mcast_full },
};

KTAP_SUITE(ktm_mcast_suite, "memdev mcast", mcast_cases);
