// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of memory windows.
 */
#include "kt_verbs.h"

static void test_mw_create(struct ktap *t)
{
	struct ib_uobject handle = {};
	struct ib_udata udata = {};
	struct kt_env env;
	struct ib_mw *mw;

	if (!kt_start(t, &env))
		return;
	mw = ib_alloc_mw(env.pd, IB_MW_TYPE_2);
	if (KT_EXPECT_ERR(t, mw, 0)) {
		KT_EXPECT(t, mw->device == env.dev && mw->pd == env.pd && !mw->uobject);
		KT_EXPECT_EQ(t, mw->type, IB_MW_TYPE_2);
		KT_EXPECT(t, mw->rkey);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
		KT_EXPECT_EQ(t, ib_dealloc_pd_user(env.pd, NULL), -EBUSY);
		fakedev_fail(env.fd, FAKEDEV_DEALLOC_MW, 1, -EAGAIN);
		KT_EXPECT_EQ(t, ib_dealloc_mw(mw), -EAGAIN);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
		KT_EXPECT_EQ(t, ib_dealloc_mw(mw), 0);
	}
	mw = ib_alloc_mw_user(env.pd, IB_MW_TYPE_1, &handle, &udata);
	if (KT_EXPECT_ERR(t, mw, 0)) {
		KT_EXPECT(t, mw->uobject == &handle);
		KT_EXPECT_EQ(t, ib_dealloc_mw(mw), 0);
	}
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	kt_end(t, &env);
}

static void test_mw_refused(struct ktap *t)
{
	struct kt_env env;

	if (!kt_start(t, &env))
		return;
	KT_EXPECT_ERR(t, ib_alloc_mw(env.pd, 0), -EINVAL);
	KT_EXPECT_ERR(t, ib_alloc_mw(env.pd, 3), -EINVAL);
	KT_WITHOUT(&env, alloc_mw,
		   KT_EXPECT_ERR(t, ib_alloc_mw(env.pd, IB_MW_TYPE_1), -EOPNOTSUPP));
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_ALLOC_MW), 0);
	fakedev_fail(env.fd, FAKEDEV_ALLOC_MW, 1, -ENOSPC);
	KT_EXPECT_ERR(t, ib_alloc_mw(env.pd, IB_MW_TYPE_1), -ENOSPC);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	kt_end(t, &env);
}

static void test_request(struct ktap *t)
{
	struct ib_bind_mw_wr wr = { .wr.opcode = IB_WR_BIND_MW };

	KT_EXPECT(t, bind_mw_wr(&wr.wr) == &wr);
}

static const struct ktap_case mw_cases[] = {
	{ "windows of the kernel and of processes", test_mw_create },
	{ "refused windows", test_mw_refused },
	{ "the request around a struct ib_send_wr", test_request },
};

KTAP_SUITE(kt_mw_suite, "mw", mw_cases);
