/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Contexts: the table of numbers, references, and the file that a context is in.
 */
#ifndef _KRDMA_UCMA_CTX_H_
#define _KRDMA_UCMA_CTX_H_

#include "ucma/ucma.h"

/*
 * Allocates a context with a number, which commands do not find before ucma_ctx_publish(). Returns
 * NULL without memory.
 */
struct ucma_ctx *ucma_ctx_new(struct ucma_file *file);

/* Frees a context that has no users, after ucma_ctx_end() or before it was published. */
void ucma_ctx_free(struct ucma_ctx *ctx);

/* Makes the context visible to commands on its file. Called with ctx->file->lock held. */
void ucma_ctx_publish(struct ucma_ctx *ctx);

/**
 * ucma_ctx_get - look up a context by its number
 * @file: file that the context has to be in
 * @id: the number
 *
 * Return: the context with a reference; or ERR_PTR: -ENOENT no such context; -EINVAL the context is
 * in another file.
 */
struct ucma_ctx *ucma_ctx_get(struct ucma_file *file, u32 id);
void ucma_ctx_put(struct ucma_ctx *ctx);

/**
 * ucma_ctx_lock - look up a context by its number and lock it
 * @file: file that the context has to be in
 * @id: the number
 *
 * Return: the context, to be unlocked with ucma_ctx_unlock(); or ERR_PTR: -ENODEV its device has
 * been removed; or as ucma_ctx_get().
 */
struct ucma_ctx *ucma_ctx_lock(struct ucma_file *file, u32 id);
void ucma_ctx_unlock(struct ucma_ctx *ctx);

/* Returns the file that the context is in, with a reference. The caller has one to the context. */
struct ucma_file *ucma_ctx_file_get(struct ucma_ctx *ctx);
void ucma_file_put(struct ucma_file *file);

/**
 * ucma_ctx_set_file - move a context to another file
 * @ctx: the context, with its handler lock held
 * @from: the file that the context has to be in, locked
 * @to: the new file, locked
 *
 * Return: 0; -EINVAL the context has left @from; -ENOENT the context has been removed. A removed
 * context does not change its file, because the thread that destroys it relies on that.
 */
int ucma_ctx_set_file(struct ucma_ctx *ctx, struct ucma_file *from, struct ucma_file *to);

/*
 * Makes a context invisible to commands, and returns it to the caller, who destroys it. Errors are
 * those of ucma_ctx_get().
 */
struct ucma_ctx *ucma_ctx_remove(struct ucma_file *file, u32 id);

/* Does the same with any context of the file that is still published. Returns NULL if none is. */
struct ucma_ctx *ucma_ctx_remove_any(struct ucma_file *file);

/*
 * Ends the connection, or rejects the request, and waits for the last user. After that there are no
 * more events. The caller's reference, the initial one, is dropped.
 */
void ucma_ctx_end(struct ucma_ctx *ctx);

/* Frees the table when the module is unloaded. */
void ucma_ctxs_exit(void);

#endif /* _KRDMA_UCMA_CTX_H_ */
