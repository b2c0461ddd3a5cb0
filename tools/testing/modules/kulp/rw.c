// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * KULP_OP_RW_READ and KULP_OP_RW_WRITE: transfers of scatter/gather lists by contexts of rdma_rw,
 * several at a time. Each transfer has its own list, of single pages, and its own part of the
 * server's region.
 */
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <rdma/rw.h>

#include "tools/testing/modules/kulp/kulp.h"

#define POISON		0x5a	/* in the bytes of each page that no element contains */

/**
 * struct transfer - one transfer
 * @conn: connection
 * @cqe: handler of the completion of the last request
 * @ctx: the context, if @ready
 * @ready: @ctx is initialised
 * @done: the last request has completed
 * @sg: the list
 * @nents: number of elements of @sg
 */
struct transfer {
	struct kulp_conn *conn;
	struct ib_cqe cqe;
	struct rdma_rw_ctx ctx;
	bool ready;
	bool done;
	struct scatterlist *sg;
	u32 nents;
};

static enum dma_data_direction direction(const struct kulp_conn *conn)
{
	return conn->args.op == KULP_OP_RW_WRITE ? DMA_TO_DEVICE : DMA_FROM_DEVICE;
}

static void transfer_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct transfer *tr = container_of(wc->wr_cqe, struct transfer, cqe);
	struct kulp_conn *conn = tr->conn;

	kulp_wc_ok(conn, wc);
	smp_store_release(&tr->done, true); /* pairs with finish() */
	atomic_dec(&conn->outstanding);
	wake_up(&conn->wake);
}

/* --- lists --- */

enum visit { FILL, POISON_ALL, CHECK };

/*
 * Makes the list, which begins with args.offset bytes that the transfer skips. Without gaps, all
 * elements are whole pages; with gaps, they begin and end anywhere.
 */
static int alloc_list(struct transfer *tr)
{
	u32 left = tr->conn->args.size + tr->conn->args.offset, room, offset, len;
	bool gaps = tr->conn->args.flags & KULP_F_LKEY;
	struct page *page;

	room = DIV_ROUND_UP(left, PAGE_SIZE - 128);
	tr->sg = kvcalloc(room, sizeof(*tr->sg), GFP_KERNEL);
	if (!tr->sg)
		return -ENOMEM;
	sg_init_table(tr->sg, room);
	for (; left; left -= len) {
		page = alloc_page(GFP_KERNEL);
		if (!page)
			return -ENOMEM;
		offset = gaps ? 3 * tr->nents % 61 : 0;
		len = PAGE_SIZE - offset - (gaps ? 5 * tr->nents % 67 : 0);
		len = min(len, left);
		sg_set_page(&tr->sg[tr->nents++], page, len, offset);
	}
	sg_mark_end(&tr->sg[tr->nents - 1]);
	return 0;
}

/*
 * Fills, poisons or checks each byte of the pages: one of the transfer has the pattern, or POISON
 * if all are poisoned; any other one has POISON. Returns -EBADMSG at the first wrong byte.
 */
static int visit_bytes(struct transfer *tr, enum visit what, u64 seed)
{
	s64 pos = -(s64)tr->conn->args.offset;
	struct scatterlist *sg;
	u8 *page, want;
	u32 i, at;

	for (i = 0; i < tr->nents; i++) {
		sg = &tr->sg[i];
		page = page_address(sg_page(sg));
		for (at = 0; at < PAGE_SIZE; at++) {
			bool inside = at >= sg->offset && at < sg->offset + sg->length;

			want = POISON;
			if (inside && pos >= 0 && what != POISON_ALL)
				want = kulp_pattern(pos, seed);
			if (what != CHECK) {
				page[at] = want;
			} else if (page[at] != want) {
				pr_info_ratelimited("kulp: client: byte %lld is %#x, must be %#x\n",
						    inside ? pos : -1, page[at], want);
				return -EBADMSG;
			}
			pos += inside;
		}
		cond_resched();
	}
	return 0;
}

/* --- transfers --- */

/* Ends the transfers that have completed. Returns whether there was one. */
static bool finish(struct transfer *all, u32 n)
{
	bool any = false;
	u32 i;

	for (i = 0; i < n; i++) {
		struct transfer *tr = &all[i];

		if (!tr->ready || !smp_load_acquire(&tr->done)) /* pairs with transfer_done() */
			continue;
		rdma_rw_ctx_destroy(&tr->ctx, tr->conn->qp, KULP_RW_PORT, tr->sg, tr->nents,
				    direction(tr->conn));
		tr->ready = false;
		any = true;
	}
	return any;
}

/*
 * Returns whether a transfer has a context, whose regions finish() will return, or, if @done is
 * true, whether such a transfer has completed.
 */
static bool any_ready(const struct transfer *all, u32 n, bool done)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (all[i].ready && (!done || READ_ONCE(all[i].done)))
			return true;
	return false;
}

/* Waits until transfers have completed, and ends them. */
static int wait_and_finish(struct kulp_conn *conn, struct transfer *all, u32 n)
{
	unsigned long end = jiffies + msecs_to_jiffies(conn->args.timeout_ms);

	while (!finish(all, n)) {
		if (READ_ONCE(conn->status))
			return conn->status;
		if (conn->stop && READ_ONCE(*conn->stop))
			return -EINTR;
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
		wait_event_timeout(conn->wake, any_ready(all, n, true), HZ / 20);
	}
	return 0;
}

static int post(struct transfer *tr, u32 i)
{
	struct kulp_conn *conn = tr->conn;
	struct ib_rdma_wr chain = {
		.wr.wr_cqe = &tr->cqe,
		.wr.opcode = IB_WR_RDMA_WRITE,
		.wr.send_flags = IB_SEND_SIGNALED,
		.remote_addr = conn->remote_addr,
		.rkey = conn->remote_rkey,
	};
	struct ib_send_wr *wrs;

	if (i % 2 == 0)
		return rdma_rw_ctx_post(&tr->ctx, conn->qp, KULP_RW_PORT, &tr->cqe, NULL);
	/* A fence makes the empty Write that is chained complete after the READs. */
	chain.wr.send_flags |= IB_SEND_FENCE;
	wrs = rdma_rw_ctx_wrs(&tr->ctx, conn->qp, KULP_RW_PORT, NULL, &chain.wr);
	return ib_post_send(conn->qp, wrs, NULL);
}

/* Starts transfer @i of @n. If the regions are exhausted, waits for other transfers. */
static int start(struct kulp_conn *conn, struct transfer *all, u32 i, u32 n)
{
	struct transfer *tr = &all[i];
	int ret;

	for (;;) {
		ret = rdma_rw_ctx_init(&tr->ctx, conn->qp, KULP_RW_PORT, tr->sg, tr->nents,
				       conn->args.offset,
				       conn->remote_addr + kulp_batch_offset(conn, i),
				       conn->remote_rkey, direction(conn));
		if (ret != -EAGAIN || !any_ready(all, n, false))
			break;
		conn->exhausted = true;
		ret = wait_and_finish(conn, all, n);
		if (ret)
			return ret;
	}
	if (ret < 0)
		return ret;
	tr->ready = true;
	tr->done = false;
	atomic_inc(&conn->outstanding);
	return post(tr, i);
}

/*
 * Runs @n transfers at once. To verify them, writes the source of each and poisons its sink before,
 * and checks the sink after all have ended.
 */
static int run_rw_batch(struct kulp_conn *conn, struct transfer *all, u32 n, u64 seed)
{
	bool verify = conn->args.flags & KULP_F_VERIFY, writes = conn->args.op == KULP_OP_RW_WRITE;
	u32 i, size = conn->args.size;
	ktime_t begin;
	int ret = 0;

	for (i = 0; verify && !ret && i < n; i++) {
		visit_bytes(&all[i], writes ? FILL : POISON_ALL, seed + i);
		if (!writes)
			ret = kulp_ask_at(conn, KULP_MSG_FILL, kulp_batch_offset(conn, i), size,
					  seed + i, NULL);
	}
	begin = ktime_get();
	for (i = 0; !ret && i < n; i++)
		ret = start(conn, all, i, n);
	while (!ret && atomic_read(&conn->outstanding))
		ret = wait_and_finish(conn, all, n);
	if (!ret)
		finish(all, n);
	kulp_account(conn, begin, n, (u64)n * size);
	for (i = 0; verify && !ret && i < n; i++)
		ret = writes ? kulp_ask_at(conn, KULP_MSG_CHECK, kulp_batch_offset(conn, i), size,
					   seed + i, NULL) :
			       visit_bytes(&all[i], CHECK, seed + i);
	return ret;
}

static int run_batches(struct kulp_conn *conn, struct transfer *all)
{
	u32 depth = conn->args.depth, done, n;
	bool has_regions;
	int ret = 0;

	has_regions = !list_empty(&conn->qp->rdma_mrs);
	for (done = 0; !ret && done < conn->args.count; done += n) {
		n = min(depth, conn->args.count - done);
		ret = run_rw_batch(conn, all, n, conn->args.seed + done);
	}
	if (ret) {
		/* The contexts are only destroyed when no request is queued any more. */
		ib_drain_qp(conn->qp);
		for (n = 0; n < depth; n++)
			all[n].done = true;
		finish(all, depth);
	}
	if (conn->qp->mrs_used) {
		pr_info("kulp: client: %d regions were not returned\n", conn->qp->mrs_used);
		return -EBADMSG;
	}
	/* With few contexts, transfers must have waited for regions. */
	if (!ret && conn->args.flags & KULP_F_FEW && has_regions && depth > 1 && !conn->exhausted)
		return -ENODATA;
	return ret;
}

int kulp_op_rw(struct kulp_conn *conn)
{
	u32 depth = conn->args.depth, i, n;
	struct transfer *all;
	int ret = 0;

	if (!conn->args.size)
		return -EINVAL;
	all = kvcalloc(depth, sizeof(*all), GFP_KERNEL);
	if (!all)
		return -ENOMEM;
	for (i = 0; !ret && i < depth; i++) {
		all[i].conn = conn;
		all[i].cqe.done = transfer_done;
		ret = alloc_list(&all[i]);
	}
	if (!ret)
		ret = run_batches(conn, all);
	for (i = 0; i < depth; i++) {
		for (n = 0; n < all[i].nents; n++)
			__free_page(sg_page(&all[i].sg[n]));
		kvfree(all[i].sg);
	}
	kvfree(all);
	return ret;
}
