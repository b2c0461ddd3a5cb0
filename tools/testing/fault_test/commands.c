// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The objects that siw does not have, on the device of kt_user.ko, by commands and methods. The end
 * of the file undoes each operation.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "fault_test.h"
#include "tools/testing/lib/command.h"

#define GROUP_LID	0xc001

static int fd = -1, domain_file = -1;
static uint32_t pd, cq, qp, ah, mw, domain, dm, mr, counters;
static struct ib_uverbs_ex_create_wq_resp wq;
static struct ib_uverbs_ex_create_rwq_ind_table_resp table;

/* Turns the negative errno of a command into the errno of an operation. */
static int done(int ret)
{
	return ret < 0 ? -ret : 0;
}

static void close_file(void)
{
	if (fd >= 0)
		close(fd);
	if (domain_file >= 0)
		close(domain_file);
	fd = -1;
	domain_file = -1;
}

static int open_file(void)
{
	fd = open_context(KTU);
	return done(fd);
}

static int open_pd(void)
{
	return open_file() ?: done(make_pd(fd, &pd));
}

static int run_cq(void)
{
	return done(make_cq(fd, -1, &cq));
}

static int open_ud(void)
{
	return open_pd() ?: run_cq() ?: done(make_qp(fd, IBV_QPT_UD, pd, cq, &qp));
}

static int run_ah(void)
{
	return done(make_ah(fd, pd, 1, &ah));
}

static int end_ah(void)
{
	return done(destroy_ah(fd, ah));
}

static int run_mw(void)
{
	return done(make_mw(fd, pd, 2, &mw));
}

static int end_mw(void)
{
	return done(destroy_mw(fd, mw));
}

static int open_domain_file(void)
{
	domain_file = open("/tmp", O_TMPFILE | O_RDWR, 0600);
	return domain_file < 0 ? errno : 0;
}

static int run_domain(void)
{
	return done(open_xrcd(fd, domain_file, O_CREAT, &domain));
}

static int end_domain(void)
{
	return done(close_xrcd(fd, domain));
}

static int run_xrc_srq(void)
{
	struct ib_uverbs_create_xsrq cmd = {
		.pd_handle = pd, .srq_type = IB_UVERBS_SRQT_XRC, .max_wr = 8, .max_sge = 1,
		.xrcd_handle = domain, .cq_handle = cq,
	};
	struct ib_uverbs_create_srq_resp resp;

	return done(asked(fd, CREATE_XSRQ, cmd, resp));
}

/* A target QP belongs to the domain, which is passed in the place of the PD. */
static int run_xrc_qp(void)
{
	uint32_t handle;

	return done(make_qp(fd, IBV_QPT_XRC_RECV, domain, cq, &handle));
}

static int run_wq(void)
{
	return done(make_wq(fd, pd, cq, &wq));
}

static int end_wq(void)
{
	return done(destroy_wq(fd, wq.wq_handle));
}

static int run_table(void)
{
	uint32_t wqs[MAX_TABLE] = { wq.wq_handle };

	return done(make_table(fd, 0, wqs, 16, &table));
}

static int end_table(void)
{
	return done(destroy_table(fd, table.ind_tbl_handle));
}

static int run_dm(void)
{
	return done(alloc_dm(fd, 64, &dm));
}

static int end_dm(void)
{
	return done(free_dm(fd, dm));
}

static int run_dm_mr(void)
{
	return done(reg_dm(fd, pd, dm, 0, 64, IBV_ACCESS_ZERO_BASED, &mr));
}

static int run_counters(void)
{
	return done(make_counters(fd, &counters));
}

static int end_counters(void)
{
	return done(destroy_counters(fd, counters));
}

static int run_attach(void)
{
	return done(join_group(fd, IB_USER_VERBS_CMD_ATTACH_MCAST, qp, 1, GROUP_LID));
}

static int end_attach(void)
{
	return done(join_group(fd, IB_USER_VERBS_CMD_DETACH_MCAST, qp, 1, GROUP_LID));
}

/* Posts a datagram, whose completion is there at once. */
static int run_post(void)
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

	return done(asked(fd, POST_SEND, cmd, resp));
}

static int run_poll(void)
{
	struct ib_uverbs_poll_cq cmd = { .cq_handle = cq, .ne = 1 };
	struct {
		struct ib_uverbs_poll_cq_resp head;
		struct ib_uverbs_wc wc;
	} resp = {};
	int ret = done(asked(fd, POLL_CQ, cmd, resp));

	return ret ? ret : resp.head.count == 1 ? 0 : ENODATA;
}

const struct operation command_operations[] = {
	{ "a file with a context", {}, open_file, close_file },
	{ "an address handle", { open_pd }, run_ah, close_file },
	{ "end of an address handle", { open_pd, run_ah }, end_ah, close_file },
	{ "a window", { open_pd }, run_mw, close_file },
	{ "end of a window", { open_pd, run_mw }, end_mw, close_file },
	{ "an XRC domain", { open_domain_file, open_pd }, run_domain, close_file },
	{ "end of an XRC domain", { open_domain_file, open_pd, run_domain },
	  end_domain, close_file },
	{ "an XRC SRQ", { open_domain_file, open_pd, run_domain, run_cq },
	  run_xrc_srq, close_file },
	{ "an XRC target QP", { open_domain_file, open_pd, run_domain, run_cq },
	  run_xrc_qp, close_file },
	{ "a work queue", { open_pd, run_cq }, run_wq, close_file },
	{ "end of a work queue", { open_pd, run_cq, run_wq }, end_wq, close_file },
	{ "an indirection table", { open_pd, run_cq, run_wq }, run_table, close_file },
	{ "end of an indirection table", { open_pd, run_cq, run_wq, run_table },
	  end_table, close_file },
	{ "memory of the device", { open_pd }, run_dm, close_file },
	{ "end of memory of the device", { open_pd, run_dm }, end_dm, close_file },
	{ "a region of that memory", { open_pd, run_dm }, run_dm_mr, close_file },
	{ "counters", { open_file }, run_counters, close_file },
	{ "end of counters", { open_file, run_counters }, end_counters, close_file },
	{ "a multicast group", { open_ud }, run_attach, close_file },
	{ "end of a multicast group", { open_ud, run_attach }, end_attach, close_file },
	{ "a datagram", { open_ud, run_ah }, run_post, close_file },
	{ "a poll", { open_ud, run_ah, run_post }, run_poll, close_file },
	{ }
};
