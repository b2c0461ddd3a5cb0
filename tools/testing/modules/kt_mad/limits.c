// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of how much a port takes: receives that follow the load, and ceilings.
 */
#include <linux/slab.h>

#include "kt_mad.h"

#define QP_SENDS	24
#define QP0_RECVS	8	/* at the least */
#define MIN_RECVS	32	/* of QP 1 */
#define MAX_RECVS	512
#define MAX_REPLIES	256
#define MAX_AGENT	64	/* RMPP messages of an agent that have begun to come */
#define MAX_PORT	256	/* and of a port */
#define MAX_SEGMENTS	77673	/* of a message of 16 MiB of a vendor's class */
#define WINDOW		32	/* segments that are sent without an Ack */

static struct kmd_pair limits;

/* Returns the number of receives that are posted on the second device, which gets nothing now. */
static long posted(void)
{
	return fakedev_calls(limits.fb, FAKEDEV_POST_RECV) -
	       krdma_mad_read(limits.b, 1, KRDMA_MAD_RECEIVED);
}

/* Posts a list of MADs, and waits until all have completed. */
static void post_all(struct ktap *t, struct ib_mad_send_buf *first, unsigned int nr)
{
	kmd_post(t, first);
	kmd_wait(t, &limits.from, nr);
	kmd_forget(&limits.from);
}

static void free_list(struct ib_mad_send_buf *first)
{
	struct ib_mad_send_buf *next;

	for (; first; first = next) {
		next = first->next;
		kmd_free(first);
	}
}

/* Makes a list of MADs without responses. Returns NULL, and fails the test, if it cannot. */
static struct ib_mad_send_buf *new_list(struct ktap *t, u8 method, u8 mgmt_class, unsigned int nr)
{
	struct ib_mad_send_buf *first = NULL, *buf;

	while (nr--) {
		buf = kmd_new(t, &limits.from, memdev_lid(limits.b, 1), method, 0);
		if (!buf) {
			free_list(first);
			return NULL;
		}
		kmd_hdr(buf)->mgmt_class = mgmt_class;
		buf->next = first;
		first = buf;
	}
	return first;
}

/* Makes a list of requests, which wait for their responses. Returns NULL like new_list(). */
static struct ib_mad_send_buf *new_requests(struct ktap *t, u8 mgmt_class, unsigned int nr)
{
	struct ib_mad_send_buf *first = new_list(t, IB_MGMT_METHOD_GET, mgmt_class, nr), *buf;

	for (buf = first; buf; buf = buf->next)
		buf->timeout_ms = KMD_LONG;
	return first;
}

static void cancel_list(struct ib_mad_send_buf *first)
{
	for (; first; first = first->next)
		ib_cancel_mad(first);
}

/* Has the second device find @nr MADs in its CQ at once: a handler is busy while they come. */
static void burst(struct ktap *t, struct ib_mad_send_buf *one, unsigned int nr)
{
	struct ib_mad_send_buf *list = new_list(t, IB_MGMT_METHOD_SEND, KMD_PLAIN, nr);
	static DECLARE_COMPLETION(gate);

	if (!list)
		return;
	reinit_completion(&gate);
	limits.to.held = false;
	limits.to.gate = &gate;
	post_all(t, one, 1);
	KT_WAIT(t, kmd_is_held(&limits.to));
	post_all(t, list, nr);
	limits.to.gate = NULL;
	complete_all(&gate);
	free_list(list);
}

/* Returns how many completions the CQ of the second device has room for. */
static int room_in_cq(void)
{
	return limits.to.agent->qp->recv_cq->cqe;
}

/*
 * A burst of half of the receives doubles them, if the CQ can be made larger, and after many small
 * ones they are halved.
 */
static void test_receives(struct ktap *t)
{
	static const int targets[] = { 64, 128, 256, 512, 512 };
	struct ib_mad_send_buf *one;
	unsigned int i, recvs = MIN_RECVS;
	long received = 0;

	if (!kmd_start(t, &limits, &kmd_plain))
		return;
	one = kmd_new(t, &limits.from, memdev_lid(limits.b, 1), IB_MGMT_METHOD_SEND, 0);
	if (!one)
		goto out;
	limits.to.silent = true;
	/* QP 0 gets nothing, and keeps its receives. */
	KT_EXPECT_EQ(t, posted(), QP0_RECVS + MIN_RECVS);
	KT_EXPECT_EQ(t, room_in_cq(), 128);
	/* There is no memory for a larger CQ at first. */
	fakedev_fail(limits.fb, FAKEDEV_RESIZE_CQ, 1, -ENOMEM);
	for (i = 0; i < ARRAY_SIZE(targets); i++) {
		burst(t, one, recvs / 2);
		received += 1 + recvs / 2;
		KMD_COUNTS(t, limits.b, RECEIVED, received);
		recvs = targets[i];
		if (!KT_WAIT(t, posted() == QP0_RECVS + recvs)) {
			ktap_note(t, "%ld receives", posted());
			goto out_free;
		}
		KT_EXPECT(t, room_in_cq() >= 2 * QP_SENDS + QP0_RECVS + recvs);
	}
	/* 64 small bursts halve them; then 256 receives have to be used up, and so on. */
	for (i = 0; i < MAX_RECVS + 64; i++) {
		post_all(t, one, 1);
		received++;
		if (!KMD_COUNTS(t, limits.b, RECEIVED, received))
			goto out_free;
	}
	KT_WAIT(t, posted() == QP0_RECVS + MIN_RECVS);
	KT_EXPECT_EQ(t, room_in_cq(), 1024);
out_free:
	kmd_free(one);
out:
	kmd_end(&limits);
}

/*
 * For each response that is awaited there is a receive: at once, while the CQ has room for its
 * completion, and else when the CQ has been made larger.
 */
static void test_expected(struct ktap *t)
{
	struct ib_mad_send_buf *some, *more, *alone;
	const int at_first = QP0_RECVS + MIN_RECVS;

	if (!kmd_start(t, &limits, &kmd_plain))
		return;
	limits.to.silent = true;
	some = new_requests(t, KMD_PLAIN, 40);
	more = new_requests(t, KMD_PLAIN, 60);
	alone = new_list(t, IB_MGMT_METHOD_SEND, KMD_PLAIN, 20);
	if (!some || !more || !alone)
		goto out;
	KT_EXPECT_EQ(t, fakedev_calls(limits.fa, FAKEDEV_POST_RECV), at_first);
	/* For what is only sent, there is none. */
	memdev_hold(limits.a, 1, 1, true);
	kmd_post(t, alone);
	KT_EXPECT_EQ(t, fakedev_calls(limits.fa, FAKEDEV_POST_RECV), at_first);
	memdev_hold(limits.a, 1, 1, false);
	kmd_wait(t, &limits.from, 20);
	kmd_forget(&limits.from);
	kmd_post(t, some);
	KT_EXPECT_EQ(t, fakedev_calls(limits.fa, FAKEDEV_POST_RECV), at_first + 40);
	KT_EXPECT_EQ(t, fakedev_calls(limits.fa, FAKEDEV_RESIZE_CQ), 0);
	kmd_post(t, more);
	KT_WAIT(t, fakedev_calls(limits.fa, FAKEDEV_POST_RECV) == at_first + 100);
	KT_EXPECT_EQ(t, fakedev_calls(limits.fa, FAKEDEV_RESIZE_CQ), 1);
	cancel_list(some);
	cancel_list(more);
	kmd_wait(t, &limits.from, 100);
	kmd_forget(&limits.from);
	/* The receives are still there. */
	kmd_post(t, some);
	KT_EXPECT_EQ(t, fakedev_calls(limits.fa, FAKEDEV_POST_RECV), at_first + 100);
	cancel_list(some);
	kmd_wait(t, &limits.from, 40);
	kmd_forget(&limits.from);
out:
	free_list(some);
	free_list(more);
	free_list(alone);
	kmd_end(&limits);
}

/* Responses that come at once have receives of their own, and are no burst of requests. */
static void test_awaited(struct ktap *t)
{
	struct ib_mad_send_buf *list, *one;

	if (!kmd_start(t, &limits, &kmd_plain))
		return;
	list = new_requests(t, IB_MGMT_CLASS_PERF_MGMT, 20);
	one = new_requests(t, IB_MGMT_CLASS_PERF_MGMT, 1);
	if (!list || !one)
		goto out;
	memdev_hold(limits.b, 1, 1, true);
	kmd_post(t, list);
	KMD_COUNTS(t, limits.b, REPLIES, 20);
	memdev_hold(limits.b, 1, 1, false);
	kmd_wait(t, &limits.from, 2 * 20);
	kmd_forget(&limits.from);
	/* When this one has ended, all that followed from the others has. */
	kmd_post(t, one);
	kmd_wait(t, &limits.from, 2);
	kmd_forget(&limits.from);
	/* The receive of the first response was replaced before the response was handled. */
	KT_EXPECT_EQ(t, fakedev_calls(limits.fa, FAKEDEV_POST_RECV) -
		     krdma_mad_read(limits.a, 1, KRDMA_MAD_RECEIVED), QP0_RECVS + MIN_RECVS + 1);
out:
	free_list(list);
	free_list(one);
	kmd_end(&limits);
}

/* Answers of the device, while it can send none: there is room for 256. */
static void test_replies(struct ktap *t)
{
	struct ib_mad_send_buf *list, *one;
	unsigned int i;

	if (!kmd_start(t, &limits, &kmd_plain))
		return;
	list = new_list(t, IB_MGMT_METHOD_GET, IB_MGMT_CLASS_PERF_MGMT, 30);
	one = new_list(t, IB_MGMT_METHOD_GET, IB_MGMT_CLASS_PERF_MGMT, 1);
	if (!list || !one)
		goto out;
	memdev_hold(limits.b, 1, 1, true);
	for (i = 1; i <= 10; i++) {
		post_all(t, list, 30);
		KMD_COUNTS(t, limits.b, RECEIVED, 30 * i);
	}
	KMD_COUNTS(t, limits.b, REPLIES, MAX_REPLIES);
	KMD_COUNTS(t, limits.b, REPLIES_DROPPED, 300 - MAX_REPLIES);
	/* All of them are sent now, so that there is room again. */
	memdev_hold(limits.b, 1, 1, false);
	one->timeout_ms = 100;
	one->retries = 50;
	kmd_post(t, one);
	KT_EXPECT_EQ(t, kmd_wait(t, &limits.from, 2).status, IB_WC_SUCCESS);
	KT_EXPECT(t, krdma_mad_read(limits.b, 1, KRDMA_MAD_REPLIES) > MAX_REPLIES);
out:
	free_list(list);
	free_list(one);
	kmd_end(&limits);
}

static struct kmd_agent hand;

/*
 * Begins @nr messages of a class, and returns how many of them were answered with an Ack; others
 * have to be stopped.
 */
static unsigned int begin(struct ktap *t, u8 mgmt_class, unsigned int nr)
{
	static const struct ib_rmpp_hdr first = KMD_HDR(1, 1, KMD_FIRST, 0, 1, 500);
	struct ib_mad_send_buf *list = NULL, *buf;
	unsigned int i, acks = 0;

	for (i = 0; i < nr; i++) {
		buf = kmd_new(t, &hand, memdev_lid(limits.b, 1), IB_MGMT_METHOD_SEND, 0);
		if (!buf)
			break;
		kmd_hdr(buf)->mgmt_class = mgmt_class;
		((struct ib_rmpp_mad *)buf->mad)->rmpp_hdr = first;
		buf->next = list;
		list = buf;
	}
	kmd_post(t, list);
	kmd_wait(t, &hand, 2 * nr);
	for (i = 0; i < hand.nr; i++) {
		const struct ib_mad_recv_wc *wc = hand.events[i].recv;
		const struct ib_rmpp_hdr *hdr;

		if (!wc)
			continue;
		hdr = &((const struct ib_rmpp_mad *)wc->recv_buf.mad)->rmpp_hdr;
		if (hdr->rmpp_type == IB_MGMT_RMPP_TYPE_ACK)
			acks++;
		else
			KT_EXPECT(t, hdr->rmpp_type == IB_MGMT_RMPP_TYPE_STOP &&
				  hdr->rmpp_status == IB_MGMT_RMPP_STATUS_RESX);
	}
	kmd_forget(&hand);
	free_list(list);
	return acks;
}

/* Begins as many messages of a class as an agent may have. */
static void begin_all(struct ktap *t, u8 mgmt_class)
{
	unsigned int i;

	for (i = 0; i < MAX_AGENT; i += 16)
		KT_EXPECT_EQ(t, begin(t, mgmt_class, 16), 16);
}

/* Messages that begin and do not go on, for several agents. */
static void test_partial(struct ktap *t)
{
	struct kmd_reg reg = {
		IB_QPT_GSI, KMD_VENDOR, .rmpp = 1, .methods = KMD_GET | KMD_SEND
	};
	static struct kmd_agent more[MAX_PORT / MAX_AGENT];
	struct kmd_reg raw = { IB_QPT_GSI, KMD_VENDOR, .rmpp = 1, .flags = IB_MAD_USER_RMPP };
	int i, nr;

	if (!kmd_start(t, &limits, &reg))
		return;
	for (nr = 0; nr < ARRAY_SIZE(more); nr++) {
		reg.mgmt_class = KMD_VENDOR + 1 + nr;
		if (!kmd_register(t, &more[nr], limits.b, &reg))
			goto out;
	}
	if (!kmd_register(t, &hand, limits.a, &raw))
		goto out;
	for (i = 0; i < MAX_PORT / MAX_AGENT; i++)
		begin_all(t, KMD_VENDOR + i);
	KT_EXPECT_EQ(t, begin(t, KMD_VENDOR, 1), 0);
	KT_EXPECT_EQ(t, begin(t, KMD_VENDOR + i, 1), 0);
	/* Those of an agent end with it. */
	kmd_unregister(&more[0]);
	KT_EXPECT_EQ(t, begin(t, KMD_VENDOR, 1), 0);
	KT_EXPECT_EQ(t, begin(t, KMD_VENDOR + i, 1), 1);
	reg.mgmt_class = KMD_VENDOR + 1;
	if (!kmd_register(t, &more[0], limits.b, &reg))
		more[0] = more[--nr];
	KT_EXPECT_EQ(t, begin(t, KMD_VENDOR + 1, 1), 1);
	KMD_COUNTS(t, limits.b, RMPP_STOPPED, 3);
	kmd_unregister(&hand);
out:
	while (nr)
		kmd_unregister(&more[--nr]);
	kmd_end(&limits);
}

static const struct kmd_reg of_sends = {
	IB_QPT_GSI, KMD_VENDOR, .rmpp = 1, .methods = KMD_SEND
};

/* Waits until an agent has an event, for as long as the longest message may take. */
static void wait_for_long(void)
{
	unsigned long end = jiffies + 60 * HZ;

	while (!kmd_nr(&limits.to) && !kmd_nr(&limits.from) && time_before(jiffies, end))
		msleep(20);
}

/*
 * A message that says that it is short, and has more segments than the longest one, is stopped. Its
 * last segment, whose length makes no sense and is answered by an Abort, is not in a window with
 * the first one that is refused, so that nothing comes after the Stop.
 */
static void test_too_long(struct ktap *t)
{
	const unsigned int segments = MAX_SEGMENTS + 2 * WINDOW, size = 200;
	struct ib_mad_send_buf *buf, *after;

	if (!kmd_start(t, &limits, &of_sends))
		return;
	after = kmd_new(t, &limits.from, memdev_lid(limits.b, 1), IB_MGMT_METHOD_SEND, 100);
	if (!after)
		goto out;
	buf = ib_create_send_mad(limits.from.agent, 1, 0, 1, IB_MGMT_MAD_SIZE - size,
				 segments * size, GFP_KERNEL, IB_MGMT_BASE_VERSION);
	if (!KT_EXPECT_ERR(t, buf, 0))
		goto out_free;
	/* The same transaction, and the OUI */
	memcpy(buf->mad, after->mad, IB_MGMT_MAD_HDR);
	memcpy(buf->mad + IB_MGMT_RMPP_HDR, after->mad + IB_MGMT_RMPP_HDR, 4);
	buf->ah = after->ah;
	buf->data_len = size;
	kmd_post(t, buf);
	wait_for_long();
	KT_EXPECT_EQ(t, kmd_wait(t, &limits.from, 1).vendor_err, IB_MGMT_RMPP_STATUS_RESX);
	KMD_ENDS(t, &limits.from, buf, IB_WC_REM_ABORT_ERR);
	KMD_COUNTS(t, limits.b, RMPP_STOPPED, 1);
	/* Nothing is left of it: the transaction begins anew. */
	kmd_post(t, after);
	KMD_ENDS(t, &limits.from, after, IB_WC_SUCCESS);
	KT_EXPECT(t, kmd_wait(t, &limits.to, 1).recv);
	buf->ah = NULL;
	kmd_free(buf);
out_free:
	kmd_free(after);
out:
	kmd_end(&limits);
}

/* The longest message comes whole. */
static void test_longest(struct ktap *t)
{
	const unsigned int length = 16 << 20;
	struct ib_mad_send_buf *buf;
	struct kmd_event event;

	if (!kmd_start(t, &limits, &of_sends))
		return;
	buf = kmd_new(t, &limits.from, memdev_lid(limits.b, 1), IB_MGMT_METHOD_SEND, length);
	if (!buf)
		goto out;
	kmd_post(t, buf);
	wait_for_long();
	event = kmd_wait(t, &limits.to, 1);
	/* Before the comparison, during which an only processor has no time for the last Ack. */
	KMD_ENDS(t, &limits.from, buf, IB_WC_SUCCESS);
	if (KT_EXPECT(t, event.recv)) {
		KT_EXPECT_EQ(t, event.recv->mad_len, 40 + length);
		KT_EXPECT(t, kmd_is_whole(event.recv, length));
	}
	kmd_free(buf);
out:
	kmd_end(&limits);
}

static const struct ktap_case limits_cases[] = {
	{ "receives follow the load", test_receives },
	{ "a receive for each response", test_expected },
	{ "responses that come at once", test_awaited },
	{ "answers of the device", test_replies },
	{ "messages without an end, for many agents", test_partial },
	{ "the longest message", test_longest },
	{ "a message that is longer than it says", test_too_long },
};

KTAP_SUITE(kmd_limits_suite, "mad limits", limits_cases);
