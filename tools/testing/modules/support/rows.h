/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The names of the documented API that the in-kernel tests have covered since kt_support.ko was
 * loaded.
 */
#ifndef _KRDMA_TESTING_ROWS_H_
#define _KRDMA_TESTING_ROWS_H_

#include <linux/list.h>
#include <linux/types.h>

/**
 * struct kt_row - results of the cases that cover a name
 * @passed: number of cases that have passed
 * @failed: number of cases that have failed
 * @entry: entry in the list of all names
 * @name: the name
 */
struct kt_row {
	unsigned int passed;
	unsigned int failed;
	struct list_head entry;
	char name[];
};

/* Adds the result of a case to each name in @names, which are separated by spaces. */
void kt_rows_add(const char *names, bool passed);

/*
 * Returns the results of a name of @len characters, or NULL if no case covers it. kt_rows_next()
 * returns the name that follows @row, the first one if @row is NULL, and NULL after the last one.
 * Nothing protects the names, because modules with tests are loaded one after the other.
 */
const struct kt_row *kt_rows_find(const char *name, size_t len);
const struct kt_row *kt_rows_next(const struct kt_row *row);

void kt_rows_exit(void);

#endif /* _KRDMA_TESTING_ROWS_H_ */
