// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: the queues that processes share with siw. Threads write valid and invalid work
 * requests while the kernel reads the queues, and remove and change mappings.
 */
#include <string.h>
#include <sys/mman.h>

#include "uverbs_fuzz.h"

#define SMALL_MESSAGE	256
#define NUM_SGES	3
/* Invalid requests are rare, because each ends its connection, and a queue holds many requests. */
#define RARELY		1024

/* --- mapping --- */

/*
 * The key of the queue that was mapped last. The keys of other queues, also of other processes, are
 * near this key.
 */
static atomic_ullong last_key;

static size_t pages(size_t size)
{
	return (size + PAGE - 1) / PAGE * PAGE;
}

struct ring ring_map(struct fuzzer *f, int fd, uint64_t key, uint32_t entries, size_t size)
{
	struct ring ring = { .entries = entries };
	void *mem;

	last_key = key;
	if (!entries || pages(size) > SLOT_SIZE || one_in(&f->rng, 64))
		return (struct ring) {};
	mem = mmap(next_slot(), pages(size), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd,
		   key);
	stats_count(FILES, MAP_RING, mem != MAP_FAILED);
	if (mem == MAP_FAILED)
		return (struct ring) {};
	ring.mem = mem;
	return ring;
}

void map_cq(struct fuzzer *f, struct verbs_file *file, struct object *cq,
	    const struct siw_uresp_create_cq *resp)
{
	cq->rq = ring_map(f, file->fd, resp->cq_key, resp->num_cqe,
			  resp->num_cqe * sizeof(struct siw_cqe) + sizeof(struct siw_cq_ctrl));
}

void map_qp(struct fuzzer *f, struct verbs_file *file, struct object *qp,
	    const struct siw_uresp_create_qp *resp)
{
	qp->sq = ring_map(f, file->fd, resp->sq_key, resp->num_sqe,
			  resp->num_sqe * sizeof(struct siw_sqe));
	qp->rq = ring_map(f, file->fd, resp->rq_key, resp->num_rqe,
			  resp->num_rqe * sizeof(struct siw_rqe));
}

void map_srq(struct fuzzer *f, struct verbs_file *file, struct object *srq,
	     const struct siw_uresp_create_srq *resp)
{
	srq->rq = ring_map(f, file->fd, resp->srq_key, resp->num_rqe,
			   resp->num_rqe * sizeof(struct siw_rqe));
}

static void map_wrong(struct fuzzer *f, struct verbs_file *file)
{
	uint64_t near = last_key + (pick(&f->rng, 24) - 16ull) * PAGE;
	uint64_t key = one_in(&f->rng, 2) ? odd_value(&f->rng) : near;
	int flags = one_in(&f->rng, 4) ? MAP_PRIVATE : MAP_SHARED;
	void *mem;

	mem = mmap(next_slot(), (1 + pick(&f->rng, 32)) * PAGE, pick(&f->rng, 8),
		   flags | MAP_FIXED, file->fd, key);
	stats_count(FILES, MAP_WRONG, mem != MAP_FAILED);
}

/* Changes the mapping of one or a few pages of a slot. */
void disturb_mapping(struct fuzzer *f, struct verbs_file *file)
{
	uint8_t *at = any_slot(f) + (one_in(&f->rng, 2) ? pick(&f->rng, 4) * PAGE : 0);
	size_t size = (1 + pick(&f->rng, 4)) * PAGE;
	void *mem;

	switch (pick(&f->rng, 6)) {
	case 0:
		map_wrong(f, file);
		break;
	case 1: /* replaces the mapping, so that no gap is left for other mappings */
		mem = mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		stats_count(FILES, UNMAP_RING, mem != MAP_FAILED);
		break;
	case 2: /* an old size of 0 creates another mapping of the same pages */
		mem = mremap(at, one_in(&f->rng, 4) ? 0 : PAGE, (1 + pick(&f->rng, 2)) * PAGE,
			     MREMAP_MAYMOVE | MREMAP_FIXED, next_slot());
		stats_count(FILES, MOVE_RING, mem != MAP_FAILED);
		/* Closes the gap before another mapping is placed there. */
		mmap(at, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		break;
	case 3:
		stats_count(FILES, PROTECT_RING,
			    !mprotect(at, size, PROT_READ | pick(&f->rng, 2) * PROT_WRITE));
		break;
	default:
		stats_count(FILES, ADVISE_RING, !madvise(at, size, pick(&f->rng, 24)));
		break;
	}
}

/* --- requests --- */

/* A queue that a thread posts to. */
struct posting {
	struct verbs_file *file;
	struct object queue;
};

static void fill_sge(struct fuzzer *f, struct siw_sge *sge, const struct object *mr)
{
	*sge = (struct siw_sge) {
		.laddr = mr->addr,
		.length = pick(&f->rng, SMALL_MESSAGE / NUM_SGES),
		.lkey = mr->stag,
	};
	if (one_in(&f->rng, RARELY))
		sge->length = odd_value(&f->rng);
	if (one_in(&f->rng, RARELY))
		sge->laddr = odd_value(&f->rng);
	if (one_in(&f->rng, RARELY))
		sge->lkey ^= 1 << pick(&f->rng, 32);
}

static void fill_receive(struct fuzzer *f, struct siw_rqe *rqe, const struct object *mr)
{
	rqe->id = random_u64(&f->rng);
	rqe->num_sge = 1;
	fill_sge(f, &rqe->sge[0], mr);
	rqe->sge[0].length = mr->len;
	if (one_in(&f->rng, RARELY))
		rqe->num_sge = odd_value(&f->rng);
	__atomic_store_n(&rqe->flags, SIW_WQE_VALID, __ATOMIC_RELEASE);
}

static void do_post_receives(struct fuzzer *f, void *arg)
{
	struct posting *posting = arg;
	struct siw_rqe *rqes = (void *)posting->queue.rq.mem;
	struct object mr;

	for (uint32_t i = 0; i < posting->queue.rq.entries; i++) {
		if (__atomic_load_n(&rqes[i].flags, __ATOMIC_ACQUIRE) & SIW_WQE_VALID)
			continue;
		if (!pool_region(f, posting->file, posting->queue.pd, &mr))
			return;
		if (mr.len < SMALL_MESSAGE)
			continue;
		fill_receive(f, &rqes[i], &mr);
	}
}

void post_receives(struct fuzzer *f, struct verbs_file *file, const struct object *queue)
{
	struct posting posting = { file, *queue };

	if (queue->rq.mem)
		guarded(do_post_receives, f, &posting);
}

static uint8_t any_opcode(struct fuzzer *f)
{
	static const uint8_t good[] = { SIW_OP_SEND, SIW_OP_SEND, SIW_OP_WRITE, SIW_OP_READ };

	if (one_in(&f->rng, RARELY / 4))
		return odd_value(&f->rng);
	if (one_in(&f->rng, RARELY / 4))
		return pick(&f->rng, 2) ? SIW_OP_READ_LOCAL_INV : SIW_OP_SEND_REMOTE_INV;
	return good[pick(&f->rng, ARRAY_SIZE(good))];
}

static uint16_t any_flags(struct fuzzer *f)
{
	uint16_t flags = SIW_WQE_VALID;

	if (!one_in(&f->rng, 4))
		flags |= SIW_WQE_SIGNALLED;
	if (one_in(&f->rng, 4))
		flags |= SIW_WQE_SOLICITED;
	if (one_in(&f->rng, 8))
		flags |= SIW_WQE_READ_FENCE;
	if (one_in(&f->rng, RARELY / 4))
		flags |= odd_value(&f->rng);
	return flags;
}

/*
 * Aims a WRITE or READ at a region of any file, because the peer may be a QP of the same process.
 */
static void fill_remote(struct fuzzer *f, struct siw_sqe *sqe)
{
	struct object mr;

	if (!pool_any(f, any_file(f), MR, &mr))
		return;
	sqe->raddr = mr.addr;
	sqe->rkey = mr.stag;
}

static void fill_inline(struct fuzzer *f, struct siw_sqe *sqe)
{
	sqe->sge[0].length = number(&f->rng, 0, SIW_MAX_INLINE);
	for (int i = 1; i < SIW_MAX_SGE; i++)
		sqe->sge[i].laddr = random_u64(&f->rng);
}

/* Binds a window of this file, unbinds it, or invalidates it. */
static void fill_bind(struct fuzzer *f, struct verbs_file *file, struct siw_sqe *sqe,
		      const struct object *mr)
{
	struct object mw;

	if (!pool_any(f, file, MW, &mw))
		return;
	sqe->rkey = one_in(&f->rng, 4) ? mw.stag ^ pick(&f->rng, 256) : mw.stag;
	sqe->opcode = one_in(&f->rng, 4) ? SIW_OP_INVAL_STAG : SIW_OP_REG_MR;
	/* The rights of peers to write and to read. */
	sqe->raddr = number(&f->rng, 1, 3) << 1;
	sqe->num_sge = !one_in(&f->rng, 8);
	sqe->sge[0] = (struct siw_sge) { .laddr = mr->addr, .lkey = mr->stag };
	sqe->sge[0].length = number(&f->rng, 1, SMALL_MESSAGE);
}

/* Fills an entry of the send queue. A READ gets one SGE. */
static void fill_send(struct fuzzer *f, struct verbs_file *file, struct siw_sqe *sqe,
		      const struct object *mr, const struct object *target)
{
	uint16_t flags = any_flags(f);

	sqe->id = random_u64(&f->rng);
	sqe->opcode = any_opcode(f);
	sqe->num_sge = sqe->opcode == SIW_OP_READ ? 1 : pick(&f->rng, NUM_SGES + 1);
	for (int i = 0; i < NUM_SGES; i++)
		fill_sge(f, &sqe->sge[i], mr);
	/* Sends stay short, because a receive of the peer may have less room than mr->len. */
	if (sqe->opcode != SIW_OP_SEND && one_in(&f->rng, 8))
		sqe->sge[0].length = mr->len;
	sqe->raddr = target->addr;
	sqe->rkey = target->stag;
	if (one_in(&f->rng, RARELY / 8))
		fill_remote(f, sqe);
	if (one_in(&f->rng, RARELY / 8)) {
		fill_bind(f, file, sqe, mr);
	} else if (sqe->opcode != SIW_OP_READ && one_in(&f->rng, 8)) {
		flags |= SIW_WQE_INLINE;
		fill_inline(f, sqe);
	}
	if (one_in(&f->rng, RARELY))
		sqe->num_sge = odd_value(&f->rng);
	__atomic_store_n(&sqe->flags, flags, __ATOMIC_RELEASE);
}

/*
 * Only the kernel knows which entry it reads next. So this function posts a random number of
 * requests to the free entries, from the first entry of the queue on.
 */
static void do_post_sends(struct fuzzer *f, void *arg)
{
	struct posting *posting = arg;
	struct siw_sqe *sqes = (void *)posting->queue.sq.mem;
	struct object mr, target;

	for (uint32_t i = 0; i < posting->queue.sq.entries; i++) {
		if (__atomic_load_n(&sqes[i].flags, __ATOMIC_ACQUIRE) & SIW_WQE_VALID)
			continue;
		if (!pool_region(f, posting->file, posting->queue.pd, &mr) ||
		    !pool_region(f, posting->file, posting->queue.pd, &target))
			return;
		fill_send(f, posting->file, &sqes[i], &mr, &target);
		if (one_in(&f->rng, 16))
			return;
	}
}

/* --- completions --- */

static void do_consume(struct fuzzer *f, void *arg)
{
	struct posting *posting = arg;
	struct siw_cqe *cqes = (void *)posting->queue.rq.mem;
	struct siw_cq_ctrl *ctrl = (void *)(cqes + posting->queue.rq.entries);

	for (uint32_t i = 0; i < posting->queue.rq.entries; i++) {
		if (!(__atomic_load_n(&cqes[i].flags, __ATOMIC_ACQUIRE) & SIW_WQE_VALID))
			continue;
		stats_count(COMPLETION, cqes[i].opcode, !cqes[i].status);
		if (!one_in(&f->rng, 64))
			__atomic_store_n(&cqes[i].flags, 0, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&ctrl->flags, number(&f->rng, SIW_NOTIFY_SOLICITED, SIW_NOTIFY_ALL),
			 __ATOMIC_SEQ_CST);
}

static void consume(struct fuzzer *f, struct verbs_file *file)
{
	struct posting posting = { .file = file };

	for (unsigned int i = 0; i < file->count[CQ]; i++)
		if (pool_any(f, file, CQ, &posting.queue) && posting.queue.rq.mem)
			guarded(do_consume, f, &posting);
}

/* Copies a QP, preferably a connected one. Returns false if the file has no QP. */
static bool any_qp(struct fuzzer *f, struct verbs_file *file, struct object *qp)
{
	return pool_qp_in_use(f, file, CONNECTED, qp) || pool_any(f, file, QP, qp);
}

/* Posts receives to queues of connected QPs, and to an SRQ. */
static void refill(struct fuzzer *f, struct verbs_file *file)
{
	struct object queue;

	for (int i = 0; i < 4; i++)
		if (pool_qp_in_use(f, file, CONNECTED, &queue))
			post_receives(f, file, &queue);
	if (pool_any(f, file, SRQ, &queue))
		post_receives(f, file, &queue);
}

void work_on_rings(struct fuzzer *f, struct verbs_file *file)
{
	struct posting posting;

	/* Works mostly on the first file, because most of the connections are there. */
	if (!one_in(&f->rng, 3))
		file = &verbs_files[0];
	posting.file = file;
	refill(f, file);
	if (any_qp(f, file, &posting.queue) && posting.queue.sq.mem) {
		guarded(do_post_sends, f, &posting);
		ring_doorbell(f, file, posting.queue.handle);
	}
	consume(f, file);
}

/* --- scribbling --- */

struct scribbling {
	uint8_t *mem;
	size_t size;
};

static void scribble_bytes(struct fuzzer *f, void *arg)
{
	struct scribbling *scribbling = arg;
	unsigned int count = 1 + pick(&f->rng, 64);

	while (count--) {
		size_t at = pick(&f->rng, scribbling->size / 8) * 8 + pick(&f->rng, 8);

		scribbling->mem[at] = odd_value(&f->rng);
	}
}

static void scribble_all(struct fuzzer *f, void *arg)
{
	struct scribbling *scribbling = arg;
	uint64_t *words = (uint64_t *)scribbling->mem;

	for (size_t i = 0; i < scribbling->size / 8; i++)
		words[i] = one_in(&f->rng, 2) ? random_u64(&f->rng) : 0;
}

static void fill_all(struct fuzzer *f, void *arg)
{
	struct scribbling *scribbling = arg;

	memset(scribbling->mem, odd_value(&f->rng), scribbling->size);
}

void scribble(struct fuzzer *f, struct verbs_file *file)
{
	static void (*const ways[])(struct fuzzer *f, void *arg) = {
		scribble_bytes, scribble_bytes, scribble_all, fill_all,
	};
	struct scribbling scribbling = { any_slot(f), (1 + pick(&f->rng, 4)) * PAGE };
	struct object qp;

	guarded(ways[pick(&f->rng, ARRAY_SIZE(ways))], f, &scribbling);
	if (pool_any(f, file, QP, &qp))
		ring_doorbell(f, file, qp.handle);
}
