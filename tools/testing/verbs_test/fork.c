// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: a process with registered memory forks. Expects that the device keeps using the
 * memory of the parent, no matter which of the two processes writes first.
 */
#include <infiniband/verbs.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs_test.h"

#define LEN 20000

/*
 * A child process. The child overwrites its copy of the memory and exits when @exit_fd is closed.
 */
struct child {
	pid_t pid;
	int exit_fd;
};

/*
 * Starts a child. If @writes_first is true, the child overwrites its copy of the server's memory
 * also at once, and not only before it exits. The kernel has made that copy at fork, because the
 * memory is pinned.
 */
static bool fork_child(struct child *child, struct conn_pair *pair, bool writes_first)
{
	int ends[2];
	char byte;

	TRY(sys(pipe(ends)));
	child->pid = fork();
	if (!child->pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(ends[1]);
		if (writes_first)
			memset(pair->server.mem, 0x77, LEN);
		if (read(ends[0], &byte, 1) < 0)
			_exit(1);
		memset(pair->server.mem, 0x77, LEN);
		memset(pair->client.mem, 0x77, LEN);
		_exit(0);
	}
	TRY(sys(child->pid));
	close(ends[0]);
	child->exit_fd = ends[1];
	return true;
}

static bool child_ends(struct child *child)
{
	int status;

	close(child->exit_fd);
	TRY(sys(waitpid(child->pid, &status, 0)));
	EXPECT(0, status);
	return true;
}

/*
 * Fills the server's memory and verifies what a READ gets from it. After that, verifies a WRITE to
 * the same memory; a message behind the WRITE shows that the WRITE has been placed.
 */
static bool data_are_right(struct conn_pair *pair, uint32_t message)
{
	struct ibv_sge sge = sge_of(&pair->client, 0, LEN);
	uint64_t remote = (uintptr_t)pair->server.mem;
	uint32_t rkey = pair->server.mr->rkey;
	struct ibv_wc wc;

	pattern_fill(pair->server.mem, LEN, message);
	TRY(post_rdma(&pair->client, 1, IBV_WR_RDMA_READ, &sge, remote, rkey));
	if (!completes(&pair->client, 1, IBV_WC_SUCCESS, &wc) ||
	    !pattern_matches(pair->client.mem, LEN, message))
		return false;
	pattern_fill(pair->client.mem, LEN, message + 1);
	TRY(post_rdma(&pair->client, 2, IBV_WR_RDMA_WRITE, &sge, remote, rkey));
	TRY(post_recv(&pair->server, 3, 0, LEN));
	TRY(post_send(&pair->client, 4, 0, 1));
	if (!completes(&pair->client, 2, IBV_WC_SUCCESS, &wc) ||
	    !completes(&pair->client, 4, IBV_WC_SUCCESS, &wc) ||
	    !completes(&pair->server, 3, IBV_WC_SUCCESS, &wc))
		return false;
	return pattern_matches(pair->server.mem, LEN, message + 1);
}

static bool child_writes_first;

static bool forked(void)
{
	struct child child;
	struct conn_pair pair;

	EXPECT(IBV_FORK_UNNEEDED, ibv_is_fork_initialized());
	if (!pair_open(&pair, LEN, false) || !data_are_right(&pair, 10) ||
	    !fork_child(&child, &pair, child_writes_first))
		return false;
	if (!data_are_right(&pair, 20) || !child_ends(&child) || !data_are_right(&pair, 30))
		return false;
	return pair_close(&pair) && connections_work();
}

/* A receive is posted before the fork, and completes after the end of the child. */
static bool receive_across(void)
{
	struct child child;
	struct ibv_wc wc;
	struct conn_pair pair;

	if (!pair_open(&pair, LEN, false))
		return false;
	memset(pair.server.mem, 1, LEN);
	pattern_fill(pair.client.mem, LEN, 5);
	TRY(post_recv(&pair.server, 1, 0, LEN));
	if (!fork_child(&child, &pair, true))
		return false;
	/*
	 * The parent writes to the memory as well. The device must still use the page of the
	 * parent.
	 */
	memset(pair.server.mem, 2, LEN);
	if (!child_ends(&child))
		return false;
	TRY(post_send(&pair.client, 2, 0, LEN));
	if (!completes(&pair.server, 1, IBV_WC_SUCCESS, &wc) ||
	    !pattern_matches(pair.server.mem, LEN, 5))
		return false;
	return pair_close(&pair);
}

/*
 * The child's copies of the files are closed at execve(). Expects that the objects of the parent
 * continue to work.
 */
static bool child_execs(void)
{
	struct conn_pair pair;
	int status;
	pid_t pid;

	EXPECT(0, ibv_fork_init());
	if (!pair_open(&pair, LEN, false))
		return false;
	pid = fork();
	if (!pid) {
		execlp("true", "true", NULL);
		_exit(1);
	}
	TRY(sys(waitpid(pid, &status, 0)));
	EXPECT(0, status);
	return data_are_right(&pair, 40) && pair_close(&pair);
}

void test_fork(void)
{
	run("the parent writes first", forked);
	child_writes_first = true;
	run("the child writes first", forked);
	run("a receive across a fork", receive_across);
	run("a child that runs another program", child_execs);
}
