/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Requests that were posted in SQD, and wait until the QP leaves that state. */
#ifndef SIB_HOLD_H
#define SIB_HOLD_H

#include "drivers/sib/sib.h"
#include "soft/wqe.h"

/**
 * struct sib_held - a request that waits
 * @entry: entry in sib_qp.held
 * @ud: the request; its list of SGEs is @sge
 * @length: bytes of data
 * @sge: SGEs; of inline data a single one, the address of @inline_data
 * @inline_data: copy of inline data
 */
struct sib_held {
	struct list_head entry;
	struct ib_ud_wr ud;
	u32 length;
	struct ib_sge sge[SOFT_SGE_MAX];
	u8 inline_data[SOFT_INLINE_MAX];
};

/**
 * sib_hold() - have a request wait
 * @qp: the QP
 * @ud: the request, which was checked
 * @length: bytes of data
 *
 * Called with sib_qp.send_lock held.
 *
 * Return: 0; -ENOMEM if the queue is full, or there is no memory.
 */
int sib_hold(struct sib_qp *qp, const struct ib_ud_wr *ud, u32 length);

/**
 * sib_hold_take() - take the oldest request that waits
 * @qp: the QP
 *
 * Called with sib_qp.send_lock held.
 *
 * Return: the request, to be freed by kfree(); NULL if none waits.
 */
struct sib_held *sib_hold_take(struct sib_qp *qp);

/**
 * sib_hold_forget() - forget all requests that wait, without completions
 * @qp: the QP, to which nobody posts
 *
 * Process context.
 */
void sib_hold_forget(struct sib_qp *qp);

#endif /* SIB_HOLD_H */
