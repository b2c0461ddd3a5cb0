// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the resource tracker's own functions. The tests of each kind of object test that objects
 * of that kind are tracked.
 */
#include <linux/sched.h>
#include <linux/workqueue.h>
#include <rdma/restrack.h>

#include "provider.h"

#define A_WHILE	msecs_to_jiffies(100)
#define LONG	(20 * HZ)

static int add(struct ib_device *dev, struct rdma_restrack_entry *res, const char *name)
{
	memset(res, 0, sizeof(*res));
	rdma_restrack_new(res, RDMA_RESTRACK_PD);
	rdma_restrack_set_name(res, name);
	return rdma_restrack_add(dev, res);
}

static void test_table(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktr", &ktp_bare_ops);
	struct rdma_restrack_entry one, two, *found;
	u32 id;

	if (!ktp)
		return;
	KT_EXPECT_EQ(t, add(&ktp->ibdev, &one, "kt"), 0);
	KT_EXPECT_EQ(t, add(&ktp->ibdev, &two, NULL), 0);
	KT_EXPECT(t, one.id != two.id);
	KT_EXPECT(t, rdma_is_kernel_res(&one));
	KT_EXPECT(t, !rdma_is_kernel_res(&two));
	KT_EXPECT(t, two.task == current->group_leader);
	KT_EXPECT_EQ(t, rdma_restrack_count(&ktp->ibdev, RDMA_RESTRACK_PD), 2);
	KT_EXPECT_EQ(t, rdma_restrack_count(&ktp->ibdev, RDMA_RESTRACK_CQ), 0);
	found = rdma_restrack_get_byid(&ktp->ibdev, RDMA_RESTRACK_PD, two.id);
	if (KT_EXPECT(t, found == &two))
		KT_EXPECT_EQ(t, rdma_restrack_put(found), 0);
	KT_EXPECT_ERR(t, rdma_restrack_get_byid(&ktp->ibdev, RDMA_RESTRACK_CQ, two.id), -ENOENT);
	id = 0;
	found = rdma_restrack_get_next(&ktp->ibdev, RDMA_RESTRACK_PD, &id);
	if (KT_EXPECT(t, found == &one))
		rdma_restrack_put(found);
	KT_EXPECT_EQ(t, id, one.id);
	id++;
	found = rdma_restrack_get_next(&ktp->ibdev, RDMA_RESTRACK_PD, &id);
	if (KT_EXPECT(t, found == &two))
		rdma_restrack_put(found);
	id++;
	KT_EXPECT(t, !rdma_restrack_get_next(&ktp->ibdev, RDMA_RESTRACK_PD, &id));
	rdma_restrack_del(&ktp->ibdev, &one);
	KT_EXPECT_ERR(t, rdma_restrack_get_byid(&ktp->ibdev, RDMA_RESTRACK_PD, one.id), -ENOENT);
	KT_EXPECT_EQ(t, rdma_restrack_get(&one), -ENOENT);
	rdma_restrack_del(&ktp->ibdev, &one);
	rdma_restrack_del(&ktp->ibdev, &two);
	KT_EXPECT(t, !two.task);
	KT_EXPECT_EQ(t, rdma_restrack_count(&ktp->ibdev, RDMA_RESTRACK_PD), 0);
	ktp_destroy(ktp);
}

static void test_qp_numbers(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktr", &ktp_bare_ops);
	struct ib_qp *qp = kcalloc(2, sizeof(*qp), GFP_KERNEL);
	struct rdma_restrack_entry *found;
	unsigned int i;

	if (!ktp || !KT_EXPECT(t, qp))
		goto out;
	for (i = 0; i < 2; i++) {
		qp[i].qp_num = 17;
		qp[i].qp_type = IB_QPT_RC;
		rdma_restrack_new(&qp[i].res, RDMA_RESTRACK_QP);
		rdma_restrack_set_name(&qp[i].res, "kt");
	}
	KT_EXPECT_EQ(t, rdma_restrack_add(&ktp->ibdev, &qp[0].res), 0);
	KT_EXPECT_EQ(t, qp[0].res.id, 17);
	KT_EXPECT_EQ(t, rdma_restrack_add(&ktp->ibdev, &qp[1].res), -EBUSY);
	rdma_restrack_del(&ktp->ibdev, &qp[1].res);
	KT_EXPECT_EQ(t, rdma_restrack_count(&ktp->ibdev, RDMA_RESTRACK_QP), 1);
	rdma_restrack_del(&ktp->ibdev, &qp[0].res);

	/* The number of a QP that has gone can be used again at once, also by several in a row. */
	for (i = 0; i < 4; i++) {
		struct rdma_restrack_entry *res = &qp[i % 2].res;

		rdma_restrack_new(res, RDMA_RESTRACK_QP);
		rdma_restrack_set_name(res, "kt");
		KT_EXPECT_EQ(t, rdma_restrack_add(&ktp->ibdev, res), 0);
		found = rdma_restrack_get_byid(&ktp->ibdev, RDMA_RESTRACK_QP, 17);
		if (KT_EXPECT(t, found == res))
			rdma_restrack_put(found);
		rdma_restrack_del(&ktp->ibdev, res);
		found = rdma_restrack_get_byid(&ktp->ibdev, RDMA_RESTRACK_QP, 17);
		KT_EXPECT_ERR(t, found, -ENOENT);
	}
out:
	kfree(qp);
	ktp_destroy(ktp);
}

struct deletion {
	struct work_struct work;
	struct ib_device *dev;
	struct rdma_restrack_entry *res;
	struct completion done;
};

static void delete_work(struct work_struct *work)
{
	struct deletion *d = container_of(work, struct deletion, work);

	rdma_restrack_del(d->dev, d->res);
	complete(&d->done);
}

static void test_waits(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktr", &ktp_bare_ops);
	struct rdma_restrack_entry res, *found;
	struct deletion d;

	if (!ktp)
		return;
	KT_EXPECT_EQ(t, add(&ktp->ibdev, &res, "kt"), 0);
	found = rdma_restrack_get_byid(&ktp->ibdev, RDMA_RESTRACK_PD, res.id);
	KT_EXPECT(t, found == &res);
	INIT_WORK_ONSTACK(&d.work, delete_work);
	init_completion(&d.done);
	d.dev = &ktp->ibdev;
	d.res = &res;
	queue_work(system_unbound_wq, &d.work);
	KT_EXPECT(t, !wait_for_completion_timeout(&d.done, A_WHILE));
	KT_EXPECT_ERR(t, rdma_restrack_get_byid(&ktp->ibdev, RDMA_RESTRACK_PD, res.id), -ENOENT);
	KT_EXPECT_EQ(t, rdma_restrack_put(found), 1);
	KT_EXPECT(t, wait_for_completion_timeout(&d.done, LONG));
	flush_work(&d.work);
	destroy_work_on_stack(&d.work);
	ktp_destroy(ktp);
}

static void test_untracked(struct ktap *t)
{
	struct ktp_device *ktp = ktp_create(t, "ktr", &ktp_bare_ops);
	struct rdma_restrack_entry res = {};

	if (!ktp)
		return;
	rdma_restrack_new(&res, RDMA_RESTRACK_MR);
	rdma_restrack_no_track(&res);
	rdma_restrack_set_name(&res, NULL);
	KT_EXPECT(t, !rdma_restrack_is_tracked(&res));
	KT_EXPECT_EQ(t, rdma_restrack_add(&ktp->ibdev, &res), 0);
	KT_EXPECT_EQ(t, rdma_restrack_count(&ktp->ibdev, RDMA_RESTRACK_MR), 0);
	rdma_restrack_del(&ktp->ibdev, &res);
	KT_EXPECT(t, !res.task);
	ktp_destroy(ktp);
}

static void test_parent_name(struct ktap *t)
{
	struct rdma_restrack_entry parent = {}, child = {};
	unsigned int refs = refcount_read(&current->group_leader->usage);

	rdma_restrack_set_name(&parent, "kt");
	rdma_restrack_parent_name(&child, &parent);
	KT_EXPECT(t, rdma_is_kernel_res(&child) && child.kern_name == parent.kern_name);
	rdma_restrack_set_name(&parent, NULL);
	rdma_restrack_parent_name(&child, &parent);
	KT_EXPECT(t, !rdma_is_kernel_res(&child) && child.task == current->group_leader);
	KT_EXPECT_EQ(t, refcount_read(&current->group_leader->usage), refs + 2);
	rdma_restrack_set_name(&parent, "kt");
	rdma_restrack_parent_name(&child, &parent);
	KT_EXPECT_EQ(t, refcount_read(&current->group_leader->usage), refs);
}

static const struct ktap_case restrack_cases[] = {
	{ "objects are found by number and in order", test_table },
	{ "QPs are tracked under their QP number", test_qp_numbers },
	{ "an object takes over the owner of another one", test_parent_name },
	{ "deletion waits for look-ups", test_waits },
	{ "objects that are not tracked are not counted", test_untracked },
};

KTAP_SUITE(kt_restrack_suite, "restrack", restrack_cases);
