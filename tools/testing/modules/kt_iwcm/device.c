// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of iw_cm when devices are removed. table.c tests the removal in each state of an
 * identifier.
 */
#include "kt_iwcm.h"

static void no_new_ids(struct ktap *t)
{
	struct iw_cm_id *id;
	struct kt_client c;

	if (!kt_iw_start(t) || !kt_client_open(t, &c))
		return;
	kt_iw_unregister();
	id = iw_create_cm_id(kt_prov.dev, c.id->cm_handler, &c);
	KT_EXPECT_ERR(t, id, -ENODEV);
	kt_close(&c);
	kt_iw_end(t);
}

static void outlived(struct ktap *t)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_INIT };
	struct kt_client idle, l, c;
	int mask;

	if (!kt_iw_start(t) || !kt_client_open(t, &idle) || !kt_listen(t, &l, 2) ||
	    !kt_establish(t, &c, 1))
		return;
	kt_prov.modify = kt_do_nothing;
	kt_iw_unregister();
	KT_EXPECT_EQ(t, kt_report(c.id, IW_CM_EVENT_CLOSE, -ENODEV), 0);
	KT_EXPECT(t, kt_wait_events(&c, 2));
	kt_iw_end(t);
	/* The device has been freed, but its identifiers still exist. */
	KT_EXPECT_EQ(t, iw_cm_listen(idle.id, 1), -ENODEV);
	KT_EXPECT_EQ(t, iw_cm_init_qp_attr(idle.id, &attr, &mask), -ENODEV);
	KT_EXPECT_EQ(t, iw_cm_disconnect(c.id, 1), -ENODEV);
	kt_close(&idle);
	kt_close(&l);
	kt_close(&c);
}

static void with_requests(struct ktap *t)
{
	struct kt_client l;
	int i;

	if (!kt_iw_start(t) || !kt_listen(t, &l, 5))
		return;
	l.hook = kt_block;
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(t, kt_report(l.id, IW_CM_EVENT_CONNECT_REQUEST, 0), 0);
	wait_for_completion(&l.entered);
	/*
	 * Expects that removal rejects all three requests, and does not wait until the handler of
	 * the first request returns.
	 */
	kt_iw_unregister();
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 3);
	KT_EXPECT_EQ(t, kt_accept(l.ids[0], 1), -ENODEV);
	complete_all(&l.go);
	KT_EXPECT(t, kt_wait_events(&l, 1));
	KT_EXPECT(t, kt_no_more_events(&l, 1));
	iw_destroy_cm_id(l.ids[0]);
	kt_close(&l);
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 3);
	kt_iw_end(t);
}

static atomic_t in_provider;

static void slow_method(struct iw_cm_id *id)
{
	atomic_inc(&in_provider);
	msleep(50);
	atomic_dec(&in_provider);
}

struct caller {
	struct work_struct work;
	struct kt_client c;
	int ret;
};

static void connect_device_work(struct work_struct *work)
{
	struct caller *caller = container_of(work, struct caller, work);

	caller->ret = kt_connect(&caller->c, 1);
}

static void inside_connect(struct ktap *t)
{
	struct caller caller;

	if (!kt_iw_start(t) || !kt_client_open(t, &caller.c))
		return;
	kt_prov.inside[KT_CONNECT] = slow_method;
	INIT_WORK_ONSTACK(&caller.work, connect_device_work);
	queue_work(system_dfl_wq, &caller.work);
	while (!atomic_read(&in_provider))
		usleep_range(500, 1000);
	kt_iw_unregister();
	KT_EXPECT_EQ(t, atomic_read(&in_provider), 0);
	flush_work(&caller.work);
	destroy_work_on_stack(&caller.work);
	KT_EXPECT_EQ(t, caller.ret, 0);
	KT_EXPECT_EQ(t, kt_refs(1), 0);
	KT_EXPECT(t, kt_wait_events(&caller.c, 1));
	KT_EXPECT_EQ(t, caller.c.seen[0], IW_CM_EVENT_CLOSE);
	KT_EXPECT_EQ(t, kt_connect(&caller.c, 1), -ENODEV);
	kt_close(&caller.c);
	kt_iw_end(t);
}

static int ignore_event(struct iw_cm_id *id, struct iw_cm_event *event)
{
	return 0;
}

/* Returns the result of creating an identifier on a device with these operations for iw_cm. */
static int create_id_with(struct ktap *t, const struct ib_device_ops *ops)
{
	struct fakedev_config config = { .more_ops = ops };
	struct fakedev *fd = fakedev_create(&config);
	struct iw_cm_id *id;
	int ret;

	if (!KT_EXPECT_ERR(t, fd, 0))
		return 1;
	id = iw_create_cm_id(&fd->ibdev, ignore_event, NULL);
	ret = PTR_ERR_OR_ZERO(id);
	if (!ret)
		iw_destroy_cm_id(id);
	if (!ops->iw_add_ref)
		KT_EXPECT(t, !iw_cm_get_qp(&fd->ibdev, 1));
	fakedev_destroy(fd);
	return ret;
}

static const size_t needed_ops[] = {
	offsetof(struct ib_device_ops, iw_accept),
	offsetof(struct ib_device_ops, iw_add_ref),
	offsetof(struct ib_device_ops, iw_connect),
	offsetof(struct ib_device_ops, iw_create_listen),
	offsetof(struct ib_device_ops, iw_destroy_listen),
	offsetof(struct ib_device_ops, iw_get_qp),
	offsetof(struct ib_device_ops, iw_rem_ref),
};

static void without_an_operation(struct ktap *t)
{
	struct ib_device_ops ops;
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(needed_ops); i++) {
		ops = kt_iw_ops;
		*(void **)((void *)&ops + needed_ops[i]) = NULL;
		ret = create_id_with(t, &ops);
		if (ret != -EOPNOTSUPP)
			ktap_fail(t, "without operation %u: %d", i, ret);
	}
	/* One of the two operations that reject is enough. */
	ops = kt_iw_ops;
	ops.iw_reject = NULL;
	KT_EXPECT_EQ(t, create_id_with(t, &ops), 0);
	ops.iw_reject_data = NULL;
	KT_EXPECT_EQ(t, create_id_with(t, &ops), -EOPNOTSUPP);
	ops.iw_reject = kt_iw_ops.iw_reject;
	KT_EXPECT_EQ(t, create_id_with(t, &ops), 0);
}

static struct kt_client *last_listener;
static int late_result;

/* Reports a request to the last listener when another one ends. */
static void report_late_request(struct iw_cm_id *id)
{
	if (id != last_listener->id)
		late_result = kt_report(last_listener->id, IW_CM_EVENT_CONNECT_REQUEST, 0);
}

static void request_during_removal(struct ktap *t)
{
	struct kt_client first, last;

	if (!kt_iw_start(t) || !kt_listen(t, &first, 1) || !kt_listen(t, &last, 1))
		return;
	last_listener = &last;
	late_result = 1;
	kt_prov.inside[KT_UNLISTEN] = report_late_request;
	kt_iw_unregister();
	KT_EXPECT_EQ(t, late_result, -ENODEV);
	KT_EXPECT_EQ(t, kt_calls(KT_UNLISTEN), 2);
	KT_EXPECT_EQ(t, kt_calls(KT_REJECT), 0);
	KT_EXPECT(t, kt_no_more_events(&last, 0));
	kt_close(&first);
	kt_close(&last);
	kt_iw_end(t);
}

static const struct ktap_case device_cases[] = {
	{ "a removed device takes no new identifiers", no_new_ids,
	  COVERS(iw_create_cm_id ib_device) },
	{ "identifiers outlive their device", outlived, COVERS(iw_cm_id) },
	{ "a device is removed with requests pending", with_requests },
	{ "a request comes while the other listener is being removed", request_during_removal },
	{ "a device is removed while connect is inside the provider", inside_connect },
	{ "a device without one of the operations is none of iw_cm", without_an_operation },
};

KTAP_SUITE(kt_iwcm_device_suite, "device", device_cases);
