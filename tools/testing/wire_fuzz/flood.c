// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A flood of peers that siw has to refuse. One connection is made after the other, without waiting
 * for an answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "flood.h"
#include "iwarp/mpa.h"
#include "memory.h"

#ifndef IP_BIND_ADDRESS_NO_PORT
#define IP_BIND_ADDRESS_NO_PORT 24
#endif

/* How long to wait for TCP's handshake, in ms. */
#define CONNECT_MS	200
/* Bytes that a peer sends behind its request, more than siw takes before its reply. */
#define EXCESS_LEN	(64 * 1024)
/* While siw drops what peers have sent, memory is measured so often, and so long at most, in ms. */
#define SETTLE_STEP_MS	100
#define SETTLE_MS	10000

/**
 * struct kind - what a peer sends
 * @name: name of the kind
 * @rejected: connects to the listener that rejects
 * @key: first bytes of the request, instead of the right key; or NULL
 * @rev: revision of the request
 * @pd_len: length of the private data, as the request says
 * @permille: part of the request that is sent
 * @excess: bytes that follow the request
 */
struct kind {
	const char *name;
	bool rejected;
	const char *key;
	uint8_t rev;
	uint16_t pd_len;
	uint32_t permille;
	uint32_t excess;
};

static const struct kind kinds[] = {
	{ .name = "silent", .rev = 1 },
	{ .name = "half", .rev = 1, .pd_len = 100, .permille = 500 },
	{ .name = "key", .rev = 1, .key = "GET / HTTP/1.1\r\n", .permille = 1000 },
	{ .name = "revision", .rev = 3, .permille = 1000 },
	{ .name = "length", .rev = 1, .pd_len = MPA_PD_MAX + 1, .permille = 1000 },
	{ .name = "rejected", .rejected = true, .rev = 1, .permille = 1000 },
	{ .name = "excess", .rejected = true, .rev = 1, .permille = 1000, .excess = EXCESS_LEN },
};

#define KINDS ARRAY_SIZE(kinds)

enum leaving { LEAVE_CLOSE, LEAVE_RESET, LEAVE_STAY, LEAVINGS };

struct flooder {
	const struct flood_options *options;
	uint8_t bytes[MPA_HDR_LEN + MPA_PD_MAX + 1 + EXCESS_LEN];
	int *open;		/* ring of the peers that stay */
	uint64_t num_open;	/* number of peers that have ever been in @open */
	uint64_t connected[KINDS], failed[KINDS];
	uint64_t wrong;		/* number of peers that siw has to count as wrong */
	uint64_t usec[KINDS];
};

/* Writes what a peer of this kind sends to @buf, and returns its length. */
static size_t compose(const struct kind *kind, uint8_t *buf)
{
	uint32_t len = MPA_HDR_LEN + kind->pd_len;

	memset(buf, 0, len + kind->excess);
	memcpy(buf, kind->key ?: MPA_KEY_REQUEST, MPA_KEY_LEN);
	buf[16] = MPA_FLAG_CRC;
	buf[17] = kind->rev;
	buf[18] = kind->pd_len >> 8;
	buf[19] = kind->pd_len & 0xff;
	return len * kind->permille / 1000 + kind->excess;
}

/* Returns a connected socket, or -1. */
static int connect_one(const struct flood_options *o, const struct endpoint *to)
{
	int fd = socket(to->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct pollfd poller = { .fd = fd, .events = POLLOUT };
	int one = 1;

	if (fd < 0)
		die("socket: %s", strerror(errno));
	/* Without this option, there are only as many connections as ports, wherever they lead. */
	setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof(one));
	if (bind(fd, (const struct sockaddr *)&o->from.addr, o->from.len))
		die("bind: %s", strerror(errno));
	if ((connect(fd, (const struct sockaddr *)&to->addr, to->len) && errno != EINPROGRESS) ||
	    poll(&poller, 1, CONNECT_MS) != 1 || poller.revents & POLLERR) {
		close(fd);
		return -1;
	}
	return fd;
}

static void close_fd(int fd, bool reset)
{
	const struct linger hard = { .l_onoff = 1 };

	if (reset)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof(hard));
	close(fd);
}

static void make_peer(struct flooder *f, uint32_t k, enum leaving leaving)
{
	const struct flood_options *o = f->options;
	size_t len = compose(&kinds[k], f->bytes);
	int fd = connect_one(o, kinds[k].rejected ? &o->rejecting : &o->accepting);
	int *place;

	if (fd < 0) {
		f->failed[k]++;
		return;
	}
	f->connected[k]++;
	/* TCP may reset a connection before siw has accepted it. */
	f->wrong += !kinds[k].rejected && leaving != LEAVE_RESET;
	/* The peer may have reset the connection, or take less, which does not matter. */
	if (len)
		(void)!send(fd, f->bytes, len, MSG_NOSIGNAL);
	if (leaving != LEAVE_STAY) {
		close_fd(fd, leaving == LEAVE_RESET);
		return;
	}
	/* Stay without reading, in place of the oldest such peer if there are too many. */
	place = &f->open[f->num_open % o->open_max];
	if (f->num_open++ >= o->open_max)
		close_fd(*place, false);
	*place = fd;
}

static void begin(struct flooder *f, const struct flood_options *options)
{
	struct rlimit files = { options->open_max + 100, options->open_max + 100 };

	memset(f, 0, sizeof(*f));
	f->options = options;
	f->open = calloc(options->open_max, sizeof(*f->open));
	if (!f->open || setrlimit(RLIMIT_NOFILE, &files))
		die("no memory, or too many files");
	/* Our own memory must not count as that of the peers. */
	memset(f->open, 0xff, options->open_max * sizeof(*f->open));
	memset(f->bytes, 0xff, sizeof(f->bytes));
}

static void end(struct flooder *f)
{
	uint64_t n = f->num_open < f->options->open_max ? f->num_open : f->options->open_max;

	for (uint64_t i = 0; i < n; i++)
		close_fd(f->open[i], false);
	free(f->open);
}

static void print_rates(const struct flooder *f)
{
	uint64_t connected = 0, failed = 0, usec = 0;

	for (uint32_t k = 0; k < KINDS; k++) {
		connected += f->connected[k];
		failed += f->failed[k];
		usec += f->usec[k];
		printf("%s: %llu connections, %llu a second\n", kinds[k].name,
		       (unsigned long long)f->connected[k],
		       (unsigned long long)(f->connected[k] * 1000000 / f->usec[k]));
	}
	printf("all: connected=%llu wrong=%llu failed=%llu per_second=%llu\n",
	       (unsigned long long)connected, (unsigned long long)f->wrong,
	       (unsigned long long)failed, (unsigned long long)(connected * 1000000 / usec));
}

static void keep_most(struct memory *most, const struct memory *now)
{
	if (most->used < now->used)
		most->used = now->used;
	if (most->sockets < now->sockets)
		most->sockets = now->sockets;
	if (most->buffers < now->buffers)
		most->buffers = now->buffers;
}

/*
 * Measures memory when it shrinks no more: what was closed is freed after a grace period of RCU,
 * and by work items.
 */
static struct memory settled_memory(void)
{
	struct memory last, now = memory_now();
	uint64_t settling = now_ms();

	do {
		last = now;
		poll(NULL, 0, SETTLE_STEP_MS);
		now = memory_now();
	} while (now.used < last.used && now_ms() - settling < SETTLE_MS);
	return now;
}

/* Measures memory under the lock of the file @apart, which may be NULL. */
static struct memory measure_apart(const char *apart)
{
	int fd = apart ? open(apart, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	struct memory now;

	if (apart && (fd < 0 || flock(fd, LOCK_EX)))
		die("cannot lock %s", apart);
	now = settled_memory();
	if (fd >= 0)
		close(fd);
	return now;
}

/*
 * A burst fills the tables of siw and TCP, so the first half of the rounds uses as much memory as
 * any later one may.
 */
int flood(const struct flood_options *options)
{
	struct memory before, now, halves[2] = {};
	uint64_t length = options->seconds * 1000ull;
	static struct flooder f;
	uint64_t started, burst;

	begin(&f, options);
	before = measure_apart(options->apart);
	started = now_ms();
	for (uint32_t round = 0; round < 2 || now_ms() - started < length; round++) {
		bool late = round && now_ms() - started >= length / 2;

		for (uint32_t k = 0; k < KINDS; k++) {
			/* Peers that leave in each way, and that stay at last. */
			burst = now_us();
			for (enum leaving leaving = 0; leaving < LEAVINGS; leaving++)
				for (uint32_t i = 0; i < options->burst; i++)
					make_peer(&f, k, leaving);
			f.usec[k] += now_us() - burst;
			now = measure_apart(options->apart);
			keep_most(&halves[late], &now);
		}
	}
	print_rates(&f);
	printf("memory in KiB: before=%ld first_half=%ld second_half=%ld\n", before.used,
	       halves[0].used, halves[1].used);
	printf("sockets: before=%ld first_half=%ld second_half=%ld\n", before.sockets,
	       halves[0].sockets, halves[1].sockets);
	printf("queues in KiB: before=%ld first_half=%ld second_half=%ld\n", before.buffers,
	       halves[0].buffers, halves[1].buffers);
	end(&f);
	return 0;
}

int hold(const struct flood_options *options)
{
	struct memory before, now;
	static struct flooder f;
	uint32_t k = 0;

	while (k < KINDS && strcmp(kinds[k].name, options->kind))
		k++;
	if (k == KINDS)
		die("no kind %s", options->kind);
	begin(&f, options);
	before = memory_now();
	for (uint32_t i = 0; i < options->count; i++)
		make_peer(&f, k, LEAVE_STAY);
	now = settled_memory();
	printf("%s: used=%ld peers=%llu sockets=%ld bytes_each=%ld buffers_each=%ld\n",
	       options->kind, before.used, (unsigned long long)f.connected[k],
	       now.sockets - before.sockets,
	       (now.used - before.used) * 1024 / options->count,
	       (now.buffers - before.buffers) * 1024 / options->count);
	end(&f);
	return f.connected[k] < options->count;
}
