// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* A provider without a wire: sends complete at once, receives when the QP fails. */
#include <linux/interrupt.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_verbs.h>

#define DEPTH	64

struct null_cq {
	struct ib_cq base;
	spinlock_t lock;	/* protects the fields below; innermost */
	struct ib_wc *ring;
	u32 head, tail;		/* free running */
	bool armed;
	struct tasklet_struct event;
};

struct null_qp {
	struct ib_qp base;
	spinlock_t lock;	/* protects the fields below; a CQ's lock nests in it */
	enum ib_qp_state state;
	u64 recv[DEPTH];	/* wr_id of posted receives */
	u32 head, tail;
};

#define to_cq(p)	container_of(p, struct null_cq, base)
#define to_qp(p)	container_of(p, struct null_qp, base)

static void deliver(struct tasklet_struct *event)
{
	struct null_cq *cq = from_tasklet(cq, event, event);

	if (cq->base.comp_handler)
		cq->base.comp_handler(&cq->base, cq->base.cq_context);
}

static void complete_wr(struct ib_cq *base, struct ib_wc wc)
{
	struct null_cq *cq = to_cq(base);
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	/* A real provider raises IB_EVENT_CQ_ERR. */
	if (!WARN_ON_ONCE(cq->head - cq->tail == base->cqe))
		cq->ring[cq->head++ & (base->cqe - 1)] = wc;
	if (cq->armed)
		tasklet_schedule(&cq->event);
	cq->armed = false;
	spin_unlock_irqrestore(&cq->lock, flags);
}

static int create_cq(struct ib_cq *base, const struct ib_cq_init_attr *attr, struct ib_udata *u)
{
	struct null_cq *cq = to_cq(base);

	base->cqe = roundup_pow_of_two(attr->cqe);
	cq->ring = kvcalloc(base->cqe, sizeof(*cq->ring), GFP_KERNEL);
	spin_lock_init(&cq->lock);
	tasklet_setup(&cq->event, deliver);
	return cq->ring ? 0 : -ENOMEM;
}

static int destroy_cq(struct ib_cq *base, struct ib_udata *u)
{
	tasklet_kill(&to_cq(base)->event);
	kvfree(to_cq(base)->ring);
	return 0;
}

static int poll_cq(struct ib_cq *base, int num, struct ib_wc *wc)
{
	struct null_cq *cq = to_cq(base);
	unsigned long flags;
	int n;

	spin_lock_irqsave(&cq->lock, flags);
	for (n = 0; n < num && cq->tail != cq->head; n++)
		wc[n] = cq->ring[cq->tail++ & (base->cqe - 1)];
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

static int req_notify_cq(struct ib_cq *base, enum ib_cq_notify_flags arm)
{
	struct null_cq *cq = to_cq(base);
	unsigned long flags;
	int missed;

	spin_lock_irqsave(&cq->lock, flags);
	cq->armed = true;
	missed = (arm & IB_CQ_REPORT_MISSED_EVENTS) && cq->head != cq->tail;
	spin_unlock_irqrestore(&cq->lock, flags);
	return missed;
}

static int create_qp(struct ib_qp *base, struct ib_qp_init_attr *attr, struct ib_udata *u)
{
	static atomic_t last_number = ATOMIC_INIT(1);

	if (attr->qp_type != IB_QPT_RC)
		return -EOPNOTSUPP;
	spin_lock_init(&to_qp(base)->lock);
	base->qp_num = atomic_inc_return(&last_number);
	return 0;
}

/* Completes all posted receives. Called with qp->lock held. */
static void flush(struct null_qp *qp)
{
	for (; qp->tail != qp->head; qp->tail++)
		complete_wr(qp->base.recv_cq, (struct ib_wc) {
			.wr_id = qp->recv[qp->tail % DEPTH], .qp = &qp->base,
			.opcode = IB_WC_RECV, .status = IB_WC_WR_FLUSH_ERR });
}

static int modify_qp(struct ib_qp *base, struct ib_qp_attr *attr, int mask, struct ib_udata *u)
{
	struct null_qp *qp = to_qp(base);

	spin_lock_irq(&qp->lock);
	if (mask & IB_QP_STATE)
		qp->state = attr->qp_state;
	if (qp->state == IB_QPS_ERR)
		flush(qp);
	spin_unlock_irq(&qp->lock);
	return 0;
}

static int destroy_qp(struct ib_qp *base, struct ib_udata *u)
{
	return 0;
}

static int post_send(struct ib_qp *base, const struct ib_send_wr *wr, const struct ib_send_wr **bad)
{
	struct null_qp *qp = to_qp(base);
	bool failed = READ_ONCE(qp->state) == IB_QPS_ERR;

	for (; wr; wr = wr->next) {
		if (failed || wr->send_flags & IB_SEND_SIGNALED)
			complete_wr(base->send_cq, (struct ib_wc) {
				.wr_id = wr->wr_id, .qp = base, .opcode = IB_WC_SEND,
				.status = failed ? IB_WC_WR_FLUSH_ERR : IB_WC_SUCCESS });
	}
	return 0;
}

static int post_recv(struct ib_qp *base, const struct ib_recv_wr *wr, const struct ib_recv_wr **bad)
{
	struct null_qp *qp = to_qp(base);
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	for (; wr && qp->head - qp->tail < DEPTH; wr = wr->next)
		qp->recv[qp->head++ % DEPTH] = wr->wr_id;
	if (qp->state == IB_QPS_ERR)
		flush(qp);
	spin_unlock_irqrestore(&qp->lock, flags);
	*bad = wr;
	return wr ? -ENOMEM : 0;
}

static int pd_nothing(struct ib_pd *pd, struct ib_udata *u)
{
	return 0;
}

static struct ib_mr *get_dma_mr(struct ib_pd *pd, int access)
{
	return kzalloc(sizeof(struct ib_mr), GFP_KERNEL) ?: ERR_PTR(-ENOMEM);
}

static int dereg_mr(struct ib_mr *mr, struct ib_udata *u)
{
	kfree(mr);
	return 0;
}

static int query_device(struct ib_device *dev, struct ib_device_attr *attr, struct ib_udata *u)
{
	attr->max_qp_wr = DEPTH;
	attr->max_send_sge = 1;
	attr->max_recv_sge = 1;
	attr->max_cqe = 1024;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	return 0;
}

static int query_port(struct ib_device *dev, u32 port, struct ib_port_attr *attr)
{
	attr->state = IB_PORT_ACTIVE;
	attr->active_width = IB_WIDTH_1X;
	return 0;
}

static int get_port_immutable(struct ib_device *dev, u32 port, struct ib_port_immutable *immutable)
{
	immutable->core_cap_flags = RDMA_CORE_PORT_IWARP;
	return 0;
}

static const struct ib_device_ops ops = {
	.owner = THIS_MODULE,
	.query_device = query_device, .query_port = query_port,
	.get_port_immutable = get_port_immutable,
	.alloc_pd = pd_nothing, .dealloc_pd = pd_nothing,
	.get_dma_mr = get_dma_mr, .dereg_mr = dereg_mr,
	.create_cq = create_cq, .destroy_cq = destroy_cq,
	.poll_cq = poll_cq, .req_notify_cq = req_notify_cq,
	.create_qp = create_qp, .modify_qp = modify_qp, .destroy_qp = destroy_qp,
	.post_send = post_send, .post_recv = post_recv,
	.size_ib_pd = sizeof(struct ib_pd),
	INIT_RDMA_OBJ_SIZE(ib_cq, null_cq, base),
	INIT_RDMA_OBJ_SIZE(ib_qp, null_qp, base),
};

static struct ib_device *dev;

static int __init null_init(void)
{
	int ret;

	dev = _ib_alloc_device(sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	ib_set_device_ops(dev, &ops);
	dev->node_type = RDMA_NODE_RNIC;
	dev->phys_port_cnt = 1;
	dev->num_comp_vectors = 1;
	ret = ib_register_device(dev, "null%d", NULL);
	if (ret)
		ib_dealloc_device(dev);
	return ret;
}
module_init(null_init);

static void __exit null_exit(void)
{
	ib_unregister_device(dev);
	ib_dealloc_device(dev);
}
module_exit(null_exit);

MODULE_LICENSE("Dual BSD/GPL");
