// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The objects that siw does not have, on the device of kt_user.ko, by commands and methods. The end
 * of the file undoes each operation.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "fault_test.h"
#include "tools/testing/lib/array.h"
#include "tools/testing/lib/command.h"

#define GROUP_LID	0xc001

static int fd = -1, domain_file = -1;
static uint32_t pd, cq, qp, target, ah, mw, domain, dm, mr, counters;
static struct ib_uverbs_ex_create_wq_resp wq;
static struct ib_uverbs_ex_create_rwq_ind_table_resp table;

enum command_step {
	CMD_CONTEXT = 1, CMD_PD, CMD_CQ, CMD_UD_QP, CMD_AH, CMD_END_AH, CMD_MW, CMD_END_MW,
	CMD_DOMAIN_FILE, CMD_DOMAIN, CMD_END_DOMAIN, CMD_XRC_SRQ, CMD_XRC_QP, CMD_WQ, CMD_END_WQ,
	CMD_TABLE, CMD_END_TABLE, CMD_DM, CMD_END_DM, CMD_DM_MR, CMD_COUNTERS, CMD_END_COUNTERS,
	CMD_ATTACH, CMD_DETACH, CMD_POST, CMD_POLL, CMD_POST_RECV, CMD_OPEN_QP, CMD_RAW_QP,
	CMD_FLOW, CMD_COUNTED_FLOW, CMD_READ_COUNTERS, CMD_ADVISE,
};

static void close_files(void)
{
	if (fd >= 0)
		close(fd);
	if (domain_file >= 0)
		close(domain_file);
	fd = -1;
	domain_file = -1;
}

static int make_xrc_srq(void)
{
	struct ib_uverbs_create_xsrq cmd = {
		.pd_handle = pd, .srq_type = IB_UVERBS_SRQT_XRC, .max_wr = 8, .max_sge = 1,
		.xrcd_handle = domain, .cq_handle = cq,
	};
	struct ib_uverbs_create_srq_resp resp;

	return asked(fd, CREATE_XSRQ, cmd, resp);
}

/* Posts a datagram, whose completion is there at once. */
static int post_datagram(void)
{
	struct {
		struct ib_uverbs_post_send head;
		struct ib_uverbs_send_wr wr;
	} cmd = {
		.head = { .qp_handle = qp, .wr_count = 1, .wqe_size = sizeof(cmd.wr) },
		.wr = { .opcode = IB_UVERBS_WR_SEND, .send_flags = IBV_SEND_SIGNALED,
			.wr.ud = { .ah = ah } },
	};
	struct ib_uverbs_post_send_resp resp;

	return asked(fd, POST_SEND, cmd, resp);
}

static int post_receive(void)
{
	struct {
		struct ib_uverbs_post_recv head;
		struct ib_uverbs_recv_wr wr;
	} cmd = {
		.head = { .qp_handle = qp, .wr_count = 1, .wqe_size = sizeof(cmd.wr) },
	};
	struct ib_uverbs_post_recv_resp resp;

	return asked(fd, POST_RECV, cmd, resp);
}

/* Makes a target QP, which belongs to the domain: the domain is passed in the place of the PD. */
static int make_target(void)
{
	struct ib_uverbs_create_qp cmd = { .pd_handle = domain, .qp_type = IBV_QPT_XRC_RECV };
	struct ib_uverbs_create_qp_resp resp = {};
	int ret = asked(fd, CREATE_QP, cmd, resp);

	target = resp.qpn;
	return ret;
}

static int open_target(void)
{
	struct ib_uverbs_open_qp cmd = {
		.pd_handle = domain, .qpn = target, .qp_type = IBV_QPT_XRC_RECV,
	};
	struct ib_uverbs_create_qp_resp resp;

	return asked(fd, OPEN_QP, cmd, resp);
}

/* Makes a flow with one specification. */
static int make_flow(const void *spec, uint16_t size)
{
	struct {
		struct ib_uverbs_create_flow cmd;
		struct ib_uverbs_flow_spec_action_count longest;
	} flow = {
		.cmd = {
			.qp_handle = qp,
			.flow_attr = { .port = 1, .num_of_specs = 1, .size = size },
		},
	};
	struct ib_uverbs_create_flow_resp resp;

	memcpy(&flow.longest, spec, size);
	return extended(fd, IB_USER_VERBS_EX_CMD_CREATE_FLOW, &flow, sizeof(flow.cmd) + size, &resp,
			sizeof(resp));
}

static int make_dropping_flow(void)
{
	const struct ib_uverbs_flow_spec_hdr drop = { .type = 0x1001, .size = sizeof(drop) };

	return make_flow(&drop, sizeof(drop));
}

/* Makes a flow whose packets are counted, because only counters in use can be read. */
static int make_counted_flow(void)
{
	const struct ib_uverbs_flow_spec_action_count count = {
		.type = 0x1003, .size = sizeof(count), .handle = counters,
	};

	return make_flow(&count, sizeof(count));
}

static int read_values(void)
{
	uint64_t values[16];
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_READ_COUNTERS_HANDLE, 0, counters),
		attr_value(UVERBS_ATTR_READ_COUNTERS_BUFF, sizeof(values), (uintptr_t)values),
		attr_value(UVERBS_ATTR_READ_COUNTERS_FLAGS, 4, 0),
	};

	return method(fd, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ, attrs,
		      ARRAY_SIZE(attrs));
}

static int advise(void)
{
	struct ib_uverbs_sge ranges[4] = {};
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, pd),
		attr_value(UVERBS_ATTR_ADVISE_MR_ADVICE, 8, 0),
		attr_value(UVERBS_ATTR_ADVISE_MR_FLAGS, 4, 0),
		attr_value(UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof(ranges), (uintptr_t)ranges),
	};

	return method(fd, UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, attrs, ARRAY_SIZE(attrs));
}

static int poll_completion(void)
{
	struct ib_uverbs_poll_cq cmd = { .cq_handle = cq, .ne = 1 };
	struct {
		struct ib_uverbs_poll_cq_resp head;
		struct ib_uverbs_wc wc;
	} resp = {};
	int ret = asked(fd, POLL_CQ, cmd, resp);

	return ret ? ret : resp.head.count == 1 ? 0 : -ENODATA;
}

static int do_command(int step)
{
	uint32_t wqs[MAX_TABLE] = { wq.wq_handle };

	switch ((enum command_step)step) {
	case CMD_CONTEXT:
		fd = open_context(KTU);
		return fd < 0 ? fd : 0;
	case CMD_DOMAIN_FILE:
		domain_file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
		return domain_file < 0 ? -errno : 0;
	case CMD_PD:		return make_pd(fd, &pd);
	case CMD_CQ:		return make_cq(fd, -1, &cq);
	case CMD_UD_QP:		return make_qp(fd, IBV_QPT_UD, pd, cq, &qp);
	case CMD_AH:		return make_ah(fd, pd, 1, &ah);
	case CMD_END_AH:	return destroy_ah(fd, ah);
	case CMD_MW:		return make_mw(fd, pd, 2, &mw);
	case CMD_END_MW:	return destroy_mw(fd, mw);
	case CMD_DOMAIN:	return open_xrcd(fd, domain_file, O_CREAT, &domain);
	case CMD_END_DOMAIN:	return close_xrcd(fd, domain);
	case CMD_XRC_SRQ:	return make_xrc_srq();
	case CMD_XRC_QP:	return make_target();
	case CMD_OPEN_QP:	return open_target();
	case CMD_WQ:		return make_wq(fd, pd, cq, &wq);
	case CMD_END_WQ:	return destroy_wq(fd, wq.wq_handle);
	case CMD_TABLE:		return make_table(fd, 0, wqs, 16, &table);
	case CMD_END_TABLE:	return destroy_table(fd, table.ind_tbl_handle);
	case CMD_DM:		return alloc_dm(fd, 64, &dm);
	case CMD_END_DM:	return free_dm(fd, dm);
	case CMD_DM_MR:		return reg_dm(fd, pd, dm, 0, 64, IBV_ACCESS_ZERO_BASED, &mr);
	case CMD_COUNTERS:	return make_counters(fd, &counters);
	case CMD_END_COUNTERS:	return destroy_counters(fd, counters);
	case CMD_ATTACH:
		return join_group(fd, IB_USER_VERBS_CMD_ATTACH_MCAST, qp, 1, GROUP_LID);
	case CMD_DETACH:
		return join_group(fd, IB_USER_VERBS_CMD_DETACH_MCAST, qp, 1, GROUP_LID);
	case CMD_POST:		return post_datagram();
	case CMD_POLL:		return poll_completion();
	case CMD_POST_RECV:	return post_receive();
	case CMD_RAW_QP:	return make_qp(fd, IBV_QPT_RAW_PACKET, pd, cq, &qp);
	case CMD_FLOW:		return make_dropping_flow();
	case CMD_COUNTED_FLOW:	return make_counted_flow();
	case CMD_READ_COUNTERS:	return read_values();
	case CMD_ADVISE:	return advise();
	}
	return -EINVAL;
}

static const struct operation command_operations[] = {
	{ "a file with a context", {}, CMD_CONTEXT },
	{ "an address handle", { CMD_CONTEXT, CMD_PD }, CMD_AH },
	{ "end of an address handle", { CMD_CONTEXT, CMD_PD, CMD_AH }, CMD_END_AH },
	{ "a window", { CMD_CONTEXT, CMD_PD }, CMD_MW },
	{ "end of a window", { CMD_CONTEXT, CMD_PD, CMD_MW }, CMD_END_MW },
	{ "an XRC domain", { CMD_DOMAIN_FILE, CMD_CONTEXT, CMD_PD }, CMD_DOMAIN },
	{ "end of an XRC domain", { CMD_DOMAIN_FILE, CMD_CONTEXT, CMD_PD, CMD_DOMAIN },
	  CMD_END_DOMAIN },
	{ "an XRC SRQ", { CMD_DOMAIN_FILE, CMD_CONTEXT, CMD_PD, CMD_DOMAIN, CMD_CQ }, CMD_XRC_SRQ },
	{ "an XRC target QP", { CMD_DOMAIN_FILE, CMD_CONTEXT, CMD_PD, CMD_DOMAIN, CMD_CQ },
	  CMD_XRC_QP },
	{ "another handle of an XRC target QP",
	  { CMD_DOMAIN_FILE, CMD_CONTEXT, CMD_PD, CMD_DOMAIN, CMD_CQ, CMD_XRC_QP }, CMD_OPEN_QP },
	{ "a work queue", { CMD_CONTEXT, CMD_PD, CMD_CQ }, CMD_WQ },
	{ "end of a work queue", { CMD_CONTEXT, CMD_PD, CMD_CQ, CMD_WQ }, CMD_END_WQ },
	{ "an indirection table", { CMD_CONTEXT, CMD_PD, CMD_CQ, CMD_WQ }, CMD_TABLE },
	{ "end of an indirection table", { CMD_CONTEXT, CMD_PD, CMD_CQ, CMD_WQ, CMD_TABLE },
	  CMD_END_TABLE },
	{ "memory of the device", { CMD_CONTEXT, CMD_PD }, CMD_DM },
	{ "end of memory of the device", { CMD_CONTEXT, CMD_PD, CMD_DM }, CMD_END_DM },
	{ "a region of that memory", { CMD_CONTEXT, CMD_PD, CMD_DM }, CMD_DM_MR },
	{ "counters", { CMD_CONTEXT }, CMD_COUNTERS },
	{ "end of counters", { CMD_CONTEXT, CMD_COUNTERS }, CMD_END_COUNTERS },
	{ "a multicast group", { CMD_CONTEXT, CMD_PD, CMD_CQ, CMD_UD_QP }, CMD_ATTACH },
	{ "end of a multicast group", { CMD_CONTEXT, CMD_PD, CMD_CQ, CMD_UD_QP, CMD_ATTACH },
	  CMD_DETACH },
	{ "values of counters",
	  { CMD_CONTEXT, CMD_PD, CMD_CQ, CMD_RAW_QP, CMD_COUNTERS, CMD_COUNTED_FLOW },
	  CMD_READ_COUNTERS },
	{ "advice", { CMD_CONTEXT, CMD_PD }, CMD_ADVISE },
	{ "a flow", { CMD_CONTEXT, CMD_PD, CMD_CQ, CMD_RAW_QP }, CMD_FLOW },
	{ "a receive request", { CMD_CONTEXT, CMD_PD, CMD_CQ, CMD_UD_QP }, CMD_POST_RECV },
	{ "a datagram", { CMD_CONTEXT, CMD_PD, CMD_CQ, CMD_UD_QP, CMD_AH }, CMD_POST },
	{ "a poll", { CMD_CONTEXT, CMD_PD, CMD_CQ, CMD_UD_QP, CMD_AH, CMD_POST }, CMD_POLL },
	{ }
};

const struct group command_group = { command_operations, do_command, close_files };
