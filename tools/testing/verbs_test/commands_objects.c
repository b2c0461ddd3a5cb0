// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: work queues, indirection tables, memory of the device, advice and counters, on the
 * device of kt_user.ko.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "tools/testing/lib/command.h"
#include "verbs_test.h"

/* As in kt_user/kt_user.h. */
#define KTU_MEMORY	4096
#define KTU_BAD_LKEY	0xbad

/* --- work queues --- */

static int modify_wq(int fd, uint32_t wq, uint32_t mask, uint32_t from, uint32_t to)
{
	struct ib_uverbs_ex_modify_wq cmd = {
		.wq_handle = wq, .attr_mask = mask, .curr_wq_state = from, .wq_state = to,
	};

	return extended(fd, IB_USER_VERBS_EX_CMD_MODIFY_WQ, &cmd, sizeof(cmd), NULL, 0);
}

/* @event_fd: channel for the events of the work queue; a negative number is not passed. */
static int make_wq_with(int fd, uint32_t pd, uint32_t cq, uint64_t type, uint32_t flags,
			int event_fd, uint32_t *handle)
{
	uint32_t room[3];
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_CREATE_WQ_HANDLE, 0, 0),
		attr_value(UVERBS_ATTR_CREATE_WQ_PD_HANDLE, 0, pd),
		attr_value(UVERBS_ATTR_CREATE_WQ_CQ_HANDLE, 0, cq),
		attr_value(UVERBS_ATTR_CREATE_WQ_USER_HANDLE, 8, 0),
		attr_value(UVERBS_ATTR_CREATE_WQ_TYPE, 8, type),
		attr_value(UVERBS_ATTR_CREATE_WQ_MAX_WR, 4, 100),
		attr_value(UVERBS_ATTR_CREATE_WQ_MAX_SGE, 4, 1),
		attr_value(UVERBS_ATTR_CREATE_WQ_FLAGS, 4, flags),
		attr_value(UVERBS_ATTR_CREATE_WQ_RESP_MAX_WR, 4, (uintptr_t)&room[0]),
		attr_value(UVERBS_ATTR_CREATE_WQ_RESP_MAX_SGE, 4, (uintptr_t)&room[1]),
		attr_value(UVERBS_ATTR_CREATE_WQ_RESP_WQ_NUM, 4, (uintptr_t)&room[2]),
		attr_value(UVERBS_ATTR_CREATE_WQ_EVENT_FD, 0, event_fd),
	};
	int ret = method(fd, UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_CREATE, attrs,
			 ARRAY_SIZE(attrs) - (event_fd < 0));

	*handle = attrs[0].data;
	return ret ? ret : room[0] == 100 ? 0 : -ERANGE;
}

static int make_wq_by_method(int fd, uint32_t pd, uint32_t cq, uint32_t flags, uint32_t *handle)
{
	return make_wq_with(fd, pd, cq, IB_UVERBS_WQT_RQ, flags, -1, handle);
}

static int destroy_wq_by_method(int fd, uint32_t handle)
{
	uint32_t room;
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_DESTROY_WQ_HANDLE, 0, handle),
		attr_value(UVERBS_ATTR_DESTROY_WQ_RESP, 4, (uintptr_t)&room),
	};

	return method(fd, UVERBS_OBJECT_WQ, UVERBS_METHOD_WQ_DESTROY, attrs, ARRAY_SIZE(attrs));
}

static bool work_queues(void)
{
	struct ib_uverbs_ex_create_wq_resp wq, none;
	uint32_t pd, cq, second, room;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	TRY(make_wq(fd, pd, cq, &wq));
	EXPECT(sizeof(wq), wq.response_length);
	EXPECT(8, wq.max_wr);
	EXPECT(-ENOENT, make_wq(fd, 1000, cq, &none));
	EXPECT(-EINVAL, make_wq(fd, pd, pd, &none));
	EXPECT(-EBUSY, destroy_pd(fd, pd));

	TRY(modify_wq(fd, wq.wq_handle, 1, 0, 1));
	EXPECT(-EINVAL, modify_wq(fd, wq.wq_handle, 3, 0, 1));
	TRY(modify_wq(fd, wq.wq_handle, 3, 1, 2));
	TRY(modify_wq(fd, wq.wq_handle, 3, 2, 0));
	EXPECT(-EINVAL, modify_wq(fd, wq.wq_handle, 1, 0, 3));
	EXPECT(-EINVAL, modify_wq(fd, wq.wq_handle, 0, 0, 0));
	EXPECT(-EINVAL, modify_wq(fd, wq.wq_handle, 8, 0, 0));
	EXPECT(-ENOENT, modify_wq(fd, 1000, 1, 0, 1));

	TRY(make_wq_by_method(fd, pd, cq, 1, &second));
	EXPECT(-EINVAL, make_wq_by_method(fd, pd, cq, 1 << 4, &room));
	EXPECT(-EINVAL, make_wq_with(fd, pd, cq, IB_UVERBS_WQT_RQ + 1, 1, -1, &room));
	/* The device file is no channel for events. */
	EXPECT(-EINVAL, make_wq_with(fd, pd, cq, IB_UVERBS_WQT_RQ, 1, fd, &room));
	EXPECT(2, ktu_count("objects"));
	TRY(destroy_wq(fd, wq.wq_handle));
	EXPECT(-ENOENT, destroy_wq(fd, wq.wq_handle));
	EXPECT(-EINVAL, destroy_wq(fd, cq));
	TRY(destroy_wq_by_method(fd, second));
	EXPECT(-ENOENT, destroy_wq_by_method(fd, second));
	EXPECT(0, ktu_count("objects"));
	TRY(destroy_pd(fd, pd));
	return true;
}

/* --- indirection tables --- */

#define MAX_LOG_SIZE	13	/* IB_USER_VERBS_MAX_LOG_IND_TBL_SIZE */

/* The largest table that a command can have, of these work queues, one after the other. */
static bool largest_table(int fd, const struct ib_uverbs_ex_create_wq_resp *wq)
{
	static struct {
		uint32_t comp_mask, log_size;
		uint32_t wqs[1 << MAX_LOG_SIZE];
	} cmd = { .log_size = MAX_LOG_SIZE };
	struct ib_uverbs_ex_create_rwq_ind_table_resp table;

	for (size_t i = 0; i < ARRAY_SIZE(cmd.wqs); i++)
		cmd.wqs[i] = wq[i % MAX_TABLE].wq_handle;
	TRY(extended(fd, IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL, &cmd, sizeof(cmd), &table,
		     sizeof(table)));
	EXPECT(wq[MAX_TABLE - 1].wqn, table.ind_tbl_num);
	TRY(destroy_table(fd, table.ind_tbl_handle));
	return true;
}

static bool indirection_tables(void)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp table, second;
	struct ib_uverbs_ex_create_wq_resp wq[MAX_TABLE];
	uint32_t wqs[MAX_TABLE] = {}, pd, cq;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	for (int i = 0; i < MAX_TABLE; i++) {
		TRY(make_wq(fd, pd, cq, &wq[i]));
		wqs[i] = wq[i].wq_handle;
	}
	TRY(make_table(fd, 4, wqs, 8 + sizeof(wqs), &table));
	EXPECT(wq[MAX_TABLE - 1].wqn, table.ind_tbl_num);
	/* The second table has one WQ, twice. */
	wqs[1] = wqs[0];
	EXPECT(-EOPNOTSUPP, make_table(fd, 1, wqs, 8 + sizeof(wqs), &second));
	TRY(make_table(fd, 1, wqs, 16, &second));
	if (!largest_table(fd, wq))
		return false;
	EXPECT(MAX_TABLE + 2, ktu_count("objects"));
	EXPECT(-EBUSY, destroy_wq(fd, wq[0].wq_handle));

	EXPECT(-EINVAL, make_table(fd, 5, wqs, 8 + sizeof(wqs), &table));
	EXPECT(-EINVAL, make_table(fd, 14, wqs, 8 + sizeof(wqs), &table));
	EXPECT(-EINVAL, make_table(fd, UINT32_MAX, wqs, 8 + sizeof(wqs), &table));
	/* So many that their length overflows to 0. */
	EXPECT(-EINVAL, make_table(fd, 62, wqs, 8, &table));
	EXPECT(-EINVAL, make_table(fd, 63, wqs, 8, &table));
	EXPECT(-EINVAL, make_table(fd, 4, wqs, 8, &table));
	wqs[1] = cq;
	EXPECT(-EINVAL, make_table(fd, 1, wqs, 16, &table));
	wqs[1] = 1000;
	EXPECT(-ENOENT, make_table(fd, 1, wqs, 16, &table));

	TRY(destroy_table(fd, second.ind_tbl_handle));
	EXPECT(-ENOENT, destroy_table(fd, second.ind_tbl_handle));
	EXPECT(-ENOENT, destroy_by_method(fd, UVERBS_OBJECT_RWQ_IND_TBL,
					  UVERBS_METHOD_RWQ_IND_TBL_DESTROY,
					  UVERBS_ATTR_DESTROY_RWQ_IND_TBL_HANDLE,
					  second.ind_tbl_handle));
	EXPECT(-EBUSY, destroy_wq(fd, wq[0].wq_handle));
	/* The other table, and its WQs, are left to the end of the file. */
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("objects"));
	return true;
}

/* --- memory of the device --- */

static bool device_memory(void)
{
	const uint32_t access = IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE;
	struct ib_uverbs_dereg_mr dereg = {};
	uint32_t pd, dm, mr, none;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	EXPECT(-ENOMEM, alloc_dm(fd, KTU_MEMORY + 1, &dm));
	EXPECT(-ENOMEM, alloc_dm(fd, UINT64_MAX, &dm));
	TRY(alloc_dm(fd, KTU_MEMORY, &dm));
	TRY(reg_dm(fd, pd, dm, 100, KTU_MEMORY - 100, access, &mr));
	EXPECT(-EINVAL, reg_dm(fd, pd, dm, 100, KTU_MEMORY - 99, access, &none));
	EXPECT(-EINVAL, reg_dm(fd, pd, dm, KTU_MEMORY + 1, 0, access, &none));
	EXPECT(-EINVAL, reg_dm(fd, pd, dm, UINT64_MAX, 2, access, &none));
	EXPECT(-EINVAL, reg_dm(fd, pd, dm, 0, UINT64_MAX, access, &none));
	EXPECT(-EINVAL, reg_dm(fd, pd, dm, 0, 1, IBV_ACCESS_LOCAL_WRITE, &none));
	EXPECT(-EINVAL, reg_dm(fd, pd, dm, 0, 1,
			       IBV_ACCESS_ZERO_BASED | IBV_ACCESS_REMOTE_WRITE, &none));
	EXPECT(-ENOENT, reg_dm(fd, pd, 1000, 0, 1, access, &none));
	EXPECT(-EINVAL, reg_dm(fd, dm, dm, 0, 1, access, &none));
	EXPECT(-EBUSY, free_dm(fd, dm));

	dereg.mr_handle = mr;
	TRY(silent(fd, DEREG_MR, dereg));
	TRY(free_dm(fd, dm));
	EXPECT(-ENOENT, free_dm(fd, dm));
	TRY(alloc_dm(fd, 1, &dm));
	TRY(reg_dm(fd, pd, dm, 0, 1, access, &mr));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("objects"));
	return true;
}

/*
 * The answer of a registration cannot be written, and a window was bound to the region meanwhile:
 * the region lives as long as the file, without a handle.
 */
static bool region_in_use(void)
{
	const uint32_t access = IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE;
	uint32_t pd, dm, mr;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(alloc_dm(fd, 1, &dm));
	EXPECT(-EFAULT, reg_dm_with_rkey(fd, pd, dm, 0, 1, access, &mr, (void *)8));
	TRY(free_dm(fd, dm));

	TRY(alloc_dm(fd, 1, &dm));
	TRY(ktu_set("keep_region", "1"));
	EXPECT(-EFAULT, reg_dm_with_rkey(fd, pd, dm, 0, 1, access, &mr, (void *)8));
	EXPECT(-EBUSY, free_dm(fd, dm));
	EXPECT(-EBUSY, destroy_pd(fd, pd));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("objects"));
	return true;
}

/* --- advice --- */

#define MAX_RANGES	4096

/* @len: length of the list of ranges, in bytes. */
static int advise(int fd, uint32_t pd, uint64_t advice, uint32_t flags, const void *ranges,
		  uint16_t len)
{
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, pd),
		attr_value(UVERBS_ATTR_ADVISE_MR_ADVICE, 8, advice),
		attr_value(UVERBS_ATTR_ADVISE_MR_FLAGS, 4, flags),
		attr_value(UVERBS_ATTR_ADVISE_MR_SGE_LIST, len, (uintptr_t)ranges),
	};

	return method(fd, UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, attrs, ARRAY_SIZE(attrs));
}

static bool advice(void)
{
	static struct ib_uverbs_sge ranges[MAX_RANGES];
	uint32_t pd, cq;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	TRY(advise(fd, pd, 0, 0, ranges, sizeof(*ranges)));
	TRY(advise(fd, pd, 2, IB_UVERBS_ADVISE_MR_FLAG_FLUSH, ranges, 3 * sizeof(*ranges)));
	TRY(advise(fd, pd, 0, 0, ranges, (MAX_RANGES - 1) * sizeof(*ranges)));
	ranges[2].lkey = KTU_BAD_LKEY;
	EXPECT(-ENOENT, advise(fd, pd, 0, 0, ranges, 3 * sizeof(*ranges)));
	TRY(advise(fd, pd, 0, 0, ranges, 2 * sizeof(*ranges)));
	EXPECT(-EINVAL, advise(fd, pd, 3, 0, ranges, sizeof(*ranges)));
	EXPECT(-EINVAL, advise(fd, pd, UINT64_MAX, 0, ranges, sizeof(*ranges)));
	EXPECT(-EINVAL, advise(fd, pd, 1ull << 32, 0, ranges, sizeof(*ranges)));
	EXPECT(-EINVAL, advise(fd, pd, 0, 2, ranges, sizeof(*ranges)));
	EXPECT(-EINVAL, advise(fd, pd, 0, 0, ranges, 0));
	EXPECT(-EINVAL, advise(fd, pd, 0, 0, ranges, sizeof(*ranges) - 1));
	EXPECT(-EINVAL, advise(fd, pd, 0, 0, ranges, sizeof(*ranges) + 1));
	EXPECT(-EFAULT, advise(fd, pd, 0, 0, (void *)8, sizeof(*ranges)));
	EXPECT(-ENOENT, advise(fd, 1000, 0, 0, ranges, sizeof(*ranges)));
	EXPECT(-EINVAL, advise(fd, cq, 0, 0, ranges, sizeof(*ranges)));
	return true;
}

/* --- counters --- */

static int read_counters_with(int fd, uint32_t handle, uint64_t *values, size_t len,
			      uint16_t flags_len)
{
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_READ_COUNTERS_HANDLE, 0, handle),
		attr_value(UVERBS_ATTR_READ_COUNTERS_BUFF, len, (uintptr_t)values),
		attr_value(UVERBS_ATTR_READ_COUNTERS_FLAGS, flags_len, 1),
	};

	return method(fd, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_READ, attrs,
		      ARRAY_SIZE(attrs));
}

static int read_counters(int fd, uint32_t handle, uint64_t *values, size_t len)
{
	return read_counters_with(fd, handle, values, len, 4);
}

static bool counters(void)
{
	uint64_t values[8] = {};
	uint32_t handle;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_counters(fd, &handle));
	EXPECT(-EINVAL, read_counters(fd, handle, values, sizeof(values)));
	TRY(ktu_set("attach_counters", "1"));
	TRY(read_counters(fd, handle, values, sizeof(values)));
	for (int i = 0; i < 8; i++)
		EXPECT(100 + i, values[i]);
	/* Flags are a number of 32 or of 64 bits. */
	for (uint16_t len = 1; len <= 8; len++)
		EXPECT(len == 4 || len == 8 ? 0 : -EINVAL,
		       read_counters_with(fd, handle, values, sizeof(values), len));
	values[2] = 1;
	TRY(read_counters(fd, handle, values, 2 * sizeof(values[0])));
	EXPECT(1, values[2]);
	EXPECT(-EINVAL, read_counters(fd, handle, values, 4));
	EXPECT(-ENOENT, read_counters(fd, 1000, values, sizeof(values)));
	EXPECT(-EFAULT, read_counters(fd, handle, (void *)8, sizeof(values)));
	EXPECT(-EBUSY, destroy_counters(fd, handle));
	TRY(ktu_set("attach_counters", "0"));
	TRY(destroy_counters(fd, handle));
	EXPECT(-ENOENT, destroy_counters(fd, handle));
	EXPECT(0, ktu_count("objects"));
	return true;
}

bool objects_are_refused(int fd, uint32_t pd)
{
	struct ib_uverbs_ex_create_rwq_ind_table_resp table;
	struct ib_uverbs_ex_create_wq_resp wq;
	uint32_t wqs[MAX_TABLE] = {}, handle;
	uint64_t flow[16] = {};

	EXPECT(-EOPNOTSUPP, make_wq(fd, pd, pd, &wq));
	EXPECT(-ENOENT, destroy_wq(fd, 1000));
	EXPECT(-EOPNOTSUPP, make_wq_by_method(fd, pd, pd, 0, &handle));
	EXPECT(-EOPNOTSUPP, make_table(fd, 0, wqs, 16, &table));
	EXPECT(-ENOENT, destroy_table(fd, 1000));
	EXPECT(-EOPNOTSUPP, alloc_dm(fd, 1, &handle));
	EXPECT(-EOPNOTSUPP, reg_dm(fd, pd, pd, 0, 1, IBV_ACCESS_ZERO_BASED, &handle));
	EXPECT(-EOPNOTSUPP, advise(fd, pd, 0, 0, wqs, sizeof(struct ib_uverbs_sge)));
	EXPECT(-EOPNOTSUPP, make_counters(fd, &handle));
	EXPECT(-EOPNOTSUPP, read_counters(fd, 1000, flow, sizeof(flow)));
	EXPECT(-EOPNOTSUPP, extended(fd, IB_USER_VERBS_EX_CMD_CREATE_FLOW, flow, sizeof(flow),
				     flow, sizeof(flow)));
	EXPECT(-EOPNOTSUPP, extended(fd, IB_USER_VERBS_EX_CMD_DESTROY_FLOW, flow, 8, NULL, 0));
	EXPECT(-EOPNOTSUPP, destroy_by_method(fd, UVERBS_OBJECT_FLOW, UVERBS_METHOD_FLOW_DESTROY,
					      UVERBS_ATTR_DESTROY_FLOW_HANDLE, 1000));
	EXPECT(-EOPNOTSUPP, destroy_by_method(fd, UVERBS_OBJECT_FLOW_ACTION,
					      UVERBS_METHOD_FLOW_ACTION_DESTROY,
					      UVERBS_ATTR_DESTROY_FLOW_ACTION_HANDLE, 1000));
	return true;
}

/*
 * Extended requests with a bit that nobody knows, of too few bytes, and with more behind what is
 * known. Each is right but for one byte, or refused later with another errno: no object exists.
 */
static bool unknown_fields(void)
{
	static const struct {
		uint32_t number;
		size_t len, at;
		int want;
	} rows[] = {
#define NUMBER(name)	IB_USER_VERBS_EX_CMD_##name
#define SIZE(type)	sizeof(struct ib_uverbs_ex_##type)
#define FIELD(name, type, field, want)							\
	{ NUMBER(name), SIZE(type), offsetof(struct ib_uverbs_ex_##type, field), want }
		FIELD(CREATE_CQ, create_cq, comp_mask, -EINVAL),
		FIELD(CREATE_CQ, create_cq, reserved, -EINVAL),
		FIELD(MODIFY_CQ, modify_cq, reserved, -EINVAL),
		FIELD(QUERY_DEVICE, query_device, comp_mask, -EINVAL),
		FIELD(QUERY_DEVICE, query_device, reserved, -EINVAL),
		FIELD(CREATE_QP, create_qp, reserved, -EINVAL),
		FIELD(CREATE_WQ, create_wq, comp_mask, -EOPNOTSUPP),
		FIELD(DESTROY_WQ, destroy_wq, comp_mask, -EOPNOTSUPP),
		{ NUMBER(CREATE_RWQ_IND_TBL), 16, 0, -EOPNOTSUPP },
		FIELD(DESTROY_RWQ_IND_TBL, destroy_rwq_ind_table, comp_mask, -EOPNOTSUPP),
		{ NUMBER(DESTROY_FLOW), sizeof(struct ib_uverbs_destroy_flow), 0, -EINVAL },
		/* Too short. */
		{ NUMBER(CREATE_CQ), 24, 24, -EINVAL },
		{ NUMBER(CREATE_QP), 48, 48, -EINVAL },
		{ NUMBER(CREATE_WQ), 24, 24, -EINVAL },
		{ NUMBER(MODIFY_QP), 104, 104, -EINVAL },
		/* Too long. */
		{ NUMBER(DESTROY_WQ), SIZE(destroy_wq) + 8, SIZE(destroy_wq), -EOPNOTSUPP },
		{ NUMBER(DESTROY_FLOW), sizeof(struct ib_uverbs_destroy_flow) + 8,
		  sizeof(struct ib_uverbs_destroy_flow), -EOPNOTSUPP },
		{ NUMBER(QUERY_DEVICE), SIZE(query_device) + 8, SIZE(query_device) + 7,
		  -EOPNOTSUPP },
	};
	uint8_t response[512];
	int fd;

	TRY(fd = open_context(KTU));
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		bool is_silent = rows[i].number == NUMBER(MODIFY_CQ) ||
				 rows[i].number == NUMBER(DESTROY_FLOW) ||
				 rows[i].number == NUMBER(DESTROY_RWQ_IND_TBL);
		union {
			struct ib_uverbs_ex_create_cq create_cq;
			struct ib_uverbs_ex_modify_cq modify_cq;
			uint8_t bytes[256];
		} request = {};

		if (rows[i].number == NUMBER(CREATE_CQ)) {
			request.create_cq.cqe = 4;
			request.create_cq.comp_channel = -1;
		}
		if (rows[i].number == NUMBER(MODIFY_CQ))
			request.modify_cq.attr_mask = IBV_CQ_ATTR_MODERATE;
		request.bytes[rows[i].at] = 1;
		EXPECT(rows[i].want, extended(fd, rows[i].number, &request, rows[i].len, response,
					      is_silent ? 0 : sizeof(response)));
	}
	EXPECT(0, ktu_count("objects"));
	return true;
}

/*
 * Plain requests by ioctl() with a byte behind what is known. By write(), what follows is data for
 * the provider.
 */
static bool longer_requests(void)
{
	static const struct {
		uint32_t number;
		size_t len;
	} rows[] = {
		{ IB_USER_VERBS_CMD_QUERY_PORT, sizeof(struct ib_uverbs_query_port) },
		{ IB_USER_VERBS_CMD_REREG_MR, sizeof(struct ib_uverbs_rereg_mr) },
		{ IB_USER_VERBS_CMD_ALLOC_MW, sizeof(struct ib_uverbs_alloc_mw) },
		{ IB_USER_VERBS_CMD_QUERY_SRQ, sizeof(struct ib_uverbs_query_srq) },
	};
	uint8_t request[128], response[256];
	int fd;

	TRY(fd = open_context(KTU));
	for (size_t i = 0; commands_by_ioctl && i < ARRAY_SIZE(rows); i++) {
		memset(request, 0, sizeof(request));
		request[rows[i].len + 7] = 1;
		EXPECT(-EOPNOTSUPP, command(fd, rows[i].number, request, rows[i].len + 8, response,
					    sizeof(response)));
	}
	EXPECT(0, ktu_count("windows"));
	return true;
}

const struct test object_tests[] = {
	{ "work queues", work_queues },
	{ "indirection tables", indirection_tables },
	{ "memory of the device", device_memory },
	{ "a region that is in use when its registration fails", region_in_use },
	{ "counters", counters },
	{ "advice", advice },
	{ "fields that nobody knows, and wrong lengths", unknown_fields },
	{ "requests that are longer than known", longer_requests },
	{}
};
