// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of address handles on an InfiniBand device, and of references to source GIDs.
 */
#include "ah.h"

#include "core/gid.h"

bool kt_start_ib(struct ktap *t, struct kt_env *env)
{
	const struct fakedev_config config = { .node_type = RDMA_NODE_IB_CA, .nr_ports = 2,
					       .nr_gids = 3 };

	return kt_start_with(t, env, &config);
}

int kt_gid_refs(struct kt_env *env, u32 port, int index)
{
	const struct ib_gid_attr *attr = rdma_get_gid_attr(env->dev, port, index);
	int refs;

	if (IS_ERR(attr))
		return PTR_ERR(attr);
	/* One reference is the table's, another one that which was just taken. */
	refs = kref_read(&to_gid(attr)->refs) - 2;
	rdma_put_gid_attr(attr);
	return refs;
}

struct rdma_ah_attr kt_ah_attr(void)
{
	return (struct rdma_ah_attr) {
		.type = RDMA_AH_ATTR_TYPE_IB,
		.port_num = 1,
		.sl = 3,
		.ib.dlid = 0x1234,
	};
}

struct rdma_ah_attr kt_ah_attr_global(u8 sgid_index)
{
	struct rdma_ah_attr attr = kt_ah_attr();

	attr.ah_flags = IB_AH_GRH;
	attr.grh.sgid_index = sgid_index;
	attr.grh.dgid = fakedev_gid(77, 1);
	attr.grh.hop_limit = 9;
	return attr;
}

static void test_ah_create(struct ktap *t)
{
	struct rdma_ah_attr attr = kt_ah_attr();
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_ib(t, &env))
		return;
	ah = rdma_create_ah(env.pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT(t, ah->device == env.dev && ah->pd == env.pd && !ah->uobject);
		KT_EXPECT(t, ah->type == RDMA_AH_ATTR_TYPE_IB && !ah->sgid_attr);
		KT_EXPECT_EQ(t, to_fakedev_ah(ah)->attr.ib.dlid, 0x1234);
		KT_EXPECT_EQ(t, env.fd->last_ah_flags, RDMA_CREATE_AH_SLEEPABLE);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
		KT_EXPECT_EQ(t, ib_dealloc_pd_user(env.pd, NULL), -EBUSY);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah, RDMA_DESTROY_AH_SLEEPABLE), 0);
		KT_EXPECT_EQ(t, env.fd->last_ah_flags, RDMA_DESTROY_AH_SLEEPABLE);
		KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	}
	kt_end(t, &env);
}

/* Creates and destroys a handle where nothing may sleep. */
static void test_atomic(struct ktap *t)
{
	struct rdma_ah_attr attr = kt_ah_attr_global(1);
	static DEFINE_SPINLOCK(lock);
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_ib(t, &env))
		return;
	spin_lock_irq(&lock);
	ah = rdma_create_ah(env.pd, &attr);
	spin_unlock_irq(&lock);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT_EQ(t, env.fd->last_ah_flags, 0);
		spin_lock_irq(&lock);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
		spin_unlock_irq(&lock);
		KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 0);
	}
	kt_end(t, &env);
}

static void test_ah_global(struct ktap *t)
{
	struct rdma_ah_attr attr = kt_ah_attr_global(1);
	const struct ib_gid_attr *sgid;
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_ib(t, &env))
		return;
	ah = rdma_create_ah(env.pd, &attr);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT(t, ah->sgid_attr && ah->sgid_attr->index == 1);
		KT_EXPECT(t, to_fakedev_ah(ah)->attr.grh.sgid_attr == ah->sgid_attr);
		KT_EXPECT_EQ(t, to_fakedev_ah(ah)->attr.grh.hop_limit, 9);
		KT_EXPECT(t, !attr.grh.sgid_attr);
		KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 1);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
	}
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 0);

	/* The handle takes a reference beside the caller's. */
	sgid = rdma_get_gid_attr(env.dev, 1, 1);
	attr.grh.sgid_attr = sgid;
	ah = rdma_create_ah(env.pd, &attr);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT(t, ah->sgid_attr == sgid);
		KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 2);
		rdma_put_gid_attr(sgid);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
	}
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 0);

	/* Without a global route, what the route says is ignored. */
	attr = kt_ah_attr();
	attr.grh.sgid_attr = ERR_PTR(-EIO);
	attr.ah_flags = IB_AH_GRH << 1;
	ah = rdma_create_ah(env.pd, &attr);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT(t, !ah->sgid_attr);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
	}
	kt_end(t, &env);
}

/*
 * Expects that an address with one member changed is refused with @errno, by creation and by change
 * of the handle @ah, and does not reach the provider.
 */
#define AH_REFUSED(t, env, ah, errno, change)					\
do {										\
	int created = fakedev_calls((env)->fd, FAKEDEV_CREATE_AH);		\
	int modified = fakedev_calls((env)->fd, FAKEDEV_MODIFY_AH);		\
	struct rdma_ah_attr attr = kt_ah_attr_global(1);			\
										\
	attr.change;								\
	KT_EXPECT_ERR(t, rdma_create_ah((env)->pd, &attr), errno);		\
	KT_EXPECT_ERR(t, rdma_create_user_ah((env)->pd, &attr, NULL), errno);	\
	KT_EXPECT_EQ(t, rdma_modify_ah(ah, &attr), errno);			\
	KT_EXPECT_EQ(t, fakedev_calls((env)->fd, FAKEDEV_CREATE_AH), created);	\
	KT_EXPECT_EQ(t, fakedev_calls((env)->fd, FAKEDEV_MODIFY_AH), modified);	\
} while (0)

static void test_ah_refused(struct ktap *t)
{
	struct rdma_ah_attr plain = kt_ah_attr();
	const struct ib_gid_attr *sgid, *foreign_sgid;
	struct kt_env env, foreign;
	struct ib_ah *ah;

	if (!kt_start_ib(t, &env))
		return;
	if (!kt_start_ib(t, &foreign))
		goto out;
	ah = rdma_create_ah(env.pd, &plain);
	if (!KT_EXPECT_ERR(t, ah, 0))
		goto out_foreign;
	AH_REFUSED(t, &env, ah, -EINVAL, port_num = 0);
	AH_REFUSED(t, &env, ah, -EINVAL, port_num = 3);
	AH_REFUSED(t, &env, ah, -EINVAL, type = RDMA_AH_ATTR_TYPE_UNDEFINED);
	AH_REFUSED(t, &env, ah, -EINVAL, type = RDMA_AH_ATTR_TYPE_ROCE);
	AH_REFUSED(t, &env, ah, -EINVAL, type = RDMA_AH_ATTR_TYPE_OPA);
	AH_REFUSED(t, &env, ah, -EINVAL, grh.sgid_index = 3);
	/* Without a global route, whose source GID would be refused, too. */
	AH_REFUSED(t, &env, ah, -EINVAL, ah_flags = attr.port_num = 0);
	AH_REFUSED(t, &env, ah, -EINVAL, ah_flags = (attr.port_num = 3, 0));

	/* The source GID has to be the one at the index, of this port and device. */
	sgid = rdma_get_gid_attr(env.dev, 1, 1);
	foreign_sgid = rdma_get_gid_attr(foreign.dev, 1, 1);
	AH_REFUSED(t, &env, ah, -EINVAL, grh = ((struct ib_global_route) { .sgid_attr = sgid }));
	AH_REFUSED(t, &env, ah, -EINVAL, grh.sgid_attr = foreign_sgid);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 1);
	KT_EXPECT_EQ(t, kt_gid_refs(&foreign, 1, 1), 1);
	rdma_put_gid_attr(sgid);
	rdma_put_gid_attr(foreign_sgid);
	sgid = rdma_get_gid_attr(env.dev, 2, 1);
	AH_REFUSED(t, &env, ah, -EINVAL, grh.sgid_attr = sgid);
	rdma_put_gid_attr(sgid);

	KT_EXPECT_ERR(t, rdma_create_ah(env.pd, &plain, BIT(1)), -EINVAL);
	KT_EXPECT_EQ(t, rdma_destroy_ah(ah, BIT(1)), -EINVAL);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
	KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
out_foreign:
	kt_end(t, &foreign);
out:
	kt_end(t, &env);
}

/* A GID that the provider's table does not have, and a port that requires a global route. */
static void test_tables(struct ktap *t)
{
	const struct fakedev_config config = { .node_type = RDMA_NODE_IB_CA,
					       .caps = RDMA_CORE_PORT_IBA_IB |
						       RDMA_CORE_CAP_IB_GRH_REQUIRED };
	struct rdma_ah_attr attr = kt_ah_attr_global(0), plain = kt_ah_attr();
	struct kt_env env;

	if (!kt_start_with(t, &env, &config))
		return;
	KT_EXPECT_ERR(t, rdma_create_ah(env.pd, &attr), -ENODATA);
	KT_EXPECT_ERR(t, rdma_create_ah(env.pd, &plain), -EINVAL);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_CREATE_AH), 0);
	kt_end(t, &env);
}

static void test_provider_errors(struct ktap *t)
{
	struct rdma_ah_attr attr = kt_ah_attr_global(1), other = kt_ah_attr_global(2);
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_ib(t, &env))
		return;
	fakedev_fail(env.fd, FAKEDEV_CREATE_AH, 1, -ENOSPC);
	KT_EXPECT_ERR(t, rdma_create_ah(env.pd, &attr), -ENOSPC);
	fakedev_fail(env.fd, FAKEDEV_CREATE_USER_AH, 1, -ENOSPC);
	KT_EXPECT_ERR(t, rdma_create_user_ah(env.pd, &attr, NULL), -ENOSPC);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 0);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_DESTROY_AH), 0);

	ah = rdma_create_ah(env.pd, &attr);
	if (!KT_EXPECT_ERR(t, ah, 0))
		goto out;
	fakedev_fail(env.fd, FAKEDEV_MODIFY_AH, 1, -EIO);
	KT_EXPECT_EQ(t, rdma_modify_ah(ah, &other), -EIO);
	KT_EXPECT(t, ah->sgid_attr && ah->sgid_attr->index == 1);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 0);
	fakedev_fail(env.fd, FAKEDEV_QUERY_AH, 1, -EIO);
	KT_EXPECT_EQ(t, rdma_query_ah(ah, &other), -EIO);
	fakedev_fail(env.fd, FAKEDEV_DESTROY_AH, 1, -EAGAIN);
	KT_EXPECT_EQ(t, rdma_destroy_ah(ah), -EAGAIN);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 1);
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 1);
	KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
out:
	kt_end(t, &env);
}

static void test_ah_modify(struct ktap *t)
{
	struct rdma_ah_attr attr = kt_ah_attr_global(1), other = kt_ah_attr_global(2);
	struct rdma_ah_attr plain = kt_ah_attr(), seen;
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_ib(t, &env))
		return;
	ah = rdma_create_ah(env.pd, &attr);
	if (!KT_EXPECT_ERR(t, ah, 0))
		goto out;
	other.sl = 5;
	KT_EXPECT_EQ(t, rdma_modify_ah(ah, &other), 0);
	KT_EXPECT(t, ah->sgid_attr && ah->sgid_attr->index == 2);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 0);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 1);
	memset(&seen, 0xee, sizeof(seen));
	KT_EXPECT_EQ(t, rdma_query_ah(ah, &seen), 0);
	KT_EXPECT(t, seen.sl == 5 && seen.grh.sgid_index == 2 && !seen.grh.sgid_attr);

	KT_EXPECT_EQ(t, rdma_modify_ah(ah, &plain), 0);
	KT_EXPECT(t, !ah->sgid_attr);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 0);
	KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
out:
	kt_end(t, &env);
}

static void test_user(struct ktap *t)
{
	struct rdma_ah_attr attr = kt_ah_attr_global(1);
	struct ib_udata udata = {};
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_ib(t, &env))
		return;
	ah = rdma_create_user_ah(env.pd, &attr, &udata);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT_EQ(t, fakedev_calls(env.fd, FAKEDEV_CREATE_AH), 0);
		KT_EXPECT_EQ(t, env.fd->last_ah_flags, RDMA_CREATE_AH_SLEEPABLE);
		KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 1);
		KT_EXPECT_EQ(t, rdma_destroy_ah_user(ah, RDMA_DESTROY_AH_SLEEPABLE, &udata), 0);
	}
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 1), 0);
	kt_end(t, &env);
}

/* On a device without the operation, every verb fails before it looks at its arguments. */
static void test_not_supported(struct ktap *t)
{
	struct rdma_ah_attr plain = kt_ah_attr(), wrong = {};
	struct ib_wc wc = {};
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_ib(t, &env))
		return;
	KT_WITHOUT(&env, create_ah,
		   KT_EXPECT_ERR(t, rdma_create_ah(env.pd, &wrong, BIT(1)), -EOPNOTSUPP));
	KT_WITHOUT(&env, create_ah,
		   KT_EXPECT_ERR(t, ib_create_ah_from_wc(env.pd, &wc, NULL, 9), -EOPNOTSUPP));
	KT_WITHOUT(&env, create_user_ah,
		   KT_EXPECT_ERR(t, rdma_create_user_ah(env.pd, &wrong, NULL), -EOPNOTSUPP));
	ah = rdma_create_ah(env.pd, &plain);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_WITHOUT(&env, modify_ah,
			   KT_EXPECT_EQ(t, rdma_modify_ah(ah, &wrong), -EOPNOTSUPP));
		KT_WITHOUT(&env, query_ah,
			   KT_EXPECT_EQ(t, rdma_query_ah(ah, &wrong), -EOPNOTSUPP));
		/* A provider may have nothing to do for a handle that is destroyed. */
		KT_WITHOUT(&env, destroy_ah, KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0));
	}
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	kt_end(t, &env);
}

static void test_references(struct ktap *t)
{
	struct rdma_ah_attr a = {}, b, c = {};
	union ib_gid dgid = fakedev_gid(77, 1);
	struct kt_env env;

	if (!kt_start_ib(t, &env))
		return;
	rdma_move_grh_sgid_attr(&a, &dgid, 0x12345, 7, 8, rdma_get_gid_attr(env.dev, 1, 2));
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 1);
	KT_EXPECT(t, a.ah_flags == IB_AH_GRH && a.grh.sgid_index == 2 && a.grh.hop_limit == 7);
	KT_EXPECT(t, a.grh.flow_label == 0x12345 && a.grh.traffic_class == 8);
	KT_EXPECT(t, !memcmp(&a.grh.dgid, &dgid, sizeof(dgid)));

	memset(&b, 0xee, sizeof(b));
	rdma_copy_ah_attr(&b, &a);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 2);
	rdma_replace_ah_attr(&b, &b);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 2);
	rdma_move_grh_sgid_attr(&c, &dgid, 0, 1, 0, rdma_get_gid_attr(env.dev, 2, 0));
	rdma_replace_ah_attr(&b, &c);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 1);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 2, 0), 2);
	rdma_move_ah_attr(&a, &b);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 1, 2), 0);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 2, 0), 2);
	KT_EXPECT(t, !b.grh.sgid_attr && a.grh.sgid_index == 0 && a.grh.hop_limit == 1);
	rdma_destroy_ah_attr(&a);
	rdma_destroy_ah_attr(&a);
	rdma_destroy_ah_attr(&b);
	rdma_destroy_ah_attr(&c);
	KT_EXPECT_EQ(t, kt_gid_refs(&env, 2, 0), 0);
	kt_end(t, &env);
}

/* Expects that the members of each type keep what is set, and that other types ignore it. */
static void test_members(struct ktap *t)
{
	struct rdma_ah_attr attr = { .type = RDMA_AH_ATTR_TYPE_IB };
	union ib_gid dgid = fakedev_gid(1, 2);

	rdma_ah_set_dlid(&attr, 0x12345);
	rdma_ah_set_path_bits(&attr, 3);
	rdma_ah_set_make_grd(&attr, true);
	KT_EXPECT_EQ(t, rdma_ah_get_dlid(&attr), 0x2345);
	KT_EXPECT_EQ(t, rdma_ah_get_path_bits(&attr), 3);
	KT_EXPECT(t, !rdma_ah_get_make_grd(&attr) && !rdma_ah_retrieve_dmac(&attr));

	attr = (struct rdma_ah_attr) { .type = RDMA_AH_ATTR_TYPE_OPA };
	rdma_ah_set_dlid(&attr, 0x12345);
	rdma_ah_set_path_bits(&attr, 3);
	rdma_ah_set_make_grd(&attr, true);
	KT_EXPECT_EQ(t, rdma_ah_get_dlid(&attr), 0x12345);
	KT_EXPECT_EQ(t, rdma_ah_get_path_bits(&attr), 3);
	KT_EXPECT(t, rdma_ah_get_make_grd(&attr) && !rdma_ah_retrieve_dmac(&attr));

	attr = (struct rdma_ah_attr) { .type = RDMA_AH_ATTR_TYPE_ROCE };
	rdma_ah_set_dlid(&attr, 0x12345);
	rdma_ah_set_path_bits(&attr, 3);
	rdma_ah_set_make_grd(&attr, true);
	KT_EXPECT(t, is_zero_ether_addr(attr.roce.dmac));
	KT_EXPECT(t, rdma_ah_retrieve_dmac(&attr) == attr.roce.dmac);
	KT_EXPECT(t, !rdma_ah_get_dlid(&attr) && !rdma_ah_get_path_bits(&attr));

	rdma_ah_set_sl(&attr, 5);
	rdma_ah_set_port_num(&attr, 2);
	rdma_ah_set_static_rate(&attr, IB_RATE_10_GBPS);
	rdma_ah_set_dgid_raw(&attr, dgid.raw);
	KT_EXPECT(t, !memcmp(&rdma_ah_read_grh(&attr)->dgid, &dgid, sizeof(dgid)));
	rdma_ah_set_grh(&attr, NULL, 0xabcde, 4, 5, 6);
	KT_EXPECT(t, !memcmp(&rdma_ah_read_grh(&attr)->dgid, &dgid, sizeof(dgid)));
	rdma_ah_set_subnet_prefix(&attr, cpu_to_be64(7));
	rdma_ah_set_interface_id(&attr, cpu_to_be64(8));
	KT_EXPECT_EQ(t, rdma_ah_get_sl(&attr), 5);
	KT_EXPECT_EQ(t, rdma_ah_get_port_num(&attr), 2);
	KT_EXPECT_EQ(t, rdma_ah_get_static_rate(&attr), IB_RATE_10_GBPS);
	KT_EXPECT_EQ(t, rdma_ah_get_ah_flags(&attr), IB_AH_GRH);
	KT_EXPECT_EQ(t, rdma_ah_retrieve_grh(&attr)->flow_label, 0xabcde);
	KT_EXPECT_EQ(t, attr.grh.sgid_index, 4);
	KT_EXPECT_EQ(t, attr.grh.hop_limit, 5);
	KT_EXPECT_EQ(t, attr.grh.traffic_class, 6);
	KT_EXPECT_EQ(t, be64_to_cpu(attr.grh.dgid.global.subnet_prefix), 7);
	KT_EXPECT_EQ(t, be64_to_cpu(attr.grh.dgid.global.interface_id), 8);
	rdma_ah_set_ah_flags(&attr, 0);
	KT_EXPECT_EQ(t, rdma_ah_get_ah_flags(&attr), 0);
}

/* A GID of InfiniBand has no network interface, whose name sysfs could show. */
static void test_no_netdev(struct ktap *t)
{
	struct kt_env env;
	char line[160];

	if (!kt_start_ib(t, &env))
		return;
	snprintf(line, sizeof(line),
		 "cat /sys/class/infiniband/%s/ports/1/gid_attrs/ndevs/0 2>&1 |\n"
		 "grep -q 'nvalid argument'", dev_name(&env.dev->dev));
	KT_EXPECT_EQ(t, kt_sh(line), 0);
	kt_end(t, &env);
}

static const struct ktap_case ah_cases[] = {
	{ "a handle is counted on its PD", test_ah_create,
	  COVERS(rdma_create_ah rdma_destroy_ah ib_ah rdma_ah_attr) },
	{ "a handle is made and destroyed where nothing may sleep", test_atomic },
	{ "a global route holds its source GID", test_ah_global },
	{ "a GID without a network interface", test_no_netdev },
	{ "wrong addresses are refused, and do not reach the provider", test_ah_refused,
	  COVERS(rdma_create_ah rdma_modify_ah) },
	{ "no GID at the index; no global route where it is required", test_tables },
	{ "the provider's errors change nothing", test_provider_errors,
	  COVERS(rdma_create_ah rdma_modify_ah rdma_query_ah rdma_destroy_ah) },
	{ "a change replaces the reference; a query gives none", test_ah_modify,
	  COVERS(rdma_modify_ah rdma_query_ah) },
	{ "handles of processes", test_user },
	{ "without the operation: -EOPNOTSUPP", test_not_supported,
	  COVERS(rdma_create_ah rdma_modify_ah rdma_query_ah) },
	{ "copies, moves and replacements of addresses count references", test_references },
	{ "the members of addresses of each type", test_members },
};

KTAP_SUITE(kt_ah_suite, "ah", ah_cases);
