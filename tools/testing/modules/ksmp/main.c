// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ksmp.ko: asks the node at the end of a directed route for its NodeInfo, again and again, by an
 * agent of the kernel, while it is loaded.
 *
 *   modprobe ksmp device=ca1 route=1,1,2 window=32 seconds=3
 *   cat /sys/module/ksmp/parameters/rate
 *
 * The route leaves each node by the next port. rate is the number of answers in a second.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_smi.h>
#include <rdma/krdma.h>

KRDMA_NEEDS_IB_CORE;

#define TIMEOUT_MS	1000
#define WINDOW_MAX	1024

static char *device;
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "name of the CA whose port 1 asks");

static unsigned char route[IB_SMP_MAX_PATH_HOPS - 1];
static unsigned int hops;
module_param_array(route, byte, &hops, 0444);
MODULE_PARM_DESC(route, "ports by which the route leaves each node");

static unsigned int window = 32;
module_param(window, uint, 0444);
MODULE_PARM_DESC(window, "requests at a time");

static unsigned int seconds = 3;
module_param(seconds, uint, 0444);
MODULE_PARM_DESC(seconds, "how long to ask");

static unsigned long rate;
module_param(rate, ulong, 0444);
MODULE_PARM_DESC(rate, "answers in a second");

/**
 * struct ksmp - the agent and what it has under way
 * @agent: agent at QP 0
 * @ah: address of SMPs with a directed route
 * @answers: answers that have come
 * @waiting: requests under way
 * @error: why a request was not answered, or not sent again
 * @end: time in jiffies when no request is sent any more
 */
struct ksmp {
	struct ib_mad_agent *agent;
	struct ib_ah *ah;
	atomic_long_t answers;
	atomic_t waiting;
	int error;
	unsigned long end;
};

static void count_answer(struct ib_mad_agent *agent, struct ib_mad_send_buf *request,
			 struct ib_mad_recv_wc *answer)
{
	struct ksmp *k = agent->context;

	atomic_long_inc(&k->answers);
	ib_free_recv_mad(answer);
}

/* Sends a request that was answered again, until the time is over. */
static void ask_again(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct ib_mad_send_buf *request = wc->send_buf;
	struct ksmp *k = agent->context;
	struct ib_smp *smp = request->mad;
	int ret = wc->status == IB_WC_SUCCESS ? 0 : -ETIMEDOUT;

	if (!ret && time_before(jiffies, k->end)) {
		be64_add_cpu(&smp->tid, WINDOW_MAX);
		/* The first step of the route was written to the request. */
		smp->hop_ptr = 0;
		ret = ib_post_send_mad(request, NULL);
		if (!ret)
			return;
	}
	if (ret)
		WRITE_ONCE(k->error, ret);
	ib_free_send_mad(request);
	atomic_dec(&k->waiting);
}

static int ask(struct ksmp *k, u32 tid)
{
	struct ib_mad_send_buf *request;
	struct ib_smp *smp;
	int ret;

	request = ib_create_send_mad(k->agent, 0, 0, 0, IB_MGMT_MAD_HDR, IB_MGMT_MAD_DATA,
				     GFP_KERNEL, IB_MGMT_BASE_VERSION);
	if (IS_ERR(request))
		return PTR_ERR(request);
	request->ah = k->ah;
	request->timeout_ms = TIMEOUT_MS;
	smp = request->mad;
	*smp = (struct ib_smp) {
		.base_version = IB_MGMT_BASE_VERSION,
		.mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE,
		.class_version = 1,
		.method = IB_MGMT_METHOD_GET,
		.hop_cnt = hops,
		.tid = cpu_to_be64((u64)k->agent->hi_tid << 32 | tid),
		.attr_id = IB_SMP_ATTR_NODE_INFO,
		.dr_slid = IB_LID_PERMISSIVE,
		.dr_dlid = IB_LID_PERMISSIVE,
	};
	memcpy(smp->initial_path + 1, route, hops);
	atomic_inc(&k->waiting);
	ret = ib_post_send_mad(request, NULL);
	if (ret) {
		atomic_dec(&k->waiting);
		ib_free_send_mad(request);
	}
	return ret;
}

static int measure(struct ksmp *k)
{
	ktime_t start = ktime_get();
	unsigned int i;
	int ret = 0;

	k->end = jiffies + seconds * HZ;
	for (i = 0; i < window && !ret; i++)
		ret = ask(k, i);
	/* Each request ends, at the latest when its answer has not come in time. */
	while (atomic_read(&k->waiting))
		schedule_timeout_uninterruptible(1);
	rate = div64_s64(atomic_long_read(&k->answers) * NSEC_PER_SEC,
			 ktime_to_ns(ktime_sub(ktime_get(), start)));
	return ret ?: k->error;
}

static int run(struct ib_device *dev)
{
	struct ib_mad_reg_req request = {
		.mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE,
		.mgmt_class_version = 1,
	};
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB, .port_num = 1 };
	struct ksmp k = {};
	int ret;

	k.agent = ib_register_mad_agent(dev, 1, IB_QPT_SMI, &request, 0, ask_again, count_answer,
					&k, 0);
	if (IS_ERR(k.agent))
		return PTR_ERR(k.agent);
	rdma_ah_set_dlid(&attr, be16_to_cpu(IB_LID_PERMISSIVE));
	k.ah = rdma_create_ah(k.agent->qp->pd, &attr);
	if (IS_ERR(k.ah)) {
		ret = PTR_ERR(k.ah);
		goto out;
	}
	ret = measure(&k);
	rdma_destroy_ah(k.ah, 0);
out:
	ib_unregister_mad_agent(k.agent);
	return ret;
}

static int __init ksmp_init(void)
{
	struct ib_device *dev;
	int ret;

	if (!device || !window || window > WINDOW_MAX || !seconds)
		return -EINVAL;
	dev = ib_device_get_by_name(device, RDMA_DRIVER_UNKNOWN);
	if (!dev)
		return -ENODEV;
	ret = run(dev);
	ib_device_put(dev);
	return ret;
}
module_init(ksmp_init);

static void __exit ksmp_exit(void)
{
}
module_exit(ksmp_exit);

MODULE_DESCRIPTION("Measures the rate of SMPs of an agent of the kernel");
MODULE_LICENSE("Dual BSD/GPL");
