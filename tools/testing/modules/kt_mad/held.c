// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of sends that the QP has, or has no room for, when something happens to them; and of MADs
 * that have to wait for a handler when their device goes.
 */
#include <linux/delay.h>

#include "kt_mad.h"

#define QP_SENDS	24	/* sends that are posted to a QP at a time */
#define TOO_MANY	3

static struct kmd_pair helds;

static void hold_sends(bool hold)
{
	memdev_hold(helds.a, 1, 1, hold);
}

/* Frees a list of MADs, whose agent may be gone. */
static void free_held(struct ib_mad_send_buf *first)
{
	struct ib_mad_send_buf *next;

	for (; first; first = next) {
		next = first->next;
		if (first->ah)
			rdma_destroy_ah(first->ah, 0);
		ib_free_send_mad(first);
	}
}

/* Makes a list of MADs without responses, from the first device, or from the second one. */
static struct ib_mad_send_buf *new_sends(struct ktap *t, bool from_second, u8 method, u8 mgmt_class,
					 unsigned int nr)
{
	struct kmd_agent *a = from_second ? &helds.to : &helds.from;
	u32 lid = memdev_lid(from_second ? helds.a : helds.b, 1);
	struct ib_mad_send_buf *first = NULL, *buf;

	while (nr--) {
		buf = kmd_new(t, a, lid, method, 0);
		if (!buf) {
			free_held(first);
			return NULL;
		}
		kmd_hdr(buf)->mgmt_class = mgmt_class;
		buf->next = first;
		first = buf;
	}
	return first;
}

/* --- responses, and the end of the agent --- */

/* A response comes before its request has completed: whether it counts. */
static const struct {
	int timeout_ms;
	bool cancelled, matches;
} early[] = {
	{ KMD_LONG, false, true },
	{ KMD_LONG, true, false },
	{ 0, false, false },
};

/* Makes a request from the first device, and its response from the second one. */
static bool new_exchange(struct ktap *t, struct ib_mad_send_buf **request,
			 struct ib_mad_send_buf **response)
{
	*request = kmd_new(t, &helds.from, memdev_lid(helds.b, 1), IB_MGMT_METHOD_GET, 0);
	*response = kmd_new(t, &helds.to, memdev_lid(helds.a, 1), IB_MGMT_METHOD_GET_RESP, 0);
	if (!*request || !*response) {
		free_held(*request);
		free_held(*response);
		return false;
	}
	kmd_hdr(*response)->tid = kmd_hdr(*request)->tid;
	return true;
}

static void respond_early(struct ktap *t, size_t nr)
{
	long unmatched = krdma_mad_read(helds.a, 1, KRDMA_MAD_UNMATCHED);
	struct ib_mad_send_buf *buf, *response;
	unsigned int before = early[nr].matches;

	if (!new_exchange(t, &buf, &response))
		return;
	buf->timeout_ms = early[nr].timeout_ms;
	hold_sends(true);
	kmd_post(t, buf);
	if (early[nr].cancelled) {
		KT_EXPECT_EQ(t, ib_modify_mad(buf, 0), 0);
		/* The send has its result, although the QP has not completed it. */
		KT_EXPECT_EQ(t, ib_modify_mad(buf, KMD_LONG), -EINVAL);
	}
	kmd_post(t, response);
	KMD_ENDS(t, &helds.to, response, IB_WC_SUCCESS);
	if (early[nr].matches)
		KT_EXPECT(t, kmd_wait(t, &helds.from, 1).send == buf);
	else
		KMD_COUNTS(t, helds.a, UNMATCHED, unmatched + 1);
	KT_EXPECT_EQ(t, helds.from.nr, before);
	hold_sends(false);
	KT_EXPECT_EQ(t, kmd_wait(t, &helds.from, before + 1).status,
		     early[nr].cancelled ? IB_WC_WR_FLUSH_ERR : IB_WC_SUCCESS);
	KT_EXPECT_EQ(t, kmd_completions(&helds.from, buf), 1);
	KT_EXPECT(t, kmd_wait(t, &helds.to, 1).recv);
	kmd_forget(&helds.from);
	kmd_forget(&helds.to);
	kmd_free(buf);
	kmd_free(response);
}

static void test_early(struct ktap *t)
{
	size_t i;

	if (!kmd_start(t, &helds, &kmd_plain))
		return;
	for (i = 0; i < ARRAY_SIZE(early); i++)
		respond_early(t, i);
	kmd_end(&helds);
}

static void let_sends_go(struct work_struct *work)
{
	hold_sends(false);
}

static DECLARE_DELAYED_WORK(letting_sends_go, let_sends_go);

/* A request that was answered is a success, although its agent ends before the QP completes it. */
static void test_answered(struct ktap *t)
{
	struct ib_mad_send_buf *buf, *response;

	if (!kmd_start(t, &helds, &kmd_plain))
		return;
	if (!new_exchange(t, &buf, &response)) {
		kmd_end(&helds);
		return;
	}
	buf->timeout_ms = KMD_LONG;
	hold_sends(true);
	kmd_post(t, buf);
	kmd_post(t, response);
	KMD_ENDS(t, &helds.to, response, IB_WC_SUCCESS);
	KT_EXPECT(t, kmd_wait(t, &helds.from, 1).recv);
	/* The agent ends once the QP has completed all. */
	queue_delayed_work(system_wq, &letting_sends_go, msecs_to_jiffies(50));
	ib_unregister_mad_agent(helds.from.agent);
	flush_delayed_work(&letting_sends_go);
	KT_EXPECT_EQ(t, kmd_wait(t, &helds.from, 2).status, IB_WC_SUCCESS);
	kmd_forget(&helds.from);
	free_held(buf);
	free_held(response);
	if (kmd_register(t, &helds.from, helds.a, &kmd_plain))
		kmd_end(&helds);
}

/* --- what the provider refuses or flushes --- */

static int refuse_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		       const struct ib_send_wr **bad_wr)
{
	*bad_wr = wr;
	return -ENOMEM;
}

/* What the QP had no room for cannot be posted later: it fails, in its order. */
static void test_refused(struct ktap *t)
{
	struct ib_mad_send_buf *list, *buf, *late[TOO_MANY] = {};
	unsigned int i, failed = 0;
	typeof(helds.a->ops.post_send) post;

	if (!kmd_start(t, &helds, &kmd_plain))
		return;
	helds.to.silent = true;
	list = new_sends(t, false, IB_MGMT_METHOD_SEND, KMD_PLAIN, QP_SENDS + TOO_MANY);
	if (!list)
		goto out;
	hold_sends(true);
	kmd_post(t, list);
	for (i = 0, buf = list; buf; i++, buf = buf->next)
		if (i >= QP_SENDS)
			late[i - QP_SENDS] = buf;
	post = helds.a->ops.post_send;
	helds.a->ops.post_send = refuse_send;
	hold_sends(false);
	kmd_wait(t, &helds.from, QP_SENDS + TOO_MANY);
	helds.a->ops.post_send = post;
	for (i = 0; i < helds.from.nr; i++) {
		if (helds.from.events[i].status == IB_WC_SUCCESS)
			continue;
		KT_EXPECT_EQ(t, helds.from.events[i].status, IB_WC_LOC_QP_OP_ERR);
		KT_EXPECT(t, failed < TOO_MANY && helds.from.events[i].send == late[failed]);
		failed++;
	}
	KT_EXPECT_EQ(t, failed, TOO_MANY);
	kmd_forget(&helds.from);
	free_held(list);
out:
	kmd_end(&helds);
}

/* Has the first device's provider answer as many requests as a QP takes, and some more. */
static void answer_many(struct ktap *t)
{
	struct ib_mad_send_buf *list, *more;
	unsigned int i;

	list = new_sends(t, true, IB_MGMT_METHOD_GET, IB_MGMT_CLASS_PERF_MGMT, 8);
	more = new_sends(t, true, IB_MGMT_METHOD_GET, IB_MGMT_CLASS_PERF_MGMT, TOO_MANY);
	if (list && more) {
		for (i = 1; i <= QP_SENDS / 8; i++) {
			kmd_post(t, list);
			kmd_wait(t, &helds.to, 8);
			kmd_forget(&helds.to);
			KMD_COUNTS(t, helds.a, REPLIES, 8 * i);
		}
		kmd_post(t, more);
		kmd_wait(t, &helds.to, TOO_MANY);
		kmd_forget(&helds.to);
		KMD_COUNTS(t, helds.a, REPLIES, QP_SENDS + TOO_MANY);
	}
	free_held(list);
	free_held(more);
}

/* The same for answers of the provider */
static void test_refused_answers(struct ktap *t)
{
	typeof(helds.a->ops.post_send) post;

	if (!kmd_start(t, &helds, &kmd_plain))
		return;
	hold_sends(true);
	answer_many(t);
	post = helds.a->ops.post_send;
	helds.a->ops.post_send = refuse_send;
	hold_sends(false);
	KMD_COUNTS(t, helds.a, REPLIES_DROPPED, TOO_MANY);
	helds.a->ops.post_send = post;
	kmd_end(&helds);
}

static int (*poll_of_memdev)(struct ib_cq *cq, int num_entries, struct ib_wc *wc);
/* How many sends that were polled get this status. */
static unsigned int nr_changed;
static enum ib_wc_status changed_to;

static int poll_changed(struct ib_cq *cq, int num_entries, struct ib_wc *wc)
{
	int got = poll_of_memdev(cq, num_entries, wc), i;

	for (i = 0; i < got; i++) {
		if (wc[i].opcode != IB_WC_SEND || !nr_changed)
			continue;
		wc[i].status = changed_to;
		nr_changed--;
	}
	return got;
}

static void change_polled(struct ib_device *dev, unsigned int nr, enum ib_wc_status status)
{
	nr_changed = nr;
	changed_to = status;
	poll_of_memdev = dev->ops.poll_cq;
	dev->ops.poll_cq = poll_changed;
}

/* How often a send is flushed, which post fails, how often it is posted, and how it ends. */
static const struct {
	unsigned int flushes;
	int fails, posts;
	enum ib_wc_status status;
} flushed[] = {
	{ 3, 0, 4, IB_WC_SUCCESS },
	{ 4, 0, 4, IB_WC_LOC_QP_OP_ERR },
	{ 1, 2, 2, IB_WC_LOC_QP_OP_ERR },
};

/* A send that is flushed because of another one's error is posted again three times. */
static void test_flushed(struct ktap *t)
{
	struct ib_mad_send_buf *buf;
	size_t i;
	int posts;

	if (!kmd_start(t, &helds, &kmd_plain))
		return;
	helds.to.silent = true;
	buf = new_sends(t, false, IB_MGMT_METHOD_SEND, KMD_PLAIN, 1);
	if (!buf)
		goto out;
	for (i = 0; i < ARRAY_SIZE(flushed); i++) {
		posts = fakedev_calls(helds.fa, FAKEDEV_POST_SEND);
		change_polled(helds.a, flushed[i].flushes, IB_WC_WR_FLUSH_ERR);
		fakedev_fail(helds.fa, FAKEDEV_POST_SEND, flushed[i].fails, -ENOMEM);
		kmd_post(t, buf);
		KMD_ENDS(t, &helds.from, buf, flushed[i].status);
		KT_EXPECT_EQ(t, fakedev_calls(helds.fa, FAKEDEV_POST_SEND) - posts,
			     flushed[i].posts);
		helds.a->ops.poll_cq = poll_of_memdev;
	}
	kmd_free(buf);
out:
	kmd_end(&helds);
}

/* --- devices that go --- */

static int nr_posts, nr_recovered;
static int (*modify_of_memdev)(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			       struct ib_udata *udata);

static int count_post(struct ib_qp *qp, const struct ib_send_wr *wr,
		      const struct ib_send_wr **bad_wr)
{
	nr_posts++;
	*bad_wr = wr;
	return -ENODEV;
}

static int count_recovery(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			  struct ib_udata *udata)
{
	if (attr->qp_state == IB_QPS_RTS)
		nr_recovered++;
	return modify_of_memdev(qp, attr, mask, udata);
}

/*
 * While a device goes, nothing is posted to its QPs, and they are not recovered from an error: here
 * of answers, more than a QP takes.
 */
static void test_closing(struct ktap *t)
{
	if (!kmd_start(t, &helds, &kmd_plain))
		return;
	kmd_unregister(&helds.from);
	hold_sends(true);
	answer_many(t);
	nr_posts = 0;
	nr_recovered = 0;
	modify_of_memdev = helds.a->ops.modify_qp;
	helds.a->ops.modify_qp = count_recovery;
	helds.a->ops.post_send = count_post;
	change_polled(helds.a, 1, IB_WC_LOC_QP_OP_ERR);
	memdev_destroy(helds.fa);
	KT_EXPECT_EQ(t, nr_posts, 0);
	KT_EXPECT_EQ(t, nr_recovered, 0);
	KT_EXPECT_EQ(t, nr_changed, 0);
	kmd_unregister(&helds.to);
	memdev_destroy(helds.fb);
}

static DECLARE_COMPLETION(go_on);
static int (*destroy_qp_of_memdev)(struct ib_qp *qp, struct ib_udata *udata);

static int modify_and_go_on(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
			    struct ib_udata *udata)
{
	complete_all(&go_on);
	return modify_of_memdev(qp, attr, mask, udata);
}

/* A MAD that is handled after an agent's sends were cancelled is not given to it. */
static void test_dead(struct ktap *t)
{
	struct ib_mad_send_buf *list;

	if (!kmd_start(t, &helds, &kmd_plain))
		return;
	list = new_sends(t, false, IB_MGMT_METHOD_SEND, KMD_PLAIN, 2);
	if (!list) {
		kmd_end(&helds);
		return;
	}
	reinit_completion(&go_on);
	helds.to.gate = &go_on;
	kmd_post(t, list);
	kmd_wait(t, &helds.from, 2);
	KT_WAIT(t, kmd_is_held(&helds.to));
	/* The first call closes the QPs, after the cancellation. */
	modify_of_memdev = helds.b->ops.modify_qp;
	helds.b->ops.modify_qp = modify_and_go_on;
	memdev_destroy(helds.fb);
	KT_EXPECT_EQ(t, helds.to.nr, 1);
	kmd_unregister(&helds.to);
	kmd_forget(&helds.from);
	free_held(list);
	kmd_unregister(&helds.from);
	memdev_destroy(helds.fa);
}

static int destroy_qp_and_go_on(struct ib_qp *qp, struct ib_udata *udata)
{
	complete_all(&go_on);
	return destroy_qp_of_memdev(qp, udata);
}

/* Two agents of the first device's QP 0: the first one asks the second one. */
static struct kmd_agent asker, asked;

/* Keeps the second agent's handler busy. Returns the SMP for it, or NULL. */
static struct ib_mad_send_buf *keep_busy(struct ktap *t)
{
	struct ib_mad_send_buf *buf = kmd_new(t, &asker, be16_to_cpu(IB_LID_PERMISSIVE),
					      IB_MGMT_METHOD_GET, 0);
	struct ib_smp *smp;

	if (!buf)
		return NULL;
	smp = buf->mad;
	memset(&smp->mkey, 0, sizeof(*smp) - offsetof(struct ib_smp, mkey));
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE;
	smp->attr_id = IB_SMP_ATTR_SM_INFO;
	smp->dr_slid = IB_LID_PERMISSIVE;
	smp->dr_dlid = IB_LID_PERMISSIVE;
	buf->timeout_ms = KMD_LONG;
	reinit_completion(&go_on);
	asked.gate = &go_on;
	kmd_post(t, buf);
	KT_WAIT(t, kmd_is_held(&asked));
	return buf;
}

/* Removes the first device: its handler returns only when the CQ is polled no more. */
static void remove_busy(struct ktap *t)
{
	struct ib_mad_send_buf *list = new_sends(t, false, IB_MGMT_METHOD_SEND, KMD_PLAIN, 5);
	struct ib_mad_send_buf *smp, *buf;
	unsigned int i;

	hold_sends(true);
	kmd_post(t, list);
	smp = keep_busy(t);
	/* Their address handles have to go before the device. */
	helds.from.ends_ahs = true;
	asker.ends_ahs = true;
	destroy_qp_of_memdev = helds.a->ops.destroy_qp;
	helds.a->ops.destroy_qp = destroy_qp_and_go_on;
	memdev_destroy(helds.fa);
	for (buf = list; buf; buf = buf->next)
		KT_EXPECT_EQ(t, kmd_completions(&helds.from, buf), 1);
	for (i = 0; i < helds.from.nr; i++)
		KT_EXPECT_EQ(t, helds.from.events[i].status, IB_WC_WR_FLUSH_ERR);
	if (smp)
		KT_EXPECT_EQ(t, kmd_completions(&asker, smp), 1);
	kmd_forget(&helds.from);
	kmd_forget(&asker);
	free_held(list);
	free_held(smp);
}

/* A handler is busy for longer than a device may take: all is flushed without the CQ. */
static void test_busy(struct ktap *t)
{
	static const struct kmd_reg directed_one = {
		IB_QPT_SMI, IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, .methods = KMD_GET
	};
	static const struct kmd_reg no_requests = { IB_QPT_SMI, IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE };

	if (!kmd_start(t, &helds, &kmd_plain))
		return;
	if (!kmd_register(t, &asked, helds.a, &directed_one))
		goto out;
	if (!kmd_register(t, &asker, helds.a, &no_requests))
		goto out_asked;
	remove_busy(t);
	kmd_unregister(&asker);
	kmd_unregister(&asked);
	kmd_unregister(&helds.from);
	kmd_unregister(&helds.to);
	memdev_destroy(helds.fb);
	return;

out_asked:
	kmd_unregister(&asked);
out:
	kmd_end(&helds);
}

static int (*destroy_cq_of_memdev)(struct ib_cq *cq, struct ib_udata *udata);
static int late_polls;

static int count_poll(struct ib_cq *cq, int num_entries, struct ib_wc *wc)
{
	late_polls++;
	return 0;
}

/* Reports a completion of the CQ that is about to go, and waits for somebody to poll. */
static int destroy_cq_after_event(struct ib_cq *cq, struct ib_udata *udata)
{
	cq->device->ops.poll_cq = count_poll;
	cq->comp_handler(cq, cq->cq_context);
	msleep(100);
	return destroy_cq_of_memdev(cq, udata);
}

/* The CQ is not polled any more while it is destroyed, also not because of a late event. */
static void test_late_event(struct ktap *t)
{
	if (!kmd_start(t, &helds, &kmd_plain))
		return;
	kmd_unregister(&helds.from);
	late_polls = 0;
	destroy_cq_of_memdev = helds.a->ops.destroy_cq;
	helds.a->ops.destroy_cq = destroy_cq_after_event;
	memdev_destroy(helds.fa);
	KT_EXPECT_EQ(t, late_polls, 0);
	kmd_unregister(&helds.to);
	memdev_destroy(helds.fb);
}

static const struct ktap_case held_cases[] = {
	{ "a response before its request has completed", test_early },
	{ "the end of an agent after a response", test_answered },
	{ "sends that cannot be posted later", test_refused },
	{ "answers that cannot be posted later", test_refused_answers },
	{ "a send that is flushed", test_flushed },
	{ "nothing is posted while a device goes", test_closing },
	{ "a MAD for an agent whose device goes", test_dead },
	{ "a device goes while a handler is busy", test_busy },
	{ "an event while the CQ goes", test_late_event },
};

KTAP_SUITE(kmd_held_suite, "mad held", held_cases);
