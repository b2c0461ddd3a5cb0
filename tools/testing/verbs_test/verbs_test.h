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

#include "../steps.h"

#define ARRAY_SIZE(array) (sizeof(array) / sizeof(*(array)))
#define PAGE 4096

/*
 * From the command line and the environment: the address where servers listen; the network
 * namespace of the clients, NULL if it is that of the servers; the factor by which all time limits
 * grow.
 */
extern const char *test_address;
extern const char *client_netns;
extern int slow_factor;

/* main.c */
/* Runs @test in a process of its own, which has 60 s, times slow_factor. */
void run(const char *name, bool (*test)(void));
/* The same, with @seconds. */
void run_for(const char *name, int seconds, bool (*test)(void));
/* Returns how long to wait for an event: 10 s, times slow_factor. */
int patience_ms(void);
int64_t now_ms(void);
/* Returns a random number below @limit; SEED in the environment repeats a run. */
unsigned int below(unsigned int limit);

/* Convert the three return conventions of the libraries to 0 or a negative errno. */
static inline int sys(int ret)
{
	return ret < 0 ? -errno : ret;
}

static inline int verbs(int ret)
{
	return -abs(ret);
}

static inline int got(const void *pointer)
{
	return pointer ? 0 : -errno;
}

/* pattern.c: data in which each byte depends on its message and its offset */
void pattern_fill(uint8_t *mem, size_t len, uint32_t message);
/* Prints the first wrong byte. */
bool pattern_matches(const uint8_t *mem, size_t len, uint32_t message);
bool bytes_are(const uint8_t *mem, size_t len, uint8_t value);

#define QUEUE_DEPTH	64
#define ALL_RIGHTS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

/*
 * One endpoint of a connection: its queues, and @len bytes at @mem, on which the peer has all
 * rights. One page before @mem and one behind it belong to the endpoint, but not to the region.
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
/* Creates the objects of ep->id, which has a device; with @srq the QP receives from an SRQ. */
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
/* Returns 1 with a completion in @wc, 0 if none has come in patience_ms(). */
int poll_one(struct endpoint *ep, struct ibv_wc *wc);
/* Expects that the next completion is that of @wr_id, with @status. */
bool completes(struct endpoint *ep, uint64_t wr_id, enum ibv_wc_status status, struct ibv_wc *wc);
enum ibv_qp_state state_of(struct endpoint *ep);

/* An event of the connection manager, which has been acknowledged. */
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
/*
 * Creates an identifier in the clients' namespace; its calls are synchronous if @channel is NULL.
 */
int client_id(struct rdma_event_channel *channel, struct rdma_cm_id **id);
int listener_id(struct rdma_event_channel *channel, struct rdma_cm_id **id);
/* Returns the address where @listener listens. */
const struct sockaddr *listener_addr(struct rdma_cm_id *listener);
int next_cm_event(struct rdma_event_channel *channel, struct cm_event *event);
bool expect_cm_event(struct rdma_event_channel *channel, enum rdma_cm_event_type type,
		     struct cm_event *event);
bool pair_listen(struct conn_pair *pair);
/* Creates the client's identifier, and resolves address and route. */
bool pair_resolve(struct conn_pair *pair);
/* Connects the client, with @len bytes of private data, and takes the server's event. */
bool pair_request(struct conn_pair *pair, const void *data, uint8_t len, struct cm_event *request);
bool pair_accept(struct conn_pair *pair, const void *data, uint8_t len);
/* All the steps above, with @len bytes of memory on each side; with @srq the server uses an SRQ. */
bool pair_open(struct conn_pair *pair, size_t len, bool srq);
/* Expects RDMA_CM_EVENT_DISCONNECTED on both sides. */
bool pair_is_over(struct conn_pair *pair);
/* Frees everything; a connection that is still open ends. */
bool pair_close(struct conn_pair *pair);
/* Opens a connection, verifies a message, a WRITE and a READ, and closes it. */
bool connections_work(void);

/* async.c: events of QPs and devices, as ibv_get_async_event() returns them */
int next_async(struct ibv_context *context, struct ibv_async_event *event, int timeout_ms);
/* Expects an event of @type of this endpoint's QP, in any order with events of other objects. */
bool expect_async(struct endpoint *ep, enum ibv_event_type type);

/* table.c: what `rdma resource show` prints */
struct table {
	char text[4096];
};

int table_read(struct table *table);
/* Returns the number of objects of all devices; @kind is "qp", "cm_id" ... */
long table_sum(const struct table *table, const char *kind);
/* Waits until the table equals @before. */
bool table_is_restored(const struct table *before);

/* memory.c: the machine's memory, in KiB */
struct memory {
	long available;
	long anon;	/* private memory of processes */
	long slab;
	long vmalloc;
	long tables;
};

int memory_read(struct memory *memory);
/* Prints the memory of one of @connections, which were open between @before and @after. */
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
 * When a process is killed by a timer of its own: @us after it first enters @stage, or @latest_us
 * after its start if it does not enter @stage before. Zero means never.
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
	atomic_llong killed_at; /* as now_ms() counts */
	/* A server: whether it listens, and where. */
	atomic_bool listening;
	struct sockaddr_storage addr;
};

/* A process that is, or may be, killed. */
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

/* A client's endpoint, and address and rkey of the server's memory. */
struct client {
	struct rdma_event_channel *channel;
	struct endpoint ep;
	uint64_t addr;
	uint32_t rkey;
};

/*
 * kill_target.c: server and client processes. The parent must have no device open when it starts
 * one, because the child would inherit the open files.
 */
bool server_start(struct kill_target *server);
bool server_listens(const struct kill_target *server);
/* Waits for the end of @server, which exits when its clients have ended all connections. */
bool server_stop(const struct kill_target *server);
/*
 * Starts a process that calls @run_client, and that kills itself after @steps steps unless @steps
 * is negative.
 */
bool client_start(struct kill_target *client, const struct kill_target *server, int steps,
		  bool (*run_client)(const struct kill_target *server));
/* Waits for the end of @pid, and expects that SIGKILL has ended it. */
bool was_killed(pid_t pid);

bool client_resolve(struct client *client, const struct kill_target *server);
bool client_connect(struct client *client);
/* A WRITE or READ of @len bytes, at @offset in both memories. Returns whether it succeeded. */
bool client_exchange(struct client *client, enum ibv_wr_opcode opcode, uint32_t offset,
		     uint32_t len);
/* Sends message @number, from SENT_AT(@number). Returns whether that succeeded. */
bool client_send(struct client *client, uint32_t number);
bool client_disconnect(struct client *client);
bool client_free(struct client *client);

/* The groups of tests, each in a file of its name; test_unread() is in removal.c. */
void test_reject(void);
void test_order(void);
void test_access(void);
void test_reuse(void);
void test_fork(void);
void test_kill(void);
void test_kill_stress(int number);
void test_scale(int number);
void test_threads(int number);
void test_limits(void);
void test_events(void);
void test_removal(void);
void test_unread(void);
void test_raw(void);
void test_rereg(void);

#endif /* VERBS_TEST_H */
