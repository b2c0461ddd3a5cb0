// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: maps the queues that processes share with siw, and removes and changes mappings
 * while the kernel and other threads use the queues.
 */
#include <sys/mman.h>

#include "uverbs_fuzz.h"

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
