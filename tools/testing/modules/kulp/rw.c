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

#define PORT		1
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
	return rdma_rw_mr_factor(conn->site.dev, PORT, pages);
}

u32 kulp_rw_wrs(const struct kulp_conn *conn)
{
	if (!kulp_op_is_rw(conn->args.op) || conn->server)
		return 0;
	return rdma_rw_max_send_wr(conn->site.dev, PORT, conn->args.depth * (contexts(conn) + 1),
				   0);
}

void kulp_rw_add_contexts(const struct kulp_conn *conn, struct ib_qp_init_attr *init)
{
	if (!kulp_op_is_rw(conn->args.op) || conn->server)
		return;
	init->port_num = PORT;
	init->cap.max_rdma_ctxs = contexts(conn);
	if (!(conn->args.flags & KULP_F_FEW))
		init->cap.max_rdma_ctxs *= conn->args.depth;
	/* The pools are small with KULP_F_FEW, but the send queue has room for all transfers. */
	init->cap.max_send_wr += kulp_rw_wrs(conn);
}

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

/*
 * The part of page @i that is in the list. Without gaps, all elements are whole pages; with gaps,
 * they begin and end anywhere.
 */
static void place_element(const struct kulp_conn *conn, u32 i, u32 *offset, u32 *len)
{
	bool gaps = conn->args.flags & KULP_F_LKEY;

	*offset = gaps ? 3 * i % 61 : 0;
	*len = PAGE_SIZE - *offset - (gaps ? 5 * i % 67 : 0);
}

static void free_list(struct transfer *tr)
{
	u32 i;

	for (i = 0; i < tr->nents; i++)
		__free_page(sg_page(&tr->sg[i]));
	kvfree(tr->sg);
}

/* The list begins with args.offset bytes that the transfer skips. */
static int alloc_list(struct transfer *tr)
{
	u32 left = tr->conn->args.size + tr->conn->args.offset, room, offset, len;
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
		place_element(tr->conn, tr->nents, &offset, &len);
		len = min(len, left);
		sg_set_page(&tr->sg[tr->nents++], page, len, offset);
	}
	sg_mark_end(&tr->sg[tr->nents - 1]);
	return 0;
}

/*
 * Calls @visit for each byte of the pages: with its position in the transfer, or with -1 if the
 * byte does not belong to the transfer. Returns the first result other than 0.
 */
static int visit_bytes(struct transfer *tr, u64 seed, int (*visit)(u8 *, s64, u64))
{
	s64 pos = -(s64)tr->conn->args.offset;
	struct scatterlist *sg;
	u32 i, at;
	int ret;

	for (i = 0; i < tr->nents; i++) {
		sg = &tr->sg[i];
		for (at = 0; at < PAGE_SIZE; at++) {
			bool inside = at >= sg->offset && at < sg->offset + sg->length;

			ret = visit((u8 *)page_address(sg_page(sg)) + at, inside ? pos : -1, seed);
			if (ret)
				return ret;
			pos += inside;
		}
		cond_resched();
	}
	return 0;
}

static int fill_byte(u8 *byte, s64 pos, u64 seed)
{
	*byte = pos < 0 ? POISON : kulp_pattern(pos, seed);
	return 0;
}

static int poison_byte(u8 *byte, s64 pos, u64 seed)
{
	*byte = POISON;
	return 0;
}

static int check_byte(u8 *byte, s64 pos, u64 seed)
{
	u8 want = pos < 0 ? POISON : kulp_pattern(pos, seed);

	if (*byte == want)
		return 0;
	pr_info_ratelimited("kulp: client: byte %lld is %#x, must be %#x\n", pos, *byte, want);
	return -EBADMSG;
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
		rdma_rw_ctx_destroy(&tr->ctx, tr->conn->qp, PORT, tr->sg, tr->nents,
				    direction(tr->conn));
		tr->ready = false;
		any = true;
	}
	return any;
}

/* Returns whether a transfer has a context, whose regions finish() will return. */
static bool any_ready(const struct transfer *all, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (all[i].ready)
			return true;
	return false;
}

static bool any_done(const struct transfer *all, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		if (all[i].ready && READ_ONCE(all[i].done))
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
		wait_event_timeout(conn->wake, any_done(all, n), HZ / 20);
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
		return rdma_rw_ctx_post(&tr->ctx, conn->qp, PORT, &tr->cqe, NULL);
	/* A fence makes the empty Write that is chained complete after the READs. */
	chain.wr.send_flags |= IB_SEND_FENCE;
	wrs = rdma_rw_ctx_wrs(&tr->ctx, conn->qp, PORT, NULL, &chain.wr);
	return ib_post_send(conn->qp, wrs, NULL);
}

/* Starts transfer @i of @n. If the regions are exhausted, waits for other transfers. */
static int start(struct kulp_conn *conn, struct transfer *all, u32 i, u32 n)
{
	struct transfer *tr = &all[i];
	int ret;

	for (;;) {
		ret = rdma_rw_ctx_init(&tr->ctx, conn->qp, PORT, tr->sg, tr->nents,
				       conn->args.offset,
				       conn->remote_addr + kulp_batch_offset(conn, i),
				       conn->remote_rkey, direction(conn));
		if (ret != -EAGAIN || !any_ready(all, n))
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

static int finish_all(struct kulp_conn *conn, struct transfer *all, u32 n)
{
	int ret = 0;

	while (!ret && atomic_read(&conn->outstanding))
		ret = wait_and_finish(conn, all, n);
	finish(all, n);
	return ret;
}

/* Writes the source of transfer @i, and poisons its sink. */
static int before(struct kulp_conn *conn, struct transfer *tr, u32 i, u64 seed)
{
	if (conn->args.op == KULP_OP_RW_WRITE)
		return visit_bytes(tr, seed, fill_byte);
	visit_bytes(tr, seed, poison_byte);
	return kulp_ask_at(conn, KULP_MSG_FILL, kulp_batch_offset(conn, i), conn->args.size, seed,
			   NULL);
}

static int after(struct kulp_conn *conn, struct transfer *tr, u32 i, u64 seed)
{
	if (conn->args.op == KULP_OP_RW_READ)
		return visit_bytes(tr, seed, check_byte);
	return kulp_ask_at(conn, KULP_MSG_CHECK, kulp_batch_offset(conn, i), conn->args.size, seed,
			   NULL);
}

/* Runs @n transfers at once. */
static int run_batch(struct kulp_conn *conn, struct transfer *all, u32 n, u64 seed)
{
	bool verify = conn->args.flags & KULP_F_VERIFY;
	ktime_t begin;
	u32 i;
	int ret = 0;

	for (i = 0; verify && !ret && i < n; i++)
		ret = before(conn, &all[i], i, seed + i);
	begin = ktime_get();
	for (i = 0; !ret && i < n; i++)
		ret = start(conn, all, i, n);
	if (!ret)
		ret = finish_all(conn, all, n);
	kulp_account(conn, begin, n, (u64)n * conn->args.size);
	for (i = 0; verify && !ret && i < n; i++)
		ret = after(conn, &all[i], i, seed + i);
	return ret;
}

/* After an error the contexts are only destroyed when no request is queued any more. */
static void give_up(struct kulp_conn *conn, struct transfer *all, u32 n)
{
	u32 i;

	ib_drain_qp(conn->qp);
	for (i = 0; i < n; i++)
		all[i].done = true;
	finish(all, n);
}

static int run_batches(struct kulp_conn *conn, struct transfer *all)
{
	u32 depth = conn->args.depth, done, n;
	bool has_regions;
	int ret = 0;

	has_regions = !list_empty(&conn->qp->rdma_mrs);
	for (done = 0; !ret && done < conn->args.count; done += n) {
		n = min(depth, conn->args.count - done);
		ret = run_batch(conn, all, n, conn->args.seed + done);
	}
	if (ret)
		give_up(conn, all, depth);
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
	u32 depth = conn->args.depth, i;
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
	for (i = 0; i < depth; i++)
		free_list(&all[i]);
	kvfree(all);
	return ret;
}
