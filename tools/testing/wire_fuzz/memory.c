// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* How much memory the kernel uses, and how much of it for TCP. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "wire_fuzz.h"

/* Values of vm.drop_caches: to log no later drop, and to drop dentries and inodes. */
#define DROP_QUIETLY	"4"
#define DROP_INODES	"2"

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		die("cannot write %s", path);
	close(fd);
}

/*
 * Frees what only looks used: caches of file systems, empty slabs, and freed objects that KASAN
 * keeps back, which it releases when the slabs of their cache are shrunk. The first call shrinks
 * all slabs, others only those that connections use, because that takes long.
 */
static void release_unused(void)
{
	static const char all[] = "/sys/kernel/slab/*/shrink";
	static const char of_connections[] =
		"/sys/kernel/slab/{*TCP*,tcp*,sock_inode*,skbuff*,filp,kmalloc*,kmemleak*}/shrink";
	static bool called;
	glob_t found;

	if (!called)
		write_text("/proc/sys/vm/drop_caches", DROP_QUIETLY);
	write_text("/proc/sys/vm/drop_caches", DROP_INODES);
	glob(called ? of_connections : all, GLOB_BRACE, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++)
		write_text(found.gl_pathv[i], "1");
	globfree(&found);
	called = true;
}

static void read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t have = 0;
	ssize_t n;

	if (fd < 0)
		die("cannot open %s", path);
	while ((n = read(fd, text + have, size - 1 - have)) > 0)
		have += n;
	text[have] = '\0';
	close(fd);
}

/* Returns the number that follows @name in @text. */
static long number_after(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	if (!at)
		die("no '%s' in:\n%s", name, text);
	return strtol(at + strlen(name), NULL, 10);
}

/* Returns the number of free pages that CPUs keep, which /proc/meminfo does not count as free. */
static long pages_of_cpus(void)
{
	static const char name[] = " count: ";
	static char zones[65536];
	const char *at = zones;
	long pages = 0;

	read_text("/proc/zoneinfo", zones, sizeof(zones));
	while ((at = strstr(at, name))) {
		at += strlen(name);
		pages += strtol(at, NULL, 10);
	}
	return pages;
}

struct memory memory_now(void)
{
	static char info[8192], sockets[1024];
	long page = sysconf(_SC_PAGESIZE) / 1024;
	struct memory m;

	release_unused();
	read_text("/proc/meminfo", info, sizeof(info));
	read_text("/proc/net/sockstat", sockets, sizeof(sockets));
	m.used = number_after(info, "MemTotal:") - number_after(info, "MemFree:") -
		 number_after(info, "\nBuffers:") - number_after(info, "\nCached:") -
		 pages_of_cpus() * page;
	m.sockets = number_after(strstr(sockets, "TCP:"), " alloc ");
	m.buffers = number_after(strstr(sockets, "TCP:"), " mem ") * page;
	return m;
}
