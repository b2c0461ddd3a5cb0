// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* A ULP: connects on every iWARP device, and sends a message from registered memory. */
#include <linux/inet.h>
#include <linux/module.h>
#include <linux/scatterlist.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>

static char *peer = "10.0.0.2";
module_param(peer, charp, 0444);

struct hello {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	struct iw_cm_id *id;
	struct scatterlist sg;
	struct ib_cqe cqe;
	struct completion closed;
	char text[64] ____cacheline_aligned;
};

static struct ib_client client;

static void sent(struct ib_cq *cq, struct ib_wc *wc)
{
	pr_info("hello: %s\n", ib_wc_status_msg(wc->status));
}

/* Posts one chain of two requests: the registration takes effect before the send that uses it. */
static int say_hello(struct hello *h)
{
	struct ib_sge sge = { .length = sizeof(h->text) };
	struct ib_send_wr send = {
		.wr_cqe = &h->cqe, .sg_list = &sge, .num_sge = 1,
		.opcode = IB_WR_SEND, .send_flags = IB_SEND_SIGNALED,
	};
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR, .wr.wr_cqe = &h->cqe, .wr.next = &send,
		.mr = h->mr, .access = 0,
	};

	if (ib_map_mr_sg(h->mr, &h->sg, 1, NULL, PAGE_SIZE) != 1)
		return -EINVAL;
	ib_update_fast_reg_key(h->mr, ib_inc_rkey(h->mr->rkey));
	reg.key = h->mr->rkey;
	sge.addr = h->mr->iova;
	sge.lkey = h->mr->lkey;
	return ib_post_send(h->qp, &reg.wr, NULL);
}

static int cm_event(struct iw_cm_id *id, struct iw_cm_event *event)
{
	struct hello *h = id->context;

	if (event->event == IW_CM_EVENT_CONNECT_REPLY && !event->status)
		say_hello(h);
	else if (event->event != IW_CM_EVENT_DISCONNECT)
		complete_all(&h->closed);	/* a failed reply, or CLOSE: the last event */
	return 0;	/* another value would destroy the identifier */
}

static int make_qp(struct hello *h)
{
	struct ib_qp_init_attr init = {
		.send_cq = h->cq, .recv_cq = h->cq,
		.qp_type = IB_QPT_RC, .sq_sig_type = IB_SIGNAL_REQ_WR,
		/* One more than is used in each queue, because ib_drain_qp() posts a request. */
		.cap = { .max_send_wr = 3, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };
	int mask, ret;

	h->qp = ib_create_qp(h->pd, &init);
	if (IS_ERR(h->qp))
		return PTR_ERR(h->qp);
	ret = iw_cm_init_qp_attr(h->id, &attr, &mask);
	return ret ?: ib_modify_qp(h->qp, &attr, mask);
}

static int connect(struct hello *h)
{
	struct iw_cm_conn_param param = { .ird = 1, .ord = 1, .qpn = h->qp->qp_num };

	if (inet_pton_with_scope(&init_net, AF_INET, peer, "7000", &h->id->remote_addr))
		return -EINVAL;
	h->id->local_addr.ss_family = AF_INET;	/* any address, any port */
	return iw_cm_connect(h->id, &param);
}

static void destroy(struct hello *h)
{
	if (!IS_ERR_OR_NULL(h->id) && !iw_cm_disconnect(h->id, 0))
		wait_for_completion_timeout(&h->closed, 10 * HZ);
	if (!IS_ERR_OR_NULL(h->id))
		iw_destroy_cm_id(h->id);	/* no handler after this */
	if (!IS_ERR_OR_NULL(h->qp)) {
		ib_drain_qp(h->qp);		/* no done() after this */
		ib_destroy_qp(h->qp);
	}
	if (!IS_ERR_OR_NULL(h->mr))
		ib_dereg_mr(h->mr);
	if (!IS_ERR_OR_NULL(h->cq))
		ib_free_cq(h->cq);
	if (!IS_ERR_OR_NULL(h->pd))
		ib_dealloc_pd(h->pd);
	if (sg_dma_len(&h->sg))
		ib_dma_unmap_sg(h->dev, &h->sg, 1, DMA_TO_DEVICE);
	kfree(h);
}

static int setup(struct hello *h)
{
	h->pd = ib_alloc_pd(h->dev, 0);
	if (IS_ERR(h->pd))
		return PTR_ERR(h->pd);
	h->cq = ib_alloc_cq_any(h->dev, h, 4, IB_POLL_SOFTIRQ);
	if (IS_ERR(h->cq))
		return PTR_ERR(h->cq);
	h->mr = ib_alloc_mr(h->pd, IB_MR_TYPE_MEM_REG, 2);
	if (IS_ERR(h->mr))
		return PTR_ERR(h->mr);
	h->id = iw_create_cm_id(h->dev, cm_event, h);
	if (IS_ERR(h->id))
		return PTR_ERR(h->id);
	sg_init_one(&h->sg, h->text, sizeof(h->text));
	if (!ib_dma_map_sg(h->dev, &h->sg, 1, DMA_TO_DEVICE))
		return -EIO;
	return make_qp(h) ?: connect(h);
}

static int add(struct ib_device *dev)
{
	struct hello *h;
	int ret;

	if (!rdma_protocol_iwarp(dev, 1))
		return -EOPNOTSUPP;
	h = kzalloc(sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	h->dev = dev;
	h->cqe.done = sent;
	init_completion(&h->closed);
	strscpy(h->text, "hello", sizeof(h->text));
	ret = setup(h);
	if (ret) {
		destroy(h);
		return ret;
	}
	ib_set_client_data(dev, &client, h);
	return 0;
}

static void remove(struct ib_device *dev, void *data)
{
	destroy(data);
}

static struct ib_client client = { .name = "hello", .add = add, .remove = remove };

static int __init hello_init(void)
{
	return ib_register_client(&client);
}
module_init(hello_init);

static void __exit hello_exit(void)
{
	ib_unregister_client(&client);
}
module_exit(hello_exit);

MODULE_LICENSE("Dual BSD/GPL");
