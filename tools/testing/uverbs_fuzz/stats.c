// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: how often each kind of request was tried, and how often it succeeded. If a kind that
 * can succeed never does, the fuzzer no longer tests what it is for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "uverbs_fuzz.h"

#define NUMBERS		256

struct counts {
	atomic_uint good[GROUPS][NUMBERS];
	atomic_uint bad[GROUPS][NUMBERS];
};

static struct counts *counts;

static const char *const titles[GROUPS] = {
	[WRITE] = "write()",
	[WRITE_EX] = "extended write()",
	[IOCTL] = "ioctl()",
	[CM] = "rdma_cm",
	[CM_EVENT] = "events of rdma_cm",
	[COMPLETION] = "completions",
	[FILES] = "files and mappings",
};

/* The kinds of requests that must succeed at least once in each run. */
static const char *const names[GROUPS][NUMBERS] = {
	[WRITE] = {
		[IB_USER_VERBS_CMD_GET_CONTEXT] = "GET_CONTEXT",
		[IB_USER_VERBS_CMD_QUERY_DEVICE] = "QUERY_DEVICE",
		[IB_USER_VERBS_CMD_QUERY_PORT] = "QUERY_PORT",
		[IB_USER_VERBS_CMD_ALLOC_PD] = "ALLOC_PD",
		[IB_USER_VERBS_CMD_DEALLOC_PD] = "DEALLOC_PD",
		[IB_USER_VERBS_CMD_REG_MR] = "REG_MR",
		[IB_USER_VERBS_CMD_DEREG_MR] = "DEREG_MR",
		[IB_USER_VERBS_CMD_ALLOC_MW] = "ALLOC_MW",
		[IB_USER_VERBS_CMD_DEALLOC_MW] = "DEALLOC_MW",
		[IB_USER_VERBS_CMD_CREATE_COMP_CHANNEL] = "CREATE_COMP_CHANNEL",
		[IB_USER_VERBS_CMD_CREATE_CQ] = "CREATE_CQ",
		[IB_USER_VERBS_CMD_DESTROY_CQ] = "DESTROY_CQ",
		[IB_USER_VERBS_CMD_CREATE_QP] = "CREATE_QP",
		[IB_USER_VERBS_CMD_QUERY_QP] = "QUERY_QP",
		[IB_USER_VERBS_CMD_MODIFY_QP] = "MODIFY_QP",
		[IB_USER_VERBS_CMD_DESTROY_QP] = "DESTROY_QP",
		[IB_USER_VERBS_CMD_POST_SEND] = "POST_SEND",
		[IB_USER_VERBS_CMD_CREATE_SRQ] = "CREATE_SRQ",
		[IB_USER_VERBS_CMD_MODIFY_SRQ] = "MODIFY_SRQ",
		[IB_USER_VERBS_CMD_QUERY_SRQ] = "QUERY_SRQ",
		[IB_USER_VERBS_CMD_DESTROY_SRQ] = "DESTROY_SRQ",
	},
	[WRITE_EX] = {
		[IB_USER_VERBS_EX_CMD_QUERY_DEVICE] = "QUERY_DEVICE",
		[IB_USER_VERBS_EX_CMD_CREATE_CQ] = "CREATE_CQ",
		[IB_USER_VERBS_EX_CMD_CREATE_QP] = "CREATE_QP",
		[IB_USER_VERBS_EX_CMD_MODIFY_QP] = "MODIFY_QP",
	},
#define METHOD(object, method)	IOCTL_NUMBER(UVERBS_OBJECT_##object, UVERBS_METHOD_##method)
	[IOCTL] = {
		[METHOD(DEVICE, INVOKE_WRITE)] = "INVOKE_WRITE",
		[METHOD(DEVICE, INFO_HANDLES)] = "INFO_HANDLES",
		[METHOD(DEVICE, QUERY_PORT)] = "QUERY_PORT",
		[METHOD(DEVICE, GET_CONTEXT)] = "GET_CONTEXT",
		[METHOD(DEVICE, QUERY_CONTEXT)] = "QUERY_CONTEXT",
		[METHOD(DEVICE, QUERY_GID_TABLE)] = "QUERY_GID_TABLE",
		[METHOD(DEVICE, QUERY_GID_ENTRY)] = "QUERY_GID_ENTRY",
		[METHOD(PD, PD_DESTROY)] = "PD_DESTROY",
		[METHOD(CQ, CQ_CREATE)] = "CQ_CREATE",
		[METHOD(CQ, CQ_DESTROY)] = "CQ_DESTROY",
		[METHOD(QP, QP_CREATE)] = "QP_CREATE",
		[METHOD(QP, QP_DESTROY)] = "QP_DESTROY",
		[METHOD(SRQ, SRQ_CREATE)] = "SRQ_CREATE",
		[METHOD(SRQ, SRQ_DESTROY)] = "SRQ_DESTROY",
		[METHOD(MR, MR_DESTROY)] = "MR_DESTROY",
		[METHOD(MR, QUERY_MR)] = "QUERY_MR",
		[METHOD(ASYNC_EVENT, ASYNC_EVENT_ALLOC)] = "ASYNC_EVENT_ALLOC",
	},
	[CM] = {
		[RDMA_USER_CM_CMD_CREATE_ID] = "CREATE_ID",
		[RDMA_USER_CM_CMD_DESTROY_ID] = "DESTROY_ID",
		[RDMA_USER_CM_CMD_BIND_IP] = "BIND_IP",
		[RDMA_USER_CM_CMD_RESOLVE_IP] = "RESOLVE_IP",
		[RDMA_USER_CM_CMD_RESOLVE_ROUTE] = "RESOLVE_ROUTE",
		[RDMA_USER_CM_CMD_QUERY_ROUTE] = "QUERY_ROUTE",
		[RDMA_USER_CM_CMD_CONNECT] = "CONNECT",
		[RDMA_USER_CM_CMD_LISTEN] = "LISTEN",
		[RDMA_USER_CM_CMD_ACCEPT] = "ACCEPT",
		[RDMA_USER_CM_CMD_REJECT] = "REJECT",
		[RDMA_USER_CM_CMD_DISCONNECT] = "DISCONNECT",
		[RDMA_USER_CM_CMD_INIT_QP_ATTR] = "INIT_QP_ATTR",
		[RDMA_USER_CM_CMD_GET_EVENT] = "GET_EVENT",
		[RDMA_USER_CM_CMD_SET_OPTION] = "SET_OPTION",
		[RDMA_USER_CM_CMD_NOTIFY] = "NOTIFY",
		[RDMA_USER_CM_CMD_MIGRATE_ID] = "MIGRATE_ID",
		[RDMA_USER_CM_CMD_QUERY] = "QUERY",
		[RDMA_USER_CM_CMD_BIND] = "BIND",
		[RDMA_USER_CM_CMD_RESOLVE_ADDR] = "RESOLVE_ADDR",
	},
	[CM_EVENT] = {
		[0] = "ADDR_RESOLVED",
		[2] = "ROUTE_RESOLVED",
		[4] = "CONNECT_REQUEST",
		[9] = "ESTABLISHED",
		[10] = "DISCONNECTED",
	},
	[COMPLETION] = {
		[SIW_OP_WRITE] = "WRITE",
		[SIW_OP_READ] = "READ",
		[SIW_OP_SEND] = "SEND",
		[SIW_OP_RECEIVE] = "RECEIVE",
	},
	[FILES] = {
		[MAP_RING] = "mmap of a queue",
		[UNMAP_RING] = "munmap",
		[MOVE_RING] = "mremap",
		[PROTECT_RING] = "mprotect",
		[ADVISE_RING] = "madvise",
		[READ_ASYNC] = "read of asynchronous events",
		[READ_COMPLETION] = "read of completion events",
		[POLL] = "poll",
		[CLOSE_VERBS] = "close of uverbs",
		[CLOSE_CM] = "close of rdma_cm",
		[CLOSE_EVENTS] = "close of event files",
		[DUP] = "dup2",
		[FORK] = "fork",
	},
};

void stats_init(void)
{
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (counts == MAP_FAILED)
		abort();
}

void stats_count(enum group group, uint32_t number, bool good)
{
	uint32_t i = number < NUMBERS ? number : NUMBERS - 1;

	if (good)
		counts->good[group][i]++;
	else
		counts->bad[group][i]++;
}

bool stats_complete(void)
{
	for (enum group group = 0; group < GROUPS; group++)
		for (int i = 0; i < NUMBERS; i++)
			if (names[group][i] && !counts->good[group][i])
				return false;
	return true;
}

uint64_t stats_total(void)
{
	uint64_t total = 0;

	for (enum group group = 0; group < GROUPS; group++)
		for (int i = 0; i < NUMBERS; i++)
			total += counts->good[group][i] + counts->bad[group][i];
	return total;
}

/*
 * Prints the counters of a group; kinds of requests without a name share a line. Returns whether
 * each kind with a name has succeeded or, unless @every is true, whether one of them has.
 */
static bool report_group(enum group group, bool every)
{
	unsigned int others = 0, good = 0;
	bool all = true, some = false;

	printf("# %s: succeeded and failed\n", titles[group]);
	for (int i = 0; i < NUMBERS; i++) {
		const char *name = names[group][i];

		if (name)
			printf("#   %-28s %8u %8u\n", name, counts->good[group][i],
			       counts->bad[group][i]);
		if (name && !counts->good[group][i])
			all = false;
		if (name && counts->good[group][i])
			some = true;
		if (!name) {
			good += counts->good[group][i];
			others += counts->bad[group][i];
		}
	}
	printf("#   %-28s %8u %8u\n", "all others", good, others);
	return every ? all : some;
}

int result(int *count, bool ok, const char *name)
{
	printf("%sok %d %s\n", ok ? "" : "not ", ++*count, name);
	return !ok;
}

int stats_report(int *count, bool every)
{
	int failed = 0;

	for (enum group group = 0; group < GROUPS; group++) {
		bool ok = report_group(group, every);
		char name[80];

		snprintf(name, sizeof(name), "%s: %s", titles[group],
			 every ? "each kind that can succeed has" : "requests succeed");
		failed += result(count, ok, name);
	}
	return failed;
}
