// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of messages of several MADs.
 */
#include "kt_mad.h"

const struct kmd_reg kmd_rmpp = {
	IB_QPT_GSI, KMD_VENDOR, .rmpp = 1, .methods = KMD_GET | KMD_SET | KMD_SEND
};

const struct kmd_reg kmd_own_rmpp = {
	IB_QPT_GSI, KMD_VENDOR, .rmpp = 1, .flags = IB_MAD_USER_RMPP,
	.methods = KMD_GET | KMD_SET | KMD_SEND
};

static struct kmd_pair msgs;

static void test_lengths(struct ktap *t)
{
	static const unsigned int lengths[] = { 1, 215, 216, 217, 432, 433, 7000, 7128, 100000 };
	struct ib_mad_send_buf *buf;
	struct kmd_event event;
	size_t i;

	if (!kmd_start(t, &msgs, &kmd_rmpp))
		return;
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		buf = kmd_new(t, &msgs.from, memdev_lid(msgs.b, 1), IB_MGMT_METHOD_SEND,
			      lengths[i]);
		if (!buf)
			break;
		kmd_post(t, buf);
		event = kmd_wait(t, &msgs.to, 1);
		if (KT_EXPECT(t, event.recv)) {
			KT_EXPECT_EQ(t, event.recv->mad_len, 40 + lengths[i]);
			KT_EXPECT_EQ(t, event.recv->mad_seg_size, 256);
			KT_EXPECT(t, kmd_is_whole(event.recv, lengths[i]));
		}
		/* No response is expected, and the last Ack ends the send. */
		KMD_ENDS(t, &msgs.from, buf, IB_WC_SUCCESS);
		kmd_forget(&msgs.to);
		kmd_free(buf);
	}
	KMD_COUNTS(t, msgs.b, RMPP_RECEIVED, ARRAY_SIZE(lengths));
	KMD_COUNTS(t, msgs.a, RESENT, 0);
	KMD_COUNTS(t, msgs.b, RMPP_DROPPED, 0);
	kmd_end(&msgs);
}

/* A plain request with a long response, a long request with a plain response, and both long. */
static void test_both_ways(struct ktap *t)
{
	static const struct { unsigned int request, response; } cases[] = {
		{ 0, 5000 }, { 5000, 0 }, { 3000, 9000 }, { 0, 10 },
	};
	struct ib_mad_send_buf *buf;
	size_t i;

	if (!kmd_start(t, &msgs, &kmd_rmpp))
		return;
	msgs.to.answers = true;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		msgs.to.answer_len = cases[i].response;
		buf = kmd_new(t, &msgs.from, memdev_lid(msgs.b, 1), IB_MGMT_METHOD_GET,
			      cases[i].request);
		if (!buf)
			break;
		buf->timeout_ms = KMD_LONG;
		kmd_post(t, buf);
		KT_EXPECT_EQ(t, kmd_wait(t, &msgs.from, 2).status, IB_WC_SUCCESS);
		if (KT_EXPECT(t, msgs.from.events[0].recv && msgs.from.events[0].send == buf))
			KT_EXPECT(t, kmd_is_whole(msgs.from.events[0].recv, cases[i].response));
		kmd_wait(t, &msgs.to, 1);
		kmd_forget(&msgs.from);
		kmd_forget(&msgs.to);
		kmd_free(buf);
	}
	kmd_end(&msgs);
}

/* Which MADs of RMPP are lost: the first ones of a type, each @every. */
struct losses {
	u8 type;
	unsigned int every, seen, lost;
};

static bool lose_type(void *context, const u8 *data, u32 length)
{
	const struct ib_rmpp_mad *mad = (const struct ib_rmpp_mad *)data;
	struct losses *l = context;

	if (mad->rmpp_hdr.rmpp_type != l->type || ++l->seen % l->every)
		return false;
	l->lost++;
	return true;
}

static void test_losses(struct ktap *t)
{
	static const struct losses cases[] = {
		/* With each second one, it would be the same segment in each try. */
		{ IB_MGMT_RMPP_TYPE_DATA, 7 }, { IB_MGMT_RMPP_TYPE_DATA, 3 },
		{ IB_MGMT_RMPP_TYPE_ACK, 2 }, { IB_MGMT_RMPP_TYPE_ACK, 3 },
	};
	struct ib_mad_send_buf *buf;
	struct losses l;
	size_t i;

	if (!kmd_start(t, &msgs, &kmd_rmpp))
		return;
	msgs.to.answers = true;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		l = cases[i];
		memdev_lose(lose_type, &l);
		msgs.to.answer_len = 0;
		buf = kmd_new(t, &msgs.from, memdev_lid(msgs.b, 1), IB_MGMT_METHOD_GET, 12345);
		if (!buf)
			break;
		buf->timeout_ms = KMD_SHORT;
		buf->retries = 100;
		kmd_post(t, buf);
		KT_EXPECT_EQ(t, kmd_wait(t, &msgs.from, 2).status, IB_WC_SUCCESS);
		memdev_lose(NULL, NULL);
		KT_EXPECT(t, l.lost);
		if (KT_EXPECT(t, msgs.to.nr == 1 && msgs.to.events[0].recv))
			KT_EXPECT(t, kmd_is_whole(msgs.to.events[0].recv, 12345));
		kmd_forget(&msgs.from);
		kmd_forget(&msgs.to);
		kmd_free(buf);
	}
	KT_EXPECT(t, krdma_mad_read(msgs.a, 1, KRDMA_MAD_RESENT) > 0);
	/* All is lost: the message ends after its tries. */
	l = (struct losses) { .type = IB_MGMT_RMPP_TYPE_DATA, .every = 1 };
	memdev_lose(lose_type, &l);
	buf = kmd_new(t, &msgs.from, memdev_lid(msgs.b, 1), IB_MGMT_METHOD_GET, 500);
	if (buf) {
		buf->timeout_ms = KMD_SHORT;
		buf->retries = 2;
		kmd_post(t, buf);
		KMD_ENDS(t, &msgs.from, buf, IB_WC_RESP_TIMEOUT_ERR);
		KT_EXPECT_EQ(t, l.lost, 3);
		kmd_free(buf);
	}
	kmd_end(&msgs);
}

struct ib_mad_send_buf *kmd_post_by_hand(struct ktap *t, struct kmd_agent *a, u32 lid, u8 method,
					 __be64 tid, const struct ib_rmpp_hdr *hdr)
{
	struct ib_mad_send_buf *buf = kmd_new(t, a, lid, method, 0);

	if (!buf)
		return NULL;
	if (tid)
		kmd_hdr(buf)->tid = tid;
	((struct ib_rmpp_mad *)buf->mad)->rmpp_hdr = *hdr;
	kmd_post(t, buf);
	KT_WAIT(t, kmd_nr(a) && !a->events[0].recv);
	return buf;
}

/* What a receiver answers to segments that make no sense: type and status; 0: nothing. */
static void test_bad_segments(struct ktap *t)
{
	static const struct { struct ib_rmpp_hdr hdr; u8 type, status; } cases[] = {
		{ KMD_HDR(2, 1, KMD_FIRST, 0, 1, 500), 4, IB_MGMT_RMPP_STATUS_UNV },
		{ KMD_HDR(1, 0, KMD_FIRST, 0, 1, 500), 4, IB_MGMT_RMPP_STATUS_BADT },
		{ KMD_HDR(1, 9, KMD_FIRST, 0, 1, 500), 4, IB_MGMT_RMPP_STATUS_BADT },
		{ KMD_HDR(1, 1, KMD_FIRST, 5, 1, 500), 4, IB_MGMT_RMPP_STATUS_BAD_STATUS },
		{ KMD_HDR(1, 1, KMD_FIRST, 0, 2, 500), 4, IB_MGMT_RMPP_STATUS_BAD_SEG },
		{ KMD_HDR(1, 1, 1, 0, 1, 500), 4, IB_MGMT_RMPP_STATUS_BAD_SEG },
		{ KMD_HDR(1, 1, 1, 0, 0, 500), 4, IB_MGMT_RMPP_STATUS_BAD_SEG },
		{ KMD_HDR(1, 1, KMD_FIRST | KMD_LAST, 0, 1, 221), 4, IB_MGMT_RMPP_STATUS_BAD_LEN },
		{ KMD_HDR(1, 1, KMD_FIRST | KMD_LAST, 0, 1, 3), 4, IB_MGMT_RMPP_STATUS_BAD_LEN },
		/* 16 MiB are 77673 segments, of each of which 220 bytes count. */
		{ KMD_HDR(1, 1, KMD_FIRST, 0, 1, 77673 * 220 + 1), 3, IB_MGMT_RMPP_STATUS_RESX },
		{ KMD_HDR(1, 1, KMD_FIRST, 0, 1, 0xffffffff), 3, IB_MGMT_RMPP_STATUS_RESX },
		{ KMD_HDR(1, 1, 1, 0, 7, 0), 0 },
		{ KMD_HDR(1, 2, 1, 0, 1, 1), 0 },
		{ KMD_HDR(1, 3, 1, 1, 0, 0), 0 },
		{ KMD_HDR(1, 4, 1, 120, 0, 0), 0 },
		{ KMD_HDR(1, 4, 1, 3, 0, 0), 0 },
		{ KMD_HDR(1, 3, 1, 5, 0, 0), 0 },
		{ KMD_HDR(1, 1, KMD_FIRST, 0, 1, 77673 * 220), 2, 0 },
		{ KMD_HDR(1, 1, KMD_FIRST, 0, 1, 500), 2, 0 },
		{ KMD_HDR(1, 1, KMD_FIRST | KMD_LAST, 0, 1, 4), 2, 0 },
	};
	struct kmd_reg raw = kmd_own_rmpp;
	static struct kmd_agent hand;
	struct ib_mad_send_buf *buf;
	long dropped = 0;
	size_t i;

	if (!kmd_start(t, &msgs, &kmd_rmpp))
		return;
	/* Answers of RMPP to a request come as responses. */
	raw.methods = 0;
	if (!kmd_register(t, &hand, msgs.a, &raw))
		goto out;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ib_rmpp_hdr answer = {};

		dropped = krdma_mad_read(msgs.b, 1, KRDMA_MAD_RMPP_DROPPED);
		buf = kmd_post_by_hand(t, &hand, memdev_lid(msgs.b, 1), IB_MGMT_METHOD_SEND, 0,
				       &cases[i].hdr);
		if (!buf)
			break;
		if (cases[i].type) {
			KT_WAIT(t, kmd_nr(&hand) == 2);
			if (hand.nr == 2 && hand.events[1].recv)
				answer = ((struct ib_rmpp_mad *)hand.events[1].recv->recv_buf.mad)
						->rmpp_hdr;
		} else {
			KT_WAIT(t, krdma_mad_read(msgs.b, 1, KRDMA_MAD_RMPP_DROPPED) > dropped);
			KT_EXPECT_EQ(t, hand.nr, 1);
		}
		if (!KT_EXPECT_EQ(t, answer.rmpp_type, cases[i].type) ||
		    !KT_EXPECT_EQ(t, answer.rmpp_status, cases[i].status))
			ktap_note(t, "case %zu", i);
		kmd_forget(&hand);
		kmd_free(buf);
	}
	/* The last one was a whole message of no data. */
	KT_EXPECT_EQ(t, kmd_wait(t, &msgs.to, 1).recv->mad_len, 40);
	kmd_unregister(&hand);
out:
	kmd_end(&msgs);
}

/* Messages that begin and do not go on: there is room for 64, and the next one is stopped. */
static void test_ceiling(struct ktap *t)
{
	static const struct ib_rmpp_hdr first = KMD_HDR(1, 1, KMD_FIRST, 0, 1, 500);
	static const struct ib_rmpp_hdr end = KMD_HDR(1, 4, 1, 126, 0, 0);
	struct kmd_reg raw = kmd_own_rmpp;
	static struct kmd_agent hand;
	struct ib_mad_send_buf *buf;
	__be64 tid = 0;
	int i, type;

	if (!kmd_start(t, &msgs, &kmd_rmpp))
		return;
	raw.methods = 0;
	if (!kmd_register(t, &hand, msgs.a, &raw))
		goto out;
	for (i = 0; i < 67; i++) {
		/* The 66th ends the first one, so that there is room for the 67th. */
		buf = kmd_post_by_hand(t, &hand, memdev_lid(msgs.b, 1), IB_MGMT_METHOD_SEND,
				       i == 65 ? tid : 0, i == 65 ? &end : &first);
		if (!buf)
			break;
		if (!i)
			tid = kmd_hdr(buf)->tid;
		if (i != 65) {
			KT_WAIT(t, kmd_nr(&hand) == 2);
			type = hand.nr == 2 && hand.events[1].recv ?
				((struct ib_rmpp_mad *)hand.events[1].recv->recv_buf.mad)
					->rmpp_hdr.rmpp_type : 0;
			KT_EXPECT_EQ(t, type, i == 64 ? 3 : 2);
		}
		kmd_forget(&hand);
		kmd_free(buf);
	}
	KMD_COUNTS(t, msgs.b, RMPP_STOPPED, 1);
	KT_EXPECT_EQ(t, msgs.to.nr, 0);
	kmd_unregister(&hand);
out:
	kmd_end(&msgs);
}

/* A message whose next segment does not come is aborted, after ten seconds. */
static void test_idle(struct ktap *t)
{
	static const struct ib_rmpp_hdr first = KMD_HDR(1, 1, KMD_FIRST, 0, 1, 500);
	struct kmd_reg raw = kmd_own_rmpp;
	static struct kmd_agent hand;
	struct ib_mad_send_buf *buf;
	const struct ib_rmpp_mad *mad;
	int i;

	if (!kmd_start(t, &msgs, &kmd_rmpp))
		return;
	raw.methods = 0;
	if (!kmd_register(t, &hand, msgs.a, &raw))
		goto out;
	buf = kmd_post_by_hand(t, &hand, memdev_lid(msgs.b, 1), IB_MGMT_METHOD_SEND, 0, &first);
	if (buf) {
		KT_WAIT(t, kmd_nr(&hand) == 2);
		for (i = 0; i < 400 && kmd_nr(&hand) < 3; i++)
			msleep(50);
		if (KT_EXPECT(t, hand.nr == 3 && hand.events[2].recv)) {
			mad = (void *)hand.events[2].recv->recv_buf.mad;
			KT_EXPECT_EQ(t, mad->rmpp_hdr.rmpp_type, 4);
			KT_EXPECT_EQ(t, mad->rmpp_hdr.rmpp_status, IB_MGMT_RMPP_STATUS_T2L);
			KT_EXPECT(t, mad->mad_hdr.tid == kmd_hdr(buf)->tid);
		}
		KMD_COUNTS(t, msgs.b, RMPP_ABORTED, 1);
		kmd_forget(&hand);
		kmd_free(buf);
	}
	/* One that ends with its agent */
	buf = kmd_post_by_hand(t, &hand, memdev_lid(msgs.b, 1), IB_MGMT_METHOD_SEND, 0, &first);
	if (buf) {
		KT_WAIT(t, kmd_nr(&hand) == 2);
		kmd_free(buf);
	}
	kmd_unregister(&hand);
out:
	kmd_end(&msgs);
}

bool kmd_start_by_hand(struct ktap *t, struct kmd_pair *p)
{
	if (!kmd_start(t, p, &kmd_rmpp))
		return false;
	kmd_unregister(&p->to);
	if (kmd_register(t, &p->to, p->b, &kmd_own_rmpp))
		return true;
	kmd_unregister(&p->from);
	memdev_destroy(p->fa);
	memdev_destroy(p->fb);
	return false;
}

/* Waits until the receiver has @nr MADs, and returns the header of RMPP of the last one. */
static struct ib_rmpp_hdr wait_header(struct ktap *t, unsigned int nr)
{
	struct kmd_event event = kmd_wait(t, &msgs.to, nr);

	return event.recv ? ((struct ib_rmpp_mad *)event.recv->recv_buf.mad)->rmpp_hdr :
			    (struct ib_rmpp_hdr) {};
}

/* A sender that gets no Ack says so, and only then. */
static void test_too_many_tries(struct ktap *t)
{
	static const struct ib_rmpp_hdr ack = KMD_HDR(1, 2, 1, 0, 1, 1);
	struct ib_mad_send_buf *buf, *answer;
	struct ib_rmpp_hdr hdr;
	int round;

	if (!kmd_start_by_hand(t, &msgs))
		return;
	buf = kmd_new(t, &msgs.from, memdev_lid(msgs.b, 1), IB_MGMT_METHOD_SEND, 1000);
	if (!buf)
		goto out;
	/* The second time, the header was that of an Abort. */
	for (round = 0; round < 2; round++) {
		buf->timeout_ms = KMD_SHORT;
		buf->retries = 2;
		kmd_post(t, buf);
		KMD_ENDS(t, &msgs.from, buf, IB_WC_RESP_TIMEOUT_ERR);
		hdr = wait_header(t, 4);
		KT_EXPECT_EQ(t, hdr.rmpp_type, IB_MGMT_RMPP_TYPE_ABORT);
		KT_EXPECT_EQ(t, hdr.rmpp_status, IB_MGMT_RMPP_STATUS_TMR);
		KMD_COUNTS(t, msgs.a, RMPP_ABORTED, round + 1);
		kmd_forget(&msgs.to);
	}
	/* An Abort that cannot be posted */
	buf->retries = 0;
	fakedev_fail(msgs.fa, FAKEDEV_POST_SEND, 2, -ENOMEM);
	kmd_post(t, buf);
	KMD_ENDS(t, &msgs.from, buf, IB_WC_RESP_TIMEOUT_ERR);
	KT_EXPECT_EQ(t, wait_header(t, 1).rmpp_type, IB_MGMT_RMPP_TYPE_DATA);
	kmd_forget(&msgs.to);
	kmd_free(buf);
	/* The receiver has this message, and only does not answer it. */
	buf = kmd_new(t, &msgs.from, memdev_lid(msgs.b, 1), IB_MGMT_METHOD_SEND, 100);
	if (!buf)
		goto out;
	buf->timeout_ms = 500;
	kmd_post(t, buf);
	KT_EXPECT_EQ(t, wait_header(t, 1).rmpp_type, IB_MGMT_RMPP_TYPE_DATA);
	kmd_forget(&msgs.to);
	answer = kmd_post_by_hand(t, &msgs.to, memdev_lid(msgs.a, 1),
				  IB_MGMT_METHOD_SEND | IB_MGMT_METHOD_RESP, kmd_hdr(buf)->tid,
				  &ack);
	KMD_ENDS(t, &msgs.from, buf, IB_WC_RESP_TIMEOUT_ERR);
	KMD_COUNTS(t, msgs.a, RMPP_ABORTED, 2);
	if (answer)
		kmd_free(answer);
	kmd_free(buf);
out:
	kmd_end(&msgs);
}

/* What a sender does with answers that make no sense, or that end the message. */
static void test_bad_answers(struct ktap *t)
{
	static const struct { struct ib_rmpp_hdr hdr; u32 vendor_err; bool aborts; } cases[] = {
		{ KMD_HDR(1, 3, 1, 1, 0, 0), IB_MGMT_RMPP_STATUS_RESX },
		{ KMD_HDR(1, 4, 1, 120, 0, 0), IB_MGMT_RMPP_STATUS_BAD_SEG },
		{ KMD_HDR(1, 2, 1, 0, 1, 0), IB_MGMT_RMPP_STATUS_W2S, true },
		{ KMD_HDR(1, 2, 1, 0, 2, 5), IB_MGMT_RMPP_STATUS_S2B, true },
		{ KMD_HDR(1, 2, 1, 0, 0xffffffff, 0xffffffff), IB_MGMT_RMPP_STATUS_S2B, true },
	};
	struct ib_mad_send_buf *buf, *answer;
	struct ib_rmpp_hdr hdr;
	long aborted = 0;
	size_t i;

	if (!kmd_start_by_hand(t, &msgs))
		return;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		buf = kmd_new(t, &msgs.from, memdev_lid(msgs.b, 1), IB_MGMT_METHOD_SEND, 1000);
		if (!buf)
			break;
		buf->timeout_ms = KMD_LONG;
		kmd_post(t, buf);
		kmd_wait(t, &msgs.to, 1);
		kmd_forget(&msgs.to);
		answer = kmd_post_by_hand(t, &msgs.to, memdev_lid(msgs.a, 1),
					  IB_MGMT_METHOD_SEND | IB_MGMT_METHOD_RESP,
					  kmd_hdr(buf)->tid, &cases[i].hdr);
		KT_WAIT(t, kmd_nr(&msgs.from) == 1);
		KT_EXPECT_EQ(t, msgs.from.events[0].vendor_err, cases[i].vendor_err);
		KMD_ENDS(t, &msgs.from, buf, IB_WC_REM_ABORT_ERR);
		if (cases[i].aborts) {
			hdr = wait_header(t, 2);
			KT_EXPECT_EQ(t, hdr.rmpp_type, IB_MGMT_RMPP_TYPE_ABORT);
			KT_EXPECT_EQ(t, hdr.rmpp_status, cases[i].vendor_err);
			aborted++;
			KMD_COUNTS(t, msgs.a, RMPP_ABORTED, aborted);
		}
		kmd_forget(&msgs.to);
		kmd_free(buf);
		if (answer)
			kmd_free(answer);
	}
	kmd_end(&msgs);
}

static const struct ktap_case rmpp_cases[] = {
	{ "messages of any length", test_lengths },
	{ "requests and responses", test_both_ways },
	{ "lost segments and answers", test_losses },
	{ "segments that make no sense", test_bad_segments },
	{ "messages without an end", test_ceiling },
	{ "a message that does not go on", test_idle },
	{ "too many tries", test_too_many_tries },
	{ "answers that make no sense", test_bad_answers },
};

KTAP_SUITE(kmd_rmpp_suite, "mad RMPP", rmpp_cases);
