// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * file_test: tests a file system with one file.
 *
 *   file_test random FILE SEED OPERATIONS
 *        does random operations, compares their results with a copy in memory, and compares the
 *        whole file at the end. With 0 OPERATIONS, works until SIGTERM while the server restarts
 *        or links fail, and prints a line after each hundred operations.
 *   file_test hold FILE START LENGTH
 *        locks these bytes for writing, prints "locked", and waits for the end of its input
 *   file_test try FILE START LENGTH
 *        succeeds if the bytes can be locked for writing; otherwise prints "held" and ends with
 *        status 1
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE	(4UL << 20)
#define MAX_IO		(300UL << 10)
/* For O_DIRECT, offsets, lengths and addresses are multiples of it. */
#define BLOCK		4096UL

static const char *path;
static int fd;
/* A descriptor with O_DIRECT, or -1 if the file system does not support it. */
static int direct_fd;
/* What the file has to contain. */
static unsigned char *expected;
static size_t size;
/* What was read, or will be written. */
static unsigned char *buffer;
static unsigned long operation;
static volatile sig_atomic_t stopped;
/* Works until SIGTERM, while the server restarts, or links fail. */
static bool disturbed;

static _Noreturn void fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "file_test: operation %lu: ", operation);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	exit(1);
}

static size_t below(size_t limit)
{
	return limit ? (size_t)random() % limit : 0;
}

static void compare(const unsigned char *seen, size_t from, size_t length, const char *how)
{
	for (size_t i = 0; i < length; i++)
		if (seen[i] != expected[from + i])
			fail("%s of %zu bytes from %zu: byte %zu is %#x, not %#x", how, length,
			     from, from + i, seen[i], expected[from + i]);
}

/* Fills @bytes with data that the file gets at @from, and notes it as expected. */
static void make_data(unsigned char *bytes, size_t from, size_t length)
{
	unsigned char value = random();
	unsigned char step = random() | 1;

	for (size_t i = 0; i < length; i++, value += step)
		bytes[i] = value ^ i >> 8;
	memcpy(expected + from, bytes, length);
	size = MAX(size, from + length);
}

static void read_from(int from_fd, size_t from, size_t length, const char *how)
{
	size_t want = from < size ? MIN(length, size - from) : 0;
	ssize_t got = pread(from_fd, buffer, length, from);

	if (got < 0)
		fail("%s of %zu bytes from %zu: %s", how, length, from, strerror(errno));
	if ((size_t)got != want)
		fail("%s of %zu bytes from %zu: %zd bytes, not %zu", how, length, from, got, want);
	compare(buffer, from, want, how);
}

static void sync_file(void)
{
	if (fsync(fd))
		fail("fsync: %s", strerror(errno));
}

/* --- the operations --- */

/*
 * Reads or writes by a system call. Before an NFS client writes with O_DIRECT, it writes and
 * commits dirty pages, but only once. If the server restarts between the two, the pages stay dirty,
 * and the client overwrites what it has written with O_DIRECT by these older pages later (Linux
 * 6.1, over TCP as well). fsync() goes on until no page is dirty.
 */
static void through_call(bool direct, bool writing)
{
	static const char *const names[2][2] = {
		{ "read", "write" }, { "direct read", "direct write" },
	};
	const char *how = names[direct][writing];
	size_t unit = direct ? BLOCK : 1;
	size_t block = below(MAX_FILE / unit), from = block * unit, length, done;
	int used_fd = direct ? direct_fd : fd;
	ssize_t put;

	if (direct && writing && disturbed)
		sync_file();
	if (used_fd < 0)
		return;
	length = unit * (1 + below(MIN(MAX_IO / unit, MAX_FILE / unit - block)));
	if (!writing) {
		read_from(used_fd, from, length, how);
		return;
	}
	make_data(buffer, from, length);
	/* A direct write is short if the server restarts in the midst of it. */
	for (done = 0; done < length; done += put) {
		put = pwrite(used_fd, buffer + done, length - done, from + done);
		if (put <= 0)
			fail("%s of %zu bytes from %zu: %zd after %zu: %s", how, length, from, put,
			     done, strerror(errno));
	}
}

/*
 * Maps the whole file, and reads or writes a part of it. What was written is synchronized, because
 * NFS does not write mapped pages back before it writes with O_DIRECT, and would overwrite that
 * data later.
 */
static void through_mapping(bool writing)
{
	size_t from = below(size);
	size_t length = 1 + below(MIN(MAX_IO, size - from));
	unsigned char *mapping;

	if (!size)
		return;
	mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mapping == MAP_FAILED)
		fail("mmap of %zu bytes: %s", size, strerror(errno));
	if (writing)
		make_data(mapping + from, from, length);
	else
		compare(mapping + from, from, length, "read through a mapping");
	if (writing && msync(mapping, size, MS_SYNC))
		fail("msync: %s", strerror(errno));
	munmap(mapping, size);
}

static void truncate_file(void)
{
	size_t new_size = below(MAX_FILE);

	if (ftruncate(fd, new_size))
		fail("truncation to %zu bytes: %s", new_size, strerror(errno));
	if (new_size > size)
		memset(expected + size, 0, new_size - size);
	/* Bytes beyond the end are zero if a write or a truncation enlarges the file. */
	memset(expected + new_size, 0, MAX_FILE - new_size);
	size = new_size;
}

static void check_size(void)
{
	struct stat stat;

	if (fstat(fd, &stat))
		fail("fstat: %s", strerror(errno));
	if ((size_t)stat.st_size != size)
		fail("the file has %lld bytes, not %zu", (long long)stat.st_size, size);
}

static void open_file(int flags)
{
	fd = open(path, O_RDWR | flags, 0600);
	if (fd < 0)
		fail("open: %s", strerror(errno));
	direct_fd = open(path, O_RDWR | O_DIRECT);
}

/* Drops what the kernel has cached of the file, so that later reads ask the server. */
static void close_file(void)
{
	if (fsync(fd) || posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		fail("fsync and fadvise: %s", strerror(errno));
	if (direct_fd >= 0 && close(direct_fd))
		fail("close of the descriptor with O_DIRECT: %s", strerror(errno));
	if (close(fd))
		fail("close: %s", strerror(errno));
}

/* Does one operation. Frequent operations have several numbers. */
static void do_operation(void)
{
	switch (below(16)) {
	case 0 ... 2:
		through_call(false, false);
		break;
	case 3 ... 5:
		through_call(false, true);
		break;
	case 6 ... 7:
		through_call(true, false);
		break;
	case 8 ... 9:
		through_call(true, true);
		break;
	case 10:
		through_mapping(false);
		break;
	case 11:
		through_mapping(true);
		break;
	case 12:
		truncate_file();
		break;
	case 13:
		sync_file();
		break;
	case 14:
		check_size();
		break;
	case 15:
		close_file();
		open_file(0);
		break;
	}
}

/* --- commands --- */

static void stop(int signal)
{
	(void)signal;
	stopped = 1;
}

static int run_random(unsigned int seed, unsigned long count)
{
	struct sigaction action = { .sa_handler = stop };

	expected = calloc(1, MAX_FILE);
	buffer = aligned_alloc(BLOCK, MAX_IO + BLOCK);
	if (!expected || !buffer)
		fail("out of memory");
	disturbed = !count;
	if (disturbed)
		sigaction(SIGTERM, &action, NULL);
	srandom(seed);
	open_file(O_CREAT | O_TRUNC);
	while (!stopped && (!count || operation < count)) {
		operation++;
		do_operation();
		if (!count && operation % 100 == 0) {
			printf("%lu operations\n", operation);
			fflush(stdout);
		}
	}
	close_file();
	open_file(0);
	check_size();
	for (size_t from = 0; from < size; from += MAX_IO)
		read_from(fd, from, MIN(MAX_IO, size - from), "last read");
	close_file();
	printf("seed %u: %lu operations, %zu bytes at the end\n", seed, operation, size);
	return 0;
}

/* Locks the bytes and, if @hold is set, holds them until the end of the input. */
static int run_lock(off_t start, off_t length, bool hold)
{
	struct flock lock = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = start,
		.l_len = length,
	};
	char byte;

	fd = open(path, O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		fail("open: %s", strerror(errno));
	if (fcntl(fd, F_SETLK, &lock)) {
		if (errno != EAGAIN && errno != EACCES)
			fail("lock: %s", strerror(errno));
		puts("held");
		return 1;
	}
	if (hold) {
		puts("locked");
		fflush(stdout);
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5) {
		path = argv[2];
		if (!strcmp(argv[1], "random"))
			return run_random(strtoul(argv[3], NULL, 0), strtoul(argv[4], NULL, 0));
		if (!strcmp(argv[1], "hold"))
			return run_lock(strtoll(argv[3], NULL, 0), strtoll(argv[4], NULL, 0), true);
		if (!strcmp(argv[1], "try"))
			return run_lock(strtoll(argv[3], NULL, 0), strtoll(argv[4], NULL, 0),
					false);
	}
	fputs("usage: file_test random FILE SEED OPERATIONS | hold FILE START LENGTH |\n"
	      "       file_test try FILE START LENGTH\n", stderr);
	return 2;
}
