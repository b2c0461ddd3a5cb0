// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Memory of received MADs: posted to a QP, then the agent's until the agent frees it.
 */
#include "mad/recvbuf.h"

#include <linux/slab.h>

#include "mad/port.h"

static struct kmem_cache *recv_cache __ro_after_init;

struct mad_recv *mad_recv_alloc(struct mad_qp *qp, gfp_t gfp)
{
	struct mad_recv *recv = kmem_cache_zalloc(recv_cache, gfp);

	if (!recv)
		return NULL;
	recv->qp = qp;
	recv->info.wc = &recv->wc;
	recv->info.recv_buf.grh = &recv->data.grh;
	recv->info.recv_buf.mad = &recv->data.mad;
	recv->info.mad_len = sizeof(recv->data.mad);
	recv->info.mad_seg_size = sizeof(recv->data.mad);
	INIT_LIST_HEAD(&recv->info.rmpp_list);
	list_add(&recv->info.recv_buf.list, &recv->info.rmpp_list);
	return recv;
}

bool mad_recv_source(const struct mad_recv *recv, union ib_gid *gid)
{
	enum rdma_network_type type = RDMA_NETWORK_IB;
	union ib_gid to;

	if (!(recv->wc.wc_flags & IB_WC_GRH))
		return false;
	if (rdma_protocol_roce(recv->qp->port->device, recv->qp->port->num))
		type = recv->wc.wc_flags & IB_WC_WITH_NETWORK_HDR_TYPE ?
			recv->wc.network_hdr_type : ib_get_rdma_header_version(&recv->data.hdr);
	return !ib_get_gids_from_rdma_hdr(&recv->data.hdr, type, gid, &to);
}

static void free_recv_bufs(struct ib_mad_recv_wc *message, bool may_sleep)
{
	struct ib_mad_recv_buf *buf, *next;
	LIST_HEAD(segments);

	/* The list's head is in the memory of one of the segments. */
	list_splice_init(&message->rmpp_list, &segments);
	list_for_each_entry_safe(buf, next, &segments, list) {
		kmem_cache_free(recv_cache, container_of(buf, struct mad_recv, info.recv_buf));
		if (may_sleep)
			cond_resched();
	}
}

/**
 * ib_free_recv_mad() - free a received message
 * @mad_recv_wc: the message, with all its segments
 *
 * Any context.
 */
void ib_free_recv_mad(struct ib_mad_recv_wc *mad_recv_wc)
{
	free_recv_bufs(mad_recv_wc, false);
}
EXPORT_SYMBOL(ib_free_recv_mad);

void mad_recv_free_message(struct mad_recv *first)
{
	free_recv_bufs(&first->info, true);
}

int __init mad_recv_init(void)
{
	/* Processes read MADs from here. */
	recv_cache = KMEM_CACHE_USERCOPY(mad_recv, SLAB_HWCACHE_ALIGN, data);
	return recv_cache ? 0 : -ENOMEM;
}

void mad_recv_exit(void)
{
	kmem_cache_destroy(recv_cache);
}
