// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of datagrams on InfiniBand: the header in front of them, and those that are dropped.
 */
#include "ud.h"

bool ktm_start_ud(struct ktap *t, struct ktm_pair *p)
{
	struct ib_qp_attr attr;

	if (!ktm_make_pair(t, p, IB_QPT_UD))
		return false;
	attr = ktm_attr(&p->a, &p->b, 0);
	ktm_ready(t, p->qa, &attr, IB_QPS_RTS);
	ktm_ready(t, p->qb, &attr, IB_QPS_RTS);
	return true;
}

void ktm_post_datagram(struct ktap *t, struct ktm_host *h, struct ib_qp *qp, struct ib_ud_wr *wr,
		       u32 offset, u32 length)
{
	struct ib_sge sge = {
		.addr = (uintptr_t)h->buf + offset,
		.length = length,
		.lkey = h->pd->local_dma_lkey,
	};

	wr->wr.wr_id = 77;
	wr->wr.opcode = wr->wr.opcode ?: IB_WR_SEND;
	wr->wr.sg_list = &sge;
	wr->wr.num_sge = 1;
	KT_EXPECT_EQ(t, ib_post_send(qp, &wr->wr, NULL), 0);
}

void ktm_datagram(struct ktap *t, struct ktm_host *h, struct ib_qp *qp, struct ib_ud_wr *wr,
		  u32 offset, u32 length, enum ib_wc_status status)
{
	wr->wr.send_flags = IB_SEND_SIGNALED;
	ktm_post_datagram(t, h, qp, wr, offset, length);
	ktm_expect(t, h, 77, status, IB_WC_SEND);
}

struct rdma_ah_attr ktm_ah_attr(struct ktm_host *h, struct ktm_host *to)
{
	struct ib_qp_attr attr = ktm_attr(h, to, 0);

	attr.ah_attr.sl = 3;
	return attr.ah_attr;
}

static struct rdma_ah_attr global_attr(struct ktm_host *h, struct ktm_host *to)
{
	struct rdma_ah_attr attr = ktm_ah_attr(h, to);

	attr.ah_flags = IB_AH_GRH;
	attr.grh.sgid_index = 1;
	attr.grh.dgid = memdev_gid(to->dev, rdma_start_port(to->dev), 2);
	attr.grh.traffic_class = 0x12;
	attr.grh.flow_label = 0x34567;
	attr.grh.hop_limit = 9;
	return attr;
}

/* Without a global route, the first 40 bytes of the receive request stay as they are. */
static void test_ud_local(struct ktap *t)
{
	struct rdma_ah_attr attr;
	struct ib_ud_wr wr = {};
	struct ktm_pair p;
	struct ib_wc wc;

	if (!ktm_start_ud(t, &p))
		return;
	attr = ktm_ah_attr(&p.a, &p.b);
	wr.ah = rdma_create_ah(p.a.pd, &attr);
	if (!KT_EXPECT_ERR(t, wr.ah, 0))
		goto out;
	wr.remote_qpn = p.qb->qp_num;
	wr.remote_qkey = KTM_QKEY;
	kt_fill(p.a.buf, MEMDEV_MTU, 1);
	memset(p.b.buf, 0xbb, KTM_BUF);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 1, 0, KTM_GRH + MEMDEV_MTU), 0);
	ktm_datagram(t, &p.a, p.qa, &wr, 0, MEMDEV_MTU, IB_WC_SUCCESS);
	wc = KTM_EXPECT(t, &p.b, 1, SUCCESS, RECV);
	KT_EXPECT_EQ(t, wc.byte_len, KTM_GRH + MEMDEV_MTU);
	KT_EXPECT(t, wc.src_qp == p.qa->qp_num && wc.qp == p.qb && wc.sl == 3 && !wc.wc_flags);
	KT_EXPECT(t, wc.slid == memdev_lid(p.a.dev, 1) && wc.port_num == 1);
	KT_EXPECT(t, kt_is(p.b.buf + KTM_GRH, MEMDEV_MTU, 1));

	/* An answer to the sender that the completion names: immediate data only. */
	KT_EXPECT_EQ(t, rdma_destroy_ah(wr.ah), 0);
	wr.ah = ib_create_ah_from_wc(p.b.pd, &wc, NULL, wc.port_num);
	if (!KT_EXPECT_ERR(t, wr.ah, 0))
		goto out;
	wr.remote_qpn = wc.src_qp;
	wr.wr.opcode = IB_WR_SEND_WITH_IMM;
	wr.wr.ex.imm_data = cpu_to_be32(0x55667788);
	KT_EXPECT_EQ(t, ktm_recv(p.qa, &p.a, 2, 0, KTM_GRH), 0);
	ktm_datagram(t, &p.b, p.qb, &wr, 0, 0, IB_WC_SUCCESS);
	wc = KTM_EXPECT(t, &p.a, 2, SUCCESS, RECV);
	KT_EXPECT(t, wc.byte_len == KTM_GRH && wc.wc_flags == IB_WC_WITH_IMM);
	KT_EXPECT(t, be32_to_cpu(wc.ex.imm_data) == 0x55667788);
	KT_EXPECT_EQ(t, rdma_destroy_ah(wr.ah), 0);
out:
	ktm_end_pair(t, &p);
}

static void test_ud_global(struct ktap *t)
{
	union ib_gid from, to;
	struct rdma_ah_attr attr, answer;
	struct ib_ud_wr wr = {};
	struct ib_grh *grh;
	struct ktm_pair p;
	struct ib_wc wc;

	if (!ktm_start_ud(t, &p))
		return;
	attr = global_attr(&p.a, &p.b);
	wr.ah = rdma_create_ah(p.a.pd, &attr);
	if (!KT_EXPECT_ERR(t, wr.ah, 0))
		goto out;
	wr.remote_qpn = p.qb->qp_num;
	wr.remote_qkey = KTM_QKEY;
	kt_fill(p.a.buf, 100, 2);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 1, 0, 500), 0);
	ktm_datagram(t, &p.a, p.qa, &wr, 0, 100, IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, rdma_destroy_ah(wr.ah), 0);
	wc = KTM_EXPECT(t, &p.b, 1, SUCCESS, RECV);
	KT_EXPECT(t, wc.byte_len == KTM_GRH + 100 && wc.wc_flags == IB_WC_GRH);
	KT_EXPECT(t, kt_is(p.b.buf + KTM_GRH, 100, 2));
	grh = (struct ib_grh *)p.b.buf;
	from = memdev_gid(p.a.dev, 1, 1);
	to = memdev_gid(p.b.dev, 1, 2);
	KT_EXPECT(t, !memcmp(&grh->sgid, &from, sizeof(from)));
	KT_EXPECT(t, !memcmp(&grh->dgid, &to, sizeof(to)));
	KT_EXPECT_EQ(t, be32_to_cpu(grh->version_tclass_flow), 0x61234567);
	KT_EXPECT_EQ(t, be16_to_cpu(grh->paylen), 12 + 8 + 100 + 4);
	KT_EXPECT(t, grh->next_hdr == 0x1b && grh->hop_limit == 9);

	KT_EXPECT_EQ(t, ib_init_ah_attr_from_wc(p.b.dev, 1, &wc, grh, &answer), 0);
	KT_EXPECT(t, answer.ah_flags == IB_AH_GRH && answer.grh.sgid_index == 2);
	KT_EXPECT(t, answer.ib.dlid == memdev_lid(p.a.dev, 1));
	KT_EXPECT(t, !memcmp(&answer.grh.dgid, &from, sizeof(from)));
	rdma_destroy_ah_attr(&answer);
out:
	ktm_end_pair(t, &p);
}

/* Sends a datagram that is dropped; the sender does not learn of it. */
static void expect_dropped(struct ktap *t, struct ktm_pair *p, const struct rdma_ah_attr *attr,
			   u32 qpn, u32 qkey, u32 length)
{
	struct ib_ud_wr wr = { .remote_qpn = qpn, .remote_qkey = qkey };
	struct rdma_ah_attr copy = *attr;

	wr.ah = rdma_create_ah(p->a.pd, &copy);
	if (!KT_EXPECT_ERR(t, wr.ah, 0))
		return;
	ktm_datagram(t, &p->a, p->qa, &wr, 0, length, IB_WC_SUCCESS);
	ktm_expect_none(t, &p->b);
	KT_EXPECT_EQ(t, rdma_destroy_ah(wr.ah), 0);
}

static void test_ud_dropped(struct ktap *t)
{
	struct rdma_ah_attr attr, wrong;
	struct ib_ud_wr wr = {};
	struct ktm_pair p;
	struct ib_qp *rc;

	if (!ktm_start_ud(t, &p))
		return;
	attr = ktm_ah_attr(&p.a, &p.b);
	wrong = attr;
	expect_dropped(t, &p, &attr, p.qb->qp_num, KTM_QKEY, 8);	/* no receive request */
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 1, 0, KTM_GRH + 8), 0);
	expect_dropped(t, &p, &attr, p.qb->qp_num, KTM_QKEY, 9);	/* one that is too short */
	expect_dropped(t, &p, &attr, p.qb->qp_num, KTM_QKEY + 1, 8);
	expect_dropped(t, &p, &attr, p.qb->qp_num + 1, KTM_QKEY, 8);
	wrong.ib.dlid = 0xbfff;
	expect_dropped(t, &p, &wrong, p.qb->qp_num, KTM_QKEY, 8);
	wrong = global_attr(&p.a, &p.b);
	wrong.grh.dgid = memdev_gid(p.a.dev, 1, 0);
	expect_dropped(t, &p, &wrong, p.qb->qp_num, KTM_QKEY, 8);
	rc = ktm_qp(t, &p.b, IB_QPT_RC);
	expect_dropped(t, &p, &attr, rc->qp_num, KTM_QKEY, 8);
	KT_EXPECT_EQ(t, ib_destroy_qp(rc), 0);

	/* With the highest bit set, the Q_Key is that of the sending QP. */
	wr.ah = rdma_create_ah(p.a.pd, &attr);
	wr.remote_qpn = p.qb->qp_num;
	wr.remote_qkey = 0x80000001;
	ktm_datagram(t, &p.a, p.qa, &wr, 0, 8, IB_WC_SUCCESS);
	KTM_EXPECT(t, &p.b, 1, SUCCESS, RECV);
	KT_EXPECT_EQ(t, rdma_destroy_ah(wr.ah), 0);
	KT_EXPECT_EQ(t, ktm_modify(p.qb, IB_QPS_RESET), 0);
	expect_dropped(t, &p, &attr, p.qb->qp_num, KTM_QKEY, 8);
	ktm_end_pair(t, &p);
}

/* Errors of the sender: the QP goes to SQE, and still receives. */
static void test_ud_errors(struct ktap *t)
{
	struct ib_qp_attr rts = { .qp_state = IB_QPS_RTS };
	struct ib_sge sge = { .length = 100, .lkey = 0xbad00 };
	struct ib_recv_wr recv = { .wr_id = 5, .sg_list = &sge, .num_sge = 1 };
	struct rdma_ah_attr attr;
	struct ib_ud_wr wr = {};
	struct ktm_pair p;
	struct ib_ah *ah;

	if (!ktm_start_ud(t, &p))
		return;
	attr = ktm_ah_attr(&p.a, &p.b);
	ah = rdma_create_ah(p.a.pd, &attr);
	KT_EXPECT_ERR(t, ah, 0);
	wr.wr.opcode = IB_WR_SEND;
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &wr.wr, NULL), -EINVAL);
	wr.ah = ah;
	wr.wr.opcode = IB_WR_RDMA_WRITE;
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &wr.wr, NULL), -EINVAL);
	wr.wr.opcode = IB_WR_SEND;
	wr.remote_qpn = p.qb->qp_num;
	wr.remote_qkey = KTM_QKEY;
	ktm_datagram(t, &p.a, p.qa, &wr, 0, MEMDEV_MTU + 1, IB_WC_LOC_LEN_ERR);
	KT_EXPECT_EQ(t, ktm_state(p.qa), IB_QPS_SQE);
	ktm_datagram(t, &p.a, p.qa, &wr, 0, 8, IB_WC_WR_FLUSH_ERR);
	KT_EXPECT_EQ(t, ib_modify_qp(p.qa, &rts, IB_QP_STATE), 0);

	/* The receiver fails at its own memory. */
	sge.addr = (uintptr_t)p.b.buf;
	KT_EXPECT_EQ(t, ib_post_recv(p.qb, &recv, NULL), 0);
	ktm_datagram(t, &p.a, p.qa, &wr, 0, 8, IB_WC_SUCCESS);
	KTM_EXPECT(t, &p.b, 5, LOC_PROT_ERR, RECV);
	KT_EXPECT_EQ(t, ktm_state(p.qb), IB_QPS_ERR);
	KT_EXPECT_EQ(t, ktm_state(p.qa), IB_QPS_RTS);
	KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
	ktm_end_pair(t, &p);
}

/* The address of a posted request is used even if its handle is destroyed at once. */
static void test_destroyed_handle(struct ktap *t)
{
	struct rdma_ah_attr attr;
	struct ib_ud_wr wr = {};
	struct ktm_pair p;

	if (!ktm_start_ud(t, &p))
		return;
	attr = global_attr(&p.a, &p.b);
	KT_EXPECT_EQ(t, ktm_modify(p.qa, IB_QPS_SQD), 0);
	wr.ah = rdma_create_ah(p.a.pd, &attr);
	wr.remote_qpn = p.qb->qp_num;
	wr.remote_qkey = KTM_QKEY;
	wr.wr.wr_id = 3;
	wr.wr.opcode = IB_WR_SEND;
	wr.wr.send_flags = IB_SEND_SIGNALED;
	KT_EXPECT_EQ(t, ib_post_send(p.qa, &wr.wr, NULL), 0);
	KT_EXPECT_EQ(t, rdma_destroy_ah(wr.ah), 0);
	KT_EXPECT_EQ(t, ktm_recv(p.qb, &p.b, 1, 0, KTM_GRH), 0);
	ktm_expect_none(t, &p.a);
	KT_EXPECT_EQ(t, ktm_modify(p.qa, IB_QPS_RTS), 0);
	KTM_EXPECT(t, &p.a, 3, SUCCESS, SEND);
	KTM_EXPECT(t, &p.b, 1, SUCCESS, RECV);
	ktm_end_pair(t, &p);
}

/* QP 1 of an adapter, and QP 1 of a switch, which is on port 0; QP 0, to the permissive LID. */
static void test_management(struct ktap *t)
{
	const struct memdev_config is_switch = { .node_type = RDMA_NODE_IB_SWITCH, .nr_ports = 4 };
	struct ib_qp_init_attr init_attr;
	struct rdma_ah_attr attr;
	struct ib_ud_wr wr = {};
	struct ib_qp_attr to;
	struct ktm_host h, s;
	struct ib_qp *qh, *qs, *q0;
	struct ib_wc wc;

	if (!ktm_start(t, &h, NULL))
		return;
	if (!ktm_start(t, &s, &is_switch)) {
		ktm_end(t, &h);
		return;
	}
	qh = ktm_qp(t, &h, IB_QPT_GSI);
	qs = ktm_qp(t, &s, IB_QPT_GSI);
	q0 = ktm_qp(t, &h, IB_QPT_SMI);
	KT_EXPECT(t, qh->qp_num == 1 && qs->qp_num == 1 && q0->qp_num == 0);
	init_attr = ktm_init_attr(&h, IB_QPT_GSI);
	init_attr.port_num = 1;
	KT_EXPECT_ERR(t, ib_create_qp(h.pd, &init_attr), -EBUSY);
	to = ktm_attr(&h, &s, 0);
	to.qkey = 0x80010000;
	ktm_ready(t, qh, &to, IB_QPS_RTS);
	ktm_ready(t, qs, &to, IB_QPS_RTS);
	to.qkey = 0;
	ktm_ready(t, q0, &to, IB_QPS_RTS);

	attr = ktm_ah_attr(&h, &s);
	wr.ah = rdma_create_ah(h.pd, &attr);
	wr.remote_qpn = 1;
	wr.remote_qkey = 0x80010000;
	kt_fill(h.buf, 256, 8);
	KT_EXPECT_EQ(t, ktm_recv(qs, &s, 1, 0, KTM_GRH + 256), 0);
	ktm_datagram(t, &h, qh, &wr, 0, 256, IB_WC_SUCCESS);
	wc = KTM_EXPECT(t, &s, 1, SUCCESS, RECV);
	KT_EXPECT(t, wc.src_qp == 1 && wc.port_num == 1 && wc.slid == memdev_lid(h.dev, 1));
	KT_EXPECT(t, kt_is(s.buf + KTM_GRH, 256, 8));
	KT_EXPECT_EQ(t, rdma_destroy_ah(wr.ah), 0);

	attr.ib.dlid = 0xffff;
	wr.ah = rdma_create_ah(h.pd, &attr);
	wr.remote_qpn = 0;
	wr.remote_qkey = 0;
	KT_EXPECT_EQ(t, ktm_recv(q0, &h, 2, 1024, KTM_GRH + 256), 0);
	wr.wr.send_flags = 0;
	ktm_post_datagram(t, &h, q0, &wr, 0, 256);
	wc = KTM_EXPECT(t, &h, 2, SUCCESS, RECV);
	KT_EXPECT(t, wc.src_qp == 0 && wc.port_num == 1 && kt_is(h.buf + 1024 + KTM_GRH, 256, 8));
	KT_EXPECT_EQ(t, rdma_destroy_ah(wr.ah), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(qh), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(qs), 0);
	KT_EXPECT_EQ(t, ib_destroy_qp(q0), 0);
	ktm_end(t, &s);
	ktm_end(t, &h);
}

static const struct ktap_case ud_cases[] = {
	{ "within a subnet, and an answer", test_ud_local },
	{ "a global route header", test_ud_global },
	{ "datagrams that are dropped", test_ud_dropped },
	{ "errors of either end", test_ud_errors },
	{ "the handle may be destroyed once its request is posted", test_destroyed_handle },
	{ "management QPs of an adapter and of a switch", test_management },
};

KTAP_SUITE(ktm_ud_suite, "memdev UD", ud_cases);
