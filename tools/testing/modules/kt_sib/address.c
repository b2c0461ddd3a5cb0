// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of address handles, and of the global route header. */
#include "kt_sib.h"

static union ib_gid gid_of(struct ktap *t, struct ksb_host *h)
{
	union ib_gid gid = {};

	KT_EXPECT_EQ(t, rdma_query_gid(h->dev, 1, 0, &gid), 0);
	return gid;
}

static struct rdma_ah_attr global_attr(struct ktap *t, struct ksb_pair *p)
{
	struct rdma_ah_attr attr = ksb_ah_attr(p->b.lid);

	rdma_ah_set_grh(&attr, NULL, 0x34567, 0, 9, 0x12);
	attr.grh.dgid = gid_of(t, &p->b);
	return attr;
}

static void test_grh(struct ktap *t)
{
	union ib_gid from, to;
	struct rdma_ah_attr attr;
	struct ib_grh *grh;
	struct ksb_pair p;
	struct ksb_msg msg;
	struct ib_wc wc;

	if (!ksb_start(t, &p))
		return;
	attr = global_attr(t, &p);
	from = gid_of(t, &p.a);
	to = gid_of(t, &p.b);
	msg = ksb_msg(&p, 101);
	msg.ah = rdma_create_ah(p.a.pd, &attr);
	if (!KT_EXPECT_ERR(t, msg.ah, 0))
		goto out;
	msg.opcode = IB_WR_SEND_WITH_IMM;
	msg.imm = 5;
	ksb_fill(p.a.buf, 101, 2);
	memset(p.b.buf, 0xbb, KSB_BUF);
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, 1000), 0);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
	wc = ksb_expect(t, &p.b, 1, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, wc.byte_len, KSB_GRH + 101);
	KT_EXPECT_EQ(t, wc.wc_flags, IB_WC_GRH | IB_WC_WITH_IMM);
	KT_EXPECT(t, ksb_is(p.b.buf + KSB_GRH, 101, 2));
	grh = (struct ib_grh *)p.b.buf;
	KT_EXPECT_EQ(t, be32_to_cpu(grh->version_tclass_flow), 0x61234567);
	/* BTH, DETH, immediate data, payload and three bytes of padding, ICRC. */
	KT_EXPECT_EQ(t, be16_to_cpu(grh->paylen), 12 + 8 + 4 + 104 + 4);
	KT_EXPECT(t, grh->next_hdr == 0x1b && grh->hop_limit == 9);
	KT_EXPECT(t, !memcmp(&grh->sgid, &from, sizeof(from)));
	KT_EXPECT(t, !memcmp(&grh->dgid, &to, sizeof(to)));
out:
	ksb_end(t, &p);
}

/* The completion of a receive, and its GRH, name the sender. */
static void test_answer(struct ktap *t)
{
	struct rdma_ah_attr attr;
	struct ksb_pair p;
	struct ksb_msg msg;
	struct ib_wc wc;

	if (!ksb_start(t, &p))
		return;
	attr = global_attr(t, &p);
	msg = ksb_msg(&p, 10);
	msg.ah = rdma_create_ah(p.a.pd, &attr);
	KT_EXPECT_ERR(t, msg.ah, 0);
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, 1000), 0);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
	wc = ksb_expect(t, &p.b, 1, IB_WC_SUCCESS);
	msg.ah = ib_create_ah_from_wc(p.b.pd, &wc, (struct ib_grh *)p.b.buf, 1);
	if (!KT_EXPECT_ERR(t, msg.ah, 0))
		goto out;
	msg.qpn = wc.src_qp;
	msg.lkey = p.b.pd->local_dma_lkey;
	KT_EXPECT_EQ(t, ksb_recv(&p.a, p.qa, 2, 0, 1000), 0);
	KT_EXPECT_EQ(t, ksb_post(&p.b, p.qb, &msg), 0);
	ksb_expect(t, &p.b, KSB_SEND, IB_WC_SUCCESS);
	wc = ksb_expect(t, &p.a, 2, IB_WC_SUCCESS);
	KT_EXPECT(t, wc.src_qp == p.qb->qp_num && wc.slid == p.b.lid && wc.wc_flags == IB_WC_GRH);
	KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
out:
	ksb_end(t, &p);
}

static void test_handles(struct ktap *t)
{
	struct rdma_ah_attr attr, seen;
	struct ksb_pair p;
	struct ksb_msg msg;
	struct ib_wc wc;

	if (!ksb_start(t, &p))
		return;
	attr = ksb_ah_attr(0xbffe);
	attr.sl = 3;
	msg = ksb_msg(&p, 10);
	msg.ah = rdma_create_ah(p.a.pd, &attr);
	if (!KT_EXPECT_ERR(t, msg.ah, 0))
		goto out;
	KT_EXPECT_EQ(t, rdma_query_ah(msg.ah, &seen), 0);
	KT_EXPECT(t, rdma_ah_get_dlid(&seen) == 0xbffe && seen.sl == 3 && seen.port_num == 1);
	KT_EXPECT(t, !(seen.ah_flags & IB_AH_GRH));
	/* From then on datagrams go to the new address. */
	rdma_ah_set_dlid(&attr, p.b.lid);
	attr.sl = 5;
	KT_EXPECT_EQ(t, rdma_modify_ah(msg.ah, &attr), 0);
	KT_EXPECT_EQ(t, rdma_query_ah(msg.ah, &seen), 0);
	KT_EXPECT(t, rdma_ah_get_dlid(&seen) == p.b.lid && seen.sl == 5);
	KT_EXPECT_EQ(t, ksb_recv(&p.b, p.qb, 1, 0, 100), 0);
	ksb_send(t, &p, &msg, IB_WC_SUCCESS);
	wc = ksb_expect(t, &p.b, 1, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, wc.sl, 5);
	attr = global_attr(t, &p);
	KT_EXPECT_EQ(t, rdma_modify_ah(msg.ah, &attr), 0);
	KT_EXPECT_EQ(t, rdma_query_ah(msg.ah, &seen), 0);
	KT_EXPECT(t, seen.ah_flags & IB_AH_GRH && seen.grh.hop_limit == 9);
	KT_EXPECT(t, !memcmp(&seen.grh.dgid, &attr.grh.dgid, sizeof(union ib_gid)));
	KT_EXPECT_EQ(t, rdma_destroy_ah(msg.ah, 0), 0);
out:
	ksb_end(t, &p);
}

static void test_wrong_handles(struct ktap *t)
{
	struct rdma_ah_attr attr;
	struct ksb_pair p;

	if (!ksb_start(t, &p))
		return;
	attr = ksb_ah_attr(p.b.lid);
	attr.port_num = 2;
	KT_EXPECT_ERR(t, rdma_create_ah(p.a.pd, &attr), -EINVAL);
	attr.port_num = 0;
	KT_EXPECT_ERR(t, rdma_create_ah(p.a.pd, &attr), -EINVAL);
	attr = global_attr(t, &p);
	attr.grh.sgid_index = 31;
	KT_EXPECT(t, IS_ERR(rdma_create_ah(p.a.pd, &attr)));
	attr.grh.sgid_index = 255;
	KT_EXPECT(t, IS_ERR(rdma_create_ah(p.a.pd, &attr)));
	ksb_end(t, &p);
}

static const struct ktap_case address_cases[] = {
	{ "a global route header", test_grh },
	{ "an answer to the sender", test_answer },
	{ "address handles", test_handles },
	{ "address handles that are refused", test_wrong_handles },
};

KTAP_SUITE(ksb_address_suite, "sib addresses", address_cases);
