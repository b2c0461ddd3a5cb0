// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of regions with protection information. Host A has the region: data at DATA of its buffer,
 * protection information at META. Host B has plain memory, with what is on the wire at offset 0.
 *
 * An interval has nine bytes, because the CRC of the nine digits is known, and the checksum is that
 * of the kernel.
 */
#include <linux/bitops.h>
#include <linux/scatterlist.h>
#include <net/checksum.h>

#include "kt_memdev.h"

#define WR_READ		IB_WR_RDMA_READ
#define WR_WRITE	IB_WR_RDMA_WRITE
#define ACCESS		(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | IB_ACCESS_REMOTE_READ)
#define DATA		100
#define META		(2 * PAGE_SIZE + 50)
#define NUM		4
#define INTERVAL	9
#define STRIDE		(INTERVAL + 8)
#define PLAIN_LEN	(NUM * INTERVAL)
#define WIRE_LEN	(NUM * STRIDE)
#define DIGITS		"123456789"
#define DIGITS_CRC	0xd0db
#define APP_TAG		0x1234
#define REF_TAG		0x7ffffffe

struct dif_fixture {
	struct ktm_pair p;
	struct ib_mr *mr;
	struct scatterlist data[2], meta[2];
};

static struct ib_sig_domain dif(enum ib_t10_dif_bg_type guard)
{
	return (struct ib_sig_domain) {
		.sig_type = IB_SIG_TYPE_T10_DIF,
		.sig.dif = {
			.bg_type = guard,
			.pi_interval = INTERVAL,
			.app_tag = APP_TAG,
			.ref_tag = REF_TAG,
			.ref_remap = true,
			.app_escape = true,
			.apptag_check_mask = 0xffff,
		},
	};
}

static void put(u8 *to, u64 value, int bytes)
{
	while (bytes--) {
		to[bytes] = value;
		value >>= 8;
	}
}

static u16 guard_of_digits(enum ib_t10_dif_bg_type guard)
{
	/* The digits are copied, because the sum of constants at an odd address is another one. */
	char digits[] __aligned(4) = DIGITS;

	return guard == IB_T10DIF_CRC ? DIGITS_CRC :
	       be16_to_cpu((__force __be16)ip_compute_csum(digits, INTERVAL));
}

/* The right protection information of interval @i, whose data is DIGITS. */
static void right_pi(u8 *pi, int i, enum ib_t10_dif_bg_type guard)
{
	put(pi, guard_of_digits(guard), 2);
	put(pi + 2, APP_TAG, 2);
	put(pi + 4, (u32)REF_TAG + i, 4);
}

/* Fills memory with what is on the wire, with protection information or without. */
static void fill_wire(u8 *wire, bool with_pi, enum ib_t10_dif_bg_type guard)
{
	int i;

	for (i = 0; i < NUM; i++, wire += INTERVAL + (with_pi ? 8 : 0)) {
		memcpy(wire, DIGITS, INTERVAL);
		if (with_pi)
			right_pi(wire + INTERVAL, i, guard);
	}
}

static void fill_meta(u8 *meta, enum ib_t10_dif_bg_type guard)
{
	int i;

	for (i = 0; i < NUM; i++)
		right_pi(meta + 8 * i, i, guard);
}

static int map_again(struct dif_fixture *f)
{
	return ib_map_mr_sg_pi(f->mr, f->data, 2, NULL, f->meta, 2, NULL, PAGE_SIZE);
}

/* Each list has two elements, the first one of which ends within an interval. */
static int map_lists(struct dif_fixture *f)
{
	struct ktm_host *a = &f->p.a;

	sg_init_table(f->data, 2);
	sg_set_buf(&f->data[0], a->buf + DATA, 13);
	sg_set_buf(&f->data[1], a->buf + DATA + 13, PLAIN_LEN - 13);
	sg_init_table(f->meta, 2);
	sg_set_buf(&f->meta[0], a->buf + META, 3);
	sg_set_buf(&f->meta[1], a->buf + META + 3, 8 * NUM - 3);
	if (ib_dma_map_sg(a->dev, f->data, 2, DMA_BIDIRECTIONAL) != 2 ||
	    ib_dma_map_sg(a->dev, f->meta, 2, DMA_BIDIRECTIONAL) != 2)
		return -EIO;
	return map_again(f);
}

static void post_reg_pi(struct ktap *t, struct dif_fixture *f, int access, enum ib_wc_status status)
{
	struct ib_reg_wr wr = {
		.wr = { .wr_id = 0x4e6, .opcode = IB_WR_REG_MR_INTEGRITY,
			.send_flags = IB_SEND_SIGNALED },
		.mr = f->mr,
		.access = access,
	};

	ib_update_fast_reg_key(f->mr, ib_inc_rkey(f->mr->rkey));
	wr.key = f->mr->rkey;
	KT_EXPECT_EQ(t, ib_post_send(f->p.qa, &wr.wr, NULL), 0);
	ktm_expect(t, &f->p.a, 0x4e6, status, IB_WC_REG_MR);
	if (status != IB_WC_SUCCESS)
		ktm_reconnect(t, &f->p);
}

/* Starts a connection, and makes a region with these rules. */
static bool start_dif(struct ktap *t, struct dif_fixture *f, const struct ib_sig_domain *mem,
		      const struct ib_sig_domain *wire)
{
	if (!ktm_start_pair(t, &f->p, IB_QPT_RC))
		return false;
	f->mr = ib_alloc_mr_integrity(f->p.a.pd, 2, 2);
	if (KT_EXPECT_ERR(t, f->mr, 0)) {
		*f->mr->sig_attrs = (struct ib_sig_attrs) { .check_mask = 0xff };
		if (mem)
			f->mr->sig_attrs->mem = *mem;
		if (wire)
			f->mr->sig_attrs->wire = *wire;
		if (ktm_register(t, &f->p.b, f->p.qb, ACCESS)) {
			KT_EXPECT_EQ(t, map_lists(f), 0);
			KT_EXPECT_EQ(t, f->mr->length, wire ? WIRE_LEN : PLAIN_LEN);
			post_reg_pi(t, f, ACCESS, IB_WC_SUCCESS);
			memset(f->p.a.buf, 0xaa, KTM_BUF);
			memset(f->p.b.buf, 0xbb, KTM_BUF);
			return true;
		}
		KT_EXPECT_EQ(t, ib_dereg_mr(f->mr), 0);
	}
	ktm_end_pair(t, &f->p);
	return false;
}

static void end_dif(struct ktap *t, struct dif_fixture *f)
{
	KT_EXPECT_EQ(t, ib_dereg_mr(f->mr), 0);
	ktm_end_pair(t, &f->p);
}

/* A reads or writes B's memory, from or to all of the region. */
static void a_moves(struct ktap *t, struct dif_fixture *f, enum ib_wr_opcode opcode)
{
	struct ib_sge sge = {
		.addr = f->mr->iova, .length = f->mr->length, .lkey = f->mr->lkey,
	};
	struct ib_rdma_wr wr = {
		.wr = { .wr_id = 5, .opcode = opcode, .send_flags = IB_SEND_SIGNALED,
			.sg_list = &sge, .num_sge = 1 },
		.remote_addr = f->p.b.mr->iova,
		.rkey = f->p.b.mr->rkey,
	};

	KT_EXPECT_EQ(t, ib_post_send(f->p.qa, &wr.wr, NULL), 0);
	ktm_expect(t, &f->p.a, 5, IB_WC_SUCCESS,
		   opcode == WR_READ ? IB_WC_RDMA_READ : IB_WC_RDMA_WRITE);
}

/* B reads or writes all of the region. */
static void b_moves(struct ktap *t, struct dif_fixture *f, enum ib_wr_opcode opcode)
{
	KT_EXPECT_EQ(t, ktm_rdma(f->p.qb, &f->p.b, opcode, 6, 0, f->mr->length, f->mr->iova,
				 f->mr->rkey), 0);
	ktm_expect(t, &f->p.b, 6, IB_WC_SUCCESS,
		   opcode == WR_READ ? IB_WC_RDMA_READ : IB_WC_RDMA_WRITE);
}

static void expect_no_error(struct ktap *t, struct dif_fixture *f)
{
	struct ib_mr_status status;

	KT_EXPECT_EQ(t, ib_check_mr_status(f->mr, IB_MR_CHECK_SIG_STATUS, &status), 0);
	KT_EXPECT_EQ(t, status.fail_status, 0);
}

/* Expects an error in interval 1, which is reported once. */
static void expect_error(struct ktap *t, struct dif_fixture *f, enum ib_sig_err_type type,
			 u32 expected, u32 actual)
{
	struct ib_mr_status status;

	KT_EXPECT_EQ(t, ib_check_mr_status(f->mr, IB_MR_CHECK_SIG_STATUS, &status), 0);
	if (KT_EXPECT_EQ(t, status.fail_status, IB_MR_CHECK_SIG_STATUS)) {
		KT_EXPECT_EQ(t, status.sig_err.err_type, type);
		KT_EXPECT_EQ(t, status.sig_err.expected, expected);
		KT_EXPECT_EQ(t, status.sig_err.actual, actual);
		KT_EXPECT_EQ(t, status.sig_err.sig_err_offset, STRIDE);
		KT_EXPECT_EQ(t, status.sig_err.key, f->mr->lkey);
	}
	expect_no_error(t, f);
}

static bool wire_is(struct dif_fixture *f, bool with_pi, enum ib_t10_dif_bg_type guard)
{
	u32 length = with_pi ? WIRE_LEN : PLAIN_LEN;
	u8 right[WIRE_LEN];

	fill_wire(right, with_pi, guard);
	return !memcmp(f->p.b.buf, right, length) &&
	       !memchr_inv(f->p.b.buf + length, 0xbb, KTM_BUF - length);
}

/* Is the memory of the region right, and that around it as it was? */
static bool memory_is(struct dif_fixture *f, bool with_pi, enum ib_t10_dif_bg_type guard)
{
	u8 right[WIRE_LEN], meta[8 * NUM];
	const u8 *buf = f->p.a.buf;

	fill_wire(right, false, guard);
	memset(meta, 0xaa, sizeof(meta));
	if (with_pi)
		fill_meta(meta, guard);
	return !memcmp(buf + DATA, right, PLAIN_LEN) &&
	       !memcmp(buf + META, meta, sizeof(meta)) && !memchr_inv(buf, 0xaa, DATA) &&
	       !memchr_inv(buf + DATA + PLAIN_LEN, 0xaa, META - DATA - PLAIN_LEN) &&
	       !memchr_inv(buf + META + sizeof(meta), 0xaa, KTM_BUF - META - sizeof(meta));
}

/* The wire has protection information, the memory has none: it is made and removed. */
static void test_insert_and_strip(struct ktap *t)
{
	static const enum ib_t10_dif_bg_type guards[] = { IB_T10DIF_CRC, IB_T10DIF_CSUM };
	struct ib_sig_domain wire;
	struct dif_fixture f;
	int i, peer;

	for (i = 0; i < ARRAY_SIZE(guards); i++) {
		wire = dif(guards[i]);
		if (!start_dif(t, &f, NULL, &wire))
			return;
		for (peer = 0; peer < 2; peer++) {
			memset(f.p.b.buf, 0xbb, KTM_BUF);
			fill_wire(f.p.a.buf + DATA, false, 0);
			if (peer)
				b_moves(t, &f, WR_READ);
			else
				a_moves(t, &f, WR_WRITE);
			KT_EXPECT(t, wire_is(&f, true, guards[i]));
			memset(f.p.a.buf, 0xaa, KTM_BUF);
			if (peer)
				b_moves(t, &f, WR_WRITE);
			else
				a_moves(t, &f, WR_READ);
			KT_EXPECT(t, memory_is(&f, false, 0));
			expect_no_error(t, &f);
		}
		end_dif(t, &f);
	}
}

/* The memory has protection information, the wire has none. */
static void test_memory_only(struct ktap *t)
{
	struct ib_sig_domain mem = dif(IB_T10DIF_CRC);
	struct dif_fixture f;

	if (!start_dif(t, &f, &mem, NULL))
		return;
	fill_wire(f.p.b.buf, false, 0);
	a_moves(t, &f, WR_READ);
	KT_EXPECT(t, memory_is(&f, true, IB_T10DIF_CRC));
	memset(f.p.b.buf, 0xbb, KTM_BUF);
	a_moves(t, &f, WR_WRITE);
	KT_EXPECT(t, wire_is(&f, false, 0));
	expect_no_error(t, &f);
	f.p.a.buf[META + 8] ^= 1;
	b_moves(t, &f, WR_READ);
	expect_error(t, &f, IB_SIG_BAD_GUARD, DIGITS_CRC, DIGITS_CRC ^ 0x100);
	end_dif(t, &f);
}

/* Both have protection information, with the same rules and with other guards. */
static void test_pass_and_translate(struct ktap *t)
{
	static const enum ib_t10_dif_bg_type on_wire[] = { IB_T10DIF_CRC, IB_T10DIF_CSUM };
	struct ib_sig_domain mem = dif(IB_T10DIF_CRC), wire;
	struct dif_fixture f;
	int i;

	for (i = 0; i < ARRAY_SIZE(on_wire); i++) {
		wire = dif(on_wire[i]);
		if (!start_dif(t, &f, &mem, &wire))
			return;
		fill_wire(f.p.b.buf, true, on_wire[i]);
		b_moves(t, &f, WR_WRITE);
		KT_EXPECT(t, memory_is(&f, true, IB_T10DIF_CRC));
		memset(f.p.b.buf, 0xbb, KTM_BUF);
		a_moves(t, &f, WR_WRITE);
		KT_EXPECT(t, wire_is(&f, true, on_wire[i]));
		expect_no_error(t, &f);
		end_dif(t, &f);
	}
}

/* Each part that can be wrong. The data arrives all the same. */
static void test_wrong(struct ktap *t)
{
	struct ib_sig_domain wire = dif(IB_T10DIF_CRC);
	struct dif_fixture f;
	u8 *pi;

	if (!start_dif(t, &f, NULL, &wire))
		return;
	pi = f.p.b.buf + STRIDE + INTERVAL;
	fill_wire(f.p.b.buf, true, IB_T10DIF_CRC);
	pi[0] ^= 0x80;
	a_moves(t, &f, WR_READ);
	KT_EXPECT(t, memory_is(&f, false, 0));
	expect_error(t, &f, IB_SIG_BAD_GUARD, DIGITS_CRC, DIGITS_CRC ^ 0x8000);

	fill_wire(f.p.b.buf, true, IB_T10DIF_CRC);
	pi[3] ^= 1;
	a_moves(t, &f, WR_READ);
	expect_error(t, &f, IB_SIG_BAD_APPTAG, APP_TAG, APP_TAG ^ 1);

	/* The first error is the one that is kept. */
	fill_wire(f.p.b.buf, true, IB_T10DIF_CRC);
	pi[7] ^= 2;
	a_moves(t, &f, WR_READ);
	pi[STRIDE] ^= 1;
	a_moves(t, &f, WR_READ);
	expect_error(t, &f, IB_SIG_BAD_REFTAG, REF_TAG + 1, (REF_TAG + 1) ^ 2);

	/* What is not checked: an interval with the escape value, and what the mask leaves out. */
	fill_wire(f.p.b.buf, true, IB_T10DIF_CRC);
	memset(pi, 0xff, 8);
	a_moves(t, &f, WR_READ);
	expect_no_error(t, &f);
	KT_EXPECT_EQ(t, ktm_post_inv(f.p.qa, f.mr->rkey), 0);
	KTM_EXPECT(t, &f.p.a, 0x11f, SUCCESS, LOCAL_INV);
	f.mr->sig_attrs->check_mask = IB_SIG_CHECK_APPTAG | IB_SIG_CHECK_REFTAG;
	post_reg_pi(t, &f, ACCESS, IB_WC_SUCCESS);
	fill_wire(f.p.b.buf, true, IB_T10DIF_CRC);
	pi[0] ^= 1;
	a_moves(t, &f, WR_READ);
	expect_no_error(t, &f);

	/* A registration forgets an error. */
	pi[2] ^= 1;
	a_moves(t, &f, WR_READ);
	KT_EXPECT_EQ(t, ktm_post_inv(f.p.qa, f.mr->rkey), 0);
	KTM_EXPECT(t, &f.p.a, 0x11f, SUCCESS, LOCAL_INV);
	post_reg_pi(t, &f, ACCESS, IB_WC_SUCCESS);
	expect_no_error(t, &f);
	end_dif(t, &f);
}

/* Messages to and from the region, also parts of it. */
static void test_messages(struct ktap *t)
{
	struct ib_sig_domain wire = dif(IB_T10DIF_CRC);
	struct dif_fixture f;
	struct ib_sge sge[2];
	struct ib_recv_wr recv = { .wr_id = 8, .sg_list = sge, .num_sge = 2 };
	struct ib_send_wr send = { .wr_id = 7, .opcode = IB_WR_SEND, .sg_list = sge, .num_sge = 2,
				   .send_flags = IB_SEND_SIGNALED };

	if (!start_dif(t, &f, NULL, &wire))
		return;
	sge[0] = (struct ib_sge) { f.mr->iova, STRIDE, f.mr->lkey };
	sge[1] = (struct ib_sge) { f.mr->iova + STRIDE, WIRE_LEN - STRIDE, f.mr->lkey };
	fill_wire(f.p.a.buf + DATA, false, 0);
	KT_EXPECT_EQ(t, ktm_recv(f.p.qb, &f.p.b, 9, 0, KTM_BUF), 0);
	KT_EXPECT_EQ(t, ib_post_send(f.p.qa, &send, NULL), 0);
	KTM_EXPECT(t, &f.p.a, 7, SUCCESS, SEND);
	KTM_EXPECT(t, &f.p.b, 9, SUCCESS, RECV);
	KT_EXPECT(t, wire_is(&f, true, IB_T10DIF_CRC));

	memset(f.p.a.buf, 0xaa, KTM_BUF);
	KT_EXPECT_EQ(t, ib_post_recv(f.p.qa, &recv, NULL), 0);
	KT_EXPECT_EQ(t, ktm_send(f.p.qb, &f.p.b, IB_WR_SEND, 9, 0, WIRE_LEN), 0);
	KTM_EXPECT(t, &f.p.b, 9, SUCCESS, SEND);
	KTM_EXPECT(t, &f.p.a, 8, SUCCESS, RECV);
	KT_EXPECT(t, memory_is(&f, false, 0));
	expect_no_error(t, &f);

	/* Beyond the region, and by a key that is not valid any more. */
	KT_EXPECT_EQ(t, ktm_rdma(f.p.qb, &f.p.b, WR_READ, 6, 0, WIRE_LEN, f.mr->iova + 1,
				 f.mr->rkey), 0);
	KTM_EXPECT(t, &f.p.b, 6, REM_ACCESS_ERR, RDMA_READ);
	ktm_reconnect(t, &f.p);
	KT_EXPECT_EQ(t, ktm_post_inv(f.p.qa, f.mr->rkey), 0);
	KTM_EXPECT(t, &f.p.a, 0x11f, SUCCESS, LOCAL_INV);
	KT_EXPECT_EQ(t, ktm_rdma(f.p.qb, &f.p.b, WR_READ, 6, 0, 8, f.mr->iova, f.mr->rkey), 0);
	KTM_EXPECT(t, &f.p.b, 6, REM_ACCESS_ERR, RDMA_READ);
	end_dif(t, &f);
}

/* Registrations that do not go with the lists. Each one leaves the region as it was. */
static void test_bad_registrations(struct ktap *t)
{
	struct ib_sig_domain wire = dif(IB_T10DIF_CRC);
	struct ib_sig_attrs good, *attrs;
	struct dif_fixture f;

	if (!start_dif(t, &f, &wire, &wire))
		return;
	attrs = f.mr->sig_attrs;
	good = *attrs;
	post_reg_pi(t, &f, ACCESS, IB_WC_MW_BIND_ERR);
	KT_EXPECT_EQ(t, ktm_post_inv(f.p.qa, f.mr->rkey - 1), 0);
	KTM_EXPECT(t, &f.p.a, 0x11f, SUCCESS, LOCAL_INV);

	attrs->wire.sig.dif.pi_interval = 0;
	post_reg_pi(t, &f, ACCESS, IB_WC_MW_BIND_ERR);
	attrs->wire.sig.dif.pi_interval = 18;
	post_reg_pi(t, &f, ACCESS, IB_WC_MW_BIND_ERR);
	attrs->mem.sig.dif.pi_interval = 18;
	post_reg_pi(t, &f, ACCESS, IB_WC_MW_BIND_ERR);
	*attrs = good;
	attrs->wire.sig.dif.bg_type = 2;
	post_reg_pi(t, &f, ACCESS, IB_WC_MW_BIND_ERR);
	*attrs = good;
	post_reg_pi(t, &f, ACCESS | IB_ACCESS_REMOTE_ATOMIC, IB_WC_MW_BIND_ERR);
	post_reg_pi(t, &f, ACCESS | IB_ACCESS_MW_BIND, IB_WC_MW_BIND_ERR);
	KT_EXPECT_EQ(t, ktm_post_reg(f.p.qa, f.mr, f.mr->rkey, ACCESS), 0);
	KTM_EXPECT(t, &f.p.a, 0x4e6, MW_BIND_ERR, REG_MR);
	ktm_reconnect(t, &f.p);
	post_reg_pi(t, &f, ACCESS, IB_WC_SUCCESS);
	fill_wire(f.p.b.buf, true, IB_T10DIF_CRC);
	a_moves(t, &f, WR_READ);
	KT_EXPECT(t, memory_is(&f, true, IB_T10DIF_CRC));
	end_dif(t, &f);
}

/* Lists that do not fit, and each operation of the provider that fails. */
static void test_dif_errors(struct ktap *t)
{
	struct ib_sig_domain wire = dif(IB_T10DIF_CRC);
	struct ib_mr_status status;
	struct dif_fixture f;

	if (!start_dif(t, &f, &wire, &wire))
		return;
	KT_EXPECT_ERR(t, ib_alloc_mr_integrity(f.p.a.pd, MEMDEV_MAX_PI_PAGES + 1, 1), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mr_integrity(f.p.a.pd, 1, MEMDEV_MAX_PI_PAGES + 1), -EINVAL);
	fakedev_fail(f.p.a.fd, FAKEDEV_ALLOC_MR_INTEGRITY, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_alloc_mr_integrity(f.p.a.pd, 1, 1), -ENOSPC);
	KT_EXPECT_EQ(t, atomic_read(&f.p.a.pd->usecnt), 2);

	f.data[1].length = PLAIN_LEN - 14;
	sg_dma_len(&f.data[1]) = PLAIN_LEN - 14;
	KT_EXPECT_EQ(t, map_again(&f), -EINVAL);
	sg_dma_len(&f.data[1]) = PLAIN_LEN - 13;
	sg_dma_len(&f.meta[1]) = 8 * NUM - 4;
	KT_EXPECT_EQ(t, map_again(&f), -EINVAL);
	sg_dma_len(&f.meta[1]) = 3 * PAGE_SIZE;
	KT_EXPECT_EQ(t, map_again(&f), -EINVAL);
	fakedev_fail(f.p.a.fd, FAKEDEV_MAP_MR_SG_PI, 1, -EAGAIN);
	KT_EXPECT_EQ(t, map_lists(&f), -EAGAIN);
	KT_EXPECT_EQ(t, map_lists(&f), 0);
	KT_EXPECT_EQ(t, ktm_post_inv(f.p.qa, f.mr->rkey), 0);
	KTM_EXPECT(t, &f.p.a, 0x11f, SUCCESS, LOCAL_INV);
	post_reg_pi(t, &f, ACCESS, IB_WC_SUCCESS);

	fakedev_fail(f.p.a.fd, FAKEDEV_CHECK_MR_STATUS, 1, -EIO);
	KT_EXPECT_EQ(t, ib_check_mr_status(f.mr, IB_MR_CHECK_SIG_STATUS, &status), -EIO);
	fakedev_fail(f.p.a.fd, FAKEDEV_DEREG_MR, 1, -EBUSY);
	KT_EXPECT_EQ(t, ib_dereg_mr(f.mr), -EBUSY);
	expect_no_error(t, &f);
	fill_wire(f.p.b.buf, true, IB_T10DIF_CRC);
	b_moves(t, &f, WR_WRITE);
	KT_EXPECT(t, memory_is(&f, true, IB_T10DIF_CRC));
	end_dif(t, &f);
}

static const struct ktap_case dif_cases[] = {
	{ "protection information is made and removed", test_insert_and_strip },
	{ "protection information in memory only", test_memory_only },
	{ "protection information is passed on, and translated", test_pass_and_translate },
	{ "what is wrong, and what is not checked", test_wrong },
	{ "messages, their bounds, and invalidation", test_messages },
	{ "registrations that fail", test_bad_registrations },
	{ "lists that do not fit, and operations that fail", test_dif_errors },
};

KTAP_SUITE(ktm_dif_suite, "memdev DIF", dif_cases);
