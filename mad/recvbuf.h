/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_MAD_RECVBUF_H_
#define _KRDMA_MAD_RECVBUF_H_

#include <linux/cache.h>
#include <linux/list.h>
#include <rdma/ib_mad.h>

struct mad_qp;

/* The memory that the device writes for a receive. Without a global route, it skips the header. */
struct mad_recv_data {
	union {
		struct ib_grh grh;
		union rdma_network_hdr hdr;
	};
	struct ib_mad mad;
} __packed;

/**
 * struct mad_recv - memory of a received MAD
 * @cqe: completion of the receive
 * @entry: entry in mad_qp.recvs while the receive is posted
 * @qp: QP that has received the MAD
 * @dma: address of @data for the device
 * @local: the MAD was sent by this port, and was not on the wire
 * @wc: completion that the agent sees
 * @info: what the agent gets
 * @data: the MAD. In cache lines of its own, because the device writes it
 */
struct mad_recv {
	struct ib_cqe cqe;
	struct list_head entry;
	struct mad_qp *qp;
	u64 dma;
	bool local;
	struct ib_wc wc;
	struct ib_mad_recv_wc info;
	struct mad_recv_data data ____cacheline_aligned;
};

static inline struct mad_recv *to_mad_recv(struct ib_mad_recv_wc *info)
{
	return container_of(info, struct mad_recv, info);
}

/* Returns the MAD as bytes, for the functions of ibwire/. */
static inline u8 *mad_recv_bytes(struct mad_recv *recv)
{
	return (u8 *)&recv->data.mad;
}

int mad_recv_init(void);
void mad_recv_exit(void);

/**
 * mad_recv_alloc() - allocate the memory of a received MAD
 * @qp: QP that receives it
 * @gfp: how memory is allocated
 *
 * Return: the memory, which ib_free_recv_mad() frees as a message of one segment; or NULL.
 */
struct mad_recv *mad_recv_alloc(struct mad_qp *qp, gfp_t gfp);

/**
 * mad_recv_free_message() - free the segments of a message that may be long
 * @first: its first segment
 *
 * As ib_free_recv_mad(), but lets other threads run meanwhile. May sleep.
 */
void mad_recv_free_message(struct mad_recv *first);

/**
 * mad_recv_source() - get the GID of the sender
 * @recv: a received MAD
 * @gid: out: the GID
 *
 * Return: false if the MAD has no global route, or no valid one.
 */
bool mad_recv_source(const struct mad_recv *recv, union ib_gid *gid);

#endif /* _KRDMA_MAD_RECVBUF_H_ */
