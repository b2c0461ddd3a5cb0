// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: one endpoint of a connection: its objects, what it posts, and its completions.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "verbs_test.h"

#define MAX_INLINE 64

static size_t mapped_size(size_t len)
{
	return (len + PAGE - 1) / PAGE * PAGE + 2 * PAGE;
}

/* Allocates @len bytes with a page before and a page behind them. */
int memory_alloc(uint8_t **mem, size_t len)
{
	void *map = mmap(NULL, mapped_size(len), PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return -errno;
	*mem = (uint8_t *)map + PAGE;
	return 0;
}

void memory_free(uint8_t *mem, size_t len)
{
	if (mem)
		munmap(mem - PAGE, mapped_size(len));
}

static int make_qp(struct endpoint *ep)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = ep->cq,
		.recv_cq = ep->cq,
		.srq = ep->srq,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = QUEUE_DEPTH,
			.max_recv_wr = QUEUE_DEPTH,
			.max_send_sge = 2,
			.max_recv_sge = 2,
			.max_inline_data = MAX_INLINE,
		},
	};

	return sys(rdma_create_qp(ep->id, ep->pd, &attr));
}

int endpoint_create(struct endpoint *ep, size_t len, bool srq)
{
	struct ibv_context *context = ep->id->verbs;
	int ret;

	ep->len = len;
	ret = memory_alloc(&ep->mem, len);
	if (!ret)
		ret = got(ep->pd = ibv_alloc_pd(context));
	if (!ret)
		ret = got(ep->channel = ibv_create_comp_channel(context));
	if (!ret)
		ret = got(ep->cq = ibv_create_cq(context, 4 * QUEUE_DEPTH, ep, ep->channel,
						 0));
	if (!ret)
		ret = got(ep->mr = ibv_reg_mr(ep->pd, ep->mem, len, ALL_RIGHTS));
	if (!ret && srq) {
		struct ibv_srq_init_attr attr = { .attr = { .max_wr = QUEUE_DEPTH, .max_sge = 1 } };

		ret = got(ep->srq = ibv_create_srq(ep->pd, &attr));
	}
	return ret ? ret : make_qp(ep);
}

static int free_objects(struct endpoint *ep)
{
	int ret = 0;

	if (ep->id->qp)
		ret = verbs(ibv_destroy_qp(ep->id->qp));
	ep->id->qp = NULL;
	if (!ret && ep->srq)
		ret = verbs(ibv_destroy_srq(ep->srq));
	if (!ret && ep->mr)
		ret = verbs(ibv_dereg_mr(ep->mr));
	if (!ret && ep->cq)
		ret = verbs(ibv_destroy_cq(ep->cq));
	if (!ret && ep->channel)
		ret = verbs(ibv_destroy_comp_channel(ep->channel));
	if (!ret && ep->pd)
		ret = verbs(ibv_dealloc_pd(ep->pd));
	return ret;
}

int endpoint_free(struct endpoint *ep)
{
	int ret;

	if (!ep->id)
		return 0;
	ret = free_objects(ep);
	if (ret)
		return ret;
	memory_free(ep->mem, ep->len);
	ret = sys(rdma_destroy_id(ep->id));
	*ep = (struct endpoint){};
	return ret;
}

struct ibv_sge sge_of(const struct endpoint *ep, uint32_t offset, uint32_t len)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)ep->mem + offset,
		.length = len,
		.lkey = ep->mr->lkey,
	};
}

int post_recv_sge(struct endpoint *ep, uint64_t wr_id, struct ibv_sge *sge)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = sge, .num_sge = 1 }, *bad;

	if (ep->srq)
		return verbs(ibv_post_srq_recv(ep->srq, &wr, &bad));
	return verbs(ibv_post_recv(ep->id->qp, &wr, &bad));
}

int post_recv(struct endpoint *ep, uint64_t wr_id, uint32_t offset, uint32_t len)
{
	struct ibv_sge sge = sge_of(ep, offset, len);

	return post_recv_sge(ep, wr_id, &sge);
}

int post_request(struct endpoint *ep, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return verbs(ibv_post_send(ep->id->qp, wr, &bad));
}

int post_send(struct endpoint *ep, uint64_t wr_id, uint32_t offset, uint32_t len)
{
	struct ibv_sge sge = sge_of(ep, offset, len);
	struct ibv_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};

	return post_request(ep, &wr);
}

int post_rdma(struct endpoint *ep, uint64_t wr_id, enum ibv_wr_opcode opcode, struct ibv_sge *sge,
	      uint64_t addr, uint32_t rkey)
{
	struct ibv_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = sge,
		.num_sge = 1,
		.opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = addr, .rkey = rkey },
	};

	return post_request(ep, &wr);
}

int poll_one(struct endpoint *ep, struct ibv_wc *wc)
{
	int64_t end = now_ms() + patience_ms();
	int polled;

	do {
		polled = ibv_poll_cq(ep->cq, 1, wc);
		if (polled)
			return polled;
		usleep(200);
	} while (now_ms() < end);
	return 0;
}

bool completes(struct endpoint *ep, uint64_t wr_id, enum ibv_wc_status status, struct ibv_wc *wc)
{
	EXPECT(1, poll_one(ep, wc));
	EXPECT(wr_id, wc->wr_id);
	if (wc->status == status)
		return true;
	printf("# request %llu: %s, expected %s\n", (unsigned long long)wr_id,
	       ibv_wc_status_str(wc->status), ibv_wc_status_str(status));
	return false;
}

enum ibv_qp_state state_of(struct endpoint *ep)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(ep->id->qp, &attr, IBV_QP_STATE, &init))
		return IBV_QPS_UNKNOWN;
	return attr.qp_state;
}
