// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Round trips of small messages over one TCP connection: what the machine can do at this moment.
 *
 *	tcp_pingpong serve PORT
 *	tcp_pingpong ADDR PORT SIZE COUNT	prints microseconds per round trip, median and mean
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MAX_SIZE 65536

static char buffer[MAX_SIZE];

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int move(int fd, size_t size, int out)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = out ? send(fd, buffer + done, size - done, MSG_NOSIGNAL) :
				  recv(fd, buffer + done, size - done, 0);

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

/* Echoes the messages of one connection; their size comes first. */
static int serve(int port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(port) };
	int one = 1, fd, listener = socket(AF_INET, SOCK_STREAM, 0);
	unsigned int size;

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (void *)&addr, sizeof(addr)) || listen(listener, 1))
		die("listen");
	fd = accept(listener, NULL, NULL);
	if (fd < 0)
		die("accept");
	no_delay(fd);
	if (move(fd, sizeof(size), 0))
		die("size");
	memcpy(&size, buffer, sizeof(size));
	if (size > MAX_SIZE)
		return 1;
	while (!move(fd, size, 0) && !move(fd, size, 1))
		;
	return 0;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e6 + ts.tv_nsec / 1e3;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static int measure(const char *host, int port, unsigned int size, int count)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(port) };
	double *times = calloc(count, sizeof(*times)), sum = 0;
	int i, fd = socket(AF_INET, SOCK_STREAM, 0);

	if (!times || inet_pton(AF_INET, host, &addr.sin_addr) != 1 || size > MAX_SIZE)
		return 1;
	if (connect(fd, (void *)&addr, sizeof(addr)))
		die("connect");
	no_delay(fd);
	memcpy(buffer, &size, sizeof(size));
	if (move(fd, sizeof(size), 1))
		die("size");
	for (i = 0; i < count; i++) {
		double begin = now();

		if (move(fd, size, 1) || move(fd, size, 0))
			die("ping");
		times[i] = now() - begin;
		sum += times[i];
	}
	qsort(times, count, sizeof(*times), compare);
	printf("%.1f %.1f\n", times[count / 2], sum / count);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "serve"))
		return serve(atoi(argv[2]));
	if (argc == 5 && atoi(argv[4]) > 0)
		return measure(argv[1], atoi(argv[2]), atoi(argv[3]), atoi(argv[4]));
	fputs("usage: tcp_pingpong serve PORT | ADDR PORT SIZE COUNT\n", stderr);
	return 2;
}
