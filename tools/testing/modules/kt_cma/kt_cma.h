/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The suites of kt_cma.ko.
 */
#ifndef _KRDMA_TESTING_KT_CMA_H_
#define _KRDMA_TESTING_KT_CMA_H_

#include "../support/ktap.h"

extern const struct ktap_suite kt_cma_ports_suite;

#endif /* _KRDMA_TESTING_KT_CMA_H_ */
