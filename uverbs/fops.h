/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * File operations of device nodes.
 */
#ifndef _KRDMA_UVERBS_FOPS_H_
#define _KRDMA_UVERBS_FOPS_H_

struct file_operations;
struct ib_uverbs_file;

extern const struct file_operations uverbs_fops;

/**
 * uverbs_file_empty - destroy the context of a file, and everything that was created in it
 * @file: the file, which may be empty already; no call by this file is running, and none can begin
 *
 * Called with uverbs_device.srcu held for reading, or with ib_uverbs_file.empty_lock held. May
 * sleep.
 */
void uverbs_file_empty(struct ib_uverbs_file *file);

#endif /* _KRDMA_UVERBS_FOPS_H_ */
