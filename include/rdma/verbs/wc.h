/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work completions: what a consumer polls from a CQ.
 */
#ifndef _RDMA_VERBS_WC_H_
#define _RDMA_VERBS_WC_H_

#include <linux/if_ether.h>
#include <rdma/verbs/types.h>

struct ib_cqe;

/**
 * enum ib_wc_status - result of a request
 * @IB_WC_SUCCESS: success
 * @IB_WC_LOC_LEN_ERR: a message was longer than the receive request, or than the port can carry
 * @IB_WC_LOC_QP_OP_ERR: the local QP could not execute the request
 * @IB_WC_LOC_EEC_OP_ERR: reliable datagram: the local context could not execute the request
 * @IB_WC_LOC_PROT_ERR: the L_Key does not cover the local memory of the request
 * @IB_WC_WR_FLUSH_ERR: the request was not executed, because the QP is in error
 * @IB_WC_MW_BIND_ERR: a memory window could not be bound
 * @IB_WC_BAD_RESP_ERR: the peer's response is invalid
 * @IB_WC_LOC_ACCESS_ERR: the local QP refused a peer's write with immediate data
 * @IB_WC_REM_INV_REQ_ERR: the peer found the request invalid
 * @IB_WC_REM_ACCESS_ERR: the rights of the peer's memory do not allow the request
 * @IB_WC_REM_OP_ERR: the peer could not execute the request
 * @IB_WC_RETRY_EXC_ERR: no acknowledgment came after all retries
 * @IB_WC_RNR_RETRY_EXC_ERR: the peer had no receive request posted after all retries
 * @IB_WC_LOC_RDD_VIOL_ERR: reliable datagram: domains do not match
 * @IB_WC_REM_INV_RD_REQ_ERR: reliable datagram: the peer found the request invalid
 * @IB_WC_REM_ABORT_ERR: the peer aborted the request
 * @IB_WC_INV_EECN_ERR: reliable datagram: there is no such context
 * @IB_WC_INV_EEC_STATE_ERR: reliable datagram: the context's state does not allow the request
 * @IB_WC_FATAL_ERR: the device or connection failed, and will not recover
 * @IB_WC_RESP_TIMEOUT_ERR: no response came in time
 * @IB_WC_GENERAL_ERR: any other error
 */
enum ib_wc_status {
	IB_WC_SUCCESS,
	IB_WC_LOC_LEN_ERR,
	IB_WC_LOC_QP_OP_ERR,
	IB_WC_LOC_EEC_OP_ERR,
	IB_WC_LOC_PROT_ERR,
	IB_WC_WR_FLUSH_ERR,
	IB_WC_MW_BIND_ERR,
	IB_WC_BAD_RESP_ERR,
	IB_WC_LOC_ACCESS_ERR,
	IB_WC_REM_INV_REQ_ERR,
	IB_WC_REM_ACCESS_ERR,
	IB_WC_REM_OP_ERR,
	IB_WC_RETRY_EXC_ERR,
	IB_WC_RNR_RETRY_EXC_ERR,
	IB_WC_LOC_RDD_VIOL_ERR,
	IB_WC_REM_INV_RD_REQ_ERR,
	IB_WC_REM_ABORT_ERR,
	IB_WC_INV_EECN_ERR,
	IB_WC_INV_EEC_STATE_ERR,
	IB_WC_FATAL_ERR,
	IB_WC_RESP_TIMEOUT_ERR,
	IB_WC_GENERAL_ERR
};

/**
 * ib_wc_status_msg - text for a completion status
 * @status: the status
 *
 * Any context.
 *
 * Return: a static string, never NULL.
 */
const char *ib_wc_status_msg(enum ib_wc_status status) __attribute_const__;

/*
 * Operation of a completed request; valid only if the status is IB_WC_SUCCESS. The opcodes of
 * receive requests have the bit IB_WC_RECV.
 */
enum ib_wc_opcode {
	IB_WC_SEND = IB_UVERBS_WC_SEND,
	IB_WC_RDMA_WRITE = IB_UVERBS_WC_RDMA_WRITE,
	IB_WC_RDMA_READ = IB_UVERBS_WC_RDMA_READ,
	IB_WC_COMP_SWAP = IB_UVERBS_WC_COMP_SWAP,
	IB_WC_FETCH_ADD = IB_UVERBS_WC_FETCH_ADD,
	IB_WC_BIND_MW = IB_UVERBS_WC_BIND_MW,
	IB_WC_LOCAL_INV = IB_UVERBS_WC_LOCAL_INV,
	IB_WC_LSO = IB_UVERBS_WC_TSO,
	IB_WC_REG_MR,
	IB_WC_MASKED_COMP_SWAP,
	IB_WC_MASKED_FETCH_ADD,
	IB_WC_RECV			= 1 << 7,
	IB_WC_RECV_RDMA_WITH_IMM
};

/**
 * enum ib_wc_flags - further properties of a completion
 * @IB_WC_GRH: the first 40 bytes of the receive buffer are a global route header
 * @IB_WC_WITH_IMM: ex.imm_data is valid
 * @IB_WC_WITH_INVALIDATE: ex.invalidate_rkey is valid: the peer's send invalidated this key
 * @IB_WC_IP_CSUM_OK: the device found the packet's checksums right
 * @IB_WC_WITH_SMAC: smac is valid
 * @IB_WC_WITH_VLAN: vlan_id is valid
 * @IB_WC_WITH_NETWORK_HDR_TYPE: network_hdr_type is valid
 */
enum ib_wc_flags {
	IB_WC_GRH		= 1,
	IB_WC_WITH_IMM		= 1 << 1,
	IB_WC_WITH_INVALIDATE	= 1 << 2,
	IB_WC_IP_CSUM_OK	= 1 << 3,
	IB_WC_WITH_SMAC		= 1 << 4,
	IB_WC_WITH_VLAN		= 1 << 5,
	IB_WC_WITH_NETWORK_HDR_TYPE	= 1 << 6,
};

/**
 * struct ib_wc - a completion
 * @wr_id: wr_id of the request
 * @wr_cqe: wr_cqe of the request, used instead of @wr_id on a CQ of ib_alloc_cq()
 * @status: result; if it is not %IB_WC_SUCCESS, only wr_id or wr_cqe, qp and vendor_err are valid
 * @opcode: operation
 * @vendor_err: the device's own code of an error
 * @byte_len: number of bytes received or read
 * @qp: QP that the request was posted to; after a flush, the QP may have been destroyed already
 * @ex: @wc_flags say which member is valid
 * @ex.imm_data: immediate data
 * @ex.invalidate_rkey: key that was invalidated
 * @src_qp: datagrams: QP number of the sender
 * @slid: datagrams: source LID
 * @wc_flags: &enum ib_wc_flags
 * @pkey_index: GSI: index of the P_Key with which the datagram came
 * @sl: datagrams: service level
 * @dlid_path_bits: datagrams: low bits of the destination LID
 * @port_num: directed-route SMPs on a switch: port through which the packet came in
 * @smac: source MAC address
 * @vlan_id: VLAN
 * @network_hdr_type: &enum rdma_network_type of the header
 */
struct ib_wc {
	union {
		u64		wr_id;
		struct ib_cqe	*wr_cqe;
	};
	enum ib_wc_status	status;
	enum ib_wc_opcode	opcode;
	u32			vendor_err;
	u32			byte_len;
	struct ib_qp	       *qp;
	union {
		__be32		imm_data;
		u32		invalidate_rkey;
	} ex;
	u32			src_qp;
	u32			slid;
	int			wc_flags;
	u16			pkey_index;
	u8			sl;
	u8			dlid_path_bits;
	u32			port_num;
	u8			smac[ETH_ALEN];
	u16			vlan_id;
	u8			network_hdr_type;
};

#endif /* _RDMA_VERBS_WC_H_ */
