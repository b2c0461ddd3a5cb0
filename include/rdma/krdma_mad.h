/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Counters of management datagrams (MADs), which ib_mad keeps for each port. krdma's own: other
 * stacks do not have this header.
 */
#ifndef _RDMA_KRDMA_MAD_H_
#define _RDMA_KRDMA_MAD_H_

#include <linux/types.h>

struct ib_device;

/**
 * enum krdma_mad_counter - a counter of a port
 * @KRDMA_MAD_RECEIVED: MADs that came by QP 0 or QP 1
 * @KRDMA_MAD_BAD_LENGTH: dropped: not 256 bytes long
 * @KRDMA_MAD_BAD_VERSION: dropped: another base version
 * @KRDMA_MAD_BAD_CLASS: dropped: a class that this QP does not have
 * @KRDMA_MAD_BAD_SOURCE: dropped: came to QP 0 from another QP than a QP 0
 * @KRDMA_MAD_BAD_ROUTE: dropped: a directed route that makes no sense here
 * @KRDMA_MAD_FORWARDED: sent on by a switch
 * @KRDMA_MAD_PROCESSED: taken or answered by the provider
 * @KRDMA_MAD_UNWANTED: no agent wants the request
 * @KRDMA_MAD_UNMATCHED: dropped: a response without a request that waits for it
 * @KRDMA_MAD_NO_MEMORY: dropped: no memory
 * @KRDMA_MAD_REPLIES: answers of the provider or of ib_mad that were sent
 * @KRDMA_MAD_REPLIES_DROPPED: answers that could not be sent, or were one too many
 * @KRDMA_MAD_SENT: sends that agents posted
 * @KRDMA_MAD_RESENT: tries after the first one
 * @KRDMA_MAD_TIMEOUTS: sends that ended without a response
 * @KRDMA_MAD_LOCAL: sends to the port itself
 * @KRDMA_MAD_RMPP_RECEIVED: RMPP messages that came, whole
 * @KRDMA_MAD_RMPP_DROPPED: segments and answers of RMPP that fit no message
 * @KRDMA_MAD_RMPP_ABORTED: RMPP messages that this end has aborted
 * @KRDMA_MAD_RMPP_STOPPED: RMPP messages that this end has stopped, for lack of room
 * @KRDMA_MAD_NR_COUNTERS: number of counters
 */
enum krdma_mad_counter {
	KRDMA_MAD_RECEIVED,
	KRDMA_MAD_BAD_LENGTH,
	KRDMA_MAD_BAD_VERSION,
	KRDMA_MAD_BAD_CLASS,
	KRDMA_MAD_BAD_SOURCE,
	KRDMA_MAD_BAD_ROUTE,
	KRDMA_MAD_FORWARDED,
	KRDMA_MAD_PROCESSED,
	KRDMA_MAD_UNWANTED,
	KRDMA_MAD_UNMATCHED,
	KRDMA_MAD_NO_MEMORY,
	KRDMA_MAD_REPLIES,
	KRDMA_MAD_REPLIES_DROPPED,
	KRDMA_MAD_SENT,
	KRDMA_MAD_RESENT,
	KRDMA_MAD_TIMEOUTS,
	KRDMA_MAD_LOCAL,
	KRDMA_MAD_RMPP_RECEIVED,
	KRDMA_MAD_RMPP_DROPPED,
	KRDMA_MAD_RMPP_ABORTED,
	KRDMA_MAD_RMPP_STOPPED,
	KRDMA_MAD_NR_COUNTERS
};

long krdma_mad_read(struct ib_device *device, u32 port_num, enum krdma_mad_counter counter);

#endif /* _RDMA_KRDMA_MAD_H_ */
