/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The file "capture" of a fabric in debugfs. */
#ifndef SIB_CAPTURE_H
#define SIB_CAPTURE_H

struct file_operations;

/*
 * i_private is the fabric. The operations take care of the file's removal themselves: only open()
 * uses the fabric, so that what a reader has got can be read when the fabric is gone.
 */
extern const struct file_operations sib_capture_fops;

#endif /* SIB_CAPTURE_H */
