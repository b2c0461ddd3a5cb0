// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_portmap.ko: tests of the port mapper's single steps, in the initial network namespace. Tests
 * that need a daemon are skipped if none is running; these tests expect that the daemon adds 20000
 * to each port that it maps.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/inet.h>
#include <net/net_namespace.h>
#include <rdma/krdma.h>

#include "kt_portmap.h"

KRDMA_NEEDS_IB_CORE;

#define OFFSET	20000

struct sockaddr_storage kt_address(const char *text, u16 port)
{
	struct sockaddr_storage storage = {};
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&storage;
	struct sockaddr_in *in = (struct sockaddr_in *)&storage;

	if (strchr(text, ':')) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		in6_pton(text, -1, in6->sin6_addr.s6_addr, -1, NULL);
	} else {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		in->sin_addr.s_addr = in_aton(text);
	}
	return storage;
}

bool kt_has_port(const struct sockaddr_storage *addr, u16 port)
{
	return addr->ss_family == AF_INET && ((struct sockaddr_in *)addr)->sin_port == htons(port);
}

struct iwpm_dev_data kt_portmap_dev = { .dev_name = "kt_portmap", .if_name = "lo" };

/* --- without a daemon --- */

static void test_init(struct ktap *t)
{
	KT_EXPECT_EQ(t, iwpm_init(RDMA_NL_NLDEV), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_NLDEV), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_register_pid(&kt_portmap_dev, RDMA_NL_NLDEV), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_init(RDMA_NL_IWCM), 0);
	/* Another client ends nothing. */
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_NLDEV), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_IWCM), 0);
}

/* Expects that nobody ends more than was begun. iw_cm has begun, too, if it is loaded. */
static void test_exits(struct ktap *t)
{
	int i, begun = 0;

	if (iwpm_valid_pid()) {
		ktap_skip(t, "there is a daemon");
		return;
	}
	while (begun < 2 && !iwpm_exit(RDMA_NL_IWCM))
		begun++;
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_IWCM), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_register_pid(&kt_portmap_dev, RDMA_NL_IWCM), -EINVAL);
	for (i = 0; i < begun; i++)
		KT_EXPECT_EQ(t, iwpm_init(RDMA_NL_IWCM), 0);
}

static void test_arguments(struct ktap *t)
{
	struct sockaddr_storage in = kt_address("127.0.0.1", 1), in6 = kt_address("::1", 1);
	struct sockaddr_storage none = {};
	struct iwpm_sa_data sa = { .loc_addr = in, .rem_addr = in6 };
	struct sockaddr_storage remote;

	KT_EXPECT_EQ(t, iwpm_init(RDMA_NL_IWCM), 0);
	KT_EXPECT_EQ(t, iwpm_add_and_query_mapping(&sa, RDMA_NL_IWCM), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_add_mapping(&sa, RDMA_NL_LS), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_remove_mapping(&none, RDMA_NL_IWCM), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_create_mapinfo(&in, &in6, RDMA_NL_IWCM, 0), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_create_mapinfo(&none, &none, RDMA_NL_IWCM), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_remove_mapinfo(&in, &in6), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_get_remote_info(&in, &in, &remote, RDMA_NL_LS), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_get_remote_info(&in, &in, &remote, RDMA_NL_IWCM), -ENOENT);
	sa.loc_addr = none;
	KT_EXPECT_EQ(t, iwpm_add_mapping(&sa, RDMA_NL_IWCM), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_IWCM), 0);
}

/* Arguments of which one alone is wrong: the client, or an address. */
static void test_one_bad_argument(struct ktap *t)
{
	struct sockaddr_storage in = kt_address("127.0.0.1", 1), none = {}, remote;
	struct iwpm_sa_data sa = { .loc_addr = in, .rem_addr = in };

	KT_EXPECT_EQ(t, iwpm_init(RDMA_NL_IWCM), 0);
	KT_EXPECT_EQ(t, iwpm_add_and_query_mapping(&sa, RDMA_NL_LS), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_remove_mapping(&in, RDMA_NL_LS), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_create_mapinfo(&in, &in, RDMA_NL_LS), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_remove_mapinfo(&none, &none), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_get_remote_info(&none, &in, &remote, RDMA_NL_IWCM), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_get_remote_info(&in, &none, &remote, RDMA_NL_IWCM), -EINVAL);
	memset(&sa, 0, sizeof(sa));
	KT_EXPECT_EQ(t, iwpm_add_and_query_mapping(&sa, RDMA_NL_IWCM), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_IWCM), 0);
}

/* Addresses of listeners and connections: one kind of IP, and a connection's begins somewhere. */
static void test_wrong_maps(struct ktap *t)
{
	struct sockaddr_storage in = kt_address("127.0.0.1", 1);
	struct iwpm_sa_data sa = { .loc_addr = kt_address("0.0.0.0", 1), .rem_addr = in };

	KT_EXPECT_EQ(t, iwpm_init(RDMA_NL_IWCM), 0);
	KT_EXPECT_ERR(t, iwpm_map_connect(&init_net, &kt_portmap_dev, &sa, NULL), -EINVAL);
	sa.loc_addr = kt_address("::1", 1);
	KT_EXPECT_ERR(t, iwpm_map_connect(&init_net, &kt_portmap_dev, &sa, NULL), -EINVAL);
	memset(&sa, 0, sizeof(sa));
	KT_EXPECT_ERR(t, iwpm_map_connect(&init_net, &kt_portmap_dev, &sa, NULL), -EINVAL);
	KT_EXPECT_ERR(t, iwpm_map_listen(&init_net, &kt_portmap_dev, &sa, NULL), -EINVAL);
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_IWCM), 0);
}

/*
 * Creates and removes a mapping twice: iwpm_create_mapinfo() is called without flags and with
 * flags.
 */
static void check_mapinfo(struct ktap *t, const char *host)
{
	struct sockaddr_storage local = kt_address(host, 7000), mapped = kt_address(host, 27000);
	struct sockaddr_storage other = kt_address(host, 27001);

	KT_EXPECT_EQ(t, iwpm_create_mapinfo(&local, &mapped, RDMA_NL_IWCM), 0);
	KT_EXPECT_EQ(t, iwpm_create_mapinfo(&local, &other, RDMA_NL_IWCM), -EEXIST);
	KT_EXPECT_EQ(t, iwpm_remove_mapinfo(&local, &other), -ENOENT);
	KT_EXPECT_EQ(t, iwpm_remove_mapinfo(&local, &mapped), 0);
	KT_EXPECT_EQ(t, iwpm_remove_mapinfo(&local, &mapped), -ENOENT);
	KT_EXPECT_EQ(t, iwpm_create_mapinfo(&local, &mapped, RDMA_NL_IWCM,
					    IWPM_FLAGS_NO_PORT_MAP), 0);
	KT_EXPECT_EQ(t, iwpm_remove_mapinfo(&local, &mapped), 0);
}

static void test_mapinfo(struct ktap *t)
{
	KT_EXPECT_EQ(t, iwpm_init(RDMA_NL_IWCM), 0);
	check_mapinfo(t, "127.0.0.1");
	check_mapinfo(t, "::1");
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_IWCM), 0);
}

static void test_no_daemon(struct ktap *t)
{
	struct sockaddr_storage local = kt_address("127.0.0.1", 7000);
	struct iwpm_sa_data sa = { .loc_addr = local, .rem_addr = local };

	if (iwpm_valid_pid()) {
		ktap_skip(t, "there is a daemon");
		return;
	}
	KT_EXPECT_EQ(t, iwpm_init(RDMA_NL_IWCM), 0);
	KT_EXPECT_EQ(t, iwpm_register_pid(&kt_portmap_dev, RDMA_NL_IWCM), -ECONNREFUSED);
	KT_EXPECT_EQ(t, iwpm_valid_pid(), 0);
	KT_EXPECT_EQ(t, iwpm_add_mapping(&sa, RDMA_NL_IWCM), -ECONNREFUSED);
	KT_EXPECT_EQ(t, iwpm_add_and_query_mapping(&sa, RDMA_NL_IWCM), -ECONNREFUSED);
	KT_EXPECT_EQ(t, iwpm_remove_mapping(&local, RDMA_NL_IWCM), -ECONNREFUSED);
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_IWCM), 0);
}

/* --- with a daemon --- */

static bool begin(struct ktap *t)
{
	if (!iwpm_valid_pid()) {
		ktap_skip(t, "no daemon");
		return false;
	}
	return KT_EXPECT_EQ(t, iwpm_init(RDMA_NL_IWCM), 0) &&
	       KT_EXPECT_EQ(t, iwpm_register_pid(&kt_portmap_dev, RDMA_NL_IWCM), 0);
}

static void test_add(struct ktap *t)
{
	struct iwpm_sa_data sa = { .loc_addr = kt_address("127.0.0.1", 7000) };

	if (!begin(t))
		return;
	KT_EXPECT_EQ(t, iwpm_add_mapping(&sa, RDMA_NL_IWCM), 0);
	KT_EXPECT(t, kt_has_port(&sa.mapped_loc_addr, 7000 + OFFSET));
	KT_EXPECT_EQ(t, iwpm_remove_mapping(&sa.loc_addr, RDMA_NL_IWCM), 0);
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_IWCM), 0);
}

static void test_main_query(struct ktap *t)
{
	struct iwpm_sa_data sa = {
		.loc_addr = kt_address("127.0.0.1", 7001),
		.rem_addr = kt_address("127.0.0.2", 7002),
	};

	if (!begin(t))
		return;
	KT_EXPECT_EQ(t, iwpm_add_and_query_mapping(&sa, RDMA_NL_IWCM), 0);
	KT_EXPECT(t, kt_has_port(&sa.mapped_loc_addr, 7001 + OFFSET));
	KT_EXPECT(t, kt_has_port(&sa.mapped_rem_addr, 7002 + OFFSET));
	KT_EXPECT_EQ(t, iwpm_remove_mapping(&sa.loc_addr, RDMA_NL_IWCM), 0);
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_IWCM), 0);
}

/*
 * The daemon does not know the scope of an address, so listeners at the same link-local address of
 * two interfaces share a mapping. Expects that each still listens on its own interface.
 */
static void test_scopes(struct ktap *t)
{
	struct iwpm_sa_data sa[2] = {};
	struct iwpm_map *maps[2];
	int i;

	if (!begin(t))
		return;
	for (i = 0; i < 2; i++) {
		sa[i].loc_addr = kt_address("fe80::1", 7003);
		((struct sockaddr_in6 *)&sa[i].loc_addr)->sin6_scope_id = i + 1;
		maps[i] = iwpm_map_listen(&init_net, &kt_portmap_dev, &sa[i], NULL);
		KT_EXPECT_ERR(t, maps[i], 0);
	}
	for (i = 0; i < 2; i++) {
		const struct sockaddr_in6 *mapped = (void *)&sa[i].mapped_loc_addr;

		KT_EXPECT_EQ(t, ntohs(mapped->sin6_port), 7003 + OFFSET);
		KT_EXPECT_EQ(t, mapped->sin6_scope_id, i + 1);
		if (!IS_ERR(maps[i]))
			iwpm_unmap(maps[i]);
	}
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_IWCM), 0);
}

static const struct ktap_case main_cases[] = {
	{ "only iWARP clients are accepted", test_init,
	  COVERS(iwpm_init iwpm_exit iwpm_register_pid iwpm_dev_data) },
	{ "nobody ends more than was begun", test_exits },
	{ "bad arguments", test_arguments,
	  COVERS(iwpm_add_mapping iwpm_add_and_query_mapping iwpm_remove_mapping
		 iwpm_create_mapinfo iwpm_remove_mapinfo iwpm_get_remote_info sockaddr_storage) },
	{ "one bad argument", test_one_bad_argument },
	{ "addresses that are not mapped", test_wrong_maps },
	{ "mappings are stored and removed", test_mapinfo,
	  COVERS(iwpm_create_mapinfo iwpm_remove_mapinfo sockaddr_storage) },
	{ "without a daemon, requests fail", test_no_daemon,
	  COVERS(iwpm_valid_pid iwpm_register_pid iwpm_add_mapping iwpm_add_and_query_mapping
		 iwpm_remove_mapping iwpm_sa_data) },
	{ "a mapping of the daemon", test_add },
	{ "a mapping and a query of the daemon", test_main_query },
	{ "link-local addresses of two interfaces", test_scopes },
};

static KTAP_SUITE(kt_portmap_suite, "portmap", main_cases);
static const struct ktap_suite *const suites[] = { &kt_portmap_suite, &kt_portmap_daemon_suite };
KTAP_MODULE(suites);
