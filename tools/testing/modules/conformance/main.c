// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_conformance.ko: a result for each name of the documented API, from the results of the other
 * modules with tests, which are loaded before.
 */
#include <rdma/krdma.h>

#include "conformance.h"
#include "../support/rows.h"

KRDMA_NEEDS_IB_CORE;

/* Returns the name that cases give: without the kind in front of it, and without a member. */
static size_t covered_name(const char **name)
{
	const char *last = strrchr(*name, ' ');

	if (last)
		*name = last + 1;
	return strcspn(*name, ".");
}

void kt_is_covered(struct ktap *t)
{
	const char *name = ktap_case_name(t);
	const struct kt_row *row;
	size_t len;

	len = covered_name(&name);
	row = kt_rows_find(name, len);
	if (!row) {
		ktap_fail(t, "no case covers %.*s", (int)len, name);
		return;
	}
	KT_EXPECT(t, row->passed);
	KT_EXPECT_EQ(t, row->failed, 0);
}

static const struct ktap_suite * const documented[] = {
	&kt_iw_cm_rows, &kt_iw_portmap_rows, &kt_ib_verbs_rows,
};

static bool is_documented(const struct kt_row *row)
{
	const char *name;
	size_t len;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(documented); i++) {
		for (j = 0; j < documented[i]->nr_cases; j++) {
			name = documented[i]->cases[j].name;
			len = covered_name(&name);
			if (!strncmp(row->name, name, len) && !row->name[len])
				return true;
		}
	}
	return false;
}

/* A name that is spelled wrongly in a test would cover nothing. */
static void test_names(struct ktap *t)
{
	const struct kt_row *row;

	for (row = kt_rows_next(NULL); row; row = kt_rows_next(row))
		if (!is_documented(row))
			ktap_fail(t, "%s is covered, but not documented", row->name);
}

static const struct ktap_case main_cases[] = {
	{ "each name that a case covers is documented", test_names },
};

static KTAP_SUITE(kt_names_suite, "names", main_cases);

static const struct ktap_suite * const suites[] = {
	&kt_names_suite, &kt_iw_cm_rows, &kt_iw_portmap_rows, &kt_ib_verbs_rows,
};

KTAP_MODULE(suites);
