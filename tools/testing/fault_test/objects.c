// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The objects that a process creates by libibverbs, each with its creation and its end.
 */
#include <errno.h>
#include <stdlib.h>

#include "fault_test.h"

#define BYTES	(1024 * 1024)

static struct ibv_context *own;
static struct ibv_pd *pd;
static struct ibv_mr *mr;
static struct ibv_comp_channel *channel;
static struct ibv_cq *cq;
static struct ibv_srq *srq;
static struct ibv_qp *qp;
static char memory[BYTES];

static int made(const void *object)
{
	return object ? 0 : errno ?: EIO;
}

static int destroyed(void *object, int ret)
{
	void **pointer = object;

	if (!ret)
		*pointer = NULL;
	return ret < 0 ? errno : ret;
}

static int close_own(void)
{
	return destroyed(&own, ibv_close_device(own));
}

static int end_pd(void)
{
	return destroyed(&pd, ibv_dealloc_pd(pd));
}

static int end_mr(void)
{
	return destroyed(&mr, ibv_dereg_mr(mr));
}

static int end_channel(void)
{
	return destroyed(&channel, ibv_destroy_comp_channel(channel));
}

static int end_cq(void)
{
	return destroyed(&cq, ibv_destroy_cq(cq));
}

static int end_srq(void)
{
	return destroyed(&srq, ibv_destroy_srq(srq));
}

static int end_qp(void)
{
	return destroyed(&qp, ibv_destroy_qp(qp));
}

static void undo(void)
{
	if (qp)
		end_qp();
	if (srq)
		end_srq();
	if (cq)
		end_cq();
	if (channel)
		end_channel();
	if (mr)
		end_mr();
	if (pd)
		end_pd();
	if (own)
		close_own();
}

static int open_own(void)
{
	own = ibv_open_device(device);
	return made(own);
}

static int make_pd(void)
{
	pd = ibv_alloc_pd(context);
	return made(pd);
}

static int make_mr(void)
{
	mr = ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	return made(mr);
}

static int make_channel(void)
{
	channel = ibv_create_comp_channel(context);
	return made(channel);
}

static int make_cq(void)
{
	cq = ibv_create_cq(context, 1000, NULL, channel, 0);
	return made(cq);
}

static int make_srq(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 500, .max_sge = 4 } };

	srq = ibv_create_srq(pd, &attr);
	return made(srq);
}

static int limit_srq(void)
{
	struct ibv_srq_attr attr = { .srq_limit = 10 };

	return ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT);
}

static int make_qp(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.cap = { .max_send_wr = 100, .max_send_sge = 4, .max_recv_wr = srq ? 0 : 100,
			 .max_recv_sge = srq ? 0 : 4 },
		.qp_type = IBV_QPT_RC,
	};

	qp = ibv_create_qp(pd, &attr);
	return made(qp);
}

static int modify_qp(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return ibv_modify_qp(qp, &attr, IBV_QP_STATE);
}

static int query_device(void)
{
	struct ibv_device_attr_ex attr;
	struct ibv_port_attr port;

	return ibv_query_device_ex(context, NULL, &attr) ?: ibv_query_port(context, 1, &port);
}

const struct operation object_operations[] = {
	/* If libibverbs cannot open the node, it looks for another one, and fails with ENOENT. */
	{ "a context", {}, open_own, undo, .also = ENOENT },
	{ "end of a context", { open_own }, close_own, undo },
	{ "queries of a device", {}, query_device, undo },
	{ "a PD", {}, make_pd, undo },
	{ "end of a PD", { make_pd }, end_pd, undo },
	{ "an MR", { make_pd }, make_mr, undo },
	{ "end of an MR", { make_pd, make_mr }, end_mr, undo },
	{ "a completion channel", {}, make_channel, undo },
	{ "end of a completion channel", { make_channel }, end_channel, undo },
	{ "a CQ", {}, make_cq, undo },
	{ "a CQ with a channel", { make_channel }, make_cq, undo },
	{ "end of a CQ", { make_channel, make_cq }, end_cq, undo },
	{ "an SRQ", { make_pd }, make_srq, undo },
	{ "limit of an SRQ", { make_pd, make_srq }, limit_srq, undo },
	{ "end of an SRQ", { make_pd, make_srq }, end_srq, undo },
	{ "a QP", { make_pd, make_channel, make_cq }, make_qp, undo },
	{ "a QP with an SRQ", { make_pd, make_channel, make_cq, make_srq }, make_qp, undo },
	{ "change of a QP", { make_pd, make_channel, make_cq, make_qp }, modify_qp, undo },
	{ "end of a QP", { make_pd, make_channel, make_cq, make_qp }, end_qp, undo },
	{ }
};
