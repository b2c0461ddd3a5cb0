// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_user.ko: a fake device, ktu, that processes can open: an InfiniBand device with two ports,
 * whose queues are not shared with processes, so that requests are posted by commands.
 *
 * A request completes at once, and its completion repeats what the provider was given. A request
 * whose wr_id is KTU_BAD is refused. The parameters are read by verbs_test.
 */
#include <linux/module.h>
#include <rdma/krdma.h>

#include "../support/fakedev.h"
#include "kt_user.h"

KRDMA_NEEDS_IB_CORE;

/* The wr_id of a request that is refused with -ENOMEM. */
#define KTU_BAD		0xbad

static struct fakedev *ktu;

/* The fake provider's own operations, which the operations here call. */
static struct ib_device_ops plain;

/* Number of groups that QPs are attached to; a QP counts for each group. */
static atomic_t groups;

struct ktu_ucontext {
	struct ib_ucontext base;
};

static int ktu_alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	return 0;
}

static void ktu_dealloc_ucontext(struct ib_ucontext *context)
{
}

static u32 length_of(const struct ib_sge *sge, int num)
{
	u32 sum = 0;

	while (num--)
		sum += sge++->length;
	return sum;
}

/* Puts the arguments of the operation into members of the completion that have no other use. */
static void repeat_request(struct ib_wc *wc, const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_RDMA_READ:
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		wc->src_qp = rdma_wr(wr)->rkey;
		wc->vendor_err = rdma_wr(wr)->remote_addr;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		wc->src_qp = atomic_wr(wr)->rkey;
		wc->vendor_err = atomic_wr(wr)->compare_add + atomic_wr(wr)->swap;
		break;
	default:
		break;
	}
}

static int ktu_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
			 const struct ib_send_wr **bad)
{
	for (; wr; wr = wr->next) {
		struct ib_wc wc = {
			.wr_id = wr->wr_id,
			.opcode = (enum ib_wc_opcode)wr->opcode,
			.qp = qp,
			.byte_len = length_of(wr->sg_list, wr->num_sge),
			.ex.imm_data = wr->ex.imm_data,
		};

		*bad = wr;
		if (wr->wr_id == KTU_BAD)
			return -ENOMEM;
		if (qp->qp_type == IB_QPT_UD) {
			wc.src_qp = ud_wr(wr)->remote_qpn;
			wc.vendor_err = ud_wr(wr)->remote_qkey;
			wc.slid = rdma_ah_get_dlid(&to_fakedev_ah(ud_wr(wr)->ah)->attr);
		} else {
			repeat_request(&wc, wr);
		}
		if (!fakedev_cq_push(qp->send_cq, &wc, wr->send_flags & IB_SEND_SOLICITED))
			return -ENOMEM;
	}
	return 0;
}

static int ktu_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
			 const struct ib_recv_wr **bad)
{
	for (; wr; wr = wr->next) {
		struct ib_wc wc = {
			.wr_id = wr->wr_id,
			.opcode = IB_WC_RECV,
			.qp = qp,
			.byte_len = length_of(wr->sg_list, wr->num_sge),
		};

		*bad = wr;
		if (wr->wr_id == KTU_BAD || !fakedev_cq_push(qp->recv_cq, &wc, false))
			return -ENOMEM;
	}
	return 0;
}

/* A QP of a process takes its completions with it, because POLL_CQ reads the QP. */
static int ktu_destroy_qp(struct ib_qp *qp, struct ib_udata *udata)
{
	int ret = plain.destroy_qp(qp, udata);

	if (ret)
		return ret;
	if (qp->send_cq)
		fakedev_cq_forget(qp->send_cq, qp);
	if (qp->recv_cq)
		fakedev_cq_forget(qp->recv_cq, qp);
	return 0;
}

static int ktu_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret = plain.attach_mcast(qp, gid, lid);

	if (!ret)
		atomic_inc(&groups);
	return ret;
}

static int ktu_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret = plain.detach_mcast(qp, gid, lid);

	if (!ret)
		atomic_dec(&groups);
	return ret;
}

/* The port can tell of OtherLocalChanges, as its CapabilityMask says. */
static int ktu_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	attr->port_cap_flags = BIT(16) | BIT(26);
	return plain.query_port(ibdev, port, attr);
}

static const struct ib_device_ops ktu_ops = {
	.advise_mr = ktu_advise_mr,
	.alloc_dm = ktu_alloc_dm,
	.alloc_ucontext = ktu_alloc_ucontext,
	.create_counters = ktu_create_counters,
	.create_flow = ktu_create_flow,
	.create_rwq_ind_table = ktu_create_rwq_ind_table,
	.create_wq = ktu_create_wq,
	.dealloc_dm = ktu_dealloc_dm,
	.dealloc_ucontext = ktu_dealloc_ucontext,
	.destroy_counters = ktu_destroy_counters,
	.destroy_flow = ktu_destroy_flow,
	.destroy_flow_action = ktu_destroy_flow_action,
	.destroy_rwq_ind_table = ktu_destroy_rwq_ind_table,
	.destroy_wq = ktu_destroy_wq,
	.modify_wq = ktu_modify_wq,
	.read_counters = ktu_read_counters,
	.reg_dm_mr = ktu_reg_dm_mr,

	INIT_RDMA_OBJ_SIZE(ib_counters, ktu_counters, base),
	INIT_RDMA_OBJ_SIZE(ib_rwq_ind_table, ktu_rwq_ind_table, base),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, ktu_ucontext, base),
};

/* Parameters: numbers of objects, which are differences of two numbers of calls. */
struct difference {
	enum fakedev_op more, less;
};

static const struct difference domains = { FAKEDEV_ALLOC_XRCD, FAKEDEV_DEALLOC_XRCD };
static const struct difference windows = { FAKEDEV_ALLOC_MW, FAKEDEV_DEALLOC_MW };
static const struct difference handles = { FAKEDEV_CREATE_USER_AH, FAKEDEV_DESTROY_AH };

static int successes(enum fakedev_op op)
{
	return fakedev_calls(ktu, op) - atomic_read(&ktu->failures[op]);
}

static int get_difference(char *buffer, const struct kernel_param *param)
{
	const struct difference *difference = param->arg;

	return sysfs_emit(buffer, "%d\n",
			  successes(difference->more) - successes(difference->less));
}

static const struct kernel_param_ops difference_ops = {
	.get = get_difference,
};

static int get_number(char *buffer, const struct kernel_param *param)
{
	return sysfs_emit(buffer, "%d\n", atomic_read((atomic_t *)param->arg));
}

static const struct kernel_param_ops number_ops = {
	.get = get_number,
};

module_param_cb(objects, &number_ops, &ktu_objects, 0444);
MODULE_PARM_DESC(objects, "number of WQs, tables, counters, flows, actions and pieces of memory");
module_param_cb(flow_sum, &number_ops, &ktu_flow_sum, 0444);
MODULE_PARM_DESC(flow_sum, "sum of the specifications of the newest flow");
static const struct kernel_param_ops counters_ops = {
	.set = ktu_attach_counters,
};

/* Operations whose next call can be made fail. */
static const struct {
	const char *name;
	enum fakedev_op op;
} operations[] = {
	{ "query_device", FAKEDEV_QUERY_DEVICE },
	{ "poll_cq", FAKEDEV_POLL_CQ },
	{ "create_user_ah", FAKEDEV_CREATE_USER_AH },
	{ "destroy_ah", FAKEDEV_DESTROY_AH },
	{ "alloc_mw", FAKEDEV_ALLOC_MW },
	{ "dealloc_mw", FAKEDEV_DEALLOC_MW },
	{ "alloc_xrcd", FAKEDEV_ALLOC_XRCD },
	{ "dealloc_xrcd", FAKEDEV_DEALLOC_XRCD },
	{ "create_wq", FAKEDEV_CREATE_WQ },
	{ "destroy_wq", FAKEDEV_DESTROY_WQ },
	{ "create_table", FAKEDEV_CREATE_TABLE },
	{ "destroy_table", FAKEDEV_DESTROY_TABLE },
	{ "alloc_dm", FAKEDEV_ALLOC_DM },
	{ "dealloc_dm", FAKEDEV_DEALLOC_DM },
	{ "reg_dm_mr", FAKEDEV_REG_DM_MR },
	{ "dereg_mr", FAKEDEV_DEREG_MR },
	{ "create_counters", FAKEDEV_CREATE_COUNTERS },
	{ "destroy_counters", FAKEDEV_DESTROY_COUNTERS },
	{ "attach_mcast", FAKEDEV_ATTACH_MCAST },
	{ "detach_mcast", FAKEDEV_DETACH_MCAST },
};

static int set_fail(const char *value, const struct kernel_param *param)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		if (!sysfs_streq(value, operations[i].name))
			continue;
		fakedev_fail(ktu, operations[i].op, 1, -ENOSPC);
		return 0;
	}
	return -EINVAL;
}

static const struct kernel_param_ops fail_ops = {
	.set = set_fail,
};

module_param_cb(fail, &fail_ops, NULL, 0200);
MODULE_PARM_DESC(fail, "name of an operation whose next call fails with ENOSPC");

/* The next region that is destroyed is in use, as one to which a window is bound. */
static int keep_region(const char *value, const struct kernel_param *param)
{
	fakedev_fail(ktu, FAKEDEV_DEREG_MR, 1, -EBUSY);
	return 0;
}

static const struct kernel_param_ops region_ops = {
	.set = keep_region,
};

module_param_cb(keep_region, &region_ops, NULL, 0200);
MODULE_PARM_DESC(keep_region, "the next destruction of a memory region fails");
module_param_cb(attach_counters, &counters_ops, NULL, 0200);
MODULE_PARM_DESC(attach_counters, "number of objects that the newest counters are attached to");
module_param_cb(attached, &number_ops, &groups, 0444);
MODULE_PARM_DESC(attached, "number of multicast groups that QPs are attached to");
module_param_cb(domains, &difference_ops, (void *)&domains, 0444);
MODULE_PARM_DESC(domains, "number of XRC domains");
module_param_cb(windows, &difference_ops, (void *)&windows, 0444);
MODULE_PARM_DESC(windows, "number of memory windows");
module_param_cb(handles, &difference_ops, (void *)&handles, 0444);
MODULE_PARM_DESC(handles, "number of address handles");

static int __init kt_user_init(void)
{
	static const struct fakedev_config config = {
		.name = "ktu",
		.node_type = RDMA_NODE_IB_CA,
		.nr_ports = 2,
		.nr_gids = 2,
		.more_ops = &ktu_ops,
		.driver_def = ktu_definitions,
	};
	struct ib_device *ibdev;

	ktu = fakedev_create(&config);
	if (IS_ERR(ktu))
		return PTR_ERR(ktu);
	ibdev = &ktu->ibdev;
	plain = ibdev->ops;
	ibdev->ops.attach_mcast = ktu_attach_mcast;
	ibdev->ops.detach_mcast = ktu_detach_mcast;
	ibdev->ops.destroy_qp = ktu_destroy_qp;
	ibdev->ops.post_send = ktu_post_send;
	ibdev->ops.post_recv = ktu_post_recv;
	ibdev->ops.query_port = ktu_query_port;
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				  BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
				  BIT_ULL(IB_USER_VERBS_CMD_POST_SRQ_RECV) |
				  BIT_ULL(IB_USER_VERBS_CMD_POLL_CQ) |
				  BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	return 0;
}
module_init(kt_user_init);

static void __exit kt_user_exit(void)
{
	fakedev_destroy(ktu);
}
module_exit(kt_user_exit);

MODULE_DESCRIPTION("A fake InfiniBand device for processes, for tests of ib_uverbs");
MODULE_LICENSE("Dual BSD/GPL");
