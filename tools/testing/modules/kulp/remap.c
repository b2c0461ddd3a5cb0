// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * KULP_OP_REMAP: registers the client's region again and again, over two halves of the data buffer
 * by turns, in the order in which storage ULPs do it: the region is mapped while its old
 * registration is valid and in use, and then LOCAL_INV, REG_MR and the next request are posted
 * together.
 */
#include <linux/ktime.h>

#include "tools/testing/modules/kulp/kulp.h"

static u32 half_offset(const struct kulp_conn *conn, u32 half)
{
	return half * (conn->data.size / 2) + conn->args.offset;
}

/* Initialises a Write of one half of the buffer, under @lkey, to the same half at the server. */
static void init_write(struct kulp_conn *conn, struct ib_rdma_wr *wr, struct ib_sge *sge, u32 half,
		       u32 lkey)
{
	u32 offset = half_offset(conn, half);

	*sge = (struct ib_sge) {
		.addr = conn->data.dma[0] + offset,
		.length = conn->args.size,
		.lkey = lkey,
	};
	*wr = (struct ib_rdma_wr) {
		.wr.wr_cqe = &conn->send_cqe,
		.wr.sg_list = sge,
		.wr.num_sge = 1,
		.wr.opcode = IB_WR_RDMA_WRITE,
		.remote_addr = conn->remote_addr + offset,
		.rkey = conn->remote_rkey,
	};
}

/*
 * Posts, in one list, the invalidation of the region's key @old, the registration of what is
 * mapped, and the request @wr, which may be NULL.
 */
static int replace_registration(struct kulp_conn *conn, u32 old, struct ib_send_wr *wr)
{
	struct ib_reg_wr reg = {
		.wr.next = wr,
		.wr.wr_cqe = &conn->send_cqe,
		.wr.opcode = IB_WR_REG_MR,
		.mr = conn->mr,
		.key = conn->mr->rkey,
		.access = KULP_CLIENT_ACCESS,
	};
	struct ib_send_wr inv = {
		.next = &reg.wr,
		.wr_cqe = &conn->send_cqe,
		.opcode = IB_WR_LOCAL_INV,
		.ex.invalidate_rkey = old,
	};

	return kulp_post_wait(conn, &inv);
}

static int map_half(struct kulp_conn *conn, u32 half)
{
	int ret;

	ret = kulp_buf_map_part(&conn->data, conn->mr, half_offset(conn, half), conn->args.size);
	if (!ret)
		ib_update_fast_reg_key(conn->mr, ib_inc_rkey(conn->mr->rkey));
	return ret;
}

/*
 * Writes one half by the old registration, which covers it, and the other half by the new one.
 * Maps twice while the first Write is in flight; only the second mapping may count.
 */
static int remap_verified(struct kulp_conn *conn, u32 half, u64 seed)
{
	u32 size = conn->args.size, old = conn->mr->rkey;
	struct ib_rdma_wr by_old, by_new;
	struct ib_sge old_sge, new_sge;
	int ret;

	kulp_buf_fill(&conn->data, half_offset(conn, half), size, seed);
	kulp_buf_fill(&conn->data, half_offset(conn, !half), size, ~seed);
	init_write(conn, &by_old, &old_sge, half, conn->mr->lkey);
	ret = ib_post_send(conn->qp, &by_old.wr, NULL) ?:
	      kulp_buf_map_part(&conn->data, conn->mr, half_offset(conn, half), 1) ?:
	      map_half(conn, !half);
	if (ret)
		return ret;
	init_write(conn, &by_new, &new_sge, !half, conn->mr->lkey);
	return replace_registration(conn, old, &by_new.wr) ?:
	       kulp_ask_at(conn, KULP_MSG_CHECK, half_offset(conn, half), size, seed, NULL) ?:
	       kulp_ask_at(conn, KULP_MSG_CHECK, half_offset(conn, !half), size, ~seed, NULL);
}

int kulp_op_remap(struct kulp_conn *conn)
{
	ktime_t begin = ktime_get();
	u32 i, old;
	int ret = 0;

	if (conn->data.num_chunks != 1 || !conn->args.size)
		return -EINVAL;
	for (i = 0; !ret && i < conn->args.count; i++) {
		old = conn->mr->rkey;
		if (conn->args.flags & KULP_F_VERIFY)
			ret = remap_verified(conn, i % 2, conn->args.seed + i);
		else
			ret = map_half(conn, i % 2) ?: replace_registration(conn, old, NULL);
	}
	kulp_account(conn, begin, i, 0);
	return ret;
}
