// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * klog FILE: reads the kernel log from a mark on, for scripts that check the log after each step.
 *
 * A line on standard input is a request:
 *
 *	mark	discards what was logged so far
 *	since	writes what was logged since the mark to FILE, as dmesg prints it
 *
 * The reply is a line with a number of bytes: 0 after "mark", and after "since" the bytes logged
 * since the mark. If that is 0, FILE is not written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The kernel's limit of a record's length, in bytes. */
#define RECORD_MAX 8192

/* The records since the mark, in the format of dmesg. */
static char *text;
static size_t length;
static FILE *log;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Discards what was logged so far. */
static void mark(int fd)
{
	if (lseek(fd, 0, SEEK_END) < 0)
		fail("klog: /dev/kmsg");
	if (log)
		fclose(log);
	free(text);
	text = NULL;
	log = open_memstream(&text, &length);
	if (!log)
		fail("klog");
}

/*
 * Adds the text of a record "PRIORITY,NUMBER,MICROSECONDS,FLAGS;TEXT\n", which lines of properties
 * that begin with a space can follow. Skips a record with a facility other than 0 (the kernel's),
 * because a process has written that record.
 */
static void add_record(char *record)
{
	unsigned long long us;
	unsigned int priority;
	char *line;

	line = strchr(record, ';');
	if (!line || sscanf(record, "%u,%*u,%llu", &priority, &us) != 2 || priority >> 3)
		return;
	line = strtok(line + 1, "\n");
	if (line)
		fprintf(log, "[%5llu.%06llu] %s\n", us / 1000000, us % 1000000, line);
}

static void read_records(int fd)
{
	char record[RECORD_MAX];
	ssize_t got;

	for (;;) {
		got = read(fd, record, sizeof(record) - 1);
		if (got >= 0) {
			record[got] = 0;
			add_record(record);
		} else if (errno == EAGAIN) {
			return;
		} else if (errno == EPIPE) {
			fprintf(log, "klog: records were overwritten before they were read\n");
		} else {
			fail("klog: /dev/kmsg");
		}
	}
}

static void since(int fd, const char *path)
{
	FILE *file;

	read_records(fd);
	if (fflush(log))
		fail("klog");
	if (!length)
		return;
	file = fopen(path, "w");
	if (!file || fwrite(text, 1, length, file) != length || fclose(file))
		fail(path);
}

int main(int argc, char **argv)
{
	char request[16];
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: klog FILE\n");
		return 1;
	}
	fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		fail("klog: /dev/kmsg");
	mark(fd);
	while (fgets(request, sizeof(request), stdin)) {
		if (!strcmp(request, "mark\n"))
			mark(fd);
		else if (!strcmp(request, "since\n"))
			since(fd, argv[1]);
		printf("%zu\n", length);
		fflush(stdout);
	}
	return 0;
}
