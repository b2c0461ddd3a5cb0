// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of datagrams that the second CA drops. Each reason occurs as often as ud.sh expects of the
 * counters of sib1, and the Q_Key is violated once, of which traps.sh expects one trap.
 */
#include "kt_sib.h"

static void test_wrong_gids(struct ktap *t, struct ksb_pair *p)
{
	struct ksb_msg good = ksb_msg(p, 20), lost;
	union ib_gid gid, wrong[2];
	int i;

	if (!KT_EXPECT_EQ(t, rdma_query_gid(p->b.dev, 1, 0, &gid), 0))
		return;
	wrong[0] = gid;
	wrong[0].global.interface_id ^= cpu_to_be64(1);
	wrong[1] = gid;
	wrong[1].global.subnet_prefix ^= cpu_to_be64(1);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		lost = good;
		lost.ah = ksb_ah(t, &p->a, p->b.lid, &wrong[i]);
		if (!lost.ah)
			return;
		ksb_recv(t, &p->b, 0, KSB_SLOT);
		ksb_send(t, &lost, IB_WC_SUCCESS);
		ksb_expect_none(t, &p->b);
		KT_EXPECT(t, ksb_is_untouched(&p->b));
		/* The receive is still there: use it. */
		ksb_send(t, &good, IB_WC_SUCCESS);
		ksb_expect_data(t, &p->b, 0, &good);
		KT_EXPECT_EQ(t, rdma_destroy_ah(lost.ah, 0), 0);
	}
}

static void test_dropped(struct ktap *t, struct ksb_pair *p)
{
	const u32 qpn = p->b.qp->qp_num;
	const struct {
		u32 length, qkey, qpn;
	} rows[] = {
		{ 11, KSB_QKEY, qpn },
		{ 10, KSB_QKEY + 1, qpn },
		{ 10, KSB_QKEY, qpn ^ 0x800000 },
		{ 10, KSB_QKEY, IB_MULTICAST_QPN },
		{ 10, KSB_QKEY, 0 },
	};
	struct ksb_msg good = ksb_msg(p, 10), lost = good;
	int i;

	ksb_send(t, &good, IB_WC_SUCCESS);	/* no receive */
	ksb_recv(t, &p->b, 0, KSB_GRH + 10);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		lost.length = rows[i].length;
		lost.qkey = rows[i].qkey;
		lost.qpn = rows[i].qpn;
		ksb_send(t, &lost, IB_WC_SUCCESS);
		ksb_expect_none(t, &p->b);
	}
	KT_EXPECT(t, ksb_is_untouched(&p->b));
	ksb_send(t, &good, IB_WC_SUCCESS);
	ksb_expect_data(t, &p->b, 0, &good);
}

static const struct ktap_case ud_cases[] = {
	KSB_CASE("a global route has to lead to a GID of the port", test_wrong_gids),
	KSB_CASE("what is dropped leaves the receive", test_dropped),
};

KTAP_SUITE(ksb_ud_suite, "sib ud", ud_cases);
