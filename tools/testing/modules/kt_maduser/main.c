// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_maduser.ko: what a consumer of management datagrams does, on request, for tests in which
 * allocations fail: two devices come, one asks itself, agents of them exchange messages, and all
 * goes.
 */
#include <linux/module.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include <rdma/krdma.h>
#include <rdma/krdma_mad.h>

#include "../memdev/memdev.h"

KRDMA_NEEDS_IB_CORE;

#define MADUSER_CLASS	IB_MGMT_CLASS_VENDOR_RANGE2_START
#define OFFSET		IB_MGMT_VENDOR_HDR
#define LONG		(100 << 10)	/* bytes of a message of RMPP */

/* An end of the exchange. */
struct maduser {
	struct fakedev *fd;
	struct ib_mad_agent *agent;
	struct completion done;
	int status;
};

static struct maduser ends[2];

static void maduser_sent(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct maduser *u = agent->context;

	u->status = wc->status;
	complete(&u->done);
}

static void maduser_received(struct ib_mad_agent *agent, struct ib_mad_send_buf *send,
			     struct ib_mad_recv_wc *wc)
{
	ib_free_recv_mad(wc);
}

static int start_end(struct maduser *u)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = MADUSER_CLASS, .mgmt_class_version = 1, .oui = { 0x00, 0x14, 0x05 },
	};

	init_completion(&u->done);
	u->fd = memdev_create(NULL);
	if (IS_ERR(u->fd))
		return PTR_ERR(u->fd);
	set_bit(IB_MGMT_METHOD_SEND, req.method_mask);
	u->agent = ib_register_mad_agent(&u->fd->ibdev, 1, IB_QPT_GSI, &req, IB_MGMT_RMPP_VERSION,
					 maduser_sent, maduser_received, u, 0);
	/* ib_mad had no memory for the device, which is there without it. */
	if (u->agent == ERR_PTR(-ENODEV))
		u->agent = ERR_PTR(-ENOMEM);
	if (!IS_ERR(u->agent))
		return 0;
	memdev_destroy(u->fd);
	return PTR_ERR(u->agent);
}

static void stop_end(struct maduser *u)
{
	ib_unregister_mad_agent(u->agent);
	memdev_destroy(u->fd);
}

/* Sends an SMP to the own port, and waits for its end. */
static int post_smp(struct maduser *u, struct ib_mad_send_buf *buf)
{
	struct ib_smp *smp = buf->mad;
	int ret;

	smp->base_version = IB_MGMT_BASE_VERSION;
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->class_version = 1;
	smp->method = IB_MGMT_METHOD_GET;
	smp->tid = cpu_to_be64((u64)buf->mad_agent->hi_tid << 32 | 1);
	smp->attr_id = IB_SMP_ATTR_NODE_INFO;
	smp->dr_slid = IB_LID_PERMISSIVE;
	smp->dr_dlid = IB_LID_PERMISSIVE;
	buf->timeout_ms = 2000;
	buf->retries = 3;
	ret = ib_post_send_mad(buf, NULL);
	if (ret)
		return ret;
	wait_for_completion(&u->done);
	return u->status ? -ENOMEM : 0;
}

/* Asks the own port. A try for which there was no memory is counted, and made up for by another. */
static int ask_self(struct maduser *u)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1 };
	struct ib_device *dev = &u->fd->ibdev;
	struct ib_mad_send_buf *buf;
	struct ib_mad_agent *agent;
	int ret;

	agent = ib_register_mad_agent(dev, 1, IB_QPT_SMI, NULL, 0, maduser_sent, maduser_received,
				      u, 0);
	if (IS_ERR(agent))
		return PTR_ERR(agent);
	buf = ib_create_send_mad(agent, 0, 0, 0, IB_MGMT_MAD_HDR, IB_MGMT_MAD_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	ret = PTR_ERR_OR_ZERO(buf);
	if (ret)
		goto out_agent;
	rdma_ah_set_dlid(&attr, be16_to_cpu(IB_LID_PERMISSIVE));
	buf->ah = rdma_create_ah(agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	ret = PTR_ERR_OR_ZERO(buf->ah);
	if (ret)
		goto out_buf;
	ret = post_smp(u, buf);
	rdma_destroy_ah(buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
	if (krdma_mad_read(dev, 1, KRDMA_MAD_RESENT) != krdma_mad_read(dev, 1, KRDMA_MAD_NO_MEMORY))
		ret = -EPROTO;
out_buf:
	ib_free_send_mad(buf);
out_agent:
	ib_unregister_mad_agent(agent);
	return ret;
}

/* Sends a message to the other end. Tries make up for what is lost for want of memory. */
static int send_message(struct maduser *u, struct maduser *to, int length)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1 };
	struct ib_vendor_mad *mad;
	struct ib_mad_send_buf *buf;
	int ret;

	buf = ib_create_send_mad(u->agent, 1, 0, 1, OFFSET, length, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	rdma_ah_set_dlid(&attr, memdev_lid(&to->fd->ibdev, 1));
	buf->ah = rdma_create_ah(u->agent->qp->pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (IS_ERR(buf->ah)) {
		ret = PTR_ERR(buf->ah);
		goto out;
	}
	mad = buf->mad;
	mad->mad_hdr.base_version = IB_MGMT_BASE_VERSION;
	mad->mad_hdr.mgmt_class = MADUSER_CLASS;
	mad->mad_hdr.class_version = 1;
	mad->mad_hdr.method = IB_MGMT_METHOD_SEND;
	mad->mad_hdr.tid = cpu_to_be64((u64)u->agent->hi_tid << 32 | 1);
	mad->oui[1] = 0x14;
	mad->oui[2] = 0x05;
	/* Without a response: the send ends with the last Ack, for which it waits 2 s each time. */
	buf->retries = 5;
	ret = ib_post_send_mad(buf, NULL);
	if (!ret) {
		wait_for_completion(&u->done);
		/* The provider had no memory for a segment, or the receiver stopped the message. */
		ret = u->status ? -ENOMEM : 0;
	}
	rdma_destroy_ah(buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
out:
	ib_free_send_mad(buf);
	return ret;
}

/* Does all; the value is the length of the message in bytes. */
static int set_exchange(const char *value, const struct kernel_param *param)
{
	unsigned int length;
	int ret;

	ret = kstrtouint(value, 0, &length);
	if (ret)
		return ret;
	if (length > LONG)
		return -EINVAL;
	ret = start_end(&ends[0]);
	if (ret)
		return ret;
	ret = ask_self(&ends[0]);
	if (ret)
		goto out;
	ret = start_end(&ends[1]);
	if (!ret) {
		ret = send_message(&ends[0], &ends[1], length);
		stop_end(&ends[1]);
	}
out:
	stop_end(&ends[0]);
	return ret;
}

static const struct kernel_param_ops exchange_ops = {
	.set = set_exchange,
};

module_param_cb(exchange, &exchange_ops, NULL, 0200);
MODULE_PARM_DESC(exchange, "length of a message that a new device sends to another one");

MODULE_DESCRIPTION("A consumer of management datagrams, for tests in which allocations fail");
MODULE_LICENSE("Dual BSD/GPL");
