/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tests of the limits of a device, of which kt_siw.ko consists together with queues.c.
 */
#ifndef KT_SIW_LIMITS_H
#define KT_SIW_LIMITS_H

#include "../support/ktap.h"

extern const struct ktap_suite kt_siw_limits_suite;

#endif /* KT_SIW_LIMITS_H */
