// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of iw_cm: identifiers destroyed while a handler, a call or a connection is under way.
 */
#include <linux/kthread.h>

#include "kt_iwcm.h"

static void waits_for_handler(struct ktap *t)
{
	struct kt_destroyer d;
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	c.hook = kt_block;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CONNECT_REPLY, 0), 0);
	wait_for_completion(&c.entered);
	/* Expects that iw_cm accepts these events but never delivers them. */
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_DISCONNECT, 0), 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), 0);
	kt_destroy_start(&d, c.id);
	KT_EXPECT(t, kt_destroy_waits(&d));
	complete_all(&c.go);
	KT_EXPECT(t, kt_destroy_finish(&d));
	KT_EXPECT(t, kt_no_more_events(&c, 1));
	kt_iw_end(t);
}

static struct completion connect_may_return;

static void sleep_inside(struct iw_cm_id *id)
{
	wait_for_completion(&connect_may_return);
}

struct connector {
	struct work_struct work;
	struct kt_client *c;
	int ret;
};

static void connect_destroy_work(struct work_struct *work)
{
	struct connector *connector = container_of(work, struct connector, work);

	connector->ret = kt_connect(connector->c, 1);
}

static void waits_for_connect(struct ktap *t)
{
	struct connector connector;
	struct kt_destroyer d;
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	init_completion(&connect_may_return);
	kt_prov.inside[KT_CONNECT] = sleep_inside;
	connector.c = &c;
	INIT_WORK_ONSTACK(&connector.work, connect_destroy_work);
	queue_work(system_dfl_wq, &connector.work);
	msleep(20);
	/*
	 * iw_cm accepts the event and holds the event back until the provider's connect returns. By
	 * then, the identifier is being destroyed, so iw_cm discards the event.
	 */
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CONNECT_REPLY, 0), 0);
	kt_destroy_start(&d, c.id);
	KT_EXPECT(t, kt_destroy_waits(&d));
	KT_EXPECT(t, kt_no_more_events(&c, 0));
	complete_all(&connect_may_return);
	KT_EXPECT(t, kt_destroy_finish(&d));
	flush_work(&connector.work);
	destroy_work_on_stack(&connector.work);
	KT_EXPECT_EQ(t, connector.ret, 0);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	KT_EXPECT_EQ(t, atomic_read(&kt_qp(1)->aborts), 1);
	kt_iw_end(t);
}

/*
 * Waits until another thread has increased *@counter to @value, 5 seconds at most. Returns whether
 * *@counter is @value.
 */
static bool wait_for_count(atomic_t *counter, int value)
{
	unsigned long end = jiffies + 5 * HZ;

	while (atomic_read(counter) < value && time_before(jiffies, end))
		msleep(20);
	return atomic_read(counter) == value;
}

/* What the provider does with an identifier that is connecting: @act, or an event. */
struct answer {
	int (*act)(struct iw_cm_id *id);
	enum iw_cm_event_type event;
	int status;
};

static int answer_unbind(struct iw_cm_id *id)
{
	iw_cm_unbind_qp(id, &kt_qp(1)->ibqp);
	return -ENODEV;
}

static int answer_removal(struct iw_cm_id *id)
{
	kt_iw_unregister();
	return -ENODEV;
}

/* Expects that the destruction of an identifier that is connecting waits until the answer comes. */
static void waits_for_answer(struct ktap *t)
{
	const struct answer *answer = ktap_arg(t);
	struct kt_destroyer d;
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	kt_prov.modify = kt_do_nothing;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	kt_destroy_start(&d, c.id);
	KT_EXPECT(t, wait_for_count(&kt_qp(1)->aborts, 1));
	KT_EXPECT(t, kt_destroy_waits(&d));
	KT_EXPECT_EQ(t, kt_refs(1), 1);
	KT_EXPECT_EQ(t, answer->act ? answer->act(c.id) :
				      kt_report(c.id, answer->event, answer->status), -ENODEV);
	KT_EXPECT(t, kt_destroy_finish(&d));
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	KT_EXPECT(t, kt_no_more_events(&c, 0));
	kt_iw_end(t);
}

/*
 * Connects three identifiers, one after the other. Each gets up to three events. The hook destroys
 * the first identifier in the handler of its first event, the second identifier in the handler of
 * its second event, and the third identifier in the handler of its third event.
 */
static void ends_in_handler(struct ktap *t)
{
	const struct kt_hook *arg = ktap_arg(t);
	static const struct {
		enum iw_cm_event_type type;
		int status;
	} steps[] = {
		{ IW_CM_EVENT_CONNECT_REPLY, 0 },
		{ IW_CM_EVENT_DISCONNECT, 0 },
		{ IW_CM_EVENT_CLOSE, 0 },
	};
	struct kt_client c;
	int last, i;

	if (!kt_iw_start(t))
		return;
	kt_prov.modify = kt_do_nothing;
	for (last = 0; last < ARRAY_SIZE(steps) && kt_client_open(t, &c); last++) {
		KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
		for (i = 0; i < ARRAY_SIZE(steps); i++) {
			if (i == last)
				c.hook = arg->hook;
			kt_report(c.id, steps[i].type, steps[i].status);
			if (i < last)
				KT_EXPECT(t, kt_wait_events(&c, i + 1));
		}
		KT_EXPECT(t, kt_wait_events(&c, last + 1));
		KT_EXPECT(t, kt_no_more_events(&c, last + 1));
		KT_EXPECT_EQ(t, kt_refs(1), 0);
		KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), -ENODEV);
	}
	kt_iw_end(t);
}

static void failed_inside(struct ktap *t)
{
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	c.hook = kt_destroy_inside;
	KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CONNECT_REPLY, -ETIMEDOUT), 0);
	KT_EXPECT(t, kt_wait_events(&c, 1));
	KT_EXPECT(t, kt_no_more_events(&c, 1));
	KT_EXPECT_EQ(t, atomic_read(&kt_qp(1)->aborts), 0);
	kt_iw_end(t);
}

/* Reports events without a pause, while the test uses and destroys the identifier. */
static int report_repeatedly(void *arg)
{
	struct iw_cm_id *id = arg;

	while (!kthread_should_stop()) {
		kt_report(id, IW_CM_EVENT_CONNECT_REPLY, 0);
		kt_report(id, IW_CM_EVENT_DISCONNECT, 0);
		kt_report(id, IW_CM_EVENT_CLOSE, 0);
		cond_resched();
	}
	return 0;
}

static void destroyed_while_reporting(struct ktap *t)
{
	struct task_struct *task;
	struct kt_client c;
	int i, events;

	if (!kt_iw_start(t))
		return;
	for (i = 0; i < 40 && kt_client_open(t, &c); i++) {
		KT_EXPECT_EQ(t, kt_connect(&c, 1), 0);
		task = kthread_run(report_repeatedly, kt_qp(1)->id, "kt_reporter");
		if (!KT_EXPECT_ERR(t, task, 0))
			break;
		if (i % 2)
			usleep_range(1, 200);
		kt_close(&c);
		events = atomic_read(&c.nr);
		KT_EXPECT_EQ(t, atomic_read(&c.running), 0);
		usleep_range(500, 1000);
		KT_EXPECT_EQ(t, atomic_read(&c.nr), events);
		KT_EXPECT(t, !c.overlapped);
		kthread_stop(task);
		KT_EXPECT_EQ(t, kt_refs(1), 0);
	}
	kt_iw_end(t);
}

static const struct ktap_case destroy_cases[] = {
	{ "waits for the handler; no event follows", waits_for_handler,
	  COVERS(iw_destroy_cm_id iw_cm_handler) },
	{ "waits for a connect that is inside the provider", waits_for_connect },
	{ "while connecting, until the provider has closed", waits_for_answer,
	  COVERS(iw_destroy_cm_id), &(const struct answer) { .event = IW_CM_EVENT_CLOSE } },
	{ "while connecting, until the provider has failed", waits_for_answer, NULL,
	  &(const struct answer) { .event = IW_CM_EVENT_CONNECT_REPLY, .status = -ECONNABORTED } },
	{ "while connecting, until the provider has succeeded", waits_for_answer, NULL,
	  &(const struct answer) { .event = IW_CM_EVENT_CONNECT_REPLY } },
	{ "while connecting, until the QP is unbound", waits_for_answer, NULL,
	  &(const struct answer) { .act = answer_unbind } },
	{ "while connecting, until the device is removed", waits_for_answer, NULL,
	  &(const struct answer) { .act = answer_removal } },
	{ "inside each handler", ends_in_handler, COVERS(iw_destroy_cm_id iw_cm_handler),
	  &(const struct kt_hook) { kt_destroy_inside } },
	{ "by the result of each handler", ends_in_handler, COVERS(iw_cm_handler iw_destroy_cm_id),
	  &(const struct kt_hook) { kt_return_error } },
	{ "inside each handler, which then fails", ends_in_handler, NULL,
	  &(const struct kt_hook) { kt_destroy_and_error } },
	{ "inside the handler of a failed connect", failed_inside },
	{ "while events are reported without a pause", destroyed_while_reporting },
};

KTAP_SUITE(kt_iwcm_destroy_suite, "destroy", destroy_cases);
