// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Drives the test ULP: a server until a signal comes, or one client run, with the result as text or JSON.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "tools/testing/modules/kulp/kulp_uapi.h"

static const char *const op_names[KULP_OP_COUNT] = {
	[KULP_OP_PING] = "ping",	 [KULP_OP_SEND] = "send",
	[KULP_OP_WRITE] = "write",	 [KULP_OP_READ] = "read",
	[KULP_OP_READ_INV] = "read-inv", [KULP_OP_SEND_INV] = "send-inv",
	[KULP_OP_CONNECT] = "connect",	 [KULP_OP_GET] = "get",
	[KULP_OP_PUT] = "put",
};

enum long_only {
	OPT_VERIFY = 256,
	OPT_LKEY,
	OPT_INLINE,
	OPT_ABRUPT,
	OPT_REJECT,
	OPT_ENDLESS,
	OPT_SOLICITED,
	OPT_CLIENT_FIRST,
	OPT_BACKLOG,
	OPT_PDATA,
	OPT_TIMEOUT,
	OPT_SEED,
	OPT_JSON,
};

static const struct option options[] = {
	{ "dev", required_argument, NULL, 'd' },
	{ "addr", required_argument, NULL, 'a' },
	{ "port", required_argument, NULL, 'p' },
	{ "op", required_argument, NULL, 'o' },
	{ "size", required_argument, NULL, 's' },
	{ "count", required_argument, NULL, 'n' },
	{ "depth", required_argument, NULL, 'D' },
	{ "qps", required_argument, NULL, 'q' },
	{ "offset", required_argument, NULL, 'O' },
	{ "file", required_argument, NULL, 'f' },
	{ "verify", no_argument, NULL, OPT_VERIFY },
	{ "lkey", no_argument, NULL, OPT_LKEY },
	{ "inline", no_argument, NULL, OPT_INLINE },
	{ "abrupt", no_argument, NULL, OPT_ABRUPT },
	{ "reject", no_argument, NULL, OPT_REJECT },
	{ "endless", no_argument, NULL, OPT_ENDLESS },
	{ "solicited", no_argument, NULL, OPT_SOLICITED },
	{ "client-first", no_argument, NULL, OPT_CLIENT_FIRST },
	{ "backlog", required_argument, NULL, OPT_BACKLOG },
	{ "pdata", required_argument, NULL, OPT_PDATA },
	{ "timeout", required_argument, NULL, OPT_TIMEOUT },
	{ "seed", required_argument, NULL, OPT_SEED },
	{ "json", no_argument, NULL, OPT_JSON },
	{}
};

static void usage(void)
{
	fputs("usage: kulp serve --dev DEV --addr ADDR --port N [--file F] [--backlog N] [--reject]\n"
	      "       kulp run --dev DEV --addr ADDR --port N --op OP [--size N] [--count N] [--depth N] [--qps N]\n"
	      "                [--offset N] [--file F] [--verify] [--lkey] [--inline] [--abrupt] [--solicited]\n"
	      "                [--endless] [--client-first] [--pdata N] [--timeout MS] [--seed N] [--json]\n"
	      "OP: ping send write read read-inv send-inv connect get put; sizes may end in k or m\n", stderr);
	exit(2);
}

static unsigned long number(const char *text)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (*end == 'k')
		value <<= 10, end++;
	else if (*end == 'm')
		value <<= 20, end++;
	if (*end || end == text)
		usage();
	return value;
}

static unsigned int op_number(const char *name)
{
	for (unsigned int op = 0; op < KULP_OP_COUNT; op++)
		if (!strcmp(op_names[op], name))
			return op;
	usage();
	return 0;
}

static void set_addr(struct kulp_args *args, const char *text)
{
	struct sockaddr_in *in = (void *)&args->addr;
	struct sockaddr_in6 *in6 = (void *)&args->addr;

	if (inet_pton(AF_INET, text, &in->sin_addr) == 1)
		in->sin_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &in6->sin6_addr) == 1)
		in6->sin6_family = AF_INET6;
	else
		usage();
}

/* The port stands at the same place for both families. */
static void set_port(struct kulp_args *args, unsigned long port)
{
	((struct sockaddr_in *)&args->addr)->sin_port = htons(port);
}

static void open_file(struct kulp_args *args, const char *path)
{
	args->fd = open(path, O_RDWR | O_CREAT, 0600);
	if (args->fd < 0) {
		perror(path);
		exit(1);
	}
}

static void set_flag(struct kulp_args *args, int option)
{
	switch (option) {
	case OPT_VERIFY: args->flags |= KULP_F_VERIFY; break;
	case OPT_LKEY: args->flags |= KULP_F_LKEY; break;
	case OPT_INLINE: args->flags |= KULP_F_INLINE; break;
	case OPT_ABRUPT: args->flags |= KULP_F_ABRUPT; break;
	case OPT_REJECT: args->flags |= KULP_F_REJECT; break;
	case OPT_ENDLESS: args->flags |= KULP_F_ENDLESS; break;
	case OPT_SOLICITED: args->flags |= KULP_F_SOLICITED; break;
	case OPT_CLIENT_FIRST: args->flags |= KULP_F_CLIENT_FIRST; break;
	default: usage();
	}
}

static int parse(int argc, char **argv, struct kulp_args *args)
{
	unsigned long port = 0;
	int option, json = 0;

	*args = (struct kulp_args) {
		.op = KULP_OP_WRITE, .size = 4096, .count = 1, .depth = 16, .qps = 1,
		.timeout_ms = 30000, .backlog = 128, .fd = -1,
	};
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (option) {
		case 'd': snprintf(args->dev, sizeof(args->dev), "%s", optarg); break;
		case 'a': set_addr(args, optarg); break;
		case 'p': port = number(optarg); break;
		case 'o': args->op = op_number(optarg); break;
		case 's': args->size = number(optarg); break;
		case 'n': args->count = number(optarg); break;
		case 'D': args->depth = number(optarg); break;
		case 'q': args->qps = number(optarg); break;
		case 'O': args->offset = number(optarg); break;
		case 'f': open_file(args, optarg); break;
		case OPT_BACKLOG: args->backlog = number(optarg); break;
		case OPT_PDATA: args->pdata_len = number(optarg); break;
		case OPT_TIMEOUT: args->timeout_ms = number(optarg); break;
		case OPT_SEED: args->seed = number(optarg); break;
		case OPT_JSON: json = 1; break;
		default: set_flag(args, option); break;
		}
	}
	if (!port || !args->addr.ss_family || !args->dev[0])
		usage();
	set_port(args, port);
	return json;
}

static int fail(const char *what)
{
	fprintf(stderr, "kulp: %s: %s\n", what, strerror(errno));
	return 1;
}

/* Ends at SIGTERM, SIGINT or the end of standard input's owner; the exit status tells of failed connections. */
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

static void print_result(const struct kulp_args *args, int json)
{
	double usec = args->nsec / 1000.0;
	double mbps = args->nsec ? args->bytes * 1000.0 / args->nsec : 0;
	double per_op = args->ops ? usec / args->ops : 0;

	if (json)
		printf("{\"op\":\"%s\",\"size\":%u,\"qps\":%u,\"ops\":%llu,\"bytes\":%llu,\"usec\":%.1f,\"MBps\":%.2f,\"usec_per_op\":%.2f}\n",
		       op_names[args->op], args->size, args->qps, (unsigned long long)args->ops,
		       (unsigned long long)args->bytes, usec, mbps, per_op);
	else
		printf("%s %u bytes: %llu operations, %llu bytes in %.1f us, %.2f MB/s, %.2f us each\n",
		       op_names[args->op], args->size, (unsigned long long)args->ops,
		       (unsigned long long)args->bytes, usec, mbps, per_op);
}

int main(int argc, char **argv)
{
	struct kulp_args args;
	int fd, json;

	if (argc < 2)
		usage();
	json = parse(argc - 1, argv + 1, &args);
	fd = open("/dev/kulp", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return fail("/dev/kulp");
	if (!strcmp(argv[1], "serve"))
		return serve(fd, &args);
	if (strcmp(argv[1], "run"))
		usage();
	if (ioctl(fd, KULP_RUN, &args))
		return fail("run");
	print_result(&args, json);
	return 0;
}
