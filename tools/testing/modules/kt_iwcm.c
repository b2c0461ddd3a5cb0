// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_iwcm.ko: tests of the iWARP connection manager over a provider that reports what the tests want.
 */
#include "kt_iwcm.h"

static const struct ktap_suite * const suites[] = {
	&kt_iwcm_table_suite, &kt_iwcm_connect_suite, &kt_iwcm_listen_suite,
	&kt_iwcm_destroy_suite, &kt_iwcm_device_suite, &kt_iwcm_many_suite,
};

KTAP_MODULE(suites);
