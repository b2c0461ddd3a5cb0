/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * verbs_test: tests of user-space verbs and connections by the libraries that programs use, against what
 * their manual pages say. Both sides of a connection are in one process, mostly.
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
 * From the command line and the environment: where servers listen; the network namespace that
 * clients are in, or NULL: the same; how many times longer things may take here.
 */
extern const char *test_address;
extern const char *client_netns;
extern int slow_factor;

/* main.c */
/* In a process of its own, which has a minute. */
void run(const char *name, bool (*test)(void));
/* One that has so many seconds. */
void run_for(const char *name, int seconds, bool (*test)(void));
/* 10 s of a kernel that is not slow. */
int patience_ms(void);
int64_t now_ms(void);
/* A number below @limit; SEED in the environment repeats a run. */
unsigned int below(unsigned int limit);

/* What functions of the libraries return, in three kinds, as 0 or a negative errno. */
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

/* pattern.c: data that tells which message it is of, and where a byte stood */
void pattern_fill(uint8_t *mem, size_t len, uint32_t message);
/* Prints the first byte that is wrong. */
bool pattern_matches(const uint8_t *mem, size_t len, uint32_t message);
bool bytes_are(const uint8_t *mem, size_t len, uint8_t value);

#define QUEUE_DEPTH	64
#define ALL_RIGHTS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE)

/*
 * One side of a connection: its queues, and memory that the peer may do all with. A page before
 * and one behind it belong to it, too, but not to the region.
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

/* side.c. Those that return an int return 0 or a negative errno. */
/* Of the identifier, which has a device. With @srq it receives from one. */
int endpoint_create(struct endpoint *ep, size_t len, bool srq);
int endpoint_free(struct endpoint *ep);
int memory_alloc(uint8_t **mem, size_t len);
void memory_free(uint8_t *mem, size_t len);
int post_recv(struct endpoint *ep, uint64_t wr_id, uint32_t offset, uint32_t len);
int post_recv_sge(struct endpoint *ep, uint64_t wr_id, struct ibv_sge *sge);
int post_send(struct endpoint *ep, uint64_t wr_id, uint32_t offset, uint32_t len);
/* A WRITE or READ of as many bytes as @sge has. */
int post_rdma(struct endpoint *ep, uint64_t wr_id, enum ibv_wr_opcode opcode, struct ibv_sge *sge,
	      uint64_t addr, uint32_t rkey);
int post_request(struct endpoint *ep, struct ibv_send_wr *wr);
struct ibv_sge sge_of(const struct endpoint *ep, uint32_t offset, uint32_t len);
/* 1, or 0 after 10 s. */
int poll_one(struct endpoint *ep, struct ibv_wc *wc);
/* The next completion is of this request, and has this status. */
bool completes(struct endpoint *ep, uint64_t wr_id, enum ibv_wc_status status, struct ibv_wc *wc);
enum ibv_qp_state state_of(struct endpoint *ep);

/* What an event of the connection manager says; it is acknowledged already. */
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

/* pair.c */
/* An identifier in the clients' namespace; of a channel, or with calls that wait. */
int client_id(struct rdma_event_channel *channel, struct rdma_cm_id **id);
int listener_id(struct rdma_event_channel *channel, struct rdma_cm_id **id);
/* Where it listens. */
const struct sockaddr *listener_addr(struct rdma_cm_id *listener);
int next_cm_event(struct rdma_event_channel *channel, struct cm_event *event);
bool expect_cm_event(struct rdma_event_channel *channel, enum rdma_cm_event_type type,
		     struct cm_event *event);
bool pair_listen(struct conn_pair *pair);
/* The client has resolved its route. */
bool pair_resolve(struct conn_pair *pair);
/* The client has asked, with @len bytes of private data, and the server has the request. */
bool pair_request(struct conn_pair *pair, const void *data, uint8_t len, struct cm_event *request);
bool pair_accept(struct conn_pair *pair, const void *data, uint8_t len);
/* All of this, with @len bytes of memory on each side; @srq: the server receives from one. */
bool pair_open(struct conn_pair *pair, size_t len, bool srq);
/* Both sides hear of the end. */
bool pair_is_over(struct conn_pair *pair);
/* Ends the connection, or what is left of it. */
bool pair_close(struct conn_pair *pair);
/* A message, a WRITE and a READ, each verified, on a new connection. */
bool connections_work(void);

/* async.c: events of QPs and devices that ibv_get_async_event() tells of */
int next_async(struct ibv_context *context, struct ibv_async_event *event, int timeout_ms);
/* This one of this side's QP, whatever there is of others. */
bool expect_async(struct endpoint *ep, enum ibv_event_type type);

/* table.c: what `rdma resource show` prints */
struct table {
	char text[4096];
};

int table_read(struct table *table);
/* Of all devices: @kind is "qp", "cm_id" ... */
long table_sum(const struct table *table, const char *kind);
/* Waits until it is what it was. */
bool table_is_restored(const struct table *before);

/* memory.c: KiB of the machine's */
struct memory {
	long available;
	long anon;	/* that processes have for themselves */
	long slab;
	long vmalloc;
	long tables;
};

int memory_read(struct memory *memory);
/* What so many connections have taken, which were open meanwhile. */
void memory_print(const struct memory *before, const struct memory *open,
		  const struct memory *after, int connections);

/* What a process is doing. */
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
 * When a process is killed: @us after it has come to @stage, but @latest_us after its beginning; 0:
 * not of itself.
 */
struct kill_time {
	enum stage stage;
	uint32_t us;
	uint32_t latest_us;
};

/* What is known of a process, and shared with it. */
struct proc_state {
	struct kill_time kill_time;
	atomic_int stage;
	atomic_llong killed_at; /* by now_ms() */
	/* Of a server: that it listens, and where. */
	atomic_bool listening;
	struct sockaddr_storage addr;
};

/* A process that is killed, or might be. */
struct kill_target {
	pid_t pid;
	struct kill_time kill_time;
	struct proc_state *state;
};

/* A server's memory has this for READ and WRITE, and behind it the places of messages. */
#define GRANT_RDMA	50000
#define MAX_SENDS	8
#define SEND_LEN	1000
#define SENT_AT(number)	(GRANT_RDMA + (number) * SEND_LEN)
#define GRANT_LEN	SENT_AT(MAX_SENDS)

/* A client's end of a connection, and the server's memory. */
struct client {
	struct rdma_event_channel *channel;
	struct endpoint ep;
	uint64_t addr;
	uint32_t rkey;
};

/* victim.c: processes that are started with no device open, which they would have, too */
bool server_start(struct kill_target *server);
bool server_listens(const struct kill_target *server);
/* When its connections have ended, which their clients have to do. */
bool server_stop(const struct kill_target *server);
/* A process that does @live; it kills itself after so many steps, unless that is negative. */
bool client_start(struct kill_target *client, const struct kill_target *server, int steps,
		  bool (*run_client)(const struct kill_target *server));
/* Any other end is a failure of its own. */
bool was_killed(pid_t pid);

bool client_resolve(struct client *client, const struct kill_target *server);
bool client_connect(struct client *client);
/* A WRITE or READ at this place of both memories, a message: whether it has succeeded. */
bool client_exchange(struct client *client, enum ibv_wr_opcode opcode, uint32_t offset,
		     uint32_t len);
bool client_send(struct client *client, uint32_t number);
bool client_disconnect(struct client *client);
bool client_free(struct client *client);

/* A file each. */
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

#endif /* VERBS_TEST_H */
