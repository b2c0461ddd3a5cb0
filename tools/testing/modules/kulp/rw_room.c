// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The room in a client's queues that contexts of rdma_rw need. */
#include <linux/mm.h>
#include <rdma/rw.h>

#include "tools/testing/modules/kulp/kulp.h"

bool kulp_op_is_rw(u32 op)
{
	return op == KULP_OP_RW_READ || op == KULP_OP_RW_WRITE;
}

static u32 contexts(const struct kulp_conn *conn)
{
	u32 pages = DIV_ROUND_UP(conn->args.size + conn->args.offset, PAGE_SIZE) + 1;

	/* Lists with gaps have more elements than pages. */
	if (conn->args.flags & KULP_F_LKEY)
		pages += pages / 8 + 1;
	return rdma_rw_mr_factor(conn->site.dev, KULP_RW_PORT, pages);
}

u32 kulp_rw_wrs(const struct kulp_conn *conn)
{
	if (!kulp_op_is_rw(conn->args.op) || conn->server)
		return 0;
	return rdma_rw_max_send_wr(conn->site.dev, KULP_RW_PORT,
				   conn->args.depth * (contexts(conn) + 1), 0);
}

void kulp_rw_add_contexts(const struct kulp_conn *conn, struct ib_qp_init_attr *init)
{
	if (!kulp_op_is_rw(conn->args.op) || conn->server)
		return;
	init->port_num = KULP_RW_PORT;
	init->cap.max_rdma_ctxs = contexts(conn);
	if (!(conn->args.flags & KULP_F_FEW))
		init->cap.max_rdma_ctxs *= conn->args.depth;
	/* The pools are small with KULP_F_FEW, but the send queue has room for all transfers. */
	init->cap.max_send_wr += kulp_rw_wrs(conn);
}
