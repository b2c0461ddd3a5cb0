// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the reregistration of memory regions of processes.
 */
#include "kt_verbs.h"

#define START	0x10000100ULL
#define LENGTH	0x3000ULL
#define IOVA	0x20000100ULL
#define RIGHTS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ)

/* Arguments of the reregistration, each different from the same argument of the registration. */
#define NEW_START	0x50000080ULL
#define NEW_LENGTH	0x100ULL
#define NEW_IOVA	0x60000080ULL

/* A device with a memory region, and a second PD, to which reregistration can move the region. */
struct region {
	struct kt_env env;
	struct ib_pd *other;
	struct ib_mr *mr;
};

/*
 * Returns a pointer that stands for the region's handle. The core stores the pointer and never
 * dereferences it.
 */
static struct ib_uobject *handle_of(struct region *region)
{
	return (struct ib_uobject *)region;
}

static bool region_make(struct ktap *t, struct region *region)
{
	struct kt_env *env = &region->env;

	if (!kt_start(t, env))
		return false;
	region->other = ib_alloc_pd(env->dev, 0);
	region->mr = ib_reg_mr_user(env->pd, START, LENGTH, IOVA, RIGHTS, handle_of(region), NULL);
	if (!IS_ERR(region->other) && !IS_ERR(region->mr))
		return true;

	ktap_fail(t, "no PD or no region");
	if (!IS_ERR(region->mr))
		ib_dereg_mr_user(region->mr, NULL);
	if (!IS_ERR(region->other))
		ib_dealloc_pd(region->other);
	kt_end(t, env);
	return false;
}

static void region_end(struct ktap *t, struct region *region)
{
	KT_EXPECT_EQ(t, kt_count(&region->env, RDMA_RESTRACK_MR), 1);
	KT_EXPECT_EQ(t, ib_dereg_mr_user(region->mr, NULL), 0);
	KT_EXPECT_EQ(t, atomic_read(&region->env.pd->usecnt), 0);
	KT_EXPECT_EQ(t, atomic_read(&region->other->usecnt), 0);
	KT_EXPECT_EQ(t, ib_dealloc_pd_user(region->other, NULL), 0);
	kt_end(t, &region->env);
}

static int rereg(struct region *region, int flags, int access, struct ib_pd *pd)
{
	return ib_rereg_mr_user(&region->mr, flags, NEW_START, NEW_LENGTH, NEW_IOVA, access, pd,
				NULL);
}

/*
 * Expects that the core's members of the region have these values, that the region uses @pd only,
 * and that no other MR is in the resource table.
 */
static void expect_mr(struct ktap *t, struct region *region, struct ib_pd *pd, u64 iova, u64 length)
{
	struct ib_pd *unused = pd == region->env.pd ? region->other : region->env.pd;
	struct ib_mr *mr = region->mr;

	KT_EXPECT(t, mr->device == region->env.dev);
	KT_EXPECT(t, mr->pd == pd);
	KT_EXPECT_EQ(t, mr->iova, iova);
	KT_EXPECT_EQ(t, mr->length, length);
	KT_EXPECT_EQ(t, mr->type, IB_MR_TYPE_USER);
	KT_EXPECT(t, mr->uobject == handle_of(region));
	KT_EXPECT_EQ(t, atomic_read(&pd->usecnt), 1);
	KT_EXPECT_EQ(t, atomic_read(&unused->usecnt), 0);
	KT_EXPECT_EQ(t, kt_count(&region->env, RDMA_RESTRACK_MR), 1);
}

/* Expects that the core's members of the region still have the values of the registration. */
static void expect_untouched(struct ktap *t, struct region *region)
{
	expect_mr(t, region, region->env.pd, IOVA, LENGTH);
}

/*
 * Expects that the core has called the provider's rereg_user_mr with these flags and this PD.
 * Without IB_MR_REREG_TRANS, the core has to pass the IOVA and the length that the region has.
 */
static void expect_asked(struct ktap *t, struct region *region, int flags, struct ib_pd *pd)
{
	struct fakedev *fd = region->env.fd;
	bool trans = flags & IB_MR_REREG_TRANS;

	KT_EXPECT_EQ(t, fd->last_rereg.flags, flags);
	KT_EXPECT(t, fd->last_rereg.pd == pd);
	KT_EXPECT_EQ(t, fd->last_rereg.virt_addr, trans ? NEW_IOVA : IOVA);
	KT_EXPECT_EQ(t, fd->last_rereg.length, trans ? NEW_LENGTH : LENGTH);
	if (trans)
		KT_EXPECT_EQ(t, fd->last_rereg.start, NEW_START);
	if (flags & IB_MR_REREG_ACCESS)
		KT_EXPECT_EQ(t, fd->last_rereg.access, IB_ACCESS_REMOTE_READ);
}

/*
 * Tests each combination of flags. Arguments that the flags do not select have values that would be
 * refused if the flags selected them.
 */
static void each_combination(struct ktap *t, bool anew)
{
	int flags;

	for (flags = 1; flags <= IB_MR_REREG_SUPPORTED; flags++) {
		bool trans = flags & IB_MR_REREG_TRANS;
		int access = flags & IB_MR_REREG_ACCESS ? IB_ACCESS_REMOTE_READ : -1;
		struct ib_pd *pd, *given;
		struct region region;
		struct ib_mr *old;
		u32 lkey, id;

		if (!region_make(t, &region))
			return;
		region.env.fd->rereg_anew = anew;
		given = flags & IB_MR_REREG_PD ? region.other : NULL;
		pd = given ?: region.env.pd;
		old = region.mr;
		lkey = old->lkey;
		id = old->res.id;

		KT_EXPECT_EQ(t, ib_rereg_mr_user(&region.mr, flags, NEW_START, NEW_LENGTH,
						 trans ? NEW_IOVA : NEW_IOVA + 1, access, given,
						 NULL), 0);
		expect_asked(t, &region, flags, pd);
		expect_mr(t, &region, pd, trans ? NEW_IOVA : IOVA, trans ? NEW_LENGTH : LENGTH);
		KT_EXPECT_EQ(t, region.mr == old, !anew);
		KT_EXPECT_EQ(t, region.mr->lkey == lkey, !anew);
		KT_EXPECT_EQ(t, region.mr->lkey, region.mr->rkey);
		if (!anew)
			KT_EXPECT_EQ(t, region.mr->res.id, id);
		KT_EXPECT_EQ(t, fakedev_calls(region.env.fd, FAKEDEV_REREG_USER_MR), 1);
		KT_EXPECT_EQ(t, fakedev_calls(region.env.fd, FAKEDEV_DEREG_MR), anew);
		region_end(t, &region);
	}
}

static void test_in_place(struct ktap *t)
{
	each_combination(t, false);
}

static void test_anew(struct ktap *t)
{
	each_combination(t, true);
}

static void test_flags(struct ktap *t)
{
	struct region region;
	int bit;

	if (!region_make(t, &region))
		return;
	KT_EXPECT_EQ(t, rereg(&region, 0, RIGHTS, region.other), -EINVAL);
	for (bit = 3; bit < 32; bit++) {
		int flags = (int)(1U << bit);

		KT_EXPECT_EQ(t, rereg(&region, flags, RIGHTS, region.other), -EOPNOTSUPP);
		flags |= IB_MR_REREG_ACCESS;
		KT_EXPECT_EQ(t, rereg(&region, flags, RIGHTS, region.other), -EOPNOTSUPP);
	}
	KT_EXPECT_EQ(t, fakedev_calls(region.env.fd, FAKEDEV_REREG_USER_MR), 0);
	expect_untouched(t, &region);
	region_end(t, &region);
}

static void test_offsets(struct ktap *t)
{
	struct region region;

	if (!region_make(t, &region))
		return;
	KT_EXPECT_EQ(t, ib_rereg_mr_user(&region.mr, IB_MR_REREG_TRANS, NEW_START, NEW_LENGTH,
					 NEW_IOVA + 1, 0, NULL, NULL), -EINVAL);
	KT_EXPECT_EQ(t, ib_rereg_mr_user(&region.mr, IB_MR_REREG_SUPPORTED, NEW_START, NEW_LENGTH,
					 NEW_IOVA - 1, RIGHTS, region.other, NULL), -EINVAL);
	KT_EXPECT_EQ(t, fakedev_calls(region.env.fd, FAKEDEV_REREG_USER_MR), 0);
	expect_untouched(t, &region);
	/* Expects that addresses with the same offset in their pages are accepted. */
	KT_EXPECT_EQ(t, ib_rereg_mr_user(&region.mr, IB_MR_REREG_TRANS, NEW_START, NEW_LENGTH,
					 NEW_IOVA + 3 * PAGE_SIZE, 0, NULL, NULL), 0);
	KT_EXPECT_EQ(t, region.mr->iova, NEW_IOVA + 3 * PAGE_SIZE);
	region_end(t, &region);
}

static void test_foreign_pd(struct ktap *t)
{
	struct kt_env foreign;
	struct region region;

	if (!region_make(t, &region))
		return;
	if (kt_start(t, &foreign)) {
		KT_EXPECT_EQ(t, rereg(&region, IB_MR_REREG_PD, RIGHTS, foreign.pd), -EINVAL);
		KT_EXPECT_EQ(t, rereg(&region, IB_MR_REREG_SUPPORTED, RIGHTS, foreign.pd),
			     -EINVAL);
		KT_EXPECT_EQ(t, atomic_read(&foreign.pd->usecnt), 0);
		KT_EXPECT_EQ(t, fakedev_calls(region.env.fd, FAKEDEV_REREG_USER_MR), 0);
		kt_end(t, &foreign);
	}
	expect_untouched(t, &region);
	region_end(t, &region);
}

static void test_rights(struct ktap *t)
{
	const int changes = IB_MR_REREG_ACCESS;
	struct region region;

	if (!region_make(t, &region))
		return;
	KT_EXPECT_EQ(t, rereg(&region, changes, IB_ACCESS_REMOTE_WRITE, NULL), -EINVAL);
	KT_EXPECT_EQ(t, rereg(&region, changes, IB_ACCESS_REMOTE_ATOMIC, NULL), -EINVAL);
	KT_EXPECT_EQ(t, rereg(&region, changes, IB_ACCESS_HUGETLB << 1, NULL), -EINVAL);
	KT_EXPECT_EQ(t, rereg(&region, changes, IB_ACCESS_ON_DEMAND, NULL), -EOPNOTSUPP);
	KT_EXPECT_EQ(t, fakedev_calls(region.env.fd, FAKEDEV_REREG_USER_MR), 0);
	expect_untouched(t, &region);
	region_end(t, &region);
}

static void test_no_provider(struct ktap *t)
{
	struct region region;

	if (!region_make(t, &region))
		return;
	KT_WITHOUT(&region.env, rereg_user_mr,
		   KT_EXPECT_EQ(t, rereg(&region, IB_MR_REREG_ACCESS, RIGHTS, NULL), -EOPNOTSUPP));
	expect_untouched(t, &region);
	region_end(t, &region);
}

static void test_mr_user_refused(struct ktap *t)
{
	struct region region;
	struct ib_mr *old;

	if (!region_make(t, &region))
		return;
	old = region.mr;
	fakedev_fail(region.env.fd, FAKEDEV_REREG_USER_MR, 1, -EPERM);
	KT_EXPECT_EQ(t, rereg(&region, IB_MR_REREG_SUPPORTED, RIGHTS, region.other), -EPERM);
	KT_EXPECT(t, region.mr == old);
	KT_EXPECT_EQ(t, fakedev_calls(region.env.fd, FAKEDEV_DEREG_MR), 0);
	expect_untouched(t, &region);
	region_end(t, &region);
}

/*
 * The old region cannot be destroyed, for example because memory windows are bound to the old
 * region. Expects that the new region is destroyed and the old region stays.
 */
static void test_old_stays(struct ktap *t)
{
	struct region region;
	struct ib_mr *old;

	if (!region_make(t, &region))
		return;
	old = region.mr;
	region.env.fd->rereg_anew = true;
	fakedev_fail(region.env.fd, FAKEDEV_DEREG_MR, 1, -EBUSY);
	KT_EXPECT_EQ(t, rereg(&region, IB_MR_REREG_SUPPORTED, RIGHTS, region.other), -EBUSY);
	KT_EXPECT(t, region.mr == old);
	KT_EXPECT_EQ(t, fakedev_calls(region.env.fd, FAKEDEV_DEREG_MR), 2);
	expect_untouched(t, &region);
	region_end(t, &region);
}

/*
 * Result of a look-up of the region in the resource table while the provider's rereg_user_mr runs:
 * 0, or a negative errno.
 */
static int found_meanwhile;

static struct ib_mr *look_up(struct ib_mr *mr, int flags, u64 start, u64 length, u64 virt_addr,
			     int access, struct ib_pd *pd, struct ib_udata *udata)
{
	struct rdma_restrack_entry *res;

	res = rdma_restrack_get_byid(mr->device, RDMA_RESTRACK_MR, mr->res.id);
	found_meanwhile = PTR_ERR_OR_ZERO(res);
	if (!IS_ERR(res))
		rdma_restrack_put(res);
	return NULL;
}

static void test_hidden(struct ktap *t)
{
	struct rdma_restrack_entry *res;
	struct region region;

	if (!region_make(t, &region))
		return;
	found_meanwhile = 0;
	region.env.dev->ops.rereg_user_mr = look_up;
	KT_EXPECT_EQ(t, rereg(&region, IB_MR_REREG_PD, 0, region.other), 0);
	KT_EXPECT_EQ(t, found_meanwhile, -ENOENT);
	res = rdma_restrack_get_byid(region.env.dev, RDMA_RESTRACK_MR, region.mr->res.id);
	if (KT_EXPECT_ERR(t, res, 0)) {
		KT_EXPECT(t, res == &region.mr->res);
		rdma_restrack_put(res);
	}
	expect_mr(t, &region, region.other, IOVA, LENGTH);
	region_end(t, &region);
}

static const struct ktap_case mr_user_cases[] = {
	{ "changed in place: each combination of flags", test_in_place },
	{ "a new region: each combination of flags", test_anew },
	{ "no flag, unknown flags", test_flags },
	{ "addresses with different offsets in their pages", test_offsets },
	{ "a PD of another device", test_foreign_pd },
	{ "rights that do not go together", test_rights },
	{ "a provider that cannot", test_no_provider },
	{ "a provider that refuses", test_mr_user_refused },
	{ "an old region that cannot be destroyed", test_old_stays },
	{ "not in the table while it changes", test_hidden },
};

KTAP_SUITE(kt_mr_user_suite, "mr_user", mr_user_cases);
