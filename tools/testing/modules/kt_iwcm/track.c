// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of iw_cm and the resource table: which identifiers are in the table, and who owns them.
 */
#include <rdma/restrack_cm.h>

#include "kt_iwcm.h"

static int count(void)
{
	return rdma_restrack_count(kt_prov.dev, RDMA_RESTRACK_CM_ID);
}

/*
 * Reads the first entry whose number is *@number or more, and sets *@number to the entry's number.
 * Returns false if there is none.
 */
static bool read_entry(u32 *number, struct rdma_cm_res_info *info, const char **owner)
{
	struct rdma_restrack_entry *res;
	struct rdma_cm_res *cm;

	res = rdma_restrack_get_next(kt_prov.dev, RDMA_RESTRACK_CM_ID, number);
	if (!res)
		return false;
	cm = container_of(res, struct rdma_cm_res, res);
	memset(info, 0, sizeof(*info));
	cm->describe(cm, info);
	*owner = res->kern_name;
	rdma_restrack_put(res);
	return true;
}

static void expect_next(struct ktap *t, u32 *number, enum rdma_cm_state state, u32 qpn)
{
	struct rdma_cm_res_info info;
	const char *owner;

	if (!KT_EXPECT(t, read_entry(number, &info, &owner)))
		return;
	KT_EXPECT_EQ(t, info.state, state);
	KT_EXPECT_EQ(t, info.qpn, qpn);
	KT_EXPECT_EQ(t, info.ps, RDMA_PS_TCP);
	KT_EXPECT(t, !strcmp(owner, "kt_iwcm"));
	++*number;
}

static void listed(struct ktap *t)
{
	struct kt_client idle, l, c;
	u32 number = 0;

	if (!kt_iw_start(t))
		return;
	KT_EXPECT_EQ(t, count(), 0);
	if (!kt_client_open(t, &idle) || !kt_listen(t, &l, 5) || !kt_establish(t, &c, 1))
		return;
	KT_EXPECT_EQ(t, kt_report(l.id, IW_CM_EVENT_CONNECT_REQUEST, 0), 0);
	KT_EXPECT(t, kt_wait_events(&l, 1));
	KT_EXPECT_EQ(t, count(), 4);
	expect_next(t, &number, RDMA_CM_IDLE, 0);
	expect_next(t, &number, RDMA_CM_LISTEN, 0);
	expect_next(t, &number, RDMA_CM_CONNECT, 1);
	expect_next(t, &number, RDMA_CM_CONNECT, 0);
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_DISCONNECT, 0), 0);
	number = 2;
	expect_next(t, &number, RDMA_CM_DISCONNECT, 1);
	iw_destroy_cm_id(l.ids[0]);
	KT_EXPECT_EQ(t, count(), 3);
	kt_close(&l);
	kt_close(&c);
	kt_close(&idle);
	KT_EXPECT_EQ(t, count(), 0);
	kt_iw_end(t);
}

/* Expects that requests that iw_cm refuses have no entry in the resource table. */
static void refused(struct ktap *t)
{
	struct kt_client l;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 1))
		return;
	l.hook = kt_block;
	KT_EXPECT_EQ(t, kt_report(l.id, IW_CM_EVENT_CONNECT_REQUEST, 0), 0);
	KT_EXPECT_EQ(t, kt_report(l.id, IW_CM_EVENT_CONNECT_REQUEST, 0), -EBUSY);
	KT_EXPECT_EQ(t, count(), 2);
	complete_all(&l.go);
	KT_EXPECT(t, kt_wait_events(&l, 1));
	iw_destroy_cm_id(l.ids[0]);
	kt_close(&l);
	KT_EXPECT_EQ(t, count(), 0);
	kt_iw_end(t);
}

static int take_id(struct iw_cm_id *id, struct iw_cm_event *event)
{
	*(struct iw_cm_id **)id->context = id;
	return 0;
}

/*
 * Expects that identifiers without an owner have no entry. Identifiers without an owner are those
 * of a connection manager that lists its own identifiers, like rdma_cm.
 */
static void unlisted(struct ktap *t)
{
	struct iw_cm_id *listener, *child = NULL;

	if (!kt_iw_start(t))
		return;
	listener = __iw_create_cm_id(kt_prov.dev, take_id, &child, NULL);
	if (!KT_EXPECT_ERR(t, listener, 0))
		return;
	kt_set_addresses(listener);
	KT_EXPECT_EQ(t, iw_cm_listen(listener, 5), 0);
	KT_EXPECT_EQ(t, kt_report(listener, IW_CM_EVENT_CONNECT_REQUEST, 0), 0);
	while (!READ_ONCE(child))
		usleep_range(500, 1000);
	KT_EXPECT_EQ(t, count(), 0);
	iw_destroy_cm_id(child);
	iw_destroy_cm_id(listener);
	kt_iw_end(t);
}

static void device_gone(struct ktap *t)
{
	struct kt_client idle, l;

	if (!kt_iw_start(t) || !kt_client_open(t, &idle) || !kt_listen(t, &l, 2))
		return;
	kt_iw_unregister();
	KT_EXPECT_EQ(t, count(), 0);
	kt_iw_end(t);
	/* The device has been freed, but its identifiers still exist. */
	kt_close(&idle);
	kt_close(&l);
}

static const struct ktap_case track_cases[] = {
	{ "identifiers are listed, with the listener's owner", listed },
	{ "refused requests are not listed", refused },
	{ "identifiers without an owner are not listed", unlisted },
	{ "identifiers of a removed device are not listed", device_gone },
};

KTAP_SUITE(kt_iwcm_track_suite, "track", track_cases);
