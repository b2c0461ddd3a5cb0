// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of iw_cm with many identifiers at the same time, each used by a work item of its own.
 */
#include <linux/slab.h>

#include "kt_iwcm.h"

#define MANY	KT_NR_QPS

struct connection {
	struct work_struct work;
	struct kt_client c;
	u32 qpn;
	int rounds;
};

/*
 * Uses one identifier for five connections, with three events each: CONNECT_REPLY, DISCONNECT and
 * CLOSE. If the client has a hook, the hook blocks, and the identifier is used for one connection
 * only.
 */
static void use(struct work_struct *work)
{
	struct connection *conn = container_of(work, struct connection, work);
	struct kt_client *c = &conn->c;

	for (conn->rounds = 0; conn->rounds < 5; conn->rounds++) {
		if (kt_connect(c, conn->qpn) ||
		    kt_report_data(c->id, IW_CM_EVENT_CONNECT_REPLY, 0, conn->qpn) ||
		    kt_report(c->id, IW_CM_EVENT_DISCONNECT, 0) ||
		    kt_report(c->id, IW_CM_EVENT_CLOSE, 0) ||
		    !kt_wait_events(c, 3 * (conn->rounds + 1)))
			break;
		if (c->hook)
			break;
	}
}

static bool in_order(const struct kt_client *c)
{
	static const enum iw_cm_event_type round[] = {
		IW_CM_EVENT_CONNECT_REPLY, IW_CM_EVENT_DISCONNECT, IW_CM_EVENT_CLOSE,
	};
	int i, nr = min(atomic_read(&c->nr), KT_MAX_SEEN);

	for (i = 0; i < nr; i++)
		if (c->seen[i] != round[i % ARRAY_SIZE(round)])
			return false;
	return true;
}

static bool start(struct ktap *t, struct connection *conn, u32 qpn, bool blocked)
{
	INIT_WORK(&conn->work, use);
	conn->qpn = qpn;
	if (!kt_client_open(t, &conn->c))
		return false;
	if (blocked)
		conn->c.hook = kt_block;
	queue_work(system_unbound_wq, &conn->work);
	return !blocked || KT_EXPECT(t, wait_for_completion_timeout(&conn->c.entered, 10 * HZ));
}

static void expect_done(struct ktap *t, struct connection *conn)
{
	flush_work(&conn->work);
	KT_EXPECT_EQ(t, conn->rounds, 5);
	KT_EXPECT(t, !conn->c.overlapped && conn->c.data_ok);
	KT_EXPECT(t, in_order(&conn->c));
}

static void expect_unblocked(struct ktap *t, struct connection *conn)
{
	KT_EXPECT_EQ(t, atomic_read(&conn->c.nr), 0);
	complete_all(&conn->c.go);
	flush_work(&conn->work);
	KT_EXPECT(t, kt_wait_events(&conn->c, 3));
	KT_EXPECT(t, !conn->c.overlapped && in_order(&conn->c));
}

/*
 * The handlers of the first @blocked identifiers block. Expects that the other identifiers connect
 * and close meanwhile.
 */
static void use_many(struct ktap *t, int blocked)
{
	struct connection *connections;
	int i;

	connections = kvcalloc(MANY, sizeof(*connections), GFP_KERNEL | __GFP_NOFAIL);
	if (!kt_iw_start(t))
		goto out;
	for (i = 0; i < MANY; i++)
		if (!start(t, &connections[i], i + 1, i < blocked))
			goto out;
	for (i = blocked; i < MANY; i++)
		expect_done(t, &connections[i]);
	for (i = 0; i < blocked; i++)
		expect_unblocked(t, &connections[i]);
	for (i = 0; i < MANY; i++) {
		kt_close(&connections[i].c);
		KT_EXPECT_EQ(t, kt_refs(i + 1), 0);
	}
	kt_iw_end(t);
out:
	kvfree(connections);
}

static void concurrently(struct ktap *t)
{
	use_many(t, 0);
}

static void one_slow(struct ktap *t)
{
	use_many(t, 1);
}

static void one_fast(struct ktap *t)
{
	use_many(t, MANY - 1);
}

static const struct ktap_case many_cases[] = {
	{ "64 connect and close at the same time, in order", concurrently },
	{ "one that blocks in its handler delays no other", one_slow },
	{ "63 that block do not delay the last", one_fast },
};

KTAP_SUITE(kt_iwcm_many_suite, "many", many_cases);
