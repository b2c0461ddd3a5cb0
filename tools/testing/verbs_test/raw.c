// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: cases that the libraries do not cause. Commands that are written to the device node
 * create QPs with each creation flag. Queues of the maximum depth must be flushed completely, and
 * what siw's QPs do not have is refused.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/siw-abi.h>

#include "tools/testing/lib/command.h"
#include "verbs_test.h"

#define BITS	32
#define DEPTH	32768

/* The queues of a QP without a connection. */
struct queues {
	struct ibv_pd *pd;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_qp *qp;
};

static bool open_queues(struct queues *queues, int depth)
{
	struct rdma_cm_id *listener;
	struct ibv_context *verbs;

	TRY(listener_id(NULL, &listener));
	verbs = listener->verbs;
	TRY(got(queues->pd = ibv_alloc_pd(verbs)));
	TRY(got(queues->send_cq = ibv_create_cq(verbs, depth, NULL, NULL, 0)));
	TRY(got(queues->recv_cq = ibv_create_cq(verbs, depth, NULL, NULL, 0)));
	return true;
}

/* --- creation flags --- */

/*
 * Returns the negative errno of a QP creation with @flags. No creation can succeed, because the
 * command has no room for the provider's response.
 */
static int create_with(const struct queues *queues, uint32_t flags)
{
	struct ib_uverbs_ex_create_qp_resp resp = {};
	const struct ib_uverbs_ex_create_qp cmd = {
		.pd_handle = queues->pd->handle,
		.send_cq_handle = queues->send_cq->handle,
		.recv_cq_handle = queues->recv_cq->handle,
		.max_send_wr = 1,
		.max_recv_wr = 1,
		.max_send_sge = 1,
		.max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
		.create_flags = flags,
	};

	return extended(queues->pd->context->cmd_fd, IB_USER_VERBS_EX_CMD_CREATE_QP, &cmd,
			sizeof(cmd), &resp, sizeof(resp));
}

static bool create_flags(void)
{
	struct queues queues;

	if (!open_queues(&queues, 2))
		return false;
	/*
	 * The ABI defines flags for multicast, CORE-Direct and raw packets. All other flags are
	 * undefined, or only the kernel may use them.
	 */
	for (int bit = 0; bit < BITS; bit++)
		EXPECT((bit >= 1 && bit <= 4) || (bit >= 8 && bit <= 11) ? -EOPNOTSUPP : -EINVAL,
		       create_with(&queues, 1u << bit));
	EXPECT(-EINVAL, create_with(&queues, 1u << 1 | 1u << 6));
	return true;
}

/* --- long queues --- */

static int modify(struct queues *queues, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return verbs(ibv_modify_qp(queues->qp, &attr, IBV_QP_STATE));
}

static int create_qp(struct queues *queues, int depth, bool signal_all, uint32_t max_inline)
{
	struct ibv_qp_init_attr init = {
		.send_cq = queues->send_cq,
		.recv_cq = queues->recv_cq,
		.cap = {
			.max_send_wr = depth, .max_recv_wr = depth,
			.max_send_sge = 1, .max_recv_sge = 1,
			.max_inline_data = max_inline,
		},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = signal_all,
	};

	return got(queues->qp = ibv_create_qp(queues->pd, &init));
}

static bool open_long(struct queues *queues)
{
	if (!open_queues(queues, DEPTH))
		return false;
	TRY(create_qp(queues, DEPTH, true, 0));
	TRY(modify(queues, IBV_QPS_INIT));
	return true;
}

static bool close_long(struct queues *queues)
{
	TRY(verbs(ibv_destroy_qp(queues->qp)));
	TRY(verbs(ibv_destroy_cq(queues->recv_cq)));
	TRY(verbs(ibv_destroy_cq(queues->send_cq)));
	TRY(verbs(ibv_dealloc_pd(queues->pd)));
	return true;
}

/* The receive has one SGE of length 0, because the library requires an SGE. */
static int post_empty_receive(struct queues *queues, uint64_t wr_id)
{
	struct ibv_sge sge = {};
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = &sge, .num_sge = 1 }, *bad;

	return verbs(ibv_post_recv(queues->qp, &wr, &bad));
}

static bool fill_receives(struct queues *queues, int count)
{
	for (int i = 0; i < count; i++)
		TRY(post_empty_receive(queues, i));
	return true;
}

/*
 * Posts DEPTH requests in one call, so that the doorbell rings when all of them are in the queue.
 */
static int fill_sends(struct queues *queues)
{
	static struct ibv_send_wr wrs[DEPTH];
	struct ibv_send_wr *bad;

	for (int i = 0; i < DEPTH; i++)
		wrs[i] = (struct ibv_send_wr){
			.wr_id = i,
			.opcode = IBV_WR_SEND,
			.next = i < DEPTH - 1 ? &wrs[i + 1] : NULL,
		};
	return verbs(ibv_post_send(queues->qp, wrs, &bad));
}

/* Expects DEPTH completions with IBV_WC_WR_FLUSH_ERR, in the order of posting. */
static bool all_flushed(struct ibv_cq *cq)
{
	int64_t end = now_ms() + patience_ms();
	struct ibv_wc wc;
	int found = 0, ret;

	while (found < DEPTH && now_ms() < end) {
		TRY(ret = ibv_poll_cq(cq, 1, &wc));
		if (!ret)
			continue;
		EXPECT(IBV_WC_WR_FLUSH_ERR, wc.status);
		EXPECT(found, wc.wr_id);
		found++;
	}
	EXPECT(DEPTH, found);
	EXPECT(0, ibv_poll_cq(cq, 1, &wc));
	return true;
}

/*
 * Moves the QP to the error state in each round. From the second round on, the QP is in that state
 * already, and the move must flush the receives posted since the previous round.
 */
static bool long_recv_queue(void)
{
	struct queues queues;

	if (!open_long(&queues))
		return false;
	for (int i = 0; i < 3; i++) {
		if (!fill_receives(&queues, DEPTH))
			return false;
		TRY(modify(&queues, IBV_QPS_ERR));
		if (!all_flushed(queues.recv_cq))
			return false;
	}
	return close_long(&queues);
}

static bool long_send_queue(void)
{
	struct queues queues;

	if (!open_long(&queues))
		return false;
	TRY(modify(&queues, IBV_QPS_ERR));
	for (int i = 0; i < 3; i++) {
		TRY(fill_sends(&queues));
		if (!all_flushed(queues.send_cq))
			return false;
	}
	return close_long(&queues);
}

/*
 * Expects that posting send requests also flushes the receives that were posted in the error state
 * before: a process rings the doorbell only for send requests.
 */
static bool both_queues(void)
{
	struct queues queues;

	if (!open_long(&queues))
		return false;
	TRY(modify(&queues, IBV_QPS_ERR));
	if (!fill_receives(&queues, DEPTH))
		return false;
	TRY(fill_sends(&queues));
	return all_flushed(queues.recv_cq) && all_flushed(queues.send_cq) && close_long(&queues);
}

/*
 * Expects that posting sends without a connection fails, and that failed posts use up no entries:
 * the queue never becomes full (ENOMEM).
 */
static bool not_connected(void)
{
	struct queues queues;
	struct ibv_wc wc;
	int ret;

	if (!open_long(&queues))
		return false;
	for (int i = 0; i < 3; i++) {
		ret = fill_sends(&queues);
		EXPECT(1, ret && ret != -ENOMEM);
	}
	TRY(modify(&queues, IBV_QPS_ERR));
	EXPECT(0, ibv_poll_cq(queues.send_cq, 1, &wc));
	return close_long(&queues);
}

/*
 * Destroys each QP while the kernel may still flush its receives. Expects that the destruction does
 * not wait for the rest of the flush.
 */
static bool destroyed_while_flushing(void)
{
	struct queues queues;

	for (int i = 0; i < 20; i++) {
		if (!open_long(&queues) || !fill_receives(&queues, DEPTH))
			return false;
		TRY(modify(&queues, IBV_QPS_ERR));
		if (!close_long(&queues))
			return false;
	}
	return true;
}

/*
 * Resets a QP whose receive queue is full, before and after the QP fails. After a reset, the
 * library goes on in the middle of its ring. Expects that the receives posted before the reset have
 * no completions, and that each receive posted after the reset has its completion.
 */
static bool used_again(void)
{
	struct queues queues;
	struct ibv_wc wc;

	if (!open_long(&queues))
		return false;
	for (int i = 0; i < 3; i++) {
		TRY(post_empty_receive(&queues, 1000000));
		if (!fill_receives(&queues, DEPTH - 1))
			return false;
		TRY(modify(&queues, IBV_QPS_RESET));
		EXPECT(0, ibv_poll_cq(queues.recv_cq, 1, &wc));
		TRY(modify(&queues, IBV_QPS_INIT));
		if (!fill_receives(&queues, DEPTH))
			return false;
		TRY(modify(&queues, IBV_QPS_ERR));
		if (!all_flushed(queues.recv_cq))
			return false;
		TRY(modify(&queues, IBV_QPS_RESET));
		TRY(modify(&queues, IBV_QPS_INIT));
	}
	return close_long(&queues);
}

/* --- short queues --- */

#define SHORT	16

/* A process's CQ that is full keeps its completions, and loses those that come after them. */
static bool cq_overflows(void)
{
	struct ibv_async_event event;
	struct queues queues;
	struct ibv_wc wc;

	if (!open_queues(&queues, SHORT / 4))
		return false;
	TRY(create_qp(&queues, SHORT, true, 0));
	TRY(modify(&queues, IBV_QPS_INIT));
	EXPECT(SHORT / 4, queues.recv_cq->cqe);
	if (!fill_receives(&queues, SHORT))
		return false;
	TRY(modify(&queues, IBV_QPS_ERR));
	TRY(next_async(queues.pd->context, &event, patience_ms()));
	EXPECT(IBV_EVENT_CQ_ERR, event.event_type);
	EXPECT(1, event.element.cq == queues.recv_cq);
	for (int i = 0; i < SHORT / 4; i++) {
		EXPECT(1, ibv_poll_cq(queues.recv_cq, 1, &wc));
		EXPECT(i, wc.wr_id);
	}
	return close_long(&queues);
}

/* Rings the doorbell if @count is 0, and otherwise gives one request by the command. */
static int ring(const struct queues *queues, uint32_t count, uint32_t *bad)
{
	const struct ib_uverbs_send_wr wr = { .opcode = IB_UVERBS_WR_SEND };
	const struct ib_uverbs_post_send head = {
		.qp_handle = queues->qp->handle, .wr_count = count, .wqe_size = sizeof(wr),
	};
	struct ib_uverbs_post_send_resp resp = {};
	uint8_t cmd[sizeof(head) + sizeof(wr)];
	int ret;

	memcpy(cmd, &head, sizeof(head));
	memcpy(cmd + sizeof(head), &wr, sizeof(wr));
	ret = command(queues->pd->context->cmd_fd, IB_USER_VERBS_CMD_POST_SEND, cmd,
		      sizeof(head) + count * sizeof(wr), &resp, sizeof(resp));
	*bad = resp.bad_wr;
	return ret;
}

/* A process may only ring: requests that come with the command are refused. */
static bool doorbells(void)
{
	struct queues queues;
	uint32_t bad;

	if (!open_queues(&queues, SHORT))
		return false;
	TRY(create_qp(&queues, SHORT, true, 0));
	EXPECT(-EINVAL, ring(&queues, 0, &bad));
	TRY(modify(&queues, IBV_QPS_INIT));
	EXPECT(-ENOTCONN, ring(&queues, 0, &bad));
	EXPECT(-EINVAL, ring(&queues, 1, &bad));
	EXPECT(1, bad);
	TRY(modify(&queues, IBV_QPS_ERR));
	TRY(ring(&queues, 0, &bad));
	EXPECT(-EINVAL, ring(&queues, 1, &bad));
	return close_long(&queues);
}

/* The size of inline data, and whether all requests complete. */
static bool made_as_asked(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct queues queues;

	if (!open_queues(&queues, SHORT))
		return false;
	EXPECT(-EINVAL, create_qp(&queues, SHORT, false, SIW_MAX_INLINE + 1));
	for (int signal_all = 0; signal_all < 2; signal_all++) {
		TRY(create_qp(&queues, SHORT, signal_all, SIW_MAX_INLINE));
		TRY(verbs(ibv_query_qp(queues.qp, &attr, IBV_QP_CAP, &init)));
		EXPECT(SIW_MAX_INLINE, init.cap.max_inline_data);
		EXPECT(signal_all, init.sq_sig_all);
		if (!signal_all)
			TRY(verbs(ibv_destroy_qp(queues.qp)));
	}
	return close_long(&queues);
}

#define DEPTHS	(IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC)
#define STATES	(IBV_QP_CUR_STATE | IBV_QP_STATE)
#define MAX_DEPTH	128

/* Attributes that siw's QPs do not have, and values that are not possible; then possible ones. */
static const struct change {
	struct ibv_qp_attr attr;
	int mask;
	int want;
} changes[] = {
	{ { .qkey = 1 }, IBV_QP_QKEY, -EOPNOTSUPP },
	{ { .dest_qp_num = 1 }, IBV_QP_DEST_QPN, -EOPNOTSUPP },
	{ { .timeout = 1 }, IBV_QP_TIMEOUT, -EOPNOTSUPP },
	/* Between the rights and the hints. */
	{ { .qp_access_flags = 1 << 19 }, IBV_QP_ACCESS_FLAGS, -EINVAL },
	{ { .max_rd_atomic = MAX_DEPTH + 1 }, IBV_QP_MAX_QP_RD_ATOMIC, -EINVAL },
	{ { .max_dest_rd_atomic = MAX_DEPTH + 1 }, IBV_QP_MAX_DEST_RD_ATOMIC, -EINVAL },
	{ { .cur_qp_state = IBV_QPS_RTS, .qp_state = IBV_QPS_ERR }, STATES, -EINVAL },
	{ { .max_rd_atomic = MAX_DEPTH, .max_dest_rd_atomic = MAX_DEPTH }, DEPTHS, 0 },
	{ { .cur_qp_state = IBV_QPS_INIT, .qp_state = IBV_QPS_ERR }, STATES, 0 },
};

/* Makes a change. Expects that one that is refused has no effect. */
static bool change(struct queues *queues, const struct change *change)
{
	struct ibv_qp_attr before, after, attr = change->attr;
	struct ibv_qp_init_attr init;

	TRY(verbs(ibv_query_qp(queues->qp, &before, IBV_QP_STATE, &init)));
	EXPECT(change->want, verbs(ibv_modify_qp(queues->qp, &attr, change->mask)));
	if (!change->want)
		return true;
	TRY(verbs(ibv_query_qp(queues->qp, &after, IBV_QP_STATE, &init)));
	EXPECT(before.qp_state, after.qp_state);
	EXPECT(before.qp_access_flags, after.qp_access_flags);
	EXPECT(before.max_rd_atomic, after.max_rd_atomic);
	EXPECT(before.max_dest_rd_atomic, after.max_dest_rd_atomic);
	return true;
}

static bool wrong_changes(void)
{
	struct queues queues;

	if (!open_queues(&queues, SHORT))
		return false;
	TRY(create_qp(&queues, SHORT, true, 0));
	TRY(modify(&queues, IBV_QPS_INIT));
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
		if (!change(&queues, &changes[i]))
			return false;
	return close_long(&queues);
}

const struct test raw_tests[] = {
	{ "creation flags of QPs", create_flags },
	{ "a long receive queue is flushed", long_recv_queue },
	{ "a long send queue is flushed", long_send_queue },
	{ "both long queues are flushed", both_queues },
	{ "a long send queue without a connection", not_connected },
	{ "long queues are destroyed while they are flushed", destroyed_while_flushing },
	{ "a QP is reset and used again", used_again },
	{ "a CQ overflows", cq_overflows },
	{ "doorbells and requests by command", doorbells },
	{ "inline data and signals of a QP", made_as_asked },
	{ "wrong changes of a QP", wrong_changes },
	{}
};
