// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * smp_rate NODE WINDOW SECONDS PORT...
 *
 * Asks the node at the end of a directed route for its NodeInfo, again and again, with up to WINDOW
 * requests at a time, by one file such as /dev/infiniband/umad0; prints how many answers came in a
 * second. The route leaves each node by the next PORT. Runs over ibsim as well, whose library
 * intercepts the system calls, and wants the shorter form of the header.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <rdma/ib_user_mad.h>

#include "../lib/clock.h"
#include "../lib/die.h"
#include "../lib/smp.h"

#define TIMEOUT_MS 1000
#define MAX_HOPS 63
#define NODE_INFO 0x11

/* A request with a directed route, or its answer. */
struct request {
	struct ib_user_mad_hdr_old header;
	struct smp smp;
} __attribute__((packed, aligned(8)));

static void fill(struct request *request, __u32 agent, int hops, char *ports[])
{
	int i;

	*request = (struct request){
		.header = {
			.id = agent,
			.timeout_ms = TIMEOUT_MS,
			.length = 256,
			.lid = htons(0xffff),
		},
		.smp = smp_get(NODE_INFO, hops),
	};
	for (i = 0; i < hops; i++)
		request->smp.initial_path[i + 1] = atoi(ports[i]);
}

static void ask(int fd, struct request *request)
{
	static __u32 tid;

	request->smp.tid = htobe64(++tid);
	if (write(fd, request, sizeof(*request)) != sizeof(*request))
		die("write: %m");
}

static void get_answer(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	struct request answer;

	if (poll(&ready, 1, 2 * TIMEOUT_MS) != 1)
		die("no answer");
	if (read(fd, &answer, sizeof(answer)) != sizeof(answer))
		die("read: %m");
	if (answer.header.status)
		die("a request without an answer: status %u", answer.header.status);
}

int main(int argc, char *argv[])
{
	struct ib_user_mad_reg_req agent = {
		.mgmt_class = SMP_CLASS_DIRECTED,
		.mgmt_class_version = 1,
	};
	int hops = argc - 4, waiting, fd;
	unsigned long answers = 0;
	struct request request;
	int64_t start, us;

	if (hops < 0 || hops > MAX_HOPS)
		die("NODE WINDOW SECONDS PORT...");
	fd = open(argv[1], O_RDWR);
	if (fd < 0)
		die("%s: %m", argv[1]);
	if (ioctl(fd, IB_USER_MAD_REGISTER_AGENT, &agent))
		die("IB_USER_MAD_REGISTER_AGENT: %m");
	fill(&request, agent.id, hops, argv + 4);
	for (waiting = 0; waiting < atoi(argv[2]); waiting++)
		ask(fd, &request);
	start = now_us();
	do {
		get_answer(fd);
		ask(fd, &request);
		answers++;
		us = now_us() - start;
	} while (us < atoll(argv[3]) * 1000000);
	while (waiting--)
		get_answer(fd);
	printf("%lld\n", answers * 1000000ll / us);
	return 0;
}
