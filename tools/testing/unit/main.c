// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Runs the tests and prints KTAP, which ends with a line of totals. */

#include <stdio.h>

#include "unit.h"

int main(void)
{
	printf("KTAP version 1\n");
	test_fault();
	test_mpa();
	test_negotiate();
	test_fpdu();
	test_ddp();
	test_rdmap();
	test_atomic();
	test_soft_atomic();
	test_term();
	test_rx();
	test_dif();
	test_reasm();
	test_packet();
	test_datagram();
	test_mad();
	test_sma();
	test_sibnet();
	test_sibnet_fabric();
	return unit_end();
}
