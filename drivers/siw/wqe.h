/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work queue entries: requests as the queues hold them.
 */
#ifndef SIW_WQE_H
#define SIW_WQE_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

#include "drivers/siw/siw.h"
#include "iwarp/atomic.h"

/* Life of a send queue entry. */
enum siw_send_wqe_state {
	SIW_SEND_WQE_POSTED,  /* not wholly handed to TCP */
	SIW_SEND_WQE_READING, /* a read whose request is on the wire */
	SIW_SEND_WQE_DONE,    /* completes as soon as all before it have */
};

/**
 * struct siw_send_wqe - a posted send request
 * @wr_id: the consumer's, for the completion
 * @opcode: enum ib_wr_opcode
 * @state: enum siw_send_wqe_state
 * @status: enum ib_wc_status it completes with; of one that is posted: why it has to fail
 * @signaled: a completion is due on success too
 * @solicited: the peer's completion is a solicited event
 * @fence: waits for all reads before it
 * @num_sge: entries in @sge
 * @length: bytes in @sge
 * @rkey: remote STag of a write or read
 * @raddr: remote address of a write or read
 * @inv_stag: STag to invalidate: the peer's (send), ours (local invalidate, read with invalidate)
 * @imm: immediate data that follow a write
 * @mr: region of a REG_MR
 * @key: its new STag
 * @access: its new rights
 * @atomic: atomic operation
 * @is_inline: the data is @inline_data, @length bytes
 * @sge: where the data is (send, write) or goes (read)
 * @inline_data: the data itself
 */
struct siw_send_wqe {
	u64 wr_id;
	u8 opcode;
	u8 state;
	u8 status;
	bool signaled;
	bool solicited;
	bool fence;
	u8 num_sge;
	u32 length;
	u32 rkey;
	u64 raddr;
	u32 inv_stag;
	__be32 imm;
	union {
		struct {
			struct ib_mr *mr;
			u32 key;
			int access;
		};
		struct rdmap_atomic_req atomic;
	};
	bool is_inline;
	union {
		struct ib_sge sge[SIW_SGE_MAX];
		u8 inline_data[SIW_INLINE_MAX];
	};
};

/**
 * struct siw_recv_wqe - a posted receive request
 * @wr_id: the consumer's, for the completion
 * @num_sge: entries in @sge
 * @length: bytes in @sge
 * @sge: where the message goes
 */
struct siw_recv_wqe {
	u64 wr_id;
	u8 num_sge;
	u32 length;
	struct ib_sge sge[SIW_SGE_MAX];
};

/*
 * Copies a receive request. Returns 0, or -EINVAL if that is longer than a message or has
 * more than @max_sge elements.
 */
int siw_recv_wqe_fill(struct siw_recv_wqe *rqe, const struct ib_recv_wr *wr, u32 max_sge);

#endif /* SIW_WQE_H */
