// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of iw_cm on the passive side of connections: listeners and connection requests.
 */
#include <linux/interrupt.h>
#include <linux/slab.h>

#include "kt_iwcm.h"
#include "../support/memcg.h"

static int request(struct kt_client *l, u16 len)
{
	return kt_report_data(l->id, IW_CM_EVENT_CONNECT_REQUEST, 0, len);
}

static void accepts(struct ktap *t)
{
	struct kt_client l, c;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 5))
		return;
	kt_client_init(&c);
	l.child = &c;
	KT_EXPECT_EQ(t, kt_prov.backlog, 5);
	KT_EXPECT_EQ(t, request(&l, 512), 0);
	KT_EXPECT(t, kt_wait_events(&l, 1));
	KT_EXPECT_EQ(t, l.seen[0], IW_CM_EVENT_CONNECT_REQUEST);
	KT_EXPECT_EQ(t, l.len[0], 512);
	KT_EXPECT(t, l.data_ok && c.id && c.id != l.id);
	KT_EXPECT(t, c.id->provider_data == &kt_prov);
	KT_EXPECT_EQ(t, c.id->local_addr.ss_family, AF_INET);
	KT_EXPECT(t, !memcmp(&c.id->local_addr, &c.id->m_local_addr, sizeof(c.id->local_addr)));

	KT_EXPECT_EQ(t, kt_accept(c.id, 1), 0);
	KT_EXPECT_EQ(t, kt_refs(1), 1);
	KT_EXPECT_EQ(t, kt_accept(c.id, 1), -EINVAL);
	KT_EXPECT_EQ(t, iw_cm_reject(c.id, NULL, 0), -EINVAL);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CONNECT_REPLY, 0), -EINVAL);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_ESTABLISHED, 0), 0);
	KT_EXPECT(t, kt_wait_events(&c, 1));
	KT_EXPECT_EQ(t, c.seen[0], IW_CM_EVENT_ESTABLISHED);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), 0);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	KT_EXPECT(t, kt_wait_events(&c, 2));
	kt_close(&c);
	kt_close(&l);
	KT_EXPECT_EQ(t, kt_calls(KT_UNLISTEN), 1);
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 0);
	kt_iw_end(t);
}

/* A report to iw_cm that a tasklet makes. */
struct softirq_report {
	struct tasklet_struct tasklet;
	struct iw_cm_id *id;
	enum iw_cm_event_type type;
	int ret;
};

static void report_in_tasklet(struct tasklet_struct *tasklet)
{
	struct softirq_report *report = container_of(tasklet, struct softirq_report, tasklet);

	report->ret = kt_report_data(report->id, report->type, 0, 100);
}

/* Reports an event in a softirq, and returns iw_cm's result. */
static int report_in_softirq(struct iw_cm_id *id, enum iw_cm_event_type type)
{
	struct softirq_report report = { .id = id, .type = type };

	tasklet_setup(&report.tasklet, report_in_tasklet);
	tasklet_schedule(&report.tasklet);
	/* This waits until the tasklet has run. */
	tasklet_kill(&report.tasklet);
	return report.ret;
}

/*
 * A driver such as qedr reports requests and events in a softirq, where nothing may sleep. Only a
 * real softirq shows lockdep that a mutex is taken there, or that memory is reclaimed.
 */
static void accepts_in_softirq(struct ktap *t)
{
	struct kt_client l, c;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 1))
		return;
	kt_client_init(&c);
	l.child = &c;
	KT_EXPECT_EQ(t, report_in_softirq(l.id, IW_CM_EVENT_CONNECT_REQUEST), 0);
	/* The backlog is full. */
	KT_EXPECT_EQ(t, report_in_softirq(l.id, IW_CM_EVENT_CONNECT_REQUEST), -EBUSY);
	KT_EXPECT(t, kt_wait_events(&l, 1));
	KT_EXPECT_EQ(t, l.len[0], 100);
	KT_EXPECT_EQ(t, kt_accept(c.id, 1), 0);
	KT_EXPECT_EQ(t, report_in_softirq(c.id, IW_CM_EVENT_ESTABLISHED), 0);
	KT_EXPECT_EQ(t, report_in_softirq(c.id, IW_CM_EVENT_CLOSE), 0);
	KT_EXPECT(t, kt_wait_events(&c, 2));
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	kt_close(&c);
	kt_close(&l);
	kt_iw_end(t);
}

static void report_listen_connection(struct iw_cm_id *id)
{
	kt_report(id, IW_CM_EVENT_ESTABLISHED, 0);
	kt_report(id, IW_CM_EVENT_CLOSE, 0);
}

static int accept_inside(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event)
{
	int ret = kt_accept(id, 1);

	/*
	 * The provider has reported the child's events already. Expects that iw_cm delivers the
	 * events only after this handler returns.
	 */
	msleep(20);
	return ret || atomic_read(&c->child->nr);
}

static void accepts_inside(struct ktap *t)
{
	struct kt_client l, c;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 0))
		return;
	KT_EXPECT(t, kt_prov.backlog > 0);
	kt_client_init(&c);
	l.child = &c;
	l.hook = accept_inside;
	kt_prov.inside[KT_ACCEPT] = report_listen_connection;
	KT_EXPECT_EQ(t, request(&l, 0), 0);
	KT_EXPECT(t, kt_wait_events(&l, 1));
	KT_EXPECT(t, kt_wait_events(&c, 2));
	KT_EXPECT_EQ(t, c.seen[0], IW_CM_EVENT_ESTABLISHED);
	KT_EXPECT_EQ(t, c.seen[1], IW_CM_EVENT_CLOSE);
	kt_close(&c);
	kt_close(&l);
	kt_iw_end(t);
}

static void failed_accept(struct ktap *t)
{
	struct iw_cm_conn_param param = { .qpn = 1, .private_data_len = 513,
					  .private_data = &param };
	struct kt_client l, c;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 5))
		return;
	kt_client_init(&c);
	l.child = &c;
	KT_EXPECT_EQ(t, request(&l, 0), 0);
	KT_EXPECT(t, kt_wait_events(&l, 1));
	/* Expects that a call that fails because of its arguments does not change the request. */
	KT_EXPECT_EQ(t, iw_cm_accept(c.id, NULL), -EINVAL);
	KT_EXPECT_EQ(t, iw_cm_accept(c.id, &param), -EINVAL);
	KT_EXPECT_EQ(t, kt_accept(c.id, KT_NR_QPS + 1), -EINVAL);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_ESTABLISHED, 0), -EINVAL);

	kt_prov.ret[KT_ACCEPT] = -ECONNRESET;
	kt_prov.inside[KT_ACCEPT] = report_listen_connection;
	KT_EXPECT_EQ(t, kt_accept(c.id, 1), -ECONNRESET);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	KT_EXPECT_EQ(t, kt_accept(c.id, 1), -EINVAL);
	KT_EXPECT(t, kt_no_more_events(&c, 0));
	kt_close(&c);
	/* Expects no reject, because a provider whose accept fails has ended the connection. */
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 0);
	kt_close(&l);
	kt_iw_end(t);
}

static void failed_establishment(struct ktap *t)
{
	struct kt_client l, c;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 5))
		return;
	kt_client_init(&c);
	l.child = &c;
	KT_EXPECT_EQ(t, request(&l, 0), 0);
	KT_EXPECT(t, kt_wait_events(&l, 1));
	KT_EXPECT_EQ(t, kt_accept(c.id, 1), 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_ESTABLISHED, -ECONNRESET), 0);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	KT_EXPECT(t, kt_wait_events(&c, 1));
	KT_EXPECT_EQ(t, c.status[0], -ECONNRESET);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), -EINVAL);
	kt_close(&c);
	kt_close(&l);
	kt_iw_end(t);
}

static void rejects(struct ktap *t)
{
	u8 *data = kzalloc(513, GFP_KERNEL | __GFP_NOFAIL);
	struct kt_client l, c;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 5))
		return;
	kt_client_init(&c);
	l.child = &c;
	KT_EXPECT_EQ(t, request(&l, 0), 0);
	KT_EXPECT(t, kt_wait_events(&l, 1));
	KT_EXPECT_EQ(t, iw_cm_reject(c.id, data, 513), -EINVAL);
	KT_EXPECT_EQ(t, iw_cm_reject(c.id, NULL, 1), -EINVAL);
	KT_EXPECT_EQ(t, iw_cm_reject(c.id, data, 512), 0);
	KT_EXPECT_EQ(t, kt_prov.reject_len, 512);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), -EINVAL);
	KT_EXPECT_EQ(t, iw_cm_reject(c.id, NULL, 0), -EINVAL);
	KT_EXPECT(t, kt_no_more_events(&c, 0));
	kt_close(&c);
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 1);

	/* Providers of the older API have only iw_reject, for 255 bytes of private data at most. */
	kt_prov.dev->ops.iw_reject_data = NULL;
	KT_EXPECT_EQ(t, request(&l, 0), 0);
	KT_EXPECT(t, kt_wait_events(&l, 2));
	KT_EXPECT_EQ(t, iw_cm_reject(c.id, data, 256), -EINVAL);
	kt_prov.ret[KT_REJECT] = -EPIPE;
	KT_EXPECT_EQ(t, iw_cm_reject(c.id, data, 255), -EPIPE);
	KT_EXPECT_EQ(t, kt_prov.reject_len, 255);
	kt_close(&c);
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 2);
	kt_close(&l);
	kt_iw_end(t);
	kfree(data);
}

static int reject_inside(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event)
{
	int ret = iw_cm_reject(id, "no", 2);

	iw_destroy_cm_id(id);
	return ret;
}

/* Expects that the provider's reject is called for each of three requests that the hook handles. */
static void request_ends(struct ktap *t)
{
	const struct kt_hook *arg = ktap_arg(t);
	struct kt_client l;
	int i;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 1))
		return;
	l.hook = arg->hook;
	for (i = 1; i <= 3; i++) {
		KT_EXPECT_EQ(t, request(&l, 9), 0);
		KT_EXPECT(t, kt_wait_events(&l, i));
		/*
		 * Wait, because the client counts an event before iw_cm gets the result of the
		 * client's handler.
		 */
		msleep(20);
		KT_EXPECT_EQ(t, kt_calls(KT_REJECT), i);
	}
	kt_close(&l);
	kt_iw_end(t);
}

static void peer_closes_early(struct ktap *t)
{
	struct kt_client l, c;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 5))
		return;
	kt_client_init(&c);
	l.child = &c;
	KT_EXPECT_EQ(t, request(&l, 0), 0);
	KT_EXPECT(t, kt_wait_events(&l, 1));
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, 0), 0);
	KT_EXPECT_EQ(t, kt_accept(c.id, 1), -EINVAL);
	KT_EXPECT_EQ(t, iw_cm_reject(c.id, NULL, 0), -EINVAL);
	KT_EXPECT(t, kt_no_more_events(&c, 0));
	kt_close(&c);
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 0);
	kt_close(&l);
	kt_iw_end(t);
}

static void bad_requests(struct ktap *t)
{
	struct iw_cm_event event = { .event = IW_CM_EVENT_CONNECT_REQUEST };
	struct kt_client l;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 5))
		return;
	KT_EXPECT_EQ(t, l.id->event_handler(l.id, &event), -EINVAL);
	/* One address is not enough. */
	event.local_addr.ss_family = AF_INET;
	KT_EXPECT_EQ(t, l.id->event_handler(l.id, &event), -EINVAL);
	event.local_addr.ss_family = AF_UNSPEC;
	event.remote_addr.ss_family = AF_INET;
	KT_EXPECT_EQ(t, l.id->event_handler(l.id, &event), -EINVAL);
	event.local_addr.ss_family = AF_INET6;
	event.remote_addr.ss_family = AF_INET6;
	event.private_data_len = 1;
	KT_EXPECT_EQ(t, l.id->event_handler(l.id, &event), -EINVAL);
	event.event = IW_CM_EVENT_CLOSE + 1;
	event.private_data_len = 0;
	KT_EXPECT_EQ(t, l.id->event_handler(l.id, &event), -EINVAL);
	KT_EXPECT_EQ(t, request(&l, 513), -EINVAL);
	KT_EXPECT(t, kt_no_more_events(&l, 0));
	kt_close(&l);
	kt_iw_end(t);
}

static void backlog(struct ktap *t)
{
	struct kt_client l;
	int i;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 3))
		return;
	/* Expects that requests count against the backlog whether they are queued or delivered. */
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(t, request(&l, 0), 0);
	KT_EXPECT(t, kt_wait_events(&l, 3));
	KT_EXPECT_EQ(t, request(&l, 0), -EBUSY);
	KT_EXPECT_EQ(t, kt_accept(l.ids[0], KT_NR_QPS + 1), -EINVAL);
	KT_EXPECT_EQ(t, request(&l, 0), -EBUSY);

	/* Expects that requests that were accepted, rejected or destroyed no longer count. */
	l.hook = kt_destroy_inside;
	KT_EXPECT_EQ(t, kt_accept(l.ids[0], 1), 0);
	KT_EXPECT_EQ(t, request(&l, 0), 0);
	KT_EXPECT(t, kt_wait_events(&l, 4));
	KT_EXPECT_EQ(t, iw_cm_reject(l.ids[1], NULL, 0), 0);
	KT_EXPECT_EQ(t, request(&l, 0), 0);
	KT_EXPECT(t, kt_wait_events(&l, 5));
	iw_destroy_cm_id(l.ids[2]);
	l.hook = kt_block;
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(t, request(&l, 0), 0);
	KT_EXPECT_EQ(t, request(&l, 0), -EBUSY);
	complete_all(&l.go);
	KT_EXPECT(t, kt_wait_events(&l, 8));
	kt_close(&l);
	/* The identifiers of delivered requests are not destroyed with the listener. */
	for (i = 5; i < 8; i++)
		iw_destroy_cm_id(l.ids[i]);
	iw_destroy_cm_id(l.ids[0]);
	iw_destroy_cm_id(l.ids[1]);
	kt_iw_end(t);
}

/*
 * Reports a request while the listener is being closed. Sets reject_len to 777 if iw_cm refuses the
 * request with -ENODEV.
 */
static void late_request(struct iw_cm_id *id)
{
	if (kt_report(id, IW_CM_EVENT_CONNECT_REQUEST, 0) == -ENODEV)
		kt_prov.reject_len = 777;
}

static void listener_destroyed(struct ktap *t)
{
	struct kt_destroyer d;
	struct kt_client l;
	int i;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 9))
		return;
	l.hook = kt_block;
	for (i = 0; i < 4; i++)
		KT_EXPECT_EQ(t, request(&l, 3), 0);
	wait_for_completion(&l.entered);
	kt_prov.inside[KT_UNLISTEN] = late_request;
	kt_destroy_start(&d, l.id);
	KT_EXPECT(t, kt_destroy_waits(&d));
	/*
	 * Expects that the provider rejects the three undelivered requests, but not the late
	 * request, which iw_cm refuses with -ENODEV.
	 */
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 3);
	complete_all(&l.go);
	KT_EXPECT(t, kt_destroy_finish(&d));
	KT_EXPECT(t, kt_no_more_events(&l, 1));
	/* Expects that the delivered request can be accepted after its listener was destroyed. */
	KT_EXPECT_EQ(t, kt_accept(l.ids[0], 1), 0);
	iw_destroy_cm_id(l.ids[0]);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 3);
	kt_iw_end(t);
}

static void request_while_closing(struct ktap *t)
{
	struct kt_client l;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 9))
		return;
	kt_prov.inside[KT_UNLISTEN] = late_request;
	kt_close(&l);
	KT_EXPECT_EQ(t, kt_prov.reject_len, 777);
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 0);
	KT_EXPECT(t, kt_no_more_events(&l, 0));
	kt_iw_end(t);
}

static void two_requests(struct iw_cm_id *id)
{
	kt_report(id, IW_CM_EVENT_CONNECT_REQUEST, 0);
	kt_report(id, IW_CM_EVENT_CONNECT_REQUEST, 0);
	msleep(20);
}

static void failed_listen(struct ktap *t)
{
	struct kt_client l;

	if (!kt_iw_start(t) || !kt_client_open(t, &l))
		return;
	kt_prov.inside[KT_LISTEN] = two_requests;
	kt_prov.ret[KT_LISTEN] = -EADDRINUSE;
	KT_EXPECT_EQ(t, iw_cm_listen(l.id, 4), -EADDRINUSE);
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 2);
	KT_EXPECT(t, kt_no_more_events(&l, 0));
	kt_prov.ret[KT_LISTEN] = 0;
	l.hook = kt_destroy_inside;
	KT_EXPECT_EQ(t, iw_cm_listen(l.id, 1 << 20), 0);
	KT_EXPECT(t, kt_prov.backlog < 1 << 20);
	KT_EXPECT(t, kt_wait_events(&l, 2));
	KT_EXPECT_EQ(t, iw_cm_listen(l.id, 4), -EINVAL);
	kt_close(&l);
	KT_EXPECT_EQ(t, kt_calls(KT_UNLISTEN), 1);
	kt_iw_end(t);
}

static int destroy_listener(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event)
{
	iw_destroy_cm_id(c->id);
	return -EIO;
}

static void listener_destroyed_inside(struct ktap *t)
{
	struct kt_client l;

	if (!kt_iw_start(t) || !kt_client_open(t, &l))
		return;
	l.hook = destroy_listener;
	kt_prov.inside[KT_LISTEN] = two_requests;
	KT_EXPECT_EQ(t, iw_cm_listen(l.id, 4), 0);
	KT_EXPECT(t, kt_wait_events(&l, 1));
	KT_EXPECT(t, kt_no_more_events(&l, 1));
	/* Expects two rejects: one request was refused by the handler, one was not delivered. */
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 2);
	kt_iw_end(t);
}

#define MANY_REQUESTS	4000
#define REQUEST_DATA	512

/* Requests that a work item reports, which belongs to no memory cgroup, as those of providers. */
struct many_reports {
	struct work_struct work;
	struct kt_client *listener;
	int ret;
};

static void report_many(struct work_struct *work)
{
	struct many_reports *reports = container_of(work, struct many_reports, work);
	int i;

	for (i = 0; i < MANY_REQUESTS && !reports->ret; i++)
		reports->ret = request(reports->listener, REQUEST_DATA);
}

static int wait_and_refuse(struct kt_client *c, struct iw_cm_id *id, struct iw_cm_event *event)
{
	kt_block(c, id, event);
	return -EIO;
}

/*
 * Requests wait while the handler runs. Expects that the listener's memory cgroup is charged for
 * the private data and the identifier of each request.
 */
static void charged(struct ktap *t)
{
	const s64 least = MANY_REQUESTS * (sizeof(struct iw_cm_id) + REQUEST_DATA);
	struct mem_cgroup *memcg = kt_memcg(t);
	struct many_reports reports = {};
	struct kt_client l;
	s64 before;

	if (!memcg)
		return;
	if (!kt_iw_start(t) || !kt_client_open(t, &l))
		goto put_memcg;
	l.hook = wait_and_refuse;
	l.id->memcg = memcg;
	KT_EXPECT_EQ(t, iw_cm_listen(l.id, MANY_REQUESTS), 0);
	before = kt_charged(memcg);
	reports.listener = &l;
	INIT_WORK_ONSTACK(&reports.work, report_many);
	queue_work(system_unbound_wq, &reports.work);
	flush_work(&reports.work);
	destroy_work_on_stack(&reports.work);
	KT_EXPECT_EQ(t, reports.ret, 0);
	KT_EXPECT(t, kt_charged(memcg) - before >= least);
	complete_all(&l.go);
	kt_close(&l);
	kt_iw_end(t);
put_memcg:
	mem_cgroup_put(memcg);
}

static struct iw_cm_id *closed_request;

static void close_request(void)
{
	kt_report(closed_request, IW_CM_EVENT_CLOSE, -ECONNRESET);
}

/* The connection ends after accept() has found the request, and before the provider gets it. */
static void closed_in_accept(struct ktap *t)
{
	struct kt_client l, c;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 1))
		return;
	kt_client_init(&c);
	l.child = &c;
	KT_EXPECT_EQ(t, request(&l, 0), 0);
	if (KT_EXPECT(t, kt_wait_events(&l, 1))) {
		closed_request = c.id;
		kt_prov.getting = close_request;
		KT_EXPECT_EQ(t, kt_accept(c.id, 1), -ECONNRESET);
		kt_prov.getting = NULL;
		KT_EXPECT_EQ(t, kt_calls(KT_ACCEPT), 0);
		KT_EXPECT_EQ(t, kt_refs(1), 0);
		KT_EXPECT(t, kt_no_more_events(&c, 0));
		KT_EXPECT_EQ(t, iw_cm_reject(c.id, NULL, 0), -EINVAL);
		kt_close(&c);
	}
	kt_close(&l);
	kt_iw_end(t);
}

static const struct ktap_case listen_cases[] = {
	{ "a request is accepted, established and closed", accepts,
	  COVERS(iw_cm_listen iw_cm_accept IW_CM_EVENT_CONNECT_REQUEST iw_cm_event
		 iw_cm_conn_param) },
	{ "a request is reported in a softirq", accepts_in_softirq },
	{ "accepted inside the handler, its events wait for it", accepts_inside },
	{ "after a failed accept there are no events", failed_accept, COVERS(iw_cm_accept) },
	{ "a failed establishment frees the QP", failed_establishment },
	{ "rejects carry private data; no event follows", rejects, COVERS(iw_cm_reject) },
	{ "rejected and destroyed inside the handler", request_ends,
	  COVERS(iw_cm_reject iw_destroy_cm_id), &(const struct kt_hook) { reject_inside } },
	{ "destroyed inside the handler", request_ends, NULL,
	  &(const struct kt_hook) { kt_destroy_inside } },
	{ "destroyed inside the handler, which then fails", request_ends, NULL,
	  &(const struct kt_hook) { kt_destroy_and_error } },
	{ "a handler that fails refuses the request", request_ends, NULL,
	  &(const struct kt_hook) { kt_return_error } },
	{ "the peer closes before accept or reject", peer_closes_early },
	{ "the peer closes while accept looks for the QP", closed_in_accept },
	{ "malformed requests are refused", bad_requests,
	  COVERS(iw_event_handler IW_CM_EVENT_CONNECT_REQUEST) },
	{ "the backlog limits the pending requests", backlog, COVERS(iw_cm_listen) },
	{ "a listener is destroyed with requests pending", listener_destroyed },
	{ "a request during the listener's destruction is refused", request_while_closing },
	{ "a listen that fails rejects the requests so far", failed_listen, COVERS(iw_cm_listen) },
	{ "a listener is destroyed inside its handler", listener_destroyed_inside },
	{ "the listener's memory cgroup pays for requests", charged },
};

KTAP_SUITE(kt_iwcm_listen_suite, "listen", listen_cases);
