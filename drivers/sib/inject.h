/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The file "inject" of a fabric in debugfs. */
#ifndef SIB_INJECT_H
#define SIB_INJECT_H

struct file_operations;

/* i_private is the fabric. */
extern const struct file_operations sib_inject_fops;

#endif /* SIB_INJECT_H */
