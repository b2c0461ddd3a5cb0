// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_iwcm.ko: tests of iw_cm over a provider that reports the events that a test chooses, at any
 * time.
 */
#include <rdma/krdma.h>

#include "kt_iwcm.h"

KRDMA_NEEDS_IB_CORE;

static const struct ktap_suite * const suites[] = {
	&kt_iwcm_table_suite, &kt_iwcm_connect_suite, &kt_iwcm_listen_suite,
	&kt_iwcm_destroy_suite, &kt_iwcm_device_suite, &kt_iwcm_many_suite,
	&kt_iwcm_track_suite,
};

KTAP_MODULE(suites);
