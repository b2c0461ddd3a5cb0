// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: changes the memory, the rights or the protection domain of a registered region.
 * libsiw has no ibv_rereg_mr(), so the tests write the command REREG_MR to the device node.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <rdma/ib_user_verbs.h>

#include "tools/testing/lib/command.h"
#include "tools/testing/lib/late_page.h"
#include "verbs_test.h"

#define SIZE	9001
#define CANARY	0xa5
#define NOBODY_UID	65534
#define MAX_MR	(1ull << 39)
#define CHANGE_MEMORY	IBV_REREG_MR_CHANGE_TRANSLATION
#define CHANGE_PD	IBV_REREG_MR_CHANGE_PD
#define CHANGE_RIGHTS	IBV_REREG_MR_CHANGE_ACCESS

/*
 * Changes the properties of @mr that @flags selects; the arguments of other properties are ignored.
 * Returns 0 and stores the new keys in @mr, or returns a negative errno.
 */
static int change(struct ibv_mr *mr, uint32_t flags, void *mem, size_t len, int access,
		  struct ibv_pd *pd)
{
	struct ib_uverbs_rereg_mr_resp resp = {};
	struct ib_uverbs_rereg_mr cmd = {
		.mr_handle = mr->handle,
		.flags = flags,
		.start = (uintptr_t)mem,
		.length = len,
		.hca_va = (uintptr_t)mem,
		.pd_handle = pd ? pd->handle : UINT32_MAX,
		.access_flags = access,
	};
	int ret = asked(mr->context->cmd_fd, REREG_MR, cmd, resp);

	if (ret)
		return ret;
	mr->lkey = resp.lkey;
	mr->rkey = resp.rkey;
	return 0;
}

static int change_memory(struct ibv_mr *mr, void *mem, size_t len)
{
	return change(mr, CHANGE_MEMORY, mem, len, -1, NULL);
}

static int change_rights(struct ibv_mr *mr, int access)
{
	return change(mr, CHANGE_RIGHTS, NULL, 0, access, NULL);
}

/* --- a peer, and two pieces of memory --- */

/*
 * A connection, and a region @mr of the server. The region covers SIZE bytes at @mem until a test
 * changes that; @other is as much memory that is not registered. set_canaries() fills both, and one
 * page before and one behind each, with CANARY. @key is the region's key before a change, and
 * @other_pd is a PD that differs from that of the server's QP.
 */
struct scene {
	struct conn_pair pair;
	struct ibv_pd *other_pd;
	struct ibv_mr *mr;
	uint8_t *mem;
	uint8_t *other;
	uint32_t key;
};

static struct scene scene;

static void set_canaries(void)
{
	memset(scene.mem - PAGE, CANARY, SIZE + 2 * PAGE);
	memset(scene.other - PAGE, CANARY, SIZE + 2 * PAGE);
}

static bool untouched(const uint8_t *mem)
{
	return bytes_are(mem - PAGE, SIZE + 2 * PAGE, CANARY);
}

/*
 * Opens the connection and registers scene.mem with the rights @access. The region belongs to
 * scene.other_pd if @of_other_pd is true, otherwise to the PD of the server's QP.
 */
static bool set_scene(int access, bool of_other_pd)
{
	struct endpoint *server = &scene.pair.server;

	if (!pair_open(&scene.pair, 2 * SIZE, false))
		return false;
	TRY(memory_alloc(&scene.mem, SIZE));
	TRY(memory_alloc(&scene.other, SIZE));
	set_canaries();
	TRY(got(scene.other_pd = ibv_alloc_pd(server->id->verbs)));
	TRY(got(scene.mr = ibv_reg_mr(of_other_pd ? scene.other_pd : server->pd, scene.mem, SIZE,
				      access)));
	scene.key = scene.mr->rkey;
	return true;
}

static bool clear_scene(void)
{
	TRY(verbs(ibv_dereg_mr(scene.mr)));
	TRY(verbs(ibv_dealloc_pd(scene.other_pd)));
	if (!pair_close(&scene.pair))
		return false;
	memory_free(scene.mem, SIZE);
	memory_free(scene.other, SIZE);
	return true;
}

/* Expects that the peer can WRITE all of @mem, and that the pages around @mem stay unchanged. */
static bool peer_writes(uint8_t *mem, uint32_t message)
{
	struct endpoint *client = &scene.pair.client, *server = &scene.pair.server;
	struct ibv_sge out = sge_of(client, 0, SIZE), in = sge_of(client, SIZE, 1);
	struct ibv_wc wc;

	pattern_fill(client->mem, SIZE, message);
	TRY(post_rdma(client, 1, IBV_WR_RDMA_WRITE, &out, (uintptr_t)mem, scene.mr->rkey));
	/* This READ from the server's other region completes after the WRITE has been placed. */
	TRY(post_rdma(client, 2, IBV_WR_RDMA_READ, &in, (uintptr_t)server->mem,
		      server->mr->rkey));
	return completes(client, 1, IBV_WC_SUCCESS, &wc) &&
	       completes(client, 2, IBV_WC_SUCCESS, &wc) &&
	       pattern_matches(mem, SIZE, message) && bytes_are(mem - PAGE, PAGE, CANARY) &&
	       bytes_are(mem + SIZE, PAGE, CANARY);
}

static bool peer_reads(uint8_t *mem, uint32_t message)
{
	struct endpoint *client = &scene.pair.client;
	struct ibv_sge in = sge_of(client, SIZE, SIZE);
	struct ibv_wc wc;

	pattern_fill(mem, SIZE, message);
	TRY(post_rdma(client, 3, IBV_WR_RDMA_READ, &in, (uintptr_t)mem, scene.mr->rkey));
	return completes(client, 3, IBV_WC_SUCCESS, &wc) &&
	       pattern_matches(client->mem + SIZE, SIZE, message);
}

static bool peer_has_all(uint8_t *mem, uint32_t message)
{
	return peer_writes(mem, message) && peer_reads(mem, message + 1);
}

/*
 * Expects that the peer's request for SIZE bytes at @mem with @key fails: the connection ends, and
 * neither the server's nor the client's memory changes.
 */
static bool peer_is_refused(enum ibv_wr_opcode opcode, const uint8_t *mem, uint32_t key)
{
	struct endpoint *client = &scene.pair.client;
	struct ibv_sge sge = sge_of(client, 0, SIZE);
	struct ibv_wc wc;

	set_canaries();
	memset(client->mem, 0x11, 2 * SIZE);
	TRY(post_rdma(client, 4, opcode, &sge, (uintptr_t)mem, key));
	EXPECT(1, poll_one(client, &wc));
	EXPECT(4, wc.wr_id);
	/*
	 * A WRITE may complete with success before the server refuses it, because a WRITE completes
	 * when TCP has taken its bytes.
	 */
	if (opcode == IBV_WR_RDMA_READ || wc.status != IBV_WC_SUCCESS)
		EXPECT(IBV_WC_REM_ACCESS_ERR, wc.status);
	return expect_async(&scene.pair.server, IBV_EVENT_QP_ACCESS_ERR) &&
	       expect_async(client, IBV_EVENT_QP_FATAL) && pair_is_over(&scene.pair) &&
	       untouched(scene.mem) && untouched(scene.other) &&
	       bytes_are(client->mem, 2 * SIZE, 0x11);
}

/* --- other memory --- */

static bool other_memory(void)
{
	if (!set_scene(ALL_RIGHTS, false) || !peer_has_all(scene.mem, 1))
		return false;
	set_canaries();
	TRY(change_memory(scene.mr, scene.other, SIZE));
	EXPECT(1, scene.mr->rkey != scene.key);
	EXPECT(scene.mr->lkey, scene.mr->rkey);
	return peer_has_all(scene.other, 3) && untouched(scene.mem) && clear_scene();
}

/* The request that the present test expects to be refused, and whether of the other memory. */
static struct {
	enum ibv_wr_opcode opcode;
	bool in_other;
} refused;

/*
 * Expects that the old key is refused: for the new memory if @of_other is true, otherwise for the
 * old memory. The new STag must differ from the old one in its index, the upper 24 bits.
 */
static bool old_key(void)
{
	if (!set_scene(ALL_RIGHTS, false))
		return false;
	TRY(change_memory(scene.mr, scene.other, SIZE));
	EXPECT(1, (scene.mr->rkey ^ scene.key) >> 8 != 0);
	return peer_is_refused(refused.opcode, refused.in_other ? scene.other : scene.mem,
			       scene.key) && clear_scene();
}

/* Expects that the old protection domain can be deallocated, because no region uses it any more. */
static bool all_at_once(void)
{
	struct endpoint *server = &scene.pair.server;

	if (!set_scene(0, true))
		return false;
	TRY(change(scene.mr, CHANGE_MEMORY | CHANGE_PD | CHANGE_RIGHTS, scene.other, SIZE,
		   ALL_RIGHTS, server->pd));
	EXPECT(1, scene.mr->rkey != scene.key);
	TRY(verbs(ibv_dealloc_pd(scene.other_pd)));
	TRY(got(scene.other_pd = ibv_alloc_pd(server->id->verbs)));
	return peer_has_all(scene.other, 1) && untouched(scene.mem) && clear_scene();
}

/* Expects that the new memory has the rights that the old memory had. */
static bool rights_stay(void)
{
	if (!set_scene(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ, false))
		return false;
	TRY(change_memory(scene.mr, scene.other, SIZE));
	return peer_reads(scene.other, 1) &&
	       peer_is_refused(IBV_WR_RDMA_WRITE, scene.other, scene.mr->rkey) && clear_scene();
}

/*
 * Expects that the peer can use the new memory only by addresses from hca_va on, which are not the
 * addresses of the process.
 */
static bool other_address(void)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct ib_uverbs_rereg_mr cmd = {
		.flags = CHANGE_MEMORY, .length = SIZE, .hca_va = 0x70000,
	};
	struct endpoint *client = &scene.pair.client;
	struct ibv_sge sge;
	struct ibv_wc wc;

	if (!set_scene(ALL_RIGHTS, false))
		return false;
	cmd.mr_handle = scene.mr->handle;
	cmd.start = (uintptr_t)scene.other;
	TRY(asked(scene.mr->context->cmd_fd, REREG_MR, cmd, resp));
	pattern_fill(scene.other, SIZE, 1);
	sge = sge_of(client, 0, SIZE - 1);
	TRY(post_rdma(client, 1, IBV_WR_RDMA_READ, &sge, 0x70001, resp.rkey));
	if (!completes(client, 1, IBV_WC_SUCCESS, &wc))
		return false;
	EXPECT(0, memcmp(client->mem, scene.other + 1, SIZE - 1));
	return peer_is_refused(IBV_WR_RDMA_READ, scene.other, resp.rkey) && clear_scene();
}

/* --- other rights --- */

static bool right_taken(void)
{
	bool write = refused.opcode == IBV_WR_RDMA_WRITE;
	int left = write ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_REMOTE_WRITE;

	if (!set_scene(ALL_RIGHTS, false) || !peer_has_all(scene.mem, 1))
		return false;
	TRY(change_rights(scene.mr, IBV_ACCESS_LOCAL_WRITE | left));
	EXPECT(scene.key, scene.mr->rkey);
	EXPECT(scene.key, scene.mr->lkey);
	if (write ? !peer_reads(scene.mem, 3) : !peer_writes(scene.mem, 3))
		return false;
	return peer_is_refused(refused.opcode, scene.mem, scene.key) && clear_scene();
}

static bool rights_given(void)
{
	if (!set_scene(IBV_ACCESS_LOCAL_WRITE, false))
		return false;
	TRY(change_rights(scene.mr, ALL_RIGHTS));
	EXPECT(scene.key, scene.mr->rkey);
	return peer_has_all(scene.mem, 1) && clear_scene();
}

/*
 * Memory that was pinned for reading is pinned again for writing, under a new key. Expects that the
 * key stays the same when the right to write is taken and given once more.
 */
static bool writing_wanted(void)
{
	long before;

	if (!set_scene(IBV_ACCESS_REMOTE_READ, false))
		return false;
	before = pinned();
	TRY(change_rights(scene.mr, ALL_RIGHTS));
	EXPECT(before, pinned());
	EXPECT(1, scene.mr->rkey != scene.key);
	if (!peer_has_all(scene.mem, 1))
		return false;
	scene.key = scene.mr->rkey;
	TRY(change_rights(scene.mr, IBV_ACCESS_REMOTE_READ));
	TRY(change_rights(scene.mr, ALL_RIGHTS));
	EXPECT(scene.key, scene.mr->rkey);
	return peer_has_all(scene.mem, 3) && clear_scene();
}

/*
 * The region gets the right to write, so a new region with a new key replaces the old region, over
 * the same memory. Expects that the old key is refused.
 */
static bool old_key_after_writing_wanted(void)
{
	if (!set_scene(IBV_ACCESS_REMOTE_READ, false))
		return false;
	TRY(change_rights(scene.mr, ALL_RIGHTS));
	return peer_is_refused(IBV_WR_RDMA_READ, scene.mem, scene.key) && clear_scene();
}

static bool writing_not_possible(void)
{
	if (!set_scene(IBV_ACCESS_REMOTE_READ, false))
		return false;
	pattern_fill(scene.mem, SIZE, 1);
	TRY(sys(mprotect(scene.mem, PAGE, PROT_READ)));
	EXPECT(-EFAULT, change_rights(scene.mr, ALL_RIGHTS));
	EXPECT(scene.key, scene.mr->rkey);
	TRY(sys(mprotect(scene.mem, PAGE, PROT_READ | PROT_WRITE)));
	return peer_reads(scene.mem, 2) && clear_scene();
}

/*
 * Forks a child that registers its own copy of scene.mem through the device file of its parent, and
 * fills the copy with a pattern. Stores the handle and the key of this region in @mr. The region
 * exists until the parent closes the file.
 */
static int register_in_child(struct ibv_mr *mr)
{
	uint32_t ids[2];
	int fds[2];
	pid_t pid;

	if (pipe(fds))
		return -errno;
	pid = fork();
	if (!pid) {
		struct ibv_mr *own = ibv_reg_mr(mr->pd, scene.mem, SIZE, IBV_ACCESS_REMOTE_READ);

		pattern_fill(scene.mem, SIZE, 5);
		if (own)
			memcpy(ids, (uint32_t[]){ own->handle, own->rkey }, sizeof(ids));
		_exit(!own || write(fds[1], ids, sizeof(ids)) != sizeof(ids));
	}
	close(fds[1]);
	if (sys(waitpid(pid, NULL, 0)) < 0 || read(fds[0], ids, sizeof(ids)) != sizeof(ids))
		return -ECHILD;
	mr->handle = ids[0];
	mr->rkey = ids[1];
	return 0;
}

/*
 * A child has registered a region. Expects that this process cannot give the region the right to
 * write (EPERM), because this process has other memory at the region's address. The test
 * deregisters no region: all regions end with this process.
 */
static bool writing_wanted_by_another(void)
{
	struct endpoint *client = &scene.pair.client;
	struct ibv_mr theirs;
	struct ibv_sge in;
	struct ibv_wc wc;

	if (!set_scene(ALL_RIGHTS, false))
		return false;
	in = sge_of(client, 0, SIZE);
	theirs = *scene.mr;
	TRY(register_in_child(&theirs));
	scene.key = theirs.rkey;
	EXPECT(-EPERM, change_rights(&theirs, ALL_RIGHTS));
	EXPECT(scene.key, theirs.rkey);
	TRY(change_rights(&theirs, 0));
	TRY(change_rights(&theirs, IBV_ACCESS_REMOTE_READ));
	EXPECT(scene.key, theirs.rkey);
	TRY(post_rdma(client, 1, IBV_WR_RDMA_READ, &in, (uintptr_t)scene.mem, scene.key));
	if (!completes(client, 1, IBV_WC_SUCCESS, &wc) || !pattern_matches(client->mem, SIZE, 5))
		return false;
	TRY(change_memory(&theirs, scene.other, SIZE));
	TRY(change_rights(&theirs, ALL_RIGHTS));
	*scene.mr = theirs;
	return peer_has_all(scene.other, 6) && untouched(scene.mem);
}

/* --- another protection domain --- */

static bool into_our_pd(void)
{
	if (!set_scene(ALL_RIGHTS, true))
		return false;
	EXPECT(-EBUSY, verbs(ibv_dealloc_pd(scene.other_pd)));
	TRY(change(scene.mr, CHANGE_PD, NULL, 0, -1, scene.pair.server.pd));
	EXPECT(scene.key, scene.mr->rkey);
	if (!peer_has_all(scene.mem, 1))
		return false;
	TRY(verbs(ibv_dealloc_pd(scene.other_pd)));
	TRY(got(scene.other_pd = ibv_alloc_pd(scene.pair.server.id->verbs)));
	return clear_scene();
}

static bool out_of_our_pd(void)
{
	if (!set_scene(ALL_RIGHTS, false) || !peer_has_all(scene.mem, 1))
		return false;
	TRY(change(scene.mr, CHANGE_PD, NULL, 0, -1, scene.other_pd));
	EXPECT(scene.key, scene.mr->rkey);
	EXPECT(-EBUSY, verbs(ibv_dealloc_pd(scene.other_pd)));
	return peer_is_refused(refused.opcode, scene.mem, scene.key) && clear_scene();
}

/* --- receives that are posted before a change --- */

/*
 * A change of the region, by @flags and @access, while a receive waits: into the other memory, if
 * the memory changes, and into the other PD. @status is that with which the receive completes.
 */
struct change_of_receive {
	const char *what;
	uint32_t flags;
	int access;
	enum ibv_wc_status status;
};

static const struct change_of_receive changes[] = {
	{ "a receive waits, and may still write", CHANGE_RIGHTS, IBV_ACCESS_LOCAL_WRITE,
	  IBV_WC_SUCCESS },
	{ "a receive waits, and may not write any more", CHANGE_RIGHTS, 0, IBV_WC_LOC_PROT_ERR },
	{ "a receive waits, of another protection domain", CHANGE_PD, -1, IBV_WC_LOC_PROT_ERR },
	{ "a receive waits, with the old key", CHANGE_MEMORY, -1, IBV_WC_LOC_PROT_ERR },
};

static const struct change_of_receive *of_receive;

/* Expects that the receive gets the message, or fails and writes nothing. */
static bool receive_waits(void)
{
	struct endpoint *client = &scene.pair.client, *server = &scene.pair.server;
	struct ibv_sge sge;
	struct ibv_wc wc;

	if (!set_scene(ALL_RIGHTS, false))
		return false;
	sge = (struct ibv_sge) {
		.addr = (uintptr_t)scene.mem, .length = SIZE, .lkey = scene.mr->lkey,
	};
	TRY(post_recv_sge(server, 5, &sge));
	TRY(change(scene.mr, of_receive->flags, scene.other, SIZE, of_receive->access,
		   scene.other_pd));
	pattern_fill(client->mem, SIZE, 9);
	TRY(post_send(client, 6, 0, SIZE));
	if (!completes(server, 5, of_receive->status, &wc))
		return false;
	if (of_receive->status == IBV_WC_SUCCESS)
		return pattern_matches(scene.mem, SIZE, 9) &&
		       bytes_are(scene.mem - PAGE, PAGE, CANARY) &&
		       bytes_are(scene.mem + SIZE, PAGE, CANARY) && clear_scene();
	return expect_async(client, IBV_EVENT_QP_FATAL) && pair_is_over(&scene.pair) &&
	       untouched(scene.mem) && untouched(scene.other) && clear_scene();
}

#define READ_WR_ID	100

/* Posts WRITEs to the region, and a READ from the same memory behind them. */
static bool post_traffic(void)
{
	struct endpoint *client = &scene.pair.client;
	struct ibv_sge out = sge_of(client, 0, SIZE), in = sge_of(client, SIZE, SIZE);
	uint64_t addr = (uintptr_t)scene.mem;

	for (int i = 0; i < QUEUE_DEPTH / 4; i++)
		TRY(post_rdma(client, i, IBV_WR_RDMA_WRITE, &out, addr, scene.key));
	TRY(post_rdma(client, READ_WR_ID, IBV_WR_RDMA_READ, &in, addr, scene.key));
	return true;
}

static bool change_until_read(void)
{
	const int rights[] = { ALL_RIGHTS, ALL_RIGHTS | IBV_ACCESS_REMOTE_ATOMIC };
	int64_t end = now_ms() + patience_ms();
	struct ibv_wc wc;

	for (int i = 0; now_ms() < end; i++) {
		TRY(change(scene.mr, CHANGE_RIGHTS | CHANGE_PD, NULL, 0, rights[i % 2],
			   scene.pair.server.pd));
		if (ibv_poll_cq(scene.pair.client.cq, 1, &wc) != 1)
			continue;
		EXPECT(IBV_WC_SUCCESS, wc.status);
		if (wc.wr_id == READ_WR_ID)
			return true;
	}
	printf("# the READ does not complete\n");
	return false;
}

/* Expects that accesses which are allowed before and after a change succeed during the change. */
static bool under_traffic(void)
{
	struct endpoint *client = &scene.pair.client;

	if (!set_scene(ALL_RIGHTS, false))
		return false;
	for (uint32_t message = 0; message < 30; message++) {
		pattern_fill(client->mem, SIZE, message);
		if (!post_traffic() || !change_until_read())
			return false;
		if (!pattern_matches(client->mem + SIZE, SIZE, message) ||
		    !pattern_matches(scene.mem, SIZE, message))
			return false;
	}
	EXPECT(scene.key, scene.mr->rkey);
	return clear_scene();
}

/* --- a peer that wants to invalidate a region --- */

/* Expects that the peer's Send with Invalidate ends the connection, and its receive is flushed. */
static bool invalidation_is_refused(void)
{
	struct endpoint *client = &scene.pair.client, *server = &scene.pair.server;
	struct ibv_sge sge = sge_of(client, 0, 1);
	struct ibv_send_wr wr = {
		.wr_id = 7,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND_WITH_INV,
		.send_flags = IBV_SEND_SIGNALED,
		.invalidate_rkey = scene.key,
	};
	struct ibv_wc wc;

	TRY(post_recv(server, 8, 0, 1));
	wr.wr.rdma.rkey = scene.key;
	TRY(post_request(client, &wr));
	return completes(server, 8, IBV_WC_WR_FLUSH_ERR, &wc) &&
	       expect_async(server, IBV_EVENT_QP_ACCESS_ERR) &&
	       expect_async(client, IBV_EVENT_QP_FATAL) && pair_is_over(&scene.pair);
}

/*
 * Expects that the region is still valid, on another connection. A peer must not invalidate the
 * region of a process, because the process could not make the region valid again.
 */
static bool stays_valid(void)
{
	struct conn_pair first;

	if (!set_scene(ALL_RIGHTS, false) || !invalidation_is_refused())
		return false;
	first = scene.pair;
	if (!pair_open(&scene.pair, 2 * SIZE, false))
		return false;
	TRY(change(scene.mr, CHANGE_PD, NULL, 0, -1, scene.pair.server.pd));
	EXPECT(scene.key, scene.mr->rkey);
	return peer_has_all(scene.mem, 1) && clear_scene() && pair_close(&first);
}

/* --- what is refused --- */

/* An invalid command, and the errno with which it fails. */
struct bad {
	const char *what;
	struct ib_uverbs_rereg_mr cmd;
	int error;
};

/*
 * Stand for the handles of scene.other_pd and scene.mr in bads[]. try_bad() replaces each member
 * that is 0: mr_handle by the handle of scene.mr, pd_handle by the handle of scene.other_pd, start
 * by the address of scene.other, and hca_va by start.
 */
#define PD_HANDLE	1
#define MR_HANDLE	2

static const struct bad bads[] = {
	{ "no flag", { .flags = 0 }, EINVAL },
	{ "an undefined flag", { .flags = 8 }, EOPNOTSUPP },
	{ "all flags", { .flags = UINT32_MAX }, EOPNOTSUPP },
	{ "an unused handle", { .flags = CHANGE_RIGHTS, .mr_handle = UINT32_MAX }, ENOENT },
	{ "a PD's handle", { .flags = CHANGE_RIGHTS, .mr_handle = PD_HANDLE }, EINVAL },
	{ "an unused PD handle", { .flags = CHANGE_PD, .pd_handle = UINT32_MAX }, ENOENT },
	{ "the handle of a region for a PD",
	  { .flags = CHANGE_PD, .pd_handle = MR_HANDLE }, EINVAL },
	{ "remote without local rights",
	  { .flags = CHANGE_RIGHTS, .access_flags = IBV_ACCESS_REMOTE_WRITE }, EINVAL },
	{ "zero-based addresses",
	  { .flags = CHANGE_RIGHTS, .access_flags = IBV_ACCESS_ZERO_BASED }, EOPNOTSUPP },
	{ "on-demand paging",
	  { .flags = CHANGE_RIGHTS, .access_flags = IBV_ACCESS_ON_DEMAND }, EOPNOTSUPP },
	{ "undefined rights", { .flags = CHANGE_RIGHTS, .access_flags = 1 << 19 }, EINVAL },
	{ "undefined rights, with other changes",
	  { .flags = CHANGE_MEMORY | CHANGE_PD | CHANGE_RIGHTS, .length = SIZE,
	    .access_flags = 1 << 19 }, EINVAL },
	{ "a length of 0", { .flags = CHANGE_MEMORY }, EINVAL },
	{ "more than max_mr_size", { .flags = CHANGE_MEMORY, .length = MAX_MR + 1 }, EINVAL },
	{ "the longest length", { .flags = CHANGE_MEMORY, .length = UINT64_MAX }, EINVAL },
	{ "unmapped memory", { .flags = CHANGE_MEMORY, .length = 1ull << 32 }, EFAULT },
	{ "kernel memory",
	  { .flags = CHANGE_MEMORY, .start = 1ull << 63, .hca_va = 1ull << 63, .length = PAGE },
	  EFAULT },
	{ "different offsets in a page",
	  { .flags = CHANGE_MEMORY, .hca_va = 1, .length = PAGE }, EINVAL },
};

static int try_bad(const struct bad *bad)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct ib_uverbs_rereg_mr cmd = bad->cmd;

	if (!cmd.mr_handle)
		cmd.mr_handle = scene.mr->handle;
	else if (cmd.mr_handle == PD_HANDLE)
		cmd.mr_handle = scene.other_pd->handle;
	if (!cmd.pd_handle)
		cmd.pd_handle = scene.other_pd->handle;
	else if (cmd.pd_handle == MR_HANDLE)
		cmd.pd_handle = scene.mr->handle;
	if (!cmd.start)
		cmd.start = (uintptr_t)scene.other;
	if (!cmd.hca_va)
		cmd.hca_va = cmd.start;
	return asked(scene.mr->context->cmd_fd, REREG_MR, cmd, resp);
}

/* Expects that an invalid command changes neither the region nor the amount of pinned memory. */
static bool bad_requests(void)
{
	long before;

	if (!set_scene(ALL_RIGHTS, false))
		return false;
	before = pinned();
	for (size_t i = 0; i < ARRAY_SIZE(bads); i++) {
		int ret = try_bad(&bads[i]);

		if (ret != -bads[i].error)
			printf("# %s:\n", bads[i].what);
		EXPECT(-bads[i].error, ret);
		EXPECT(before, pinned());
		if (!peer_has_all(scene.mem, 2 * i))
			return false;
	}
	TRY(verbs(ibv_dealloc_pd(scene.other_pd)));
	TRY(got(scene.other_pd = ibv_alloc_pd(scene.pair.server.id->verbs)));
	return untouched(scene.other) && clear_scene();
}

/* Expects that the old and the new memory count against RLIMIT_MEMLOCK at the same time. */
static bool locked_memory(void)
{
	const struct rlimit limit = { .rlim_cur = 4 * PAGE, .rlim_max = 4 * PAGE };
	struct rdma_cm_id *listener;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	uint8_t *mem;

	TRY(sys(setrlimit(RLIMIT_MEMLOCK, &limit)));
	TRY(sys(setuid(NOBODY_UID)));
	TRY(listener_id(NULL, &listener));
	TRY(got(pd = ibv_alloc_pd(listener->verbs)));
	TRY(memory_alloc(&mem, 4 * PAGE));
	TRY(got(mr = ibv_reg_mr(pd, mem, 2 * PAGE, ALL_RIGHTS)));
	EXPECT(-ENOMEM, change_memory(mr, mem, 2 * PAGE + 1));
	EXPECT(2 * PAGE, pinned());
	TRY(change_memory(mr, mem + PAGE, 2 * PAGE));
	EXPECT(2 * PAGE, pinned());
	TRY(verbs(ibv_dereg_mr(mr)));
	EXPECT(0, pinned());
	TRY(verbs(ibv_dealloc_pd(pd)));
	return true;
}

/* --- an answer that is not written yet --- */

static void *change_rights_thread(void *resp)
{
	struct ib_uverbs_rereg_mr cmd = {
		.mr_handle = scene.mr->handle,
		.flags = CHANGE_RIGHTS,
		.access_flags = ALL_RIGHTS,
	};

	return (void *)(intptr_t)asked(scene.mr->context->cmd_fd, REREG_MR, cmd,
				       *(struct ib_uverbs_rereg_mr_resp *)resp);
}

/*
 * Expects that a region can be used and changed while an earlier call, which has changed the
 * region, waits for the page that its response is written to.
 */
static bool unanswered_change(void)
{
	struct ib_uverbs_rereg_mr_resp *resp;
	void *page, *ret;
	pthread_t thread;
	int fault;

	if (!set_scene(IBV_ACCESS_LOCAL_WRITE, false))
		return false;
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	EXPECT(1, page != MAP_FAILED);
	TRY(fault = late_page_open(page));
	TRY(-pthread_create(&thread, NULL, change_rights_thread, page));
	TRY(late_page_wanted(fault, patience_ms()));
	if (!peer_has_all(scene.mem, 1))
		return false;
	TRY(change_memory(scene.mr, scene.other, SIZE));
	TRY(late_page_provide(fault, page));
	TRY(-pthread_join(thread, &ret));
	EXPECT(0, (intptr_t)ret);
	resp = page;
	EXPECT(scene.key, resp->rkey);
	return peer_has_all(scene.other, 3) && clear_scene();
}

/* The tests, and what the peer requests in those that expect it to be refused. */
static const struct {
	const char *what;
	bool (*test)(void);
	enum ibv_wr_opcode opcode;
	bool in_other;
} tests[] = {
	{ "other memory", other_memory },
	{ "a WRITE by the old key to the old memory", old_key, IBV_WR_RDMA_WRITE },
	{ "a WRITE by the old key to the new memory", old_key, IBV_WR_RDMA_WRITE, true },
	{ "a READ by the old key of the old memory", old_key, IBV_WR_RDMA_READ },
	{ "a READ by the old key of the new memory", old_key, IBV_WR_RDMA_READ, true },
	{ "memory, rights and protection domain at once", all_at_once },
	{ "other memory has the old rights", rights_stay },
	{ "other memory at an address of its own", other_address },
	{ "a WRITE without the right any more", right_taken, IBV_WR_RDMA_WRITE },
	{ "a READ without the right any more", right_taken, IBV_WR_RDMA_READ },
	{ "rights that are new", rights_given },
	{ "a right to write to what was read only", writing_wanted },
	{ "the old key of what was read only", old_key_after_writing_wanted },
	{ "a right to write to what the process may not", writing_not_possible },
	{ "a right to write to another process's memory", writing_wanted_by_another },
	{ "a peer finds it in its protection domain", into_our_pd },
	{ "a WRITE into another protection domain", out_of_our_pd, IBV_WR_RDMA_WRITE },
	{ "a READ from another protection domain", out_of_our_pd, IBV_WR_RDMA_READ },
};

void test_rereg(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		refused.opcode = tests[i].opcode;
		refused.in_other = tests[i].in_other;
		run(tests[i].what, tests[i].test);
	}
	for (of_receive = changes; of_receive < changes + ARRAY_SIZE(changes); of_receive++)
		run(of_receive->what, receive_waits);
	run("rights change under traffic", under_traffic);
	run("a peer cannot invalidate the region", stays_valid);
	run("requests that are refused change nothing", bad_requests);
	run("no memory can be locked for the new one", locked_memory);
	if (has_userfaultfd())
		run("a change that is not answered yet", unanswered_change);
	else
		printf("# rereg: no unanswered change, because this kernel has no userfaultfd\n");
}
