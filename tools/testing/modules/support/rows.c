// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The names of the documented API that the in-kernel tests have covered.
 */
#include <linux/export.h>
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "rows.h"

static LIST_HEAD(rows);

static struct kt_row *find_row(const char *name, size_t len)
{
	struct kt_row *row;

	list_for_each_entry(row, &rows, entry)
		if (!strncmp(row->name, name, len) && !row->name[len])
			return row;
	return NULL;
}

static struct kt_row *find_or_add_row(const char *name, size_t len)
{
	struct kt_row *row = find_row(name, len);

	if (row)
		return row;
	row = kzalloc(struct_size(row, name, len + 1), GFP_KERNEL | __GFP_NOFAIL);
	memcpy(row->name, name, len);
	list_add_tail(&row->entry, &rows);
	return row;
}

void kt_rows_add(const char *names, bool passed)
{
	struct kt_row *row;
	size_t len;

	for (; *names; names += len + strspn(names + len, " ")) {
		len = strcspn(names, " ");
		row = find_or_add_row(names, len);
		if (passed)
			row->passed++;
		else
			row->failed++;
	}
}

const struct kt_row *kt_rows_find(const char *name, size_t len)
{
	return find_row(name, len);
}
EXPORT_SYMBOL(kt_rows_find);

const struct kt_row *kt_rows_next(const struct kt_row *row)
{
	if (!row)
		return list_first_entry_or_null(&rows, struct kt_row, entry);
	return list_is_last(&row->entry, &rows) ? NULL : list_next_entry(row, entry);
}
EXPORT_SYMBOL(kt_rows_next);

void kt_rows_exit(void)
{
	struct kt_row *row, *next;

	list_for_each_entry_safe(row, next, &rows, entry)
		kfree(row);
}
