// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of RoCE addresses, and of the MAC addresses that the core finds for them.
 */
#include <linux/hex.h>
#include <linux/kthread.h>
#include <linux/sched/signal.h>

#include "ah.h"

#define V1	IB_GID_TYPE_ROCE
#define V2	IB_GID_TYPE_ROCE_UDP_ENCAP

int kt_gid_index(struct kt_env *env, const char *text, enum ib_gid_type type)
{
	union ib_gid gid = kt_gid_of(text);
	const struct ib_gid_attr *attr = rdma_find_gid_by_port(env->dev, &gid, type, 1, NULL);
	int index;

	if (IS_ERR(attr))
		return PTR_ERR(attr);
	index = attr->index;
	rdma_put_gid_attr(attr);
	return index;
}

bool kt_start_roce(struct ktap *t, struct kt_env *env)
{
	struct fakedev_config config = {
		.node_type = RDMA_NODE_IB_CA,
		.caps = RDMA_CORE_PORT_IBA_ROCE | RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP,
	};
	bool started;

	kt_sh("ip link del kta 2>/dev/null");
	if (!KT_EXPECT_EQ(t, kt_sh("ip link add kta address 00:11:22:33:44:55 type dummy &&\n"
				   "ip link set kta up && ip address add 10.77.0.1/24 dev kta &&\n"
				   "ip address add fd77::1/64 dev kta nodad"), 0))
		return false;
	config.ndev = dev_get_by_name(&init_net, "kta");
	started = kt_start_with(t, env, &config);
	dev_put(config.ndev);
	if (!started) {
		kt_sh("ip link del kta");
		return false;
	}
	KT_WAIT(t, kt_gid_index(env, "10.77.0.1", V2) >= 0);
	KT_WAIT(t, kt_gid_index(env, "fd77::1", V2) >= 0);
	return true;
}

void kt_end_roce(struct ktap *t, struct kt_env *env)
{
	/* The GIDs of the MAC address and of two IP addresses, each in both versions. */
	KT_WAIT(t, atomic_read(&env->fd->gids_held) == 6);
	kt_end(t, env);
	kt_sh("ip link del kta");
}

struct rdma_ah_attr kt_roce_attr(struct kt_env *env, const char *from, const char *to,
				 enum ib_gid_type type)
{
	return (struct rdma_ah_attr) {
		.type = RDMA_AH_ATTR_TYPE_ROCE,
		.port_num = 1,
		.ah_flags = IB_AH_GRH,
		.grh = { .sgid_index = kt_gid_index(env, from, type), .dgid = kt_gid_of(to) },
	};
}

/* Expects that a handle is made of an address, and that the provider gets this MAC address. */
static void expect_dmac(struct ktap *t, struct kt_env *env, struct rdma_ah_attr attr,
			const char *text)
{
	u8 wanted[ETH_ALEN] = {};
	struct ib_ah *ah;

	if (!mac_pton(text, wanted))
		ktap_fail(t, "%s is no MAC address", text);
	ah = rdma_create_ah(env->pd, &attr);
	if (!KT_EXPECT_ERR(t, ah, 0))
		return;
	if (!KT_EXPECT(t, ether_addr_equal(to_fakedev_ah(ah)->attr.roce.dmac, wanted)))
		ktap_note(t, "%pM, expected %s", to_fakedev_ah(ah)->attr.roce.dmac, text);
	KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
}

/* Expects that no handle is made of an address between these two. */
static void expect_ah_roce_error(struct ktap *t, struct kt_env *env, const char *from,
				 const char *to, enum ib_gid_type type, int error)
{
	int calls = fakedev_calls(env->fd, FAKEDEV_CREATE_AH);
	struct rdma_ah_attr attr = kt_roce_attr(env, from, to, type);

	if (!KT_EXPECT_ERR(t, rdma_create_ah(env->pd, &attr, RDMA_CREATE_AH_SLEEPABLE), error))
		ktap_note(t, "from %s to %s", from, to);
	KT_EXPECT_EQ(t, fakedev_calls(env->fd, FAKEDEV_CREATE_AH), calls);
	KT_EXPECT_EQ(t, atomic_read(&env->pd->usecnt), 0);
}

static void test_computed(struct ktap *t)
{
	struct rdma_ah_attr attr;
	struct kt_env env;

	if (!kt_start_roce(t, &env))
		return;
	attr = kt_roce_attr(&env, "10.77.0.1", "239.129.2.3", V2);
	expect_dmac(t, &env, attr, "01:00:5e:01:02:03");
	attr = kt_roce_attr(&env, "fd77::1", "ff0e::1:2", V2);
	expect_dmac(t, &env, attr, "33:33:00:01:00:02");
	attr = kt_roce_attr(&env, "fd77::1", "fe80::211:22ff:fe33:4466", V1);
	expect_dmac(t, &env, attr, "00:11:22:33:44:66");
	/* What the caller knows is not looked up. */
	attr = kt_roce_attr(&env, "10.77.0.1", "10.77.0.200", V2);
	memcpy(attr.roce.dmac, "\x02\x03\x04\x05\x06\x07", ETH_ALEN);
	expect_dmac(t, &env, attr, "02:03:04:05:06:07");
	kt_end_roce(t, &env);
}

static void test_neighbour(struct ktap *t)
{
	struct rdma_ah_attr attr;
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_roce(t, &env))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 dev kta &&\n"
			      "ip neigh add fd77::9 lladdr 02:00:00:00:00:19 dev kta &&\n"
			      "ip neigh add fe80::9 lladdr 02:00:00:00:00:29 dev kta &&\n"
			      "ip neigh add fe80::ff:fd00:9 lladdr 02:00:00:00:00:39 dev kta &&\n"
			      "ip route add 10.78.0.0/16 via 10.77.0.9 dev kta &&\n"
			      "ip route add fd78::/64 via fd77::9 dev kta"), 0);
	attr = kt_roce_attr(&env, "10.77.0.1", "10.77.0.9", V2);
	expect_dmac(t, &env, attr, "02:00:00:00:00:09");
	attr = kt_roce_attr(&env, "fd77::1", "fd77::9", V2);
	expect_dmac(t, &env, attr, "02:00:00:00:00:19");
	/* Link-local, but not made from a MAC address. */
	attr = kt_roce_attr(&env, "fd77::1", "fe80::9", V2);
	expect_dmac(t, &env, attr, "02:00:00:00:00:29");
	attr = kt_roce_attr(&env, "fd77::1", "fe80::ff:fd00:9", V2);
	expect_dmac(t, &env, attr, "02:00:00:00:00:39");
	attr = kt_roce_attr(&env, "10.77.0.1", "10.77.0.1", V2);
	expect_dmac(t, &env, attr, "00:11:22:33:44:55");
	attr = kt_roce_attr(&env, "fd77::1", "fd77::1", V2);
	expect_dmac(t, &env, attr, "00:11:22:33:44:55");

	/* Behind a router, which RoCE version 1 cannot cross. */
	attr = kt_roce_attr(&env, "10.77.0.1", "10.78.0.5", V2);
	expect_dmac(t, &env, attr, "02:00:00:00:00:09");
	attr = kt_roce_attr(&env, "fd77::1", "fd78::5", V2);
	expect_dmac(t, &env, attr, "02:00:00:00:00:19");
	expect_ah_roce_error(t, &env, "10.77.0.1", "10.78.0.5", V1, -ENETUNREACH);
	expect_ah_roce_error(t, &env, "fd77::1", "fd78::5", V1, -ENETUNREACH);

	/* The hop limit is the route's, unless the caller has set one. */
	attr = kt_roce_attr(&env, "10.77.0.1", "10.78.0.5", V2);
	ah = rdma_create_ah(env.pd, &attr);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT_EQ(t, to_fakedev_ah(ah)->attr.grh.hop_limit, 64);
		attr.grh.hop_limit = 3;
		KT_EXPECT_EQ(t, rdma_modify_ah(ah, &attr), 0);
		KT_EXPECT_EQ(t, to_fakedev_ah(ah)->attr.grh.hop_limit, 3);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
	}
	kt_end_roce(t, &env);
}

/* Returns 0 if the GID 10.77.0.1 is found with this interface, or a negative errno. */
static int find_with(struct kt_env *env, struct net_device *ndev)
{
	union ib_gid gid = kt_gid_of("10.77.0.1");
	const struct ib_gid_attr *attr = rdma_find_gid_by_port(env->dev, &gid, V2, 1, ndev);

	if (IS_ERR(attr))
		return PTR_ERR(attr);
	rdma_put_gid_attr(attr);
	return 0;
}

static void test_find_by_netdev(struct ktap *t)
{
	struct net_device *kta;
	struct kt_env env;

	if (!kt_start_roce(t, &env))
		return;
	kta = dev_get_by_name(&init_net, "kta");
	if (KT_EXPECT(t, kta))
		KT_EXPECT_EQ(t, find_with(&env, kta), 0);
	dev_put(kta);
	KT_EXPECT_EQ(t, find_with(&env, init_net.loopback_dev), -ENOENT);
	kt_end_roce(t, &env);
}

static void test_ah_roce_errors(struct ktap *t)
{
	const struct ib_gid_attr *sgid;
	struct rdma_ah_attr attr;
	struct kt_env env;

	if (!kt_start_roce(t, &env))
		return;
	expect_ah_roce_error(t, &env, "10.77.0.1", "::", V2, -EINVAL);
	expect_ah_roce_error(t, &env, "fd77::1", "::", V2, -EINVAL);
	expect_ah_roce_error(t, &env, "10.77.0.1", "fd77::9", V2, -EINVAL);
	expect_ah_roce_error(t, &env, "fd77::1", "10.77.0.9", V2, -EINVAL);
	expect_ah_roce_error(t, &env, "fd77::1", "2001:db8::5", V2, -ENETUNREACH);
	/* RoCE has no path without a global route. */
	attr = kt_roce_attr(&env, "10.77.0.1", "10.77.0.9", V2);
	attr.ah_flags = 0;
	KT_EXPECT_ERR(t, rdma_create_ah(env.pd, &attr), -EINVAL);
	attr.ah_flags = IB_AH_GRH << 1;
	KT_EXPECT_ERR(t, rdma_create_ah(env.pd, &attr), -EINVAL);
	attr = kt_ah_attr_global(0);
	KT_EXPECT_ERR(t, rdma_create_ah(env.pd, &attr), -EINVAL);

	/* A source GID that was deleted while the caller has a reference, then no reference. */
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.77.1.1/24 dev kta"), 0);
	KT_WAIT(t, kt_gid_index(&env, "10.77.1.1", V2) >= 0);
	attr = kt_roce_attr(&env, "10.77.1.1", "10.77.1.9", V2);
	sgid = rdma_get_gid_attr(env.dev, 1, attr.grh.sgid_index);
	KT_EXPECT_EQ(t, kt_sh("ip address del 10.77.1.1/24 dev kta"), 0);
	KT_WAIT(t, kt_gid_index(&env, "10.77.1.1", V2) == -ENOENT);
	if (KT_EXPECT_ERR(t, sgid, 0)) {
		KT_EXPECT_ERR(t, rdma_create_ah(env.pd, &attr), -ENODATA);
		attr.grh.sgid_attr = sgid;
		KT_EXPECT_ERR(t, rdma_create_ah(env.pd, &attr), -ENODEV);
		rdma_put_gid_attr(sgid);
	}
	KT_EXPECT_EQ(t, kt_sh("ip link set kta down"), 0);
	expect_ah_roce_error(t, &env, "10.77.0.1", "10.77.0.9", V2, -ENODEV);
	KT_EXPECT_EQ(t, kt_sh("ip link set kta up && ip address add fd77::1/64 dev kta nodad"), 0);
	kt_end_roce(t, &env);
}

/* Makes kta ask for neighbours; nothing answers. */
static void ask_neighbours(struct ktap *t)
{
	KT_EXPECT_EQ(t, kt_sh("ip link set kta arp on && cd /proc/sys/net/ipv4/neigh/kta &&\n"
			      "echo 100 > retrans_time_ms"), 0);
}

static void test_unknown(struct ktap *t)
{
	struct rdma_ah_attr attr;
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_roce(t, &env))
		return;
	ask_neighbours(t);
	attr = kt_roce_attr(&env, "10.77.0.1", "10.77.0.20", V2);
	KT_EXPECT_ERR(t, rdma_create_ah(env.pd, &attr), -EAGAIN);
	/* The neighbour does not answer to three questions; then to more than fit into a second. */
	expect_ah_roce_error(t, &env, "10.77.0.1", "10.77.0.20", V2, -EHOSTUNREACH);
	KT_EXPECT_EQ(t, kt_sh("echo 5000 > /proc/sys/net/ipv4/neigh/kta/retrans_time_ms"), 0);
	expect_ah_roce_error(t, &env, "10.77.0.1", "10.77.0.21", V2, -ETIMEDOUT);

	/* The neighbour answers while a process waits. */
	KT_EXPECT_EQ(t, kt_sh("(sleep 0.2;\n"
			      "ip neigh replace 10.77.0.22 lladdr 02:00:00:00:00:22 \\\n"
			      "dev kta) > /dev/null 2>&1 &"), 0);
	attr = kt_roce_attr(&env, "10.77.0.1", "10.77.0.22", V2);
	ah = rdma_create_ah(env.pd, &attr, RDMA_CREATE_AH_SLEEPABLE);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT_EQ(t, to_fakedev_ah(ah)->attr.roce.dmac[5], 0x22);
		/* A change does not wait, and an error leaves the handle as it is. */
		attr = kt_roce_attr(&env, "10.77.0.1", "10.77.0.23", V2);
		KT_EXPECT_EQ(t, rdma_modify_ah(ah, &attr), -EAGAIN);
		KT_EXPECT_EQ(t, to_fakedev_ah(ah)->attr.roce.dmac[5], 0x22);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
	}
	kt_end_roce(t, &env);
}

struct waiter {
	struct kt_env *env;
	struct rdma_ah_attr attr;
	struct ib_ah *ah;
	struct completion begun, done;
};

static int wait_for_neighbour(void *arg)
{
	struct waiter *w = arg;

	allow_signal(SIGKILL);
	complete(&w->begun);
	w->ah = rdma_create_ah(w->env->pd, &w->attr, RDMA_CREATE_AH_SLEEPABLE);
	complete(&w->done);
	while (!kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	return 0;
}

static void test_killed(struct ktap *t)
{
	struct task_struct *task;
	struct waiter w = {};
	unsigned long start;
	struct kt_env env;

	if (!kt_start_roce(t, &env))
		return;
	ask_neighbours(t);
	KT_EXPECT_EQ(t, kt_sh("echo 5000 > /proc/sys/net/ipv4/neigh/kta/retrans_time_ms"), 0);
	w.env = &env;
	w.attr = kt_roce_attr(&env, "10.77.0.1", "10.77.0.30", V2);
	init_completion(&w.begun);
	init_completion(&w.done);
	task = kthread_run(wait_for_neighbour, &w, "kt_ah");
	if (KT_EXPECT_ERR(t, task, 0)) {
		start = jiffies;
		wait_for_completion(&w.begun);
		send_sig(SIGKILL, task, 1);
		wait_for_completion(&w.done);
		KT_EXPECT(t, time_before(jiffies, start + HZ));
		KT_EXPECT_ERR(t, w.ah, -ERESTARTSYS);
		kthread_stop(task);
	}
	KT_EXPECT_EQ(t, atomic_read(&env.pd->usecnt), 0);
	kt_end_roce(t, &env);
}

static void test_process(struct ktap *t)
{
	struct ib_udata udata = {};
	struct rdma_ah_attr attr;
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_roce(t, &env))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 dev kta"), 0);
	attr = kt_roce_attr(&env, "10.77.0.1", "10.77.0.9", V2);
	eth_broadcast_addr(attr.roce.dmac);
	ah = rdma_create_user_ah(env.pd, &attr, &udata);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_EXPECT_EQ(t, to_fakedev_ah(ah)->attr.roce.dmac[5], 9);
		KT_EXPECT(t, is_broadcast_ether_addr(attr.roce.dmac));
		KT_EXPECT_EQ(t, rdma_destroy_ah_user(ah, RDMA_DESTROY_AH_SLEEPABLE, &udata), 0);
	}
	kt_end_roce(t, &env);
}

/* A handle keeps its source GID in the device's table, even if the IP address is deleted. */
static void test_deleted(struct ktap *t)
{
	struct rdma_ah_attr attr;
	struct kt_env env;
	struct ib_ah *ah;

	if (!kt_start_roce(t, &env))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip address add 10.77.1.1/24 dev kta"), 0);
	KT_WAIT(t, kt_gid_index(&env, "10.77.1.1", V2) >= 0);
	attr = kt_roce_attr(&env, "10.77.1.1", "239.1.2.3", V2);
	ah = rdma_create_ah(env.pd, &attr);
	KT_EXPECT_EQ(t, kt_sh("ip address del 10.77.1.1/24 dev kta"), 0);
	KT_WAIT(t, kt_gid_index(&env, "10.77.1.1", V2) == -ENOENT);
	if (KT_EXPECT_ERR(t, ah, 0)) {
		KT_WAIT(t, atomic_read(&env.fd->gids_held) == 7);
		KT_EXPECT_EQ(t, rdma_destroy_ah(ah), 0);
	}
	kt_end_roce(t, &env);
}

static const struct ktap_case ah_roce_cases[] = {
	{ "MAC addresses that follow from the GID, and one that is given", test_computed },
	{ "MAC addresses of neighbours and routers", test_neighbour },
	{ "a GID and its network interface", test_find_by_netdev },
	{ "destinations without a MAC address, and sources without an interface",
	  test_ah_roce_errors },
	{ "a neighbour that is not known yet, and one that never answers", test_unknown },
	{ "a process that waits for a neighbour can be killed", test_killed },
	{ "the MAC address that a process gives is not used", test_process },
	{ "a handle keeps the GID of an address that is deleted", test_deleted },
};

KTAP_SUITE(kt_ah_roce_suite, "ah RoCE", ah_roce_cases);
