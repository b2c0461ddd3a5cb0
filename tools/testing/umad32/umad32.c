// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * umad32 NODE old|new PORT ATTRIBUTE
 *
 * A 32-bit process asks the node that is behind PORT of the first switch for an attribute of
 * subnet management, by a directed route, and prints its 64 bytes as smpdump does. NODE is such as
 * /dev/infiniband/umad0. With "old", datagrams have a header of 56 bytes, and the agent is
 * registered by IB_USER_MAD_REGISTER_AGENT; with "new", 64 bytes, and IB_USER_MAD_REGISTER_AGENT2.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/ib_user_mad.h>

#include "../lib/die.h"
#include "../lib/smp.h"

#define TIMEOUT_MS 10000
#define HOPS 2

_Static_assert(sizeof(void *) == 4, "this is for 32-bit processes");

/* Bytes before a MAD in reads and writes of the node. */
static size_t header = sizeof(struct ib_user_mad_hdr_old);

static __u32 register_old(int fd)
{
	struct ib_user_mad_reg_req request = {
		.mgmt_class = SMP_CLASS_DIRECTED,
		.mgmt_class_version = 1,
	};

	if (ioctl(fd, IB_USER_MAD_REGISTER_AGENT, &request))
		die("IB_USER_MAD_REGISTER_AGENT: %m");
	return request.id;
}

static __u32 register_new(int fd)
{
	struct ib_user_mad_reg_req2 request = {
		.mgmt_class = SMP_CLASS_DIRECTED,
		.mgmt_class_version = 1,
	};

	if (ioctl(fd, IB_USER_MAD_ENABLE_PKEY))
		die("IB_USER_MAD_ENABLE_PKEY: %m");
	header = sizeof(struct ib_user_mad_hdr);
	if (ioctl(fd, IB_USER_MAD_REGISTER_AGENT2, &request))
		die("IB_USER_MAD_REGISTER_AGENT2: %m");
	return request.id;
}

static void ask(int fd, __u32 agent, __u8 port, __u16 attribute)
{
	unsigned char buffer[sizeof(struct ib_user_mad_hdr) + sizeof(struct smp)] = {};
	struct ib_user_mad_hdr *head = (struct ib_user_mad_hdr *)buffer;
	struct smp *smp = (struct smp *)(buffer + header);
	ssize_t length = header + sizeof(*smp);

	head->id = agent;
	head->timeout_ms = TIMEOUT_MS;
	head->lid = htons(0xffff);
	*smp = smp_get(attribute, HOPS);
	smp->tid = htobe64(1);
	smp->initial_path[1] = 1;
	smp->initial_path[2] = port;
	if (write(fd, buffer, length) != length)
		die("write: %m");
}

/* Expects that a read which has no room for a datagram fails, and takes nothing. */
static void read_too_little(int fd)
{
	unsigned char buffer[sizeof(struct ib_user_mad_hdr) + sizeof(struct smp)];

	if (read(fd, buffer, header + 100) >= 0 || errno != EINVAL)
		die("a read of too few bytes: %m");
}

static void print_answer(int fd, __u32 agent)
{
	unsigned char buffer[sizeof(struct ib_user_mad_hdr) + sizeof(struct smp)];
	struct ib_user_mad_hdr *head = (struct ib_user_mad_hdr *)buffer;
	struct smp *smp = (struct smp *)(buffer + header);
	ssize_t length = header + sizeof(*smp);
	size_t i;

	if (read(fd, buffer, length) != length)
		die("read: %m");
	if (head->id != agent || head->status)
		die("agent %u, status %u", head->id, head->status);
	for (i = 0; i < sizeof(smp->data); i += 2)
		printf("%02x%02x%s", smp->data[i], smp->data[i + 1], i % 16 == 14 ? "\n" : " ");
	printf("SMP status: 0x%04x\n", ntohs(smp->status));
}

/* Expects that the agent goes once, and not twice. */
static void unregister(int fd, __u32 agent)
{
	if (ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &agent))
		die("IB_USER_MAD_UNREGISTER_AGENT: %m");
	if (!ioctl(fd, IB_USER_MAD_UNREGISTER_AGENT, &agent) || errno != EINVAL)
		die("IB_USER_MAD_UNREGISTER_AGENT, again: %m");
}

int main(int argc, char *argv[])
{
	struct pollfd ready = { .events = POLLIN };
	__u32 agent;

	if (argc != 5)
		die("NODE old|new PORT ATTRIBUTE");
	ready.fd = open(argv[1], O_RDWR);
	if (ready.fd < 0)
		die("%s: %m", argv[1]);
	agent = strcmp(argv[2], "old") ? register_new(ready.fd) : register_old(ready.fd);
	ask(ready.fd, agent, atoi(argv[3]), strtoul(argv[4], NULL, 0));
	if (poll(&ready, 1, TIMEOUT_MS) != 1)
		die("no answer");
	read_too_little(ready.fd);
	print_answer(ready.fd, agent);
	unregister(ready.fd, agent);
	return 0;
}
