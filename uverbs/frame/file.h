/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Lifetime of struct ib_uverbs_file.
 */
#ifndef _KRDMA_UVERBS_FRAME_FILE_H_
#define _KRDMA_UVERBS_FRAME_FILE_H_

struct address_space;
struct ib_uverbs_file;
struct uverbs_device;

/**
 * uverbs_file_alloc - allocate an open file
 * @udev: the node that is opened; the file holds a reference to it
 * @mapping: address space of the node
 *
 * Return: the file, with one reference; NULL: no memory.
 */
struct ib_uverbs_file *uverbs_file_alloc(struct uverbs_device *udev, struct address_space *mapping);

/**
 * uverbs_file_put - drop a reference, and free the file if it was the last one
 * @file: the file, which has no context and no object when its last reference is dropped
 *
 * May sleep.
 */
void uverbs_file_put(struct ib_uverbs_file *file);

#endif /* _KRDMA_UVERBS_FRAME_FILE_H_ */
