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

enum object_step {
	OPEN_OWN = 1, CLOSE_OWN, QUERY_DEVICE, MAKE_PD, END_PD, MAKE_MR, END_MR, MAKE_CHANNEL,
	END_CHANNEL, MAKE_CQ, END_CQ, MAKE_SRQ, LIMIT_SRQ, END_SRQ, MAKE_QP, FAIL_QP, END_QP,
	LIST_DEVICES,
};

static int made_object(const void *object)
{
	return object ? 0 : errno ?: EIO;
}

/* Forgets the object whose destruction has returned 0. */
static int ended(void *object, int ret)
{
	void **pointer = object;

	if (!ret)
		*pointer = NULL;
	return ret < 0 ? errno : ret;
}

static int query_device(void)
{
	struct ibv_device_attr_ex attr;
	struct ibv_port_attr port;

	return ibv_query_device_ex(context, NULL, &attr) ?: ibv_query_port(context, 1, &port);
}

/* If libibverbs gets no answer by netlink, it finds the devices in sysfs. */
static int list_devices(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (!list)
		return errno ?: EIO;
	ibv_free_device_list(list);
	return 0;
}

static int do_object(int step)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 500, .max_sge = 4 } };
	struct ibv_qp_init_attr qp_init = {
		.send_cq = cq,
		.recv_cq = cq,
		.srq = srq,
		.cap = { .max_send_wr = 100, .max_send_sge = 4, .max_recv_wr = srq ? 0 : 100,
			 .max_recv_sge = srq ? 0 : 4 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr qp_attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_srq_attr srq_attr = { .srq_limit = 10 };

	switch ((enum object_step)step) {
	case OPEN_OWN:
		own = ibv_open_device(device);
		return made_object(own);
	case MAKE_PD:
		pd = ibv_alloc_pd(context);
		return made_object(pd);
	case MAKE_MR:
		mr = ibv_reg_mr(pd, memory, BYTES,
				IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
		return made_object(mr);
	case MAKE_CHANNEL:
		channel = ibv_create_comp_channel(context);
		return made_object(channel);
	case MAKE_CQ:
		cq = ibv_create_cq(context, 1000, NULL, channel, 0);
		return made_object(cq);
	case MAKE_SRQ:
		srq = ibv_create_srq(pd, &srq_init);
		return made_object(srq);
	case MAKE_QP:
		qp = ibv_create_qp(pd, &qp_init);
		return made_object(qp);
	case QUERY_DEVICE:	return query_device();
	case LIST_DEVICES:	return list_devices();
	case LIMIT_SRQ:		return ibv_modify_srq(srq, &srq_attr, IBV_SRQ_LIMIT);
	case FAIL_QP:		return ibv_modify_qp(qp, &qp_attr, IBV_QP_STATE);
	case CLOSE_OWN:		return ended(&own, ibv_close_device(own));
	case END_PD:		return ended(&pd, ibv_dealloc_pd(pd));
	case END_MR:		return ended(&mr, ibv_dereg_mr(mr));
	case END_CHANNEL:	return ended(&channel, ibv_destroy_comp_channel(channel));
	case END_CQ:		return ended(&cq, ibv_destroy_cq(cq));
	case END_SRQ:		return ended(&srq, ibv_destroy_srq(srq));
	case END_QP:		return ended(&qp, ibv_destroy_qp(qp));
	}
	return EINVAL;
}

static void end_objects(void)
{
	if (qp)
		do_object(END_QP);
	if (srq)
		do_object(END_SRQ);
	if (cq)
		do_object(END_CQ);
	if (channel)
		do_object(END_CHANNEL);
	if (mr)
		do_object(END_MR);
	if (pd)
		do_object(END_PD);
	if (own)
		do_object(CLOSE_OWN);
}

static const struct operation object_operations[] = {
	/* If libibverbs cannot open the node, it looks for another one, and fails with ENOENT. */
	{ "a context", {}, OPEN_OWN, .also = ENOENT },
	{ "end of a context", { OPEN_OWN }, CLOSE_OWN },
	{ "queries of a device", {}, QUERY_DEVICE },
	{ "a list of devices", {}, LIST_DEVICES },
	{ "a PD", {}, MAKE_PD },
	{ "end of a PD", { MAKE_PD }, END_PD },
	{ "an MR", { MAKE_PD }, MAKE_MR },
	{ "end of an MR", { MAKE_PD, MAKE_MR }, END_MR },
	{ "a completion channel", {}, MAKE_CHANNEL },
	{ "end of a completion channel", { MAKE_CHANNEL }, END_CHANNEL },
	{ "a CQ", {}, MAKE_CQ },
	{ "a CQ with a channel", { MAKE_CHANNEL }, MAKE_CQ },
	{ "end of a CQ", { MAKE_CHANNEL, MAKE_CQ }, END_CQ },
	{ "an SRQ", { MAKE_PD }, MAKE_SRQ },
	{ "limit of an SRQ", { MAKE_PD, MAKE_SRQ }, LIMIT_SRQ },
	{ "end of an SRQ", { MAKE_PD, MAKE_SRQ }, END_SRQ },
	{ "a QP", { MAKE_PD, MAKE_CHANNEL, MAKE_CQ }, MAKE_QP },
	{ "a QP with an SRQ", { MAKE_PD, MAKE_CHANNEL, MAKE_CQ, MAKE_SRQ }, MAKE_QP },
	{ "change of a QP", { MAKE_PD, MAKE_CHANNEL, MAKE_CQ, MAKE_QP }, FAIL_QP },
	{ "end of a QP", { MAKE_PD, MAKE_CHANNEL, MAKE_CQ, MAKE_QP }, END_QP },
	{ }
};

const struct group object_group = { object_operations, do_object, end_objects };
