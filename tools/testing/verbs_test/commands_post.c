// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: work requests and completions by commands, on the device of kt_user.ko, which
 * completes each request at once and repeats its arguments in the completion.
 */
#include <endian.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tools/testing/lib/command.h"
#include "verbs_test.h"

#define MAX_WRS		64
#define MAX_SGES	64
/* As in kt_user/main.c. */
#define BAD_WR		0xbad
/* The key with which the kernel addresses all memory, as in fakedev.c. */
#define KERNEL_KEY	0xd3ad
#define LID		0x55

static const struct ib_uverbs_sge one_sge[] = { { .addr = 0x1000, .length = 100, .lkey = 1 } };

/* The objects of a test: two PDs, a QP of each kind, and an address handle in each PD. */
struct poster {
	int fd;
	uint32_t pd, other_pd;
	uint32_t cq, ud, rc;
	uint32_t ah, other_ah;
};

static bool open_poster(struct poster *poster)
{
	int fd;

	TRY(fd = open_context(KTU));
	poster->fd = fd;
	TRY(make_pd(fd, &poster->pd));
	TRY(make_pd(fd, &poster->other_pd));
	TRY(make_cq(fd, -1, &poster->cq));
	TRY(make_qp(fd, IBV_QPT_UD, poster->pd, poster->cq, &poster->ud));
	TRY(make_qp(fd, IBV_QPT_RC, poster->pd, poster->cq, &poster->rc));
	TRY(make_ah(fd, poster->pd, LID, &poster->ah));
	TRY(make_ah(fd, poster->other_pd, LID, &poster->other_ah));
	return true;
}

/*
 * A command that posts. @wr_size and @cut are wrong on purpose in some tests: the size of a request
 * as the command says, and bytes that are missing at the end.
 */
struct post {
	uint32_t number;
	uint32_t handle;
	const void *wrs;
	uint32_t num;
	uint32_t wr_size;
	const struct ib_uverbs_sge *sges;
	uint32_t num_sge;
	size_t cut;
};

static int post(int fd, const struct post *post, uint32_t *bad)
{
	struct {
		struct ib_uverbs_post_send head;
		uint8_t body[MAX_WRS * sizeof(struct ib_uverbs_send_wr) +
			     MAX_SGES * sizeof(struct ib_uverbs_sge)];
	} cmd = {
		.head = {
			.qp_handle = post->handle, .wr_count = post->num,
			.sge_count = post->num_sge, .wqe_size = post->wr_size,
		},
	};
	size_t real = post->number == IB_USER_VERBS_CMD_POST_SEND ?
		      sizeof(struct ib_uverbs_send_wr) : sizeof(struct ib_uverbs_recv_wr);
	size_t wrs = real * post->num, sges = sizeof(*post->sges) * post->num_sge;
	struct ib_uverbs_post_send_resp resp = { .bad_wr = ~0u };
	int ret;

	if (post->num <= MAX_WRS && post->num_sge <= MAX_SGES) {
		memcpy(cmd.body, post->wrs, wrs);
		memcpy(cmd.body + wrs, post->sges, sges);
	} else {
		wrs = real;
		sges = 0;
	}
	ret = command(fd, post->number, &cmd, sizeof(cmd.head) + wrs + sges - post->cut, &resp,
		      sizeof(resp));
	*bad = resp.bad_wr;
	return ret;
}

static int send_one(const struct poster *poster, uint32_t qp, const struct ib_uverbs_send_wr *wr,
		    uint32_t *bad)
{
	return post(poster->fd, &(struct post) {
		.number = IB_USER_VERBS_CMD_POST_SEND, .handle = qp, .wrs = wr, .num = 1,
		.wr_size = sizeof(*wr), .sges = one_sge, .num_sge = wr->num_sge,
	}, bad);
}

struct polled {
	struct ib_uverbs_poll_cq_resp head;
	struct ib_uverbs_wc wc[MAX_WRS];
};

/* Polls @ne completions with room for @room of them. Returns their number, or a negative errno. */
static int poll_some(const struct poster *poster, uint32_t ne, unsigned int room,
		     struct polled *polled)
{
	struct ib_uverbs_poll_cq cmd = { .cq_handle = poster->cq, .ne = ne };
	int ret;

	memset(polled, 0xff, sizeof(*polled));
	ret = command(poster->fd, IB_USER_VERBS_CMD_POLL_CQ, &cmd, sizeof(cmd), polled,
		      sizeof(polled->head) + room * sizeof(polled->wc[0]));
	return ret ? ret : (int)polled->head.count;
}

/* --- sends --- */

static bool datagrams(void)
{
	struct ib_uverbs_send_wr wr = {
		.wr_id = 7, .num_sge = 1, .opcode = IB_UVERBS_WR_SEND_WITH_IMM,
		.ex.imm_data = htobe32(0x1234),
		.wr.ud = { .remote_qpn = 0x777, .remote_qkey = 0x8888 },
	};
	struct poster poster;
	struct polled polled;
	uint32_t bad;

	if (!open_poster(&poster))
		return false;
	wr.wr.ud.ah = poster.ah;
	TRY(send_one(&poster, poster.ud, &wr, &bad));
	EXPECT(0, bad);
	EXPECT(1, poll_some(&poster, 4, 4, &polled));
	EXPECT(7, polled.wc[0].wr_id);
	EXPECT(100, polled.wc[0].byte_len);
	EXPECT(0x777, polled.wc[0].src_qp);
	EXPECT(0x8888, polled.wc[0].vendor_err);
	EXPECT(LID, polled.wc[0].slid);
	EXPECT(htobe32(0x1234), polled.wc[0].ex.imm_data);

	/* Of another PD; of another kind; no handle at all; not an operation of datagrams. */
	wr.wr.ud.ah = poster.other_ah;
	EXPECT(-EINVAL, send_one(&poster, poster.ud, &wr, &bad));
	wr.wr.ud.ah = poster.pd;
	EXPECT(-EINVAL, send_one(&poster, poster.ud, &wr, &bad));
	wr.wr.ud.ah = 1000;
	EXPECT(-ENOENT, send_one(&poster, poster.ud, &wr, &bad));
	wr.wr.ud.ah = poster.ah;
	wr.opcode = IB_UVERBS_WR_RDMA_WRITE;
	EXPECT(-EINVAL, send_one(&poster, poster.ud, &wr, &bad));
	EXPECT(0, poll_some(&poster, 4, 4, &polled));
	return true;
}

/* More address handles in one command than in any other command. */
static bool many_datagrams(void)
{
	struct ib_uverbs_send_wr wrs[MAX_WRS] = {};
	struct ib_uverbs_sge sges[MAX_SGES];
	struct poster poster;
	struct polled polled;
	uint32_t bad;

	if (!open_poster(&poster))
		return false;
	for (int i = 0; i < MAX_WRS; i++) {
		sges[i] = (struct ib_uverbs_sge) { .length = i + 1 };
		wrs[i] = (struct ib_uverbs_send_wr) {
			.wr_id = i, .num_sge = 1, .opcode = IB_UVERBS_WR_SEND,
		};
		TRY(make_ah(poster.fd, poster.pd, i + 1, &wrs[i].wr.ud.ah));
	}
	TRY(post(poster.fd, &(struct post) {
		.number = IB_USER_VERBS_CMD_POST_SEND, .handle = poster.ud, .wrs = wrs,
		.num = MAX_WRS, .wr_size = sizeof(wrs[0]), .sges = sges, .num_sge = MAX_SGES,
	}, &bad));
	EXPECT(MAX_WRS, poll_some(&poster, MAX_WRS + 1, MAX_WRS, &polled));
	for (int i = 0; i < MAX_WRS; i++) {
		EXPECT(i, polled.wc[i].wr_id);
		EXPECT(i + 1, polled.wc[i].byte_len);
		EXPECT(i + 1, polled.wc[i].slid);
		/* The command has released the handle. */
		TRY(destroy_ah(poster.fd, wrs[i].wr.ud.ah));
	}
	return true;
}

static bool operations_of_rc(void)
{
	struct ib_uverbs_send_wr wr = { .num_sge = 1 };
	struct poster poster;
	struct polled polled;
	uint32_t bad;

	if (!open_poster(&poster))
		return false;
	wr.wr.rdma.remote_addr = 0x4000;
	wr.wr.rdma.rkey = 9;
	for (uint32_t opcode = 0; opcode < 32; opcode++) {
		bool rdma = opcode == IB_UVERBS_WR_RDMA_WRITE || opcode == IB_UVERBS_WR_RDMA_READ ||
			    opcode == IB_UVERBS_WR_RDMA_WRITE_WITH_IMM;
		bool send = opcode == IB_UVERBS_WR_SEND || opcode == IB_UVERBS_WR_SEND_WITH_IMM ||
			    opcode == IB_UVERBS_WR_SEND_WITH_INV;

		wr.opcode = opcode;
		if (opcode == IB_UVERBS_WR_ATOMIC_CMP_AND_SWP ||
		    opcode == IB_UVERBS_WR_ATOMIC_FETCH_AND_ADD)
			continue;
		EXPECT(rdma || send ? 0 : -EINVAL, send_one(&poster, poster.rc, &wr, &bad));
		EXPECT(rdma || send, poll_some(&poster, 4, 4, &polled));
		if (rdma) {
			EXPECT(9, polled.wc[0].src_qp);
			EXPECT(0x4000, polled.wc[0].vendor_err);
		}
	}
	wr.opcode = IB_UVERBS_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.compare_add = 3;
	wr.wr.atomic.swap = 4;
	wr.wr.atomic.rkey = 11;
	TRY(send_one(&poster, poster.rc, &wr, &bad));
	EXPECT(1, poll_some(&poster, 1, 1, &polled));
	EXPECT(11, polled.wc[0].src_qp);
	EXPECT(7, polled.wc[0].vendor_err);
	return true;
}

static bool operations_of_uc(void)
{
	struct ib_uverbs_send_wr wr = { .num_sge = 1 };
	struct poster poster;
	struct polled polled;
	uint32_t uc, bad;

	if (!open_poster(&poster))
		return false;
	TRY(make_qp(poster.fd, IBV_QPT_UC, poster.pd, poster.cq, &uc));
	for (uint32_t opcode = 0; opcode < 32; opcode++) {
		bool has = opcode <= IB_UVERBS_WR_SEND_WITH_IMM;

		wr.opcode = opcode;
		EXPECT(has ? 0 : -EINVAL, send_one(&poster, uc, &wr, &bad));
		EXPECT(has, poll_some(&poster, 4, 4, &polled));
	}
	return true;
}

/* Inline data and other flags that a command must not have; the kernel's key. */
static bool refused_requests(void)
{
	const struct ib_uverbs_sge kernel_sge[] = { { .length = 1, .lkey = KERNEL_KEY } };
	struct ib_uverbs_send_wr wr = { .num_sge = 1, .opcode = IB_UVERBS_WR_SEND };
	struct poster poster;
	struct polled polled;
	uint32_t initiator, bad;

	if (!open_poster(&poster))
		return false;
	for (int bit = 0; bit < 32; bit++) {
		wr.send_flags = 1u << bit;
		EXPECT(bit <= 2 || bit == 4 ? 0 : -EINVAL,
		       send_one(&poster, poster.rc, &wr, &bad));
	}
	EXPECT(4, poll_some(&poster, 8, 8, &polled));
	wr.send_flags = 0;
	EXPECT(-EINVAL, post(poster.fd, &(struct post) {
		.number = IB_USER_VERBS_CMD_POST_SEND, .handle = poster.rc, .wrs = &wr, .num = 1,
		.wr_size = sizeof(wr), .sges = kernel_sge, .num_sge = 1,
	}, &bad));
	EXPECT(-ENOENT, send_one(&poster, 1000, &wr, &bad));
	EXPECT(-EINVAL, send_one(&poster, poster.cq, &wr, &bad));
	/* The kernel posts to no QP of XRC. */
	TRY(make_qp(poster.fd, IBV_QPT_XRC_SEND, poster.pd, poster.cq, &initiator));
	EXPECT(-EINVAL, send_one(&poster, initiator, &wr, &bad));
	EXPECT(0, poll_some(&poster, 8, 8, &polled));
	return true;
}

/* A receive with the kernel's key, and one with more elements than the command has. */
static bool refused_receives(void)
{
	const struct ib_uverbs_sge kernel_sge[] = { { .length = 1, .lkey = KERNEL_KEY } };
	struct ib_uverbs_recv_wr wr = { .num_sge = 1 };
	struct post wrong = {
		.number = IB_USER_VERBS_CMD_POST_RECV, .wrs = &wr, .num = 1,
		.wr_size = sizeof(wr), .sges = kernel_sge, .num_sge = 1,
	};
	struct poster poster;
	struct polled polled;
	uint32_t bad;

	if (!open_poster(&poster))
		return false;
	wrong.handle = poster.rc;
	EXPECT(-EINVAL, post(poster.fd, &wrong, &bad));
	wr.num_sge = 2;
	wrong.sges = one_sge;
	EXPECT(-EINVAL, post(poster.fd, &wrong, &bad));
	EXPECT(0, poll_some(&poster, 8, 8, &polled));
	return true;
}

/* A poll that the provider refuses takes no completion. */
static bool refused_poll(void)
{
	struct ib_uverbs_send_wr wr = { .num_sge = 1, .opcode = IB_UVERBS_WR_SEND, .wr_id = 5 };
	struct poster poster;
	struct polled polled;
	uint32_t bad;

	if (!open_poster(&poster))
		return false;
	TRY(send_one(&poster, poster.rc, &wr, &bad));
	TRY(ktu_set("fail", "poll_cq"));
	EXPECT(-ENOSPC, poll_some(&poster, 4, 4, &polled));
	EXPECT(1, poll_some(&poster, 4, 4, &polled));
	EXPECT(5, polled.wc[0].wr_id);
	return true;
}

/* The provider refuses the third of five requests; the two before it are posted. */
static bool position_of_the_bad_one(void)
{
	struct ib_uverbs_send_wr wrs[5] = {};
	struct ib_uverbs_recv_wr recvs[5] = {};
	struct poster poster;
	struct polled polled;
	uint32_t bad;

	if (!open_poster(&poster))
		return false;
	for (int i = 0; i < 5; i++) {
		wrs[i].opcode = IB_UVERBS_WR_SEND;
		wrs[i].wr_id = i == 2 ? BAD_WR : i;
		recvs[i].wr_id = wrs[i].wr_id;
	}
	EXPECT(-ENOMEM, post(poster.fd, &(struct post) {
		.number = IB_USER_VERBS_CMD_POST_SEND, .handle = poster.rc, .wrs = wrs, .num = 5,
		.wr_size = sizeof(wrs[0]),
	}, &bad));
	EXPECT(3, bad);
	EXPECT(2, poll_some(&poster, 8, 8, &polled));
	EXPECT(-ENOMEM, post(poster.fd, &(struct post) {
		.number = IB_USER_VERBS_CMD_POST_RECV, .handle = poster.rc, .wrs = recvs, .num = 5,
		.wr_size = sizeof(recvs[0]),
	}, &bad));
	EXPECT(3, bad);
	EXPECT(2, poll_some(&poster, 8, 8, &polled));
	return true;
}

/* The parts of the command have other lengths than it says. */
static bool wrong_lengths(void)
{
	struct ib_uverbs_send_wr wr = { .num_sge = 1, .opcode = IB_UVERBS_WR_SEND };
	const struct post good = {
		.number = IB_USER_VERBS_CMD_POST_SEND, .wrs = &wr, .num = 1,
		.wr_size = sizeof(wr), .sges = one_sge, .num_sge = 1,
	};
	struct ib_uverbs_post_send head = { .wqe_size = sizeof(wr) };
	struct ib_uverbs_poll_cq poll_cq = {};
	struct poster poster;
	struct polled polled;
	struct post wrong;
	uint32_t bad;

	if (!open_poster(&poster))
		return false;
	wrong = good;
	wrong.handle = poster.rc;
	wrong.cut = 4;
	EXPECT(-EINVAL, post(poster.fd, &wrong, &bad));
	wrong.cut = 0;
	for (uint32_t size = 0; size < 2 * sizeof(wr); size++) {
		wrong.wr_size = size;
		EXPECT(size == sizeof(wr) ? 0 : -EINVAL, post(poster.fd, &wrong, &bad));
	}
	/* The command is as long as it says, but its requests are too short. */
	wrong.num_sge = 0;
	for (uint32_t size = 0; size < sizeof(wr); size += 4) {
		wrong.wr_size = size;
		wrong.cut = sizeof(wr) - size;
		EXPECT(-EINVAL, post(poster.fd, &wrong, &bad));
	}
	wrong.cut = 0;
	wrong.num_sge = 1;
	wrong.wr_size = 0x80000000u;
	wrong.num = 2;
	EXPECT(-EINVAL, post(poster.fd, &wrong, &bad));
	wrong.wr_size = UINT32_MAX;
	wrong.num = UINT32_MAX;
	EXPECT(-EINVAL, post(poster.fd, &wrong, &bad));
	wrong.wr_size = sizeof(wr);
	EXPECT(-EINVAL, post(poster.fd, &wrong, &bad));
	wrong.num = 1;
	wrong.num_sge = UINT32_MAX;
	EXPECT(-EINVAL, post(poster.fd, &wrong, &bad));
	/* Both lengths overflow, and their sum is that of the command. */
	wrong.wr_size = 0xfffffffcu;
	wrong.num = 0xfffffffcu;
	wrong.num_sge = 0x80000007u;
	EXPECT(-EINVAL, post(poster.fd, &wrong, &bad));
	wrong.wr_size = sizeof(wr);
	wrong.num = 1;
	/* More SGEs in the request than behind it. */
	wrong.num_sge = 1;
	wr.num_sge = 2;
	EXPECT(-EINVAL, post(poster.fd, &wrong, &bad));
	wr.num_sge = UINT32_MAX;
	EXPECT(-EINVAL, post(poster.fd, &wrong, &bad));
	/* Not even the fields before the requests. */
	head.qp_handle = poster.rc;
	EXPECT(-EINVAL, command(poster.fd, IB_USER_VERBS_CMD_POST_SEND, &head, sizeof(head) - 4,
				&polled, sizeof(polled)));
	poll_cq.cq_handle = poster.cq;
	EXPECT(-EINVAL, command(poster.fd, IB_USER_VERBS_CMD_POLL_CQ, &poll_cq, sizeof(poll_cq) - 4,
				&polled, sizeof(polled)));
	EXPECT(1, poll_some(&poster, 8, 8, &polled));
	return true;
}

/* --- receives --- */

/* Receives of a QP that takes them from an SRQ, and of the initiator of XRC, which has none. */
static bool no_receives(void)
{
	struct ib_uverbs_recv_wr wr = {};
	struct post recv = {
		.number = IB_USER_VERBS_CMD_POST_RECV, .wrs = &wr, .num = 1, .wr_size = sizeof(wr),
	};
	struct ib_uverbs_create_srq srq = { .max_wr = 4, .max_sge = 1 };
	struct ib_uverbs_create_srq_resp srq_resp;
	struct ib_uverbs_create_qp qp = { .is_srq = 1, .qp_type = IBV_QPT_RC, .max_send_wr = 1 };
	struct ib_uverbs_create_qp_resp qp_resp;
	struct poster poster;
	struct polled polled;
	uint32_t bad;

	if (!open_poster(&poster))
		return false;
	srq.pd_handle = poster.pd;
	TRY(asked(poster.fd, CREATE_SRQ, srq, srq_resp));
	qp.pd_handle = poster.pd;
	qp.send_cq_handle = poster.cq;
	qp.recv_cq_handle = poster.cq;
	qp.srq_handle = srq_resp.srq_handle;
	TRY(asked(poster.fd, CREATE_QP, qp, qp_resp));
	recv.handle = qp_resp.qp_handle;
	EXPECT(-EINVAL, post(poster.fd, &recv, &bad));
	TRY(make_qp(poster.fd, IBV_QPT_XRC_SEND, poster.pd, poster.cq, &recv.handle));
	EXPECT(-EINVAL, post(poster.fd, &recv, &bad));
	EXPECT(0, poll_some(&poster, 8, 8, &polled));
	return true;
}

static bool receives(void)
{
	struct ib_uverbs_recv_wr wrs[2] = { { .wr_id = 1, .num_sge = 1 }, { .wr_id = 2 } };
	struct post recv = {
		.number = IB_USER_VERBS_CMD_POST_RECV, .wrs = wrs, .num = 2,
		.wr_size = sizeof(wrs[0]), .sges = one_sge, .num_sge = 1,
	};
	struct poster poster;
	struct polled polled;
	uint32_t bad;

	if (!open_poster(&poster))
		return false;
	recv.handle = poster.ud;
	TRY(post(poster.fd, &recv, &bad));
	EXPECT(2, poll_some(&poster, 8, 8, &polled));
	EXPECT(100, polled.wc[0].byte_len);
	EXPECT(0, polled.wc[1].byte_len);
	recv.num = 0;
	recv.num_sge = 0;
	EXPECT(-EINVAL, post(poster.fd, &recv, &bad));
	recv.num = 1;
	recv.handle = 1000;
	wrs[0].num_sge = 0;
	EXPECT(-ENOENT, post(poster.fd, &recv, &bad));
	recv.handle = poster.ah;
	EXPECT(-EINVAL, post(poster.fd, &recv, &bad));
	return true;
}

/* An SRQ with room for four requests, of which no QP takes any. */
static bool receives_of_an_srq(void)
{
	struct ib_uverbs_recv_wr wrs[4] = {};
	struct ib_uverbs_create_srq cmd = { .max_wr = 4, .max_sge = 1 };
	struct ib_uverbs_create_srq_resp resp;
	struct post recv = {
		.number = IB_USER_VERBS_CMD_POST_SRQ_RECV, .wrs = wrs, .num = 3,
		.wr_size = sizeof(wrs[0]),
	};
	struct poster poster;
	uint32_t bad;

	if (!open_poster(&poster))
		return false;
	cmd.pd_handle = poster.pd;
	TRY(asked(poster.fd, CREATE_SRQ, cmd, resp));
	recv.handle = resp.srq_handle;
	TRY(post(poster.fd, &recv, &bad));
	EXPECT(-ENOMEM, post(poster.fd, &recv, &bad));
	EXPECT(2, bad);
	recv.handle = poster.rc;
	EXPECT(-EINVAL, post(poster.fd, &recv, &bad));
	return true;
}

/* --- completions --- */

static bool completions(void)
{
	struct ib_uverbs_send_wr wr = { .opcode = IB_UVERBS_WR_SEND };
	struct ib_uverbs_poll_cq cmd = {};
	struct poster poster;
	struct polled polled;
	uint32_t bad;

	if (!open_poster(&poster))
		return false;
	for (int i = 0; i < 5; i++) {
		wr.wr_id = i;
		TRY(send_one(&poster, poster.rc, &wr, &bad));
	}
	/* No more than asked for, and no more than there is room for. */
	EXPECT(0, poll_some(&poster, 0, 4, &polled));
	EXPECT(0, poll_some(&poster, 4, 0, &polled));
	EXPECT(1, poll_some(&poster, 4, 1, &polled));
	EXPECT(0, polled.wc[0].wr_id);
	EXPECT(2, poll_some(&poster, 2, 4, &polled));
	EXPECT(2, polled.wc[1].wr_id);
	EXPECT(2, poll_some(&poster, UINT32_MAX, 4, &polled));
	EXPECT(4, polled.wc[1].wr_id);
	/* Without room for the number of completions. */
	EXPECT(-ENOSPC, command(poster.fd, IB_USER_VERBS_CMD_POLL_CQ, &cmd, sizeof(cmd), &polled,
				4));
	cmd.cq_handle = 1000;
	EXPECT(-ENOENT, asked(poster.fd, POLL_CQ, cmd, polled));
	cmd.cq_handle = poster.pd;
	EXPECT(-EINVAL, asked(poster.fd, POLL_CQ, cmd, polled));

	/* A QP takes its completions with it. */
	TRY(send_one(&poster, poster.rc, &wr, &bad));
	TRY(destroy_qp(poster.fd, poster.rc));
	EXPECT(0, poll_some(&poster, 4, 4, &polled));
	return true;
}

static int events_of(int channel)
{
	struct pollfd pollfd = { .fd = channel, .events = POLLIN };

	return sys(poll(&pollfd, 1, 0));
}

static int arm(const struct poster *poster, uint32_t cq, uint32_t solicited)
{
	struct ib_uverbs_req_notify_cq cmd = { .cq_handle = cq, .solicited_only = solicited };

	return silent(poster->fd, REQ_NOTIFY_CQ, cmd);
}

static bool events(void)
{
	struct ib_uverbs_create_comp_channel_resp channel;
	struct ib_uverbs_create_comp_channel cmd = {};
	struct ib_uverbs_send_wr wr = { .opcode = IB_UVERBS_WR_SEND };
	struct ib_uverbs_comp_event_desc event;
	struct poster poster;
	uint32_t cq, qp, bad;

	if (!open_poster(&poster))
		return false;
	TRY(asked(poster.fd, CREATE_COMP_CHANNEL, cmd, channel));
	EXPECT(-EBADF, make_cq(poster.fd, 1000, &cq));
	/* A file that is no channel. */
	EXPECT(-EINVAL, make_cq(poster.fd, poster.fd, &cq));
	TRY(make_cq(poster.fd, channel.fd, &cq));
	TRY(make_qp(poster.fd, IBV_QPT_RC, poster.pd, cq, &qp));
	TRY(send_one(&poster, qp, &wr, &bad));
	EXPECT(0, events_of(channel.fd));
	TRY(arm(&poster, cq, 1));
	TRY(send_one(&poster, qp, &wr, &bad));
	EXPECT(0, events_of(channel.fd));
	wr.send_flags = IBV_SEND_SOLICITED;
	TRY(send_one(&poster, qp, &wr, &bad));
	/* An event stays where there is no room for it. */
	EXPECT(1, events_of(channel.fd));
	EXPECT(-EINVAL, sys(read(channel.fd, &event, sizeof(event) - 1)));
	EXPECT(-EFAULT, sys(syscall(SYS_read, channel.fd, 8, sizeof(event))));
	EXPECT(1, events_of(channel.fd));
	EXPECT(sizeof(event), read(channel.fd, &event, sizeof(event)));
	EXPECT(0, events_of(channel.fd));
	wr.send_flags = 0;
	TRY(arm(&poster, cq, 0));
	TRY(send_one(&poster, qp, &wr, &bad));
	EXPECT(1, events_of(channel.fd));
	EXPECT(-ENOENT, arm(&poster, 1000, 0));
	EXPECT(-EINVAL, arm(&poster, qp, 0));
	return true;
}

const struct test post_tests[] = {
	{ "datagrams are posted", datagrams },
	{ "datagrams to many addresses", many_datagrams },
	{ "operations of RC", operations_of_rc },
	{ "operations of UC", operations_of_uc },
	{ "requests that are refused", refused_requests },
	{ "receives that are refused", refused_receives },
	{ "the provider refuses a poll", refused_poll },
	{ "the position of a bad request", position_of_the_bad_one },
	{ "requests of wrong lengths", wrong_lengths },
	{ "receives are posted", receives },
	{ "receives of a QP without any", no_receives },
	{ "receives of an SRQ are posted", receives_of_an_srq },
	{ "completions are polled", completions },
	{ "completion events", events },
	{}
};
