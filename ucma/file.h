/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Open files of /dev/infiniband/rdma_cm.
 */
#ifndef _KRDMA_UCMA_FILE_H_
#define _KRDMA_UCMA_FILE_H_

#include <linux/poll.h>

struct file;
struct inode;
struct ucma_file;

/* Operations of the device node. */
int ucma_file_open(struct inode *inode, struct file *filp);
int ucma_file_release(struct inode *inode, struct file *filp);
__poll_t ucma_file_poll(struct file *filp, struct poll_table_struct *table);

/* Returns the struct ucma_file of @filp; NULL: @filp is not an open file of this device node. */
struct ucma_file *ucma_file_of(struct file *filp);

#endif /* _KRDMA_UCMA_FILE_H_ */
