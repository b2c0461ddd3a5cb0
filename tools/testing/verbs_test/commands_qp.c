// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: what a process may change of a QP, on the device of kt_user.ko, which has two ports:
 * Q_Keys, the ports of paths, and the attributes of XRC QPs.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "tools/testing/lib/command.h"
#include "verbs_test.h"

#define USER		1000
#define PLAIN_QKEY	0x11111111
/* The Q_Key of QP 1, to which subnet management listens, and the smallest controlled one. */
#define QP1_QKEY	0x80010000
#define LEAST_QKEY	0x80000000
#define LID		0x55
#define OTHER_LOCAL_CHANGES	(1 << 26)	/* in the CapabilityMask of a port */

/* A change of a QP. @extended: MODIFY_QP_EX instead of MODIFY_QP. */
static int modify(int fd, bool is_extended, struct ib_uverbs_modify_qp *cmd)
{
	struct ib_uverbs_ex_modify_qp_resp resp;
	struct ib_uverbs_ex_modify_qp ex = { .base = *cmd };

	return is_extended ?
	       extended(fd, IB_USER_VERBS_EX_CMD_MODIFY_QP, &ex, sizeof(ex), &resp, sizeof(resp)) :
	       silent(fd, MODIFY_QP, *cmd);
}

static int query(int fd, uint32_t qp, struct ib_uverbs_query_qp_resp *resp)
{
	struct ib_uverbs_query_qp cmd = { .qp_handle = qp, .attr_mask = IBV_QP_STATE };

	return asked(fd, QUERY_QP, cmd, *resp);
}

/* --- Q_Keys --- */

enum caller { ROOT, USER_1000, ROOT_OF_USERNS, CALLERS };

static int become(enum caller caller)
{
	if (caller == USER_1000)
		return sys(setresuid(USER, USER, USER));
	return caller == ROOT_OF_USERNS ? sys(unshare(CLONE_NEWUSER)) : 0;
}

/* Does what `rdma system set privileged-qkey` does. */
static int set_switch(bool on)
{
	struct {
		struct nlmsghdr hdr;
		struct nlattr attr;
		uint8_t value[NLA_ALIGNTO];
	} request = {
		.hdr = {
			.nlmsg_len = sizeof(request), .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_SYS_SET),
		},
		.attr = {
			.nla_len = sizeof(request.attr) + 1,
			.nla_type = RDMA_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE,
		},
		.value = { on },
	};
	struct {
		struct nlmsghdr hdr;
		struct nlmsgerr error;
		uint8_t more[256];
	} answer;
	int fd = sys(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA));
	ssize_t got;

	if (fd < 0)
		return fd;
	got = send(fd, &request, sizeof(request), 0);
	if (got == sizeof(request))
		got = recv(fd, &answer, sizeof(answer), 0);
	close(fd);
	if (got < (ssize_t)(sizeof(answer.hdr) + sizeof(answer.error)))
		return -EIO;
	return answer.error.error;
}

/* The move of a new UD QP to INIT with this Q_Key; a QP that is refused one stays in RESET. */
static int init_with(bool is_extended, uint32_t qkey)
{
	struct ib_uverbs_modify_qp cmd = {
		.attr_mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY,
		.qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = qkey,
	};
	struct ib_uverbs_query_qp_resp resp;
	uint32_t pd, cq, qp;
	int fd, ret;

	fd = open_context(KTU);
	if (fd < 0 || make_pd(fd, &pd) || make_cq(fd, -1, &cq) ||
	    make_qp(fd, IBV_QPT_UD, pd, cq, &qp))
		return -ENOTRECOVERABLE;
	cmd.qp_handle = qp;
	ret = modify(fd, is_extended, &cmd);
	if (query(fd, qp, &resp) || resp.qp_state != (ret ? IBV_QPS_RESET : IBV_QPS_INIT))
		return -EUCLEAN;
	/* Without IBV_QP_QKEY the Q_Key is no part of the change. */
	cmd.attr_mask = IBV_QP_PKEY_INDEX;
	if (!ret && modify(fd, is_extended, &cmd))
		return -EUCLEAN;
	close(fd);
	return ret;
}

static int init_as(enum caller caller, bool is_extended, uint32_t qkey)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		return -errno;
	if (!pid) {
		status = become(caller);
		_exit(status ? ENOTRECOVERABLE : -init_with(is_extended, qkey));
	}
	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -ECHILD;
	return -WEXITSTATUS(status);
}

static bool expect_qkeys(bool on)
{
	static const uint32_t controlled[] = { LEAST_QKEY, QP1_QKEY, UINT32_MAX };

	for (int caller = 0; caller < CALLERS; caller++) {
		for (int is_extended = 0; is_extended < 2; is_extended++) {
			EXPECT(0, init_as(caller, is_extended, PLAIN_QKEY));
			EXPECT(0, init_as(caller, is_extended, LEAST_QKEY - 1));
			for (size_t i = 0; i < ARRAY_SIZE(controlled); i++)
				EXPECT(on || caller == ROOT ? 0 : -EPERM,
				       init_as(caller, is_extended, controlled[i]));
		}
	}
	return true;
}

static bool qkeys(void)
{
	bool ok;

	TRY(set_switch(false));
	if (!expect_qkeys(false))
		return false;
	TRY(set_switch(true));
	ok = expect_qkeys(true);
	TRY(set_switch(false));
	return ok;
}

static bool switch_of_others(void)
{
	for (int caller = USER_1000; caller < CALLERS; caller++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			_exit(become(caller) || set_switch(true) != -EPERM);
		TRY(sys(pid));
		TRY(sys(waitpid(pid, &status, 0)));
		EXPECT(0, status);
	}
	return init_as(USER_1000, false, QP1_QKEY) == -EPERM;
}

/* --- ports of paths --- */

#define TO_INIT									\
	(IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
/* The attributes of an RC QP, which programs pass XRC QPs as well. */
#define TO_RTR									\
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |	\
	 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)
#define TO_RTS									\
	(IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |	\
	 IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)

static struct ib_uverbs_modify_qp change(uint32_t qp, uint8_t state, uint32_t mask)
{
	return (struct ib_uverbs_modify_qp) {
		.qp_handle = qp, .qp_state = state, .attr_mask = mask, .port_num = 1,
		.dest = { .dlid = LID, .port_num = 1 }, .path_mtu = IBV_MTU_1024, .timeout = 14,
		.max_rd_atomic = 1, .max_dest_rd_atomic = 1, .retry_cnt = 7, .rnr_retry = 7,
		.min_rnr_timer = 12,
	};
}

static int to_init(int fd, uint32_t qp)
{
	struct ib_uverbs_modify_qp cmd = change(qp, IBV_QPS_INIT, TO_INIT);

	return modify(fd, false, &cmd);
}

static bool rc_in_init(int *fd, uint32_t *qp)
{
	uint32_t pd, cq;

	TRY(*fd = open_context(KTU));
	TRY(make_pd(*fd, &pd));
	TRY(make_cq(*fd, -1, &cq));
	TRY(make_qp(*fd, IBV_QPT_RC, pd, cq, qp));
	TRY(to_init(*fd, *qp));
	return true;
}

static bool port_of_the_path(void)
{
	struct ib_uverbs_modify_qp cmd;
	uint32_t qp;
	int fd;

	if (!rc_in_init(&fd, &qp))
		return false;
	for (int is_extended = 0; is_extended < 2; is_extended++) {
		cmd = change(qp, IBV_QPS_RTR, TO_RTR);
		cmd.dest.port_num = 2;
		EXPECT(-EINVAL, modify(fd, is_extended, &cmd));
		/* The port in the command is no attribute of this change. */
		cmd.port_num = 2;
		EXPECT(-EINVAL, modify(fd, is_extended, &cmd));
	}
	/* A rate limit, which only the extended command has, and an attribute that none has. */
	cmd = change(qp, IBV_QPS_RTR, TO_RTR | 1u << 25);
	EXPECT(-EOPNOTSUPP, modify(fd, false, &cmd));
	cmd = change(qp, IBV_QPS_RTR, TO_RTR | 1u << 31);
	EXPECT(-EOPNOTSUPP, modify(fd, false, &cmd));
	EXPECT(-EOPNOTSUPP, modify(fd, true, &cmd));
	cmd = change(qp, IBV_QPS_RTR, TO_RTR);
	TRY(modify(fd, false, &cmd));
	return true;
}

static bool port_of_the_other_path(void)
{
	struct ib_uverbs_modify_qp cmd;
	uint32_t qp;
	int fd;

	if (!rc_in_init(&fd, &qp))
		return false;
	cmd = change(qp, IBV_QPS_RTR, TO_RTR | IBV_QP_ALT_PATH);
	cmd.alt_dest.dlid = LID + 1;
	cmd.alt_dest.port_num = 2;
	cmd.alt_port_num = 1;
	EXPECT(-EINVAL, modify(fd, false, &cmd));
	EXPECT(-EINVAL, modify(fd, true, &cmd));
	cmd.alt_port_num = 2;
	TRY(modify(fd, false, &cmd));
	return true;
}

/* A path that is set in SQD takes the QP to its port. */
static bool path_in_sqd(void)
{
	struct ib_uverbs_query_qp_resp resp;
	struct ib_uverbs_modify_qp cmd;
	uint32_t qp;
	int fd;

	if (!rc_in_init(&fd, &qp))
		return false;
	cmd = change(qp, IBV_QPS_RTR, TO_RTR);
	TRY(modify(fd, false, &cmd));
	cmd = change(qp, IBV_QPS_RTS, TO_RTS);
	TRY(modify(fd, false, &cmd));
	cmd = change(qp, IBV_QPS_SQD, IBV_QP_STATE);
	TRY(modify(fd, false, &cmd));
	for (int port = 2; port >= 1; port--) {
		cmd = change(qp, 0, IBV_QP_AV);
		cmd.dest.port_num = port;
		TRY(modify(fd, port == 1, &cmd));
		TRY(query(fd, qp, &resp));
		EXPECT(port, resp.port_num);
	}
	cmd = change(qp, 0, IBV_QP_AV | IBV_QP_PORT);
	cmd.dest.port_num = 2;
	EXPECT(-EINVAL, modify(fd, false, &cmd));
	cmd.port_num = 2;
	TRY(modify(fd, false, &cmd));
	cmd.dest.port_num = 3;
	cmd.port_num = 3;
	EXPECT(-EINVAL, modify(fd, false, &cmd));
	TRY(query(fd, qp, &resp));
	EXPECT(2, resp.port_num);
	return true;
}

/* --- XRC --- */

/* @max_rd_atomic: what the QP has of that attribute in the end. */
static bool connects_like_rc(int fd, uint32_t qp, bool is_extended, uint8_t max_rd_atomic)
{
	struct ib_uverbs_query_qp_resp resp;
	struct ib_uverbs_modify_qp cmd;

	TRY(to_init(fd, qp));
	cmd = change(qp, IBV_QPS_RTR, TO_RTR);
	TRY(modify(fd, is_extended, &cmd));
	cmd = change(qp, IBV_QPS_RTS, TO_RTS);
	TRY(modify(fd, is_extended, &cmd));
	TRY(query(fd, qp, &resp));
	EXPECT(IBV_QPS_RTS, resp.qp_state);
	EXPECT(max_rd_atomic, resp.max_rd_atomic);
	/* Other attributes that the type lacks are still refused. */
	cmd = change(qp, 0, IBV_QP_QKEY);
	EXPECT(-EINVAL, modify(fd, is_extended, &cmd));
	return true;
}

static bool xrc_like_rc(void)
{
	struct ib_uverbs_create_qp target = { .qp_type = IBV_QPT_XRC_RECV };
	struct ib_uverbs_create_qp_resp resp;
	uint32_t pd, cq, xrcd, qp;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	TRY(open_xrcd(fd, -1, O_CREAT, &xrcd));
	target.pd_handle = xrcd;
	for (int is_extended = 0; is_extended < 2; is_extended++) {
		TRY(make_qp(fd, IBV_QPT_XRC_SEND, pd, cq, &qp));
		if (!connects_like_rc(fd, qp, is_extended, 1))
			return false;
		TRY(asked(fd, CREATE_QP, target, resp));
		if (!connects_like_rc(fd, resp.qp_handle, is_extended, 0))
			return false;
	}
	return true;
}

/* The device reports the bit in MADs' meaning; to processes it says something else. */
static bool flags_of_a_port(void)
{
	struct ib_uverbs_query_port cmd = { .port_num = 1 };
	struct ib_uverbs_query_port_resp resp;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(asked(fd, QUERY_PORT, cmd, resp));
	EXPECT(IBV_PORT_CM_SUP, resp.port_cap_flags & (IBV_PORT_CM_SUP | OTHER_LOCAL_CHANGES));
	return true;
}

const struct test qp_tests[] = {
	{ "controlled Q_Keys", qkeys },
	{ "who may not allow controlled Q_Keys", switch_of_others },
	{ "the path of a QP leaves by its port", port_of_the_path },
	{ "the other path of a QP has one port", port_of_the_other_path },
	{ "a path set in SQD", path_in_sqd },
	{ "QPs of XRC take the attributes of RC", xrc_like_rc },
	{ "flags of a port", flags_of_a_port },
	{}
};
