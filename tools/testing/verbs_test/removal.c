// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: the server's device is removed while a process uses it. Expects that the removal does
 * not wait for the process, that the process gets an event, and that calls of the process fail
 * after the event.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs_test.h"

#define LEN	20000
/* The number of port events: more than the kernel keeps for a file. */
#define NUM_EVENTS	140

static pid_t start_removal(struct ibv_context *context)
{
	const char *device = ibv_get_device_name(context->device);
	pid_t pid = fork();

	if (pid)
		return pid;
	execlp("rdma", "rdma", "link", "delete", device, NULL);
	_exit(127);
}

/*
 * Expects that the command @pid, which removes the device, ends while this process has all of its
 * files open.
 */
static bool removed(pid_t pid)
{
	int64_t end = now_ms() + 2 * patience_ms();
	int status;
	pid_t ended;

	TRY(sys(pid));
	do {
		ended = waitpid(pid, &status, WNOHANG);
		usleep(10000);
	} while (!ended && now_ms() < end);
	EXPECT(pid, ended);
	EXPECT(0, status);
	return true;
}

static bool is_fatal(struct ibv_context *context)
{
	struct ibv_async_event event;
	int64_t end = now_ms() + patience_ms();

	do {
		TRY(next_async(context, &event, patience_ms()));
		if (event.event_type == IBV_EVENT_DEVICE_FATAL)
			return true;
	} while (now_ms() < end);
	printf("# no %s\n", ibv_event_type_str(IBV_EVENT_DEVICE_FATAL));
	return false;
}

/* Expects that reading further events fails with EIO. */
static bool no_more_events(struct ibv_context *context)
{
	struct ibv_async_event event;
	int64_t end = now_ms() + patience_ms();
	int ret;

	TRY(sys(fcntl(context->async_fd, F_SETFL,
		      fcntl(context->async_fd, F_GETFL) | O_NONBLOCK)));
	do {
		ret = sys(ibv_get_async_event(context, &event));
		if (!ret)
			ibv_ack_async_event(&event);
		else if (ret == -EAGAIN)
			usleep(10000);
	} while ((!ret || ret == -EAGAIN) && now_ms() < end);
	EXPECT(-EIO, ret);
	return true;
}

/* Expects the removal event of @id; other events, such as DISCONNECTED, may come before. */
static bool id_gets_removal(struct conn_pair *pair, struct rdma_cm_id *id)
{
	struct cm_event event;
	int64_t end = now_ms() + patience_ms();

	do {
		TRY(next_cm_event(pair->channel, &event));
		if (event.type == RDMA_CM_EVENT_DEVICE_REMOVAL && event.id == id)
			return true;
	} while (now_ms() < end);
	printf("# no %s\n", rdma_event_str(RDMA_CM_EVENT_DEVICE_REMOVAL));
	return false;
}

static bool calls_fail(struct endpoint *ep)
{
	struct ibv_context *context = ep->id->verbs;
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_device_attr device_attr;
	struct ibv_port_attr port_attr;

	EXPECT(-EIO, got(ibv_alloc_pd(context)));
	EXPECT(-EIO, got(ibv_reg_mr(ep->pd, ep->mem, LEN, ALL_RIGHTS)));
	EXPECT(-EIO, got(ibv_create_cq(context, 10, NULL, NULL, 0)));
	EXPECT(-EIO, got(ibv_create_comp_channel(context)));
	EXPECT(-EIO, verbs(ibv_query_device(context, &device_attr)));
	EXPECT(-EIO, verbs(ibv_query_port(context, 1, &port_attr)));
	EXPECT(-EIO, verbs(ibv_modify_qp(ep->id->qp, &attr, IBV_QP_STATE)));
	EXPECT(-EIO, verbs(ibv_dereg_mr(ep->mr)));
	return true;
}

/* Expects that the process can still access its mapped queues. Their contents are not checked. */
static bool queues_can_be_touched(struct endpoint *ep)
{
	struct ibv_wc wc;

	EXPECT(1, ibv_poll_cq(ep->cq, 1, &wc) >= 0);
	ibv_req_notify_cq(ep->cq, 0);
	post_recv(ep, 1, 0, LEN);
	EXPECT(1, post_send(ep, 2, 0, LEN) != 0);
	EXPECT(1, ibv_poll_cq(ep->cq, 1, &wc) >= 0);
	return true;
}

/* Posts receives that stay pending, and READs that are in flight when the device is removed. */
static bool start_traffic(struct conn_pair *pair)
{
	struct ibv_sge sge = sge_of(&pair->client, 0, LEN);

	for (int i = 0; i < 8; i++) {
		TRY(post_recv(&pair->server, i, 0, LEN));
		TRY(post_rdma(&pair->client, 100 + i, IBV_WR_RDMA_READ, &sge,
			      (uintptr_t)pair->server.mem, pair->server.mr->rkey));
	}
	return true;
}

static bool under_traffic(void)
{
	struct ibv_context *context;
	struct conn_pair pair;
	pid_t pid;

	if (!pair_open(&pair, LEN, false) || !start_traffic(&pair))
		return false;
	context = pair.server.id->verbs;
	pid = start_removal(context);
	if (!is_fatal(context) || !removed(pid) || !no_more_events(context) ||
	    !id_gets_removal(&pair, pair.server.id))
		return false;
	if (!calls_fail(&pair.server) || !queues_can_be_touched(&pair.server))
		return false;
	/* The listener, which uses no verbs objects, can still be destroyed. */
	TRY(sys(rdma_destroy_id(pair.listener)));
	return true;
}

/* --- a process that has not read port events --- */

static bool find_netdev(struct ibv_context *context, char *name, size_t len)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/gid_attrs/ndevs/0",
		 ibv_get_device_name(context->device));
	TRY(got(file = fopen(path, "r")));
	TRY(got(fgets(name, len, file)));
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	return true;
}

/* Toggles the port until @reader has read NUM_EVENTS events. */
static bool toggle_port(struct ibv_context *reader, const char *netdev)
{
	struct ibv_async_event event;
	char command[128];
	int num_read = 0;

	for (int i = 0; i < 2 * NUM_EVENTS && (i % 2 || num_read < NUM_EVENTS); i++) {
		snprintf(command, sizeof(command), "ip link set %s %s", netdev,
			 i % 2 ? "up" : "down");
		EXPECT(0, system(command));
		num_read += !next_async(reader, &event, 1000);
	}
	EXPECT(1, num_read >= NUM_EVENTS);
	return true;
}

static bool events_unread(void)
{
	struct ibv_context *reader, *nonreader;
	struct rdma_cm_id *listener;
	char netdev[32];
	pid_t pid;

	TRY(listener_id(NULL, &listener));
	TRY(got(reader = ibv_open_device(listener->verbs->device)));
	TRY(got(nonreader = ibv_open_device(listener->verbs->device)));
	if (!find_netdev(reader, netdev, sizeof(netdev)) || !toggle_port(reader, netdev))
		return false;
	pid = start_removal(nonreader);
	return removed(pid) && is_fatal(nonreader) && no_more_events(nonreader);
}

const struct test removal_tests[] = {
	{ "a device is removed under traffic", under_traffic },
	{}
};

const struct test unread_tests[] = {
	{ "a device is removed while a process has many unread events", events_unread },
	{}
};
