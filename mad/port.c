// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Ports: the QPs 0 and 1, their CQ, and the workqueue on which everything is handled in order.
 */
#include "mad/port.h"

#include <linux/random.h>

#include "ibwire/smp.h"

enum {
	BATCH = 8,	/* completions that are polled at a time */
	BUDGET = 256,	/* completions until other work items of the port run */
};

static void completion_event(struct ib_cq *cq, void *context)
{
	struct mad_port *port = context;

	queue_work(port->wq, &port->poll);
}

static void poll_cq(struct work_struct *work)
{
	struct mad_port *port = container_of(work, struct mad_port, poll);
	struct ib_wc wcs[BATCH];
	int done = 0, got, i;

	/* An event may have queued the work item after mad_port_close() has waited for it. */
	if (READ_ONCE(port->poll_ended))
		return;
	do {
		got = ib_poll_cq(port->cq, BATCH, wcs);
		for (i = 0; i < got; i++)
			wcs[i].wr_cqe->done(port->cq, &wcs[i]);
		done += got;
	} while (got == BATCH && done < BUDGET);
	if (got < BATCH) {
		mad_qp_idle(&port->qps[0]);
		mad_qp_idle(&port->qps[1]);
		if (ib_req_notify_cq(port->cq, IB_CQ_NEXT_COMP | IB_CQ_REPORT_MISSED_EVENTS) <= 0)
			return;
	}
	queue_work(port->wq, &port->poll);
}

/* Posts receives for a QP that has lost its last one, and thus gets no completion to do so. */
static void refill_qps(struct work_struct *work)
{
	struct mad_port *port = container_of(work, struct mad_port, refill.work);

	mad_qp_fill(&port->qps[0]);
	mad_qp_fill(&port->qps[1]);
}

static int create_cq(struct mad_port *port, bool has_smi)
{
	struct ib_cq_init_attr attr = {
		.cqe = (MAD_QP_SENDS + MAD_QP_RECVS_MAX) * (has_smi ? 2 : 1),
	};

	if (port->device->attrs.max_cqe > 0)
		attr.cqe = min_t(u32, attr.cqe, port->device->attrs.max_cqe);
	port->cq = ib_create_cq(port->device, completion_event, NULL, port, &attr);
	return PTR_ERR_OR_ZERO(port->cq);
}

/* Creates the QPs, and has the CQ polled. Returns the first error. */
static int open_qps(struct mad_port *port, bool has_smi, void (*receive)(struct mad_recv *recv))
{
	int ret = 0;

	port->qps[0].receive = receive;
	port->qps[1].receive = receive;
	if (has_smi)
		ret = mad_qp_open(&port->qps[0], port, IB_QPT_SMI);
	if (!ret)
		ret = mad_qp_open(&port->qps[1], port, IB_QPT_GSI);
	/* After an error, too, because mad_port_close() waits until the receives are flushed. */
	queue_work(port->wq, &port->poll);
	return ret;
}

struct end_work {
	struct work_struct work;
	struct mad_port *port;
};

static void end_qps(struct work_struct *work)
{
	struct mad_port *port = container_of(work, struct end_work, work)->port;

	mad_qp_end(&port->qps[0]);
	mad_qp_end(&port->qps[1]);
}

void mad_port_close(struct mad_port *port)
{
	struct end_work end = { .port = port };

	mad_qp_destroy(&port->qps[0]);
	mad_qp_destroy(&port->qps[1]);
	WRITE_ONCE(port->poll_ended, true);
	cancel_work_sync(&port->poll);
	cancel_delayed_work_sync(&port->refill);
	ib_destroy_cq(port->cq);
	cancel_work_sync(&port->poll);
	INIT_WORK_ONSTACK(&end.work, end_qps);
	queue_work(port->wq, &end.work);
	flush_work(&end.work);
	destroy_work_on_stack(&end.work);
	ib_dealloc_pd(port->pd);
}

void mad_port_free(struct mad_port *port)
{
	if (!port->wq)
		return;
	destroy_workqueue(port->wq);
	xa_destroy(&port->ids);
}

int mad_port_open(struct mad_port *port, void (*receive)(struct mad_recv *recv))
{
	bool has_smi = rdma_cap_ib_smi(port->device, port->num);
	int ret;

	mutex_init(&port->tables);
	INIT_LIST_HEAD(&port->agents);
	xa_init_flags(&port->ids, XA_FLAGS_ALLOC1);
	INIT_WORK(&port->poll, poll_cq);
	INIT_DELAYED_WORK(&port->refill, refill_qps);
	/* Numbers that a stranger does not guess at once. */
	port->next_id = get_random_u32() & MAD_PORT_ID_MAX;
	port->wq = alloc_ordered_workqueue("ib_mad%u", WQ_MEM_RECLAIM, port->num);
	if (!port->wq)
		return -ENOMEM;
	port->pd = ib_alloc_pd(port->device, 0);
	if (IS_ERR(port->pd))
		return PTR_ERR(port->pd);
	ret = create_cq(port, has_smi);
	if (ret)
		goto err_pd;
	ret = open_qps(port, has_smi, receive);
	if (!ret)
		return 0;
	mad_port_close(port);
	return ret;

err_pd:
	ib_dealloc_pd(port->pd);
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
