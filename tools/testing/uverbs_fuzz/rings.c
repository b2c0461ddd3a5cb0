// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: the queues that processes share with siw. Threads write valid and invalid work
 * requests while the kernel reads the queues.
 */
#include <string.h>

#include "uverbs_fuzz.h"

#define SMALL_MESSAGE	256
#define NUM_SGES	3
/* Invalid requests are rare, because each ends its connection, and a queue holds many requests. */
#define RARELY		1024

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
		rqes[i].id = random_u64(&f->rng);
		rqes[i].num_sge = 1;
		fill_sge(f, &rqes[i].sge[0], &mr);
		rqes[i].sge[0].length = mr.len;
		if (one_in(&f->rng, RARELY))
			rqes[i].num_sge = odd_value(&f->rng);
		__atomic_store_n(&rqes[i].flags, SIW_WQE_VALID, __ATOMIC_RELEASE);
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
	struct object other;

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
	/* Aims at a region of any file, because the peer may be a QP of the same process. */
	if (one_in(&f->rng, RARELY / 8) && pool_any(f, any_file(f), MR, &other)) {
		sqe->raddr = other.addr;
		sqe->rkey = other.stag;
	}
	if (one_in(&f->rng, RARELY / 8)) {
		fill_bind(f, file, sqe, mr);
	} else if (sqe->opcode != SIW_OP_READ && one_in(&f->rng, 8)) {
		flags |= SIW_WQE_INLINE;
		sqe->sge[0].length = number(&f->rng, 0, SIW_MAX_INLINE);
		for (int i = 1; i < SIW_MAX_SGE; i++)
			sqe->sge[i].laddr = random_u64(&f->rng);
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

void work_on_rings(struct fuzzer *f, struct verbs_file *file)
{
	struct posting posting;
	struct object queue;

	/* Works mostly on the first file, because most of the connections are there. */
	if (!one_in(&f->rng, 3))
		file = &verbs_files[0];
	posting.file = file;
	/* Posts receives to queues of connected QPs, and to an SRQ. */
	for (int i = 0; i < 4; i++)
		if (pool_use_qp(f, file, CONNECTED, CONNECTED, &queue))
			post_receives(f, file, &queue);
	if (pool_any(f, file, SRQ, &queue))
		post_receives(f, file, &queue);
	if ((pool_use_qp(f, file, CONNECTED, CONNECTED, &posting.queue) ||
	     pool_any(f, file, QP, &posting.queue)) &&
	    posting.queue.sq.mem) {
		guarded(do_post_sends, f, &posting);
		ring_doorbell(f, file, posting.queue.handle);
	}
	for (unsigned int i = 0; i < file->count[CQ]; i++)
		if (pool_any(f, file, CQ, &posting.queue) && posting.queue.rq.mem)
			guarded(do_consume, f, &posting);
}

/* --- scribbling --- */

struct scribbling {
	uint8_t *mem;
	size_t size;
};

/* Overwrites some bytes, in half of the calls, otherwise all of them. */
static void do_scribble(struct fuzzer *f, void *arg)
{
	struct scribbling *scribbling = arg;
	uint64_t *words = (uint64_t *)scribbling->mem;
	unsigned int count = 1 + pick(&f->rng, 64);

	switch (pick(&f->rng, 4)) {
	case 0:
		memset(scribbling->mem, odd_value(&f->rng), scribbling->size);
		break;
	case 1:
		for (size_t i = 0; i < scribbling->size / 8; i++)
			words[i] = one_in(&f->rng, 2) ? random_u64(&f->rng) : 0;
		break;
	default:
		while (count--) {
			size_t at = pick(&f->rng, scribbling->size / 8) * 8 + pick(&f->rng, 8);

			scribbling->mem[at] = odd_value(&f->rng);
		}
		break;
	}
}

void scribble(struct fuzzer *f, struct verbs_file *file)
{
	struct scribbling scribbling = { any_slot(f), (1 + pick(&f->rng, 4)) * PAGE };
	struct object qp;

	guarded(do_scribble, f, &scribbling);
	if (pool_any(f, file, QP, &qp))
		ring_doorbell(f, file, qp.handle);
}
