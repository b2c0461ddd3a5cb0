// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: memory windows, and requests that are wrong. libsiw has no functions for them, so the
 * tests write the commands to the device node, and post requests to the send queue that libsiw has
 * mapped.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/siw-abi.h>

#include "tools/testing/lib/command.h"
#include "verbs_test.h"

#define SIZE	4096
#define OFFSET	100
#define LENGTH	200
#define MARK	0x6d61726b6d61726bull
/* The key is the lowest byte of an lkey, and the index of the region is above. */
#define OTHER_INDEX	0x55555500

static int alloc_mw(struct ibv_pd *pd, uint32_t handle, uint8_t type,
		    struct ib_uverbs_alloc_mw_resp *resp)
{
	struct ib_uverbs_alloc_mw cmd = { .pd_handle = handle, .mw_type = type };

	return asked(pd->context->cmd_fd, ALLOC_MW, cmd, *resp);
}

/* --- the server's send queue --- */

/*
 * A connection; a region of the server to which windows may be bound, but on which the peer has no
 * right; the ring of the server's send queue, with its next entry; and the address of windows.
 */
struct scene {
	struct conn_pair pair;
	uint8_t *mem;
	struct ibv_mr *mr;
	struct siw_sqe *ring;
	unsigned int next;
	uint64_t window_addr;
};

static struct scene scene;

/* A mapping of a device node. */
struct mapping {
	uint64_t *start;
	unsigned long offset;
	char path[256];
};

/*
 * Finds the mapping of a device node that begins with MARK, or, if @of is not NULL, the mapping of
 * the node @of->path at @offset.
 */
static bool find_mapping(struct mapping *found, const struct mapping *of, unsigned long offset)
{
	char line[512];
	FILE *maps;
	bool ok = false;

	maps = fopen("/proc/self/maps", "r");
	while (maps && !ok && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%*x %*s %lx %*s %*s %255s", (unsigned long *)&found->start,
			   &found->offset, found->path) != 3 || !strstr(found->path, "/uverbs"))
			continue;
		ok = of ? found->offset == offset && !strcmp(found->path, of->path) :
			  *found->start == MARK;
	}
	if (maps)
		fclose(maps);
	return ok;
}

/* The receive queue begins with the mark, and its ring is mapped behind that of the send queue. */
static bool find_ring(void)
{
	size_t size = (QUEUE_DEPTH * sizeof(struct siw_sqe) + PAGE - 1) / PAGE * PAGE;
	struct mapping rq, sq;

	TRY(post_recv(&scene.pair.server, MARK, 0, 1));
	EXPECT(1, find_mapping(&rq, NULL, 0));
	EXPECT(1, find_mapping(&sq, &rq, rq.offset - size));
	scene.ring = (struct siw_sqe *)sq.start;
	return true;
}

static bool set_scene(void)
{
	struct endpoint *server = &scene.pair.server;

	if (!pair_open(&scene.pair, 2 * SIZE, false) || !find_ring())
		return false;
	TRY(memory_alloc(&scene.mem, SIZE));
	pattern_fill(scene.mem, SIZE, 1);
	scene.window_addr = (uintptr_t)scene.mem + OFFSET;
	TRY(got(scene.mr = ibv_reg_mr(server->pd, scene.mem, SIZE,
				      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND)));
	return true;
}

static bool clear_scene(void)
{
	TRY(verbs(ibv_dereg_mr(scene.mr)));
	if (!pair_close(&scene.pair))
		return false;
	memory_free(scene.mem, SIZE);
	return true;
}

/* Posts @sqe to the server's send queue, and expects a completion with @status. */
static bool request(const struct siw_sqe *sqe, enum ibv_wc_status status)
{
	struct endpoint *server = &scene.pair.server;
	struct ib_uverbs_post_send_resp resp;
	struct ib_uverbs_post_send cmd = {
		.qp_handle = server->id->qp->handle,
		.wqe_size = sizeof(struct ib_uverbs_send_wr),
	};
	struct siw_sqe *entry = &scene.ring[scene.next++];
	struct ibv_wc wc;

	*entry = *sqe;
	entry->id = scene.next;
	__atomic_store_n(&entry->flags, sqe->flags | SIW_WQE_VALID | SIW_WQE_SIGNALLED,
			 __ATOMIC_RELEASE);
	TRY(asked(server->id->verbs->cmd_fd, POST_SEND, cmd, resp));
	return completes(server, scene.next, status, &wc);
}

static struct siw_sqe binding(uint32_t rkey, uint64_t addr, uint32_t length, int access)
{
	return (struct siw_sqe) {
		.opcode = SIW_OP_REG_MR,
		.rkey = rkey,
		.raddr = access,
		.num_sge = 1,
		.sge[0] = { .laddr = addr, .length = length, .lkey = scene.mr->lkey },
	};
}

static bool bind_window(uint32_t rkey, uint64_t addr, uint32_t length, int access,
			enum ibv_wc_status status)
{
	const struct siw_sqe sqe = binding(rkey, addr, length, access);

	return request(&sqe, status);
}

static bool invalidate(uint32_t rkey, enum ibv_wc_status status)
{
	return request(&(struct siw_sqe) { .opcode = SIW_OP_INVAL_STAG, .rkey = rkey }, status);
}

/* Returns a key of the window: its low 8 bits are counted up, as ib_inc_rkey() does. */
static uint32_t nth_key(const struct ib_uverbs_alloc_mw_resp *window, uint32_t n)
{
	return (window->rkey & ~0xffU) | ((window->rkey + n) & 0xff);
}

/* Expects that the peer can write and read the whole window. */
static bool peer_uses(uint32_t rkey)
{
	struct endpoint *client = &scene.pair.client;
	struct ibv_sge out = sge_of(client, 0, LENGTH), in = sge_of(client, SIZE, LENGTH);
	struct ibv_wc wc;

	pattern_fill(client->mem, LENGTH, rkey);
	TRY(post_rdma(client, 1, IBV_WR_RDMA_WRITE, &out, scene.window_addr, rkey));
	TRY(post_rdma(client, 2, IBV_WR_RDMA_READ, &in, scene.window_addr, rkey));
	return completes(client, 1, IBV_WC_SUCCESS, &wc) &&
	       completes(client, 2, IBV_WC_SUCCESS, &wc) &&
	       pattern_matches(scene.mem + OFFSET, LENGTH, rkey) &&
	       pattern_matches(client->mem + SIZE, LENGTH, rkey) &&
	       pattern_matches(scene.mem, OFFSET, 1);
}

/* --- tests --- */

static bool objects(void)
{
	struct ib_uverbs_alloc_mw_resp resp = {};
	struct ibv_device_attr attr;
	struct endpoint *server;
	uint32_t pd;

	if (!set_scene())
		return false;
	server = &scene.pair.server;
	pd = server->pd->handle;
	EXPECT(-EINVAL, alloc_mw(server->pd, pd, 0, &resp));
	EXPECT(-EINVAL, alloc_mw(server->pd, pd, 3, &resp));
	EXPECT(-ENOENT, alloc_mw(server->pd, 12345, IBV_MW_TYPE_1, &resp));
	EXPECT(-EINVAL, alloc_mw(server->pd, scene.mr->handle, IBV_MW_TYPE_1, &resp));
	TRY(alloc_mw(server->pd, pd, IBV_MW_TYPE_1, &resp));
	EXPECT(-ENOENT, destroy_mw(server->id->verbs->cmd_fd, 12345));
	EXPECT(-EINVAL, destroy_mw(server->id->verbs->cmd_fd, scene.mr->handle));
	TRY(destroy_mw(server->id->verbs->cmd_fd, resp.mw_handle));
	EXPECT(-ENOENT, destroy_mw(server->id->verbs->cmd_fd, resp.mw_handle));

	/* The library cannot use windows, and applications are told so. */
	EXPECT(-EOPNOTSUPP, got(ibv_alloc_mw(server->pd, IBV_MW_TYPE_1)));
	TRY(verbs(ibv_query_device(server->id->verbs, &attr)));
	EXPECT(0, attr.max_mw);
	EXPECT(0, attr.device_cap_flags & (IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_WINDOW_TYPE_2B));
	return clear_scene();
}

static uint8_t window_type;

static bool bound(void)
{
	int access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
	struct ib_uverbs_alloc_mw_resp window = {};
	struct endpoint *server = &scene.pair.server;

	if (!set_scene())
		return false;
	TRY(alloc_mw(server->pd, server->pd->handle, window_type, &window));
	if (!bind_window(nth_key(&window, 1), scene.window_addr, LENGTH, access, IBV_WC_SUCCESS) ||
	    !peer_uses(nth_key(&window, 1)))
		return false;
	EXPECT(EBUSY, ibv_dereg_mr(scene.mr));
	if (window_type == IBV_MW_TYPE_2 && !invalidate(nth_key(&window, 1), IBV_WC_SUCCESS))
		return false;
	if (!bind_window(nth_key(&window, 2), scene.window_addr, LENGTH, access, IBV_WC_SUCCESS) ||
	    !peer_uses(nth_key(&window, 2)))
		return false;
	/* The request fails, and the connection ends. */
	if (!bind_window(nth_key(&window, 3), scene.window_addr, SIZE, access,
			 IBV_WC_GENERAL_ERR) || !pair_is_over(&scene.pair))
		return false;
	TRY(destroy_mw(server->id->verbs->cmd_fd, window.mw_handle));
	return clear_scene();
}

/* The process ends while its window is bound: its objects can be destroyed in any order. */
static bool left_bound(void)
{
	struct ib_uverbs_alloc_mw_resp window = {};
	struct endpoint *server = &scene.pair.server;

	if (!set_scene())
		return false;
	TRY(alloc_mw(server->pd, server->pd->handle, IBV_MW_TYPE_1, &window));
	return bind_window(nth_key(&window, 1), scene.window_addr, LENGTH, IBV_ACCESS_REMOTE_READ,
			   IBV_WC_SUCCESS);
}

/* A request that only the kernel may make: the rights of a region, and no window. */
static bool no_window(void)
{
	if (!set_scene())
		return false;
	return bind_window(scene.mr->rkey, scene.window_addr, LENGTH, IBV_ACCESS_REMOTE_READ,
			   IBV_WC_GENERAL_ERR) &&
	       pair_is_over(&scene.pair) && clear_scene();
}

/* The lkey of no region. */
static bool no_region(void)
{
	struct ib_uverbs_alloc_mw_resp window = {};
	struct endpoint *server = &scene.pair.server;
	struct siw_sqe sqe;

	if (!set_scene())
		return false;
	TRY(alloc_mw(server->pd, server->pd->handle, IBV_MW_TYPE_1, &window));
	sqe = binding(nth_key(&window, 1), scene.window_addr, LENGTH, IBV_ACCESS_REMOTE_READ);
	sqe.sge[0].lkey ^= OTHER_INDEX;
	if (!request(&sqe, IBV_WC_GENERAL_ERR) || !pair_is_over(&scene.pair))
		return false;
	TRY(destroy_mw(server->id->verbs->cmd_fd, window.mw_handle));
	return clear_scene();
}

static bool invalidates_region(void)
{
	if (!set_scene())
		return false;
	return invalidate(scene.mr->rkey, IBV_WC_GENERAL_ERR) && pair_is_over(&scene.pair) &&
	       clear_scene();
}

/* --- entries that libsiw does not write --- */

#define HALF	0x80000000u

struct wrong_entry {
	const char *what;
	struct siw_sqe sqe;
	enum ibv_wc_status status;
};

static const struct wrong_entry wrong_entries[] = {
	{ "an unknown opcode", { .opcode = 0x7f }, IBV_WC_LOC_QP_OP_ERR },
	{ "a READ that invalidates", { .opcode = SIW_OP_READ_LOCAL_INV, .num_sge = 1 },
	  IBV_WC_LOC_QP_OP_ERR },
	{ "an inline READ",
	  { .opcode = SIW_OP_READ, .flags = SIW_WQE_INLINE, .sge[0].length = 8 },
	  IBV_WC_LOC_QP_OP_ERR },
	{ "an inline window",
	  { .opcode = SIW_OP_REG_MR, .flags = SIW_WQE_INLINE, .sge[0].length = 8 },
	  IBV_WC_LOC_QP_OP_ERR },
	{ "an inline invalidation", { .opcode = SIW_OP_INVAL_STAG, .flags = SIW_WQE_INLINE },
	  IBV_WC_LOC_QP_OP_ERR },
	{ "one byte too many of inline data",
	  { .opcode = SIW_OP_SEND, .flags = SIW_WQE_INLINE, .sge[0].length = SIW_MAX_INLINE + 1 },
	  IBV_WC_LOC_LEN_ERR },
	{ "4 GiB of inline data",
	  { .opcode = SIW_OP_WRITE, .flags = SIW_WQE_INLINE, .sge[0].length = UINT32_MAX },
	  IBV_WC_LOC_LEN_ERR },
	{ "more SGEs than the queue allows", { .opcode = SIW_OP_SEND, .num_sge = 3 },
	  IBV_WC_LOC_QP_OP_ERR },
	{ "more SGEs than an entry has", { .opcode = SIW_OP_SEND, .num_sge = 255 },
	  IBV_WC_LOC_QP_OP_ERR },
	{ "two SGEs of 4 GiB together",
	  { .opcode = SIW_OP_SEND, .num_sge = 2,
	    .sge = { { .length = HALF }, { .length = HALF } } },
	  IBV_WC_LOC_LEN_ERR },
	{ "a window of two SGEs", { .opcode = SIW_OP_REG_MR, .num_sge = 2 }, IBV_WC_LOC_QP_OP_ERR },
	{ "a window with rights of 32 bits",
	  { .opcode = SIW_OP_REG_MR, .num_sge = 1, .raddr = 1ull << 31 }, IBV_WC_LOC_QP_OP_ERR },
	{ "a window with rights of 64 bits",
	  { .opcode = SIW_OP_REG_MR, .num_sge = 1, .raddr = 1ull << 32 }, IBV_WC_LOC_QP_OP_ERR },
};

static const struct wrong_entry *wrong;

/* The request fails and ends the connection, and the client's receive gets nothing of it. */
static bool wrong_request_fails(void)
{
	struct endpoint *client = &scene.pair.client;
	struct ibv_wc wc;

	if (!set_scene())
		return false;
	memset(client->mem, 0x11, 2 * SIZE);
	TRY(post_recv(client, 9, 0, 2 * SIZE));
	return request(&wrong->sqe, wrong->status) && pair_is_over(&scene.pair) &&
	       completes(client, 9, IBV_WC_WR_FLUSH_ERR, &wc) &&
	       bytes_are(client->mem, 2 * SIZE, 0x11) && clear_scene();
}

void test_mw(void)
{
	run("windows are allocated and freed", objects);
	window_type = IBV_MW_TYPE_1;
	run("a window of type 1", bound);
	window_type = IBV_MW_TYPE_2;
	run("a window of type 2", bound);
	run("a process ends while its window is bound", left_bound);
	run("a region is no window", no_window);
	run("a window is bound to no region", no_region);
	run("a process cannot invalidate a region", invalidates_region);
	for (size_t i = 0; i < ARRAY_SIZE(wrong_entries); i++) {
		wrong = &wrong_entries[i];
		run(wrong->what, wrong_request_fails);
	}
}
