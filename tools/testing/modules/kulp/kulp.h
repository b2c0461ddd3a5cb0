/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The test ULP: its sessions, connections, buffers and messages.
 */
#ifndef KULP_H
#define KULP_H

#include <linux/completion.h>
#include <linux/mutex.h>
#include <linux/net.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/iw_cm.h>

#include "tools/testing/modules/kulp/kulp_uapi.h"

#define KULP_MAX_SIZE		(16u << 20)
#define KULP_MAX_DEPTH		64
#define KULP_MAX_CHUNKS		6
#define KULP_CHUNK		(4u << 20)
#define KULP_LEAST_READS	16
#define KULP_FILE_WINDOW	(4u << 20)

/*
 * Access rights of the client's region. A remote right is among them, because a peer may invalidate
 * only a region with a remote right.
 */
#define KULP_CLIENT_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ)

/* The device of a session, NULL over TCP, and the network namespace of the session's process. */
struct kulp_site {
	struct ib_device *dev;
	struct net *net;
};

/*
 * buf.c: memory in at most six physically contiguous chunks, so that one SGE list can describe any
 * part of the buffer.
 */
struct kulp_buf {
	u32 size;
	int num_chunks;
	void *chunk[KULP_MAX_CHUNKS];
	u64 dma[KULP_MAX_CHUNKS];
	struct ib_device *dev;
};

/*
 * Allocates @size bytes. For RDMA, maps the buffer for @dev. For TCP, @dev is NULL: the pages can
 * outlive the buffer, because TCP may keep references to pages after the buffer has been freed.
 */
int kulp_buf_alloc(struct kulp_buf *buf, struct ib_device *dev, u32 size);
void kulp_buf_free(struct kulp_buf *buf);
int kulp_buf_sges(const struct kulp_buf *buf, u32 offset, u32 len, u32 lkey, struct ib_sge *sges);
/* Maps the first @pages pages of the buffer into @mr, which has room for them. */
int kulp_buf_map(const struct kulp_buf *buf, struct ib_mr *mr, u32 pages);
/* Maps @len bytes from @offset on, which lie in one chunk, into @mr. */
int kulp_buf_map_part(const struct kulp_buf *buf, struct ib_mr *mr, u32 offset, u32 len);
void kulp_buf_fill(struct kulp_buf *buf, u32 offset, u32 len, u64 seed);

/* Returns @value; with KULP_F_SPOIL another one, so that each comparison with it fails. */
static inline u64 kulp_spoil(const struct kulp_args *args, u64 value)
{
	return args->flags & KULP_F_SPOIL ? value + 1 : value;
}

/* Returns byte @i of the pattern of @seed, which kulp_buf_fill() writes. */
u8 kulp_pattern(u32 i, u64 seed);
/* Returns the distance in bytes from @offset to the first wrong byte, or -1 if all are right. */
s64 kulp_buf_check(const struct kulp_buf *buf, u32 offset, u32 len, u64 seed);
/* Copies bytes from the file, or to it. Returns their number, or a negative errno. */
ssize_t kulp_buf_file(struct kulp_buf *buf, u32 offset, u32 len, struct file *file, loff_t pos,
		      bool write);

/* The private data of a connect request: parameters of the operation that the client will run. */
struct kulp_hello {
	__be32 magic;
	__be32 op;
	__be32 flags;
	__be32 size;
	__be32 depth;
	__be32 offset;
	__be64 seed;
	u8 filler[];
};

#define KULP_MAGIC	0x6b756c70

/*
 * Control messages. Each is one SEND, from the client to the server (c) or from the server to the
 * client (s). "The region" is the server's. FILL and CHECK work on the len bytes of the region at
 * offset; LOAD and STORE move len bytes of the server's file, which begin at file position seed.
 */
enum kulp_msg_type {
	KULP_MSG_READY = 1,	/* s: the region has addr and rkey; value is the initial credits */
	KULP_MSG_FILL,		/* c: fill the region with the pattern of seed */
	KULP_MSG_CHECK,		/* c: check that the region holds the pattern of seed */
	KULP_MSG_NOP,		/* c: send RESULT at once */
	KULP_MSG_RESULT,	/* s: answer to all but START; value is 0, bytes moved or -errno */
	KULP_MSG_CREDIT,	/* s: the client may post value more sends */
	KULP_MSG_INVALIDATE,	/* c: send a RESULT that invalidates rkey, the client's region */
	KULP_MSG_LOAD,		/* c: read len bytes of the file into the region */
	KULP_MSG_START,		/* c: send READY; only with KULP_F_CLIENT_FIRST */
	KULP_MSG_STORE,		/* c: write len bytes of the region to the file */
};

struct kulp_msg {
	__be32 type;
	__be32 rkey;
	__be64 addr;
	__be32 len;
	__be32 offset;
	__be64 seed;
	__be64 value;
};

struct kulp_conn;
struct kulp_pool;
struct kulp_server;

/* samples.c: the times of single operations. Filled by connections that run one after another. */
struct kulp_samples {
	u64 *nsec;
	u32 room;
	u32 num;
};

void kulp_samples_add(struct kulp_samples *samples, u64 nsec);

/**
 * struct kulp_start - the common start of a run's connections
 * @missing: number of connections that are neither ready nor have failed
 * @all: completed when no connection is missing
 * @stop: flag that is set when the run has to end early
 * @limit: jiffies after which a connection waits no longer
 */
struct kulp_start {
	atomic_t missing;
	struct completion all;
	bool *stop;
	unsigned long limit;
};

/*
 * start.c: kulp_begin() waits for the common start, and returns the time. *@start is set to NULL,
 * and may be NULL. The operations begin without the common start if the run has to end, or after
 * the limit. kulp_start_arrive() does not wait.
 */
void kulp_start_arrive(struct kulp_start **start);
ktime_t kulp_begin(struct kulp_start **start);

/**
 * struct kulp_request - a connect request at the server
 * @id: the connection manager's identifier of the new connection
 * @private_data: a struct kulp_hello, not yet checked
 * @private_data_len: number of bytes at @private_data
 * @ird: number of reads that the client may have outstanding; 0 if the request states none
 * @ord: number of reads that the server may have outstanding; 0 if the request states none
 */
struct kulp_request {
	void *id;
	const void *private_data;
	u16 private_data_len;
	u32 ird;
	u32 ord;
};

/**
 * struct kulp_listener - the listener of a server
 * @cm: connection manager
 * @id: the connection manager's identifier
 * @site: device and namespace
 * @addr: address and port
 * @backlog: number of connect requests that may wait for an answer
 */
struct kulp_listener {
	const struct kulp_cm_ops *cm;
	void *id;
	struct kulp_site site;
	struct __kernel_sockaddr_storage *addr;
	u32 backlog;
};

/* Events of a connection. KULP_ESTABLISHED with an errno means that the connection failed. */
enum kulp_event {
	KULP_ESTABLISHED,
	KULP_DISCONNECTED,	/* the peer ends the connection; KULP_CLOSED follows */
	KULP_CLOSED,
};

/**
 * struct kulp_cm_ops - a connection manager
 * @open: client: creates conn->id; rdma_cm also resolves conn->args.addr
 * @destroy_id: destroys conn->id or listener->id
 * @create_qp: creates conn->qp, in INIT
 * @destroy_qp: destroys conn->qp
 * @connect: sends the connect request; KULP_ESTABLISHED follows
 * @accept: accepts the connect request of conn->id; KULP_ESTABLISHED follows
 * @disconnect: ends the connection. Returns true if KULP_CLOSED has come or will come
 * @listen: creates listener->id. From then on kulp_server_handle_request() is called for each
 *	connect request. If @listen returns an error, listener->id does not exist
 */
struct kulp_cm_ops {
	int (*open)(struct kulp_conn *conn);
	void (*destroy_id)(void *id);
	int (*create_qp)(struct kulp_conn *conn, struct ib_qp_init_attr *init);
	void (*destroy_qp)(struct kulp_conn *conn);
	int (*connect)(struct kulp_conn *conn, const void *hello, u16 len);
	int (*accept)(struct kulp_conn *conn, const struct kulp_request *request);
	bool (*disconnect)(struct kulp_conn *conn, bool abrupt);
	int (*listen)(struct kulp_listener *listener);
};

extern const struct kulp_cm_ops kulp_cm_iw; /* cm_iw.c */
extern const struct kulp_cm_ops kulp_cm_rdma; /* cm_rdma.c */
/* conn.c: returns the connection manager that @over names. */
const struct kulp_cm_ops *kulp_cm_of(u32 over);

/**
 * struct kulp_slot - a receive and its buffer
 * @cqe: handler of the receive's completion
 * @conn: connection of the receive; in a pool valid only while the slot holds a message
 * @pool: pool of the slot, or NULL
 * @buf: buffer for the message
 */
struct kulp_slot {
	struct ib_cqe cqe;
	struct kulp_conn *conn;
	struct kulp_pool *pool;
	struct kulp_buf buf;
};

/**
 * struct kulp_pool - receives that many connections share
 * @pd: protection domain of the SRQ, not that of the connections
 * @srq: SRQ to which the receives are posted
 * @slots: the receives
 * @num_slots: number of @slots
 * @share: number of receives that each connection may count on
 */
struct kulp_pool {
	struct ib_pd *pd;
	struct ib_srq *srq;
	struct kulp_slot *slots;
	int num_slots;
	int share;
};

/**
 * struct kulp_wait - the one request whose completion kulp_post_wait() waits for
 * @cqe: handler of the request's completion
 * @done: completed when the request has completed
 * @status: status of the request's completion
 */
struct kulp_wait {
	struct ib_cqe cqe;
	struct completion done;
	enum ib_wc_status status;
};

/**
 * struct kulp_conn - one connection, on either side
 * @args: parameters and results
 * @stop: flag that is set when the connection has to end early; may be NULL
 * @samples: client: times of operations
 * @common_start: client: the common start
 * @site: device and namespace
 * @cm: connection manager
 * @id: the connection manager's identifier
 * @keep_id: the connection manager destroys @id; kulp_conn_destroy() keeps @id
 * @on_event: called by the connection manager for each event
 * @resolved: client, rdma_cm: address or route resolution has ended, with @resolve_status
 * @resolve_status: 0 or an errno
 * @pd: protection domain
 * @cq: completion queue for both directions
 * @qp: queue pair
 * @mr: region over the first @mr_pages pages of @data
 * @mr_pages: number of pages of @data, limited to what a region of the device may have
 * @established: completed when the handshake has ended, with @status
 * @closed: completed by KULP_CLOSED, after which no event follows
 * @up: the handshake succeeded
 * @status: 0, or the first error
 * @data: buffer of the data that operations move
 * @inv_msg: buffer of a control message that is sent with an invalidation
 * @pool: pool of receives, or NULL
 * @slots: receives, unless there is a @pool
 * @num_slots: number of @slots, or kulp_pool.share
 * @wait: the request whose completion kulp_post_wait() waits for
 * @send_cqe: handler of the completions of control messages
 * @data_cqe: completion handler of the operations that may be outstanding several at a time
 * @outstanding: number of operations with @data_cqe that have not completed
 * @completed: client, KULP_F_SCRIBBLE: number of operations of this batch that have completed
 * @exhausted: client, contexts of rdma_rw: all regions were in use at least once
 * @credits: client: number of sends that may be posted
 * @wake: woken by credits, completions of @data_cqe and errors
 * @ready: client: completed when the server's region is known
 * @ping_slot: client: receive that holds the last answer to a ping
 * @reply: client: completed when an answer has come
 * @reply_msg: client: the answer, if it is a control message
 * @reply_inv_stag: client: STag that the answer has invalidated, or 0
 * @remote_addr: client: address of the server's region
 * @remote_rkey: client: STag of the server's region
 * @received: server: number of data messages received
 * @expected_imm: server: immediate data that the next write of KULP_OP_WRITE_IMM must carry
 * @started: server: the client has sent its first message
 * @start: server: registers the region once the connection is up
 * @work: server: handles @request in process context
 * @request: server: control message of the client
 * @busy: server: @request is being carried out
 * @server: server: the server of the connection
 * @entry: server: entry in kulp_server.conns
 * @teardown: server: destroys the connection
 * @ending: server: @teardown was queued
 */
struct kulp_conn {
	struct kulp_args args;
	bool *stop;
	struct kulp_samples *samples;
	struct kulp_start **common_start;
	struct kulp_site site;
	const struct kulp_cm_ops *cm;
	void *id;
	bool keep_id;
	void (*on_event)(struct kulp_conn *conn, enum kulp_event event, int status);
	struct completion resolved;
	int resolve_status;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	struct ib_mr *mr;
	u32 mr_pages;

	struct completion established;
	struct completion closed;
	bool up;
	int status;

	struct kulp_buf data;
	struct kulp_pool *pool;
	struct kulp_buf inv_msg;
	struct kulp_slot *slots;
	int num_slots;

	struct kulp_wait wait;
	struct ib_cqe send_cqe;
	struct ib_cqe data_cqe;
	atomic_t outstanding;
	u32 completed;
	bool exhausted;
	atomic_t credits;
	wait_queue_head_t wake;

	struct completion ready;
	struct kulp_slot *ping_slot;
	struct completion reply;
	struct kulp_msg reply_msg;
	u32 reply_inv_stag;
	u64 remote_addr;
	u32 remote_rkey;

	u64 received;
	u32 expected_imm;
	bool started;
	struct work_struct start;
	struct work_struct work;
	struct kulp_msg request;
	bool busy;
	struct kulp_server *server;
	struct list_head entry;
	struct work_struct teardown;
	bool ending;
};

/* conn.c */
struct kulp_conn *kulp_conn_alloc(const struct kulp_site *site, const struct kulp_args *args,
				  struct kulp_pool *pool);
/* Returns the access right for atomic operations, or 0 if the device does not support them. */
int kulp_atomic_access(const struct kulp_conn *conn);
/* Returns IRD and ORD, unless the peer requests other values: the depth, but at least 16. */
u32 kulp_reads(const struct kulp_conn *conn);
/* Creates verbs objects and buffers, and posts receives; @on_recv runs for each message. */
int kulp_conn_setup(struct kulp_conn *conn, void (*on_recv)(struct ib_cq *cq, struct ib_wc *wc));
void kulp_conn_fail(struct kulp_conn *conn, int status);
/* Returns the offset of operation @i of a batch in the data buffer. */
u32 kulp_batch_offset(const struct kulp_conn *conn, u32 i);
/* Handles an event. Called on both sides. */
void kulp_conn_event(struct kulp_conn *conn, enum kulp_event event, int status);
/* Ends the connection and frees everything. Must not be called in a handler of the connection. */
void kulp_conn_destroy(struct kulp_conn *conn);
int kulp_register(struct kulp_conn *conn, int access);
int kulp_post_recv(struct kulp_slot *slot);
/*
 * Returns the slot of the receive that completed, with slot->conn set. Returns NULL if the receive
 * failed; the caller must not use the slot then.
 */
struct kulp_slot *kulp_received(struct ib_cq *cq, struct ib_wc *wc);
int kulp_send_msg(struct kulp_conn *conn, const struct kulp_msg *msg, u32 inv_stag);

/* Posts the list @wr of requests and waits for the completion of the last one. */
int kulp_post_wait(struct kulp_conn *conn, struct ib_send_wr *wr);
int kulp_wait_completion(struct kulp_conn *conn, struct completion *done);
bool kulp_wc_ok(struct kulp_conn *conn, const struct ib_wc *wc);

/* Returns the number of receives for @depth outstanding operations of @size bytes. */
int kulp_num_slots(u32 size, u32 depth);

/*
 * pool.c: creates an SRQ for args->qps connections, and posts its receives; @on_recv runs for each
 * message. Returns NULL if the flags do not ask for an SRQ, or ERR_PTR.
 */
struct kulp_pool *kulp_pool_make(struct ib_device *dev, const struct kulp_args *args,
				 void (*on_recv)(struct ib_cq *cq, struct ib_wc *wc));
void kulp_pool_free(struct kulp_pool *pool);

/* hello.c */
struct kulp_hello *kulp_hello_make(const struct kulp_args *args, u16 *len);
int kulp_hello_parse(const void *data, u32 len, struct kulp_args *args);

/**
 * struct kulp_server - the common part of all servers
 * @stop: stops and frees the server
 * @site: device and namespace
 * @args: parameters of the server
 * @wq: runs requests and teardown of connections
 * @lock: protects the members below
 * @conns: connections that have not been torn down
 * @stopping: new connections are refused
 * @served: number of connections so far
 * @first_error: first error that the server found on a connection, or 0; the loss of a connection
 *	is not an error
 */
struct kulp_server {
	void (*stop)(struct kulp_server *server);
	struct kulp_site site;
	struct kulp_args args;
	struct workqueue_struct *wq;
	struct mutex lock; /* protects the members below */
	struct list_head conns;
	bool stopping;
	u64 served;
	int first_error;
};

/* server.c: initializes all members of the common part except @stop. Returns 0 or -ENOMEM. */
int kulp_server_init(struct kulp_server *server, const struct kulp_site *site,
		     const struct kulp_args *args);

/* server_verbs.c: starts a server over kernel verbs. Returns the server or ERR_PTR. */
struct kulp_server *kulp_server_verbs(const struct kulp_site *site, const struct kulp_args *args);
/* Accepts the connect request. If an error is returned, the caller must reject the request. */
int kulp_server_handle_request(struct kulp_listener *listener, const struct kulp_request *request);

/**
 * struct kulp_tcp - a TCP connection, on either side
 * @sock: socket of the connection
 * @args: parameters of the operation
 * @stop: flag that is set when the connection has to end early; NULL at the server, which shuts its
 *	sockets down instead
 * @data: buffer of the data that operations move
 */
struct kulp_tcp {
	struct socket *sock;
	struct kulp_args args;
	bool *stop;
	struct kulp_buf data;
};

/*
 * tcp.c. Functions that receive return the number of bytes received, which is less than requested
 * only if the stream has ended, or a negative errno. Functions that send return 0 or a negative
 * errno.
 */
void kulp_tcp_init(struct kulp_tcp *tcp, struct socket *sock);
void kulp_tcp_free(struct kulp_tcp *tcp);

int kulp_tcp_recv(struct kulp_tcp *tcp, void *to, u32 len);
int kulp_tcp_send(struct kulp_tcp *tcp, const void *from, u32 len);
/*
 * Receives a message of data into the buffer, or sends one from the buffer. @more states that
 * another message follows at once.
 */
int kulp_tcp_recv_data(struct kulp_tcp *tcp);
int kulp_tcp_send_data(struct kulp_tcp *tcp, bool more);
/* Returns whether @len bytes can be received without waiting. */
bool kulp_tcp_has(const struct kulp_tcp *tcp, u32 len);
/* Sends a status, or returns the status received. A status is 0 or a negative errno. */
int kulp_tcp_send_status(struct kulp_tcp *tcp, int status);
int kulp_tcp_recv_status(struct kulp_tcp *tcp);
/*
 * Called after -EAGAIN. Returns 0 if the caller may try again, -EINTR if the connection has to end,
 * -ETIMEDOUT if @end, in jiffies, has passed.
 */
int kulp_tcp_wait_on(const struct kulp_tcp *tcp, unsigned long end);
unsigned long kulp_tcp_deadline(const struct kulp_tcp *tcp);

/* server_tcp.c: starts a server over TCP. Returns the server or ERR_PTR. */
struct kulp_server *kulp_server_tcp(const struct kulp_site *site, const struct kulp_args *args);

/* client.c: runs @args->qps connections in parallel, and stores the results in @args. */
int kulp_client_run(const struct kulp_site *site, struct kulp_args *args, bool *stop);

/* client_tcp.c: runs one connection over TCP. */
int kulp_tcp_run(const struct kulp_site *site, struct kulp_args *args, bool *stop,
		 struct kulp_samples *samples, struct kulp_start **start);

/*
 * ops.c: runs the client's operation on an established connection. Adds operations, bytes and time
 * to conn->args. Returns 0 or a negative errno.
 */
int kulp_op_run(struct kulp_conn *conn);
/* ask.c: sends one request to the server, and waits for the answer. @value may be NULL. */
int kulp_ask_at(struct kulp_conn *conn, enum kulp_msg_type type, u32 offset, u32 len, u64 seed,
		s64 *value);
/* Adds to the results of the client. Returns the time since @begin in ns. */
u64 kulp_account(struct kulp_conn *conn, ktime_t begin, u64 ops, u64 bytes);
/* remap.c */
int kulp_op_remap(struct kulp_conn *conn);

#define KULP_RW_PORT	1

/*
 * rw_room.c: kulp_rw_add_contexts() changes the attributes of the client's QP, if the operation
 * uses contexts of rdma_rw. kulp_rw_wrs() returns how many requests the contexts may have in the
 * queue.
 */
bool kulp_op_is_rw(u32 op);
u32 kulp_rw_wrs(const struct kulp_conn *conn);
void kulp_rw_add_contexts(const struct kulp_conn *conn, struct ib_qp_init_attr *init);
/* rw.c */
int kulp_op_rw(struct kulp_conn *conn);

#endif /* KULP_H */
