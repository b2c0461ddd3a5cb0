// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_mad.ko: tests of management datagrams, over the provider memdev.
 */
#include <linux/slab.h>
#include <rdma/krdma.h>

#include "kt_mad.h"

KRDMA_NEEDS_IB_CORE;

const struct kmd_reg kmd_plain = {
	IB_QPT_GSI, KMD_PLAIN, .methods = KMD_GET | KMD_SET | KMD_SEND
};

static const u8 test_oui[] = { 0x00, 0x14, 0x05 };

u8 kmd_byte(unsigned int i)
{
	return i * 7 + i / 251;
}

/* Copies data to the segments of a message, or to a MAD. */
static void fill_mad(struct ib_mad_send_buf *buf, unsigned int len)
{
	unsigned int size = buf->seg_count ? buf->seg_size : len, i;
	u8 *segment;

	for (i = 0; i < len; i++) {
		segment = buf->seg_count ? ib_get_rmpp_segment(buf, i / size + 1) :
					   buf->mad + buf->hdr_len;
		segment[i % size] = kmd_byte(i);
	}
}

bool kmd_is_whole(const struct ib_mad_recv_wc *wc, unsigned int len)
{
	unsigned int offset = ib_get_mad_data_offset(wc->recv_buf.mad->mad_hdr.mgmt_class);
	unsigned int size = IB_MGMT_MAD_SIZE - offset, at = 0, i;
	const struct ib_mad_recv_buf *buf;

	list_for_each_entry(buf, &wc->rmpp_list, list)
		for (i = 0; i < size && at < len; i++, at++)
			if (((u8 *)buf->mad)[offset + i] != kmd_byte(at))
				return false;
	return at == len;
}

static void note(struct kmd_agent *a, const struct kmd_event *event)
{
	unsigned long flags;

	spin_lock_irqsave(&a->lock, flags);
	if (a->nr < KMD_EVENTS) {
		a->events[a->nr] = *event;
		/* Pairs with kmd_nr(), because events are read without the lock. */
		smp_store_release(&a->nr, a->nr + 1);
	}
	spin_unlock_irqrestore(&a->lock, flags);
}

static void note_send(struct ib_mad_agent *agent, struct ib_mad_send_wc *wc)
{
	struct kmd_agent *a = agent->context;
	const struct kmd_event event = {
		.send = wc->send_buf,
		.status = wc->status,
		.vendor_err = wc->vendor_err,
	};

	if (a->ends_ahs) {
		rdma_destroy_ah(wc->send_buf->ah, 0);
		wc->send_buf->ah = NULL;
	}
	if (wc->send_buf->context[0] == KMD_FREED)
		kmd_free(wc->send_buf);
	else
		note(a, &event);
}

/* Sends the answer to a request: its header, as a response, and data. */
static void answer(struct kmd_agent *a, struct ib_mad_recv_wc *wc)
{
	const struct ib_mad *request = wc->recv_buf.mad;
	int offset = ib_get_mad_data_offset(request->mad_hdr.mgmt_class);
	bool rmpp = a->answer_len && ib_mad_kernel_rmpp_agent(a->agent);
	struct ib_mad_send_buf *buf;

	buf = ib_create_send_mad(a->agent, wc->wc->src_qp, wc->wc->pkey_index, rmpp, offset,
				 rmpp ? a->answer_len : IB_MGMT_MAD_SIZE - offset, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(buf))
		return;
	buf->context[0] = KMD_FREED;
	buf->ah = ib_create_ah_from_wc(a->agent->qp->pd, wc->wc, wc->recv_buf.grh,
				       a->agent->port_num);
	if (IS_ERR(buf->ah)) {
		ib_free_send_mad(buf);
		return;
	}
	if (rmpp) {
		memcpy(buf->mad, request, IB_MGMT_MAD_HDR);
		memcpy(buf->mad + IB_MGMT_RMPP_HDR, (u8 *)request + IB_MGMT_RMPP_HDR,
		       offset - IB_MGMT_RMPP_HDR);
		buf->timeout_ms = 200;
		buf->retries = 20;
	} else {
		memcpy(buf->mad, request, IB_MGMT_MAD_SIZE);
		/* The request may have been of RMPP, and the answer is not. */
		if (a->agent->rmpp_version)
			memset(buf->mad + IB_MGMT_MAD_HDR, 0, sizeof(struct ib_rmpp_hdr));
	}
	/* The route of an SMP stays as it is. */
	if (a->agent->qp->qp_type == IB_QPT_GSI)
		fill_mad(buf, rmpp ? a->answer_len : IB_MGMT_MAD_SIZE - offset);
	kmd_hdr(buf)->method |= IB_MGMT_METHOD_RESP;
	if (request->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		kmd_hdr(buf)->status |= IB_SMP_DIRECTION;
	if (ib_post_send_mad(buf, NULL))
		kmd_free(buf);
}

static void note_recv(struct ib_mad_agent *agent, struct ib_mad_send_buf *send,
		      struct ib_mad_recv_wc *wc)
{
	struct kmd_agent *a = agent->context;
	const struct kmd_event event = { .send = send, .recv = wc };

	if (a->gate) {
		WRITE_ONCE(a->held, true);
		wait_for_completion(a->gate);
	}
	if (a->answers && !send)
		answer(a, wc);
	if (a->silent)
		ib_free_recv_mad(wc);
	else
		note(a, &event);
}

bool kmd_register(struct ktap *t, struct kmd_agent *a, struct ib_device *dev,
		  const struct kmd_reg *reg)
{
	struct ib_mad_reg_req req = {
		.mgmt_class = reg->mgmt_class,
		.mgmt_class_version = reg->version ?: 1,
	};
	unsigned int i;

	memset(a, 0, sizeof(*a));
	spin_lock_init(&a->lock);
	memcpy(req.oui, test_oui, sizeof(req.oui));
	for (i = 0; i < 64; i++)
		if (reg->methods & BIT_ULL(i))
			set_bit(i, req.method_mask);
	a->agent = ib_register_mad_agent(dev, rdma_start_port(dev), reg->qp,
					 reg->mgmt_class ? &req : NULL, reg->rmpp, note_send,
					 note_recv, a, reg->flags);
	return KT_EXPECT_ERR(t, a->agent, 0);
}

unsigned int kmd_completions(struct kmd_agent *a, const struct ib_mad_send_buf *buf)
{
	unsigned int i, found = 0;

	spin_lock_irq(&a->lock);
	for (i = 0; i < a->nr; i++)
		if (!a->events[i].recv && a->events[i].send == buf)
			found++;
	spin_unlock_irq(&a->lock);
	return found;
}

void kmd_forget(struct kmd_agent *a)
{
	struct kmd_event event;

	for (;;) {
		spin_lock_irq(&a->lock);
		event = a->events[a->nr - !!a->nr];
		if (!a->nr) {
			spin_unlock_irq(&a->lock);
			return;
		}
		a->nr--;
		spin_unlock_irq(&a->lock);
		if (event.recv)
			ib_free_recv_mad(event.recv);
	}
}

void kmd_unregister(struct kmd_agent *a)
{
	ib_unregister_mad_agent(a->agent);
	kmd_forget(a);
}

bool kmd_start(struct ktap *t, struct kmd_pair *p, const struct kmd_reg *reg)
{
	struct kmd_reg sender = *reg;

	memset(p, 0, sizeof(*p));
	p->fa = memdev_create(NULL);
	if (!KT_EXPECT_ERR(t, p->fa, 0))
		return false;
	p->fb = memdev_create(NULL);
	if (!KT_EXPECT_ERR(t, p->fb, 0))
		goto err_a;
	p->a = &p->fa->ibdev;
	p->b = &p->fb->ibdev;
	memdev_link(p->a, 1, p->b, 1);
	/* The sender wants no request, so that it is in nobody's way. */
	sender.methods = 0;
	if (!kmd_register(t, &p->from, p->a, &sender))
		goto err_b;
	if (kmd_register(t, &p->to, p->b, reg))
		return true;
	kmd_unregister(&p->from);
err_b:
	memdev_destroy(p->fb);
err_a:
	memdev_destroy(p->fa);
	return false;
}

void kmd_end(struct kmd_pair *p)
{
	memdev_lose(NULL, NULL);
	kmd_unregister(&p->from);
	kmd_unregister(&p->to);
	memdev_destroy(p->fa);
	memdev_destroy(p->fb);
}

struct ib_mad_send_buf *kmd_new(struct ktap *t, struct kmd_agent *a, u32 lid, u8 method,
				unsigned int len)
{
	static atomic_t next_tid;
	struct rdma_ah_attr attr = {
		.type = RDMA_AH_ATTR_TYPE_IB,
		.port_num = a->agent->port_num,
	};
	bool on_qp0 = a->agent->qp->qp_type == IB_QPT_SMI;
	u8 mgmt_class = on_qp0 ? IB_MGMT_CLASS_SUBN_LID_ROUTED : KMD_PLAIN;
	struct ib_mad_send_buf *buf;
	int offset;

	if (a->agent->rmpp_version)
		mgmt_class = KMD_VENDOR;
	offset = ib_get_mad_data_offset(mgmt_class);
	buf = ib_create_send_mad(a->agent, on_qp0 ? 0 : 1, 0, !!len, offset,
				 len ?: IB_MGMT_MAD_SIZE - offset, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (!KT_EXPECT_ERR(t, buf, 0))
		return NULL;
	rdma_ah_set_dlid(&attr, lid);
	buf->ah = rdma_create_ah(a->agent->qp->pd, &attr, 0);
	if (!KT_EXPECT_ERR(t, buf->ah, 0)) {
		ib_free_send_mad(buf);
		return NULL;
	}
	*kmd_hdr(buf) = (struct ib_mad_hdr) {
		.base_version = IB_MGMT_BASE_VERSION,
		.mgmt_class = mgmt_class,
		.class_version = 1,
		.method = method,
		.tid = cpu_to_be64((u64)a->agent->hi_tid << 32 | atomic_inc_return(&next_tid)),
		.attr_id = cpu_to_be16(0x99),
	};
	if (mgmt_class == KMD_VENDOR)
		memcpy(((struct ib_vendor_mad *)buf->mad)->oui, test_oui, sizeof(test_oui));
	fill_mad(buf, buf->data_len);
	return buf;
}

bool kmd_use_gid(struct ktap *t, struct ib_mad_send_buf *buf, union ib_gid gid)
{
	struct rdma_ah_attr attr;
	struct ib_ah *ah;

	if (!KT_EXPECT_EQ(t, rdma_query_ah(buf->ah, &attr), 0))
		return false;
	rdma_ah_set_grh(&attr, NULL, 0, 0, 64, 0);
	rdma_ah_set_dgid_raw(&attr, gid.raw);
	ah = rdma_create_ah(buf->ah->pd, &attr, 0);
	if (!KT_EXPECT_ERR(t, ah, 0))
		return false;
	rdma_destroy_ah(buf->ah, 0);
	buf->ah = ah;
	return true;
}

void kmd_free(struct ib_mad_send_buf *buf)
{
	/* After a failure, a send may be left that its agent would complete later. */
	if (!ib_modify_mad(buf, 0))
		msleep(100);
	if (buf->ah)
		rdma_destroy_ah(buf->ah, 0);
	ib_free_send_mad(buf);
}

void kmd_post(struct ktap *t, struct ib_mad_send_buf *buf)
{
	KT_EXPECT_EQ(t, ib_post_send_mad(buf, NULL), 0);
}

struct kmd_event kmd_wait(struct ktap *t, struct kmd_agent *a, unsigned int nr)
{
	KT_WAIT(t, kmd_nr(a) >= nr);
	KT_EXPECT_EQ(t, kmd_nr(a), nr);
	return kmd_nr(a) >= nr ? a->events[nr - 1] : (struct kmd_event) {};
}

static const struct ktap_suite * const suites[] = {
	&kmd_agent_suite, &kmd_send_suite, &kmd_ends_suite, &kmd_smp_suite, &kmd_recv_suite,
	&kmd_rmpp_suite, &kmd_by_hand_suite, &kmd_limits_suite, &kmd_devices_suite, &kmd_held_suite,
	&kmd_roce_suite,
};

KTAP_MODULE(suites);
