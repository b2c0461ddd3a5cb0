/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The file "filter" of a fabric in debugfs. */
#ifndef SIB_FILTER_H
#define SIB_FILTER_H

struct file_operations;

/* i_private is the fabric. */
extern const struct file_operations sib_filter_fops;

#endif /* SIB_FILTER_H */
