// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: one side of a connection: what it is made of, what it posts, what completes.
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

/* With a page before and one behind. */
int memory_make(uint8_t **mem, size_t len)
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

static int make_srq(struct side *side)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = QUEUE_DEPTH, .max_sge = 1 } };

	return got(side->srq = ibv_create_srq(side->pd, &attr));
}

static int make_qp(struct side *side)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = side->cq,
		.recv_cq = side->cq,
		.srq = side->srq,
		.qp_type = IBV_QPT_RC,
		.cap = {
			.max_send_wr = QUEUE_DEPTH,
			.max_recv_wr = QUEUE_DEPTH,
			.max_send_sge = 2,
			.max_recv_sge = 2,
			.max_inline_data = MAX_INLINE,
		},
	};

	return sys(rdma_create_qp(side->id, side->pd, &attr));
}

int side_make(struct side *side, size_t len, bool srq)
{
	struct ibv_context *context = side->id->verbs;
	int ret;

	side->len = len;
	ret = memory_make(&side->mem, len);
	if (!ret)
		ret = got(side->pd = ibv_alloc_pd(context));
	if (!ret)
		ret = got(side->channel = ibv_create_comp_channel(context));
	if (!ret)
		ret = got(side->cq = ibv_create_cq(context, 4 * QUEUE_DEPTH, side, side->channel,
						   0));
	if (!ret)
		ret = got(side->mr = ibv_reg_mr(side->pd, side->mem, len, ALL_RIGHTS));
	if (!ret && srq)
		ret = make_srq(side);
	return ret ? ret : make_qp(side);
}

static int free_objects(struct side *side)
{
	int ret = 0;

	if (side->id->qp)
		ret = verbs(ibv_destroy_qp(side->id->qp));
	side->id->qp = NULL;
	if (!ret && side->srq)
		ret = verbs(ibv_destroy_srq(side->srq));
	if (!ret && side->mr)
		ret = verbs(ibv_dereg_mr(side->mr));
	if (!ret && side->cq)
		ret = verbs(ibv_destroy_cq(side->cq));
	if (!ret && side->channel)
		ret = verbs(ibv_destroy_comp_channel(side->channel));
	if (!ret && side->pd)
		ret = verbs(ibv_dealloc_pd(side->pd));
	return ret;
}

int side_free(struct side *side)
{
	int ret;

	if (!side->id)
		return 0;
	ret = free_objects(side);
	if (ret)
		return ret;
	memory_free(side->mem, side->len);
	ret = sys(rdma_destroy_id(side->id));
	*side = (struct side){};
	return ret;
}

struct ibv_sge sge_of(const struct side *side, uint32_t offset, uint32_t len)
{
	return (struct ibv_sge){
		.addr = (uintptr_t)side->mem + offset,
		.length = len,
		.lkey = side->mr->lkey,
	};
}

int post_recv_sge(struct side *side, uint64_t wr_id, struct ibv_sge *sge)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id, .sg_list = sge, .num_sge = 1 }, *bad;

	if (side->srq)
		return verbs(ibv_post_srq_recv(side->srq, &wr, &bad));
	return verbs(ibv_post_recv(side->id->qp, &wr, &bad));
}

int post_recv(struct side *side, uint64_t wr_id, uint32_t offset, uint32_t len)
{
	struct ibv_sge sge = sge_of(side, offset, len);

	return post_recv_sge(side, wr_id, &sge);
}

int post_request(struct side *side, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	return verbs(ibv_post_send(side->id->qp, wr, &bad));
}

int post_send(struct side *side, uint64_t wr_id, uint32_t offset, uint32_t len)
{
	struct ibv_sge sge = sge_of(side, offset, len);
	struct ibv_send_wr wr = {
		.wr_id = wr_id,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
	};

	return post_request(side, &wr);
}

int post_rdma(struct side *side, uint64_t wr_id, enum ibv_wr_opcode opcode, struct ibv_sge *sge,
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

	return post_request(side, &wr);
}

int poll_one(struct side *side, struct ibv_wc *wc)
{
	int64_t end = now_ms() + patience_ms();
	int polled;

	do {
		polled = ibv_poll_cq(side->cq, 1, wc);
		if (polled)
			return polled;
		usleep(200);
	} while (now_ms() < end);
	return 0;
}

bool completes(struct side *side, uint64_t wr_id, enum ibv_wc_status status, struct ibv_wc *wc)
{
	EXPECT(1, poll_one(side, wc));
	EXPECT(wr_id, wc->wr_id);
	if (wc->status == status)
		return true;
	printf("# request %llu: %s, not %s\n", (unsigned long long)wr_id,
	       ibv_wc_status_str(wc->status), ibv_wc_status_str(status));
	return false;
}

enum ibv_qp_state state_of(struct side *side)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(side->id->qp, &attr, IBV_QP_STATE, &init))
		return IBV_QPS_UNKNOWN;
	return attr.qp_state;
}
