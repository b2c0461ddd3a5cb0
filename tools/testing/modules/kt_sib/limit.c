// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of the limits of a CA, and of objects that it does not have. */
#include "kt_sib.h"

/* Creates a QP and destroys it. Returns the errno. */
static int try_qp(struct ksb_host *h, struct ib_qp_init_attr *init)
{
	struct ib_qp *qp = ib_create_qp(h->pd, init);

	if (!IS_ERR(qp))
		ib_destroy_qp(qp);
	return PTR_ERR_OR_ZERO(qp);
}

static void test_sizes(struct ktap *t, struct ksb_pair *p)
{
	const struct ib_device_attr *attrs = &p->a.dev->attrs;
	struct ib_qp_init_attr init = ksb_init_attr(&p->a);
	const struct {
		u32 *size, most;
	} rows[] = {
		{ &init.cap.max_send_wr, attrs->max_qp_wr },
		{ &init.cap.max_recv_wr, attrs->max_qp_wr },
		{ &init.cap.max_send_sge, attrs->max_send_sge },
		{ &init.cap.max_recv_sge, attrs->max_recv_sge },
		{ &init.cap.max_inline_data, 96 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		init = ksb_init_attr(&p->a);
		*rows[i].size = rows[i].most;
		if (!KT_EXPECT_EQ(t, try_qp(&p->a, &init), 0))
			ktap_note(t, "row %d", i);
		init = ksb_init_attr(&p->a);
		*rows[i].size = rows[i].most + 1;
		if (!KT_EXPECT_EQ(t, try_qp(&p->a, &init), -EINVAL))
			ktap_note(t, "row %d", i);
	}
	init = ksb_init_attr(&p->a);
	init.cap = (struct ib_qp_cap) {};
	KT_EXPECT_EQ(t, try_qp(&p->a, &init), 0);
	/* Not even a QP without requests is without a CQ. */
	init.send_cq = NULL;
	KT_EXPECT_EQ(t, try_qp(&p->a, &init), -EINVAL);
	init.send_cq = p->a.cq;
	init.recv_cq = NULL;
	KT_EXPECT_EQ(t, try_qp(&p->a, &init), -EINVAL);
}

static void test_types(struct ktap *t, struct ksb_pair *p)
{
	static const enum ib_qp_type others[] = {
		IB_QPT_RAW_PACKET, IB_QPT_RAW_IPV6, IB_QPT_RAW_ETHERTYPE, IB_QPT_DRIVER,
	};
	/* A port has one QP 0 and one QP 1, and ib_mad has them. */
	static const struct {
		enum ib_qp_type type;
		u32 port;
		int ret;
	} special[] = {
		{ IB_QPT_GSI, 1, -EBUSY },
		{ IB_QPT_SMI, 1, -EBUSY },
		{ IB_QPT_GSI, 2, -EINVAL },
		{ IB_QPT_SMI, 0, -EINVAL },
	};
	struct ib_qp_init_attr init = ksb_init_attr(&p->a);
	int i;

	init.create_flags = IB_QP_CREATE_NETIF_QP;
	KT_EXPECT(t, try_qp(&p->a, &init) < 0);
	init.create_flags = 0;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		init.qp_type = others[i];
		KT_EXPECT(t, try_qp(&p->a, &init) < 0);
	}
	for (i = 0; i < ARRAY_SIZE(special); i++) {
		init.qp_type = special[i].type;
		init.port_num = special[i].port;
		KT_EXPECT_EQ(t, try_qp(&p->a, &init), special[i].ret);
	}
}

/* Expects that the last of some QPs has a number of its own, which is not special. */
static void expect_number(struct ktap *t, struct ib_qp **qps, int nr)
{
	u32 qpn = qps[nr - 1]->qp_num;
	int i;

	KT_EXPECT(t, qpn > 1 && qpn < IB_MULTICAST_QPN);
	for (i = 0; i < nr - 1; i++)
		KT_EXPECT(t, qps[i]->qp_num != qpn);
}

/* Numbers of QPs are not used again at once. */
static void test_numbers(struct ktap *t, struct ksb_pair *p)
{
	struct ib_qp *qps[20];
	u32 gone;
	int nr;

	for (nr = 0; nr < ARRAY_SIZE(qps); nr++) {
		qps[nr] = ksb_qp(t, &p->a, IB_QPS_RESET);
		if (!qps[nr])
			goto out;
		expect_number(t, qps, nr + 1);
	}
	gone = qps[--nr]->qp_num;
	KT_EXPECT_EQ(t, ib_destroy_qp(qps[nr]), 0);
	qps[nr] = ksb_qp(t, &p->a, IB_QPS_RESET);
	if (!qps[nr])
		goto out;
	KT_EXPECT(t, qps[nr++]->qp_num != gone);
out:
	while (nr--)
		KT_EXPECT_EQ(t, ib_destroy_qp(qps[nr]), 0);
}

static const struct ktap_case limit_cases[] = {
	KSB_CASE("sizes of a QP", test_sizes),
	KSB_CASE("types of QPs", test_types),
	KSB_CASE("numbers of QPs", test_numbers),
};

KTAP_SUITE(ksb_limit_suite, "sib limits", limit_cases);
