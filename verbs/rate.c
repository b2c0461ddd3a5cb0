// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Conversion of static rates to numbers.
 */
#include "verbs/verbs.h"

/*
 * @mbps is the number of lanes times the signalling rate of one lane. A lane has 2.5, 5 or 10
 * Gbit/s up to QDR, and 14.0625, 25.78125, 53.125 or 106.25 Gbit/s from FDR on. The names of the
 * rates from FDR on are rounded, so @mbps differs from the number in the name.
 */
static const struct {
	u16 mult;	/* multiple of 2.5 Gbit/s */
	u32 mbps;
} rates[] = {
	[IB_RATE_2_5_GBPS] = {   1,   2500 },
	[IB_RATE_5_GBPS]   = {   2,   5000 },
	[IB_RATE_10_GBPS]  = {   4,  10000 },
	[IB_RATE_14_GBPS]  = {   6,  14062 },
	[IB_RATE_20_GBPS]  = {   8,  20000 },
	[IB_RATE_25_GBPS]  = {  10,  25781 },
	[IB_RATE_28_GBPS]  = {  11,  28125 },
	[IB_RATE_30_GBPS]  = {  12,  30000 },
	[IB_RATE_40_GBPS]  = {  16,  40000 },
	[IB_RATE_50_GBPS]  = {  20,  53125 },
	[IB_RATE_56_GBPS]  = {  22,  56250 },
	[IB_RATE_60_GBPS]  = {  24,  60000 },
	[IB_RATE_80_GBPS]  = {  32,  80000 },
	[IB_RATE_100_GBPS] = {  40, 103125 },
	[IB_RATE_112_GBPS] = {  45, 112500 },
	[IB_RATE_120_GBPS] = {  48, 120000 },
	[IB_RATE_168_GBPS] = {  67, 168750 },
	[IB_RATE_200_GBPS] = {  80, 206250 },
	[IB_RATE_300_GBPS] = { 120, 309375 },
	[IB_RATE_400_GBPS] = { 160, 425000 },
	[IB_RATE_600_GBPS] = { 240, 637500 },
};

static bool is_rate(enum ib_rate rate)
{
	return (unsigned int)rate < ARRAY_SIZE(rates) && rates[rate].mult;
}

int ib_rate_to_mult(enum ib_rate rate)
{
	return is_rate(rate) ? rates[rate].mult : -1;
}
EXPORT_SYMBOL(ib_rate_to_mult);

int ib_rate_to_mbps(enum ib_rate rate)
{
	return is_rate(rate) ? rates[rate].mbps : -1;
}
EXPORT_SYMBOL(ib_rate_to_mbps);

enum ib_rate mult_to_ib_rate(int mult)
{
	int rate;

	for (rate = 0; rate < ARRAY_SIZE(rates); rate++)
		if (is_rate(rate) && rates[rate].mult == mult)
			return rate;
	return IB_RATE_PORT_CURRENT;
}
EXPORT_SYMBOL(mult_to_ib_rate);
