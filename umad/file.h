/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_UMAD_FILE_H_
#define _KRDMA_UMAD_FILE_H_

struct file_operations;
struct umad_file;

extern const struct file_operations umad_fops;

/* Drops a reference to a file. */
void umad_file_put(struct umad_file *file);

#endif /* _KRDMA_UMAD_FILE_H_ */
