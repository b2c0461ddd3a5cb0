// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of address handles, and of the global route header. */
#include "kt_sib.h"

static union ib_gid gid_of(struct ktap *t, struct ksb_host *h)
{
	union ib_gid gid = {};

	KT_EXPECT_EQ(t, rdma_query_gid(h->dev, 1, 0, &gid), 0);
	return gid;
}

/* Returns a global route to the second CA. */
static struct rdma_ah_attr route(struct ktap *t, struct ksb_pair *p)
{
	union ib_gid gid = gid_of(t, &p->b);

	return ksb_ah_attr(p->b.lid, &gid);
}

static void expect_grh(struct ktap *t, struct ksb_pair *p, u32 version_tclass_flow, u16 paylen,
		       u8 hop_limit)
{
	struct ib_grh *grh = (struct ib_grh *)ksb_slot(&p->b, 0);
	union ib_gid from = gid_of(t, &p->a), to = gid_of(t, &p->b);

	KT_EXPECT_EQ(t, be32_to_cpu(grh->version_tclass_flow), version_tclass_flow);
	KT_EXPECT_EQ(t, be16_to_cpu(grh->paylen), paylen);
	KT_EXPECT_EQ(t, grh->next_hdr, 0x1b);
	KT_EXPECT_EQ(t, grh->hop_limit, hop_limit);
	KT_EXPECT(t, !memcmp(&grh->sgid, &from, sizeof(from)));
	KT_EXPECT(t, !memcmp(&grh->dgid, &to, sizeof(to)));
}

static void test_grh(struct ktap *t, struct ksb_pair *p)
{
	/* The length is that of BTH, DETH, immediate data, payload and its padding, and ICRC. */
	static const struct {
		u32 flow, length, version_tclass_flow, paylen;
		u8 tclass, hop_limit;
		bool imm;
	} rows[] = {
		{ 0, 20, 0x60000000, 12 + 8 + 20 + 4, 0, 1, false },
		{ 0x34567, 101, 0x61234567, 12 + 8 + 4 + 104 + 4, 0x12, 9, true },
	};
	struct rdma_ah_attr attr = route(t, p);
	struct ksb_msg msg;
	struct ib_wc wc;
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		attr.grh.flow_label = rows[i].flow;
		attr.grh.traffic_class = rows[i].tclass;
		attr.grh.hop_limit = rows[i].hop_limit;
		msg = ksb_msg(p, rows[i].length);
		msg.opcode = rows[i].imm ? IB_WR_SEND_WITH_IMM : IB_WR_SEND;
		msg.imm = 5;
		msg.ah = ksb_ah_with(t, &p->a, &attr);
		if (!msg.ah)
			return;
		wc = ksb_deliver(t, &p->b, &msg);
		KT_EXPECT_EQ(t, wc.wc_flags, IB_WC_GRH | (rows[i].imm ? IB_WC_WITH_IMM : 0));
		expect_grh(t, p, rows[i].version_tclass_flow, rows[i].paylen, rows[i].hop_limit);
		KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
	}
}

/* The completion of a receive, and its GRH, name the sender. */
static void test_answer(struct ktap *t, struct ksb_pair *p)
{
	struct rdma_ah_attr attr = route(t, p);
	struct ksb_msg msg = ksb_msg(p, 10);
	struct ib_wc wc;

	msg.ah = ksb_ah_with(t, &p->a, &attr);
	if (!msg.ah)
		return;
	wc = ksb_deliver(t, &p->b, &msg);
	KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
	msg = ksb_msg_to(&p->b, NULL, wc.src_qp, 10);
	msg.ah = ib_create_ah_from_wc(p->b.pd, &wc, (struct ib_grh *)ksb_slot(&p->b, 0), 1);
	if (!KT_EXPECT_ERR(t, msg.ah, 0))
		return;
	KT_EXPECT_EQ(t, ksb_deliver(t, &p->a, &msg).wc_flags, IB_WC_GRH);
	KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
}

/* Expects that a handle has this LID and service level. Returns all that it has. */
static struct rdma_ah_attr expect_handle(struct ktap *t, struct ib_ah *ah, u16 dlid, u8 sl)
{
	struct rdma_ah_attr seen = {};

	KT_EXPECT_EQ(t, rdma_query_ah(ah, &seen), 0);
	KT_EXPECT_EQ(t, rdma_ah_get_dlid(&seen), dlid);
	KT_EXPECT_EQ(t, seen.sl, sl);
	KT_EXPECT_EQ(t, seen.port_num, 1);
	return seen;
}

static void test_handles(struct ktap *t, struct ksb_pair *p)
{
	struct rdma_ah_attr attr = ksb_ah_attr(0xbffe, NULL), seen;
	struct ksb_msg msg = ksb_msg(p, 10);

	attr.sl = 3;
	msg.ah = ksb_ah_with(t, &p->a, &attr);
	if (!msg.ah)
		return;
	seen = expect_handle(t, msg.ah, 0xbffe, 3);
	KT_EXPECT(t, !(seen.ah_flags & IB_AH_GRH));
	/* From then on datagrams go to the new address. */
	rdma_ah_set_dlid(&attr, p->b.lid);
	attr.sl = 5;
	KT_EXPECT_EQ(t, rdma_modify_ah(msg.ah, &attr), 0);
	expect_handle(t, msg.ah, p->b.lid, 5);
	KT_EXPECT_EQ(t, ksb_deliver(t, &p->b, &msg).sl, 5);
	attr = route(t, p);
	attr.grh.hop_limit = 9;
	KT_EXPECT_EQ(t, rdma_modify_ah(msg.ah, &attr), 0);
	seen = expect_handle(t, msg.ah, p->b.lid, 0);
	KT_EXPECT(t, seen.ah_flags & IB_AH_GRH && seen.grh.hop_limit == 9);
	KT_EXPECT(t, !memcmp(&seen.grh.dgid, &attr.grh.dgid, sizeof(union ib_gid)));
	KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
}

static void test_wrong_handles(struct ktap *t, struct ksb_pair *p)
{
	static const u8 ports[] = { 0, 2 }, indices[] = { 31, 255 };
	struct rdma_ah_attr attr = ksb_ah_attr(p->b.lid, NULL);
	int i;

	for (i = 0; i < ARRAY_SIZE(ports); i++) {
		attr.port_num = ports[i];
		KT_EXPECT_ERR(t, rdma_create_ah(p->a.pd, &attr), -EINVAL);
	}
	attr = route(t, p);
	for (i = 0; i < ARRAY_SIZE(indices); i++) {
		attr.grh.sgid_index = indices[i];
		KT_EXPECT(t, IS_ERR(rdma_create_ah(p->a.pd, &attr)));
	}
}

static const struct ktap_case address_cases[] = {
	KSB_CASE("a global route header", test_grh),
	KSB_CASE("an answer to the sender", test_answer),
	KSB_CASE("address handles", test_handles),
	KSB_CASE("address handles that are refused", test_wrong_handles),
};

KTAP_SUITE(ksb_address_suite, "sib addresses", address_cases);
