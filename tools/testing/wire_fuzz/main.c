// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Records iWARP connections between a client and a server, and replays them mutated, in place of
 * either side; floods a server with peers that it has to refuse. See usage().
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "conn.h"
#include "flood.h"
#include "iwarp/fault.h"
#include "loop.h"

#define FLIGHT_MAX	1024
#define TICK_MS		10
/* Time without a client, in ms, after which a played server gives up. */
#define NO_CLIENT_MS	20000
#define FAULTS_SHOWN	20

struct options {
	const char *command, *addr, *dir, *out;
	uint16_t port, to_port;
	uint64_t seed, first, count;
	unsigned int flight;
	bool verbose;
	struct loop_options loop;
	struct flood_options flood;
};

struct totals {
	uint64_t done, connected, accepted, rejected, resets, terminates, controls, fpdus, faults;
	uint64_t terminated[IWARP_FAULT_COUNT];
};

struct player {
	struct job job;
	const struct options *options;
	struct totals totals;
	struct conn *flight[FLIGHT_MAX];
	unsigned int in_flight;
	uint64_t next;		/* number of the next connection */
	uint64_t last_client;	/* when a connection last began or ended */
	uint64_t ticked;	/* when all connections were last run */
	int epoll;
	int listener;
};

static void usage(void)
{
	fputs("usage: wire_fuzz record --addr ADDR --port N --to-port N --out FILE\n"
	      "           forwards one connection from ADDR's port N to its port --to-port, and\n"
	      "           records it in FILE\n"
	      "       wire_fuzz client --addr ADDR --port N --dir DIR [options]\n"
	      "           replays the clients of DIR/*.stream, mutated, against a server\n"
	      "       wire_fuzz server --addr ADDR --port N --dir DIR [options]\n"
	      "           listens, and replays the servers, mutated, to clients that connect\n"
	      "       wire_fuzz loop --dev DEV --addr ADDR --port N --dir DIR [options]\n"
	      "           has kfuzz play long connections composed from DIR/*.stream, mutated, on\n"
	      "           both sides of siw device DEV, which has address ADDR; uses four ports\n"
	      "       wire_fuzz flood --addr ADDR --port N --to-port N --from ADDR [options]\n"
	      "           connects as fast as it can, as peers that have to be refused; the ULP at --to-port\n"
	      "           must reject; prints rates and memory\n"
	      "       wire_fuzz hold --addr ADDR --port N --to-port N --from ADDR --kind KIND --count N\n"
	      "           opens N such peers of a kind, and prints how much memory each takes\n"
	      "  --seed N    seed of the mutations (1)\n"
	      "  --first N   number of the first connection (0)\n"
	      "  --count N   number of connections (1000)\n"
	      "  --flight N  connections at a time (32)\n"
	      "  --verbose   prints what happens on each connection\n"
	      "of loop:\n"
	      "  --fpdus N, --seconds S  end after N FPDUs, after S seconds\n"
	      "  --corpus FILE   change the inputs in FILE further, and add those that are kept\n"
	      "  --replay        play the inputs in FILE unchanged first\n"
	      "  --journal FILE  keep the inputs that are being played in FILE\n"
	      "  --input INPUT   play only this input, which was printed, once\n"
	      "  --slow N        factor for time limits (1)\n"
	      "of flood:\n"
	      "  --seconds S     end after S seconds (0), but not before the second round\n"
	      "  --count N       three times N peers of each kind in a round (1000)\n"
	      "  --flight N      peers that stay open (32)\n"
	      "  --apart FILE    measure memory under the lock of FILE\n"
	      "The exit status is 1 if a peer misbehaved; such connections are printed.\n", stderr);
	exit(2);
}

static void count_outcome(struct player *p, const struct conn *conn)
{
	const struct outcome *o = &conn->outcome;
	struct totals *t = &p->totals;
	const char *fault = conn_fault(conn);

	t->done++;
	t->connected += o->connected;
	t->accepted += o->accepted;
	t->rejected += o->rejected;
	t->resets += o->reset;
	t->terminates += o->terminated;
	t->controls += conn->plan.control;
	t->fpdus += o->fpdus;
	if (o->terminated)
		t->terminated[iwarp_fault_from_code(o->layer, o->etype, o->code)]++;
	if (!fault || t->faults++ >= FAULTS_SHOWN)
		return;
	printf("connection %llu of seed %llu: %s (%s); ", (unsigned long long)conn->number,
	       (unsigned long long)p->job.seed, fault, conn->plan.text);
	printf("after %llu ms, %u items sent, %u received, %s\n",
	       (unsigned long long)(now_ms() - conn->began), conn->step, conn->in.count,
	       o->reset ? "reset" : "not reset");
	fflush(stdout);
}

/*
 * Watches for EPOLLOUT only while the connection needs to send, because epoll_wait() would
 * otherwise never block.
 */
static void watch(struct player *p, struct conn *conn)
{
	struct epoll_event event = {
		.events = EPOLLIN | (conn_wants_room(conn) ? EPOLLOUT : 0),
		.data.ptr = conn,
	};

	if (event.events == conn->watched)
		return;
	if (epoll_ctl(p->epoll, conn->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, conn->fd, &event))
		die("epoll: %s", strerror(errno));
	conn->watched = event.events;
}

static void add(struct player *p, int fd)
{
	struct conn *conn = conn_begin(&p->job, p->next++, fd);

	if (!conn) {
		p->totals.done++;
		return;
	}
	p->flight[p->in_flight++] = conn;
	watch(p, conn);
}

/* Begins connections until there are enough, or as many as clients have made. */
static void start_more(struct player *p)
{
	int fd = -1;

	while (p->in_flight < p->options->flight &&
	       p->next < p->options->first + p->options->count) {
		if (p->job.side == SERVER) {
			fd = accept4(p->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
			if (fd < 0)
				return;
			p->last_client = now_ms();
		}
		add(p, fd);
	}
}

static void run(struct player *p, struct conn *conn)
{
	if (conn->state == CONN_DONE)
		return;
	conn_run(conn);
	if (conn->state != CONN_DONE)
		watch(p, conn);
}

static void clean_up(struct player *p)
{
	for (unsigned int i = 0; i < p->in_flight;) {
		struct conn *conn = p->flight[i];

		if (conn->state != CONN_DONE) {
			i++;
			continue;
		}
		count_outcome(p, conn);
		conn_free(conn);
		p->flight[i] = p->flight[--p->in_flight];
		p->last_client = now_ms();
	}
}

/*
 * Runs the connections that have events. Every TICK_MS ms, runs all connections, because they have
 * time limits.
 */
static void poll_once(struct player *p)
{
	struct epoll_event events[64];
	int n;

	start_more(p);
	n = epoll_wait(p->epoll, events, 64, TICK_MS);
	for (int i = 0; i < n; i++)
		run(p, events[i].data.ptr);
	if (now_ms() - p->ticked >= TICK_MS) {
		p->ticked = now_ms();
		for (unsigned int i = 0; i < p->in_flight; i++)
			run(p, p->flight[i]);
	}
	clean_up(p);
}

static void print_totals(const struct player *p, uint64_t ms)
{
	const struct totals *t = &p->totals;

	printf("seed %llu: %llu connections, %llu a second; %llu connected, %llu accepted, ",
	       (unsigned long long)p->job.seed, (unsigned long long)t->done,
	       (unsigned long long)(ms ? t->done * 1000 / ms : 0),
	       (unsigned long long)t->connected, (unsigned long long)t->accepted);
	printf("%llu rejected, %llu terminated, %llu reset, %llu FPDUs received; ",
	       (unsigned long long)t->rejected, (unsigned long long)t->terminates,
	       (unsigned long long)t->resets, (unsigned long long)t->fpdus);
	printf("%llu unchanged, %llu wrong\n", (unsigned long long)t->controls,
	       (unsigned long long)t->faults);
	print_terminated(t->terminated);
}

static bool is_finished(const struct player *p)
{
	if (p->in_flight)
		return false;
	if (p->next == p->options->first + p->options->count)
		return true;
	return p->job.side == SERVER && now_ms() - p->last_client > NO_CLIENT_MS;
}

static int play_all(const struct options *options, enum side side)
{
	static struct player p;
	struct scripts scripts = scripts_load(options->dir);
	struct endpoint endpoint = endpoint_parse(options->addr, options->port);
	uint64_t begin = now_ms();

	p.options = options;
	p.job = (struct job) { &scripts, endpoint, side, options->seed, options->verbose };
	p.next = options->first;
	p.last_client = begin;
	p.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (side == SERVER)
		p.listener = endpoint_listen(&endpoint, SOCK_NONBLOCK);
	while (!is_finished(&p))
		poll_once(&p);
	print_totals(&p, now_ms() - begin);
	if (p.totals.done < options->count)
		printf("only %llu of %llu connections were made\n",
		       (unsigned long long)p.totals.done, (unsigned long long)options->count);
	return p.totals.faults || p.totals.done < options->count;
}

static const struct option long_options[] = {
	{ "addr", required_argument, NULL, 'a' },
	{ "port", required_argument, NULL, 'p' },
	{ "to-port", required_argument, NULL, 't' },
	{ "out", required_argument, NULL, 'o' },
	{ "dir", required_argument, NULL, 'd' },
	{ "seed", required_argument, NULL, 's' },
	{ "first", required_argument, NULL, 'f' },
	{ "count", required_argument, NULL, 'n' },
	{ "flight", required_argument, NULL, 'F' },
	{ "verbose", no_argument, NULL, 'v' },
	{ "dev", required_argument, NULL, 'D' },
	{ "fpdus", required_argument, NULL, 'N' },
	{ "seconds", required_argument, NULL, 'S' },
	{ "corpus", required_argument, NULL, 'C' },
	{ "replay", no_argument, NULL, 'R' },
	{ "journal", required_argument, NULL, 'J' },
	{ "input", required_argument, NULL, 'I' },
	{ "slow", required_argument, NULL, 'w' },
	{ "from", required_argument, NULL, 'B' },
	{ "kind", required_argument, NULL, 'K' },
	{ "apart", required_argument, NULL, 'A' },
	{}
};

static void set_loop_option(struct loop_options *o, int option)
{
	switch (option) {
	case 'D':
		o->dev = optarg;
		break;
	case 'N':
		o->fpdus = strtoull(optarg, NULL, 0);
		break;
	case 'S':
		o->seconds = strtoul(optarg, NULL, 0);
		break;
	case 'C':
		o->corpus = optarg;
		break;
	case 'R':
		o->replay = true;
		break;
	case 'J':
		o->journal = optarg;
		break;
	case 'I':
		o->input = optarg;
		break;
	case 'w':
		o->slow = strtoul(optarg, NULL, 0);
		break;
	default:
		usage();
	}
}

static void set_option(struct options *o, int option)
{
	switch (option) {
	case 'a':
		o->addr = optarg;
		break;
	case 'p':
		o->port = strtoul(optarg, NULL, 0);
		break;
	case 't':
		o->to_port = strtoul(optarg, NULL, 0);
		break;
	case 'o':
		o->out = optarg;
		break;
	case 'd':
		o->dir = optarg;
		break;
	case 's':
		o->seed = strtoull(optarg, NULL, 0);
		break;
	case 'f':
		o->first = strtoull(optarg, NULL, 0);
		break;
	case 'n':
		o->count = strtoull(optarg, NULL, 0);
		break;
	case 'F':
		o->flight = strtoul(optarg, NULL, 0);
		break;
	case 'v':
		o->verbose = true;
		break;
	case 'B':
		o->flood.from = endpoint_parse(optarg, 0);
		break;
	case 'K':
		o->flood.kind = optarg;
		break;
	case 'A':
		o->flood.apart = optarg;
		break;
	default:
		set_loop_option(&o->loop, option);
	}
}

/* Completes the options of flood() and hold(), whose peers stay open up to --flight and --count. */
static const struct flood_options *flood_options(struct options *o)
{
	o->flood.accepting = endpoint_parse(o->addr, o->port);
	o->flood.rejecting = endpoint_parse(o->addr, o->to_port);
	o->flood.seconds = o->loop.seconds;
	o->flood.count = o->count;
	o->flood.burst = o->count;
	o->flood.open_max = o->flood.kind ? o->count : o->flight;
	return &o->flood;
}

int main(int argc, char **argv)
{
	struct options o = { .seed = 1, .count = 1000, .flight = 32, .loop.slow = 1 };
	struct endpoint at, server;
	int option;

	if (argc < 2)
		usage();
	o.command = argv[1];
	while ((option = getopt_long(argc - 1, argv + 1, "", long_options, NULL)) != -1)
		set_option(&o, option);
	if (!o.addr || !o.port || !o.flight || !o.count)
		usage();
	if (!strcmp(o.command, "record") && o.out && o.to_port) {
		at = endpoint_parse(o.addr, o.port);
		server = endpoint_parse(o.addr, o.to_port);
		return record(&at, &server, o.out);
	}
	if (!strcmp(o.command, "client") && o.dir && o.flight <= FLIGHT_MAX)
		return play_all(&o, CLIENT);
	if (!strcmp(o.command, "server") && o.dir && o.flight <= FLIGHT_MAX)
		return play_all(&o, SERVER);
	if (!strcmp(o.command, "loop") && o.dir && o.loop.dev) {
		o.loop.dir = o.dir;
		o.loop.endpoint = endpoint_parse(o.addr, o.port);
		o.loop.seed = o.seed;
		return loop(&o.loop);
	}
	if (!strcmp(o.command, "flood") && o.to_port && o.flood.from.len)
		return flood(flood_options(&o));
	if (!strcmp(o.command, "hold") && o.to_port && o.flood.from.len && o.flood.kind)
		return hold(flood_options(&o));
	usage();
	return 2;
}
