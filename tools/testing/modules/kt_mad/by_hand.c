// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of messages of which one end is a test: segments and answers in an order that ib_mad does
 * not send.
 */
#include "kt_mad.h"

#define WHOLE_MAX	64	/* messages that an agent remembers when they are whole */
#define TYPE_ACK	IB_MGMT_RMPP_TYPE_ACK
#define TYPE_ABORT	IB_MGMT_RMPP_TYPE_ABORT

#define MSG_BEGIN		KMD_HDR(1, 1, KMD_FIRST, 0, 1, 500)
#define MSG_NEXT(number)	KMD_HDR(1, 1, 1, 0, number, 0)
#define MSG_END(number)		KMD_HDR(1, 1, KMD_LAST, 0, number, 4)
#define MSG_WHOLE		KMD_HDR(1, 1, KMD_FIRST | KMD_LAST, 0, 1, 4)
#define MSG_STRANGE		KMD_HDR(2, 1, KMD_FIRST, 0, 1, 500)
#define MSG_ABORT		KMD_HDR(1, TYPE_ABORT, 1, IB_MGMT_RMPP_STATUS_TMR, 0, 0)

static struct kmd_pair hands;

static struct ib_rmpp_hdr *rmpp_of(struct ib_mad_send_buf *buf)
{
	return &((struct ib_rmpp_mad *)buf->mad)->rmpp_hdr;
}

/* Returns the header of RMPP of an event, or zeros if it is no received MAD. */
static struct ib_rmpp_hdr received_hdr(const struct kmd_event *event)
{
	return event->recv ? ((struct ib_rmpp_mad *)event->recv->recv_buf.mad)->rmpp_hdr :
			     (struct ib_rmpp_hdr) {};
}

/* --- the receiver --- */

/* A segment, and type and status of its answer; type 0: the receiver drops the segment. */
struct step {
	struct ib_rmpp_hdr hdr;
	u8 type, status;
};

/* Segments of one transaction, and how many messages they are. */
static const struct {
	const char *what;
	unsigned int messages;
	struct step steps[4];
} sequences[] = {
	{ "beyond the window, which ends with segment 33", 0, {
		{ MSG_BEGIN, TYPE_ACK }, { MSG_NEXT(33), 0 },
		{ MSG_NEXT(34), TYPE_ABORT, IB_MGMT_RMPP_STATUS_S2B }, { MSG_NEXT(2), 0 } } },
	{ "another version", 0, {
		{ MSG_BEGIN, TYPE_ACK },
		{ MSG_STRANGE, TYPE_ABORT, IB_MGMT_RMPP_STATUS_UNV }, { MSG_NEXT(2), 0 } } },
	{ "too early", 1, {
		{ MSG_BEGIN, TYPE_ACK }, { MSG_NEXT(3), 0 }, { MSG_END(2), TYPE_ACK } } },
	{ "behind the end", 1, {
		{ MSG_WHOLE, TYPE_ACK },
		{ MSG_NEXT(2), TYPE_ABORT, IB_MGMT_RMPP_STATUS_S2B }, { MSG_WHOLE, TYPE_ACK } } },
	{ "another version after the end", 1, {
		{ MSG_WHOLE, TYPE_ACK },
		{ MSG_STRANGE, TYPE_ABORT, IB_MGMT_RMPP_STATUS_UNV }, { MSG_WHOLE, TYPE_ACK } } },
};

static struct kmd_agent raw_hand;

/* Starts a sender of segments by hand on the first device, and a receiver on the second one. */
static bool start_segments(struct ktap *t)
{
	struct kmd_reg raw = kmd_own_rmpp;

	if (!kmd_start(t, &hands, &kmd_rmpp))
		return false;
	hands.to.silent = true;
	/* Answers of RMPP to a request come as responses. */
	raw.methods = 0;
	if (kmd_register(t, &raw_hand, hands.a, &raw))
		return true;
	kmd_end(&hands);
	return false;
}

static void end_segments(void)
{
	kmd_unregister(&raw_hand);
	kmd_end(&hands);
}

/* Sends a segment, and compares its answer. *@tid 0: a new transaction, which is noted there. */
static bool run_step(struct ktap *t, const struct step *s, __be64 *tid)
{
	long dropped = krdma_mad_read(hands.b, 1, KRDMA_MAD_RMPP_DROPPED);
	struct kmd_event event = {};
	struct ib_mad_send_buf *buf;
	struct ib_rmpp_hdr answer;
	bool good;

	buf = kmd_post_by_hand(t, &raw_hand, memdev_lid(hands.b, 1), IB_MGMT_METHOD_SEND, *tid,
			       &s->hdr);
	if (!buf)
		return false;
	*tid = kmd_hdr(buf)->tid;
	if (s->type)
		event = kmd_wait(t, &raw_hand, 2);
	else
		KMD_COUNTS(t, hands.b, RMPP_DROPPED, dropped + 1);
	answer = received_hdr(&event);
	good = KT_EXPECT_EQ(t, answer.rmpp_type, s->type) &&
	       KT_EXPECT_EQ(t, answer.rmpp_status, s->status) &&
	       KT_EXPECT_EQ(t, raw_hand.nr, s->type ? 2 : 1);
	kmd_forget(&raw_hand);
	kmd_free(buf);
	return good;
}

static void test_sequences(struct ktap *t)
{
	unsigned int messages = 0, i;
	const struct step *s;
	size_t nr;

	if (!start_segments(t))
		return;
	for (nr = 0; nr < ARRAY_SIZE(sequences); nr++) {
		__be64 tid = 0;

		for (i = 0; i < ARRAY_SIZE(sequences[nr].steps); i++) {
			s = &sequences[nr].steps[i];
			if (s->hdr.rmpp_version && !run_step(t, s, &tid))
				ktap_note(t, "%s, step %u", sequences[nr].what, i + 1);
		}
		messages += sequences[nr].messages;
		KMD_COUNTS(t, hands.b, RMPP_RECEIVED, messages);
	}
	end_segments();
}

static const struct step begin_step = { MSG_BEGIN, TYPE_ACK }, end_step = { MSG_END(2), TYPE_ACK },
			 whole_step = { MSG_WHOLE, TYPE_ACK };

/* The oldest of too many messages that are whole is forgotten, but not one that goes on. */
static void test_remembered(struct ktap *t)
{
	__be64 partial = 0, oldest = 0, tid;
	unsigned int i;

	if (!start_segments(t))
		return;
	run_step(t, &begin_step, &partial);
	run_step(t, &whole_step, &oldest);
	for (i = 1; i < WHOLE_MAX; i++) {
		tid = 0;
		run_step(t, &whole_step, &tid);
	}
	run_step(t, &whole_step, &oldest);
	KMD_COUNTS(t, hands.b, RMPP_RECEIVED, WHOLE_MAX);
	/* One more, and then the oldest one is taken for a new message. */
	tid = 0;
	run_step(t, &whole_step, &tid);
	run_step(t, &whole_step, &oldest);
	KMD_COUNTS(t, hands.b, RMPP_RECEIVED, WHOLE_MAX + 2);
	run_step(t, &end_step, &partial);
	KMD_COUNTS(t, hands.b, RMPP_RECEIVED, WHOLE_MAX + 3);
	end_segments();
}

static int (*polled_before)(struct ib_cq *cq, int num_entries, struct ib_wc *wc);

/* Polls, and says of what has come that QP 77 has sent it. */
static int poll_other_qp(struct ib_cq *cq, int num_entries, struct ib_wc *wc)
{
	int got = polled_before(cq, num_entries, wc), i;

	for (i = 0; i < got; i++)
		if (wc[i].opcode == IB_WC_RECV)
			wc[i].src_qp = 77;
	return got;
}

/* What an Abort has that the message has not. */
struct other {
	u8 mgmt_class, method;
	bool grh, device, qp;
};

/* Sends an Abort, which is no message's. */
static void abort_other(struct ktap *t, struct kmd_agent *a, __be64 tid, const struct other *o)
{
	static const struct ib_rmpp_hdr end = MSG_ABORT;
	long dropped = krdma_mad_read(hands.b, 1, KRDMA_MAD_RMPP_DROPPED);
	struct ib_mad_send_buf *buf = kmd_new(t, a, memdev_lid(hands.b, 1), o->method, 0);

	if (!buf)
		return;
	kmd_hdr(buf)->mgmt_class = o->mgmt_class;
	kmd_hdr(buf)->tid = tid;
	*rmpp_of(buf) = end;
	polled_before = hands.b->ops.poll_cq;
	if (o->qp)
		hands.b->ops.poll_cq = poll_other_qp;
	if (!o->grh || kmd_use_gid(t, buf, memdev_gid(hands.b, 1, 0))) {
		kmd_post(t, buf);
		KMD_ENDS(t, a, buf, IB_WC_SUCCESS);
		KMD_COUNTS(t, hands.b, RMPP_DROPPED, dropped + 1);
	}
	hands.b->ops.poll_cq = polled_before;
	kmd_free(buf);
}

/* An Abort from elsewhere, or of another method, does not end a message. */
static void test_other_request(struct ktap *t)
{
	static const struct other others[] = {
		{ KMD_VENDOR, IB_MGMT_METHOD_SET },
		{ KMD_VENDOR, IB_MGMT_METHOD_SEND, .grh = true },
		{ KMD_VENDOR, IB_MGMT_METHOD_SEND, .device = true },
		{ KMD_VENDOR, IB_MGMT_METHOD_SEND, .qp = true },
	};
	struct kmd_reg raw = kmd_own_rmpp;
	static struct kmd_agent stranger;
	__be64 tid = 0;
	struct fakedev *fd;
	size_t i;

	if (!start_segments(t))
		return;
	fd = memdev_create(NULL);
	if (!KT_EXPECT_ERR(t, fd, 0))
		goto out;
	raw.methods = 0;
	if (kmd_register(t, &stranger, &fd->ibdev, &raw)) {
		run_step(t, &begin_step, &tid);
		for (i = 0; i < ARRAY_SIZE(others); i++)
			abort_other(t, others[i].device ? &stranger : &raw_hand, tid, &others[i]);
		run_step(t, &end_step, &tid);
		KMD_COUNTS(t, hands.b, RMPP_RECEIVED, 1);
		kmd_unregister(&stranger);
	}
	memdev_destroy(fd);
out:
	end_segments();
}

/* An Abort of another class does not end a response. */
static void test_other_response(struct ktap *t)
{
	static const struct other other = {
		KMD_VENDOR + 1, IB_MGMT_METHOD_SEND | IB_MGMT_METHOD_RESP
	};
	static const struct ib_rmpp_hdr first = MSG_BEGIN, last = MSG_END(2);
	struct ib_mad_send_buf *request, *bufs[2] = {};
	u32 lid;

	if (!start_segments(t))
		return;
	lid = memdev_lid(hands.b, 1);
	request = kmd_new(t, &hands.to, memdev_lid(hands.a, 1), IB_MGMT_METHOD_SEND, 0);
	if (!request)
		goto out;
	request->timeout_ms = KMD_LONG;
	kmd_post(t, request);
	bufs[0] = kmd_post_by_hand(t, &raw_hand, lid, other.method, kmd_hdr(request)->tid, &first);
	KMD_COUNTS(t, hands.b, REPLIES, 1);
	kmd_forget(&raw_hand);
	abort_other(t, &raw_hand, kmd_hdr(request)->tid, &other);
	bufs[1] = kmd_post_by_hand(t, &raw_hand, lid, other.method, kmd_hdr(request)->tid, &last);
	KMD_ENDS(t, &hands.to, request, IB_WC_SUCCESS);
	KMD_COUNTS(t, hands.b, RMPP_RECEIVED, 1);
	kmd_forget(&raw_hand);
	kmd_free(request);
	if (bufs[0])
		kmd_free(bufs[0]);
	if (bufs[1])
		kmd_free(bufs[1]);
out:
	end_segments();
}

/* --- the sender, and the receiver of a response --- */

/* Sends an answer of the second device's agent, of which only what is received is noted. */
static void give_answer(struct ktap *t, u8 method, __be64 tid, struct ib_rmpp_hdr hdr)
{
	struct ib_mad_send_buf *buf = kmd_new(t, &hands.to, memdev_lid(hands.a, 1),
					      method | IB_MGMT_METHOD_RESP, 0);

	if (!buf)
		return;
	kmd_hdr(buf)->tid = tid;
	*rmpp_of(buf) = hdr;
	buf->context[0] = KMD_FREED;
	kmd_post(t, buf);
}

#define ANSWER(t, method, buf, ...)						\
	give_answer(t, IB_MGMT_METHOD_##method, kmd_hdr(buf)->tid,		\
		    (struct ib_rmpp_hdr)__VA_ARGS__)

/* Waits until the first device has handled all answers so far: this one is of no request. */
static void settle(struct ktap *t, struct ib_mad_send_buf *buf)
{
	long unmatched = krdma_mad_read(hands.a, 1, KRDMA_MAD_UNMATCHED);

	give_answer(t, IB_MGMT_METHOD_SEND, kmd_hdr(buf)->tid ^ cpu_to_be64(1U << 31),
		    (struct ib_rmpp_hdr) {});
	KMD_COUNTS(t, hands.a, UNMATCHED, unmatched + 1);
}

/* Returns the number of a segment that has come to the second device. */
static u32 segment_at(unsigned int i)
{
	return be32_to_cpu(received_hdr(&hands.to.events[i]).seg_num);
}

static struct ib_mad_send_buf *start_message(struct ktap *t, u8 method, unsigned int len)
{
	struct ib_mad_send_buf *buf;

	if (!kmd_start_by_hand(t, &hands))
		return NULL;
	buf = kmd_new(t, &hands.from, memdev_lid(hands.b, 1), method, len);
	if (!buf)
		kmd_end(&hands);
	return buf;
}

static void end_message(struct ib_mad_send_buf *buf)
{
	kmd_forget(&hands.from);
	kmd_forget(&hands.to);
	kmd_free(buf);
	kmd_end(&hands);
}

/* A window that grows without a segment, and one that ends with the last segment */
static void test_windows(struct ktap *t)
{
	struct ib_mad_send_buf *buf = start_message(t, IB_MGMT_METHOD_SEND, 1000);
	unsigned int i;

	if (!buf)
		return;
	buf->retries = 5;
	kmd_post(t, buf);
	kmd_wait(t, &hands.to, 1);
	ANSWER(t, SEND, buf, KMD_HDR(1, TYPE_ACK, 1, 0, 1, 1));
	ANSWER(t, SEND, buf, KMD_HDR(1, TYPE_ACK, 1, 0, 1, 10));
	kmd_wait(t, &hands.to, 5);
	for (i = 0; i < hands.to.nr; i++)
		KT_EXPECT_EQ(t, segment_at(i), i + 1);
	ANSWER(t, SEND, buf, KMD_HDR(1, TYPE_ACK, 1, 0, 5, 5));
	KMD_ENDS(t, &hands.from, buf, IB_WC_SUCCESS);
	end_message(buf);
}

/* Waits for the first event from @from on that is a segment of this number. Returns its index. */
static unsigned int find_segment(struct ktap *t, unsigned int from, u32 number)
{
	unsigned int i;

	for (i = from; KT_WAIT(t, kmd_nr(&hands.to) > i) && segment_at(i) != number; i++)
		;
	return i;
}

/* An Ack with a smaller window than before is an old one, and its segment does not count. */
static void test_old_ack(struct ktap *t)
{
	struct ib_mad_send_buf *buf = start_message(t, IB_MGMT_METHOD_SEND, 1000);
	unsigned int last;

	if (!buf)
		return;
	buf->timeout_ms = 500;
	buf->retries = 50;
	kmd_post(t, buf);
	find_segment(t, 0, 1);
	ANSWER(t, SEND, buf, KMD_HDR(1, TYPE_ACK, 1, 0, 1, 4));
	last = find_segment(t, 0, 4);
	ANSWER(t, SEND, buf, KMD_HDR(1, TYPE_ACK, 1, 0, 2, 3));
	/* The next try begins with segment 2. */
	KT_WAIT(t, kmd_nr(&hands.to) > last + 1);
	KT_EXPECT_EQ(t, segment_at(last + 1), 2);
	/* Nor does one count that comes after that of segment 3: the next try begins with 4. */
	last = find_segment(t, last + 1, 4);
	ANSWER(t, SEND, buf, KMD_HDR(1, TYPE_ACK, 1, 0, 3, 4));
	ANSWER(t, SEND, buf, KMD_HDR(1, TYPE_ACK, 1, 0, 2, 4));
	KT_WAIT(t, kmd_nr(&hands.to) > last + 1);
	KT_EXPECT_EQ(t, segment_at(last + 1), 4);
	ib_cancel_mad(buf);
	KMD_ENDS(t, &hands.from, buf, IB_WC_WR_FLUSH_ERR);
	end_message(buf);
}

/* An Ack that comes again does not renew the number of tries. */
static void test_repeated_ack(struct ktap *t)
{
	struct ib_mad_send_buf *buf = start_message(t, IB_MGMT_METHOD_SEND, 1000);
	struct ib_rmpp_hdr hdr;
	unsigned int last;

	if (!buf)
		return;
	buf->timeout_ms = 500;
	buf->retries = 1;
	kmd_post(t, buf);
	find_segment(t, 0, 1);
	ANSWER(t, SEND, buf, KMD_HDR(1, TYPE_ACK, 1, 0, 1, 4));
	last = find_segment(t, 0, 4);
	last = find_segment(t, last + 1, 4);
	ANSWER(t, SEND, buf, KMD_HDR(1, TYPE_ACK, 1, 0, 1, 4));
	KMD_ENDS(t, &hands.from, buf, IB_WC_RESP_TIMEOUT_ERR);
	KT_WAIT(t, kmd_nr(&hands.to) > last + 1);
	hdr = received_hdr(&hands.to.events[last + 1]);
	KT_EXPECT_EQ(t, hdr.rmpp_type, TYPE_ABORT);
	KT_EXPECT_EQ(t, hdr.rmpp_status, IB_MGMT_RMPP_STATUS_TMR);
	end_message(buf);
}

/* A header that the consumer has changed is sent as it is, and is not a message of ib_mad. */
static void test_changed_header(struct ktap *t)
{
	static const struct ib_rmpp_hdr hdrs[] = {
		KMD_HDR(1, 1, 0, 0, 1, 100), MSG_ABORT,
	};
	struct ib_mad_send_buf *buf = start_message(t, IB_MGMT_METHOD_SEND, 100);
	struct ib_rmpp_hdr hdr;
	struct kmd_event event;
	size_t i;

	if (!buf)
		return;
	/* A class without RMPP has no segments. */
	kmd_hdr(buf)->mgmt_class = KMD_PLAIN;
	KT_EXPECT_EQ(t, ib_post_send_mad(buf, NULL), -EINVAL);
	kmd_hdr(buf)->mgmt_class = KMD_VENDOR;
	for (i = 0; i < ARRAY_SIZE(hdrs); i++) {
		*rmpp_of(buf) = hdrs[i];
		kmd_post(t, buf);
		KMD_ENDS(t, &hands.from, buf, IB_WC_SUCCESS);
		event = kmd_wait(t, &hands.to, 1);
		hdr = received_hdr(&event);
		KT_EXPECT(t, !memcmp(&hdr, &hdrs[i], sizeof(hdr)));
		kmd_forget(&hands.to);
	}
	/* It is not aborted either. */
	buf->timeout_ms = KMD_LONG;
	*rmpp_of(buf) = hdrs[0];
	kmd_post(t, buf);
	kmd_wait(t, &hands.to, 1);
	ib_cancel_mad(buf);
	KMD_ENDS(t, &hands.from, buf, IB_WC_WR_FLUSH_ERR);
	KMD_COUNTS(t, hands.a, RMPP_ABORTED, 0);
	KMD_COUNTS(t, hands.a, SENT, ARRAY_SIZE(hdrs) + 1);
	end_message(buf);
}

/* Starts with a request that is no message, and has arrived. */
static struct ib_mad_send_buf *start_request(struct ktap *t)
{
	struct ib_mad_send_buf *buf = start_message(t, IB_MGMT_METHOD_GET, 0);

	if (!buf)
		return NULL;
	buf->timeout_ms = KMD_LONG;
	kmd_post(t, buf);
	kmd_wait(t, &hands.to, 1);
	return buf;
}

/* An Abort of a request that is no message is ignored, and its response counts. */
static void test_no_message(struct ktap *t)
{
	struct ib_mad_send_buf *buf = start_request(t);

	if (!buf)
		return;
	ANSWER(t, GET, buf, MSG_ABORT);
	ANSWER(t, GET, buf, {});
	KT_EXPECT_EQ(t, kmd_wait(t, &hands.from, 2).status, IB_WC_SUCCESS);
	KT_EXPECT(t, hands.from.events[0].recv && hands.from.events[0].send == buf);
	end_message(buf);
}

/* A message is ended by its receiver while the QP has a segment, and @cancelled before. */
static void end_under_way(struct ktap *t, bool cancelled)
{
	struct ib_mad_send_buf *buf = start_message(t, IB_MGMT_METHOD_SEND, 1000);

	if (!buf)
		return;
	memdev_hold(hands.a, 1, 1, true);
	kmd_post(t, buf);
	if (cancelled)
		ib_cancel_mad(buf);
	ANSWER(t, SEND, buf, MSG_ABORT);
	settle(t, buf);
	KT_EXPECT_EQ(t, hands.from.nr, 0);
	memdev_hold(hands.a, 1, 1, false);
	KMD_ENDS(t, &hands.from, buf, cancelled ? IB_WC_WR_FLUSH_ERR : IB_WC_REM_ABORT_ERR);
	/* Then the segment has come, and an Abort if the sender has ended the message first. */
	kmd_wait(t, &hands.to, cancelled ? 2 : 1);
	end_message(buf);
}

/* Waits for the Abort that the receiver of a message gets when the message is cancelled. */
static void expect_abort(struct ktap *t, unsigned int nr)
{
	const struct kmd_event event = kmd_wait(t, &hands.to, nr);
	const struct ib_rmpp_hdr hdr = received_hdr(&event);

	KT_EXPECT_EQ(t, hdr.rmpp_type, TYPE_ABORT);
	KT_EXPECT_EQ(t, hdr.rmpp_status, IB_MGMT_RMPP_STATUS_UNSPEC);
	KT_EXPECT(t, hdr.rmpp_rtime_flags & IB_MGMT_RMPP_FLAG_ACTIVE);
	KMD_COUNTS(t, hands.a, RMPP_ABORTED, 1);
}

/*
 * A message that is cancelled: while it waits for an Ack, while the QP has a segment, and when the
 * receiver has all of it, which is told nothing then.
 */
static void test_cancelled_message(struct ktap *t)
{
	struct ib_mad_send_buf *buf = start_message(t, IB_MGMT_METHOD_SEND, 1000);

	if (!buf)
		return;
	buf->timeout_ms = KMD_LONG;
	kmd_post(t, buf);
	kmd_wait(t, &hands.to, 1);
	ib_cancel_mad(buf);
	KMD_ENDS(t, &hands.from, buf, IB_WC_WR_FLUSH_ERR);
	expect_abort(t, 2);
	end_message(buf);

	buf = start_message(t, IB_MGMT_METHOD_SEND, 1000);
	if (!buf)
		return;
	memdev_hold(hands.a, 1, 1, true);
	kmd_post(t, buf);
	ib_cancel_mad(buf);
	memdev_hold(hands.a, 1, 1, false);
	KMD_ENDS(t, &hands.from, buf, IB_WC_WR_FLUSH_ERR);
	expect_abort(t, 2);
	end_message(buf);

	buf = start_message(t, IB_MGMT_METHOD_GET, 100);
	if (!buf)
		return;
	buf->timeout_ms = KMD_LONG;
	kmd_post(t, buf);
	kmd_wait(t, &hands.to, 1);
	ANSWER(t, GET, buf, KMD_HDR(1, TYPE_ACK, 1, 0, 1, 1));
	settle(t, buf);
	ib_cancel_mad(buf);
	KMD_ENDS(t, &hands.from, buf, IB_WC_WR_FLUSH_ERR);
	KMD_COUNTS(t, hands.a, RMPP_ABORTED, 0);
	KT_EXPECT_EQ(t, hands.to.nr, 1);
	end_message(buf);
}

static void test_end_under_way(struct ktap *t)
{
	end_under_way(t, false);
	end_under_way(t, true);
}

/* A response begins while the QP has the first segment of its request, which has arrived then. */
static void test_early_response(struct ktap *t)
{
	struct ib_mad_send_buf *buf = start_message(t, IB_MGMT_METHOD_GET, 1000);

	if (!buf)
		return;
	buf->timeout_ms = KMD_LONG;
	memdev_hold(hands.a, 1, 1, true);
	kmd_post(t, buf);
	ANSWER(t, GET, buf, MSG_BEGIN);
	/* The QP has the Ack of the response, too. */
	KMD_COUNTS(t, hands.a, REPLIES, 1);
	memdev_hold(hands.a, 1, 1, false);
	kmd_wait(t, &hands.to, 2);
	KT_EXPECT_EQ(t, received_hdr(&hands.to.events[1]).rmpp_type, TYPE_ACK);
	/* An Ack of what was not sent by segments any more */
	ANSWER(t, GET, buf, KMD_HDR(1, TYPE_ACK, 1, 0, 5, 5));
	settle(t, buf);
	KT_EXPECT_EQ(t, hands.from.nr, 0);
	ANSWER(t, GET, buf, MSG_END(2));
	KT_EXPECT_EQ(t, kmd_wait(t, &hands.from, 2).status, IB_WC_SUCCESS);
	KT_EXPECT(t, hands.from.events[0].recv && hands.from.events[0].send == buf);
	KMD_COUNTS(t, hands.a, RMPP_ABORTED, 0);
	end_message(buf);
}

/* The last segment of a response comes again when its request has completed: its Ack was lost. */
static void test_response_again(struct ktap *t)
{
	struct ib_mad_send_buf *buf = start_request(t);
	struct kmd_event event;

	if (!buf)
		return;
	ANSWER(t, GET, buf, MSG_WHOLE);
	KT_EXPECT_EQ(t, kmd_wait(t, &hands.from, 2).status, IB_WC_SUCCESS);
	kmd_wait(t, &hands.to, 2);
	ANSWER(t, GET, buf, MSG_WHOLE);
	event = kmd_wait(t, &hands.to, 3);
	KT_EXPECT_EQ(t, received_hdr(&event).rmpp_type, TYPE_ACK);
	KMD_COUNTS(t, hands.a, RMPP_RECEIVED, 1);
	end_message(buf);
}

/* A response whose request was cancelled is dropped, and so is one that begins then. */
static void test_cancelled_request(struct ktap *t)
{
	struct ib_mad_send_buf *buf = start_request(t);

	if (!buf)
		return;
	ANSWER(t, GET, buf, MSG_BEGIN);
	kmd_wait(t, &hands.to, 2);
	ib_cancel_mad(buf);
	KMD_ENDS(t, &hands.from, buf, IB_WC_WR_FLUSH_ERR);
	ANSWER(t, GET, buf, MSG_NEXT(2));
	KMD_COUNTS(t, hands.a, RMPP_DROPPED, 1);
	ANSWER(t, GET, buf, MSG_BEGIN);
	KMD_COUNTS(t, hands.a, RMPP_DROPPED, 2);
	KMD_COUNTS(t, hands.a, REPLIES, 1);
	/* The same transaction anew gets its response. */
	kmd_post(t, buf);
	kmd_wait(t, &hands.to, 3);
	ANSWER(t, GET, buf, MSG_WHOLE);
	KT_EXPECT_EQ(t, kmd_wait(t, &hands.from, 2).status, IB_WC_SUCCESS);
	end_message(buf);
}

/* Responses of no request: whether an agent with RMPP of its own gets them. */
static const struct {
	bool own, gets;
	u8 mgmt_class, flags;
} strays[] = {
	{ true, true, KMD_VENDOR, KMD_FIRST | KMD_LAST },
	{ true, false, KMD_VENDOR, 0 },
	{ true, false, KMD_PLAIN, KMD_FIRST | KMD_LAST },
	/* The data of a class without RMPP are no header of RMPP. */
	{ false, false, KMD_PLAIN, KMD_FIRST | KMD_LAST },
};

static void send_stray(struct ktap *t, size_t nr)
{
	struct kmd_agent *from = strays[nr].own ? &hands.from : &hands.to;
	struct kmd_agent *to = strays[nr].own ? &hands.to : &hands.from;
	struct ib_device *dev = to->agent->device;
	long unmatched = krdma_mad_read(dev, 1, KRDMA_MAD_UNMATCHED);
	struct ib_mad_send_buf *buf;

	buf = kmd_new(t, from, memdev_lid(dev, 1), IB_MGMT_METHOD_GET_RESP, 0);
	if (!buf)
		return;
	kmd_hdr(buf)->mgmt_class = strays[nr].mgmt_class;
	kmd_hdr(buf)->tid = cpu_to_be64((u64)to->agent->hi_tid << 32);
	*rmpp_of(buf) = (struct ib_rmpp_hdr)KMD_HDR(1, 1, strays[nr].flags, 0, 1, 4);
	kmd_post(t, buf);
	KMD_ENDS(t, from, buf, IB_WC_SUCCESS);
	if (strays[nr].gets)
		KT_EXPECT(t, kmd_wait(t, to, 1).recv);
	else
		KMD_COUNTS(t, dev, UNMATCHED, unmatched + 1);
	KT_EXPECT_EQ(t, to->nr, strays[nr].gets);
	kmd_forget(to);
	kmd_free(buf);
}

static void test_strays(struct ktap *t)
{
	size_t i;

	if (!kmd_start_by_hand(t, &hands))
		return;
	for (i = 0; i < ARRAY_SIZE(strays); i++)
		send_stray(t, i);
	KMD_COUNTS(t, hands.a, RMPP_DROPPED, 0);
	kmd_end(&hands);
}

static const struct ktap_case by_hand_cases[] = {
	{ "sequences of segments", test_sequences },
	{ "messages that are remembered", test_remembered },
	{ "an Abort of another request", test_other_request },
	{ "an Abort of another response", test_other_response },
	{ "windows", test_windows },
	{ "an old Ack", test_old_ack },
	{ "an Ack that comes again", test_repeated_ack },
	{ "a header of the consumer", test_changed_header },
	{ "an Abort of a request that is no message", test_no_message },
	{ "an Abort while the QP has a segment", test_end_under_way },
	{ "a message that is cancelled", test_cancelled_message },
	{ "a response while the QP has a segment", test_early_response },
	{ "a response that comes again", test_response_again },
	{ "a response whose request was cancelled", test_cancelled_request },
	{ "responses of no request", test_strays },
};

KTAP_SUITE(kmd_by_hand_suite, "mad RMPP by hand", by_hand_cases);
