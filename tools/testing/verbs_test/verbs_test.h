/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * verbs_test: tests user-space verbs and connections through libibverbs and librdmacm, against what
 * their manual pages say. Most tests have both endpoints of a connection in one process.
 */
#ifndef VERBS_TEST_H
#define VERBS_TEST_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include "tools/testing/lib/array.h"
#include "tools/testing/lib/clock.h"
#include "tools/testing/lib/steps.h"
#include "tools/testing/lib/tests.h"

#define PAGE 4096

/*
 * Settings from the command line and the environment. test_address is where servers listen;
 * client_netns is the network namespace of the clients, or NULL if it is that of the servers;
 * slow_factor is the factor that multiplies all time limits; random_seed is that of below().
 */
extern const char *test_address;
extern const char *client_netns;
extern int slow_factor;
extern unsigned int random_seed;

/* run.c */
/* How many tests have been run, and how many of them have failed. */
extern int tests_run, tests_failed;
/* Runs @test in a process of its own, which is ended after 60 s times slow_factor. */
void run(const char *name, bool (*test)(void));
/* Does the same as run(), but with a limit of @seconds times slow_factor. */
void run_for(const char *name, int seconds, bool (*test)(void));
/* Returns how many milliseconds to wait for an event: 10000 times slow_factor. */
int patience_ms(void);
/* Returns a random number below @limit. The same SEED in the environment gives the same numbers. */
unsigned int below(unsigned int limit);

/*
 * Convert the libraries' two other return conventions: failure becomes a negative errno, and
 * success becomes 0.
 */
static inline int verbs(int ret)
{
	return -abs(ret);
}

static inline int got(const void *pointer)
{
	return pointer ? 0 : -errno;
}

/* pattern.c: data in which each byte depends on the message number and on its offset */
void pattern_fill(uint8_t *mem, size_t len, uint32_t message);
/* Returns whether @mem has the pattern of @message. Prints the first byte that differs. */
bool pattern_matches(const uint8_t *mem, size_t len, uint32_t message);
bool bytes_are(const uint8_t *mem, size_t len, uint8_t value);

#define QUEUE_DEPTH	64
#define ALL_RIGHTS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

/*
 * One endpoint of a connection: its queues, and a region of @len bytes at @mem, on which the peer
 * has all rights. The endpoint also has one page before @mem and one page behind @mem; neither is
 * part of the region.
 */
struct endpoint {
	struct rdma_cm_id *id;
	struct ibv_pd *pd;
	struct ibv_comp_channel *channel;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	uint8_t *mem;
	size_t len;
};

/* endpoint.c. Functions that return an int return 0 or a negative errno, unless said otherwise. */
/*
 * Creates the objects of ep->id, which must be bound to a device. If @srq is true, the QP receives
 * from an SRQ.
 */
int endpoint_create(struct endpoint *ep, size_t len, bool srq);
int endpoint_free(struct endpoint *ep);
int memory_alloc(uint8_t **mem, size_t len);
void memory_free(uint8_t *mem, size_t len);
int post_recv(struct endpoint *ep, uint64_t wr_id, uint32_t offset, uint32_t len);
int post_recv_sge(struct endpoint *ep, uint64_t wr_id, struct ibv_sge *sge);
int post_send(struct endpoint *ep, uint64_t wr_id, uint32_t offset, uint32_t len);
/* Posts a WRITE or READ of sge->length bytes. */
int post_rdma(struct endpoint *ep, uint64_t wr_id, enum ibv_wr_opcode opcode, struct ibv_sge *sge,
	      uint64_t addr, uint32_t rkey);
int post_request(struct endpoint *ep, struct ibv_send_wr *wr);
struct ibv_sge sge_of(const struct endpoint *ep, uint32_t offset, uint32_t len);
/*
 * Returns 1 and a completion in @wc, or 0 if no completion has come in patience_ms(), or a negative
 * number if ibv_poll_cq() failed.
 */
int poll_one(struct endpoint *ep, struct ibv_wc *wc);
/* Expects that the next completion is that of @wr_id, with @status. */
bool completes(struct endpoint *ep, uint64_t wr_id, enum ibv_wc_status status, struct ibv_wc *wc);
enum ibv_qp_state state_of(struct endpoint *ep);

/* A copy of an event of the connection manager. The event itself has been acknowledged. */
struct cm_event {
	enum rdma_cm_event_type type;
	int status;
	struct rdma_cm_id *id;
	uint8_t data[256];
	int len;
};

struct conn_pair {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener;
	struct endpoint client;
	struct endpoint server;
};

/* conn_pair.c: both endpoints of a connection */
/* Depth of READs, in both directions, of the connections that are opened next; 4 at first. */
extern uint8_t conn_depth;
/*
 * Creates an identifier in the clients' namespace. If @channel is NULL, calls on the identifier are
 * synchronous.
 */
int client_id(struct rdma_event_channel *channel, struct rdma_cm_id **id);
int listener_id(struct rdma_event_channel *channel, struct rdma_cm_id **id);
int next_cm_event(struct rdma_event_channel *channel, struct cm_event *event);
bool expect_cm_event(struct rdma_event_channel *channel, enum rdma_cm_event_type type,
		     struct cm_event *event);
bool pair_listen(struct conn_pair *pair);
/* Creates the client's identifier, and resolves address and route. */
bool pair_resolve(struct conn_pair *pair);
/*
 * Connects the client, with @len bytes of private data, and fetches the server's CONNECT_REQUEST
 * event to @request.
 */
bool pair_request(struct conn_pair *pair, const void *data, uint8_t len, struct cm_event *request);
bool pair_accept(struct conn_pair *pair, const void *data, uint8_t len);
/*
 * Does all steps from pair_listen() to pair_accept(), with @len bytes of memory on each side. If
 * @srq is true, the server uses an SRQ.
 */
bool pair_open(struct conn_pair *pair, size_t len, bool srq);
/* Expects RDMA_CM_EVENT_DISCONNECTED on both sides. */
bool pair_is_over(struct conn_pair *pair);
/* Frees all objects of both sides. If the connection is still open, this closes it. */
bool pair_close(struct conn_pair *pair);
/* Opens a connection, verifies a message, a WRITE and a READ, and closes the connection. */
bool connections_work(void);

/* async.c: events of QPs and devices, as ibv_get_async_event() returns them */
int next_async(struct ibv_context *context, struct ibv_async_event *event, int timeout_ms);
/*
 * Expects an event of @type for the QP of @ep. Events of other objects may come before, and are
 * kept for later calls.
 */
bool expect_async(struct endpoint *ep, enum ibv_event_type type);

/* table.c: what `rdma resource show` prints */
struct table {
	char text[4096];
};

int table_read(struct table *table);
/* Returns the number of objects of @kind ("qp", "cm_id" and others) on all devices. */
long table_sum(const struct table *table, const char *kind);
/* Waits until the resource table equals @before. Returns false after patience_ms(). */
bool table_is_restored(const struct table *before);

/* memory.c: the machine's memory, in KiB */
struct memory {
	long available;
	long free;	/* per-CPU lists of pages included */
	long anon;	/* private memory of processes */
	long slab;
	long sockets;	/* part of @slab that holds TCP sockets; -1 if the kernel does not say */
	long vmalloc;
	long tables;
};

int memory_read(struct memory *memory);
/* Makes the kernel free slabs of kmalloc() that have no objects, of which it keeps some. */
void memory_shrink_slabs(void);
/* Returns whether objects take more memory than they need, because the kernel checks their use. */
bool memory_is_debugged(void);
/* Returns the bytes that this process has pinned, or -1 if the kernel does not report them. */
long pinned(void);
/*
 * Prints the memory that one of @connections connections needs. @open was read while all
 * connections were open; @before and @after were read while none was open.
 */
void memory_print(const struct memory *before, const struct memory *open,
		  const struct memory *after, int connections);

/* The stage that a process is in. */
enum stage {
	STAGE_STARTING,
	STAGE_OPENING,
	STAGE_RESOLVING,
	STAGE_CONNECTING,
	STAGE_TRAFFIC,
	STAGE_LISTENING,
	STAGE_ACCEPTING,
	STAGE_SERVING,
	STAGE_CLOSING,
	NUM_STAGES
};

/*
 * The time at which a timer of a process kills the process: @us microseconds after the process
 * first enters @stage, or @latest_us microseconds after the start of the process if the process has
 * not entered @stage by then. A value of zero means never.
 */
struct kill_time {
	enum stage stage;
	uint32_t us;
	uint32_t latest_us;
};

/* The state of a process, in memory that it shares with its parent. */
struct proc_state {
	struct kill_time kill_time;
	atomic_int stage;
	atomic_llong killed_at; /* when the timer expires; on the clock of now_ms() */
	/* For servers: whether the server listens, and at which address. */
	atomic_bool listening;
	struct sockaddr_storage addr;
};

/* A process that may be killed. */
struct kill_target {
	pid_t pid;
	struct kill_time kill_time;
	struct proc_state *state;
};

/* A server's memory: GRANT_RDMA bytes for READ and WRITE, then MAX_SENDS receive buffers. */
#define GRANT_RDMA	50000
#define MAX_SENDS	8
#define SEND_LEN	1000
#define SENT_AT(number)	(GRANT_RDMA + (number) * SEND_LEN)
#define GRANT_LEN	SENT_AT(MAX_SENDS)

/* A client: its endpoint, and the address and the rkey of the server's memory. */
struct client {
	struct rdma_event_channel *channel;
	struct endpoint ep;
	uint64_t addr;
	uint32_t rkey;
};

/*
 * kill_target.c: server and client processes. The parent must have no device open when it starts a
 * process, because the child would inherit the open files.
 */
bool server_start(struct kill_target *server);
bool server_listens(const struct kill_target *server);
/*
 * Tells @server to stop, and waits for its end. The server exits when its clients have ended all
 * connections.
 */
bool server_stop(const struct kill_target *server);
/*
 * Starts a process that calls @run_client, and that kills itself after @steps steps unless @steps
 * is negative.
 */
bool client_start(struct kill_target *client, const struct kill_target *server, int steps,
		  bool (*run_client)(const struct kill_target *server));
/* Waits for the end of process @pid, and expects that SIGKILL has ended it. */
bool was_killed(pid_t pid);

bool client_resolve(struct client *client, const struct kill_target *server);
bool client_connect(struct client *client);
/*
 * Runs a WRITE or READ of @len bytes at @offset of the client's and of the server's memory. Returns
 * whether the request succeeded.
 */
bool client_exchange(struct client *client, enum ibv_wr_opcode opcode, uint32_t offset,
		     uint32_t len);
/*
 * Sends message @number, which is at SENT_AT(@number) of the client's memory. Returns whether the
 * send succeeded.
 */
bool client_send(struct client *client, uint32_t number);
bool client_disconnect(struct client *client);
bool client_free(struct client *client);

/* slow_file.c: a file of one page, which waits for the test. Return 0 or a negative errno. */
/* Mounts the file at @path. Fails with ENOENT or ENODEV if the kernel has no FUSE. */
int slow_file_mount(const char *path);
/* Waits until a process waits for the page, or the kernel for its write-back. */
bool slow_file_wanted(void);
int slow_file_provide(void);
/* Starts a thread in which the kernel writes back the page, with the page locked. */
int slow_file_invalidate(pthread_t *thread);

/*
 * The groups: NAME_tests or test_NAME() is in the file NAME.c, except unread_tests, which is in
 * removal.c, stall_netns_tests, which is in stall.c, and test_refusals(), which is in commands.c.
 */
extern const struct test reject_tests[], order_tests[], kill_tests[], limits_tests[];
extern const struct test events_tests[], removal_tests[], unread_tests[], ports_tests[];
extern const struct test stall_netns_tests[], raw_tests[];
void test_access(void);
void test_reuse(void);
void test_fork(void);
void test_kill_stress(int number);
void test_scale(int number);
void test_threads(int number);
void test_footprint(int number);
void test_stall(void);
void test_rereg(void);
void test_mw(void);
void test_commands(void);
void test_refusals(void);

/* The groups that use commands and methods on the device of kt_user.ko. */
extern const struct test xrc_tests[], post_tests[], object_tests[], provider_fault_tests[];
extern const struct test qp_tests[], frame_tests[];
void run_flow_commands(void);
/* Expects that a device refuses to make the objects of object_tests, and flows. */
bool objects_are_refused(int fd, uint32_t pd);
/* Expects that a device refuses methods for XRC, even with parents that are left out. */
bool xrc_is_refused(int fd);

#endif /* VERBS_TEST_H */
