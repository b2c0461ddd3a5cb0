// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: what a process is told about ports. Devices of kt_link.ko have kinds of ports that
 * siw devices do not have. libibverbs has no library for these devices, so commands are written to
 * the device nodes.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "tools/testing/lib/command.h"
#include "verbs_test.h"

/* The fastest speed that the ABI can express: IB_SPEED_NDR. */
#define SPEED_NDR	128

static int query_port(int fd, struct ib_uverbs_query_port_resp *resp)
{
	struct ib_uverbs_query_port cmd = { .port_num = 1 };

	return asked(fd, QUERY_PORT, cmd, *resp);
}

static bool fast_port(void)
{
	struct ib_uverbs_query_port_resp resp;
	int fd;

	TRY(fd = open_context("ktuser"));
	TRY(query_port(fd, &resp));
	EXPECT(SPEED_NDR, resp.active_speed);
	EXPECT(IB_UVERBS_QPF_GRH_REQUIRED, resp.flags);
	/* An extended LID does not fit. */
	EXPECT(0, resp.lid);
	EXPECT(0xbfff, resp.sm_lid);
	EXPECT(IB_UVERBS_PCF_IP_BASED_GIDS | 1 << 16 | 1 << 19, resp.port_cap_flags);
	return true;
}

/* The ABI has one limit for send and receive requests. */
static bool unequal_limits(void)
{
	struct ib_uverbs_query_device_resp resp;
	struct ib_uverbs_query_device cmd = {};
	int fd;

	TRY(fd = open_context("ktuser"));
	TRY(asked(fd, QUERY_DEVICE, cmd, resp));
	EXPECT(3, resp.max_sge);
	return true;
}

static bool port_of_siw(void)
{
	struct ib_uverbs_query_port_resp resp;
	struct rdma_cm_id *listener;

	TRY(listener_id(NULL, &listener));
	TRY(query_port(listener->verbs->cmd_fd, &resp));
	EXPECT(0, resp.flags);
	TRY(sys(rdma_destroy_id(listener)));
	return true;
}

const struct test ports_tests[] = {
	{ "a port that is faster than the ABI can express", fast_port },
	{ "a device with two limits for SGEs", unequal_limits },
	{ "a port of siw", port_of_siw },
	{}
};
