// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The ULP: accepts connections and makes some, keeps receives posted, answers some messages, posts
 * the reads and atomic operations of a script, and frees the ends of connections that have ended.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kfuzz/kfuzz.h"

#define SEND_WRS	(KFUZZ_OPS_MAX + 16)
/* One in ANSWER_EVERY receives is answered by a Send of ANSWER_LEN bytes. */
#define ANSWER_EVERY	8
#define ANSWER_LEN	64
/* The first SGE of a receive is short, so that most messages go on in the second one. */
#define FIRST_SGE	100

static void free_end(struct kfuzz_end *end)
{
	struct kfuzz *site = end->site;
	bool service = end->service;

	kfree(end);
	if (!service && atomic_dec_and_test(&site->ends))
		wake_up_all(&site->ends_changed);
}

static void tear_down(struct work_struct *work)
{
	struct kfuzz_end *end = container_of(work, struct kfuzz_end, teardown);
	struct rdma_cm_id *id = end->id;

	if (id->qp) {
		rdma_disconnect(id);
		ib_drain_qp(id->qp);
		rdma_destroy_qp(id);
	}
	rdma_destroy_id(id);
	free_end(end);
}

void kfuzz_end_teardown(struct kfuzz_end *end)
{
	if (!xchg(&end->ending, true))
		queue_work(end->site->wq, &end->teardown);
}

int kfuzz_post_recv(struct kfuzz *site, struct ib_qp *qp)
{
	struct ib_sge sges[] = {
		{ site->recv_dma, FIRST_SGE, site->pd->local_dma_lkey },
		{ site->recv_dma + FIRST_SGE, KFUZZ_RECV_LEN - FIRST_SGE,
		  site->pd->local_dma_lkey },
	};
	struct ib_recv_wr wr = {
		.wr_cqe = qp ? &site->recv_cqe : &site->srq_cqe,
		.sg_list = sges,
		.num_sge = 2,
	};

	return qp ? ib_post_recv(qp, &wr, NULL) : ib_post_srq_recv(site->srq, &wr, NULL);
}

static void answer(struct kfuzz *site, struct ib_qp *qp)
{
	struct ib_sge sge = { site->recv_dma, ANSWER_LEN, site->pd->local_dma_lkey };
	struct ib_send_wr wr = {
		.wr_cqe = &site->send_cqe,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
		.send_flags = IB_SEND_SIGNALED,
	};

	/*
	 * The post fails if the connection has ended or the send queue is full; no answer is due
	 * then.
	 */
	ib_post_send(qp, &wr, NULL);
}

static void received(struct kfuzz *site, const struct ib_wc *wc)
{
	int i;

	for (i = 0; i < KFUZZ_REGIONS && wc->wc_flags & IB_WC_WITH_INVALIDATE; i++)
		if (site->memory[i].mr->rkey == wc->ex.invalidate_rkey)
			set_bit(i, &site->invalidated);
	if (!(++site->received % ANSWER_EVERY))
		answer(site, wc->qp);
}

void kfuzz_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	if (wc->status != IB_WC_SUCCESS)
		return;
	kfuzz_post_recv(cq->cq_context, wc->qp);
	received(cq->cq_context, wc);
}

void kfuzz_srq_done(struct ib_cq *cq, struct ib_wc *wc)
{
	kfuzz_post_recv(cq->cq_context, NULL);
	if (wc->status == IB_WC_SUCCESS)
		received(cq->cq_context, wc);
}

void kfuzz_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
}

static int create_qp(struct kfuzz_end *end, struct ib_pd *pd, struct ib_srq *srq)
{
	struct kfuzz *site = end->site;
	struct ib_qp_init_attr init = {
		.send_cq = site->cq,
		.recv_cq = site->cq,
		.srq = srq,
		.qp_type = IB_QPT_RC,
		.sq_sig_type = IB_SIGNAL_REQ_WR,
		.cap = {
			.max_send_wr = SEND_WRS,
			.max_recv_wr = KFUZZ_RECVS + 1,
			.max_send_sge = 1,
			.max_recv_sge = 2,
		},
	};
	/* rdma_cm grants only reads and writes. All rights include atomic operations. */
	struct ib_qp_attr attr = { .qp_access_flags = KFUZZ_ALL_RIGHTS };
	int i, ret;

	ret = rdma_create_qp(end->id, pd, &init);
	if (!ret)
		ret = ib_modify_qp(end->id->qp, &attr, IB_QP_ACCESS_FLAGS);
	/*
	 * The ends of the service connection need no receives, because neither end sends messages.
	 */
	for (i = 0; i < KFUZZ_RECVS && !srq && !end->service && !ret; i++)
		ret = kfuzz_post_recv(site, end->id->qp);
	return ret;
}

static struct kfuzz_end *new_end(struct kfuzz *site, bool service)
{
	struct kfuzz_end *end = kzalloc(sizeof(*end), GFP_KERNEL);

	if (!end)
		return NULL;
	end->site = site;
	end->service = service;
	init_completion(&end->resolved);
	init_completion(&end->established);
	INIT_WORK(&end->teardown, tear_down);
	if (!service)
		atomic_inc(&site->ends);
	return end;
}

/*
 * Returns whether the request is that of the connection that is being played. The caller has
 * counted its end before, so that the player, which clears the port before it waits for the number
 * of ends to become 0, either sees that end or has cleared the port.
 */
static bool is_played(struct kfuzz *site, const struct rdma_cm_id *id)
{
	/* An address of IPv6 has its port at the same place. */
	const struct sockaddr_in *from = (const void *)&id->route.addr.dst_addr;

	smp_mb(); /* pairs with smp_store_mb() in kfuzz_play() */
	return from->sin_port == READ_ONCE(site->peer_port);
}

/* If an errno is returned, rdma_cm destroys the identifier. */
static int accept(const struct kfuzz_listener *listener, struct rdma_cm_id *id)
{
	struct rdma_conn_param param = {
		.responder_resources = KFUZZ_READS,
		.initiator_depth = KFUZZ_READS,
	};
	bool service = listener->port == KFUZZ_PORT_SERVICE;
	struct kfuzz *site = listener->site;
	struct kfuzz_end *end;
	int ret;

	/* Refuse a second service connection. */
	if (service && site->service[1])
		return -EBUSY;
	end = new_end(site, service);
	if (!end)
		return -ENOMEM;
	if (!service && !is_played(site, id)) {
		atomic_inc(&site->late);
		free_end(end);
		return -ECONNABORTED;
	}
	end->id = id;
	id->context = end;
	ret = create_qp(end, site->pd, listener->port == KFUZZ_PORT_SRQ ? site->srq : NULL);
	if (!ret)
		ret = rdma_accept(id, &param);
	if (!ret) {
		if (service)
			site->service[1] = end;
		return 0;
	}
	if (id->qp) {
		ib_drain_qp(id->qp);
		rdma_destroy_qp(id);
	}
	free_end(end);
	return ret;
}

/* Posts the requests. The peer checks neither its STag nor its address in the requests. */
static void post_ops(struct kfuzz_end *end)
{
	struct kfuzz *site = end->site;
	struct ib_mr *mr = site->memory[KFUZZ_OPEN].mr;
	u32 i;

	for (i = 0; i < end->num_ops; i++) {
		const struct kfuzz_op *op = &end->ops[i];
		struct ib_sge sge = { mr->iova + op->offset, op->len ?: sizeof(u64), mr->lkey };
		struct ib_send_wr wr = {
			.wr_cqe = &site->send_cqe,
			.sg_list = &sge,
			.num_sge = 1,
			.send_flags = IB_SEND_SIGNALED,
		};
		struct ib_rdma_wr read = { .wr = wr, .remote_addr = 0x1000, .rkey = 0x100 };
		struct ib_atomic_wr atomic = { .wr = wr, .remote_addr = 0x1000, .rkey = 0x100 };

		read.wr.opcode = IB_WR_RDMA_READ;
		atomic.wr.opcode = IB_WR_ATOMIC_FETCH_AND_ADD;
		if (ib_post_send(end->id->qp, op->len ? &read.wr : &atomic.wr, NULL))
			return;
	}
}

static void established(struct kfuzz_end *end, int status)
{
	end->status = status;
	if (!status && !end->service)
		end->site->established = true;
	if (!status)
		post_ops(end);
	complete_all(&end->established);
	if (status && !end->service)
		kfuzz_end_teardown(end);
}

int kfuzz_cm_handler(struct rdma_cm_id *id, struct rdma_cm_event *event)
{
	struct kfuzz_end *end = id->context;

	switch (event->event) {
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		/* A request's identifier has the context of its listening identifier. */
		return accept(id->context, id);
	case RDMA_CM_EVENT_ADDR_RESOLVED:
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		complete(&end->resolved);
		break;
	case RDMA_CM_EVENT_ADDR_ERROR:
	case RDMA_CM_EVENT_ROUTE_ERROR:
		end->status = event->status ?: -EHOSTUNREACH;
		complete(&end->resolved);
		break;
	case RDMA_CM_EVENT_ESTABLISHED:
		established(end, 0);
		break;
	case RDMA_CM_EVENT_REJECTED:
	case RDMA_CM_EVENT_UNREACHABLE:
	case RDMA_CM_EVENT_CONNECT_ERROR:
		established(end, -ECONNREFUSED);
		break;
	case RDMA_CM_EVENT_DISCONNECTED:
		if (!end->service)
			kfuzz_end_teardown(end);
		break;
	default:
		break;
	}
	return 0;
}

static int wait_resolved(struct kfuzz_end *end, int ret)
{
	if (ret)
		return ret;
	if (!wait_for_completion_timeout(&end->resolved, KFUZZ_TIMEOUT))
		return -ETIMEDOUT;
	return end->status;
}

struct kfuzz_end *kfuzz_connect(struct kfuzz *site, enum kfuzz_ports port, struct ib_pd *pd,
				const struct kfuzz_op *ops, u32 num_ops)
{
	struct rdma_conn_param param = {
		.responder_resources = KFUZZ_READS,
		.initiator_depth = KFUZZ_READS,
	};
	struct sockaddr_storage addr = kfuzz_addr(site, port);
	int timeout = jiffies_to_msecs(KFUZZ_TIMEOUT);
	struct kfuzz_end *end;
	struct rdma_cm_id *id;
	int ret;

	end = new_end(site, port == KFUZZ_PORT_SERVICE);
	if (!end)
		return ERR_PTR(-ENOMEM);
	if (num_ops)
		memcpy(end->ops, ops, num_ops * sizeof(*ops));
	end->num_ops = num_ops;
	id = rdma_create_id(site->net, kfuzz_cm_handler, end, RDMA_PS_TCP, IB_QPT_RC);
	if (IS_ERR(id)) {
		free_end(end);
		return ERR_CAST(id);
	}
	end->id = id;
	ret = rdma_resolve_addr(id, NULL, (struct sockaddr *)&addr, timeout);
	ret = wait_resolved(end, ret);
	if (!ret)
		ret = wait_resolved(end, rdma_resolve_route(id, timeout));
	if (!ret && id->device != site->dev)
		ret = -ENODEV;
	if (!ret)
		ret = create_qp(end, pd, NULL);
	if (!ret)
		ret = rdma_connect(id, &param);
	if (!ret)
		return end;
	kfuzz_end_teardown(end);
	return ERR_PTR(ret);
}
