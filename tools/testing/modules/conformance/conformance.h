/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * kt_conformance.ko: a result for each name of the documented API.
 *
 * A list of names (..._rows.h) is included twice: with the macros of rows_cases.h it is an array of
 * cases; with those of rows_types.h it checks types, so that a name that is missing or has another
 * type does not compile.
 */
#ifndef _KRDMA_TESTING_CONFORMANCE_H_
#define _KRDMA_TESTING_CONFORMANCE_H_

#include <linux/build_bug.h>

#include "../support/ktap.h"

extern const struct ktap_suite kt_iw_cm_rows, kt_iw_portmap_rows, kt_ib_verbs_rows;

/*
 * The case of each name: passes if at least one case of the other modules covers the name, and each
 * of those that ran has passed. A member of a structure is covered with the structure.
 */
void kt_is_covered(struct ktap *t);

/* In a function: checks that a call compiles and has this type. The call is not made. */
#define RETURNS(type, call)	static_assert(__same_type(typeof(call), type))

#endif /* _KRDMA_TESTING_CONFORMANCE_H_ */
