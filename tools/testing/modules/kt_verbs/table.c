// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the conversion of rates, and of the names of completion statuses.
 */
#include "kt_verbs.h"

static const struct {
	enum ib_rate rate;
	int mult;
	int mbps;
} rates[] = {
	{ IB_RATE_2_5_GBPS, 1, 2500 },	   { IB_RATE_5_GBPS, 2, 5000 },
	{ IB_RATE_10_GBPS, 4, 10000 },	   { IB_RATE_20_GBPS, 8, 20000 },
	{ IB_RATE_30_GBPS, 12, 30000 },	   { IB_RATE_40_GBPS, 16, 40000 },
	{ IB_RATE_60_GBPS, 24, 60000 },	   { IB_RATE_80_GBPS, 32, 80000 },
	{ IB_RATE_120_GBPS, 48, 120000 },  { IB_RATE_14_GBPS, 6, 14062 },
	{ IB_RATE_56_GBPS, 22, 56250 },	   { IB_RATE_112_GBPS, 45, 112500 },
	{ IB_RATE_168_GBPS, 67, 168750 },  { IB_RATE_25_GBPS, 10, 25781 },
	{ IB_RATE_100_GBPS, 40, 103125 },  { IB_RATE_200_GBPS, 80, 206250 },
	{ IB_RATE_300_GBPS, 120, 309375 }, { IB_RATE_28_GBPS, 11, 28125 },
	{ IB_RATE_50_GBPS, 20, 53125 },	   { IB_RATE_400_GBPS, 160, 425000 },
	{ IB_RATE_600_GBPS, 240, 637500 },
};

static void test_rates(struct ktap *t)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(rates); i++) {
		KT_EXPECT_EQ(t, ib_rate_to_mult(rates[i].rate), rates[i].mult);
		KT_EXPECT_EQ(t, ib_rate_to_mbps(rates[i].rate), rates[i].mbps);
		KT_EXPECT_EQ(t, mult_to_ib_rate(rates[i].mult), rates[i].rate);
	}
}

static void test_no_rates(struct ktap *t)
{
	static const int none[] = { -1, IB_RATE_PORT_CURRENT, 1, IB_RATE_600_GBPS + 1, INT_MAX };
	int i;

	for (i = 0; i < ARRAY_SIZE(none); i++) {
		KT_EXPECT_EQ(t, ib_rate_to_mult(none[i]), -1);
		KT_EXPECT_EQ(t, ib_rate_to_mbps(none[i]), -1);
	}
	KT_EXPECT_EQ(t, mult_to_ib_rate(0), IB_RATE_PORT_CURRENT);
	KT_EXPECT_EQ(t, mult_to_ib_rate(3), IB_RATE_PORT_CURRENT);
	KT_EXPECT_EQ(t, mult_to_ib_rate(-1), IB_RATE_PORT_CURRENT);
	KT_EXPECT_EQ(t, mult_to_ib_rate(1000), IB_RATE_PORT_CURRENT);
}

static void test_statuses(struct ktap *t)
{
	int i, j;

	for (i = IB_WC_SUCCESS; i <= IB_WC_GENERAL_ERR; i++) {
		KT_EXPECT(t, ib_wc_status_msg(i) && *ib_wc_status_msg(i));
		for (j = 0; j < i; j++)
			KT_EXPECT(t, strcmp(ib_wc_status_msg(i), ib_wc_status_msg(j)));
	}
	KT_EXPECT(t, !strcmp(ib_wc_status_msg(IB_WC_SUCCESS), "success"));
	KT_EXPECT(t, ib_wc_status_msg(IB_WC_GENERAL_ERR + 1));
	KT_EXPECT(t, !strcmp(ib_wc_status_msg(-1), ib_wc_status_msg(IB_WC_GENERAL_ERR + 1)));
}

static const struct ktap_case table_cases[] = {
	{ "every rate is converted in both directions", test_rates,
	  COVERS(ib_rate_to_mult ib_rate_to_mbps mult_to_ib_rate ib_rate IB_RATE_2_5_GBPS
		 IB_RATE_5_GBPS) },
	{ "other numbers are no rate", test_no_rates,
	  COVERS(ib_rate_to_mult ib_rate_to_mbps mult_to_ib_rate) },
	{ "every completion status has its own name", test_statuses },
};

KTAP_SUITE(kt_table_suite, "tables", table_cases);
