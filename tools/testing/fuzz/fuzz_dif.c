// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fuzzes T10 DIF: the input chooses registrations, lists of memory and transfers, all of which are
 * compared with the model of the unit tests.
 */

#include "fuzz.h"
#include "tools/testing/unit/dif_case.h"

static uint32_t next_number(void *source, unsigned int bytes)
{
	return take(source, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct dif_choices ch = { next_number, &in };
	const char *diff = dif_case_run(&ch);

	if (diff)
		fprintf(stderr, "differs from the model: %s\n", diff);
	CLAIM(!diff);
	return 0;
}
