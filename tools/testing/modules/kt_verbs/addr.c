// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of link addresses, and of their resolution.
 */
#include <linux/completion.h>
#include <linux/hex.h>
#include <linux/inet.h>
#include <rdma/ib_addr.h>

#include "ah.h"

#define OUR_MAC		"00:11:22:33:44:55"
#define PATIENCE	20000
/* ms; more than 32 bits hold, where a long has more */
#define FOR_EVER	(ULONG_MAX - U32_MAX)

static struct sockaddr_storage address(const char *text)
{
	struct sockaddr_storage addr = {};

	if (inet_pton_with_scope(&init_net, AF_UNSPEC, text, "700", &addr))
		WARN(1, "%s is no address\n", text);
	return addr;
}

static bool same_mac(const unsigned char *lladdr, const char *text)
{
	u8 mac[ETH_ALEN];

	return mac_pton(text, mac) && ether_addr_equal(lladdr, mac) &&
	       !memchr_inv(lladdr + ETH_ALEN, 0, MAX_ADDR_LEN - ETH_ALEN);
}

static int ifindex_of(const char *name)
{
	struct net_device *ndev = dev_get_by_name(&init_net, name);
	int ifindex = ndev ? ndev->ifindex : -1;

	dev_put(ndev);
	return ifindex;
}

/* Translates a local address. @ifindex: the interface to take, or 0. */
static int translate(const char *text, int ifindex, struct rdma_dev_addr *addr)
{
	struct sockaddr_storage local = address(text);

	*addr = (struct rdma_dev_addr) { .net = &init_net, .bound_dev_if = ifindex };
	memset(addr->src_dev_addr, 0xff, MAX_ADDR_LEN);
	return rdma_translate_ip((struct sockaddr *)&local, addr);
}

static void test_translate(struct ktap *t)
{
	struct sockaddr unknown = { .sa_family = AF_UNIX };
	struct rdma_dev_addr addr;
	struct kt_env env;
	int kta;

	if (!kt_start_roce(t, &env))
		return;
	kta = ifindex_of("kta");
	KT_EXPECT_EQ(t, translate("10.77.0.1", 0, &addr), 0);
	KT_EXPECT(t, same_mac(addr.src_dev_addr, OUR_MAC));
	KT_EXPECT(t, same_mac(addr.broadcast, "ff:ff:ff:ff:ff:ff"));
	KT_EXPECT_EQ(t, addr.dev_type, ARPHRD_ETHER);
	KT_EXPECT_EQ(t, addr.bound_dev_if, kta);
	KT_EXPECT_EQ(t, translate("fd77::1", 0, &addr), 0);
	KT_EXPECT(t, same_mac(addr.src_dev_addr, OUR_MAC));
	/* A given interface is taken, whichever addresses it has. */
	KT_EXPECT_EQ(t, translate("10.77.0.99", kta, &addr), 0);
	KT_EXPECT(t, same_mac(addr.src_dev_addr, OUR_MAC));
	KT_EXPECT_EQ(t, translate("127.0.0.1", 0, &addr), 0);
	KT_EXPECT_EQ(t, addr.dev_type, ARPHRD_LOOPBACK);

	/* Of two interfaces with the same address, the first one is taken. */
	KT_EXPECT_EQ(t, kt_sh("for i in 1 2; do ip link add ktsame$i type dummy &&\n"
			      "ip link set ktsame$i up &&\n"
			      "ip address add fd79::1/128 dev ktsame$i nodad; done"), 0);
	KT_EXPECT_EQ(t, translate("fd79::1", 0, &addr), 0);
	KT_EXPECT_EQ(t, addr.bound_dev_if, ifindex_of("ktsame1"));
	KT_EXPECT_EQ(t, kt_sh("ip link del ktsame1 && ip link del ktsame2"), 0);

	KT_EXPECT_EQ(t, translate("10.77.0.99", 0, &addr), -EADDRNOTAVAIL);
	KT_EXPECT_EQ(t, translate("fd77::99", 0, &addr), -EADDRNOTAVAIL);
	KT_EXPECT_EQ(t, translate("10.77.0.1", INT_MAX, &addr), -ENODEV);
	KT_EXPECT_EQ(t, rdma_translate_ip(&unknown, &addr), -EAFNOSUPPORT);
	kt_end_roce(t, &env);
}

/* A resolution, and what its callback got. */
struct resolution {
	struct rdma_dev_addr addr;
	struct sockaddr_storage dst;
	struct completion called;
	int status;
	struct sockaddr_storage src;
	int calls;
};

static void note_result(int status, struct sockaddr *src_addr, struct rdma_dev_addr *addr,
			void *context)
{
	struct resolution *r = context;

	r->status = addr == &r->addr ? status : -EBADFD;
	memcpy(&r->src, src_addr, sizeof(r->src));
	r->calls++;
	complete(&r->called);
}

/* Begins a resolution. @from: NULL to let the route choose. */
static int begin(struct resolution *r, const char *from, const char *to, unsigned long ms)
{
	struct sockaddr_storage src = {};

	*r = (struct resolution) { .addr.net = &init_net };
	init_completion(&r->called);
	r->dst = address(to);
	if (from)
		src = address(from);
	return rdma_resolve_ip(from ? (struct sockaddr *)&src : NULL, (struct sockaddr *)&r->dst,
			       &r->addr, ms, note_result, false, r);
}

/* Resolves an address. Returns the status of the callback, or the error of the call. */
static int resolve(struct resolution *r, const char *from, const char *to, int ms)
{
	int ret = begin(r, from, to, ms);

	if (ret)
		return ret;
	wait_for_completion(&r->called);
	return r->status;
}

static bool came_from(const struct resolution *r, const char *text)
{
	struct sockaddr_storage wanted = address(text);

	return inet_addr_is_any((void *)&r->src) ? false :
	       wanted.ss_family == AF_INET ?
	       ((struct sockaddr_in *)&r->src)->sin_addr.s_addr ==
	       ((struct sockaddr_in *)&wanted)->sin_addr.s_addr :
	       ipv6_addr_equal(&((struct sockaddr_in6 *)&r->src)->sin6_addr,
			       &((struct sockaddr_in6 *)&wanted)->sin6_addr);
}

static void test_known(struct ktap *t)
{
	struct resolution r;
	struct kt_env env;

	if (!kt_start_roce(t, &env))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip link set kta arp on &&\n"
			      "ip neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 dev kta &&\n"
			      "ip neigh add fd77::9 lladdr 02:00:00:00:00:19 dev kta &&\n"
			      "ip route add 10.78.0.0/16 via 10.77.0.9 dev kta &&\n"
			      "ip route add fd78::/64 via fd77::9 dev kta"), 0);
	KT_EXPECT_EQ(t, resolve(&r, NULL, "10.77.0.9", PATIENCE), 0);
	KT_EXPECT(t, same_mac(r.addr.dst_dev_addr, "02:00:00:00:00:09"));
	KT_EXPECT(t, same_mac(r.addr.src_dev_addr, OUR_MAC));
	KT_EXPECT_EQ(t, r.addr.dev_type, ARPHRD_ETHER);
	KT_EXPECT_EQ(t, r.addr.bound_dev_if, ifindex_of("kta"));
	KT_EXPECT_EQ(t, r.addr.hoplimit, 64);
	KT_EXPECT_EQ(t, r.addr.network, 0);
	KT_EXPECT(t, came_from(&r, "10.77.0.1"));
	KT_EXPECT(t, !((struct sockaddr_in *)&r.src)->sin_port);

	KT_EXPECT_EQ(t, resolve(&r, "fd77::1", "fd77::9", PATIENCE), 0);
	KT_EXPECT(t, same_mac(r.addr.dst_dev_addr, "02:00:00:00:00:19"));
	KT_EXPECT(t, came_from(&r, "fd77::1"));
	KT_EXPECT(t, ((struct sockaddr_in6 *)&r.src)->sin6_port == htons(700));
	/* The port of a wildcard is kept. */
	KT_EXPECT_EQ(t, resolve(&r, "::", "fd77::9", PATIENCE), 0);
	KT_EXPECT(t, came_from(&r, "fd77::1"));
	KT_EXPECT(t, ((struct sockaddr_in6 *)&r.src)->sin6_port == htons(700));

	/* Behind a router. */
	KT_EXPECT_EQ(t, resolve(&r, NULL, "10.78.0.5", PATIENCE), 0);
	KT_EXPECT(t, same_mac(r.addr.dst_dev_addr, "02:00:00:00:00:09"));
	KT_EXPECT_EQ(t, r.addr.network, RDMA_NETWORK_IPV4);
	KT_EXPECT_EQ(t, resolve(&r, NULL, "fd78::5", PATIENCE), 0);
	KT_EXPECT(t, same_mac(r.addr.dst_dev_addr, "02:00:00:00:00:19"));
	KT_EXPECT_EQ(t, r.addr.network, RDMA_NETWORK_IPV6);

	/* This host. */
	KT_EXPECT_EQ(t, resolve(&r, NULL, "10.77.0.1", PATIENCE), 0);
	KT_EXPECT(t, same_mac(r.addr.dst_dev_addr, OUR_MAC));
	KT_EXPECT(t, same_mac(r.addr.src_dev_addr, OUR_MAC));
	KT_EXPECT_EQ(t, r.calls, 1);
	kt_end_roce(t, &env);
}

static void test_addr_refused(struct ktap *t)
{
	struct sockaddr unknown = { .sa_family = AF_UNIX };
	struct resolution r = { .addr.net = &init_net };
	struct kt_env env;

	if (!kt_start_roce(t, &env))
		return;
	KT_EXPECT_EQ(t, rdma_resolve_ip(NULL, &unknown, &r.addr, 1, note_result, false, &r),
		     -EAFNOSUPPORT);
	KT_EXPECT_EQ(t, begin(&r, "10.77.0.1", "fd77::9", PATIENCE), -EINVAL);
	KT_EXPECT_EQ(t, rdma_resolve_ip(NULL, (struct sockaddr *)&r.dst, &r.addr, 1, note_result,
					true, &r), -EINVAL);
	KT_EXPECT_EQ(t, resolve(&r, NULL, "2001:db8::5", PATIENCE), -ENETUNREACH);
	KT_EXPECT_EQ(t, r.calls, 1);
	/* The route leads to this host, but no interface has the address. */
	KT_EXPECT_EQ(t, kt_sh("ip -6 route add local fd79::/64 dev lo"), 0);
	KT_EXPECT_EQ(t, resolve(&r, NULL, "fd79::5", PATIENCE), -ENODEV);
	KT_EXPECT_EQ(t, kt_sh("ip -6 route del local fd79::/64 dev lo"), 0);
	/* Nothing is left to cancel. */
	rdma_addr_cancel(&r.addr);
	kt_end_roce(t, &env);
}

static void test_gid(struct ktap *t)
{
	struct resolution r;
	struct kt_env env;
	int index;

	if (!kt_start_roce(t, &env))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip link set kta arp on &&\n"
			      "ip neigh add 10.99.0.9 lladdr 02:00:00:00:00:39 dev kta &&\n"
			      "ip route add 10.99.0.9 dev lo &&\n"
			      "ip route add 10.99.0.9 dev kta metric 9"), 0);
	r = (struct resolution) { .addr.net = &init_net, .dst = address("10.99.0.9") };
	init_completion(&r.called);
	index = kt_gid_index(&env, "10.77.0.1", IB_GID_TYPE_ROCE_UDP_ENCAP);
	r.addr.sgid_attr = rdma_get_gid_attr(env.dev, 1, index);
	if (KT_EXPECT_ERR(t, r.addr.sgid_attr, 0)) {
		KT_EXPECT_EQ(t, rdma_resolve_ip(NULL, (struct sockaddr *)&r.dst, &r.addr, PATIENCE,
						note_result, true, &r), 0);
		wait_for_completion(&r.called);
		KT_EXPECT_EQ(t, r.status, 0);
		KT_EXPECT(t, same_mac(r.addr.dst_dev_addr, "02:00:00:00:00:39"));
		KT_EXPECT_EQ(t, kt_sh("ip link set kta down"), 0);
		KT_EXPECT_EQ(t, rdma_resolve_ip(NULL, (struct sockaddr *)&r.dst, &r.addr, PATIENCE,
						note_result, true, &r), 0);
		wait_for_completion(&r.called);
		KT_EXPECT_EQ(t, r.status, -ENODEV);
		rdma_put_gid_attr(r.addr.sgid_attr);
		KT_EXPECT_EQ(t, kt_sh("ip link set kta up &&\n"
				      "ip address replace fd77::1/64 dev kta nodad"), 0);
	}
	KT_EXPECT_EQ(t, kt_sh("ip route del 10.99.0.9 dev lo"), 0);
	kt_end_roce(t, &env);
}

/*
 * Resolves fe80::9 on the interface @scope of the address, or on @bound, if that is not 0. Returns
 * the status of the callback, or the error of the call.
 */
static int resolve_link_local(struct resolution *r, int bound, int scope)
{
	struct sockaddr_in6 *dst = (struct sockaddr_in6 *)&r->dst;
	int ret;

	*r = (struct resolution) { .addr.net = &init_net, .addr.bound_dev_if = bound };
	init_completion(&r->called);
	*dst = (struct sockaddr_in6) { .sin6_family = AF_INET6, .sin6_scope_id = scope };
	in6_pton("fe80::9", -1, dst->sin6_addr.s6_addr, -1, NULL);
	ret = rdma_resolve_ip(NULL, (struct sockaddr *)dst, &r->addr, PATIENCE, note_result, false,
			      r);
	if (ret)
		return ret;
	wait_for_completion(&r->called);
	return r->status;
}

static void test_link_local(struct ktap *t)
{
	int kta, lo = init_net.loopback_dev->ifindex;
	struct resolution r;
	struct kt_env env;

	if (!kt_start_roce(t, &env))
		return;
	kta = ifindex_of("kta");
	KT_EXPECT_EQ(t, kt_sh("ip link set kta arp on &&\n"
			      "ip neigh add fe80::9 lladdr 02:00:00:00:00:29 dev kta"), 0);
	KT_EXPECT_EQ(t, resolve_link_local(&r, 0, kta), 0);
	KT_EXPECT(t, same_mac(r.addr.dst_dev_addr, "02:00:00:00:00:29"));
	KT_EXPECT_EQ(t, r.addr.bound_dev_if, kta);
	KT_EXPECT_EQ(t, resolve_link_local(&r, kta, lo), 0);
	KT_EXPECT(t, same_mac(r.addr.dst_dev_addr, "02:00:00:00:00:29"));
	KT_EXPECT_EQ(t, resolve_link_local(&r, 0, lo), -ENETUNREACH);
	kt_end_roce(t, &env);
}

static void test_late(struct ktap *t)
{
	struct resolution r, second;
	struct kt_env env;

	if (!kt_start_roce(t, &env))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip link set kta arp on"), 0);
	/* Nobody answers. */
	KT_EXPECT_EQ(t, resolve(&r, NULL, "10.77.0.8", 100), -ETIMEDOUT);
	KT_EXPECT_EQ(t, resolve(&r, NULL, "10.77.0.8", 0), -ETIMEDOUT);
	/* The answer comes while two resolutions wait. */
	KT_EXPECT_EQ(t, begin(&r, NULL, "10.77.0.9", FOR_EVER ?: PATIENCE), 0);
	KT_EXPECT_EQ(t, begin(&second, NULL, "10.77.0.9", PATIENCE), 0);
	KT_EXPECT_EQ(t, kt_sh("ip neigh replace 10.77.0.9 lladdr 02:00:00:00:00:09 dev kta"), 0);
	wait_for_completion(&r.called);
	wait_for_completion(&second.called);
	KT_EXPECT_EQ(t, r.status, 0);
	KT_EXPECT_EQ(t, second.status, 0);
	KT_EXPECT(t, same_mac(r.addr.dst_dev_addr, "02:00:00:00:00:09"));
	kt_end_roce(t, &env);
}

static void test_cancel(struct ktap *t)
{
	struct resolution r, second;
	struct kt_env env;
	int i;

	if (!kt_start_roce(t, &env))
		return;
	KT_EXPECT_EQ(t, kt_sh("ip link set kta arp on &&\n"
			      "ip neigh add 10.77.0.9 lladdr 02:00:00:00:00:09 dev kta"), 0);
	KT_EXPECT_EQ(t, begin(&r, NULL, "10.77.0.8", PATIENCE), 0);
	KT_EXPECT_EQ(t, begin(&second, NULL, "10.77.0.8", PATIENCE), 0);
	rdma_addr_cancel(&r.addr);
	KT_EXPECT_EQ(t, r.calls, 0);
	KT_EXPECT_EQ(t, kt_sh("ip neigh replace 10.77.0.8 lladdr 02:00:00:00:00:08 dev kta"), 0);
	wait_for_completion(&second.called);
	KT_EXPECT_EQ(t, second.status, 0);
	KT_EXPECT_EQ(t, r.calls, 0);
	/* At any time, the callback has returned, or never comes. */
	for (i = 0; i < 200; i++) {
		if (!KT_EXPECT_EQ(t, begin(&r, NULL, "10.77.0.9", PATIENCE), 0))
			break;
		if (i % 4 == 3)
			cond_resched();
		rdma_addr_cancel(&r.addr);
		KT_EXPECT(t, r.calls <= 1);
		memset(&r, 0xa5, sizeof(r));
	}
	kt_end_roce(t, &env);
}

static const struct ktap_case addr_cases[] = {
	{ "local addresses", test_translate },
	{ "peers whose next hops are known", test_known },
	{ "addresses that cannot be resolved", test_addr_refused },
	{ "by the interface of a GID", test_gid },
	{ "a link-local address, on its interface", test_link_local },
	{ "a next hop that answers late, or never", test_late },
	{ "cancelled", test_cancel },
};

KTAP_SUITE(kt_addr_suite, "addr", addr_cases);
