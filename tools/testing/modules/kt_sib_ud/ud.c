// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of datagrams to a single QP: what arrives, and what is dropped. */
#include "kt_sib_ud.h"

/* Two hosts, and an address of the second one. */
struct pair {
	struct kts_host a, b;
	struct ib_ah *ah;
};

static bool start(struct ktap *t, struct pair *p)
{
	*p = (struct pair) {};
	if (!kts_open(t, &p->a, "sib0") || !kts_open(t, &p->b, "sib1"))
		return false;
	p->ah = kts_ah(t, &p->a, p->b.lid, NULL);
	return p->ah;
}

static void end(struct ktap *t, struct pair *p)
{
	if (p->ah)
		KT_EXPECT_EQ(t, rdma_destroy_ah(p->ah), 0);
	kts_close(&p->b);
	kts_close(&p->a);
}

static struct kts_send send_to(struct pair *p, u32 length)
{
	return (struct kts_send) {
		.ah = p->ah,
		.qpn = p->b.qp->qp_num,
		.qkey = KTS_QKEY,
		.length = length,
		.seed = 1,
	};
}

static void test_arrives(struct ktap *t)
{
	static const u32 lengths[] = { 0, 1, 255, 4095, KTS_MTU };
	struct kts_send send;
	struct pair p;
	struct ib_wc wc;
	int i;

	if (!start(t, &p))
		goto out;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		send = send_to(&p, lengths[i]);
		send.imm = i;
		KT_EXPECT_EQ(t, kts_recv(&p.b, p.b.qp, 0, KTS_SLOT), 0);
		kts_send(t, &p.a, p.a.qp, &send, IB_WC_SUCCESS);
		wc = kts_expect_data(t, &p.b, 0, lengths[i], 1);
		KT_EXPECT_EQ(t, wc.slid, p.a.lid);
		KT_EXPECT_EQ(t, wc.src_qp, p.a.qp->qp_num);
		KT_EXPECT_EQ(t, wc.port_num, 1);
		KT_EXPECT_EQ(t, wc.pkey_index, 0);
		KT_EXPECT_EQ(t, wc.wc_flags, i ? IB_WC_WITH_IMM : 0);
		KT_EXPECT_EQ(t, i ? be32_to_cpu(wc.ex.imm_data) : 0, i);
	}
	kts_expect_none(t, &p.a);
out:
	end(t, &p);
}

/* With the highest bit, the Q_Key is that of the sending QP. */
static void test_own_qkey(struct ktap *t)
{
	struct kts_send send;
	struct pair p;

	if (start(t, &p)) {
		send = send_to(&p, 10);
		send.qkey = 0x80000001;
		KT_EXPECT_EQ(t, kts_recv(&p.b, p.b.qp, 0, KTS_SLOT), 0);
		kts_send(t, &p.a, p.a.qp, &send, IB_WC_SUCCESS);
		kts_expect_data(t, &p.b, 0, 10, 1);
	}
	end(t, &p);
}

static void test_own_lid(struct ktap *t)
{
	struct kts_send send;
	struct kts_host h;
	struct ib_qp *other;

	if (!kts_open(t, &h, "sib0"))
		goto out;
	other = kts_qp(t, &h, 0);
	send = (struct kts_send) { .ah = kts_ah(t, &h, h.lid, NULL), .length = 30 };
	if (other && send.ah) {
		send.qpn = other->qp_num;
		send.qkey = KTS_QKEY;
		KT_EXPECT_EQ(t, kts_recv(&h, other, 2, KTS_SLOT), 0);
		KT_EXPECT_EQ(t, kts_post(&h, h.qp, &send), 0);
		KT_EXPECT_EQ(t, kts_expect_data(t, &h, 2, 30, 0).slid, h.lid);
		kts_expect(t, &h, KTS_SEND, IB_WC_SUCCESS);
	}
	if (send.ah)
		KT_EXPECT_EQ(t, rdma_destroy_ah(send.ah), 0);
	if (other)
		KT_EXPECT_EQ(t, ib_destroy_qp(other), 0);
out:
	kts_close(&h);
}

/* Sends to a GID at the second host, and expects that the datagram arrives, or does not. */
static void send_global(struct ktap *t, struct pair *p, const union ib_gid *dgid, bool arrives)
{
	struct ib_ah *global = kts_ah(t, &p->a, p->b.lid, dgid);
	struct ib_grh *grh = (struct ib_grh *)p->b.slots;
	struct kts_send send = send_to(p, 20);

	if (!global)
		return;
	send.ah = global;
	KT_EXPECT_EQ(t, kts_recv(&p->b, p->b.qp, 0, KTS_SLOT), 0);
	kts_send(t, &p->a, p->a.qp, &send, IB_WC_SUCCESS);
	if (arrives) {
		KT_EXPECT_EQ(t, kts_expect_data(t, &p->b, 0, 20, 1).wc_flags, IB_WC_GRH);
		KT_EXPECT(t, !memcmp(&grh->dgid, dgid, sizeof(*dgid)));
		KT_EXPECT_EQ(t, be32_to_cpu(grh->version_tclass_flow), 0x60000000);
		KT_EXPECT_EQ(t, be16_to_cpu(grh->paylen), 12 + 8 + 20 + 4);
		KT_EXPECT(t, grh->next_hdr == 0x1b && grh->hop_limit == 1);
	} else {
		kts_expect_none(t, &p->b);
		/* The receive is still there: use it. */
		send = send_to(p, 20);
		kts_send(t, &p->a, p->a.qp, &send, IB_WC_SUCCESS);
		kts_expect_data(t, &p->b, 0, 20, 1);
	}
	KT_EXPECT_EQ(t, rdma_destroy_ah(global), 0);
}

static void test_global(struct ktap *t)
{
	union ib_gid gid;
	struct pair p;

	if (!start(t, &p) || !KT_EXPECT_EQ(t, rdma_query_gid(p.b.dev, 1, 0, &gid), 0))
		goto out;
	send_global(t, &p, &gid, true);
	gid.global.interface_id ^= cpu_to_be64(1);
	send_global(t, &p, &gid, false);
	gid.global.interface_id ^= cpu_to_be64(1);
	gid.global.subnet_prefix ^= cpu_to_be64(1);
	send_global(t, &p, &gid, false);
out:
	end(t, &p);
}

static void test_dropped(struct ktap *t)
{
	struct kts_send good, send;
	struct pair p;

	if (!start(t, &p))
		goto out;
	good = send_to(&p, 10);
	kts_send(t, &p.a, p.a.qp, &good, IB_WC_SUCCESS);	/* no receive */
	KT_EXPECT_EQ(t, kts_recv(&p.b, p.b.qp, 0, KTS_GRH + 10), 0);
	send = good;
	send.length = 11;
	kts_send(t, &p.a, p.a.qp, &send, IB_WC_SUCCESS);
	send = good;
	send.qkey++;
	kts_send(t, &p.a, p.a.qp, &send, IB_WC_SUCCESS);
	send = good;
	send.qpn ^= 0x800000;
	kts_send(t, &p.a, p.a.qp, &send, IB_WC_SUCCESS);
	send.qpn = IB_MULTICAST_QPN;
	kts_send(t, &p.a, p.a.qp, &send, IB_WC_SUCCESS);
	send.qpn = 0;
	kts_send(t, &p.a, p.a.qp, &send, IB_WC_SUCCESS);
	kts_expect_none(t, &p.b);
	kts_send(t, &p.a, p.a.qp, &good, IB_WC_SUCCESS);
	kts_expect_data(t, &p.b, 0, 10, 1);
out:
	end(t, &p);
}

static const struct ktap_case ud_cases[] = {
	{ "datagrams of all lengths arrive, with what their completion says", test_arrives },
	{ "the Q_Key of the sending QP", test_own_qkey },
	{ "a datagram to the own LID", test_own_lid },
	{ "a global route has to lead to a GID of the port", test_global },
	{ "what is dropped leaves the receive", test_dropped },
};

KTAP_SUITE(kts_ud_suite, "sib ud", ud_cases);
