// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Ports: the QPs 0 and 1, their CQ, and the work items that handle everything, one at a time.
 */
#include "mad/port.h"

#include <linux/random.h>

#include "ibwire/smp.h"

enum {
	BATCH = 8,	/* completions that are polled at a time */
	BUDGET = 256,	/* completions until other work items of the port run */
};

struct workqueue_struct *mad_wq;

static void completion_event(struct ib_cq *cq, void *context)
{
	struct mad_port *port = context;

	queue_work(mad_wq, &port->poll);
}

/* Handles completions. Returns false if there are no more, and the CQ is armed. */
static bool poll_cq(struct mad_port *port)
{
	struct ib_wc wcs[BATCH];
	int done = 0, got, i;

	lockdep_assert_held(&port->serial);
	/* An event may have queued the work item after mad_port_close() has waited for it. */
	if (READ_ONCE(port->poll_ended))
		return false;
	do {
		got = ib_poll_cq(port->cq, BATCH, wcs);
		for (i = 0; i < got; i++)
			wcs[i].wr_cqe->done(port->cq, &wcs[i]);
		done += got;
	} while (got == BATCH && done < BUDGET);
	if (got == BATCH)
		return true;
	mad_qp_idle(&port->qps[0]);
	mad_qp_idle(&port->qps[1]);
	return ib_req_notify_cq(port->cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) > 0;
}

static void poll_port(struct work_struct *work)
{
	struct mad_port *port = container_of(work, struct mad_port, poll);

	mutex_lock(&port->serial);
	if (poll_cq(port))
		queue_work(mad_wq, &port->poll);
	mutex_unlock(&port->serial);
}

/* Posts receives for a QP that has lost its last one, and thus gets no completion to do so. */
static void refill_qps(struct work_struct *work)
{
	struct mad_port *port = container_of(work, struct mad_port, refill.work);

	mutex_lock(&port->serial);
	mad_qp_fill(&port->qps[0]);
	mad_qp_fill(&port->qps[1]);
	mutex_unlock(&port->serial);
}

/* Returns how many completions of each QP the CQ, which they share, can have room for. */
static u32 share_of_cq(const struct mad_port *port, bool has_smi)
{
	const u32 most = port->device->attrs.max_cqe > 0 ? port->device->attrs.max_cqe : INT_MAX;

	return most / (has_smi ? 2 : 1);
}

/*
 * Creates the CQ. The CQ of a device in software has room for what is posted at first, and becomes
 * larger when more is posted, because there may be hundreds of such devices. Adapters get the
 * largest CQ at once: not all of their drivers resize a CQ of the kernel.
 */
static int create_cq(struct mad_port *port, bool has_smi, u32 share)
{
	const bool grows = port->device->ops.resize_cq && ib_uses_virt_dma(port->device);
	struct ib_cq_init_attr attr = {};
	int qpn;

	for (qpn = !has_smi; qpn < 2; qpn++)
		attr.cqe += min(MAD_QP_SENDS + mad_qp_sizes[qpn].max, share);
	if (grows)
		attr.cqe = min_t(u32, attr.cqe, MAD_PORT_CQE);
	port->cq = ib_create_cq(port->device, completion_event, NULL, port, &attr);
	if (IS_ERR(port->cq))
		return PTR_ERR(port->cq);
	atomic_set(&port->room, port->cq->cqe);
	return 0;
}

/* Creates the QPs, and has the CQ polled. Returns the first error. */
static int open_qps(struct mad_port *port, bool has_smi, u32 share,
		    void (*receive)(struct mad_recv *recv))
{
	int ret = 0;

	port->qps[0].receive = receive;
	port->qps[1].receive = receive;
	if (has_smi)
		ret = mad_qp_open(&port->qps[0], port, IB_QPT_SMI, share);
	if (!ret)
		ret = mad_qp_open(&port->qps[1], port, IB_QPT_GSI, share);
	/* After an error, too, because mad_port_close() waits until the receives are flushed. */
	queue_work(mad_wq, &port->poll);
	return ret;
}

void mad_port_close(struct mad_port *port)
{
	mad_qp_close(&port->qps[0]);
	mad_qp_close(&port->qps[1]);
	WRITE_ONCE(port->poll_ended, true);
	mad_qp_destroy(&port->qps[0]);
	mad_qp_destroy(&port->qps[1]);
	cancel_work_sync(&port->poll);
	cancel_delayed_work_sync(&port->refill);
	ib_destroy_cq(port->cq);
	cancel_work_sync(&port->poll);
	mutex_lock(&port->serial);
	mad_qp_end(&port->qps[0]);
	mad_qp_end(&port->qps[1]);
	mutex_unlock(&port->serial);
}

void mad_port_end(struct mad_port *port)
{
	ib_dealloc_pd(port->pd);
}

void mad_port_free(struct mad_port *port)
{
	if (!port->owner)
		return;
	xa_destroy(&port->ids);
	mutex_destroy(&port->tables);
	mutex_destroy(&port->serial);
}

int mad_port_open(struct mad_port *port, void (*receive)(struct mad_recv *recv))
{
	const bool has_smi = rdma_cap_ib_smi(port->device, port->num);
	const u32 share = share_of_cq(port, has_smi);
	int ret;

	mutex_init(&port->serial);
	mutex_init(&port->tables);
	INIT_LIST_HEAD(&port->agents);
	xa_init_flags(&port->ids, XA_FLAGS_ALLOC1);
	INIT_WORK(&port->poll, poll_port);
	INIT_DELAYED_WORK(&port->refill, refill_qps);
	/* Numbers that a stranger does not guess at once. */
	port->next_id = get_random_u32() & MAD_PORT_ID_MAX;
	port->pd = ib_alloc_pd(port->device, 0);
	if (IS_ERR(port->pd))
		return PTR_ERR(port->pd);
	ret = create_cq(port, has_smi, share);
	if (ret)
		goto err_pd;
	ret = open_qps(port, has_smi, share, receive);
	if (!ret)
		return 0;
	mad_port_close(port);
err_pd:
	mad_port_end(port);
	return ret;
}

struct smp_node mad_port_node(const struct mad_port *port, u8 in_port)
{
	return (struct smp_node) {
		.is_switch = mad_port_is_switch(port),
		.num_ports = port->device->phys_port_cnt,
		.in_port = in_port,
	};
}

int __init mad_port_init(void)
{
	mad_wq = alloc_workqueue("ib_mad", WQ_UNBOUND | WQ_MEM_RECLAIM, WQ_MAX_ACTIVE);
	return mad_wq ? 0 : -ENOMEM;
}

void mad_port_exit(void)
{
	destroy_workqueue(mad_wq);
}
