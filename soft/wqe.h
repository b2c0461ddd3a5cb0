/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work queue entries: work requests as the queues hold them.
 */
#ifndef SOFT_WQE_H
#define SOFT_WQE_H

#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "soft/atomic.h"
#include "soft/mw.h"

struct soft_sgl_iter;

/* Limits of a request: number of SGEs, bytes of inline data (in place of SGEs), message size. */
#define SOFT_SGE_MAX		6
#define SOFT_INLINE_MAX		(SOFT_SGE_MAX * sizeof(struct ib_sge))
#define SOFT_MAX_MSG		(1u << 31)

/* Largest number of SGEs for the old value of an atomic operation. */
#define SOFT_ATOMIC_SGE_MAX	2

/* Largest number of requests of a list that are posted while interrupts are off. */
#define SOFT_POST_BATCH		256u

/* States of a send queue entry. */
enum soft_send_wqe_state {
	SOFT_SEND_WQE_POSTED,  /* not all bytes of the request have been sent */
	SOFT_SEND_WQE_READING, /* a read or atomic operation, which waits for its response */
	SOFT_SEND_WQE_DONE,    /* done; completes when all entries before it have completed */
};

/**
 * struct soft_send_wqe - a posted send request
 * @wr_id: the consumer's identifier, which the completion returns
 * @raddr: remote address of a write, read or atomic operation
 * @length: bytes in @sge or @inline_data
 * @rkey: remote STag of a write, read or atomic operation
 * @inv_stag: STag to invalidate: the peer's for a send, a local one for a local invalidate or a
 *	read with invalidate
 * @imm: immediate data that follows a write
 * @opcode: enum ib_wr_opcode
 * @state: enum soft_send_wqe_state
 * @status: enum ib_wc_status: status of the completion, if @state is DONE; before that,
 *	IB_WC_SUCCESS, or the error of an invalid request of a process
 * @signaled: the request has a completion even if it succeeds
 * @solicited: the receiver's completion is to be a solicited one
 * @fence: the request waits until all reads before it have completed
 * @is_inline: the data is in @inline_data
 * @num_sge: entries in @sge
 * @sge: source of a send or write, sink of a read
 * @inline_data: copy of inline data
 * @mr: region of a REG_MR or REG_MR_INTEGRITY
 * @key: new STag of @mr
 * @access: new access rights of @mr
 * @bind: what a BIND_MW binds
 * @old_value: the first entries of @sge, which take the old value of an atomic operation
 * @atomic: atomic operation
 *
 * A request uses two cache lines of 64 bytes, or one if it has no data or at most two SGEs.
 */
struct soft_send_wqe {
	u64 wr_id;
	u64 raddr;
	u32 length;
	u32 rkey;
	union {
		u32 inv_stag;
		__be32 imm;
	};
	u8 opcode;
	u8 state;
	u8 status;
	u8 signaled:1;
	u8 solicited:1;
	u8 fence:1;
	u8 is_inline:1;
	u8 num_sge:4;
	union {
		struct ib_sge sge[SOFT_SGE_MAX];
		u8 inline_data[SOFT_INLINE_MAX];
		struct {
			struct ib_mr *mr;
			u32 key;
			int access;
		};
		struct soft_mw_bind bind;
		struct {
			struct ib_sge old_value[SOFT_ATOMIC_SGE_MAX];
			struct soft_atomic atomic;
		};
	};
};

static_assert(sizeof(struct soft_send_wqe) == 128);

/**
 * struct soft_recv_wqe - a posted receive request
 * @wr_id: the consumer's identifier, which the completion returns
 * @num_sge: entries in @sge
 * @length: bytes in @sge
 * @sge: where the message goes
 */
struct soft_recv_wqe {
	u64 wr_id;
	u8 num_sge;
	u32 length;
	struct ib_sge sge[SOFT_SGE_MAX];
};

/* Returns the size of a ring: a power of two, also for 0, so that size - 1 is an index mask. */
static inline u32 soft_ring_size(u32 max_wr)
{
	return roundup_pow_of_two(max(max_wr, 1u));
}

/*
 * Stores the sum of the lengths of @num SGEs in *@length. Returns 0; -EINVAL if @num is more
 * than @max_sge, as a negative ib_send_wr.num_sge always is, or if the sum is more than
 * SOFT_MAX_MSG.
 */
int soft_sge_length(const struct ib_sge *sge, u32 num, u32 max_sge, u32 *length);
/*
 * Copies the inline data of @wr from its kernel addresses, because the poster may reuse the memory
 * at once. @to has room for the sum of the lengths.
 */
void soft_copy_inline(u8 *to, const struct ib_send_wr *wr);
/*
 * Begins an iteration over the data of @wqe, a request of a QP of @pd. Returns 0 or the errno of
 * soft_sgl_iter_init().
 */
int soft_send_wqe_iter_init(struct soft_send_wqe *wqe, const struct ib_pd *pd,
			    struct soft_sgl_iter *sgl, int access);
/* Copies a receive request to @wqe. Returns 0, or the errno of soft_sge_length(). */
int soft_recv_wqe_build(struct soft_recv_wqe *wqe, const struct ib_recv_wr *wr, u32 max_sge);

#endif /* SOFT_WQE_H */
