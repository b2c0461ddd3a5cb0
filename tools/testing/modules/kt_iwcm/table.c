// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of iw_cm that cover every state of an identifier: every event, every call, destruction, and
 * removal of the device.
 */
#include "kt_iwcm.h"

enum stage { IDLE, LISTEN, CONN_SENT, ACCEPT_SENT, CONN_RECV, ESTABLISHED, CLOSING, NR_STATES };

static const char *const names[] = {
	"IDLE", "LISTEN", "CONN_SENT", "CONN_SENT (accept)", "CONN_RECV", "ESTABLISHED", "CLOSING",
};

/*
 * Brings client @c into a state. In CONN_RECV and ACCEPT_SENT, @l is the listener of @c; in other
 * states, l->id is NULL. Returns false and fails the test on error.
 */
static bool reach_state(struct ktap *t, enum stage state, struct kt_client *c, struct kt_client *l)
{
	l->id = NULL;
	switch (state) {
	case IDLE:
		return kt_client_open(t, c);
	case LISTEN:
		return kt_listen(t, c, 5);
	case CONN_SENT:
		return kt_client_open(t, c) && KT_EXPECT_EQ(t, kt_connect(c, 1), 0);
	case ACCEPT_SENT:
		return reach_state(t, CONN_RECV, c, l) && KT_EXPECT_EQ(t, kt_accept(c->id, 1), 0);
	case CONN_RECV:
		kt_client_init(c);
		return kt_listen(t, l, 5) && (l->child = c) &&
		       KT_EXPECT_EQ(t, kt_report(l->id, IW_CM_EVENT_CONNECT_REQUEST, 0), 0) &&
		       KT_EXPECT(t, kt_wait_events(l, 1));
	case ESTABLISHED:
		return kt_establish(t, c, 1);
	default:
		return kt_establish(t, c, 1) &&
		       KT_EXPECT_EQ(t, kt_report(c->id, IW_CM_EVENT_DISCONNECT, 0), 0) &&
		       KT_EXPECT(t, kt_wait_events(c, 2));
	}
}

static void close_both(struct kt_client *c, struct kt_client *l)
{
	if (c->id)
		kt_close(c);
	if (l->id)
		kt_close(l);
}

/* The events that a provider can report. */
static const struct {
	enum iw_cm_event_type type;
	int status;
} events[] = {
	{ IW_CM_EVENT_CONNECT_REQUEST, 0 },
	{ IW_CM_EVENT_CONNECT_REPLY, 0 },
	{ IW_CM_EVENT_CONNECT_REPLY, -EIO },
	{ IW_CM_EVENT_ESTABLISHED, 0 },
	{ IW_CM_EVENT_ESTABLISHED, -EIO },
	{ IW_CM_EVENT_DISCONNECT, 0 },
	{ IW_CM_EVENT_CLOSE, 0 },
};

/*
 * The effect of each event in each state. '-': iw_cm refuses the event with -EINVAL. '.': iw_cm
 * accepts the event but does not deliver it. 'd': iw_cm delivers the event. 'D': iw_cm delivers the
 * event, and drops the reference to the QP.
 */
static const char event_effects[NR_STATES][ARRAY_SIZE(events) + 1] = {
	[IDLE]		= "-------",
	[LISTEN]	= "d------",
	[CONN_SENT]	= "-dD---D",
	[ACCEPT_SENT]	= "---dD-D",
	[CONN_RECV]	= "------.",
	[ESTABLISHED]	= "-----dD",
	[CLOSING]	= "-----.D",
};

static void check_event(struct ktap *t, enum stage state, int i)
{
	char effect = event_effects[state][i];
	struct kt_client c, l;
	int before, refs;
	bool ok;

	if (!reach_state(t, state, &c, &l))
		return;
	before = atomic_read(&c.nr);
	refs = kt_refs(1);
	/* No state has a rule for an event that does not exist. */
	ok = KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE + 1, 0), -EINVAL);
	ok &= KT_EXPECT_EQ(t, kt_report(c.id, events[i].type, events[i].status),
			   effect == '-' ? -EINVAL : 0);
	ok &= KT_EXPECT_EQ(t, kt_refs(1), effect == 'D' ? 0 : refs);
	if (effect == 'd' || effect == 'D')
		ok &= KT_EXPECT(t, kt_wait_events(&c, before + 1));
	else
		ok &= KT_EXPECT_EQ(t, atomic_read(&c.nr), before);
	if (!ok)
		ktap_note(t, "event %d, status %d, in %s", events[i].type, events[i].status,
			  names[state]);
	if (state == LISTEN && effect == 'd')
		iw_destroy_cm_id(c.ids[0]);
	close_both(&c, &l);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
}

static void all_events(struct ktap *t)
{
	int state, i;

	if (!kt_iw_start(t))
		return;
	for (state = 0; state < NR_STATES; state++)
		for (i = 0; i < ARRAY_SIZE(events); i++)
			check_event(t, state, i);
	kt_iw_end(t);
}

static void late_events(struct ktap *t)
{
	struct kt_client c, l;
	struct iw_cm_id *id;
	int state, i;

	if (!kt_iw_start(t))
		return;
	for (state = 0; state < NR_STATES; state++) {
		if (!reach_state(t, state, &c, &l))
			break;
		id = c.id;
		id->add_ref(id);
		close_both(&c, &l);
		for (i = 0; i < ARRAY_SIZE(events); i++)
			KT_EXPECT_EQ(t, kt_report(id, events[i].type, events[i].status), -ENODEV);
		id->rem_ref(id);
	}
	kt_iw_end(t);
}

enum call { DO_LISTEN, DO_CONNECT, DO_ACCEPT, DO_REJECT, DO_DRAIN, DO_ABORT, NR_CALLS };

static int call(struct kt_client *c, enum call op)
{
	switch (op) {
	case DO_LISTEN:
		return iw_cm_listen(c->id, 1);
	case DO_CONNECT:
		return kt_connect(c, 2);
	case DO_ACCEPT:
		return kt_accept(c->id, 2);
	case DO_REJECT:
		return iw_cm_reject(c->id, NULL, 0);
	default:
		return iw_cm_disconnect(c->id, op == DO_ABORT);
	}
}

/* The result of each call in each state. 'y': the call succeeds. '-': the call returns -EINVAL. */
static const char valid_calls[NR_STATES][NR_CALLS + 1] = {
	[IDLE]		= "yy----",
	[LISTEN]	= "------",
	[CONN_SENT]	= "------",
	[ACCEPT_SENT]	= "------",
	[CONN_RECV]	= "--yy--",
	[ESTABLISHED]	= "----yy",
	[CLOSING]	= "----yy",
};

static void all_calls(struct ktap *t)
{
	struct kt_client c, l;
	int state, i;

	if (!kt_iw_start(t))
		return;
	for (state = 0; state < NR_STATES; state++) {
		for (i = 0; i < NR_CALLS; i++) {
			if (!reach_state(t, state, &c, &l))
				break;
			if (!KT_EXPECT_EQ(t, call(&c, i),
					  valid_calls[state][i] == 'y' ? 0 : -EINVAL))
				ktap_note(t, "call %d in %s", i, names[state]);
			close_both(&c, &l);
			KT_EXPECT_EQ(t, kt_refs(1) + kt_refs(2), 0);
		}
	}
	kt_iw_end(t);
}

/*
 * For each state, how many rejects, aborts and unlistens the provider gets when the identifier is
 * destroyed or the device is removed.
 */
static const struct { int rejects, aborts, unlistens; } ends[NR_STATES] = {
	[IDLE]		= { 0, 0, 0 },
	[LISTEN]	= { 0, 0, 1 },
	[CONN_SENT]	= { 0, 1, 0 },
	[ACCEPT_SENT]	= { 0, 1, 0 },
	[CONN_RECV]	= { 1, 0, 0 },
	[ESTABLISHED]	= { 0, 1, 0 },
	[CLOSING]	= { 0, 1, 0 },
};

static void all_destroyed(struct ktap *t)
{
	struct kt_client c, l;
	int state, before;

	for (state = 0; state < NR_STATES; state++) {
		if (!kt_iw_start(t) || !reach_state(t, state, &c, &l))
			return;
		before = atomic_read(&c.nr);
		kt_close(&c);
		KT_EXPECT_EQ(t, kt_refs(1), 0);
		KT_EXPECT_EQ(t, kt_calls(KT_REJECT), ends[state].rejects);
		KT_EXPECT_EQ(t, atomic_read(&kt_qp(1)->aborts), ends[state].aborts);
		KT_EXPECT_EQ(t, kt_calls(KT_UNLISTEN), ends[state].unlistens);
		KT_EXPECT(t, kt_no_more_events(&c, before));
		close_both(&c, &l);
		kt_iw_end(t);
	}
}

/* Removes the device in each state. The provider closes connections only after the removal. */
static void all_removed(struct ktap *t)
{
	struct kt_client c, l;
	int state, i;

	for (state = 0; state < NR_STATES; state++) {
		if (!kt_iw_start(t) || !reach_state(t, state, &c, &l))
			return;
		kt_prov.modify = kt_do_nothing;
		kt_iw_unregister();
		KT_EXPECT_EQ(t, kt_refs(1), 0);
		KT_EXPECT_EQ(t, kt_calls(KT_REJECT), ends[state].rejects);
		KT_EXPECT_EQ(t, atomic_read(&kt_qp(1)->aborts), ends[state].aborts);
		KT_EXPECT_EQ(t, kt_calls(KT_UNLISTEN),
			     ends[state].unlistens + (l.id ? 1 : 0));
		for (i = 0; i < NR_CALLS; i++)
			if (!KT_EXPECT_EQ(t, call(&c, i), -ENODEV))
				ktap_note(t, "call %d in %s", i, names[state]);
		KT_EXPECT(t, kt_report(c.id, IW_CM_EVENT_CONNECT_REQUEST, 0));
		if (state == CONN_SENT || state >= ESTABLISHED) {
			i = atomic_read(&c.nr);
			KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, -ENODEV), 0);
			KT_EXPECT(t, kt_wait_events(&c, i + 1));
		}
		close_both(&c, &l);
		KT_EXPECT_EQ(t, kt_calls(KT_REJECT), ends[state].rejects);
		kt_iw_end(t);
	}
}

static const struct ktap_case table_cases[] = {
	{ "each event in each state", all_events,
	  COVERS(iw_event_handler iw_cm_event IW_CM_EVENT_CONNECT_REQUEST IW_CM_EVENT_CLOSE) },
	{ "no event after destruction", late_events },
	{ "each call in each state", all_calls,
	  COVERS(iw_cm_listen iw_cm_connect iw_cm_accept iw_cm_reject iw_cm_disconnect
		 iw_cm_init_qp_attr iw_cm_id) },
	{ "destroyed in each state", all_destroyed, COVERS(iw_destroy_cm_id) },
	{ "the device is removed in each state", all_removed },
};

KTAP_SUITE(kt_iwcm_table_suite, "table", table_cases);
