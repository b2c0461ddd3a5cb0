// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends messages over TCP between processes, to measure how fast the machine is at this moment.
 *
 *	tcp_pingpong serve PORT		serves one connection
 *	tcp_pingpong keep PORT		serves any number of connections
 *	tcp_pingpong ADDR PORT SIZE COUNT
 *					round trips; prints median and mean of one, in microseconds
 *	tcp_pingpong ping FROM ADDR PORT SIZE COUNT
 *					prints percentiles as JSON; FROM is our own address
 *	tcp_pingpong stream FROM ADDR PORT SIZE COUNT CONNECTIONS
 *					COUNT messages one way on each connection; prints JSON
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/testing/lib/die.h"
#include "tools/testing/lib/listen.h"

#define MAX_SIZE	(1 << 20)
#define MAX_CONNECTIONS	64

/* The first data that a client sends. A stream is answered by one byte, after its last message. */
struct header {
	unsigned int size;
	unsigned int stream_count;
};

static char buffer[MAX_SIZE];

static int move(int fd, void *data, size_t size, int out)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = out ? send(fd, (char *)data + done, size - done, MSG_NOSIGNAL) :
				  recv(fd, (char *)data + done, size - done, 0);

		if (n <= 0)
			return -1;
		done += n;
	}
	return 0;
}

static void no_delay(int fd)
{
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

/* --- server --- */

static int serve_connection(int fd)
{
	struct header header;

	no_delay(fd);
	if (move(fd, &header, sizeof(header), 0) || header.size > MAX_SIZE)
		return 1;
	if (header.stream_count) {
		while (header.stream_count--)
			if (move(fd, buffer, header.size, 0))
				return 1;
		return move(fd, buffer, 1, 1) ? 1 : 0;
	}
	while (!move(fd, buffer, header.size, 0) && !move(fd, buffer, header.size, 1))
		;
	return 0;
}

/* Serves one connection or, until a signal comes, any number, each in its own process. */
static int serve(int port, bool keep)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(port) };
	int listener = listen_on((const struct sockaddr *)&addr, sizeof(addr), 0, MAX_CONNECTIONS);

	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0)
			die("accept: %m");
		if (!keep)
			return serve_connection(fd);
		if (!fork())
			exit(serve_connection(fd));
		close(fd);
	}
}

/* --- client --- */

struct run {
	struct sockaddr_in from, to;
	struct header header;
	unsigned int count;
	int connections;
};

static unsigned int positive(const char *text, unsigned int max)
{
	unsigned long value = strtoul(text, NULL, 10);

	if (!value || value > max) {
		fprintf(stderr, "tcp_pingpong: %s is not between 1 and %u\n", text, max);
		exit(2);
	}
	return value;
}

static void set_addr(struct sockaddr_in *addr, const char *host, const char *port)
{
	addr->sin_family = AF_INET;
	addr->sin_port = htons(port ? positive(port, 65535) : 0);
	if (inet_pton(AF_INET, host, &addr->sin_addr) != 1) {
		fprintf(stderr, "tcp_pingpong: %s is no address\n", host);
		exit(2);
	}
}

static int connect_to_server(const struct run *run)
{
	struct header header = run->header;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (bind(fd, (const void *)&run->from, sizeof(run->from)))
		die("bind: %m");
	if (connect(fd, (const void *)&run->to, sizeof(run->to)))
		die("connect: %m");
	no_delay(fd);
	if (move(fd, &header, sizeof(header), 1))
		die("header: %m");
	/* A run takes less than a second; SIGALRM ends one that hangs. */
	alarm(20);
	return fd;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double percentile(const double *times, unsigned int count, double percent)
{
	return times[(unsigned int)((count - 1) * percent / 100 + 0.5)];
}

/*
 * Runs in its own process: reports that it is connected, waits for the start, sends, and reports
 * when the server has everything.
 */
static void stream(const struct run *run, int say, int hear)
{
	int fd = connect_to_server(run);
	char byte = 0;

	if (write(say, &byte, 1) != 1 || read(hear, &byte, 1) != 1)
		exit(1);
	for (unsigned int i = 0; i < run->count; i++)
		if (move(fd, buffer, run->header.size, 1))
			exit(1);
	if (move(fd, &byte, 1, 0) || write(say, &byte, 1) != 1)
		exit(1);
	exit(0);
}

/* Reads a byte from each process. The pipe ends early if one of them failed. */
static void hear_all(int fd, int number)
{
	char byte;

	while (number--) {
		if (read(fd, &byte, 1) != 1) {
			fputs("tcp_pingpong: a connection failed\n", stderr);
			exit(1);
		}
	}
}

static int measure_streams(const struct run *run)
{
	char go[MAX_CONNECTIONS] = {};
	int said[2], heard[2], number = run->connections;
	double usec, ops = (double)run->count * number;

	if (pipe(said) || pipe(heard))
		die("pipe: %m");
	for (int i = 0; i < number; i++) {
		if (!fork()) {
			close(said[0]);
			close(heard[1]);
			stream(run, said[1], heard[0]);
		}
	}
	close(said[1]);
	hear_all(said[0], number);
	usec = now();
	if (write(heard[1], go, number) != number)
		die("go: %m");
	hear_all(said[0], number);
	usec = now() - usec;
	while (wait(NULL) > 0)
		;
	printf("{\"MBps\":%.2f,\"usec_per_op\":%.3f}\n", ops * run->header.size / usec, usec / ops);
	return 0;
}

static struct run parse(char **argv)
{
	struct run run = { .header.size = positive(argv[3], MAX_SIZE),
			   .count = positive(argv[4], 100000000) };

	set_addr(&run.from, argv[0], NULL);
	set_addr(&run.to, argv[1], argv[2]);
	return run;
}

/* Measures the time of each round trip; sorts the times. */
static int ping(char **argv, bool json)
{
	struct run run = parse(argv);
	double *times = calloc(run.count, sizeof(*times)), sum = 0;
	int fd = connect_to_server(&run);

	if (!times)
		die("memory: %m");
	for (unsigned int i = 0; i < run.count; i++) {
		double begin = now();

		if (move(fd, buffer, run.header.size, 1) || move(fd, buffer, run.header.size, 0))
			die("ping: %m");
		times[i] = now() - begin;
		sum += times[i];
	}
	close(fd);
	qsort(times, run.count, sizeof(*times), compare);
	if (json) {
		printf("{\"usec_per_op\":%.3f,", sum / run.count);
		printf("\"p50_us\":%.3f,\"p99_us\":%.3f,\"p999_us\":%.3f,",
		       percentile(times, run.count, 50), percentile(times, run.count, 99),
		       percentile(times, run.count, 99.9));
		printf("\"min_us\":%.3f,\"max_us\":%.3f,\"cdf_us\":[", times[0],
		       times[run.count - 1]);
		for (int i = 0; i <= 100; i++)
			printf("%s%.3f", i ? "," : "", percentile(times, run.count, i));
		puts("]}");
	} else {
		printf("%.1f %.1f\n", times[run.count / 2], sum / run.count);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "serve"))
		return serve(positive(argv[2], 65535), false);
	if (argc == 3 && !strcmp(argv[1], "keep"))
		return serve(positive(argv[2], 65535), true);
	if (argc == 7 && !strcmp(argv[1], "ping"))
		return ping(argv + 2, true);
	if (argc == 8 && !strcmp(argv[1], "stream")) {
		struct run run = parse(argv + 2);

		run.header.stream_count = run.count;
		run.connections = positive(argv[7], MAX_CONNECTIONS);
		return measure_streams(&run);
	}
	if (argc == 5) {
		char *from_any[5] = { "0.0.0.0", argv[1], argv[2], argv[3], argv[4] };

		return ping(from_any, false);
	}
	fputs("usage: tcp_pingpong serve|keep PORT | ADDR PORT SIZE COUNT |\n"
	      "       ping FROM ADDR PORT SIZE COUNT | stream FROM ADDR PORT SIZE COUNT CONNECTIONS\n",
	      stderr);
	return 2;
}
