// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: XRC domains, SRQs and QPs, on the device of kt_user.ko. Two open files of the node
 * stand for two processes.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "tools/testing/lib/command.h"
#include "verbs_test.h"

static int temporary_file(void)
{
	return sys(open("/tmp", O_TMPFILE | O_RDWR, 0600));
}

/* --- domains --- */

static bool private_domains(void)
{
	uint32_t first, second;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(open_xrcd(fd, -1, O_CREAT, &first));
	TRY(open_xrcd(fd, -1, O_CREAT | O_EXCL, &second));
	EXPECT(2, ktu_count("domains"));
	TRY(close_xrcd(fd, first));
	EXPECT(-ENOENT, close_xrcd(fd, first));
	EXPECT(-ENOENT, destroy_by_method(fd, UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY,
					  UVERBS_ATTR_DESTROY_XRCD_HANDLE, first));
	TRY(destroy_by_method(fd, UVERBS_OBJECT_XRCD, UVERBS_METHOD_XRCD_DESTROY,
			      UVERBS_ATTR_DESTROY_XRCD_HANDLE, second));
	EXPECT(0, ktu_count("domains"));
	return true;
}

static bool shared_domains(void)
{
	uint32_t mine, again, theirs, other;
	int a, b, file, other_file;

	TRY(a = open_context(KTU));
	TRY(b = open_context(KTU));
	TRY(file = temporary_file());
	TRY(other_file = temporary_file());

	EXPECT(-EAGAIN, open_xrcd(a, file, 0, &mine));
	EXPECT(-EAGAIN, open_xrcd(a, file, O_EXCL, &mine));
	EXPECT(-EBADF, open_xrcd(a, 1000, O_CREAT, &mine));
	EXPECT(-EBADF, open_xrcd(a, -2, O_CREAT, &mine));
	EXPECT(0, ktu_count("domains"));

	TRY(open_xrcd(a, file, O_CREAT | O_EXCL, &mine));
	EXPECT(-EINVAL, open_xrcd(b, file, O_CREAT | O_EXCL, &theirs));
	TRY(open_xrcd(b, file, 0, &theirs));
	TRY(open_xrcd(a, file, O_CREAT, &again));
	EXPECT(1, ktu_count("domains"));
	EXPECT(-EAGAIN, open_xrcd(b, other_file, 0, &other));
	TRY(open_xrcd(b, other_file, O_CREAT, &other));
	EXPECT(2, ktu_count("domains"));

	/* The domain does not need the file to be open. */
	TRY(sys(close(file)));
	TRY(close_xrcd(a, mine));
	TRY(close_xrcd(a, again));
	EXPECT(2, ktu_count("domains"));
	TRY(close_xrcd(b, theirs));
	EXPECT(1, ktu_count("domains"));
	EXPECT(-EINVAL, open_xrcd(a, other_file, O_EXCL, &mine));
	TRY(sys(close(b)));
	EXPECT(0, ktu_count("domains"));
	EXPECT(-EAGAIN, open_xrcd(a, other_file, 0, &mine));
	return true;
}

/* A domain of the node's own file must not keep that file open for ever. */
static bool domain_of_the_node(void)
{
	uint32_t domain;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(open_xrcd(fd, fd, O_CREAT, &domain));
	EXPECT(1, ktu_count("domains"));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("domains"));
	return true;
}

/* --- SRQs --- */

static int make_xsrq(int fd, uint32_t type, uint32_t pd, uint32_t cq, uint32_t xrcd,
		     struct ib_uverbs_create_srq_resp *resp)
{
	struct ib_uverbs_create_xsrq cmd = {
		.srq_type = type, .pd_handle = pd, .max_wr = 4, .max_sge = 1, .cq_handle = cq,
		.xrcd_handle = xrcd,
	};

	memset(resp, 0, sizeof(*resp));
	return asked(fd, CREATE_XSRQ, cmd, *resp);
}

/* Without a CQ if @cq is NULL, and without a domain if @xrcd is NULL. */
static int make_xsrq_by_method(int fd, uint32_t pd, const uint32_t *cq, const uint32_t *xrcd,
			       uint32_t *number, uint32_t *handle)
{
	uint32_t room[2];
	struct ib_uverbs_attr attrs[12] = {
		attr_value(UVERBS_ATTR_CREATE_SRQ_HANDLE, 0, 0),
		attr_value(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, 0, pd),
		attr_value(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 8, 0),
		attr_value(UVERBS_ATTR_CREATE_SRQ_MAX_WR, 4, 4),
		attr_value(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 4, 1),
		attr_value(UVERBS_ATTR_CREATE_SRQ_LIMIT, 4, 0),
		attr_value(UVERBS_ATTR_CREATE_SRQ_TYPE, 8, IB_UVERBS_SRQT_XRC),
		attr_value(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 4, (uintptr_t)&room[0]),
		attr_value(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4, (uintptr_t)&room[1]),
		attr_value(UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, 4, (uintptr_t)number),
	};
	unsigned int num = 10;
	int ret;

	if (cq)
		attrs[num++] = attr_value(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, 0, *cq);
	if (xrcd)
		attrs[num++] = attr_value(UVERBS_ATTR_CREATE_SRQ_XRCD_HANDLE, 0, *xrcd);
	ret = method(fd, UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, attrs, num);
	*handle = attrs[0].data;
	return ret;
}

static bool srqs(void)
{
	struct ib_uverbs_destroy_srq_resp destroyed;
	struct ib_uverbs_create_srq_resp resp, basic;
	struct ib_uverbs_destroy_srq destroy = {};
	uint32_t pd, cq, xrcd, number = 0, handle;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	TRY(open_xrcd(fd, -1, O_CREAT, &xrcd));
	TRY(make_xsrq(fd, IB_UVERBS_SRQT_XRC, pd, cq, xrcd, &resp));
	EXPECT(1, resp.srqn > 0);
	EXPECT(-EBUSY, close_xrcd(fd, xrcd));
	TRY(make_xsrq_by_method(fd, pd, &cq, &xrcd, &number, &handle));
	EXPECT(1, number > resp.srqn);
	EXPECT(-EINVAL, make_xsrq_by_method(fd, pd, NULL, NULL, &number, &handle));
	TRY(make_xsrq(fd, IB_UVERBS_SRQT_BASIC, pd, 1000, 1000, &basic));
	EXPECT(0, basic.srqn);

	EXPECT(-EOPNOTSUPP, make_xsrq(fd, IB_UVERBS_SRQT_TM, pd, cq, xrcd, &basic));
	EXPECT(-EINVAL, make_xsrq(fd, IB_UVERBS_SRQT_TM + 1, pd, cq, xrcd, &basic));
	EXPECT(-ENOENT, make_xsrq(fd, IB_UVERBS_SRQT_XRC, pd, cq, 1000, &basic));
	EXPECT(-EINVAL, make_xsrq(fd, IB_UVERBS_SRQT_XRC, pd, cq, pd, &basic));
	EXPECT(-EINVAL, make_xsrq(fd, IB_UVERBS_SRQT_XRC, pd, xrcd, xrcd, &basic));
	destroy.srq_handle = resp.srq_handle;
	TRY(asked(fd, DESTROY_SRQ, destroy, destroyed));
	EXPECT(-EBUSY, close_xrcd(fd, xrcd));
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("domains"));
	return true;
}

/* What is left out is not the object with handle 0, although that one would be right. */
static bool left_out_of_an_srq(void)
{
	uint32_t pd, cq, xrcd, number, handle;
	int a, b;

	TRY(a = open_context(KTU));
	TRY(open_xrcd(a, -1, O_CREAT, &xrcd));
	EXPECT(0, xrcd);
	TRY(make_pd(a, &pd));
	TRY(make_cq(a, -1, &cq));
	EXPECT(-EINVAL, make_xsrq_by_method(a, pd, &cq, NULL, &number, &handle));
	TRY(b = open_context(KTU));
	TRY(make_cq(b, -1, &cq));
	EXPECT(0, cq);
	TRY(make_pd(b, &pd));
	TRY(open_xrcd(b, -1, O_CREAT, &xrcd));
	EXPECT(-EINVAL, make_xsrq_by_method(b, pd, NULL, &xrcd, &number, &handle));
	EXPECT(2, ktu_count("domains"));
	return true;
}

/* --- QPs --- */

static int make_target(int fd, uint32_t xrcd, struct ib_uverbs_create_qp_resp *resp)
{
	struct ib_uverbs_create_qp cmd = { .pd_handle = xrcd, .qp_type = IBV_QPT_XRC_RECV };

	return asked(fd, CREATE_QP, cmd, *resp);
}

static int open_target(int fd, uint32_t xrcd, uint32_t qpn, uint8_t type,
		       struct ib_uverbs_create_qp_resp *resp)
{
	struct ib_uverbs_open_qp cmd = { .pd_handle = xrcd, .qpn = qpn, .qp_type = type };

	return asked(fd, OPEN_QP, cmd, *resp);
}

static bool target_qps(void)
{
	struct ib_uverbs_create_qp_resp first, second, none;
	struct ib_uverbs_query_qp_resp queried;
	struct ib_uverbs_query_qp query = {};
	uint32_t mine, theirs;
	int a, b, file;

	TRY(a = open_context(KTU));
	TRY(b = open_context(KTU));
	TRY(file = temporary_file());
	TRY(open_xrcd(a, file, O_CREAT, &mine));
	TRY(open_xrcd(b, file, 0, &theirs));

	TRY(make_target(a, mine, &first));
	TRY(open_target(b, theirs, first.qpn, IBV_QPT_XRC_RECV, &second));
	EXPECT(first.qpn, second.qpn);
	EXPECT(-EINVAL, open_target(b, theirs, first.qpn + 1, IBV_QPT_XRC_RECV, &none));
	EXPECT(-EINVAL, open_target(b, theirs, first.qpn, IBV_QPT_RC, &none));
	EXPECT(-ENOENT, open_target(b, 1000, first.qpn, IBV_QPT_XRC_RECV, &none));
	EXPECT(-ENOENT, make_target(b, 1000, &none));

	/* The QP lives as long as one of its handles. */
	EXPECT(-EBUSY, close_xrcd(a, mine));
	EXPECT(-EBUSY, close_xrcd(b, theirs));
	TRY(destroy_qp(a, first.qp_handle));
	TRY(close_xrcd(a, mine));
	query.qp_handle = second.qp_handle;
	TRY(asked(b, QUERY_QP, query, queried));
	TRY(destroy_qp(b, second.qp_handle));
	EXPECT(-EINVAL, open_target(b, theirs, first.qpn, IBV_QPT_XRC_RECV, &none));
	TRY(make_target(b, theirs, &first));
	TRY(sys(close(b)));
	EXPECT(0, ktu_count("domains"));
	return true;
}

/* @given: how many of the attributes PD, CQ of sends, domain, CQ of receives are passed. */
static int make_qp_by_method(int fd, uint32_t type, const uint16_t *ids, const uint32_t *handles,
			     unsigned int given)
{
	struct {
		struct ib_uverbs_qp_cap known;
		uint32_t later[4];
	} cap = { .known.max_send_wr = type == IBV_QPT_XRC_SEND };
	struct ib_uverbs_qp_cap got_cap;
	struct ib_uverbs_attr attrs[10] = {
		attr_value(UVERBS_ATTR_CREATE_QP_HANDLE, 0, 0),
		attr_value(UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8, 0),
		/* As a newer caller, whose further members are zeros. */
		attr_value(UVERBS_ATTR_CREATE_QP_CAP, sizeof(cap), (uintptr_t)&cap),
		attr_value(UVERBS_ATTR_CREATE_QP_TYPE, 8, type),
		attr_value(UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(got_cap), (uintptr_t)&got_cap),
	};
	uint32_t number = 0;

	attrs[5] = attr_value(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4, (uintptr_t)&number);
	for (unsigned int i = 0; i < given; i++)
		attrs[6 + i] = attr_value(ids[i], 0, handles[i]);
	return method(fd, UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, attrs, 6 + given);
}

static bool qps_by_method(void)
{
	static const uint16_t domain_first[] = {
		UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, UVERBS_ATTR_CREATE_QP_PD_HANDLE,
	};
	static const uint16_t pd_first[] = {
		UVERBS_ATTR_CREATE_QP_PD_HANDLE, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE,
		UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE,
	};
	uint32_t pd, cq, xrcd;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	TRY(open_xrcd(fd, -1, O_CREAT, &xrcd));

	const uint32_t target[] = { xrcd, pd }, initiator[] = { pd, cq, cq };

	EXPECT(-EINVAL, make_qp_by_method(fd, IBV_QPT_XRC_RECV, domain_first, target, 0));
	EXPECT(-EINVAL, make_qp_by_method(fd, IBV_QPT_XRC_RECV, domain_first, target, 2));
	EXPECT(-EINVAL, make_qp_by_method(fd, IBV_QPT_XRC_SEND, pd_first, initiator, 1));
	EXPECT(-EINVAL, make_qp_by_method(fd, IBV_QPT_XRC_SEND, pd_first, initiator, 3));
	EXPECT(-EINVAL, make_qp_by_method(fd, IBV_QPT_RC, pd_first, initiator, 2));
	TRY(close_xrcd(fd, xrcd));
	EXPECT(-ENOENT, make_qp_by_method(fd, IBV_QPT_XRC_RECV, domain_first, target, 1));
	TRY(open_xrcd(fd, -1, O_CREAT, &xrcd));

	const uint32_t again[] = { xrcd };

	TRY(make_qp_by_method(fd, IBV_QPT_XRC_RECV, domain_first, again, 1));
	TRY(make_qp_by_method(fd, IBV_QPT_XRC_SEND, pd_first, initiator, 2));
	EXPECT(-EBUSY, close_xrcd(fd, xrcd));
	return true;
}

/* The objects that a method may pass for a new QP, a bit each. */
enum {
	GIVEN_XRCD = 1, GIVEN_PD = 2, GIVEN_SENDS = 4, GIVEN_RECVS = 8, GIVEN_SRQ = 16,
	GIVEN_TABLE = 32,
};

#define PARENTS	6

static int make_qp_of(int fd, uint32_t type, unsigned int given, const uint32_t *handles)
{
	static const uint16_t ids[PARENTS] = {
		UVERBS_ATTR_CREATE_QP_XRCD_HANDLE, UVERBS_ATTR_CREATE_QP_PD_HANDLE,
		UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE,
		UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE,
	};
	uint32_t passed[PARENTS];
	uint16_t numbers[PARENTS];
	unsigned int num = 0;

	for (unsigned int i = 0; i < PARENTS; i++) {
		if (!(given & 1u << i))
			continue;
		numbers[num] = ids[i];
		passed[num++] = handles[i];
	}
	return make_qp_by_method(fd, type, numbers, passed, num);
}

/* Makes one object of each kind that a QP can have. Object 0 is the CQ, if @cq_first, or the PD. */
static bool make_parents(int fd, bool cq_first, uint32_t *handles)
{
	struct ib_uverbs_create_srq srq = { .max_wr = 4, .max_sge = 1 };
	struct ib_uverbs_ex_create_rwq_ind_table_resp table;
	struct ib_uverbs_create_srq_resp srq_resp;
	struct ib_uverbs_ex_create_wq_resp wq;
	uint32_t wqs[MAX_TABLE] = {}, pd, cq;

	if (cq_first)
		TRY(make_cq(fd, -1, &cq));
	TRY(make_pd(fd, &pd));
	if (!cq_first)
		TRY(make_cq(fd, -1, &cq));
	TRY(open_xrcd(fd, -1, O_CREAT, &handles[0]));
	handles[1] = pd;
	handles[2] = cq;
	handles[3] = cq;
	srq.pd_handle = pd;
	TRY(asked(fd, CREATE_SRQ, srq, srq_resp));
	handles[4] = srq_resp.srq_handle;
	TRY(make_wq(fd, pd, cq, &wq));
	wqs[0] = wq.wq_handle;
	TRY(make_table(fd, 0, wqs, 16, &table));
	handles[5] = table.ind_tbl_handle;
	return true;
}

/* Each type of QP takes its objects, and no others. */
static bool parents_of_qps(void)
{
	static const struct {
		uint32_t type;
		unsigned int given;
		int want;
	} rows[] = {
		{ IBV_QPT_XRC_RECV, GIVEN_XRCD, 0 },
		{ IBV_QPT_XRC_RECV, GIVEN_XRCD | GIVEN_PD, -EINVAL },
		{ IBV_QPT_XRC_RECV, GIVEN_XRCD | GIVEN_SENDS, -EINVAL },
		{ IBV_QPT_XRC_RECV, GIVEN_XRCD | GIVEN_RECVS, -EINVAL },
		{ IBV_QPT_XRC_RECV, GIVEN_XRCD | GIVEN_SRQ, -EINVAL },
		{ IBV_QPT_XRC_SEND, GIVEN_PD | GIVEN_SENDS, 0 },
		{ IBV_QPT_XRC_SEND, GIVEN_XRCD | GIVEN_PD | GIVEN_SENDS, -EINVAL },
		{ IBV_QPT_XRC_SEND, GIVEN_SENDS, -EINVAL },
		{ IBV_QPT_XRC_SEND, GIVEN_PD, -EINVAL },
		{ IBV_QPT_XRC_SEND, GIVEN_PD | GIVEN_SENDS | GIVEN_RECVS, -EINVAL },
		{ IBV_QPT_XRC_SEND, GIVEN_PD | GIVEN_SENDS | GIVEN_SRQ, -EINVAL },
		{ IBV_QPT_RAW_PACKET, GIVEN_TABLE | GIVEN_PD, 0 },
		{ IBV_QPT_RAW_PACKET, GIVEN_TABLE | GIVEN_PD | GIVEN_SENDS, 0 },
		{ IBV_QPT_RAW_PACKET, GIVEN_TABLE, -EINVAL },
		{ IBV_QPT_RAW_PACKET, GIVEN_TABLE | GIVEN_PD | GIVEN_XRCD, -EINVAL },
		{ IBV_QPT_RAW_PACKET, GIVEN_TABLE | GIVEN_PD | GIVEN_RECVS, -EINVAL },
		{ IBV_QPT_RAW_PACKET, GIVEN_TABLE | GIVEN_PD | GIVEN_SRQ, -EINVAL },
		{ IBV_QPT_RC, GIVEN_PD | GIVEN_SENDS | GIVEN_RECVS, 0 },
		{ IBV_QPT_RC, GIVEN_PD | GIVEN_SENDS | GIVEN_RECVS | GIVEN_SRQ, 0 },
		{ IBV_QPT_RC, GIVEN_PD | GIVEN_SENDS | GIVEN_RECVS | GIVEN_XRCD, -EINVAL },
		{ IBV_QPT_RC, GIVEN_SENDS | GIVEN_RECVS, -EINVAL },
		{ IBV_QPT_RC, GIVEN_PD | GIVEN_RECVS, -EINVAL },
		{ IBV_QPT_RC, GIVEN_PD | GIVEN_SENDS, -EINVAL },
	};
	uint32_t handles[PARENTS];
	int fd, ret;

	for (int cq_first = 0; cq_first < 2; cq_first++) {
		TRY(fd = open_context(KTU));
		if (!make_parents(fd, cq_first, handles))
			return false;
		for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
			ret = make_qp_of(fd, rows[i].type, rows[i].given, handles);
			if (ret != rows[i].want)
				printf("# type %u, objects %#x\n", rows[i].type, rows[i].given);
			EXPECT(rows[i].want, ret);
		}
		TRY(sys(close(fd)));
	}
	return true;
}

bool xrc_is_refused(int fd)
{
	static const uint16_t table[] = { UVERBS_ATTR_CREATE_QP_IND_TABLE_HANDLE };
	uint32_t none = 0, number, handle;

	EXPECT(-EOPNOTSUPP, make_qp_by_method(fd, IBV_QPT_XRC_RECV, NULL, NULL, 0));
	EXPECT(-EOPNOTSUPP, make_qp_by_method(fd, IBV_QPT_RC, table, &none, 1));
	EXPECT(-EOPNOTSUPP, make_xsrq_by_method(fd, none, NULL, NULL, &number, &handle));
	return true;
}

static bool initiator_qps(void)
{
	uint32_t pd, cq, qp;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	TRY(make_qp(fd, IBV_QPT_XRC_SEND, pd, cq, &qp));
	EXPECT(-EBUSY, destroy_pd(fd, pd));
	TRY(destroy_qp(fd, qp));
	TRY(destroy_pd(fd, pd));
	return true;
}

static bool nothing_left(void)
{
	EXPECT(0, ktu_count("domains"));
	return true;
}

const struct test xrc_tests[] = {
	{ "XRC domains that are not shared", private_domains },
	{ "XRC domains that are shared by a file", shared_domains },
	{ "an XRC domain of the device node", domain_of_the_node },
	{ "SRQs of XRC", srqs },
	{ "what is left out of an SRQ of XRC", left_out_of_an_srq },
	{ "target QPs and their handles", target_qps },
	{ "QPs of XRC by method", qps_by_method },
	{ "objects of QPs by method", parents_of_qps },
	{ "initiator QPs", initiator_qps },
	{ "no XRC domain is left", nothing_left },
	{}
};
