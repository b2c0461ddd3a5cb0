// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The operations of a client on an established connection. The table ops[] has a function for each.
 */
#include <linux/file.h>
#include <linux/ktime.h>

#include "tools/testing/modules/kulp/kulp.h"

static int ask(struct kulp_conn *conn, enum kulp_msg_type type, u32 len, u64 seed, s64 *value)
{
	bool file = conn->args.op == KULP_OP_GET || conn->args.op == KULP_OP_PUT;

	return kulp_ask_at(conn, type, file ? 0 : conn->args.offset, len, seed, value);
}

static bool must_end(struct kulp_conn *conn)
{
	return READ_ONCE(conn->status) || (conn->stop && READ_ONCE(*conn->stop));
}

/*
 * Waits until there are @credits for the peer's receives and at most @outstanding operations. The
 * wait is in short steps, so that the end of the session ends it.
 */
static int wait_until(struct kulp_conn *conn, int credits, int outstanding)
{
	unsigned long end = jiffies + msecs_to_jiffies(conn->args.timeout_ms);

	while (!wait_event_timeout(conn->wake,
				   must_end(conn) ||
				   (atomic_read(&conn->credits) >= credits &&
				    atomic_read(&conn->outstanding) <= outstanding), HZ / 20)) {
		if (must_end(conn))
			break;
		if (time_after(jiffies, end))
			return -ETIMEDOUT;
	}
	if (READ_ONCE(conn->status))
		return conn->status;
	return must_end(conn) ? -EINTR : 0;
}

static int check_local(struct kulp_conn *conn, const struct kulp_buf *buf, u32 offset, u64 seed)
{
	s64 wrong = kulp_buf_check(buf, offset, conn->args.size, seed);

	if (wrong < 0)
		return 0;
	pr_info_ratelimited("kulp: client: byte %lld of %u is wrong\n", wrong, conn->args.size);
	return -EBADMSG;
}

/*
 * Initialises a transfer. It has one SGE in the registered region, or, with KULP_F_LKEY or
 * KULP_F_INLINE, one for each chunk with the local DMA lkey.
 */
static void init_transfer(struct kulp_conn *conn, struct ib_rdma_wr *wr, struct ib_sge *sges,
			  enum ib_wr_opcode opcode, u32 offset, u32 len)
{
	int num = 1;

	sges[0] = (struct ib_sge) { conn->mr->iova + offset, len, conn->mr->lkey };
	if (conn->args.flags & (KULP_F_LKEY | KULP_F_INLINE))
		num = kulp_buf_sges(&conn->data, offset, len, conn->pd->local_dma_lkey, sges);
	*wr = (struct ib_rdma_wr) {
		.wr.sg_list = sges,
		.wr.num_sge = num,
		.wr.opcode = opcode,
		.wr.send_flags = conn->args.flags & KULP_F_INLINE ? IB_SEND_INLINE : 0,
		.remote_addr = conn->remote_addr + offset,
		.rkey = conn->remote_rkey,
	};
}

static int transfer(struct kulp_conn *conn, enum ib_wr_opcode opcode)
{
	struct ib_sge sges[KULP_MAX_CHUNKS];
	struct ib_rdma_wr wr;

	init_transfer(conn, &wr, sges, opcode, conn->args.offset, conn->args.size);
	return kulp_post_wait(conn, &wr.wr);
}

/* Runs transfers, with up to args.depth of them outstanding. */
static int stream(struct kulp_conn *conn, enum ib_wr_opcode opcode)
{
	struct ib_sge sges[KULP_MAX_CHUNKS];
	struct ib_rdma_wr wr;
	u32 i;
	int ret = 0;

	init_transfer(conn, &wr, sges, opcode, conn->args.offset, conn->args.size);
	wr.wr.wr_cqe = &conn->data_cqe;
	wr.wr.send_flags |= IB_SEND_SIGNALED;
	for (i = 0; !ret && i < conn->args.count; i++) {
		ret = wait_until(conn, 0, conn->args.depth - 1);
		if (ret)
			break;
		atomic_inc(&conn->outstanding);
		ret = ib_post_send(conn->qp, &wr.wr, NULL);
	}
	return ret ?: wait_until(conn, 0, 0);
}

static int post_in_batch(struct kulp_conn *conn, enum ib_wr_opcode opcode, u32 i, u64 seed)
{
	u32 offset = kulp_batch_offset(conn, i);
	struct ib_sge sges[KULP_MAX_CHUNKS];
	struct ib_rdma_wr wr;
	int ret;

	ret = wait_until(conn, opcode == IB_WR_SEND, conn->args.depth - 1);
	if (ret)
		return ret;
	if (opcode == IB_WR_SEND)
		atomic_dec(&conn->credits);
	kulp_buf_fill(&conn->data, offset, conn->args.size, seed);
	init_transfer(conn, &wr, sges, opcode, offset, conn->args.size);
	wr.wr.wr_cqe = &conn->data_cqe;
	wr.wr.send_flags |= IB_SEND_SIGNALED;
	atomic_inc(&conn->outstanding);
	return ib_post_send(conn->qp, &wr.wr, NULL);
}

/* Runs a batch: @n operations, all outstanding at once, each with its own buffer and contents. */
static int run_ops_batch(struct kulp_conn *conn, enum ib_wr_opcode opcode, u32 n, u64 seed)
{
	u32 i;
	int ret = 0;

	conn->completed = 0;
	for (i = 0; !ret && i < n; i++)
		ret = post_in_batch(conn, opcode, i, seed + i);
	if (!ret)
		ret = wait_until(conn, 0, 0);
	for (i = 0; !ret && i < n && opcode == IB_WR_RDMA_WRITE; i++)
		ret = kulp_ask_at(conn, KULP_MSG_CHECK, kulp_batch_offset(conn, i),
				  conn->args.size, seed + i, NULL);
	return ret;
}

/*
 * Runs batch after batch. The completion handler overwrites each buffer while other operations of
 * the batch are in flight, and while TCP may have to send the data again.
 */
static int op_batches(struct kulp_conn *conn, enum ib_wr_opcode opcode)
{
	ktime_t begin = ktime_get();
	u32 n, done;
	int ret = 0;

	if (!(conn->args.flags & KULP_F_VERIFY))
		return -EINVAL;
	for (done = 0; !ret && done < conn->args.count; done += n) {
		n = min(conn->args.depth, conn->args.count - done);
		ret = run_ops_batch(conn, opcode, n, conn->args.seed + done);
	}
	if (!ret)
		ret = ask(conn, KULP_MSG_NOP, 0, 0, NULL);
	kulp_account(conn, begin, done, (u64)done * conn->args.size);
	return ret;
}

static int write_verified(struct kulp_conn *conn)
{
	ktime_t begin;
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < conn->args.count; i++) {
		u64 seed = conn->args.seed + i;

		kulp_buf_fill(&conn->data, conn->args.offset, conn->args.size, seed);
		begin = ktime_get();
		ret = transfer(conn, IB_WR_RDMA_WRITE);
		/*
		 * The Write has completed, so the contents that the buffer gets now must not reach
		 * the peer.
		 */
		kulp_buf_fill(&conn->data, conn->args.offset, conn->args.size, ~seed);
		if (!ret)
			ret = ask(conn, KULP_MSG_CHECK, conn->args.size, seed, NULL);
		kulp_account(conn, begin, 1, conn->args.size);
	}
	return ret;
}

static int op_write(struct kulp_conn *conn)
{
	ktime_t begin;
	int ret;

	if (conn->args.flags & KULP_F_SCRIBBLE)
		return op_batches(conn, IB_WR_RDMA_WRITE);
	if (conn->args.flags & KULP_F_VERIFY)
		return write_verified(conn);
	kulp_buf_fill(&conn->data, conn->args.offset, conn->args.size, conn->args.seed);
	begin = kulp_begin(conn->common_start);
	ret = stream(conn, IB_WR_RDMA_WRITE);
	if (!ret)
		ret = ask(conn, KULP_MSG_NOP, 0, 0, NULL);
	kulp_account(conn, begin, conn->args.count, (u64)conn->args.count * conn->args.size);
	return ret ?: ask(conn, KULP_MSG_CHECK, conn->args.size, conn->args.seed, NULL);
}

/*
 * Runs one Write at a time, because there are no credits for the receives that immediate data
 * consumes, and because the server checks each Write before the next.
 */
static int op_write_imm(struct kulp_conn *conn)
{
	struct ib_sge sges[KULP_MAX_CHUNKS];
	struct ib_rdma_wr wr;
	ktime_t begin;
	u32 i;
	int ret;

	for (i = 0; i < conn->args.count; i++) {
		u64 seed = conn->args.seed + i;

		kulp_buf_fill(&conn->data, conn->args.offset, conn->args.size, seed);
		begin = ktime_get();
		init_transfer(conn, &wr, sges, IB_WR_RDMA_WRITE_WITH_IMM, conn->args.offset,
			      conn->args.size);
		if (conn->args.flags & KULP_F_SOLICITED)
			wr.wr.send_flags |= IB_SEND_SOLICITED;
		wr.wr.ex.imm_data = cpu_to_be32(i);
		ret = kulp_post_wait(conn, &wr.wr) ?:
		      ask(conn, KULP_MSG_CHECK, conn->args.size, seed, NULL);
		if (ret)
			return ret;
		kulp_account(conn, begin, 1, conn->args.size);
	}
	return 0;
}

/*
 * Atomic operations that run on a word one after the other. @before and @after are the values that
 * the word must have before and after the operation.
 */
static const struct step {
	enum ib_wr_opcode opcode;
	u64 compare_add;
	u64 swap;
	u64 compare_add_mask;
	u64 swap_mask;
	u64 before;
	u64 after;
} steps[] = {
	{ IB_WR_ATOMIC_FETCH_AND_ADD, .compare_add = 5, .before = 0, .after = 5 },
	{ IB_WR_ATOMIC_FETCH_AND_ADD, .compare_add = -7ULL, .before = 5, .after = -2ULL },
	{ IB_WR_ATOMIC_CMP_AND_SWP, .compare_add = 1, .swap = 9, .before = -2ULL,
	  .after = -2ULL },
	{ IB_WR_ATOMIC_CMP_AND_SWP, .compare_add = -2ULL, .swap = 0x00ff00ff, .before = -2ULL,
	  .after = 0x00ff00ff },
	{ IB_WR_MASKED_ATOMIC_FETCH_AND_ADD, .compare_add = 0x00010001,
	  .compare_add_mask = 0x00800080, .before = 0x00ff00ff, .after = 0 },
	{ IB_WR_MASKED_ATOMIC_CMP_AND_SWP, .compare_add = 0xff00, .compare_add_mask = 0xff,
	  .swap = 0x1234, .swap_mask = 0xff, .before = 0, .after = 0x34 },
	{ IB_WR_MASKED_ATOMIC_CMP_AND_SWP, .compare_add = 0x35, .compare_add_mask = 0xff,
	  .swap = 0, .swap_mask = -1ULL, .before = 0x34, .after = 0x34 },
	{ IB_WR_ATOMIC_CMP_AND_SWP, .compare_add = 0x34, .swap = 0, .before = 0x34, .after = 0 },
};

/*
 * Runs one atomic operation. The first eight bytes of the data buffer receive the old value of the
 * word. Returns -EBADMSG if the old value is not step->before.
 */
static int run_step(struct kulp_conn *conn, const struct step *step, u32 offset)
{
	u64 *old = conn->data.chunk[0], before = kulp_spoil(&conn->args, step->before);
	struct ib_sge sge = {
		.addr = conn->mr->iova, .length = sizeof(*old), .lkey = conn->mr->lkey,
	};
	struct ib_atomic_wr wr = {
		.wr.sg_list = &sge,
		.wr.num_sge = 1,
		.wr.opcode = step->opcode,
		.remote_addr = conn->remote_addr + offset,
		.rkey = conn->remote_rkey,
		.compare_add = step->compare_add,
		.swap = step->swap,
		.compare_add_mask = step->compare_add_mask,
		.swap_mask = step->swap_mask,
	};
	int ret;

	*old = ~step->before;
	ret = kulp_post_wait(conn, &wr.wr);
	if (!ret && READ_ONCE(*old) != before) {
		pr_info("kulp: client: word at %u was %#llx, must be %#llx\n", offset,
			READ_ONCE(*old), before);
		ret = -EBADMSG;
	}
	return ret;
}

/* Reads the word after each operation, by adding 0. */
static int op_atomic(struct kulp_conn *conn)
{
	u32 words = conn->args.size / sizeof(u64);
	ktime_t begin = ktime_get();
	u32 i, n;
	int ret = 0;

	if (!words || conn->args.offset % sizeof(u64))
		return -EINVAL;
	for (i = 0; i < conn->args.count && !ret; i++) {
		u32 offset = conn->args.offset + i % words * sizeof(u64);

		for (n = 0; n < ARRAY_SIZE(steps) && !ret; n++) {
			const struct step look = {
				.opcode = IB_WR_ATOMIC_FETCH_AND_ADD, .before = steps[n].after,
			};

			ret = run_step(conn, &steps[n], offset) ?:
			      run_step(conn, &look, offset);
		}
	}
	kulp_account(conn, begin, conn->args.count * ARRAY_SIZE(steps) * 2, 0);
	return ret;
}

/* Reads one message after another, and checks each of them, or only the last of many. */
static int op_read(struct kulp_conn *conn)
{
	bool verify = conn->args.flags & KULP_F_VERIFY;
	u32 size = conn->args.size, count = conn->args.count;
	ktime_t begin;
	u64 seed;
	u32 i;
	int ret = 0;

	for (i = 0; verify && !ret && i < count; i++) {
		seed = conn->args.seed + i;
		ret = ask(conn, KULP_MSG_FILL, size, seed, NULL);
		if (ret)
			break;
		begin = ktime_get();
		ret = transfer(conn, IB_WR_RDMA_READ);
		kulp_account(conn, begin, 1, size);
		if (!ret)
			ret = check_local(conn, &conn->data, conn->args.offset, seed);
	}
	if (!verify) {
		ret = ask(conn, KULP_MSG_FILL, size, conn->args.seed, NULL);
		if (ret)
			return ret;
		begin = kulp_begin(conn->common_start);
		ret = stream(conn, IB_WR_RDMA_READ);
		kulp_account(conn, begin, count, (u64)count * size);
		if (!ret)
			ret = check_local(conn, &conn->data, conn->args.offset, conn->args.seed);
	}
	return ret;
}

/*
 * Registers the sink again for each read, because the read before has invalidated it. Every other
 * read leaves invalidate_rkey zero, as other users do.
 */
static int op_read_inv(struct kulp_conn *conn)
{
	struct ib_sge sges[KULP_MAX_CHUNKS];
	struct ib_rdma_wr wr;
	ktime_t begin;
	u32 i;
	int ret;

	if (conn->args.flags & KULP_F_LKEY)
		return -EINVAL;
	for (i = 0; i < conn->args.count; i++) {
		u64 seed = conn->args.seed + i;

		ret = ask(conn, KULP_MSG_FILL, conn->args.size, seed, NULL);
		if (ret)
			return ret;
		begin = ktime_get();
		if (i) {
			ret = kulp_register(conn, IB_ACCESS_LOCAL_WRITE);
			if (ret)
				return ret;
		}
		init_transfer(conn, &wr, sges, IB_WR_RDMA_READ_WITH_INV, conn->args.offset,
			      conn->args.size);
		wr.wr.ex.invalidate_rkey = i & 1 ? conn->mr->rkey : 0;
		ret = kulp_post_wait(conn, &wr.wr) ?:
		      check_local(conn, &conn->data, conn->args.offset, seed);
		if (ret)
			return ret;
		kulp_account(conn, begin, 1, conn->args.size);
	}
	return 0;
}

/*
 * Lets each answer of the server invalidate the client's region. Expects that the receive
 * completion of the answer names the invalidated STag, and that the region can be registered again.
 */
static int op_send_inv(struct kulp_conn *conn)
{
	ktime_t begin = ktime_get();
	u32 i;
	int ret;

	for (i = 0; i < conn->args.count; i++) {
		if (i) {
			ret = kulp_register(conn, KULP_CLIENT_ACCESS);
			if (ret)
				return ret;
		}
		conn->reply_inv_stag = 0;
		ret = ask(conn, KULP_MSG_INVALIDATE, 0, 0, NULL);
		if (ret)
			return ret;
		if (conn->reply_inv_stag != conn->mr->rkey)
			return -EBADMSG;
	}
	kulp_account(conn, begin, conn->args.count, 0);
	return 0;
}

static int send_data(struct kulp_conn *conn)
{
	struct ib_sge sges[KULP_MAX_CHUNKS];
	struct ib_rdma_wr wr;

	init_transfer(conn, &wr, sges, IB_WR_SEND, conn->args.offset, conn->args.size);
	if (conn->args.flags & KULP_F_SOLICITED)
		wr.wr.send_flags |= IB_SEND_SOLICITED;
	if (conn->args.flags & KULP_F_VERIFY)
		return kulp_post_wait(conn, &wr.wr);
	wr.wr.wr_cqe = &conn->data_cqe;
	wr.wr.send_flags |= IB_SEND_SIGNALED;
	atomic_inc(&conn->outstanding);
	return ib_post_send(conn->qp, &wr.wr, NULL);
}

static int op_send(struct kulp_conn *conn)
{
	bool verify = conn->args.flags & KULP_F_VERIFY;
	ktime_t begin;
	u32 i;
	int ret = 0;

	/* The server distinguishes data from control messages by their size. */
	if (conn->args.size == sizeof(struct kulp_msg))
		return -EINVAL;
	if (conn->args.flags & KULP_F_SCRIBBLE)
		return op_batches(conn, IB_WR_SEND);
	kulp_buf_fill(&conn->data, conn->args.offset, conn->args.size, conn->args.seed);
	begin = kulp_begin(conn->common_start);
	for (i = 0; !ret && i < conn->args.count; i++) {
		ret = wait_until(conn, 1, conn->args.depth - 1);
		if (ret)
			break;
		if (verify)
			kulp_buf_fill(&conn->data, conn->args.offset, conn->args.size,
				      conn->args.seed + i);
		atomic_dec(&conn->credits);
		ret = send_data(conn);
	}
	if (!ret)
		ret = ask(conn, KULP_MSG_NOP, 0, 0, NULL);
	kulp_account(conn, begin, conn->args.count, (u64)conn->args.count * conn->args.size);
	return ret;
}

/* The answer is in conn->ping_slot, whose receive is posted again before the next ping. */
static int op_ping(struct kulp_conn *conn)
{
	ktime_t begin;
	u64 nsec;
	u32 i;
	int ret = 0;

	for (i = 0; !ret && i < conn->args.count; i++) {
		if (!i || conn->args.flags & KULP_F_VERIFY)
			kulp_buf_fill(&conn->data, conn->args.offset, conn->args.size,
				      conn->args.seed + i);
		begin = ktime_get();
		reinit_completion(&conn->reply);
		ret = send_data(conn);
		if (!ret)
			ret = kulp_wait_completion(conn, &conn->reply);
		nsec = kulp_account(conn, begin, 1, 2ULL * conn->args.size);
		if (!ret)
			kulp_samples_add(conn->samples, nsec);
		if (!ret && conn->args.flags & KULP_F_VERIFY)
			ret = check_local(conn, &conn->ping_slot->buf, 0,
					  kulp_spoil(&conn->args, conn->args.seed + i));
		if (!ret)
			ret = kulp_post_recv(conn->ping_slot);
	}
	return ret;
}

static int get_window(struct kulp_conn *conn, struct file *file, loff_t pos, u32 *moved)
{
	struct ib_sge sges[KULP_MAX_CHUNKS];
	struct ib_rdma_wr wr;
	ktime_t begin;
	ssize_t n;
	s64 len;
	int ret;

	ret = ask(conn, KULP_MSG_LOAD, KULP_FILE_WINDOW, pos, &len);
	if (ret)
		return ret;
	if (len > KULP_FILE_WINDOW)
		return -EPROTO;
	*moved = len;
	if (!len)
		return 0;
	begin = ktime_get();
	init_transfer(conn, &wr, sges, IB_WR_RDMA_READ, 0, len);
	ret = kulp_post_wait(conn, &wr.wr);
	kulp_account(conn, begin, 1, len);
	if (ret)
		return ret;
	n = kulp_buf_file(&conn->data, 0, len, file, pos, true);
	return n < 0 ? n : n == len ? 0 : -ENOSPC;
}

static int put_window(struct kulp_conn *conn, struct file *file, loff_t pos, u32 *moved)
{
	struct ib_sge sges[KULP_MAX_CHUNKS];
	struct ib_rdma_wr wr;
	ktime_t begin;
	ssize_t len;
	s64 stored;
	int ret;

	len = kulp_buf_file(&conn->data, 0, KULP_FILE_WINDOW, file, pos, false);
	if (len < 0)
		return len;
	*moved = len;
	if (!len)
		return 0;
	begin = ktime_get();
	init_transfer(conn, &wr, sges, IB_WR_RDMA_WRITE, 0, len);
	ret = kulp_post_wait(conn, &wr.wr);
	if (!ret)
		ret = ask(conn, KULP_MSG_NOP, 0, 0, NULL);
	kulp_account(conn, begin, 1, len);
	if (!ret)
		ret = ask(conn, KULP_MSG_STORE, len, pos, &stored);
	return ret ?: stored == len ? 0 : -ENOSPC;
}

static int op_file(struct kulp_conn *conn)
{
	struct file *file = fget(conn->args.fd);
	u32 moved = 1;
	loff_t pos = 0;
	int ret = 0;

	if (!file)
		return -EBADF;
	for (; !ret && moved && !must_end(conn); pos += moved)
		ret = conn->args.op == KULP_OP_GET ? get_window(conn, file, pos, &moved) :
						     put_window(conn, file, pos, &moved);
	fput(file);
	return ret ?: must_end(conn) ? -EINTR : 0;
}

/*
 * Requests that break a rule. Expects that the server ends the connection. @wrong_key is the bits
 * of the rkey that are flipped, @beyond is added to the remote address, and @size is the length in
 * bytes.
 */
static const struct fault {
	enum ib_wr_opcode opcode;
	u32 wrong_key;
	u64 beyond;
	u32 size;
} faults[] = {
	{ IB_WR_RDMA_WRITE, 0x01, 0, 100 },		/* has the key of an older registration */
	{ IB_WR_RDMA_WRITE, 0x100, 0, 100 },		/* names an STag that does not exist */
	{ IB_WR_RDMA_WRITE, 0, KULP_MAX_SIZE, 100 },	/* begins beyond the end of the region */
	{ IB_WR_RDMA_WRITE, 0, -16ULL, 100 },		/* begins before the region */
	{ IB_WR_RDMA_READ, 0x01, 0, 100 },
	{ IB_WR_RDMA_READ, 0x100, 0, 100 },
	{ IB_WR_RDMA_READ, 0, KULP_MAX_SIZE, 100 },
	{ IB_WR_SEND, 0, 0, 1000 },			/* is longer than the server's receive */
	/* asks the server to invalidate an STag that does not exist */
	{ IB_WR_SEND_WITH_INV, 0x100, 0, sizeof(struct kulp_msg) },
};

static int op_fault(struct kulp_conn *conn)
{
	struct ib_sge sges[KULP_MAX_CHUNKS];
	const struct fault *fault;
	struct ib_rdma_wr wr;

	if (conn->args.seed >= ARRAY_SIZE(faults))
		return -EINVAL;
	fault = &faults[conn->args.seed];
	if (conn->args.size < fault->size)
		return -EINVAL;
	init_transfer(conn, &wr, sges, fault->opcode, 0, fault->size);
	wr.rkey ^= fault->wrong_key;
	wr.remote_addr += fault->beyond;
	if (fault->opcode == IB_WR_SEND_WITH_INV)
		wr.wr.ex.invalidate_rkey = wr.rkey;
	kulp_post_wait(conn, &wr.wr);
	return wait_for_completion_timeout(&conn->closed, msecs_to_jiffies(conn->args.timeout_ms)) ?
	       0 : -ETIMEDOUT;
}

static int (*const ops[KULP_OP_COUNT])(struct kulp_conn *conn) = {
	[KULP_OP_PING] = op_ping,
	[KULP_OP_SEND] = op_send,
	[KULP_OP_WRITE] = op_write,
	[KULP_OP_READ] = op_read,
	[KULP_OP_READ_INV] = op_read_inv,
	[KULP_OP_SEND_INV] = op_send_inv,
	[KULP_OP_GET] = op_file,
	[KULP_OP_PUT] = op_file,
	[KULP_OP_FAULT] = op_fault,
	[KULP_OP_ATOMIC] = op_atomic,
	[KULP_OP_WRITE_IMM] = op_write_imm,
	[KULP_OP_RW_READ] = kulp_op_rw,
	[KULP_OP_RW_WRITE] = kulp_op_rw,
	[KULP_OP_REMAP] = kulp_op_remap,
};

int kulp_op_run(struct kulp_conn *conn)
{
	int ret;

	do {
		ret = ops[conn->args.op](conn);
		conn->args.seed += conn->args.count;
	} while (!ret && conn->args.flags & KULP_F_ENDLESS && !must_end(conn));
	return ret;
}
