/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Open files of /dev/infiniband/rdma_cm.
 */
#ifndef _KRDMA_UCMA_FILE_H_
#define _KRDMA_UCMA_FILE_H_

struct file;
struct file_operations;
struct ucma_file;

extern const struct file_operations ucma_fops;

/* Returns the struct ucma_file of @filp; NULL: the file is another driver's. */
struct ucma_file *ucma_file_of(struct file *filp);

#endif /* _KRDMA_UCMA_FILE_H_ */
