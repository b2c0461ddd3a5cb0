// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Fault injection through debugfs, which lib_failures.sh has set up, and the devices' resources by
 * netlink and from kt_user.ko.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fault_test.h"
#include "tools/testing/lib/command.h"
#include "tools/testing/lib/die.h"

const char *const kinds[] = { "failslab", "fail_page_alloc", NULL };

enum attribute { PROBABILITY, INTERVAL, TIMES, COUNT, NR_ATTRIBUTES };

static const char *const attributes[] = { "probability", "interval", "times", "count" };
static int files[2][NR_ATTRIBUTES]; /* for writing; a file can be read once after it was opened */

static int open_attribute(int kind, enum attribute attribute, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/debug/%s/%s", kinds[kind],
		 attributes[attribute]);
	fd = open(path, flags | O_CLOEXEC);
	if (fd < 0)
		die("%s: %m", path);
	return fd;
}

void inject_open(void)
{
	int kind, i;

	for (kind = 0; kinds[kind]; kind++)
		for (i = 0; i < NR_ATTRIBUTES; i++)
			files[kind][i] = open_attribute(kind, i, O_WRONLY);
}

static void set(int kind, enum attribute attribute, unsigned int value)
{
	char text[16];
	int length = snprintf(text, sizeof(text), "%u", value);

	if (write(files[kind][attribute], text, length) != length)
		die("%s: %m", attributes[attribute]);
}

void fail_nth(int kind, unsigned int n)
{
	set(kind, COUNT, 0);
	set(kind, INTERVAL, n);
	set(kind, TIMES, 1);
	set(kind, PROBABILITY, 100);
}

bool stop_failing(int kind)
{
	char text[16] = "";
	int fd;

	set(kind, PROBABILITY, 0);
	fd = open_attribute(kind, TIMES, O_RDONLY);
	if (read(fd, text, sizeof(text) - 1) < 1)
		die("times: %m");
	close(fd);
	return !atoi(text);
}

/*
 * Writes the numbers of all devices' objects to @to, then those of what netlink does not count.
 * Returns how many bytes these numbers have.
 */
static size_t read_resources(char *to, size_t room)
{
	struct nlmsghdr request = {
		.nlmsg_len = sizeof(request),
		.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_RES_GET),
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
	};
	int sock = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	static char buffer[65536];
	struct nlmsghdr *nlh;
	bool done = false;
	size_t length = 0;
	int counts[] = {
		ktu_count("objects"), ktu_count("handles"), ktu_count("windows"),
		ktu_count("domains"), ktu_count("attached"),
	};
	int got;

	if (sock < 0 || send(sock, &request, sizeof(request), 0) < 0)
		die("netlink: %m");
	while (!done) {
		got = recv(sock, buffer, sizeof(buffer), 0);
		if (got < 0)
			die("netlink: %m");
		for (nlh = (void *)buffer; NLMSG_OK(nlh, (unsigned int)got);
		     nlh = NLMSG_NEXT(nlh, got)) {
			if (nlh->nlmsg_type == NLMSG_DONE || nlh->nlmsg_type == NLMSG_ERROR) {
				done = true;
				break;
			}
			if (length + NLMSG_PAYLOAD(nlh, 0) <= room)
				memcpy(to + length, NLMSG_DATA(nlh), NLMSG_PAYLOAD(nlh, 0));
			length += NLMSG_PAYLOAD(nlh, 0);
		}
	}
	close(sock);
	if (length + sizeof(counts) <= room)
		memcpy(to + length, counts, sizeof(counts));
	return length + sizeof(counts);
}

static char remembered[16384];
static size_t remembered_length;

void remember_resources(void)
{
	remembered_length = read_resources(remembered, sizeof(remembered));
}

bool nothing_left(void)
{
	static char now[sizeof(remembered)];
	int waited;

	for (waited = 0; waited < time_limit; waited += 2) {
		if (read_resources(now, sizeof(now)) == remembered_length &&
		    !memcmp(now, remembered, remembered_length))
			return true;
		usleep(2000);
	}
	return false;
}
