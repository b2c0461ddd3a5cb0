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

#include "verbs_test.h"

/* The fastest speed that the ABI can express: IB_SPEED_NDR. */
#define SPEED_NDR	128

static int write_command(int fd, const void *command, size_t len)
{
	ssize_t ret = write(fd, command, len);

	return ret < 0 ? -errno : 0;
}

static int get_context(int fd)
{
	struct ib_uverbs_get_context_resp resp;
	const struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_get_context cmd;
	} command = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_GET_CONTEXT,
			.in_words = sizeof(command) / 4,
			.out_words = sizeof(resp) / 4,
		},
		.cmd.response = (uintptr_t)&resp,
	};

	return write_command(fd, &command, sizeof(command));
}

static int query_port(int fd, struct ib_uverbs_query_port_resp *resp)
{
	const struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_query_port cmd;
	} command = {
		.hdr = {
			.command = IB_USER_VERBS_CMD_QUERY_PORT,
			.in_words = sizeof(command) / 4,
			.out_words = sizeof(*resp) / 4,
		},
		.cmd = { .response = (uintptr_t)resp, .port_num = 1 },
	};

	return write_command(fd, &command, sizeof(command));
}

static bool fast_port(void)
{
	struct ib_uverbs_query_port_resp resp;
	int fd;

	TRY(fd = open_node("ktuser"));
	TRY(get_context(fd));
	TRY(query_port(fd, &resp));
	EXPECT(SPEED_NDR, resp.active_speed);
	EXPECT(IB_UVERBS_QPF_GRH_REQUIRED, resp.flags);
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

void test_ports(void)
{
	run("a port that is faster than the ABI can express", fast_port);
	run("a port of siw", port_of_siw);
}
