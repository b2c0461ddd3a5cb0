// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: operations that the provider of kt_user.ko refuses, once each. A creation that fails
 * leaves nothing, and the next one succeeds. A destruction that fails leaves the object as it was.
 * close() tries again what it could not destroy, as long as it destroys anything; so each file has
 * one more PD, to which nothing belongs.
 */
#include <fcntl.h>
#include <unistd.h>

#include "tools/testing/lib/command.h"
#include "verbs_test.h"

/* As in kt_user/main.c: what a refused operation returns. */
#define REFUSED		(-ENOSPC)

/* Expects that a call whose operation @name of the provider is refused fails. */
#define EXPECT_REFUSED(name, call)							\
do {											\
	TRY(ktu_set("fail", (name)));							\
	EXPECT(REFUSED, (call));							\
} while (0)

/* Opens the device, and makes the PD to which nothing belongs. */
static int open_file(void)
{
	int fd = open_context(KTU), ret;
	uint32_t pd;

	if (fd < 0)
		return fd;
	ret = make_pd(fd, &pd);
	return ret ? ret : fd;
}

static bool device_faults(void)
{
	const size_t older = offsetof(struct ib_uverbs_ex_query_device_resp, timestamp_mask);
	struct ib_uverbs_ex_query_device_resp ex_resp;
	struct ib_uverbs_query_device_resp resp;
	struct ib_uverbs_ex_query_device ex = {};
	struct ib_uverbs_query_device cmd = {};
	int fd;

	TRY(fd = open_file());
	EXPECT_REFUSED("query_device", asked(fd, QUERY_DEVICE, cmd, resp));
	TRY(asked(fd, QUERY_DEVICE, cmd, resp));
	EXPECT_REFUSED("query_device", extended(fd, IB_USER_VERBS_EX_CMD_QUERY_DEVICE, &ex,
						sizeof(ex), &ex_resp, sizeof(ex_resp)));
	TRY(extended(fd, IB_USER_VERBS_EX_CMD_QUERY_DEVICE, &ex, sizeof(ex), &ex_resp,
		     sizeof(ex_resp)));
	EXPECT(resp.max_qp, ex_resp.base.max_qp);
	/* An older caller has less room. */
	TRY(extended(fd, IB_USER_VERBS_EX_CMD_QUERY_DEVICE, &ex, sizeof(ex), &ex_resp, older));
	EXPECT(older, ex_resp.response_length);
	return true;
}

static bool handle_faults(void)
{
	uint32_t pd, ah;
	int fd;

	TRY(fd = open_file());
	TRY(make_pd(fd, &pd));
	EXPECT_REFUSED("create_user_ah", make_ah(fd, pd, 1, &ah));
	EXPECT(0, ktu_count("handles"));
	TRY(make_ah(fd, pd, 1, &ah));
	EXPECT_REFUSED("destroy_ah", destroy_ah(fd, ah));
	EXPECT(1, ktu_count("handles"));
	EXPECT(-EBUSY, destroy_pd(fd, pd));
	TRY(destroy_ah(fd, ah));
	TRY(make_ah(fd, pd, 1, &ah));
	TRY(ktu_set("fail", "destroy_ah"));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("handles"));
	return true;
}

static bool window_faults(void)
{
	uint32_t pd, mw;
	int fd;

	TRY(fd = open_file());
	TRY(make_pd(fd, &pd));
	EXPECT_REFUSED("alloc_mw", make_mw(fd, pd, 1, &mw));
	EXPECT(0, ktu_count("windows"));
	TRY(make_mw(fd, pd, 2, &mw));
	EXPECT_REFUSED("dealloc_mw", destroy_mw(fd, mw));
	EXPECT(1, ktu_count("windows"));
	EXPECT(-EBUSY, destroy_pd(fd, pd));
	TRY(destroy_mw(fd, mw));
	EXPECT(-ENOENT, destroy_mw(fd, mw));
	TRY(make_mw(fd, pd, 2, &mw));
	TRY(ktu_set("fail", "dealloc_mw"));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("windows"));
	return true;
}

/* A domain that could not be made is not found by its file. */
static bool domain_faults(void)
{
	uint32_t domain;
	int fd, file;

	TRY(fd = open_file());
	TRY(file = sys(open("/tmp", O_TMPFILE | O_RDWR, 0600)));
	EXPECT_REFUSED("alloc_xrcd", open_xrcd(fd, file, O_CREAT, &domain));
	EXPECT(0, ktu_count("domains"));
	EXPECT(-EAGAIN, open_xrcd(fd, file, 0, &domain));
	TRY(open_xrcd(fd, file, O_CREAT, &domain));
	EXPECT_REFUSED("dealloc_xrcd", close_xrcd(fd, domain));
	EXPECT(1, ktu_count("domains"));
	TRY(close_xrcd(fd, domain));
	EXPECT(-EAGAIN, open_xrcd(fd, file, 0, &domain));
	TRY(open_xrcd(fd, file, O_CREAT, &domain));
	TRY(ktu_set("fail", "dealloc_xrcd"));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("domains"));
	return true;
}

static bool queue_faults(void)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp table;
	uint32_t wqs[MAX_TABLE] = {}, pd, cq;
	struct ib_uverbs_ex_create_wq_resp wq;
	int fd;

	TRY(fd = open_file());
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	EXPECT_REFUSED("create_wq", make_wq(fd, pd, cq, &wq));
	EXPECT(0, ktu_count("objects"));
	TRY(make_wq(fd, pd, cq, &wq));
	EXPECT_REFUSED("destroy_wq", destroy_wq(fd, wq.wq_handle));

	wqs[0] = wq.wq_handle;
	EXPECT_REFUSED("create_table", make_table(fd, 0, wqs, 16, &table));
	EXPECT(1, ktu_count("objects"));
	TRY(make_table(fd, 0, wqs, 16, &table));
	EXPECT_REFUSED("destroy_table", destroy_table(fd, table.ind_tbl_handle));
	EXPECT(-EBUSY, destroy_wq(fd, wq.wq_handle));
	EXPECT(2, ktu_count("objects"));
	TRY(destroy_table(fd, table.ind_tbl_handle));
	TRY(make_table(fd, 0, wqs, 16, &table));
	TRY(ktu_set("fail", "destroy_table"));
	TRY(ktu_set("fail", "destroy_wq"));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("objects"));
	return true;
}

static bool memory_faults(void)
{
	struct ib_uverbs_dereg_mr dereg = {};
	uint32_t pd, dm, mr;
	int fd;

	TRY(fd = open_file());
	TRY(make_pd(fd, &pd));
	EXPECT_REFUSED("alloc_dm", alloc_dm(fd, 64, &dm));
	EXPECT(0, ktu_count("objects"));
	TRY(alloc_dm(fd, 64, &dm));
	EXPECT_REFUSED("reg_dm_mr", reg_dm(fd, pd, dm, 0, 1, IBV_ACCESS_ZERO_BASED, &mr));
	/* The region that was refused does not hold the memory. */
	EXPECT_REFUSED("dealloc_dm", free_dm(fd, dm));
	EXPECT(1, ktu_count("objects"));
	TRY(reg_dm(fd, pd, dm, 0, 1, IBV_ACCESS_ZERO_BASED, &mr));
	dereg.mr_handle = mr;
	EXPECT_REFUSED("dereg_mr", silent(fd, DEREG_MR, dereg));
	EXPECT(-EBUSY, free_dm(fd, dm));
	TRY(silent(fd, DEREG_MR, dereg));
	TRY(ktu_set("fail", "dealloc_dm"));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("objects"));
	return true;
}

static bool counter_faults(void)
{
	uint32_t counters;
	int fd;

	TRY(fd = open_file());
	EXPECT_REFUSED("create_counters", make_counters(fd, &counters));
	EXPECT(0, ktu_count("objects"));
	TRY(make_counters(fd, &counters));
	EXPECT_REFUSED("destroy_counters", destroy_counters(fd, counters));
	EXPECT(1, ktu_count("objects"));
	TRY(destroy_counters(fd, counters));
	TRY(make_counters(fd, &counters));
	TRY(ktu_set("fail", "destroy_counters"));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("objects"));
	return true;
}

static bool group_faults(void)
{
	uint32_t pd, cq, qp;
	int fd;

	TRY(fd = open_file());
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	TRY(make_qp(fd, IBV_QPT_UD, pd, cq, &qp));
	EXPECT_REFUSED("attach_mcast",
		       join_group(fd, IB_USER_VERBS_CMD_ATTACH_MCAST, qp, 1, 0xc001));
	EXPECT(0, ktu_count("attached"));
	TRY(join_group(fd, IB_USER_VERBS_CMD_ATTACH_MCAST, qp, 1, 0xc001));
	EXPECT_REFUSED("detach_mcast",
		       join_group(fd, IB_USER_VERBS_CMD_DETACH_MCAST, qp, 1, 0xc001));
	EXPECT(1, ktu_count("attached"));
	EXPECT(-EBUSY, destroy_qp(fd, qp));
	TRY(join_group(fd, IB_USER_VERBS_CMD_DETACH_MCAST, qp, 1, 0xc001));
	TRY(destroy_qp(fd, qp));
	return true;
}

const struct test provider_fault_tests[] = {
	{ "the provider refuses a query of the device", device_faults },
	{ "the provider refuses address handles", handle_faults },
	{ "the provider refuses windows", window_faults },
	{ "the provider refuses XRC domains", domain_faults },
	{ "the provider refuses work queues and tables", queue_faults },
	{ "the provider refuses memory of the device", memory_faults },
	{ "the provider refuses counters", counter_faults },
	{ "the provider refuses groups", group_faults },
	{}
};
