// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: the table of all objects, as `rdma resource show` prints it.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verbs_test.h"

int table_read(struct table *table)
{
	FILE *rdma = popen("rdma resource show", "r");
	size_t len;

	if (!rdma)
		return -errno;
	len = fread(table->text, 1, sizeof(table->text) - 1, rdma);
	table->text[len] = '\0';
	return pclose(rdma) || !len ? -EIO : 0;
}

long table_sum(const struct table *table, const char *kind)
{
	const char *at = table->text;
	char word[32];
	long sum = 0;

	snprintf(word, sizeof(word), " %s ", kind);
	while ((at = strstr(at, word))) {
		at += strlen(word);
		sum += atol(at);
	}
	return sum;
}

bool table_is_restored(const struct table *before)
{
	int64_t end = now_ms() + patience_ms();
	struct table now;

	for (;;) {
		TRY(table_read(&now));
		if (!strcmp(now.text, before->text))
			return true;
		if (now_ms() > end)
			break;
		usleep(100000);
	}
	printf("# qp %ld, cm_id %ld, cq %ld, mr %ld, pd %ld, ctx %ld are left\n",
	       table_sum(&now, "qp"), table_sum(&now, "cm_id"), table_sum(&now, "cq"),
	       table_sum(&now, "mr"), table_sum(&now, "pd"), table_sum(&now, "ctx"));
	return false;
}
