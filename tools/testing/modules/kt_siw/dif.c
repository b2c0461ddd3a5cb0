// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_siw_dif.ko: tests of siw's regions with protection information, end to end. Host A has the
 * region, and its data goes to and comes from a plain buffer of host B, each way that there is. The
 * memory of both hosts, and the reported errors, are compared with the model of the unit tests.
 */
#include <linux/irqflags.h>
#include <linux/slab.h>
#include <rdma/krdma.h>
#include <rdma/rw.h>

#include "link.h"
#include "tools/testing/unit/dif_model.h"

KRDMA_NEEDS_IB_CORE;

#define SEGS		64
#define POISON		0x5a
#define GAP		5	/* bytes between the elements of an odd list */
#define ROOM		(32 * 1024)
#define ACCESS		(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)

/* The ways of the data. */
enum way {
	WAY_READ,	/* A reads B's buffer into the region */
	WAY_WRITE,	/* A writes the region to B's buffer */
	WAY_PEER_WRITE,	/* B writes its buffer to the region */
	WAY_PEER_READ,	/* B reads the region */
	WAY_SEND,	/* A sends the region */
	WAY_RECV,	/* A receives into the region */
	WAY_RW_READ,	/* as WAY_READ, by a context of rdma_rw */
	WAY_RW_WRITE,	/* as WAY_WRITE, by a context of rdma_rw */
};

/* What the domains do. */
enum pi_kind { PLAIN, INSERT, STRIP, PASS, TRANSLATE, NUM_KINDS };
/* What is wrong in the protection information of interval 1. */
enum pi_fault { NOTHING, GUARD, DATA, APP_TAG, REF_TAG, ESCAPED, NUM_FAULTS };

/* A list of memory, with poison around its elements. */
struct memory {
	u8 *buf;
	struct scatterlist sg[SEGS];
	u32 nents;
};

/**
 * struct bench - what the transfers of a connection use
 * @t: the report
 * @link: the connection
 * @mr: A's region
 * @data: A's data
 * @meta: A's protection information
 * @peer: B's buffer
 * @m: the model of A's memory
 * @wire: what the model has on the wire
 * @odd: the lists have elements of odd lengths, with gaps
 */
struct bench {
	struct ktap *t;
	struct kt_link *link;
	struct ib_mr *mr;
	struct memory data, meta;
	u8 *peer;
	struct dif_model m;
	u8 *wire;
	bool odd;
};

static bool way_is_in(enum way by)
{
	return by == WAY_READ || by == WAY_PEER_WRITE || by == WAY_RECV || by == WAY_RW_READ;
}

/* Memory */

static void memory_layout(struct memory *mem, u32 len, bool odd)
{
	static const u32 lengths[] = { 1, 700, 3, 2048, 13, 517 };
	u8 *at = mem->buf + (odd ? GAP : 0);
	u32 piece;

	memset(mem->buf, POISON, ROOM);
	sg_init_table(mem->sg, SEGS);
	for (mem->nents = 0; len; len -= piece, at += piece + (odd ? GAP : 0)) {
		piece = min_t(u32, len, odd ? lengths[mem->nents % 6] : PAGE_SIZE);
		sg_set_buf(&mem->sg[mem->nents++], at, piece);
	}
	sg_mark_end(&mem->sg[mem->nents - 1]);
}

/* Copies flat memory into the list's elements. */
static void memory_write(struct memory *mem, const u8 *flat)
{
	u32 i;

	for (i = 0; i < mem->nents; flat += mem->sg[i++].length)
		memcpy(sg_virt(&mem->sg[i]), flat, mem->sg[i].length);
}

/* Returns whether the elements have the bytes of @flat, and all other bytes are poison. */
static bool memory_is(const struct memory *mem, const u8 *flat)
{
	const u8 *at = mem->buf;
	u32 i;

	for (i = 0; i < mem->nents; i++) {
		struct scatterlist *sg = (struct scatterlist *)&mem->sg[i];
		const u8 *begin = sg_virt(sg);

		if ((begin > at && memchr_inv(at, POISON, begin - at)) ||
		    memcmp(begin, flat, sg->length))
			return false;
		flat += sg->length;
		at = begin + sg->length;
	}
	return !memchr_inv(at, POISON, mem->buf + ROOM - at);
}

static void fill_random(u8 *p, size_t len)
{
	static u32 state = 1;

	for (; len; len--) {
		state = state * 1664525 + 1013904223;
		*p++ = state >> 24;
	}
}

/* Domains */

static struct ib_sig_domain domain(u16 interval, int type, enum ib_t10_dif_bg_type guard)
{
	return (struct ib_sig_domain) {
		.sig_type = IB_SIG_TYPE_T10_DIF,
		.sig.dif = {
			.bg_type = guard,
			.pi_interval = interval,
			.bg = 0x5678,
			.app_tag = 0x1234,
			.ref_tag = 0x7ffffffe,
			.ref_remap = type != 3,
			.app_escape = true,
			.ref_escape = type == 3,
			.apptag_check_mask = 0xffff,
		},
	};
}

static void set_attrs(struct bench *b, enum pi_kind kind, u16 interval, int type,
		      enum ib_t10_dif_bg_type guard, bool in)
{
	struct ib_sig_attrs *attrs = &b->m.attrs;
	struct ib_sig_domain dif = domain(interval, type, guard);
	struct ib_sig_domain *from = in ? &attrs->wire : &attrs->mem;
	struct ib_sig_domain *to = in ? &attrs->mem : &attrs->wire;

	*attrs = (struct ib_sig_attrs) { .check_mask = 0xff };
	from->sig.dif = dif.sig.dif;
	to->sig.dif = dif.sig.dif;
	if (kind == STRIP || kind == PASS || kind == TRANSLATE)
		*from = dif;
	if (kind == INSERT || kind == PASS || kind == TRANSLATE)
		*to = dif;
	if (kind == TRANSLATE) {
		to->sig.dif.bg_type = !guard;
		to->sig.dif.ref_tag = 9;
	}
	b->m.interval = interval;
	b->m.num = interval == 512 ? 5 : 3;
}

static void plant(u8 *pi, u8 *data, enum pi_fault fault)
{
	switch (fault) {
	case GUARD:
		pi[1] ^= 0x10;
		break;
	case DATA:
		data[77] ^= 1;
		break;
	case APP_TAG:
		pi[2] ^= 0x80;
		break;
	case REF_TAG:
		pi[7] ^= 4;
		break;
	case ESCAPED:
		memset(pi + 2, 0xff, 6);
		pi[0] ^= 0xff;
		break;
	default:
		break;
	}
}

/* Fills the memory of both hosts and of the model. What is read has right PI, but for @fault. */
static void prepare(struct bench *b, bool in, enum pi_fault fault)
{
	struct dif_model *m = &b->m;
	u32 stride = model_stride(m), i;

	fill_random(m->data, m->num * m->interval);
	for (i = 0; i < m->num; i++) {
		u8 *pi = m->meta + 8 * i, *at = b->wire + i * stride;

		model_right_pi(m, &m->attrs.mem.sig.dif, i, pi);
		memcpy(at, m->data + i * m->interval, m->interval);
		if (stride > m->interval)
			model_right_pi(m, &m->attrs.wire.sig.dif, i, at + m->interval);
		if (in && stride > m->interval && i == 1)
			plant(at + m->interval, at, fault);
		else if (!in && i == 1)
			plant(pi, m->data + m->interval, fault);
	}
	if (in) {
		fill_random(m->data, m->num * m->interval);
		fill_random(m->meta, m->num * 8);
	}
	memset(b->peer, POISON, ROOM);
	if (in)
		memcpy(b->peer, b->wire, m->num * stride);
	memory_layout(&b->data, m->num * m->interval, b->odd);
	memory_layout(&b->meta, m->num * 8, b->odd);
	memory_write(&b->data, m->data);
	memory_write(&b->meta, m->meta);
}

/* Registrations */

static int map(struct bench *b)
{
	struct ib_device *dev = b->link->hosts->a.dev;
	int ret;

	if (ib_dma_map_sg(dev, b->data.sg, b->data.nents, DMA_BIDIRECTIONAL) != b->data.nents ||
	    ib_dma_map_sg(dev, b->meta.sg, b->meta.nents, DMA_BIDIRECTIONAL) != b->meta.nents)
		return -EIO;
	*b->mr->sig_attrs = b->m.attrs;
	ret = ib_map_mr_sg_pi(b->mr, b->data.sg, b->data.nents, NULL, b->meta.sg, b->meta.nents,
			      NULL, PAGE_SIZE);
	ib_dma_unmap_sg(dev, b->data.sg, b->data.nents, DMA_BIDIRECTIONAL);
	ib_dma_unmap_sg(dev, b->meta.sg, b->meta.nents, DMA_BIDIRECTIONAL);
	return ret;
}

static int register_as(struct bench *b, enum ib_wr_opcode opcode, int access)
{
	struct ib_reg_wr reg = { .wr.opcode = opcode, .mr = b->mr, .access = access };

	ib_update_fast_reg_key(b->mr, ib_inc_rkey(b->mr->rkey));
	reg.key = b->mr->rkey;
	return kt_run(b->link->a->qp, &b->link->op[0], &reg.wr);
}

static bool register_mr(struct bench *b)
{
	return KT_EXPECT_EQ(b->t, map(b), 0) &&
	       KT_EXPECT_EQ(b->t, b->mr->length, b->m.num * model_stride(&b->m)) &&
	       KT_EXPECT_EQ(b->t, register_as(b, IB_WR_REG_MR_INTEGRITY, ACCESS), IB_WC_SUCCESS);
}

static bool invalidate(struct bench *b)
{
	struct ib_send_wr inv = {
		.opcode = IB_WR_LOCAL_INV, .ex.invalidate_rkey = b->mr->rkey,
	};

	return KT_EXPECT_EQ(b->t, kt_run(b->link->a->qp, &b->link->op[0], &inv), IB_WC_SUCCESS);
}

/* Transfers */

/* A transfers between a part of the region and the same part of B's buffer. Returns the status. */
static int a_transfers(struct bench *b, enum ib_wr_opcode opcode, u32 offset, u32 len)
{
	struct ib_sge sge = {
		.addr = b->mr->iova + offset, .length = len, .lkey = b->mr->lkey,
	};
	struct ib_rdma_wr wr = {
		.wr.opcode = opcode, .wr.sg_list = &sge, .wr.num_sge = 1,
		.remote_addr = (uintptr_t)b->peer + offset,
		.rkey = b->link->hosts->b.pd->unsafe_global_rkey,
	};

	return kt_run(b->link->a->qp, &b->link->op[0], &wr.wr);
}

/* B transfers by @link. An empty READ waits until a WRITE was placed. Returns the status. */
static int b_transfers(struct bench *b, struct kt_link *link, enum ib_wr_opcode opcode, u32 offset,
		       u32 len)
{
	struct ib_rdma_wr wait = { .wr.opcode = IB_WR_RDMA_READ };
	struct ib_sge sge = {
		.addr = (uintptr_t)b->peer + (offset < ROOM ? offset : 0), .length = len,
		.lkey = link->hosts->b.pd->local_dma_lkey,
	};
	struct ib_rdma_wr wr = {
		.wr.next = &wait.wr, .wr.opcode = opcode, .wr.sg_list = &sge, .wr.num_sge = 1,
		.remote_addr = b->mr->iova + offset, .rkey = b->mr->rkey,
	};

	return kt_run(link->b->qp, &link->op[1], &wr.wr);
}

/* A sends the region if @from_a, else B sends its buffer; the other host receives. */
static int send(struct bench *b, bool from_a)
{
	struct kt_link *link = b->link;
	struct ib_sge in_a = {
		.addr = b->mr->iova, .length = b->mr->length, .lkey = b->mr->lkey,
	};
	struct ib_sge in_b = {
		.addr = (uintptr_t)b->peer, .length = b->mr->length,
		.lkey = link->hosts->b.pd->local_dma_lkey,
	};
	struct kt_op *recv = &link->recv[from_a];
	struct ib_recv_wr to = {
		.wr_cqe = &recv->cqe, .sg_list = from_a ? &in_b : &in_a, .num_sge = 1,
	};
	struct ib_send_wr from = {
		.opcode = IB_WR_SEND, .sg_list = from_a ? &in_a : &in_b, .num_sge = 1,
	};
	int status;

	kt_op_begin(recv);
	if (ib_post_recv(from_a ? link->b->qp : link->a->qp, &to, NULL))
		return -1;
	status = kt_run(from_a ? link->a->qp : link->b->qp, &link->op[!from_a], &from);
	return status ?: kt_op_wait(recv);
}

/* Transfers by a context of rdma_rw, and stores its errors. */
static int rw_transfers(struct bench *b, enum dma_data_direction dir, struct ib_mr_status *status)
{
	struct ib_qp *qp = b->link->a->qp;
	struct kt_op *op = &b->link->op[0];
	struct rdma_rw_ctx ctx;
	int ret;

	ret = rdma_rw_ctx_signature_init(&ctx, qp, 1, b->data.sg, b->data.nents, b->meta.sg,
					 b->meta.nents, &b->m.attrs, (uintptr_t)b->peer,
					 b->link->hosts->b.pd->unsafe_global_rkey, dir);
	if (!KT_EXPECT(b->t, ret > 0))
		return -1;
	kt_op_begin(op);
	ret = rdma_rw_ctx_post(&ctx, qp, 1, &op->cqe, NULL) ? -1 : kt_op_wait(op);
	KT_EXPECT_EQ(b->t, ib_check_mr_status(ctx.reg->mr, IB_MR_CHECK_SIG_STATUS, status), 0);
	KT_EXPECT(b->t, !status->fail_status || status->sig_err.key == ctx.reg->mr->lkey);
	rdma_rw_ctx_destroy_signature(&ctx, qp, 1, b->data.sg, b->data.nents, b->meta.sg,
				      b->meta.nents, dir);
	return ret;
}

static int transfer(struct bench *b, enum way by, struct ib_mr_status *status)
{
	u32 len = b->mr->length;

	switch (by) {
	case WAY_READ:
		return a_transfers(b, IB_WR_RDMA_READ, 0, len);
	case WAY_WRITE:
		return a_transfers(b, IB_WR_RDMA_WRITE, 0, len);
	case WAY_PEER_WRITE:
		return b_transfers(b, b->link, IB_WR_RDMA_WRITE, 0, len);
	case WAY_PEER_READ:
		return b_transfers(b, b->link, IB_WR_RDMA_READ, 0, len);
	case WAY_RW_READ:
		return rw_transfers(b, DMA_FROM_DEVICE, status);
	case WAY_RW_WRITE:
		return rw_transfers(b, DMA_TO_DEVICE, status);
	default:
		return send(b, by == WAY_SEND);
	}
}

/* Waits until B has placed A's WRITEs. */
static bool settle(struct bench *b)
{
	struct ib_rdma_wr wait = { .wr.opcode = IB_WR_RDMA_READ };

	return KT_EXPECT_EQ(b->t, kt_run(b->link->a->qp, &b->link->op[0], &wait.wr), 0);
}

static void take_status(struct bench *b, struct ib_mr_status *status)
{
	struct ib_mr_status again;

	KT_EXPECT_EQ(b->t, ib_check_mr_status(b->mr, IB_MR_CHECK_SIG_STATUS, status), 0);
	KT_EXPECT(b->t, !status->fail_status || status->sig_err.key == b->mr->lkey);
	/* An error is reported once. */
	KT_EXPECT_EQ(b->t, ib_check_mr_status(b->mr, IB_MR_CHECK_SIG_STATUS, &again), 0);
	KT_EXPECT_EQ(b->t, again.fail_status, 0);
}

/* Compares memory, wire and error with the model, after a transfer of the whole region. */
static bool compare(struct bench *b, bool in, const struct ib_mr_status *status)
{
	u32 len = b->m.num * model_stride(&b->m);
	const struct ib_sig_err *got = &status->sig_err;
	struct ib_sig_err want = {};
	bool wrong = model_copy(&b->m, 0, b->wire, len, in, &want);

	return KT_EXPECT(b->t, memory_is(&b->data, b->m.data)) &
	       KT_EXPECT(b->t, memory_is(&b->meta, b->m.meta)) &
	       KT_EXPECT(b->t, !memcmp(b->peer, b->wire, len)) &
	       KT_EXPECT(b->t, !memchr_inv(b->peer + len, POISON, ROOM - len)) &
	       KT_EXPECT_EQ(b->t, status->fail_status, wrong ? IB_MR_CHECK_SIG_STATUS : 0) &&
	       (!wrong || (KT_EXPECT_EQ(b->t, got->err_type, want.err_type) &
			   KT_EXPECT_EQ(b->t, got->expected, want.expected) &
			   KT_EXPECT_EQ(b->t, got->actual, want.actual) &
			   KT_EXPECT_EQ(b->t, got->sig_err_offset, want.sig_err_offset)));
}

static bool one_transfer(struct bench *b, enum way by, enum pi_fault fault)
{
	bool in = way_is_in(by), by_rw = by == WAY_RW_READ || by == WAY_RW_WRITE;
	struct ib_mr_status status = {};

	prepare(b, in, fault);
	if (!by_rw && !register_mr(b))
		return false;
	if (!KT_EXPECT_EQ(b->t, transfer(b, by, &status), IB_WC_SUCCESS) || !settle(b))
		return false;
	if (!by_rw)
		take_status(b, &status);
	return compare(b, in, &status) && (by_rw || invalidate(b));
}

/* All kinds of registration, with and without errors, one way. */
static bool all_transfers(struct bench *b, enum way by)
{
	u32 n;

	/* The digits of @n, with these bases, are the choices. */
	for (n = 0; n < NUM_KINDS * NUM_FAULTS * 2 * 3 * 2 * 2; n++) {
		enum pi_kind kind = n % NUM_KINDS;
		enum pi_fault fault = n / NUM_KINDS % NUM_FAULTS;
		u32 rest = n / NUM_KINDS / NUM_FAULTS;
		u16 interval = rest % 2 ? 4096 : 512;
		int type = 1 + rest / 2 % 3;
		enum ib_t10_dif_bg_type guard = rest / 6 % 2 ? IB_T10DIF_CSUM : IB_T10DIF_CRC;

		if (fault != NOTHING && (kind == PLAIN || kind == INSERT))
			continue;
		b->odd = rest / 12 % 2;
		set_attrs(b, kind, interval, type, guard, way_is_in(by));
		if (one_transfer(b, by, fault))
			continue;
		ktap_note(b->t, "kind %d, fault %d, interval %d, type %d, guard %d, odd %d", kind,
			  fault, interval, type, guard, b->odd);
		return false;
	}
	return true;
}

/* The bench */

static bool bench_open(struct ktap *t, struct bench *b, struct kt_link *link)
{
	*b = (struct bench) { .t = t, .link = link };
	b->data.buf = kmalloc(ROOM, GFP_KERNEL);
	b->meta.buf = kmalloc(ROOM, GFP_KERNEL);
	b->peer = kmalloc(ROOM, GFP_KERNEL);
	b->wire = kmalloc(ROOM, GFP_KERNEL);
	b->m.data = kmalloc(ROOM, GFP_KERNEL);
	b->m.meta = kmalloc(ROOM, GFP_KERNEL);
	b->mr = ib_alloc_mr_integrity(link->hosts->a.pd, SEGS, SEGS);
	return KT_EXPECT(t, b->data.buf && b->meta.buf && b->peer && b->wire && b->m.data &&
			 b->m.meta) && KT_EXPECT_ERR(t, b->mr, 0);
}

static void bench_close(struct bench *b)
{
	if (!IS_ERR_OR_NULL(b->mr))
		KT_EXPECT_EQ(b->t, ib_dereg_mr(b->mr), 0);
	kfree(b->data.buf);
	kfree(b->meta.buf);
	kfree(b->peer);
	kfree(b->wire);
	kfree(b->m.data);
	kfree(b->m.meta);
}

/* What a test needs: two hosts, a connection and a bench. */
struct scene {
	struct kt_hosts hosts;
	struct kt_link link;
	struct bench b;
};

static struct scene *scene_open(struct ktap *t)
{
	struct scene *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!KT_EXPECT(t, s))
		return NULL;
	s->b.t = t;
	if (kt_hosts_open(t, &s->hosts) && kt_link_open(t, &s->hosts, &s->link, false) &&
	    bench_open(t, &s->b, &s->link))
		return s;
	bench_close(&s->b);
	kt_link_close(&s->link);
	kt_hosts_close(&s->hosts);
	kfree(s);
	return NULL;
}

static void scene_close(struct scene *s)
{
	bench_close(&s->b);
	kt_link_close(&s->link);
	kt_hosts_close(&s->hosts);
	kfree(s);
}

static void test_way(struct ktap *t)
{
	const enum way *by = ktap_arg(t);
	struct scene *s = scene_open(t);

	if (!s)
		return;
	all_transfers(&s->b, *by);
	scene_close(s);
}

/*
 * The whole region in messages of every length, which begin and end anywhere. Protection
 * information that two messages share is not stored, so it differs where a message ends within it.
 */
static void pieces(struct bench *b, bool in, u32 piece)
{
	u32 len = b->m.num * model_stride(&b->m), offset, now;
	struct ib_sig_err want = {}, later;
	struct ib_mr_status status;
	bool wrong = false;
	int ret;

	prepare(b, in, NOTHING);
	if (!register_mr(b))
		return;
	for (offset = 0; offset < len; offset += now) {
		now = min(piece, len - offset);
		if (piece % 2)
			ret = a_transfers(b, in ? IB_WR_RDMA_READ : IB_WR_RDMA_WRITE, offset, now);
		else
			ret = b_transfers(b, b->link, in ? IB_WR_RDMA_WRITE : IB_WR_RDMA_READ,
					  offset, now);
		if (!KT_EXPECT_EQ(b->t, ret, IB_WC_SUCCESS))
			return;
		wrong |= model_copy(&b->m, offset, b->wire + offset, now, in,
				    wrong ? &later : &want);
	}
	settle(b);
	take_status(b, &status);
	KT_EXPECT_EQ(b->t, status.fail_status, wrong);
	KT_EXPECT_EQ(b->t, wrong, false);
	KT_EXPECT(b->t, memory_is(&b->data, b->m.data));
	KT_EXPECT(b->t, memory_is(&b->meta, b->m.meta));
	KT_EXPECT(b->t, !memcmp(b->peer, b->wire, len));
	invalidate(b);
}

static void test_pieces(struct ktap *t)
{
	static const u32 sizes[] = { 7, 64, 511, 514, 519, 520, 1039, 1040 };
	struct scene *s = scene_open(t);
	u32 i;

	if (!s)
		return;
	s->b.odd = true;
	for (i = 0; i < NUM_KINDS * 2 * ARRAY_SIZE(sizes); i++) {
		bool in = i / NUM_KINDS % 2;

		set_attrs(&s->b, i % NUM_KINDS, 512, 1 + i % 3, i % 2, in);
		pieces(&s->b, in, sizes[i / NUM_KINDS / 2]);
	}
	scene_close(s);
}

/*
 * Both connections write all of the region again and again, in messages of different lengths. What
 * is checked meanwhile is of no interest; the next transfer must be right.
 */
static void test_two_peers(struct ktap *t)
{
	struct scene *s = scene_open(t);
	struct kt_link other = {};
	struct ib_mr_status status;
	struct ib_rdma_wr wr[2];
	struct ib_sge sge[2];
	u32 i, len;

	if (!s)
		return;
	set_attrs(&s->b, PASS, 512, 1, IB_T10DIF_CRC, true);
	prepare(&s->b, true, NOTHING);
	if (!kt_link_open(t, &s->hosts, &other, false) || !register_mr(&s->b))
		goto close;
	for (i = 0; i < 2000; i++) {
		struct kt_link *link = i % 2 ? &other : &s->link;

		len = i * 131 % s->b.mr->length;
		sge[i % 2] = (struct ib_sge) {
			.addr = (uintptr_t)s->b.peer + len, .length = s->b.mr->length - len,
			.lkey = s->hosts.b.pd->local_dma_lkey,
		};
		wr[i % 2] = (struct ib_rdma_wr) {
			.wr.opcode = IB_WR_RDMA_WRITE, .wr.sg_list = &sge[i % 2], .wr.num_sge = 1,
			.wr.wr_cqe = &link->op[1].cqe, .wr.send_flags = IB_SEND_SIGNALED,
			.remote_addr = s->b.mr->iova + len, .rkey = s->b.mr->rkey,
		};
		/* Wait for the last request of this connection, while the other one's runs. */
		if (i >= 2 && !KT_EXPECT_EQ(t, kt_op_wait(&link->op[1]), IB_WC_SUCCESS))
			goto close;
		kt_op_begin(&link->op[1]);
		if (!KT_EXPECT_EQ(t, ib_post_send(link->b->qp, &wr[i % 2].wr, NULL), 0))
			goto close;
	}
	KT_EXPECT_EQ(t, kt_op_wait(&s->link.op[1]), IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, kt_op_wait(&other.op[1]), IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, b_transfers(&s->b, &other, IB_WR_RDMA_WRITE, 0, s->b.mr->length), 0);
	KT_EXPECT_EQ(t, b_transfers(&s->b, &s->link, IB_WR_RDMA_WRITE, 0, s->b.mr->length), 0);
	ib_check_mr_status(s->b.mr, IB_MR_CHECK_SIG_STATUS, &status);
	if (KT_EXPECT(t, invalidate(&s->b)))
		one_transfer(&s->b, WAY_PEER_WRITE, GUARD);
close:
	kt_link_close(&other);
	scene_close(s);
}

/* Expects that B's request for the range is refused, and that neither side's memory has changed. */
static void beyond(struct ktap *t, enum ib_wr_opcode opcode, u32 offset, u32 len)
{
	struct scene *s = scene_open(t);

	if (!s)
		return;
	s->b.odd = true;
	set_attrs(&s->b, PASS, 512, 1, IB_T10DIF_CRC, true);
	prepare(&s->b, true, NOTHING);
	if (register_mr(&s->b)) {
		KT_EXPECT(t, b_transfers(&s->b, &s->link, opcode, offset, len) != IB_WC_SUCCESS);
		KT_EXPECT(t, memory_is(&s->b.data, s->b.m.data));
		KT_EXPECT(t, memory_is(&s->b.meta, s->b.m.meta));
	}
	scene_close(s);
}

static void test_beyond(struct ktap *t)
{
	/* 5 intervals of 520 bytes are 2600 bytes on the wire. */
	beyond(t, IB_WR_RDMA_WRITE, 2600, 1);
	beyond(t, IB_WR_RDMA_WRITE, 2599, 2);
	beyond(t, IB_WR_RDMA_WRITE, -1, 2);
	beyond(t, IB_WR_RDMA_READ, 2600, 1);
	beyond(t, IB_WR_RDMA_READ, 1, 2600);
}

/* Expects that a registration fails, which ends the connection. */
static void refused(struct ktap *t, void (*spoil)(struct bench *), enum ib_wr_opcode opcode,
		    int access)
{
	struct scene *s = scene_open(t);

	if (!s)
		return;
	set_attrs(&s->b, PASS, 512, 1, IB_T10DIF_CRC, true);
	prepare(&s->b, true, NOTHING);
	if (KT_EXPECT_EQ(t, map(&s->b), 0)) {
		if (spoil)
			spoil(&s->b);
		KT_EXPECT_EQ(t, register_as(&s->b, opcode, access), IB_WC_MW_BIND_ERR);
	}
	scene_close(s);
}

static void remove_wire(struct bench *b)
{
	b->mr->sig_attrs->wire.sig_type = IB_SIG_TYPE_NONE;
}

static void lengthen_interval(struct bench *b)
{
	b->mr->sig_attrs->wire.sig.dif.pi_interval = 513;
}

static void test_refused(struct ktap *t)
{
	refused(t, remove_wire, IB_WR_REG_MR_INTEGRITY, ACCESS);
	refused(t, lengthen_interval, IB_WR_REG_MR_INTEGRITY, ACCESS);
	refused(t, NULL, IB_WR_REG_MR_INTEGRITY, ACCESS | IB_ACCESS_REMOTE_ATOMIC);
	refused(t, NULL, IB_WR_REG_MR_INTEGRITY, ACCESS | IB_ACCESS_MW_BIND);
	refused(t, NULL, IB_WR_REG_MR_INTEGRITY, IB_ACCESS_REMOTE_WRITE);
	refused(t, NULL, IB_WR_REG_MR, ACCESS);
}

/* Expects that a region can be mapped while the old rules are there, and registered by the new. */
static void rules_after_map(struct bench *b, const struct ib_sig_attrs *old)
{
	const struct ib_sig_attrs rules = b->m.attrs;

	b->m.attrs = *old;
	KT_EXPECT_EQ(b->t, map(b), 0);
	b->m.attrs = rules;
	*b->mr->sig_attrs = rules;
	KT_EXPECT_EQ(b->t, b->mr->length, b->m.num * model_stride(&b->m));
	KT_EXPECT_EQ(b->t, register_as(b, IB_WR_REG_MR_INTEGRITY, ACCESS), IB_WC_SUCCESS);
	invalidate(b);
}

static void test_rules_after_map(struct ktap *t)
{
	const struct ib_sig_attrs none = {};
	struct scene *s = scene_open(t);
	struct ib_sig_attrs large;

	if (!s)
		return;
	set_attrs(&s->b, PASS, 4096, 1, IB_T10DIF_CRC, true);
	large = s->b.m.attrs;
	set_attrs(&s->b, PASS, 512, 1, IB_T10DIF_CRC, true);
	prepare(&s->b, true, NOTHING);
	rules_after_map(&s->b, &none);
	rules_after_map(&s->b, &large);
	scene_close(s);
}

static void test_refused_maps(struct ktap *t)
{
	struct scene *s = scene_open(t);
	struct ib_sig_attrs good;
	struct bench *b;
	u32 nents;

	if (!s)
		return;
	b = &s->b;
	set_attrs(b, PASS, 512, 1, IB_T10DIF_CRC, true);
	good = b->m.attrs;
	b->m.attrs.wire.sig.dif.pi_interval = 0;
	prepare(b, true, NOTHING);
	KT_EXPECT_EQ(t, map(b), -EINVAL);
	b->m.attrs = good;
	nents = b->data.nents;
	b->data.nents = 0;
	KT_EXPECT_EQ(t, map(b), -EINVAL);
	b->data.nents = nents;
	KT_EXPECT_EQ(t, map(b), 0);
	/* A region with less room than the lists. */
	KT_EXPECT_EQ(t, ib_dereg_mr(b->mr), 0);
	b->odd = true;
	prepare(b, true, NOTHING);
	b->mr = ib_alloc_mr_integrity(s->hosts.a.pd, b->data.nents - 1, b->meta.nents);
	if (!KT_EXPECT_ERR(t, b->mr, 0))
		goto close;
	KT_EXPECT_EQ(t, map(b), -EINVAL);
	KT_EXPECT_EQ(t, register_as(b, IB_WR_REG_MR_INTEGRITY, ACCESS), IB_WC_MW_BIND_ERR);
	KT_EXPECT_EQ(t, ib_dereg_mr(b->mr), 0);
	b->mr = ib_alloc_mr_integrity(s->hosts.a.pd, b->data.nents, b->meta.nents - 1);
	if (KT_EXPECT_ERR(t, b->mr, 0))
		KT_EXPECT_EQ(t, map(b), -EINVAL);
close:
	scene_close(s);
}

/* A list without protection information, and one that begins behind its first element. */
static void test_refused_lists(struct ktap *t)
{
	struct scene *s = scene_open(t);
	unsigned int skip;
	struct bench *b;

	if (!s)
		return;
	b = &s->b;
	b->odd = true;
	set_attrs(b, PASS, 512, 1, IB_T10DIF_CRC, true);
	prepare(b, true, NOTHING);
	KT_EXPECT_EQ(t, map(b), 0);
	KT_EXPECT_EQ(t, ib_map_mr_sg(b->mr, b->data.sg, b->data.nents, NULL, PAGE_SIZE), -EINVAL);
	skip = b->data.sg[0].length + 1;
	KT_EXPECT_EQ(t, ib_map_mr_sg_pi(b->mr, b->data.sg, b->data.nents, &skip, b->meta.sg,
					b->meta.nents, NULL, PAGE_SIZE), -EINVAL);
	KT_EXPECT_EQ(t, skip, b->data.sg[0].length + 1);
	/* A list that begins at its end has no data. */
	skip = b->data.sg[0].length;
	KT_EXPECT_EQ(t, ib_map_mr_sg_pi(b->mr, b->data.sg, 1, &skip, b->meta.sg, b->meta.nents,
					NULL, PAGE_SIZE), -EINVAL);
	scene_close(s);
}

/* Maps lists whose first elements have GAP bytes ahead of the region. */
static int map_from_gap(struct bench *b)
{
	struct ib_device *dev = b->link->hosts->a.dev;
	unsigned int data_skip = GAP, meta_skip = GAP;
	u32 data_len = b->data.sg[0].length, meta_len = b->meta.sg[0].length;
	int ret;

	sg_set_buf(&b->data.sg[0], b->data.buf, GAP + data_len);
	sg_set_buf(&b->meta.sg[0], b->meta.buf, GAP + meta_len);
	if (ib_dma_map_sg(dev, b->data.sg, b->data.nents, DMA_BIDIRECTIONAL) != b->data.nents ||
	    ib_dma_map_sg(dev, b->meta.sg, b->meta.nents, DMA_BIDIRECTIONAL) != b->meta.nents)
		return -EIO;
	*b->mr->sig_attrs = b->m.attrs;
	ret = ib_map_mr_sg_pi(b->mr, b->data.sg, b->data.nents, &data_skip, b->meta.sg,
			      b->meta.nents, &meta_skip, PAGE_SIZE);
	ib_dma_unmap_sg(dev, b->data.sg, b->data.nents, DMA_BIDIRECTIONAL);
	ib_dma_unmap_sg(dev, b->meta.sg, b->meta.nents, DMA_BIDIRECTIONAL);
	sg_set_buf(&b->data.sg[0], b->data.buf + GAP, data_len);
	sg_set_buf(&b->meta.sg[0], b->meta.buf + GAP, meta_len);
	KT_EXPECT_EQ(b->t, data_skip, 0);
	KT_EXPECT_EQ(b->t, meta_skip, 0);
	return ret;
}

/* A region begins within the first elements of its lists. */
static void test_offsets_of_lists(struct ktap *t)
{
	struct scene *s = scene_open(t);
	struct ib_mr_status status;
	struct bench *b;

	if (!s)
		return;
	b = &s->b;
	b->odd = true;
	set_attrs(b, PASS, 512, 1, IB_T10DIF_CRC, true);
	prepare(b, true, NOTHING);
	if (KT_EXPECT_EQ(t, map_from_gap(b), 0) &&
	    KT_EXPECT_EQ(t, b->mr->length, b->m.num * model_stride(&b->m)) &&
	    KT_EXPECT_EQ(t, register_as(b, IB_WR_REG_MR_INTEGRITY, ACCESS), IB_WC_SUCCESS) &&
	    KT_EXPECT_EQ(t, transfer(b, WAY_READ, &status), IB_WC_SUCCESS)) {
		take_status(b, &status);
		compare(b, true, &status);
		invalidate(b);
	}
	scene_close(s);
}

/* Expects that a registration with protection information fails, which ends the connection. */
static void refused_key(struct scene *s, struct ib_mr *mr, u32 key)
{
	struct ib_reg_wr reg = {
		.wr.opcode = IB_WR_REG_MR_INTEGRITY, .mr = mr, .key = key, .access = ACCESS,
	};

	KT_EXPECT_EQ(s->b.t, kt_run(s->link.a->qp, &s->link.op[0], &reg.wr), IB_WC_MW_BIND_ERR);
}

/* A key with the index of another region. */
static void test_other_index(struct ktap *t)
{
	struct scene *s = scene_open(t);

	if (!s)
		return;
	set_attrs(&s->b, PASS, 512, 1, IB_T10DIF_CRC, true);
	prepare(&s->b, true, NOTHING);
	if (KT_EXPECT_EQ(t, map(&s->b), 0))
		refused_key(s, s->b.mr, s->b.mr->rkey ^ 0x100);
	scene_close(s);
}

static void test_plain_region(struct ktap *t)
{
	struct scene *s = scene_open(t);
	struct ib_mr *mr;

	if (!s)
		return;
	mr = ib_alloc_mr(s->hosts.a.pd, IB_MR_TYPE_MEM_REG, SEGS);
	if (KT_EXPECT_ERR(t, mr, 0)) {
		refused_key(s, mr, mr->rkey);
		KT_EXPECT_EQ(t, ib_dereg_mr(mr), 0);
	}
	scene_close(s);
}

/* A bind with the index of another window is refused when it is posted. */
static void test_bind_other_index(struct ktap *t)
{
	struct ib_bind_mw_wr bind = { .wr.opcode = IB_WR_BIND_MW };
	struct scene *s = scene_open(t);

	if (!s)
		return;
	bind.mw = ib_alloc_mw(s->hosts.a.pd, IB_MW_TYPE_2);
	if (KT_EXPECT_ERR(t, bind.mw, 0)) {
		bind.rkey = bind.mw->rkey ^ 0x100;
		KT_EXPECT_EQ(t, ib_post_send(s->link.a->qp, &bind.wr, NULL), -EINVAL);
		KT_EXPECT_EQ(t, ib_dealloc_mw(bind.mw), 0);
	}
	scene_close(s);
}

static void test_qp_without_integrity(struct ktap *t)
{
	struct scene *s = scene_open(t);
	struct kt_link plain = {};
	struct ib_reg_wr reg = { .wr.opcode = IB_WR_REG_MR_INTEGRITY, .access = ACCESS };
	struct rdma_rw_ctx ctx;

	if (!s)
		return;
	set_attrs(&s->b, PASS, 512, 1, IB_T10DIF_CRC, true);
	prepare(&s->b, true, NOTHING);
	if (kt_link_open(t, &s->hosts, &plain, true) && KT_EXPECT_EQ(t, map(&s->b), 0)) {
		reg.mr = s->b.mr;
		reg.key = s->b.mr->rkey;
		KT_EXPECT_EQ(t, ib_post_send(plain.a->qp, &reg.wr, NULL), -EINVAL);
		KT_EXPECT_EQ(t, rdma_rw_ctx_signature_init(&ctx, plain.a->qp, 1, s->b.data.sg,
							   s->b.data.nents, s->b.meta.sg,
							   s->b.meta.nents, &s->b.m.attrs, 0, 0,
							   DMA_FROM_DEVICE), -EINVAL);
	}
	kt_link_close(&plain);
	scene_close(s);
}

/* Maps other memory, while the registration is in use. Addresses stay those of the registration. */
static bool map_other(struct bench *b, u8 *memory)
{
	struct ib_device *dev = b->link->hosts->a.dev;
	u64 iova = b->mr->iova;
	struct scatterlist sg;
	int ret;

	sg_init_one(&sg, memory, b->m.num * b->m.interval);
	if (!KT_EXPECT_EQ(b->t, ib_dma_map_sg(dev, &sg, 1, DMA_BIDIRECTIONAL), 1))
		return false;
	ret = ib_map_mr_sg_pi(b->mr, &sg, 1, NULL, b->meta.sg, b->meta.nents, NULL, PAGE_SIZE);
	ib_dma_unmap_sg(dev, &sg, 1, DMA_BIDIRECTIONAL);
	b->mr->iova = iova;
	return KT_EXPECT_EQ(b->t, ret, 0);
}

static void remap(struct bench *b, u8 *other)
{
	struct ib_mr_status status;

	memset(other, POISON, ROOM);
	prepare(b, true, REF_TAG);
	if (!register_mr(b) || !map_other(b, other) ||
	    !KT_EXPECT_EQ(b->t, transfer(b, WAY_READ, &status), IB_WC_SUCCESS) || !invalidate(b))
		return;
	take_status(b, &status);
	compare(b, true, &status);
	KT_EXPECT(b->t, !memchr_inv(other, POISON, ROOM));

	/* A registration forgets an error that nobody has asked for. */
	prepare(b, true, GUARD);
	if (!register_mr(b) ||
	    !KT_EXPECT_EQ(b->t, transfer(b, WAY_READ, &status), IB_WC_SUCCESS) || !invalidate(b))
		return;
	prepare(b, true, NOTHING);
	KT_EXPECT(b->t, register_mr(b));
	take_status(b, &status);
	KT_EXPECT_EQ(b->t, status.fail_status, 0);
}

static void test_remap(struct ktap *t)
{
	struct scene *s = scene_open(t);
	u8 *other = kmalloc(ROOM, GFP_KERNEL);

	if (s && KT_EXPECT(t, other)) {
		set_attrs(&s->b, PASS, 512, 1, IB_T10DIF_CRC, true);
		remap(&s->b, other);
	}
	if (s)
		scene_close(s);
	kfree(other);
}

/* Posts a read that invalidates @invalidate, with a sink that does not exist. */
static int post_read_inv(struct ib_qp *qp, u32 lkey, int num_sge, u32 invalidate)
{
	struct ib_sge sge = { .addr = 0x1000, .length = 8, .lkey = lkey };
	struct ib_rdma_wr wr = {
		.wr.opcode = IB_WR_RDMA_READ_WITH_INV,
		.wr.sg_list = &sge,
		.wr.num_sge = num_sge,
		.wr.ex.invalidate_rkey = invalidate,
	};

	return ib_post_send(qp, &wr.wr, NULL);
}

/* A ULP may post while interrupts are off. */
static void test_post_without_interrupts(struct ktap *t)
{
	struct scene *s = scene_open(t);
	struct ib_rdma_wr wr = {
		.wr.opcode = IB_WR_RDMA_READ, .wr.send_flags = IB_SEND_SIGNALED,
	};
	struct kt_op *op;
	unsigned long flags;
	int ret;

	if (!s)
		return;
	op = &s->b.link->op[0];
	kt_op_begin(op);
	wr.wr.wr_cqe = &op->cqe;
	local_irq_save(flags);
	ret = ib_post_send(s->b.link->a->qp, &wr.wr, NULL);
	local_irq_restore(flags);
	if (KT_EXPECT_EQ(t, ret, 0))
		KT_EXPECT_EQ(t, kt_op_wait(op), IB_WC_SUCCESS);
	scene_close(s);
}

/* A read invalidates its sink, and no other region. */
static void test_read_inv(struct ktap *t)
{
	struct scene *s = scene_open(t);
	struct ib_qp *qp;
	u32 lkey;

	if (!s)
		return;
	qp = s->b.link->a->qp;
	lkey = s->b.mr->lkey;
	KT_EXPECT_EQ(t, post_read_inv(qp, lkey, 1, lkey ^ 0x100), -EINVAL);
	KT_EXPECT_EQ(t, post_read_inv(qp, lkey, 1, lkey ^ 1), -EINVAL);
	KT_EXPECT_EQ(t, post_read_inv(qp, 0, 0, lkey), -EINVAL);
	KT_EXPECT_EQ(t, post_read_inv(qp, 0, 0, 0), -EINVAL);
	scene_close(s);
}

static void test_attributes(struct ktap *t)
{
	struct scene *s = scene_open(t);
	const struct ib_device_attr *attrs;

	if (!s)
		return;
	attrs = &s->hosts.a.dev->attrs;
	KT_EXPECT(t, attrs->kernel_cap_flags & IBK_INTEGRITY_HANDOVER);
	KT_EXPECT_EQ(t, attrs->sig_prot_cap, 7);
	KT_EXPECT_EQ(t, attrs->sig_guard_cap, 3);
	KT_EXPECT(t, attrs->max_pi_fast_reg_page_list_len >= SEGS);
	KT_EXPECT_ERR(t, ib_alloc_mr_integrity(s->hosts.a.pd,
					       attrs->max_pi_fast_reg_page_list_len + 1, 1),
		      -EINVAL);
	scene_close(s);
}

static const struct ktap_case cases[] = {
	{ "the device says what it can", test_attributes },
	{ "a READ into the region", test_way, NULL, &(const enum way) { WAY_READ } },
	{ "a WRITE out of the region", test_way, NULL, &(const enum way) { WAY_WRITE } },
	{ "the peer writes the region", test_way, NULL, &(const enum way) { WAY_PEER_WRITE } },
	{ "the peer reads the region", test_way, NULL, &(const enum way) { WAY_PEER_READ } },
	{ "a SEND out of the region", test_way, NULL, &(const enum way) { WAY_SEND } },
	{ "a receive into the region", test_way, NULL, &(const enum way) { WAY_RECV } },
	{ "rdma_rw reads", test_way, NULL, &(const enum way) { WAY_RW_READ } },
	{ "rdma_rw writes", test_way, NULL, &(const enum way) { WAY_RW_WRITE } },
	{ "messages that begin and end anywhere", test_pieces },
	{ "two peers write at once", test_two_peers },
	{ "a peer gets nothing beyond the region", test_beyond },
	{ "registrations that are refused", test_refused },
	{ "rules that are filled in after the mapping", test_rules_after_map },
	{ "mappings that are refused", test_refused_maps },
	{ "lists that are refused", test_refused_lists },
	{ "lists that begin within an element", test_offsets_of_lists },
	{ "a key with the index of another region", test_other_index },
	{ "a bind with the index of another window", test_bind_other_index },
	{ "a region without integrity", test_plain_region },
	{ "a READ invalidates its sink only", test_read_inv },
	{ "a request is posted without interrupts", test_post_without_interrupts },
	{ "a QP without integrity", test_qp_without_integrity },
	{ "mapped while in use, and errors that are kept and forgotten", test_remap },
};

static KTAP_SUITE(kt_siw_dif_suite, "siw_dif", cases);
static const struct ktap_suite *const suites[] = { &kt_siw_dif_suite };

KTAP_MODULE(suites);
