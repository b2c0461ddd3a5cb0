// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: what a process is told that it can do; which memory can be registered, how much of
 * it, and how much is pinned afterwards.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "verbs_test.h"

#define LIMIT		(256 * PAGE)
#define BIG		(64ul << 20)
#define NOBODY		65534

/* Allocates a PD of the server's device. */
static bool open_pd(struct ibv_pd **pd)
{
	struct rdma_cm_id *listener;

	TRY(listener_id(NULL, &listener));
	TRY(got(*pd = ibv_alloc_pd(listener->verbs)));
	return true;
}

static bool refused(struct ibv_pd *pd, void *mem, size_t len, int access, int error)
{
	long before = pinned();

	EXPECT(0, !!ibv_reg_mr(pd, mem, len, access));
	EXPECT(error, errno);
	EXPECT(before, pinned());
	return true;
}

/* --- what the device says --- */

#define SIW_VENDOR	0x626d74

/* Expects that the device offers to a process only what the process can use. */
static bool attributes(void)
{
	struct ibv_device_attr_ex ex;
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	struct ibv_pd *pd;

	if (!open_pd(&pd))
		return false;
	TRY(verbs(ibv_query_device(pd->context, &attr)));
	EXPECT(IBV_ATOMIC_NONE, attr.atomic_cap);
	EXPECT(0, attr.device_cap_flags & IBV_DEVICE_SRQ_RESIZE);
	EXPECT(SIW_VENDOR, attr.vendor_id);
	TRY(verbs(ibv_query_device_ex(pd->context, NULL, &ex)));
	EXPECT(0, memcmp(&attr, &ex.orig_attr, sizeof(attr)));
	TRY(verbs(ibv_query_port(pd->context, 1, &port)));
	EXPECT(IBV_PORT_CM_SUP, port.port_cap_flags & IBV_PORT_CM_SUP);
	return true;
}

/* Expects that each device has a number of its own. */
static bool part_numbers(void)
{
	struct ibv_device_attr first, other;
	struct ibv_context *context;
	struct ibv_device **list;
	struct ibv_pd *pd;

	if (!open_pd(&pd))
		return false;
	TRY(verbs(ibv_query_device(pd->context, &first)));
	TRY(got(list = ibv_get_device_list(NULL)));
	for (int i = 0; list[i]; i++) {
		TRY(got(context = ibv_open_device(list[i])));
		TRY(verbs(ibv_query_device(context, &other)));
		EXPECT(!strcmp(ibv_get_device_name(list[i]),
			       ibv_get_device_name(pd->context->device)),
		       other.vendor_part_id == first.vendor_part_id);
		TRY(verbs(ibv_close_device(context)));
	}
	ibv_free_device_list(list);
	return true;
}

/* --- how much memory --- */

static const struct rlimit limit = { .rlim_cur = LIMIT, .rlim_max = LIMIT };

/* Expects that regions can use the whole limit, and can use it again after deregistration. */
static bool locked_memory(void)
{
	struct ibv_mr *first, *second;
	struct ibv_pd *pd;
	uint8_t *mem;

	TRY(sys(setrlimit(RLIMIT_MEMLOCK, &limit)));
	TRY(sys(setuid(NOBODY)));
	if (!open_pd(&pd))
		return false;
	TRY(memory_alloc(&mem, 2 * LIMIT));
	if (!refused(pd, mem, LIMIT + 1, ALL_RIGHTS, ENOMEM))
		return false;
	TRY(got(first = ibv_reg_mr(pd, mem, LIMIT / 2, ALL_RIGHTS)));
	TRY(got(second = ibv_reg_mr(pd, mem + LIMIT, LIMIT / 2, ALL_RIGHTS)));
	EXPECT(LIMIT, pinned());
	if (!refused(pd, mem + LIMIT / 2, 1, ALL_RIGHTS, ENOMEM))
		return false;
	TRY(verbs(ibv_dereg_mr(first)));
	EXPECT(LIMIT / 2, pinned());
	TRY(got(first = ibv_reg_mr(pd, mem, LIMIT / 2, ALL_RIGHTS)));
	TRY(verbs(ibv_dereg_mr(first)));
	TRY(verbs(ibv_dereg_mr(second)));
	EXPECT(0, pinned());
	TRY(verbs(ibv_dealloc_pd(pd)));
	return true;
}

/* Expects that the limit does not bind a process with CAP_IPC_LOCK. */
static bool no_limit_for_root(void)
{
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	uint8_t *mem;

	TRY(sys(setrlimit(RLIMIT_MEMLOCK, &limit)));
	if (!open_pd(&pd))
		return false;
	TRY(memory_alloc(&mem, 2 * LIMIT));
	TRY(got(mr = ibv_reg_mr(pd, mem, 2 * LIMIT, ALL_RIGHTS)));
	EXPECT(2 * LIMIT, pinned());
	TRY(verbs(ibv_dereg_mr(mr)));
	EXPECT(0, pinned());
	return true;
}

/* Expects that regions of zero bytes, and regions beyond the address space, are refused. */
static bool invalid_sizes(void)
{
	struct ibv_pd *pd;
	uint8_t *mem;

	if (!open_pd(&pd))
		return false;
	TRY(memory_alloc(&mem, PAGE));
	if (!refused(pd, mem, SIZE_MAX, ALL_RIGHTS, EINVAL) ||
	    !refused(pd, mem, SIZE_MAX - PAGE, ALL_RIGHTS, EINVAL) ||
	    !refused(pd, mem, 0, ALL_RIGHTS, EINVAL))
		return false;
	/*
	 * The errno depends on the machine: the region is too large for the device (EINVAL), there
	 * is too little memory (ENOMEM), or the addresses are not mapped (EFAULT).
	 */
	EXPECT(0, !!ibv_reg_mr(pd, mem, 1ul << 46, ALL_RIGHTS));
	EXPECT(1, errno == EINVAL || errno == ENOMEM || errno == EFAULT);
	EXPECT(0, pinned());
	TRY(got(ibv_reg_mr(pd, mem, PAGE, ALL_RIGHTS)));
	return true;
}

static bool reads_at(struct conn_pair *pair, uint64_t offset)
{
	struct ibv_sge sge = sge_of(&pair->client, 0, 100);
	struct ibv_wc wc;

	pattern_fill(pair->server.mem + offset, 100, offset);
	TRY(post_rdma(&pair->client, 1, IBV_WR_RDMA_READ, &sge,
		      (uintptr_t)pair->server.mem + offset, pair->server.mr->rkey));
	if (!completes(&pair->client, 1, IBV_WC_SUCCESS, &wc))
		return false;
	return pattern_matches(pair->client.mem, 100, offset);
}

static bool big_region(void)
{
	struct ibv_device_attr attr;
	struct conn_pair pair;

	if (!pair_open(&pair, BIG, false))
		return false;
	TRY(verbs(ibv_query_device(pair.server.id->verbs, &attr)));
	EXPECT(1, attr.max_mr_size >= BIG);
	if (!reads_at(&pair, 0) || !reads_at(&pair, BIG / 2 - 50) || !reads_at(&pair, BIG - 100))
		return false;
	return pair_close(&pair);
}

/* --- the kernel's memory --- */

#define CGROUPS		"/sys/fs/cgroup"
#define PAIRS		16
#define MAX_DEPTH	128

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text)) < 0 ? -errno : 0;
	close(fd);
	return ret;
}

/* Moves this process to a memory cgroup of its own. Only one process at a time may do that. */
static bool enter_cgroup(void)
{
	/* Mount the cgroups, which the namespace's sysfs hides, until the mount namespace ends. */
	mount("cgroup2", CGROUPS, "cgroup2", 0, NULL);
	TRY(write_file(CGROUPS "/cgroup.subtree_control", "+memory"));
	if (mkdir(CGROUPS "/verbs_test", 0755) && errno != EEXIST)
		TRY(-errno);
	TRY(write_file(CGROUPS "/verbs_test/cgroup.procs", "0"));
	return true;
}

/* Returns the slab memory of the cgroup in bytes, or a negative number. */
static long cgroup_slab(void)
{
	FILE *file = fopen(CGROUPS "/verbs_test/memory.stat", "r");
	long slab = -1;
	char line[128];

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "slab_unreclaimable %ld", &slab) == 1)
			break;
	fclose(file);
	return slab;
}

/* Posts @number READs in one call, so that they are in flight together, and waits for all. */
static bool read_at_once(struct conn_pair *pair, int number)
{
	struct ibv_sge sge = sge_of(&pair->client, 0, PAGE);
	struct ibv_send_wr wr[QUEUE_DEPTH] = {};
	struct ibv_wc wc;

	for (int i = 0; i < number; i++) {
		wr[i] = (struct ibv_send_wr){
			.wr_id = i,
			.next = i + 1 < number ? &wr[i + 1] : NULL,
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IBV_WR_RDMA_READ,
			.send_flags = IBV_SEND_SIGNALED,
			.wr.rdma.remote_addr = (uintptr_t)pair->server.mem,
			.wr.rdma.rkey = pair->server.mr->rkey,
		};
	}
	TRY(post_request(&pair->client, wr));
	for (int i = 0; i < number; i++)
		if (!completes(&pair->client, i, IBV_WC_SUCCESS, &wc))
			return false;
	return true;
}

/*
 * Stores in *@slab how much of the cgroup's slab memory PAIRS connections need when each has just
 * had @depth READs in flight, or as many as its send queue holds.
 */
static bool slab_of_pairs(uint8_t depth, long *slab)
{
	struct conn_pair pairs[PAIRS];
	long before = cgroup_slab();

	conn_depth = depth;
	for (int i = 0; i < PAIRS; i++)
		if (!pair_open(&pairs[i], PAGE, false) ||
		    !read_at_once(&pairs[i], depth < QUEUE_DEPTH ? depth : QUEUE_DEPTH))
			return false;
	*slab = cgroup_slab() - before;
	for (int i = 0; i < PAIRS; i++)
		if (!pair_close(&pairs[i]))
			return false;
	printf("# limits: %ld bytes of slab for %d connections of depth %d\n", *slab, PAIRS, depth);
	return true;
}

/*
 * Expects that READs in flight are charged to the process, although it is not the process that
 * allocates the memory for them: at least 8 KiB of each client.
 */
static bool charged_depth(void)
{
	long shallow, deep;

	if (!enter_cgroup() || !slab_of_pairs(1, &shallow) || !slab_of_pairs(MAX_DEPTH, &deep))
		return false;
	EXPECT(1, deep - shallow > PAIRS * 8192);
	TRY(write_file(CGROUPS "/cgroup.procs", "0"));
	return true;
}

/*
 * As many SGEs of separate pages fill four whole pages: these are no slab memory, as the region's
 * own list of pages is.
 */
#define CHARGED_PAGES	509
#define CHARGED_MRS	64

/* Maps one page of memory again and again. */
static int map_one_page(uint8_t **mem)
{
	int fd = memfd_create("page", 0);
	void *map;

	if (fd < 0 || ftruncate(fd, PAGE) || memory_alloc(mem, CHARGED_PAGES * PAGE))
		return -errno;
	for (int i = 0; i < CHARGED_PAGES; i++) {
		map = mmap(*mem + i * PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			   fd, 0);
		if (map == MAP_FAILED)
			return -errno;
	}
	close(fd);
	return 0;
}

/* Expects that the lists of pages of regions are charged to the process: 8 bytes for each page. */
static bool charged_regions(void)
{
	struct ibv_mr *mr[CHARGED_MRS];
	long before, charged;
	struct ibv_pd *pd;
	uint8_t *mem;

	if (!enter_cgroup() || !open_pd(&pd))
		return false;
	TRY(map_one_page(&mem));
	before = cgroup_slab();
	for (int i = 0; i < CHARGED_MRS; i++)
		TRY(got(mr[i] = ibv_reg_mr(pd, mem, CHARGED_PAGES * PAGE, ALL_RIGHTS)));
	charged = cgroup_slab() - before;
	printf("# limits: %ld bytes of slab for %d regions of %d pages\n", charged, CHARGED_MRS,
	       CHARGED_PAGES);
	EXPECT(1, charged > CHARGED_MRS * CHARGED_PAGES * 8);
	for (int i = 0; i < CHARGED_MRS; i++)
		TRY(verbs(ibv_dereg_mr(mr[i])));
	TRY(write_file(CGROUPS "/cgroup.procs", "0"));
	return true;
}

/* --- which memory --- */

/*
 * Expects that a private read-only mapping of a file, this program, cannot be registered for
 * writing, and that a WRITE from the mapping sends what the file contains.
 */
static bool read_only_memory(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct ibv_sge sge;
	struct ibv_mr *mr;
	struct ibv_wc wc;
	struct conn_pair pair;
	void *map;

	TRY(sys(fd));
	map = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	EXPECT(1, map != MAP_FAILED);
	if (!pair_open(&pair, 3 * PAGE, false) ||
	    !refused(pair.client.pd, map, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE, EFAULT) ||
	    !refused(pair.client.pd, map, 2 * PAGE, ALL_RIGHTS, EFAULT))
		return false;
	TRY(got(mr = ibv_reg_mr(pair.client.pd, map, 2 * PAGE, IBV_ACCESS_REMOTE_READ)));
	sge = (struct ibv_sge){ .addr = (uintptr_t)map, .length = 2 * PAGE, .lkey = mr->lkey };
	TRY(post_rdma(&pair.client, 1, IBV_WR_RDMA_WRITE, &sge, (uintptr_t)pair.server.mem,
		      pair.server.mr->rkey));
	TRY(post_recv(&pair.server, 2, 2 * PAGE, 1));
	TRY(post_send(&pair.client, 3, 0, 1));
	if (!completes(&pair.client, 1, IBV_WC_SUCCESS, &wc) ||
	    !completes(&pair.client, 3, IBV_WC_SUCCESS, &wc) ||
	    !completes(&pair.server, 2, IBV_WC_SUCCESS, &wc))
		return false;
	EXPECT(0, memcmp(pair.server.mem, map, 2 * PAGE));
	TRY(verbs(ibv_dereg_mr(mr)));
	return pair_close(&pair);
}

static bool unmapped_memory(void)
{
	struct ibv_pd *pd;
	uint8_t *mem;

	if (!open_pd(&pd))
		return false;
	TRY(memory_alloc(&mem, 4 * PAGE));
	TRY(sys(munmap(mem + 2 * PAGE, PAGE)));
	if (!refused(pd, mem + 2 * PAGE, PAGE, ALL_RIGHTS, EFAULT) ||
	    !refused(pd, mem, 3 * PAGE, ALL_RIGHTS, EFAULT) ||
	    !refused(pd, mem + 2 * PAGE - 1, 2, 0, EFAULT) ||
	    !refused(pd, NULL, PAGE, ALL_RIGHTS, EFAULT))
		return false;
	EXPECT(0, pinned());
	TRY(got(ibv_reg_mr(pd, mem, 2 * PAGE, ALL_RIGHTS)));
	EXPECT(2 * PAGE, pinned());
	return true;
}

static bool invalid_rights(void)
{
	struct ibv_pd *pd;
	uint8_t *mem;

	if (!open_pd(&pd))
		return false;
	TRY(memory_alloc(&mem, PAGE));
	return refused(pd, mem, PAGE, IBV_ACCESS_REMOTE_WRITE, EINVAL) &&
	       refused(pd, mem, PAGE, IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE, EINVAL) &&
	       refused(pd, mem, PAGE, IBV_ACCESS_REMOTE_ATOMIC, EINVAL) &&
	       refused(pd, mem, PAGE, ALL_RIGHTS | IBV_ACCESS_ZERO_BASED, EOPNOTSUPP) &&
	       refused(pd, mem, PAGE, ALL_RIGHTS | IBV_ACCESS_ON_DEMAND, EOPNOTSUPP);
}

/* Expects that siw accepts access flags that have no effect on its regions. */
static bool hints(void)
{
	const int flags[] = {
		IBV_ACCESS_MW_BIND, IBV_ACCESS_HUGETLB, IBV_ACCESS_RELAXED_ORDERING,
	};
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	uint8_t *mem;

	if (!open_pd(&pd))
		return false;
	TRY(memory_alloc(&mem, PAGE));
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		TRY(got(mr = ibv_reg_mr(pd, mem, PAGE, ALL_RIGHTS | flags[i])));
		TRY(verbs(ibv_dereg_mr(mr)));
	}
	return true;
}

/* Expects that the device keeps using the pages after the process has unmapped them. */
static bool unmapped_while_registered(void)
{
	struct ibv_sge sge;
	struct ibv_wc wc;
	struct conn_pair pair;

	if (!pair_open(&pair, 4 * PAGE, false))
		return false;
	memory_free(pair.server.mem, 4 * PAGE);
	pattern_fill(pair.client.mem, 4 * PAGE, 3);
	sge = sge_of(&pair.client, 0, 4 * PAGE);
	for (int i = 0; i < 2; i++) {
		TRY(post_rdma(&pair.client, i, i ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, &sge,
			      (uintptr_t)pair.server.mem, pair.server.mr->rkey));
		if (!completes(&pair.client, i, IBV_WC_SUCCESS, &wc))
			return false;
		if (!i)
			memset(pair.client.mem, 0, 4 * PAGE);
	}
	if (!pattern_matches(pair.client.mem, 4 * PAGE, 3))
		return false;
	pair.server.mem = NULL;
	if (!pair_close(&pair))
		return false;
	EXPECT(0, pinned());
	return true;
}

const struct test limits_tests[] = {
	{ "attributes", attributes },
	{ "numbers of devices", part_numbers },
	{ "the limit on locked memory", locked_memory },
	{ "root has no such limit", no_limit_for_root },
	{ "invalid sizes", invalid_sizes },
	{ "a region of 64 MiB", big_region },
	{ "the depth of READs is charged", charged_depth },
	{ "the pages of regions are charged", charged_regions },
	{ "read-only memory", read_only_memory },
	{ "unmapped memory", unmapped_memory },
	{ "invalid access rights", invalid_rights },
	{ "access flags that are hints", hints },
	{ "memory that is unmapped while it is registered", unmapped_while_registered },
	{}
};
