// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_sib.ko: tests of datagrams between CAs of soft InfiniBand. No script runs all suites, because
 * they need different fabrics.
 */
#include <rdma/krdma.h>

#include "kt_sib.h"

KRDMA_NEEDS_IB_CORE;

static const struct ktap_suite * const suites[] = {
	&ksb_limit_suite, &ksb_state_suite, &ksb_data_suite, &ksb_drop_suite, &ksb_error_suite,
	&ksb_address_suite, &ksb_cq_suite, &ksb_port_suite, &ksb_agent_suite, &ksb_busy_suite,
	&ksb_ud_suite, &ksb_sqd_suite, &ksb_mcast_suite, &ksb_dual_suite,
};

KTAP_MODULE(suites);
