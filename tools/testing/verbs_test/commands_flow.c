// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: flows, QPs for raw packets and QPs with an indirection table, on the device of
 * kt_user.ko.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "tools/testing/lib/command.h"
#include "tools/testing/modules/kt_user/action.h"
#include "verbs_test.h"

/* Types of specifications, and the bit of those of a tunnelled packet. */
enum {
	SPEC_ETH = 0x20, SPEC_IPV4 = 0x30, SPEC_IPV6 = 0x31, SPEC_ESP = 0x34, SPEC_TCP = 0x40,
	SPEC_UDP = 0x41, SPEC_VXLAN = 0x50, SPEC_GRE = 0x51, SPEC_MPLS = 0x60,
	SPEC_INNER = 0x100,
	SPEC_TAG = 0x1000, SPEC_DROP = 0x1001, SPEC_ACTION = 0x1002, SPEC_COUNT = 0x1003,
};

#define MAX_SPECS	10
#define SPECS_ROOM	1024

/* A command that makes a flow, with room for specifications. */
struct flow_cmd {
	struct ib_uverbs_create_flow cmd;
	uint8_t specs[SPECS_ROOM];
};

static void start_flow(struct flow_cmd *flow, uint32_t qp)
{
	memset(flow, 0, sizeof(*flow));
	flow->cmd.qp_handle = qp;
	flow->cmd.flow_attr.port = 1;
}

/* Appends a specification with @len bytes behind its header, and returns these. */
static uint8_t *add_spec(struct flow_cmd *flow, uint32_t type, uint16_t len)
{
	struct ib_uverbs_flow_spec_hdr hdr = { .type = type, .size = sizeof(hdr) + len };
	uint8_t *at = flow->specs + flow->cmd.flow_attr.size;

	memcpy(at, &hdr, sizeof(hdr));
	flow->cmd.flow_attr.size += hdr.size;
	flow->cmd.flow_attr.num_of_specs++;
	return at + sizeof(hdr);
}

static void add_number(struct flow_cmd *flow, uint32_t type, uint32_t number)
{
	memcpy(add_spec(flow, type, 8), &number, sizeof(number));
}

/* @len: length of the request, which is a multiple of 8. */
static int create_flow_len(int fd, struct flow_cmd *flow, size_t len, uint32_t *handle)
{
	struct ib_uverbs_create_flow_resp resp = {};
	int ret = extended(fd, IB_USER_VERBS_EX_CMD_CREATE_FLOW, flow, len, &resp, sizeof(resp));

	*handle = resp.flow_handle;
	return ret;
}

static int create_flow(int fd, struct flow_cmd *flow, uint32_t *handle)
{
	size_t len = sizeof(flow->cmd) + flow->cmd.flow_attr.size;

	return create_flow_len(fd, flow, (len + 7) & ~7UL, handle);
}

static int destroy_flow(int fd, uint32_t handle)
{
	struct ib_uverbs_destroy_flow cmd = { .flow_handle = handle };

	return extended(fd, IB_USER_VERBS_EX_CMD_DESTROY_FLOW, &cmd, sizeof(cmd), NULL, 0);
}

static int destroy_flow_by_method(int fd, uint32_t handle)
{
	return destroy_by_method(fd, UVERBS_OBJECT_FLOW, UVERBS_METHOD_FLOW_DESTROY,
				 UVERBS_ATTR_DESTROY_FLOW_HANDLE, handle);
}

static bool open_flows(int *fd, uint32_t *pd, uint32_t *cq, uint32_t *qp)
{
	TRY(*fd = open_context(KTU));
	TRY(make_pd(*fd, pd));
	TRY(make_cq(*fd, -1, cq));
	TRY(make_qp(*fd, IBV_QPT_RAW_PACKET, *pd, *cq, qp));
	return true;
}

/* The provider says by the parameter flow_sum what it was given, see ktu_create_flow(). */
static bool flows(void)
{
	uint32_t pd, cq, qp, ud, rc, first, second;
	struct flow_cmd flow;
	uint8_t *at;
	int fd;

	if (!open_flows(&fd, &pd, &cq, &qp))
		return false;
	TRY(make_qp(fd, IBV_QPT_UD, pd, cq, &ud));
	TRY(make_qp(fd, IBV_QPT_RC, pd, cq, &rc));
	start_flow(&flow, qp);
	TRY(create_flow(fd, &flow, &first));
	EXPECT(0, ktu_count("flow_sum"));
	/* The last type of flows. */
	start_flow(&flow, qp);
	flow.cmd.flow_attr.type = 3;
	TRY(create_flow(fd, &flow, &second));
	TRY(destroy_flow(fd, second));
	start_flow(&flow, ud);
	at = add_spec(&flow, SPEC_ETH, 32);
	at[0] = 7;		/* destination MAC address, and its mask */
	at[16] = 3;
	add_number(&flow, SPEC_TAG, 1000);
	add_spec(&flow, SPEC_DROP, 0);
	TRY(create_flow(fd, &flow, &second));
	EXPECT(SPEC_ETH + 7 * 3 + SPEC_TAG + 1000 + SPEC_DROP, ktu_count("flow_sum"));
	EXPECT(2, ktu_count("objects"));
	EXPECT(-EBUSY, destroy_qp(fd, qp));
	EXPECT(-EBUSY, destroy_qp(fd, ud));
	start_flow(&flow, rc);
	EXPECT(-EINVAL, create_flow(fd, &flow, &first));
	start_flow(&flow, 1000);
	EXPECT(-ENOENT, create_flow(fd, &flow, &first));
	start_flow(&flow, pd);
	EXPECT(-EINVAL, create_flow(fd, &flow, &first));

	TRY(destroy_flow(fd, second));
	EXPECT(-ENOENT, destroy_flow(fd, second));
	EXPECT(-ENOENT, destroy_flow_by_method(fd, second));
	EXPECT(-EINVAL, destroy_flow_by_method(fd, pd));
	TRY(destroy_qp(fd, ud));
	/* The other flow is left to the end of the file. */
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("objects"));
	return true;
}

static bool every_specification(void)
{
	static const struct {
		uint32_t type;
		uint16_t len;
	} layers[MAX_SPECS] = {
		{ SPEC_ETH, 32 }, { SPEC_IPV4, 24 }, { SPEC_UDP, 8 }, { SPEC_VXLAN, 8 },
		{ SPEC_ETH | SPEC_INNER, 32 }, { SPEC_IPV6 | SPEC_INNER, 80 },
		{ SPEC_TCP | SPEC_INNER, 8 }, { SPEC_ESP, 16 }, { SPEC_GRE, 16 }, { SPEC_MPLS, 8 },
	};
	uint32_t pd, cq, qp, handle;
	struct flow_cmd flow;
	int fd, sum = 0;

	if (!open_flows(&fd, &pd, &cq, &qp))
		return false;
	start_flow(&flow, qp);
	for (int i = 0; i < MAX_SPECS; i++) {
		add_spec(&flow, layers[i].type, layers[i].len);
		sum += layers[i].type;
	}
	TRY(create_flow(fd, &flow, &handle));
	EXPECT(sum, ktu_count("flow_sum"));
	TRY(destroy_flow_by_method(fd, handle));
	/* One too many. */
	add_spec(&flow, SPEC_DROP, 0);
	EXPECT(-EINVAL, create_flow(fd, &flow, &handle));
	/* A filter of an older process is shorter, and one of a newer process longer. */
	start_flow(&flow, qp);
	add_spec(&flow, SPEC_ETH, 24)[0] = 9;
	TRY(create_flow(fd, &flow, &handle));
	TRY(destroy_flow(fd, handle));
	start_flow(&flow, qp);
	add_spec(&flow, SPEC_TCP, 16)[4] = 1;
	TRY(create_flow(fd, &flow, &handle));
	TRY(destroy_flow(fd, handle));
	start_flow(&flow, qp);
	add_spec(&flow, SPEC_TCP, 16)[12] = 1;
	EXPECT(-EINVAL, create_flow(fd, &flow, &handle));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("objects"));
	return true;
}

static bool wrong_flows(void)
{
	struct ib_uverbs_flow_attr *attr;
	uint32_t pd, cq, qp, handle;
	struct flow_cmd flow;
	int fd;

	if (!open_flows(&fd, &pd, &cq, &qp))
		return false;
	attr = &flow.cmd.flow_attr;
#define REFUSED(errno, change) do {							\
	start_flow(&flow, qp);								\
	change;										\
	EXPECT(errno, create_flow(fd, &flow, &handle));					\
} while (0)
	REFUSED(-EINVAL, flow.cmd.comp_mask = 1);
	REFUSED(-EINVAL, attr->flags = 8);
	REFUSED(-EINVAL, attr->type = 4);
	REFUSED(-EINVAL, attr->port = 0);
	REFUSED(-EINVAL, attr->port = 3);
	REFUSED(-EINVAL, attr->reserved[0] = 1);
	REFUSED(-EINVAL, attr->reserved[1] = 1);
	REFUSED(-EINVAL, (attr->type = 1, attr->flags = 2));
	REFUSED(-EINVAL, attr->num_of_specs = 1);
	REFUSED(-EINVAL, attr->num_of_specs = 255);
	REFUSED(-EINVAL, (add_spec(&flow, SPEC_ETH, 32), attr->num_of_specs = 0));
	REFUSED(-EINVAL, (add_spec(&flow, SPEC_ETH, 32), attr->num_of_specs = 2));
	REFUSED(-EINVAL, (add_spec(&flow, SPEC_ETH, 32), flow.specs[4] = 0));
	REFUSED(-EINVAL, (add_spec(&flow, SPEC_ETH, 32), flow.specs[4] = 7));
	REFUSED(-EINVAL, (add_spec(&flow, SPEC_ETH, 32), flow.specs[4] = 36));
	REFUSED(-EINVAL, (add_spec(&flow, SPEC_ETH, 32), flow.specs[5] = 255));
	REFUSED(-EINVAL, (add_spec(&flow, SPEC_ETH, 32), flow.specs[6] = 1));
	REFUSED(-EINVAL, add_spec(&flow, SPEC_ETH, 0));
	REFUSED(-EINVAL, add_spec(&flow, SPEC_ETH, 30));
	REFUSED(-EINVAL, add_spec(&flow, 0, 8));
	REFUSED(-EINVAL, add_spec(&flow, 0x22, 8));
	REFUSED(-EINVAL, add_spec(&flow, 0x240, 8));
	REFUSED(-EINVAL, add_spec(&flow, UINT32_MAX, 8));
	REFUSED(-EINVAL, add_spec(&flow, SPEC_TAG, 0));
	REFUSED(-EINVAL, add_spec(&flow, SPEC_TAG, 4));
	REFUSED(-EINVAL, add_spec(&flow, SPEC_TAG, 8)[4] = 1);
	REFUSED(-EINVAL, add_spec(&flow, SPEC_DROP, 8));
	/* Fields of 20 and 24 bits. */
	REFUSED(-EINVAL, add_spec(&flow, SPEC_IPV6, 80)[33] = 0x10);
	REFUSED(-EINVAL, add_spec(&flow, SPEC_IPV6, 80)[73] = 0x10);
	REFUSED(-EINVAL, add_spec(&flow, SPEC_VXLAN, 8)[0] = 1);
	REFUSED(-EINVAL, add_spec(&flow, SPEC_VXLAN, 8)[4] = 1);
	REFUSED(-ENOENT, add_number(&flow, SPEC_COUNT, 1000));
	REFUSED(-EINVAL, add_number(&flow, SPEC_COUNT, pd));
	REFUSED(-ENOENT, add_number(&flow, SPEC_ACTION, 1000));
	REFUSED(-EINVAL, add_number(&flow, SPEC_ACTION, pd));

	/* The request is shorter than its specifications, or longer. */
	start_flow(&flow, qp);
	add_spec(&flow, SPEC_ETH, 32);
	EXPECT(-EINVAL, create_flow_len(fd, &flow, sizeof(flow.cmd) + 32, &handle));
	EXPECT(-EINVAL, create_flow_len(fd, &flow, 16, &handle));
	flow.specs[40] = 1;
	EXPECT(-EOPNOTSUPP, create_flow_len(fd, &flow, sizeof(flow.cmd) + 48, &handle));
	flow.specs[40] = 0;
	TRY(create_flow_len(fd, &flow, sizeof(flow.cmd) + 48, &handle));
	TRY(destroy_flow(fd, handle));
	EXPECT(0, ktu_count("objects"));
	TRY(destroy_qp(fd, qp));
	TRY(destroy_pd(fd, pd));
	return true;
}

static bool counted_flows(void)
{
	struct ib_uverbs_attr counters = attr_value(UVERBS_ATTR_CREATE_COUNTERS_HANDLE, 0, 0);
	uint32_t pd, cq, qp, handle, none;
	struct flow_cmd flow;
	int fd;

	if (!open_flows(&fd, &pd, &cq, &qp))
		return false;
	TRY(method(fd, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE, &counters, 1));
	start_flow(&flow, qp);
	add_number(&flow, SPEC_TAG, 5);
	add_number(&flow, SPEC_COUNT, counters.data);
	add_number(&flow, SPEC_COUNT, counters.data);
	TRY(create_flow(fd, &flow, &handle));
	EXPECT(SPEC_TAG + 5 + 2 * SPEC_COUNT, ktu_count("flow_sum"));
	EXPECT(-EBUSY, destroy_by_method(fd, UVERBS_OBJECT_COUNTERS,
					 UVERBS_METHOD_COUNTERS_DESTROY,
					 UVERBS_ATTR_DESTROY_COUNTERS_HANDLE, counters.data));
	/* A flow that fails behind its first counter leaves the counter as it was. */
	add_spec(&flow, 0, 8);
	EXPECT(-EINVAL, create_flow(fd, &flow, &none));
	TRY(destroy_flow(fd, handle));
	TRY(destroy_by_method(fd, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY,
			      UVERBS_ATTR_DESTROY_COUNTERS_HANDLE, counters.data));
	EXPECT(0, ktu_count("objects"));
	return true;
}

static int make_action(int fd, uint32_t value, uint32_t *handle)
{
	struct ib_uverbs_attr attrs[] = {
		attr_value(KTU_ACTION_HANDLE, 0, 0),
		attr_value(KTU_ACTION_VALUE, sizeof(value), value),
	};
	int ret = method(fd, UVERBS_OBJECT_FLOW_ACTION, KTU_ACTION_CREATE, attrs,
			 ARRAY_SIZE(attrs));

	*handle = attrs[0].data;
	return ret;
}

static int destroy_action(int fd, uint32_t handle)
{
	return destroy_by_method(fd, UVERBS_OBJECT_FLOW_ACTION, UVERBS_METHOD_FLOW_ACTION_DESTROY,
				 UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE, handle);
}

/* Two flows have an action. It stays until both are destroyed. */
static bool flows_with_an_action(void)
{
	uint32_t pd, cq, qp, action, other, first, second;
	struct flow_cmd flow;
	int fd;

	if (!open_flows(&fd, &pd, &cq, &qp))
		return false;
	TRY(make_action(fd, 700, &action));
	TRY(make_action(fd, 20, &other));
	start_flow(&flow, qp);
	add_number(&flow, SPEC_ACTION, action);
	TRY(create_flow(fd, &flow, &first));
	EXPECT(SPEC_ACTION + 700, ktu_count("flow_sum"));
	add_number(&flow, SPEC_ACTION, other);
	TRY(create_flow(fd, &flow, &second));
	EXPECT(2 * SPEC_ACTION + 720, ktu_count("flow_sum"));
	EXPECT(-EBUSY, destroy_action(fd, action));
	TRY(destroy_flow(fd, second));
	EXPECT(-EBUSY, destroy_action(fd, action));
	TRY(destroy_action(fd, other));
	EXPECT(-ENOENT, create_flow(fd, &flow, &second));
	TRY(destroy_flow(fd, first));
	TRY(destroy_action(fd, action));
	EXPECT(-ENOENT, destroy_action(fd, action));
	EXPECT(0, ktu_count("objects"));
	/* What is left to the end of the file is destroyed in the right order. */
	TRY(make_action(fd, 1, &action));
	start_flow(&flow, qp);
	add_number(&flow, SPEC_ACTION, action);
	TRY(create_flow(fd, &flow, &first));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("objects"));
	return true;
}

/* --- QPs --- */

static int make_qp_ex(int fd, struct ib_uverbs_ex_create_qp *cmd, uint32_t *handle)
{
	struct ib_uverbs_ex_create_qp_resp resp = {};
	int ret = extended(fd, IB_USER_VERBS_EX_CMD_CREATE_QP, cmd, sizeof(*cmd), &resp,
			   sizeof(resp));

	*handle = resp.base.qp_handle;
	return ret;
}

static bool qps_with_a_table(void)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp made;
	struct ib_uverbs_ex_create_wq_resp wq;
	uint32_t pd, cq, table, qp, none;
	uint32_t wqs[MAX_TABLE] = {};
	struct ib_uverbs_ex_create_qp cmd;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	TRY(make_wq(fd, pd, cq, &wq));
	wqs[0] = wq.wq_handle;
	TRY(make_table(fd, 0, wqs, 16, &made));
	table = made.ind_tbl_handle;
	cmd = (struct ib_uverbs_ex_create_qp) {
		.pd_handle = pd, .qp_type = IBV_QPT_RAW_PACKET,
		.comp_mask = IB_UVERBS_CREATE_QP_MASK_IND_TABLE, .rwq_ind_tbl_handle = table,
		/* Without a queue of its own, the QP needs no CQ. */
		.send_cq_handle = 1000, .recv_cq_handle = 1000,
	};
	TRY(make_qp_ex(fd, &cmd, &qp));
	EXPECT(-EBUSY, destroy_table(fd, table));
	TRY(destroy_qp(fd, qp));
	cmd.max_send_wr = 4;
	EXPECT(-ENOENT, make_qp_ex(fd, &cmd, &none));
	cmd.send_cq_handle = cq;
	TRY(make_qp_ex(fd, &cmd, &qp));
	TRY(destroy_qp(fd, qp));
	cmd.max_recv_wr = 1;
	EXPECT(-EINVAL, make_qp_ex(fd, &cmd, &none));
	cmd.max_recv_wr = 0;
	cmd.is_srq = 1;
	EXPECT(-EINVAL, make_qp_ex(fd, &cmd, &none));
	cmd.is_srq = 0;
	cmd.rwq_ind_tbl_handle = 1000;
	EXPECT(-ENOENT, make_qp_ex(fd, &cmd, &none));
	cmd.rwq_ind_tbl_handle = cq;
	EXPECT(-EINVAL, make_qp_ex(fd, &cmd, &none));
	cmd.comp_mask = 2;
	EXPECT(-EINVAL, make_qp_ex(fd, &cmd, &none));
	TRY(destroy_table(fd, table));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("objects"));
	return true;
}

/* Drops the capability for the rest of the process. */
static int drop_net_raw(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		return -errno;
	data[0].effective &= ~(1u << CAP_NET_RAW);
	return sys(syscall(SYS_capset, &header, data));
}

static bool without_the_capability(int fd, uint32_t pd, uint32_t cq, uint32_t qp)
{
	struct ib_uverbs_ex_create_qp cmd = {
		.pd_handle = pd, .send_cq_handle = cq, .recv_cq_handle = cq,
		.qp_type = IBV_QPT_UD, .create_flags = 1 << 10,
	};
	struct flow_cmd flow;
	uint32_t none;

	TRY(drop_net_raw());
	/* write() refuses all, because the file was opened with other credentials. */
	commands_by_ioctl = false;
	EXPECT(-EACCES, destroy_qp(fd, qp));
	commands_by_ioctl = true;
	start_flow(&flow, qp);
	EXPECT(-EPERM, create_flow(fd, &flow, &none));
	EXPECT(-EPERM, make_qp(fd, IBV_QPT_RAW_PACKET, pd, cq, &none));
	EXPECT(-EPERM, make_qp_ex(fd, &cmd, &none));
	TRY(make_qp(fd, IBV_QPT_UD, pd, cq, &none));
	return true;
}

/* A process without CAP_NET_RAW makes neither flows nor QPs for raw packets. */
static bool capability(void)
{
	uint32_t pd, cq, qp;
	int fd, status;
	pid_t child;

	if (!open_flows(&fd, &pd, &cq, &qp))
		return false;
	commands_by_ioctl = true;	/* write() refuses changed credentials */
	child = fork();
	if (!child)
		_exit(!without_the_capability(fd, pd, cq, qp));
	commands_by_ioctl = false;
	TRY(sys(child));
	TRY(sys(waitpid(child, &status, 0)));
	EXPECT(0, status);
	TRY(destroy_qp(fd, qp));
	TRY(sys(close(fd)));
	return true;
}

void run_flow_commands(void)
{
	bool by_ioctl = commands_by_ioctl;

	run("flows", flows);
	run("each kind of specification", every_specification);
	run("wrong flows", wrong_flows);
	run("flows that are counted", counted_flows);
	run("flows with an action", flows_with_an_action);
	run("QPs with an indirection table", qps_with_a_table);
	run("flows and raw packets without the capability", capability);
	commands_by_ioctl = by_ioctl;
}
