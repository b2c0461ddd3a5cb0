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

/* Returns NULL for a file of another driver. */
struct ucma_file *ucma_file_of(struct file *filp);

#endif /* _KRDMA_UCMA_FILE_H_ */
