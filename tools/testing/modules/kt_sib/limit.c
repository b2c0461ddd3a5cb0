// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Tests of the limits of a CA, and of objects that it does not have. */
#include "kt_sib.h"

/* Creates a QP after @change of its attributes, and destroys it. Returns the errno. */
#define QP_WITH(h, change)						\
({									\
	struct ib_qp_init_attr init = ksb_init_attr(h);			\
	struct ib_qp *__qp;						\
									\
	change;								\
	__qp = ib_create_qp((h)->pd, &init);				\
	if (!IS_ERR(__qp))						\
		ib_destroy_qp(__qp);					\
	PTR_ERR_OR_ZERO(__qp);						\
})

static void test_sizes(struct ktap *t)
{
	const struct ib_device_attr *attrs;
	struct ksb_pair p;
	struct ksb_host *h = &p.a;

	if (!ksb_start(t, &p))
		return;
	attrs = &h->dev->attrs;
	KT_EXPECT_EQ(t, QP_WITH(h, init.cap.max_send_wr = attrs->max_qp_wr), 0);
	KT_EXPECT_EQ(t, QP_WITH(h, init.cap.max_send_wr = attrs->max_qp_wr + 1), -EINVAL);
	KT_EXPECT_EQ(t, QP_WITH(h, init.cap.max_recv_wr = attrs->max_qp_wr), 0);
	KT_EXPECT_EQ(t, QP_WITH(h, init.cap.max_recv_wr = attrs->max_qp_wr + 1), -EINVAL);
	KT_EXPECT_EQ(t, QP_WITH(h, init.cap.max_send_sge = attrs->max_send_sge), 0);
	KT_EXPECT_EQ(t, QP_WITH(h, init.cap.max_send_sge = attrs->max_send_sge + 1), -EINVAL);
	KT_EXPECT_EQ(t, QP_WITH(h, init.cap.max_recv_sge = attrs->max_recv_sge), 0);
	KT_EXPECT_EQ(t, QP_WITH(h, init.cap.max_recv_sge = attrs->max_recv_sge + 1), -EINVAL);
	KT_EXPECT_EQ(t, QP_WITH(h, init.cap = (struct ib_qp_cap) {}), 0);
	KT_EXPECT_EQ(t, QP_WITH(h, init.cap.max_inline_data = 96), 0);
	KT_EXPECT_EQ(t, QP_WITH(h, init.cap.max_inline_data = 97), -EINVAL);
	ksb_end(t, &p);
}

static void test_types(struct ktap *t)
{
	static const enum ib_qp_type others[] = {
		IB_QPT_RAW_PACKET, IB_QPT_RAW_IPV6, IB_QPT_RAW_ETHERTYPE, IB_QPT_DRIVER,
	};
	struct ksb_pair p;
	int i;

	if (!ksb_start(t, &p))
		return;
	for (i = 0; i < ARRAY_SIZE(others); i++)
		KT_EXPECT(t, QP_WITH(&p.a, init.qp_type = others[i]) < 0);
	KT_EXPECT(t, QP_WITH(&p.a, init.create_flags = IB_QP_CREATE_NETIF_QP) < 0);
	/* A port has one QP 0 and one QP 1, and ib_mad has them. */
	KT_EXPECT_EQ(t, QP_WITH(&p.a, (init.qp_type = IB_QPT_GSI, init.port_num = 1)), -EBUSY);
	KT_EXPECT_EQ(t, QP_WITH(&p.a, (init.qp_type = IB_QPT_SMI, init.port_num = 1)), -EBUSY);
	KT_EXPECT_EQ(t, QP_WITH(&p.a, (init.qp_type = IB_QPT_GSI, init.port_num = 2)), -EINVAL);
	KT_EXPECT_EQ(t, QP_WITH(&p.a, (init.qp_type = IB_QPT_SMI, init.port_num = 0)), -EINVAL);
	ksb_end(t, &p);
}

/* Numbers of QPs are not used again at once. */
static void test_numbers(struct ktap *t)
{
	struct ib_qp *qp[20], *other;
	struct ksb_pair p;
	int i, j;

	if (!ksb_start(t, &p))
		return;
	for (i = 0; i < ARRAY_SIZE(qp); i++) {
		qp[i] = ksb_qp(t, &p.a);
		KT_EXPECT(t, qp[i]->qp_num > 1 && qp[i]->qp_num < IB_MULTICAST_QPN);
		for (j = 0; j < i; j++)
			KT_EXPECT(t, qp[j]->qp_num != qp[i]->qp_num);
	}
	i = qp[7]->qp_num;
	KT_EXPECT_EQ(t, ib_destroy_qp(qp[7]), 0);
	other = ksb_qp(t, &p.a);
	KT_EXPECT(t, other->qp_num != i);
	qp[7] = other;
	for (i = 0; i < ARRAY_SIZE(qp); i++)
		KT_EXPECT_EQ(t, ib_destroy_qp(qp[i]), 0);
	ksb_end(t, &p);
}

static const struct ktap_case limit_cases[] = {
	{ "sizes of a QP", test_sizes },
	{ "types of QPs", test_types },
	{ "numbers of QPs", test_numbers },
};

KTAP_SUITE(ksb_limit_suite, "sib limits", limit_cases);
