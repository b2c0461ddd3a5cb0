/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Contexts: the table of numbers, references, and the file that a context is in.
 */
#ifndef _KRDMA_UCMA_CTX_H_
#define _KRDMA_UCMA_CTX_H_

#include "ucma/ucma.h"

/*
 * Allocates a context with a number. Commands do not find the context before ucma_ctx_publish().
 * Returns NULL if no memory or no number is left. @gfp: flags for the allocations.
 */
struct ucma_ctx *ucma_ctx_new(struct ucma_file *file, gfp_t gfp);

/*
 * Frees a context that has no users: one that was never published, or one for which ucma_ctx_end()
 * has returned.
 */
void ucma_ctx_free(struct ucma_ctx *ctx);

/* Makes the context visible to commands on its file. Called with ctx->file->lock held. */
void ucma_ctx_publish(struct ucma_ctx *ctx);

/**
 * ucma_ctx_get - look up a context by its number
 * @file: file that the context has to be in; NULL: any file
 * @id: the number
 *
 * Return: the context, with a reference; ERR_PTR: -ENOENT: no published context has this number;
 * -EINVAL: the context is in another file.
 */
struct ucma_ctx *ucma_ctx_get(struct ucma_file *file, u32 id);
void ucma_ctx_put(struct ucma_ctx *ctx);

/**
 * ucma_ctx_lock - look up a context by its number and lock it
 * @file: file that the context has to be in
 * @id: the number
 *
 * Return: the context, for ucma_ctx_unlock(); ERR_PTR: -ENODEV: the identifier was destroyed,
 * because its device is being removed; -EINTR: the process was killed while another command had the
 * lock; or an error of ucma_ctx_get().
 */
struct ucma_ctx *ucma_ctx_lock(struct ucma_file *file, u32 id);
void ucma_ctx_unlock(struct ucma_ctx *ctx);

/* Returns the file of the context, with a reference. The caller has a reference to the context. */
struct ucma_file *ucma_ctx_file_get(struct ucma_ctx *ctx);
void ucma_file_put(struct ucma_file *file);

/**
 * ucma_ctx_set_file - move a context to another file
 * @ctx: the context, with its handler lock held
 * @from: the file that the context has to be in, locked
 * @to: the new file, locked
 *
 * Return: 0; -EINVAL: the context has left @from; -ENOENT: the context was removed from the table.
 * A removed context never moves to another file, because the thread that destroys the context still
 * uses @ctx->file.
 */
int ucma_ctx_set_file(struct ucma_ctx *ctx, struct ucma_file *from, struct ucma_file *to);

/*
 * Makes a context invisible to commands. Returns the context, which the caller destroys; or an
 * error of ucma_ctx_get().
 */
struct ucma_ctx *ucma_ctx_remove(struct ucma_file *file, u32 id);

/*
 * Makes one of the published contexts of the file invisible to commands. Returns the context, which
 * the caller destroys; NULL: no context is published.
 */
struct ucma_ctx *ucma_ctx_remove_any(struct ucma_file *file);

/*
 * Destroys the context's identifier, which ends the connection, or rejects a request that was not
 * accepted. Drops the initial reference, and waits until the other references are dropped. No event
 * comes after the function has returned.
 */
void ucma_ctx_end(struct ucma_ctx *ctx);

/* Frees the table when the module is unloaded. */
void ucma_ctxs_exit(void);

#endif /* _KRDMA_UCMA_CTX_H_ */
