// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: commands that siw does not offer, on the device of kt_user.ko: address handles and
 * multicast groups; and how they are refused on siw.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "tools/testing/lib/command.h"
#include "verbs_test.h"

#define PORTS		2
#define LID		0x1234
#define GROUP_LID	0xc001

/* --- address handles --- */

static int make_ah_with(int fd, uint32_t pd, const struct ib_uverbs_ah_attr *attr)
{
	struct ib_uverbs_create_ah cmd = { .pd_handle = pd, .attr = *attr };
	struct ib_uverbs_create_ah_resp resp;

	return asked(fd, CREATE_AH, cmd, resp);
}

static bool address_handles(void)
{
	uint32_t pd, ah, second;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_ah(fd, pd, LID, &ah));
	TRY(make_ah(fd, pd, LID, &second));
	EXPECT(2, ktu_count("handles"));
	EXPECT(-EBUSY, destroy_pd(fd, pd));
	EXPECT(-EINVAL, destroy_pd(fd, ah));
	EXPECT(-EINVAL, destroy_ah(fd, pd));
	TRY(destroy_ah(fd, ah));
	EXPECT(-ENOENT, destroy_ah(fd, ah));
	EXPECT(-ENOENT, destroy_by_method(fd, UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY,
					  UVERBS_ATTR_DESTROY_AH_HANDLE, ah));
	TRY(destroy_by_method(fd, UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY,
			      UVERBS_ATTR_DESTROY_AH_HANDLE, second));
	EXPECT(0, ktu_count("handles"));
	return destroy_pd(fd, pd) == 0;
}

static bool wrong_addresses(void)
{
	uint32_t pd, cq;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	for (int port = 0; port < 256; port++)
		EXPECT(port >= 1 && port <= PORTS ? 0 : -EINVAL,
		       make_ah_with(fd, pd, &(struct ib_uverbs_ah_attr) {
			       .dlid = LID, .port_num = port }));
	for (int index = 0; index < 256; index++)
		EXPECT(index < 2, !make_ah_with(fd, pd, &(struct ib_uverbs_ah_attr) {
			.grh.sgid_index = index, .is_global = 1, .dlid = LID, .port_num = 1 }));
	EXPECT(PORTS + 2, ktu_count("handles"));
	EXPECT(-ENOENT, make_ah(fd, 1000, LID, &pd));
	EXPECT(-EINVAL, make_ah(fd, cq, LID, &pd));
	/* The handles are left to the end of the process. */
	return true;
}

static bool handles_left(void)
{
	EXPECT(0, ktu_count("handles"));
	return true;
}

/* --- multicast groups --- */

#define attach(fd, qp, group)								\
	join_group((fd), IB_USER_VERBS_CMD_ATTACH_MCAST, (qp), (group), GROUP_LID)
#define detach(fd, qp, group)								\
	join_group((fd), IB_USER_VERBS_CMD_DETACH_MCAST, (qp), (group), GROUP_LID)

static bool groups_of_a_qp(void)
{
	uint32_t pd, cq, ud, rc;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	TRY(make_qp(fd, IBV_QPT_UD, pd, cq, &ud));
	TRY(make_qp(fd, IBV_QPT_RC, pd, cq, &rc));

	TRY(attach(fd, ud, 1));
	TRY(attach(fd, ud, 2));
	EXPECT(2, ktu_count("attached"));
	/* Attached again, the QP is attached once. */
	TRY(attach(fd, ud, 1));
	EXPECT(2, ktu_count("attached"));
	EXPECT(-EINVAL, attach(fd, rc, 1));
	EXPECT(-EINVAL, join_group(fd, IB_USER_VERBS_CMD_ATTACH_MCAST, ud, 3, LID));
	EXPECT(-ENOENT, attach(fd, 1000, 1));
	EXPECT(-EINVAL, attach(fd, pd, 1));
	EXPECT(-EBUSY, destroy_qp(fd, ud));

	EXPECT(-EINVAL, detach(fd, ud, 3));
	EXPECT(-EINVAL, detach(fd, rc, 1));
	EXPECT(-ENOENT, detach(fd, 1000, 1));
	TRY(detach(fd, ud, 1));
	EXPECT(-EINVAL, detach(fd, ud, 1));
	TRY(detach(fd, ud, 2));
	EXPECT(0, ktu_count("attached"));
	TRY(destroy_qp(fd, ud));
	TRY(destroy_qp(fd, rc));
	return true;
}

/* The provider of kt_user.ko has room for four groups. */
static bool groups_are_left(void)
{
	uint32_t pd, cq, qp;
	int fd;

	TRY(fd = open_context(KTU));
	TRY(make_pd(fd, &pd));
	TRY(make_cq(fd, -1, &cq));
	TRY(make_qp(fd, IBV_QPT_UD, pd, cq, &qp));
	for (int i = 1; i <= 4; i++)
		TRY(attach(fd, qp, i));
	EXPECT(-ENOMEM, attach(fd, qp, 5));
	EXPECT(4, ktu_count("attached"));
	/* close() ends the file's objects before it returns. */
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("attached"));
	return true;
}

/* --- hostile processes --- */

#define THREADS		4
#define COMMANDS	4000
#define MAX_WORDS	64

/* Seldom a large number: most words of commands are handles, types and small counts. */
static uint32_t random_word(unsigned int *seed)
{
	switch (rand_r(seed) % 8) {
	case 0:
		return rand_r(seed);
	case 1:
		return ~0u - rand_r(seed) % 4;
	case 2:
		return 0xc000ff00 + rand_r(seed) % 256;
	default:
		return rand_r(seed) % 12;
	}
}

/* Gives a command with any content and any lengths. The response is dropped. */
static void random_command(int fd, unsigned int *seed)
{
	static const uint8_t numbers[] = {
		IB_USER_VERBS_CMD_ALLOC_PD, IB_USER_VERBS_CMD_DEALLOC_PD,
		IB_USER_VERBS_CMD_CREATE_AH, IB_USER_VERBS_CMD_DESTROY_AH,
		IB_USER_VERBS_CMD_CREATE_CQ, IB_USER_VERBS_CMD_RESIZE_CQ,
		IB_USER_VERBS_CMD_DESTROY_CQ, IB_USER_VERBS_CMD_POLL_CQ,
		IB_USER_VERBS_CMD_REQ_NOTIFY_CQ, IB_USER_VERBS_CMD_CREATE_QP,
		IB_USER_VERBS_CMD_CREATE_QP, IB_USER_VERBS_CMD_MODIFY_QP,
		IB_USER_VERBS_CMD_QUERY_QP, IB_USER_VERBS_CMD_DESTROY_QP,
		IB_USER_VERBS_CMD_POST_SEND, IB_USER_VERBS_CMD_POST_RECV,
		IB_USER_VERBS_CMD_ATTACH_MCAST, IB_USER_VERBS_CMD_DETACH_MCAST,
		IB_USER_VERBS_CMD_CREATE_SRQ, IB_USER_VERBS_CMD_DESTROY_SRQ,
		IB_USER_VERBS_CMD_POST_SRQ_RECV, IB_USER_VERBS_CMD_OPEN_XRCD,
		IB_USER_VERBS_CMD_CLOSE_XRCD, IB_USER_VERBS_CMD_CREATE_XSRQ,
		IB_USER_VERBS_CMD_OPEN_QP,
	};
	uint32_t words[MAX_WORDS], response[MAX_WORDS];
	size_t room = rand_r(seed) % 4 ? sizeof(response) : 0;

	for (size_t i = 0; i < MAX_WORDS; i++)
		words[i] = random_word(seed);
	/* The types of QPs are bytes behind 48 bytes of other members. */
	words[13] = rand_r(seed) % 12 << 8;
	command(fd, numbers[rand_r(seed) % ARRAY_SIZE(numbers)], words,
		4 * (2 + rand_r(seed) % (MAX_WORDS - 2)), response, room);
}

struct hostile {
	pthread_t thread;
	int fd;
	unsigned int seed;
};

static void *be_hostile(void *arg)
{
	struct hostile *hostile = arg;

	for (int i = 0; i < COMMANDS; i++)
		random_command(hostile->fd, &hostile->seed);
	return NULL;
}

/* All threads use the objects of one file. */
static bool hostile_commands(void)
{
	struct hostile hostile[THREADS];
	uint32_t pd, cq, qp, ah;
	int fd;

	TRY(fd = open_context(KTU));
	for (int i = 0; i < 3; i++) {
		TRY(make_pd(fd, &pd));
		TRY(make_cq(fd, -1, &cq));
		TRY(make_qp(fd, IBV_QPT_UD, pd, cq, &qp));
		TRY(make_ah(fd, pd, LID, &ah));
	}
	for (int i = 0; i < THREADS; i++) {
		hostile[i] = (struct hostile) { .fd = fd, .seed = random() };
		EXPECT(0, pthread_create(&hostile[i].thread, NULL, be_hostile, &hostile[i]));
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(hostile[i].thread, NULL);
	TRY(sys(close(fd)));
	EXPECT(0, ktu_count("handles"));
	EXPECT(0, ktu_count("attached"));
	EXPECT(0, ktu_count("domains"));
	/* The device still works. */
	return address_handles() && groups_of_a_qp();
}

/* --- siw --- */

static bool refused_by_siw(void)
{
	struct ib_uverbs_create_xsrq xsrq = { .srq_type = IB_UVERBS_SRQT_XRC, .max_wr = 1 };
	struct ib_uverbs_create_srq_resp srq_resp;
	struct ib_uverbs_close_xrcd close_xrcd = {};
	struct ib_uverbs_open_xrcd_resp xrcd_resp;
	struct ib_uverbs_open_xrcd xrcd = { .fd = -1, .oflags = O_CREAT };
	struct ib_uverbs_open_qp open_qp = { .qp_type = IBV_QPT_XRC_RECV };
	struct ib_uverbs_create_qp_resp qp_resp;
	struct ib_uverbs_resize_cq resize = { .cqe = 64 };
	struct ib_uverbs_resize_cq_resp resize_resp;
	struct ib_uverbs_req_notify_cq notify = {};
	struct ib_uverbs_poll_cq_resp poll_resp;
	struct ib_uverbs_poll_cq poll = {};
	struct ib_uverbs_post_recv post = {};
	struct ib_uverbs_post_recv_resp post_resp;
	struct rdma_cm_id *listener;
	struct ibv_cq *cq;
	uint32_t pd, qp;
	int fd;

	TRY(listener_id(NULL, &listener));
	fd = listener->verbs->cmd_fd;
	TRY(make_pd(fd, &pd));
	EXPECT(-EOPNOTSUPP, make_ah(fd, pd, LID, &qp));
	EXPECT(-EOPNOTSUPP, make_ah(fd, 1000, LID, &qp));
	EXPECT(-ENOENT, destroy_ah(fd, 1000));
	EXPECT(-EOPNOTSUPP, attach(fd, 0, 1));
	EXPECT(-EOPNOTSUPP, detach(fd, 0, 1));
	EXPECT(-EOPNOTSUPP, asked(fd, OPEN_XRCD, xrcd, xrcd_resp));
	xrcd.fd = 1000;
	EXPECT(-EOPNOTSUPP, asked(fd, OPEN_XRCD, xrcd, xrcd_resp));
	close_xrcd.xrcd_handle = 1000;
	EXPECT(-ENOENT, silent(fd, CLOSE_XRCD, close_xrcd));
	EXPECT(-EOPNOTSUPP, asked(fd, CREATE_XSRQ, xsrq, srq_resp));
	EXPECT(-EOPNOTSUPP, asked(fd, OPEN_QP, open_qp, qp_resp));
	EXPECT(-EOPNOTSUPP, make_qp(fd, IBV_QPT_XRC_RECV, pd, pd, &qp));
	EXPECT(-EOPNOTSUPP, make_qp(fd, IBV_QPT_XRC_SEND, pd, pd, &qp));
	cq = ibv_create_cq(listener->verbs, 1, NULL, NULL, 0);
	EXPECT(true, !!cq);
	EXPECT(-EOPNOTSUPP, make_qp(fd, IBV_QPT_RAW_PACKET, pd, cq->handle, &qp));
	/* The ring of a process stays as it is. */
	resize.cq_handle = cq->handle;
	EXPECT(-EOPNOTSUPP, asked(fd, RESIZE_CQ, resize, resize_resp));
	/* Without room for siw's answer, which says where the rings are. */
	EXPECT(-EINVAL, make_cq(fd, -1, &qp));
	EXPECT(-EINVAL, make_qp(fd, IBV_QPT_RC, pd, cq->handle, &qp));
	TRY(-ibv_destroy_cq(cq));
	EXPECT(-EOPNOTSUPP, asked(fd, POLL_CQ, poll, poll_resp));
	EXPECT(-EOPNOTSUPP, silent(fd, REQ_NOTIFY_CQ, notify));
	EXPECT(-EOPNOTSUPP, asked(fd, POST_RECV, post, post_resp));
	EXPECT(-EOPNOTSUPP, asked(fd, POST_SRQ_RECV, post, post_resp));
	if (!objects_are_refused(fd, pd) || !xrc_is_refused(fd))
		return false;
	TRY(destroy_pd(fd, pd));
	TRY(sys(rdma_destroy_id(listener)));
	return true;
}

void test_refusals(void)
{
	command_driver = RDMA_DRIVER_SIW;
	run("by write: siw refuses", refused_by_siw);
	commands_by_ioctl = true;
	run("by ioctl: siw refuses", refused_by_siw);
}

/* Queries the table of GIDs with entries of @stride bytes into @entries, which have @len bytes. */
static int query_gids_with(int fd, uint64_t stride, void *entries, uint16_t len, uint64_t *num,
			   uint32_t flags)
{
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, 8, stride),
		attr_value(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, len, (uintptr_t)entries),
		attr_value(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8, (uintptr_t)num),
		attr_value(UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 4, flags),
	};

	return method(fd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, attrs,
		      ARRAY_SIZE(attrs));
}

static int query_gids(int fd, uint64_t stride, void *entries, uint16_t len, uint64_t *num)
{
	return query_gids_with(fd, stride, entries, len, num, 0);
}

/* A command without its request, which most commands would miss themselves. */
static bool request_left_out(void)
{
	struct ib_uverbs_query_device_resp resp;
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_WRITE_CMD, 8, IB_USER_VERBS_CMD_QUERY_DEVICE),
		attr_value(UVERBS_ATTR_CORE_OUT, sizeof(resp), (uintptr_t)&resp),
	};
	int fd;

	TRY(fd = open_context(KTU));
	EXPECT(-EINVAL, method(fd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, attrs,
			       ARRAY_SIZE(attrs)));
	return true;
}

/* Queries the GID at an index of a port. @flags: no flag is known. */
static int query_gid(int fd, uint64_t port, uint64_t index, uint32_t flags)
{
	struct ib_uverbs_gid_entry entry;
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_QUERY_GID_ENTRY_PORT, 8, port),
		attr_value(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX, 8, index),
		attr_value(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS, 4, flags),
		attr_value(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, sizeof(entry),
			   (uintptr_t)&entry),
	};

	return method(fd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, attrs,
		      ARRAY_SIZE(attrs));
}

static bool sizes_of_gid_entries(void)
{
	const size_t size = sizeof(struct ib_uverbs_gid_entry);
	uint8_t entries[4 * 64];
	uint64_t num;
	int fd;

	TRY(fd = open_context(KTU));
	for (size_t stride = 0; stride < size; stride++)
		EXPECT(-EINVAL, query_gids(fd, stride, entries, sizeof(entries), &num));
	EXPECT(-EINVAL, query_gids(fd, (1ull << 32) + size, entries, sizeof(entries), &num));
	memset(entries, 0x77, sizeof(entries));
	TRY(query_gids(fd, 64, entries, sizeof(entries), &num));
	/* Two GIDs of each of two ports. */
	EXPECT(4, num);
	for (size_t i = size; i < 64; i++)
		EXPECT(0, entries[i]);
	EXPECT(-EINVAL, query_gids_with(fd, 64, entries, sizeof(entries), &num, 1));
	return true;
}

static bool single_gid_entries(void)
{
	int fd;

	TRY(fd = open_context(KTU));
	TRY(query_gid(fd, 1, 1, 0));
	TRY(query_gid(fd, PORTS, 0, 0));
	EXPECT(-EINVAL, query_gid(fd, 1, 1, 1));
	EXPECT(-EINVAL, query_gid(fd, (1ull << 32) + 1, 1, 0));
	EXPECT(-EINVAL, query_gid(fd, 1, 1ull << 31, 0));
	EXPECT(-EINVAL, query_gid(fd, 1, (1ull << 32) + 1, 0));
	EXPECT(-EINVAL, query_gid(fd, 0, 0, 0));
	EXPECT(-EINVAL, query_gid(fd, PORTS + 1, 0, 0));
	return true;
}

static const struct test address_tests[] = {
	{ "address handles", address_handles },
	{ "wrong addresses", wrong_addresses },
	{ "address handles that a process leaves", handles_left },
	{ "multicast groups of a QP", groups_of_a_qp },
	{ "multicast groups that a process leaves", groups_are_left },
	{ "sizes of the entries of GIDs", sizes_of_gid_entries },
	{ "entries of single GIDs", single_gid_entries },
	{ "a command without its request", request_left_out },
	{}
};

/* All tests but one run twice: commands are given by write(), and by ioctl(). */
void test_commands(void)
{
	for (int i = 0; i < 2; i++) {
		commands_by_ioctl = i;
		run_all(address_tests);
		run_all(xrc_tests);
		run_all(post_tests);
		run_all(object_tests);
		run_all(provider_fault_tests);
		run_flow_commands();
		run_all(qp_tests);
		run("hostile commands", hostile_commands);
	}
	commands_by_ioctl = false;
	run_all(frame_tests);
}
