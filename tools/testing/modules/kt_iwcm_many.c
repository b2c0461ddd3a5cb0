// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of iw_cm: many identifiers at a time.
 */
#include <linux/slab.h>

#include "kt_iwcm.h"

#define MANY	KT_NR_QPS

struct connection {
	struct work_struct work;
	struct kt_client c;
	struct ktap *t;
	u32 qpn;
	int rounds;
};

/* Connects, is told, closes; three events a round. */
static void use(struct work_struct *work)
{
	struct connection *conn = container_of(work, struct connection, work);
	struct kt_client *c = &conn->c;

	for (conn->rounds = 0; conn->rounds < 5; conn->rounds++) {
		if (kt_connect(c, conn->qpn) ||
		    kt_fire_data(c->id, IW_CM_EVENT_CONNECT_REPLY, 0, conn->qpn) ||
		    kt_fire(c->id, IW_CM_EVENT_DISCONNECT, 0) ||
		    kt_fire(c->id, IW_CM_EVENT_CLOSE, 0) ||
		    !kt_told(c, 3 * (conn->rounds + 1)))
			break;
		if (c->hook)
			break;
	}
}

static bool in_order(const struct kt_client *c)
{
	int i, nr = min(atomic_read(&c->nr), KT_MAX_SEEN);

	for (i = 0; i < nr; i++)
		if (c->seen[i] != (enum iw_cm_event_type[]) {
				IW_CM_EVENT_CONNECT_REPLY, IW_CM_EVENT_DISCONNECT,
				IW_CM_EVENT_CLOSE }[i % 3])
			return false;
	return true;
}

/* All but the last of them work while the first @blocked are stuck in their handlers. */
static void use_many(struct ktap *t, int blocked)
{
	struct connection *connections = kvcalloc(MANY, sizeof(*connections), GFP_KERNEL | __GFP_NOFAIL);
	int i;

	if (!kt_iw_start(t))
		goto out;
	for (i = 0; i < MANY; i++) {
		INIT_WORK(&connections[i].work, use);
		connections[i].t = t;
		connections[i].qpn = i + 1;
		if (!kt_client_open(t, &connections[i].c))
			goto out;
		if (i < blocked)
			connections[i].c.hook = kt_block;
		queue_work(system_unbound_wq, &connections[i].work);
	}
	for (i = blocked; i < MANY; i++) {
		flush_work(&connections[i].work);
		KT_EXPECT_EQ(t, connections[i].rounds, 5);
		KT_EXPECT(t, !connections[i].c.overlapped && connections[i].c.data_ok);
		KT_EXPECT(t, in_order(&connections[i].c));
	}
	for (i = 0; i < blocked; i++) {
		KT_EXPECT_EQ(t, atomic_read(&connections[i].c.nr), 0);
		complete_all(&connections[i].c.go);
		flush_work(&connections[i].work);
		KT_EXPECT(t, kt_told(&connections[i].c, 3));
		KT_EXPECT(t, !connections[i].c.overlapped && in_order(&connections[i].c));
	}
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

static const struct ktap_case cases[] = {
	{ "64 connect and close at the same time, in order", concurrently },
	{ "one that is stuck in its handler holds up nobody", one_slow },
	{ "63 that are stuck do not hold up the last", one_fast },
};

KTAP_SUITE(kt_iwcm_many_suite, "many", cases);
