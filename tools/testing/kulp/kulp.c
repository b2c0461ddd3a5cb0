// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Controls the test ULP: runs a server until a signal comes, or runs one client and prints its
 * result as text or JSON.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>

#include "tools/testing/modules/kulp/kulp_uapi.h"

static const char *const op_names[KULP_OP_COUNT] = {
	[KULP_OP_PING] = "ping",	 [KULP_OP_SEND] = "send",
	[KULP_OP_WRITE] = "write",	 [KULP_OP_READ] = "read",
	[KULP_OP_READ_INV] = "read-inv", [KULP_OP_SEND_INV] = "send-inv",
	[KULP_OP_CONNECT] = "connect",	 [KULP_OP_GET] = "get",
	[KULP_OP_PUT] = "put",		 [KULP_OP_FAULT] = "fault",
	[KULP_OP_ATOMIC] = "atomic",	 [KULP_OP_WRITE_IMM] = "write-imm",
	[KULP_OP_RW_READ] = "rw-read",	 [KULP_OP_RW_WRITE] = "rw-write",
	[KULP_OP_REMAP] = "remap",
};

static const char *const over_names[KULP_OVER_COUNT] = {
	[KULP_OVER_IW] = "iw",
	[KULP_OVER_RDMA] = "rdma",
	[KULP_OVER_TCP] = "tcp",
};

/* Values of options that have no letter. The value of a flag is OPT_FLAG | KULP_F_*. */
enum long_only {
	OPT_BACKLOG = 256,
	OPT_PDATA,
	OPT_TIMEOUT,
	OPT_SEED,
	OPT_JSON,
	OPT_OVER,
	OPT_FROM,
	OPT_NETNS,
	OPT_LIMIT,
	OPT_INTERRUPT,
	OPT_FLAG = 1 << 16,
};

static const struct option options[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "addr", required_argument, NULL, 'a' },
	{ "port", required_argument, NULL, 'p' },
	{ "over", required_argument, NULL, OPT_OVER },
	{ "from", required_argument, NULL, OPT_FROM },
	{ "netns", required_argument, NULL, OPT_NETNS },
	{ "limit", required_argument, NULL, OPT_LIMIT },
	{ "interrupt", required_argument, NULL, OPT_INTERRUPT },
	{ "op", required_argument, NULL, 'o' },
	{ "size", required_argument, NULL, 's' },
	{ "count", required_argument, NULL, 'n' },
	{ "depth", required_argument, NULL, 'D' },
	{ "qps", required_argument, NULL, 'q' },
	{ "offset", required_argument, NULL, 'O' },
	{ "file", required_argument, NULL, 'f' },
	{ "verify", no_argument, NULL, OPT_FLAG | KULP_F_VERIFY },
	{ "spoil", no_argument, NULL, OPT_FLAG | KULP_F_SPOIL },
	{ "scribble", no_argument, NULL, OPT_FLAG | KULP_F_SCRIBBLE },
	{ "lkey", no_argument, NULL, OPT_FLAG | KULP_F_LKEY },
	{ "inline", no_argument, NULL, OPT_FLAG | KULP_F_INLINE },
	{ "abrupt", no_argument, NULL, OPT_FLAG | KULP_F_ABRUPT },
	{ "reject", no_argument, NULL, OPT_FLAG | KULP_F_REJECT },
	{ "endless", no_argument, NULL, OPT_FLAG | KULP_F_ENDLESS },
	{ "solicited", no_argument, NULL, OPT_FLAG | KULP_F_SOLICITED },
	{ "client-first", no_argument, NULL, OPT_FLAG | KULP_F_CLIENT_FIRST },
	{ "srq", no_argument, NULL, OPT_FLAG | KULP_F_SRQ },
	{ "few", no_argument, NULL, OPT_FLAG | KULP_F_FEW },
	{ "copy", no_argument, NULL, OPT_FLAG | KULP_F_COPY },
	{ "together", no_argument, NULL, OPT_FLAG | KULP_F_TOGETHER },
	{ "backlog", required_argument, NULL, OPT_BACKLOG },
	{ "pdata", required_argument, NULL, OPT_PDATA },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "json", no_argument, NULL, OPT_JSON },
	{}
};

/* Numeric options, each with the offset of the member of struct kulp_args that it sets. */
static const struct {
	int option;
	size_t where;
} numbers[] = {
	{ 's', offsetof(struct kulp_args, size) },
	{ 'n', offsetof(struct kulp_args, count) },
	{ 'D', offsetof(struct kulp_args, depth) },
	{ 'q', offsetof(struct kulp_args, qps) },
	{ 'O', offsetof(struct kulp_args, offset) },
	{ OPT_BACKLOG, offsetof(struct kulp_args, backlog) },
	{ OPT_PDATA, offsetof(struct kulp_args, pdata_len) },
	{ OPT_TIMEOUT, offsetof(struct kulp_args, timeout_ms) },
};

static void usage(void)
{
	fputs("usage: kulp serve --dev DEV --addr ADDR --port N [--over WAY] [--file F]\n"
	      "                  [--backlog N] [--reject]\n"
	      "                  [--srq [--qps N] [--depth N] [--size N]]\n"
	      "       kulp run --dev DEV --addr ADDR --port N --op OP [--over WAY] [--from ADDR]\n"
	      "                [--size N] [--count N] [--depth N] [--qps N] [--offset N] [--file F] [--verify] [--spoil] [--lkey]\n"
	      "                [--inline] [--abrupt] [--solicited] [--endless] [--client-first]\n"
	      "                [--scribble] [--srq] [--few] [--copy] [--together] [--pdata N] [--timeout MS]\n"
	      "                [--seed N] [--json] [--interrupt MS]\n"
	      "OP: ping send write read read-inv send-inv connect get put fault\n"
	      "    atomic write-imm remap rw-read rw-write\n"
	      "WAY: iw (by iw_cm), rdma (by rdma_cm), tcp (a socket and no DEV, for\n"
	      "     ping send write read connect)\n"
	      "--interrupt runs endlessly, until a signal comes after MS, and then once more with the same file\n"
	      "numbers may end in k or m\n"
	      "both also take --netns NAME, of ip netns, and --limit SECONDS, after which SIGALRM ends them\n",
	      stderr);
	exit(2);
}

static int fail(const char *what)
{
	fprintf(stderr, "kulp: %s: %s\n", what, strerror(errno));
	return 1;
}

static unsigned long number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (*end == 'k')
		value <<= 10;
	else if (*end == 'm')
		value <<= 20;
	end += *end == 'k' || *end == 'm';
	if (*end || end == text)
		usage();
	return value;
}

static unsigned int number_of(const char *name, const char *const *names, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		if (!strcmp(names[i], name))
			return i;
	usage();
	return 0;
}

static void set_addr(struct __kernel_sockaddr_storage *addr, const char *text)
{
	struct sockaddr_in *in = (void *)addr;
	struct sockaddr_in6 *in6 = (void *)addr;

	if (inet_pton(AF_INET, text, &in->sin_addr) == 1)
		in->sin_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &in6->sin6_addr) == 1)
		in6->sin6_family = AF_INET6;
	else
		usage();
}

static void set_number(struct kulp_args *args, int option, const char *text)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		if (numbers[i].option == option) {
			*(__u32 *)((char *)args + numbers[i].where) = number(text);
			return;
		}
	}
	usage();
}

struct command {
	struct kulp_args args;
	unsigned long port;
	int json;
	const char *netns;
	unsigned int limit;
	unsigned int interrupt;
};

static void set_option(struct command *command, int option)
{
	struct kulp_args *args = &command->args;

	switch (option) {
	case 'd':
		snprintf(args->dev, sizeof(args->dev), "%s", optarg);
		break;
	case 'a':
		set_addr(&args->addr, optarg);
		break;
	case 'p':
		command->port = number(optarg);
		break;
	case 'o':
		args->op = number_of(optarg, op_names, KULP_OP_COUNT);
		break;
	case 'f':
		args->fd = open(optarg, O_RDWR | O_CREAT, 0600);
		if (args->fd < 0)
			exit(fail(optarg));
		break;
	case OPT_OVER:
		args->over = number_of(optarg, over_names, KULP_OVER_COUNT);
		break;
	case OPT_FROM:
		set_addr(&args->from, optarg);
		break;
	case OPT_NETNS:
		command->netns = optarg;
		break;
	case OPT_LIMIT:
		command->limit = number(optarg);
		break;
	case OPT_INTERRUPT:
		command->interrupt = number(optarg);
		break;
	case OPT_SEED:
		args->seed = number(optarg);
		break;
	case OPT_JSON:
		command->json = 1;
		break;
	default:
		set_number(args, option, optarg);
		break;
	}
}

static void parse(int argc, char **argv, struct command *command)
{
	int option;

	command->args = (struct kulp_args) {
		.op = KULP_OP_WRITE, .size = 4096, .count = 1, .depth = 16, .qps = 1,
		.timeout_ms = 30000, .backlog = 128, .fd = -1,
	};
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option & OPT_FLAG)
			command->args.flags |= option & ~OPT_FLAG;
		else
			set_option(command, option);
	}
	if (!command->port || !command->args.addr.ss_family ||
	    (!command->args.dev[0] && command->args.over != KULP_OVER_TCP))
		usage();
	/* The port is at the same offset in both address families. */
	((struct sockaddr_in *)&command->args.addr)->sin_port = htons(command->port);
}

static int enter_netns(const char *netns)
{
	char path[256];
	int fd, status;

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	status = setns(fd, CLONE_NEWNET);
	close(fd);
	return status;
}

/* Serves until SIGTERM or SIGINT. Returns an exit status, which is 1 if a connection failed. */
static int serve(int fd, struct kulp_args *args)
{
	sigset_t signals;
	int signal;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGINT);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	if (ioctl(fd, KULP_SERVE, args))
		return fail("serve");
	puts("listening");
	fflush(stdout);

	sigwait(&signals, &signal);
	if (ioctl(fd, KULP_STATUS, args) && errno != ENODEV)
		return fail("a connection failed");
	printf("served %llu connections\n", (unsigned long long)args->connects);
	return 0;
}

/* --- samples: the time of each operation --- */

/* Allocates the samples, if the operation takes any. */
static int make_samples(struct kulp_args *args)
{
	unsigned long long all = (unsigned long long)args->count * args->qps;

	if (args->op != KULP_OP_PING && args->op != KULP_OP_CONNECT)
		return 0;
	args->max_samples = all < KULP_MAX_SAMPLES ? all : KULP_MAX_SAMPLES;
	args->samples = (uintptr_t)calloc(args->max_samples + 1, sizeof(__u64));
	return args->samples ? 0 : -1;
}

static int compare(const void *a, const void *b)
{
	__u64 left = *(const __u64 *)a, right = *(const __u64 *)b;

	return (left > right) - (left < right);
}

/*
 * Returns the quantile @thousandths / 1000 of the sorted samples in microseconds, by the
 * nearest-rank method.
 */
static double quantile(const struct kulp_args *args, unsigned int thousandths)
{
	const __u64 *samples = (const void *)(uintptr_t)args->samples;
	unsigned long long rank = (1ULL * args->num_samples * thousandths + 999) / 1000;

	return samples[rank ? rank - 1 : 0] / 1000.0;
}

/* --- result --- */

static void print_json(const struct kulp_args *args, double usec, double mbps, double per_op)
{
	printf("{\"op\":\"%s\",\"over\":\"%s\",\"size\":%u,\"depth\":%u,\"qps\":%u,",
	       op_names[args->op], over_names[args->over], args->size, args->depth, args->qps);
	printf("\"ops\":%llu,\"bytes\":%llu,", (unsigned long long)args->ops,
	       (unsigned long long)args->bytes);
	printf("\"usec\":%.1f,\"MBps\":%.2f,\"usec_per_op\":%.2f", usec, mbps, per_op);
	if (args->num_samples) {
		printf(",\"samples\":%u,\"min_us\":%.3f,\"p50_us\":%.3f,\"p99_us\":%.3f,",
		       args->num_samples, quantile(args, 0), quantile(args, 500),
		       quantile(args, 990));
		printf("\"p999_us\":%.3f,\"max_us\":%.3f,\"cdf_us\":[", quantile(args, 999),
		       quantile(args, 1000));
		for (unsigned int percent = 0; percent <= 100; percent++)
			printf("%s%.3f", percent ? "," : "", quantile(args, percent * 10));
		printf("]");
	}
	puts("}");
}

static void print_result(const struct kulp_args *args, int json)
{
	double usec = args->nsec / 1000.0;
	double mbps = args->nsec ? args->bytes * 1000.0 / args->nsec : 0;
	double per_op = args->ops ? usec / args->ops : 0;

	if (args->num_samples)
		qsort((void *)(uintptr_t)args->samples, args->num_samples, sizeof(__u64), compare);
	if (json) {
		print_json(args, usec, mbps, per_op);
		return;
	}
	printf("%s %u bytes: %llu operations, %llu bytes in %.1f us, %.2f MB/s, %.2f us each\n",
	       op_names[args->op], args->size, (unsigned long long)args->ops,
	       (unsigned long long)args->bytes, usec, mbps, per_op);
	if (args->num_samples)
		printf("of %u: p50 %.2f us, p99 %.2f us, p99.9 %.2f us\n", args->num_samples,
		       quantile(args, 500), quantile(args, 990), quantile(args, 999));
}

/* --- interruption --- */

static void on_alarm(int signal)
{
	(void)signal;
}

/* Runs a client without end, and interrupts it by a signal after @ms. */
static void run_interrupted(int fd, const struct kulp_args *args, unsigned int ms)
{
	const struct sigaction action = { .sa_handler = on_alarm };
	const struct itimerval timer = {
		.it_value = { .tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000 },
	};
	struct kulp_args endless = *args;

	endless.flags |= KULP_F_ENDLESS;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	ioctl(fd, KULP_RUN, &endless);
}

int main(int argc, char **argv)
{
	struct command command = {};
	struct kulp_args *args = &command.args;
	int fd;

	if (argc < 2)
		usage();
	parse(argc - 1, argv + 1, &command);
	if (command.netns && enter_netns(command.netns))
		return fail(command.netns);
	alarm(command.limit);
	fd = open("/dev/kulp", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return fail("/dev/kulp");
	if (!strcmp(argv[1], "serve"))
		return serve(fd, args);
	if (strcmp(argv[1], "run"))
		usage();
	if (make_samples(args))
		return fail("samples");
	if (command.interrupt)
		run_interrupted(fd, args, command.interrupt);
	if (ioctl(fd, KULP_RUN, args))
		return fail("run");
	print_result(args, command.json);
	return 0;
}
