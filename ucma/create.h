/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Creation and destruction of contexts. The commands that create and destroy a context are declared
 * in command.h.
 */
#ifndef _KRDMA_UCMA_CREATE_H_
#define _KRDMA_UCMA_CREATE_H_

struct ucma_file;

/* Destroys those contexts of a file that are still published. */
void ucma_ctx_destroy_all(struct ucma_file *file);

#endif /* _KRDMA_UCMA_CREATE_H_ */
