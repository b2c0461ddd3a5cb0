/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work requests, which a consumer posts to a send or receive queue.
 */
#ifndef _RDMA_VERBS_WR_H_
#define _RDMA_VERBS_WR_H_

#include <linux/container_of.h>
#include <rdma/verbs/types.h>

/*
 * Operations of a send request. The opcodes in front of REG_MR have the numbers of the user ABI.
 * LSO is a send that the device segments into packets; REG_MR makes the mapping of ib_map_mr_sg()
 * usable under a key; RESERVED* belong to providers.
 */
enum ib_wr_opcode {
	IB_WR_RDMA_WRITE = IB_UVERBS_WR_RDMA_WRITE,
	IB_WR_RDMA_WRITE_WITH_IMM = IB_UVERBS_WR_RDMA_WRITE_WITH_IMM,
	IB_WR_SEND = IB_UVERBS_WR_SEND,
	IB_WR_SEND_WITH_IMM = IB_UVERBS_WR_SEND_WITH_IMM,
	IB_WR_RDMA_READ = IB_UVERBS_WR_RDMA_READ,
	IB_WR_ATOMIC_CMP_AND_SWP = IB_UVERBS_WR_ATOMIC_CMP_AND_SWP,
	IB_WR_ATOMIC_FETCH_AND_ADD = IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD,
	IB_WR_BIND_MW = IB_UVERBS_WR_BIND_MW,
	IB_WR_LSO = IB_UVERBS_WR_TSO,
	IB_WR_SEND_WITH_INV = IB_UVERBS_WR_SEND_WITH_INV,
	IB_WR_RDMA_READ_WITH_INV = IB_UVERBS_WR_RDMA_READ_WITH_INV,
	IB_WR_LOCAL_INV = IB_UVERBS_WR_LOCAL_INV,
	IB_WR_MASKED_ATOMIC_CMP_AND_SWP =
		IB_UVERBS_WR_MASKED_ATOMIC_CMP_AND_SWP,
	IB_WR_MASKED_ATOMIC_FETCH_AND_ADD =
		IB_UVERBS_WR_MASKED_ATOMIC_FETCH_AND_ADD,
	IB_WR_REG_MR = 0x20,
	IB_WR_REG_MR_INTEGRITY,
	IB_WR_RESERVED1 = 0xf0,
	IB_WR_RESERVED2,
	IB_WR_RESERVED3,
	IB_WR_RESERVED4,
	IB_WR_RESERVED5,
	IB_WR_RESERVED6,
	IB_WR_RESERVED7,
	IB_WR_RESERVED8,
	IB_WR_RESERVED9,
	IB_WR_RESERVED10,
};

/**
 * enum ib_send_flags - flags of a send request
 * @IB_SEND_FENCE: start the request after all earlier RDMA reads and atomics have completed
 * @IB_SEND_SIGNALED: complete into the CQ also on success
 * @IB_SEND_SOLICITED: raise the peer's completion event if its CQ is armed with %IB_CQ_SOLICITED
 * @IB_SEND_INLINE: copy the data while posting. The caller may reuse the buffers on return. L_Keys
 *	are ignored.
 * @IB_SEND_IP_CSUM: fill in the IP and TCP or UDP checksums of the packet
 * @IB_SEND_RESERVED_START: first flag that belongs to providers
 * @IB_SEND_RESERVED_END: last flag that belongs to providers
 */
enum ib_send_flags {
	IB_SEND_FENCE		= 1,
	IB_SEND_SIGNALED	= 1 << 1,
	IB_SEND_SOLICITED	= 1 << 2,
	IB_SEND_INLINE		= 1 << 3,
	IB_SEND_IP_CSUM		= 1 << 4,
	IB_SEND_RESERVED_START	= (1 << 26),
	IB_SEND_RESERVED_END	= (1 << 31),
};

/**
 * struct ib_sge - a piece of registered memory
 * @addr: address of the piece in the region; with a PD's local_dma_lkey the DMA address
 * @length: number of bytes
 * @lkey: L_Key of the region
 */
struct ib_sge {
	u64	addr;
	u32	length;
	u32	lkey;
};

/**
 * struct ib_cqe - handler of a request's completion, on a CQ of ib_alloc_cq()
 * @done: called once with the completion, in the context that the CQ was made with; @wc is valid
 *	until @done returns
 *
 * The structure is usually a member of the ULP's own request, which @done finds with
 * container_of().
 */
struct ib_cqe {
	void (*done)(struct ib_cq *cq, struct ib_wc *wc);
};

/**
 * struct ib_send_wr - a request for the send queue
 * @next: next request of the list, NULL in the last
 * @wr_id: the consumer's value, which the completion repeats
 * @wr_cqe: handler of the completion, used instead of @wr_id on a CQ of ib_alloc_cq()
 * @sg_list: pieces of local memory
 * @num_sge: number of elements in @sg_list
 * @opcode: operation; some opcodes require one of the longer structures around this one
 * @send_flags: &enum ib_send_flags
 * @ex: further parameters of the opcode
 * @ex.imm_data: *_WITH_IMM: immediate data
 * @ex.invalidate_rkey: key to invalidate: a key of the peer for SEND_WITH_INV, a local one for
 *	LOCAL_INV and RDMA_READ_WITH_INV
 */
struct ib_send_wr {
	struct ib_send_wr      *next;
	union {
		u64		wr_id;
		struct ib_cqe	*wr_cqe;
	};
	struct ib_sge	       *sg_list;
	int			num_sge;
	enum ib_wr_opcode	opcode;
	int			send_flags;
	union {
		__be32		imm_data;
		u32		invalidate_rkey;
	} ex;
};

/**
 * struct ib_rdma_wr - a request that reads or writes memory of the peer
 * @wr: common part
 * @remote_addr: address in the peer's region
 * @rkey: R_Key of that region
 */
struct ib_rdma_wr {
	struct ib_send_wr	wr;
	u64			remote_addr;
	u32			rkey;
};

/**
 * struct ib_reg_wr - a request that makes a region usable
 * @wr: common part, opcode %IB_WR_REG_MR
 * @mr: region, mapped with ib_map_mr_sg()
 * @key: new key of the region, which differs from the present one only in the key portion
 * @access: &enum ib_access_flags
 */
struct ib_reg_wr {
	struct ib_send_wr	wr;
	struct ib_mr		*mr;
	u32			key;
	int			access;
};

/**
 * struct ib_recv_wr - a request for a receive queue
 * @next: next request of the list, NULL in the last
 * @wr_id: the consumer's value, which the completion repeats
 * @wr_cqe: handler of the completion, used instead of @wr_id on a CQ of ib_alloc_cq()
 * @sg_list: pieces of local memory that a message is written to
 * @num_sge: number of elements in @sg_list
 */
struct ib_recv_wr {
	struct ib_recv_wr      *next;
	union {
		u64		wr_id;
		struct ib_cqe	*wr_cqe;
	};
	struct ib_sge	       *sg_list;
	int			num_sge;
};

/**
 * rdma_wr - get the struct ib_rdma_wr around a request
 * @wr: an RDMA read or write
 *
 * Return: the structure.
 */
static inline const struct ib_rdma_wr *rdma_wr(const struct ib_send_wr *wr)
{
	return container_of(wr, struct ib_rdma_wr, wr);
}

/**
 * struct ib_atomic_wr - a request that changes 8 bytes of the peer's memory in one step
 * @wr: common part
 * @remote_addr: address in the peer's region, a multiple of 8
 * @compare_add: compare and swap: value to compare with; fetch and add: value to add
 * @swap: compare and swap: value to write if the comparison succeeds
 * @compare_add_mask: masked compare and swap: bits to compare; masked fetch and add: highest bit of
 *	each field; a carry out of that bit is dropped
 * @swap_mask: masked compare and swap: bits to write
 * @rkey: R_Key of the peer's region
 */
struct ib_atomic_wr {
	struct ib_send_wr	wr;
	u64			remote_addr;
	u64			compare_add;
	u64			swap;
	u64			compare_add_mask;
	u64			swap_mask;
	u32			rkey;
};

/**
 * atomic_wr - get the struct ib_atomic_wr around a request
 * @wr: an atomic operation
 *
 * Return: the structure.
 */
static inline const struct ib_atomic_wr *atomic_wr(const struct ib_send_wr *wr)
{
	return container_of(wr, struct ib_atomic_wr, wr);
}

/**
 * struct ib_ud_wr - a request that sends a datagram
 * @wr: common part
 * @ah: destination
 * @header: %IB_WR_LSO: packet header that each segment repeats
 * @hlen: %IB_WR_LSO: length of @header in bytes
 * @mss: %IB_WR_LSO: payload bytes of a segment
 * @remote_qpn: QP number of the receiver
 * @remote_qkey: Q_Key of the receiver
 * @pkey_index: GSI: index of the P_Key
 * @port_num: directed-route SMPs on a switch: port through which the packet is sent
 */
struct ib_ud_wr {
	struct ib_send_wr	wr;
	struct ib_ah		*ah;
	void			*header;
	int			hlen;
	int			mss;
	u32			remote_qpn;
	u32			remote_qkey;
	u16			pkey_index;
	u32			port_num;
};

/**
 * ud_wr - get the struct ib_ud_wr around a request
 * @wr: a datagram send
 *
 * Return: the structure.
 */
static inline const struct ib_ud_wr *ud_wr(const struct ib_send_wr *wr)
{
	return container_of(wr, struct ib_ud_wr, wr);
}

/**
 * reg_wr - get the struct ib_reg_wr around a request
 * @wr: a registration
 *
 * Return: the structure.
 */
static inline const struct ib_reg_wr *reg_wr(const struct ib_send_wr *wr)
{
	return container_of(wr, struct ib_reg_wr, wr);
}

#endif /* _RDMA_VERBS_WR_H_ */
