// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: reads how much of the machine's memory is available, and how much processes and the
 * kernel use.
 */
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "verbs_test.h"

/* Copies the number in @line to *@value if the line begins with @name and a colon. */
static void parse_line(const char *line, const char *name, long *value)
{
	size_t len = strlen(name);

	if (!strncmp(line, name, len) && line[len] == ':')
		*value = atol(line + len + 1);
}

/* Adds the free pages in the lists of the CPUs, which MemFree does not count. */
static void add_free_of_cpus(struct memory *memory)
{
	FILE *file = fopen("/proc/zoneinfo", "r");
	char line[256];
	long pages;

	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, " count: %ld", &pages) == 1)
			memory->free += pages * PAGE / 1024;
	fclose(file);
}

static void add_sockets(struct memory *memory)
{
	FILE *file = fopen("/proc/slabinfo", "r");
	char line[512], cache[64];
	long pages, slabs;

	memory->sockets = file ? 0 : -1;
	if (!file)
		return;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line,
			   "%63s %*d %*d %*d %*d %ld : tunables %*d %*d %*d : slabdata %*d %ld",
			   cache, &pages, &slabs) == 3 &&
		    (!strcmp(cache, "TCP") || !strcmp(cache, "TCPv6") ||
		     !strcmp(cache, "sock_inode_cache")))
			memory->sockets += slabs * pages * PAGE / 1024;
	fclose(file);
}

bool memory_is_debugged(void)
{
	FILE *file = fopen("/sys/kernel/slab/kmalloc-512/slab_size", "r");
	int size = 0;

	if (file && fscanf(file, "%d", &size) != 1)
		size = 0;
	if (file)
		fclose(file);
	return size > 512 || !access("/proc/lockdep_stats", F_OK);
}

void memory_shrink_slabs(void)
{
	glob_t caches;

	if (glob("/sys/kernel/slab/kmalloc-*/shrink", 0, NULL, &caches))
		return;
	for (size_t i = 0; i < caches.gl_pathc; i++) {
		FILE *file = fopen(caches.gl_pathv[i], "w");

		if (!file)
			continue;
		fputs("1", file);
		fclose(file);
	}
	globfree(&caches);
}

int memory_read(struct memory *memory)
{
	FILE *file = fopen("/proc/meminfo", "r");
	char line[128];

	if (!file)
		return -errno;
	*memory = (struct memory){};
	while (fgets(line, sizeof(line), file)) {
		parse_line(line, "MemAvailable", &memory->available);
		parse_line(line, "MemFree", &memory->free);
		parse_line(line, "AnonPages", &memory->anon);
		parse_line(line, "Slab", &memory->slab);
		parse_line(line, "VmallocUsed", &memory->vmalloc);
		parse_line(line, "PageTables", &memory->tables);
	}
	fclose(file);
	add_free_of_cpus(memory);
	add_sockets(memory);
	return 0;
}

void memory_print(const struct memory *before, const struct memory *open,
		  const struct memory *after, int connections)
{
	double share = 1.0 / connections;
	double all = (before->available - open->available) * share;
	double processes = (open->anon - before->anon) * share;

	printf("# memory: MiB available before %ld, with all open %ld, after %ld\n",
	       before->available / 1024, open->available / 1024, after->available / 1024);
	printf("# memory: KiB of each connection, both ends: processes %.1f, kernel %.1f\n",
	       processes, all - processes);
	printf("# memory: ... of the kernel's: slab %.1f, vmalloc %.1f, page tables %.1f\n",
	       (open->slab - before->slab) * share, (open->vmalloc - before->vmalloc) * share,
	       (open->tables - before->tables) * share);
}

long pinned(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[256];
	long kib = -1;

	if (!status)
		return -1;
	while (kib < 0 && fgets(line, sizeof(line), status))
		if (sscanf(line, "VmPin: %ld kB", &kib) != 1)
			kib = -1;
	fclose(status);
	return kib < 0 ? -1 : kib * 1024;
}
