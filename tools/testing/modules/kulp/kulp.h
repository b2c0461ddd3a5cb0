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
#define KULP_READS		16	/* each way, where the other side does not say */
#define KULP_FILE_WINDOW	(4u << 20)

/* Of the client's region; a peer may invalidate only what gives it some right. */
#define KULP_CLIENT_ACCESS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_READ)

/* What a session uses: the device, NULL over TCP, and the network namespace of who began it. */
struct kulp_site {
	struct ib_device *dev;
	struct net *net;
};

/*
 * buf.c: memory in at most six physically contiguous pieces, so that any of it fits one SGE list.
 */
struct kulp_buf {
	u32 size;
	int num_chunks;
	void *chunk[KULP_MAX_CHUNKS];
	u64 dma[KULP_MAX_CHUNKS];
	struct ib_device *dev;
};

/* @dev: NULL: for TCP, which may hold on to pages after the buffer has been freed. */
int kulp_buf_alloc(struct kulp_buf *buf, struct ib_device *dev, u32 size);
void kulp_buf_free(struct kulp_buf *buf);
int kulp_buf_sges(const struct kulp_buf *buf, u32 offset, u32 len, u32 lkey, struct ib_sge *sges);
/* Registers its beginning in @mr, which has room for so many pages. */
int kulp_buf_map(const struct kulp_buf *buf, struct ib_mr *mr, u32 pages);
void kulp_buf_fill(struct kulp_buf *buf, u32 offset, u32 len, u64 seed);
/* Offset of the first wrong byte, or -1. */
s64 kulp_buf_check(const struct kulp_buf *buf, u32 offset, u32 len, u64 seed);
ssize_t kulp_buf_file_read(struct kulp_buf *buf, u32 offset, u32 len, struct file *file,
			   loff_t pos);
ssize_t kulp_buf_file_write(struct kulp_buf *buf, u32 offset, u32 len, struct file *file,
			    loff_t pos);

/* The private data of a connect request: what the connection is for. */
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

/* Control messages, one SEND each. */
enum kulp_msg_type {
	KULP_MSG_READY = 1,	/* server: my region is at addr, under rkey */
	KULP_MSG_FILL,		/* client: fill your region with the pattern of seed */
	KULP_MSG_CHECK,		/* client: does your region hold it? */
	KULP_MSG_NOP,		/* client: answer at once */
	KULP_MSG_RESULT,	/* server: value: 0 or an errno */
	KULP_MSG_CREDIT,	/* server: value: more sends may come */
	KULP_MSG_INVALIDATE,	/* client: invalidate my region, rkey, with your answer */
	KULP_MSG_LOAD,		/* client: load the window at seed of your file */
	KULP_MSG_START,		/* client: tell me of your region */
	KULP_MSG_STORE,		/* client: store len bytes of the window at seed of your file */
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

/* samples.c: times of operations, of one connection after another. */
struct kulp_samples {
	u64 *nsec;
	u32 room;
	u32 num;
};

void kulp_samples_add(struct kulp_samples *samples, u64 nsec);

/**
 * struct kulp_request - a connect request at the server
 * @id: the manager's identifier for it
 * @private_data: a struct kulp_hello, if it is right
 * @private_data_len: bytes of it
 * @ird: reads the client lets the server have outstanding; 0: it does not say
 * @ord: reads it wants to have outstanding; 0: it does not say
 */
struct kulp_request {
	void *id;
	const void *private_data;
	u16 private_data_len;
	u32 ird;
	u32 ord;
};

/**
 * struct kulp_listener - where a server listens
 * @cm: manager
 * @id: its identifier
 * @site: device and namespace
 * @addr: address and port
 * @backlog: requests waiting
 */
struct kulp_listener {
	const struct kulp_cm_ops *cm;
	void *id;
	struct kulp_site site;
	struct __kernel_sockaddr_storage *addr;
	u32 backlog;
};

/* What a connection manager tells of a connection; ESTABLISHED with an errno: it failed. */
enum kulp_event {
	KULP_ESTABLISHED,
	KULP_DISCONNECTED,	/* the peer is ending it: CLOSED follows */
	KULP_CLOSED,
};

/**
 * struct kulp_cm_ops - a connection manager
 * @open: client: makes conn->id for the way to conn->args.addr
 * @close: destroys conn->id
 * @create_qp: makes conn->qp, in INIT
 * @destroy_qp: destroys it
 * @connect: sends the request; KULP_ESTABLISHED follows
 * @accept: takes it, on conn->id; KULP_ESTABLISHED follows
 * @disconnect: ends the connection; true: KULP_CLOSED has come or will
 * @listen: makes listener->id; kulp_server_take() is called for each request. Nothing is left of it
 *	after an error
 * @unlisten: destroys it
 */
struct kulp_cm_ops {
	int (*open)(struct kulp_conn *conn);
	void (*close)(struct kulp_conn *conn);
	int (*create_qp)(struct kulp_conn *conn, struct ib_qp_init_attr *init);
	void (*destroy_qp)(struct kulp_conn *conn);
	int (*connect)(struct kulp_conn *conn, const void *hello, u16 len);
	int (*accept)(struct kulp_conn *conn, const struct kulp_request *request);
	bool (*disconnect)(struct kulp_conn *conn, bool abrupt);
	int (*listen)(struct kulp_listener *listener);
	void (*unlisten)(struct kulp_listener *listener);
};

extern const struct kulp_cm_ops kulp_cm_iw; /* cm_iw.c */
extern const struct kulp_cm_ops kulp_cm_rdma; /* cm_rdma.c */
/* conn.c: the one that @over names. */
const struct kulp_cm_ops *kulp_cm_of(u32 over);

/**
 * struct kulp_slot - a receive
 * @cqe: its completion
 * @conn: whose it is; of a pool's, only while a message is in it
 * @pool: it belongs to, or NULL
 * @buf: where the message goes
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
 * @srq: what they are posted to
 * @slots: all of them
 * @num_slots: how many
 * @share: how many a connection may count on
 */
struct kulp_pool {
	struct ib_pd *pd;
	struct ib_srq *srq;
	struct kulp_slot *slots;
	int num_slots;
	int share;
};

/**
 * struct kulp_wait - the one request whose completion the client waits for
 * @cqe: its completion
 * @done: it came
 * @status: with this
 */
struct kulp_wait {
	struct ib_cqe cqe;
	struct completion done;
	enum ib_wc_status status;
};

/**
 * struct kulp_conn - one connection, on either side
 * @args: what it is for
 * @stop: set when it has to end early; may be NULL
 * @samples: client: where the times of operations go
 * @site: device and namespace
 * @cm: connection manager
 * @id: its identifier
 * @keep_id: it is destroyed by the manager
 * @on_event: what the manager calls
 * @resolved: client, rdma_cm: address or route is known; @resolve_status says how
 * @resolve_status: 0 or an errno
 * @pd: protection domain
 * @cq: completion queue for both directions
 * @qp: queue pair
 * @mr: region over the first @mr_pages pages of @data
 * @mr_pages: all of them, unless the device has less in a region
 * @established: the handshake ended; @status says how
 * @closed: nothing of the connection follows
 * @up: the handshake succeeded
 * @status: 0, or the first error
 * @data: the bytes that are moved
 * @inv_msg: the control message that goes out with an invalidation
 * @pool: receives are its, or NULL
 * @slots: receives, unless they are the pool's
 * @num_slots: how many; of the pool's, the share
 * @wait: see there
 * @send_cqe: completion of control messages
 * @data_cqe: completion of the operations of a stream of them
 * @outstanding: such operations not completed
 * @completed: client, laps: operations of this lap that have
 * @credits: client: sends that may be posted
 * @wake: credits or completions came
 * @ready: client: the server's region is known
 * @ping_slot: client: receive that the last answer is in
 * @reply: client: a control message came in
 * @reply_msg: it
 * @reply_inv_stag: STag it invalidated, or 0
 * @remote_addr: client: address of the server's region
 * @remote_rkey: client: its STag
 * @received: server: data messages received
 * @expected_imm: server: immediate data that come next, of KULP_OP_WRITE_IMM
 * @started: server: the client has sent its first message
 * @start: server: registers the region once the connection is up
 * @work: server: handles @request in process context
 * @request: control message of the client
 * @busy: server: @request is being carried out
 * @server: server: whose connection it is
 * @entry: server: in the server's list
 * @teardown: server: ends it
 * @ending: server: @teardown was queued
 */
struct kulp_conn {
	struct kulp_args args;
	bool *stop;
	struct kulp_samples *samples;
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
/* The right to atomic operations, where the device has them. */
int kulp_atomic_access(const struct kulp_conn *conn);
/* Verbs objects, buffers and posted receives for an identifier; @on_recv runs for each message. */
int kulp_conn_setup(struct kulp_conn *conn, void (*on_recv)(struct ib_cq *cq, struct ib_wc *wc));
void kulp_conn_fail(struct kulp_conn *conn, int status);
/* Where the data of an operation of a lap begins. */
u32 kulp_lap_offset(const struct kulp_conn *conn, u32 i);
/* What both sides do for an event. */
void kulp_conn_event(struct kulp_conn *conn, enum kulp_event event, int status);
/* Ends the connection and frees all of it; not from its handler. */
void kulp_conn_destroy(struct kulp_conn *conn);
int kulp_register(struct kulp_conn *conn, int access);
int kulp_post_recv(struct kulp_slot *slot);
/* The slot of a receive's completion, its connection known; NULL: failed, and the slot is back. */
struct kulp_slot *kulp_received(struct ib_cq *cq, struct ib_wc *wc);
int kulp_send_msg(struct kulp_conn *conn, const struct kulp_msg *msg, u32 inv_stag);
void kulp_slot_msg(const struct kulp_slot *slot, struct kulp_msg *msg);
/* Posts @wr and waits for its completion. */
int kulp_post_wait(struct kulp_conn *conn, struct ib_send_wr *wr);
int kulp_wait_completion(struct kulp_conn *conn, struct completion *done);
bool kulp_wc_ok(struct kulp_conn *conn, const struct ib_wc *wc);

/* How many receives a connection of @depth outstanding operations of @size bytes has. */
int kulp_num_slots(u32 size, u32 depth);

/*
 * pool.c: an SRQ for args->qps connections, its receives posted; NULL where the flags ask for none;
 * ERR_PTR. @on_recv runs for each message.
 */
struct kulp_pool *kulp_pool_make(struct ib_device *dev, const struct kulp_args *args,
				 void (*on_recv)(struct ib_cq *cq, struct ib_wc *wc));
void kulp_pool_free(struct kulp_pool *pool);

/* hello.c */
struct kulp_hello *kulp_hello_make(const struct kulp_args *args, u16 *len);
int kulp_hello_parse(const void *data, u32 len, struct kulp_args *args);

/**
 * struct kulp_server - a listener and its connections; the base of each kind's own
 * @stop: ends it and frees it
 * @site: device and namespace
 * @args: how it was started
 * @wq: requests and teardown of connections
 * @lock: guards the members below
 * @conns: connections that have not been torn down
 * @stopping: no new connection is taken
 * @served: connections so far
 * @first_error: of a connection that failed on its own
 */
struct kulp_server {
	void (*stop)(struct kulp_server *server);
	struct kulp_site site;
	struct kulp_args args;
	struct workqueue_struct *wq;
	struct mutex lock; /* guards what follows */
	struct list_head conns;
	bool stopping;
	u64 served;
	int first_error;
};

/* server.c: the kind that @args->over asks for; ERR_PTR. */
struct kulp_server *kulp_server_start(const struct kulp_site *site, const struct kulp_args *args);
/* The base of a kind: all but @stop. */
int kulp_server_init(struct kulp_server *server, const struct kulp_site *site,
		     const struct kulp_args *args);
int kulp_server_status(struct kulp_server *server, struct kulp_args *args);

/* server_verbs.c */
struct kulp_server *kulp_server_verbs(const struct kulp_site *site, const struct kulp_args *args);
/* A request: 0 if it was accepted, else the manager has to refuse it. */
int kulp_server_take(struct kulp_listener *listener, const struct kulp_request *request);

/**
 * struct kulp_tcp - a TCP connection, on either side
 * @sock: its socket
 * @args: what it is for
 * @stop: set when it has to end early; NULL at the server, whose sockets are shut down then
 * @data: the bytes that are moved
 */
struct kulp_tcp {
	struct socket *sock;
	struct kulp_args args;
	bool *stop;
	struct kulp_buf data;
};

/*
 * tcp.c. Receiving: bytes, fewer than asked for where the stream has ended, or an errno.
 * Sending: 0 or an errno.
 */
void kulp_tcp_init(struct kulp_tcp *tcp, struct socket *sock);
void kulp_tcp_free(struct kulp_tcp *tcp);
/* The buffer, once the arguments are known. */
int kulp_tcp_alloc(struct kulp_tcp *tcp);
int kulp_tcp_recv(struct kulp_tcp *tcp, void *to, u32 len);
int kulp_tcp_send(struct kulp_tcp *tcp, const void *from, u32 len);
/* A message of data, to and from the buffer; @more: another one follows at once. */
int kulp_tcp_recv_data(struct kulp_tcp *tcp);
int kulp_tcp_send_data(struct kulp_tcp *tcp, bool more);
/* Whether so many bytes are there to be received. */
bool kulp_tcp_has(const struct kulp_tcp *tcp, u32 len);
/* One word: 0 or an errno. */
int kulp_tcp_say(struct kulp_tcp *tcp, int status);
int kulp_tcp_hear(struct kulp_tcp *tcp);
/* After -EAGAIN of a wait that may last until @end: 0: go on. */
int kulp_tcp_wait_on(const struct kulp_tcp *tcp, unsigned long end);
unsigned long kulp_tcp_deadline(const struct kulp_tcp *tcp);

/* server_tcp.c */
struct kulp_server *kulp_server_tcp(const struct kulp_site *site, const struct kulp_args *args);

/* client.c: runs @args->qps connections side by side, the result goes to @args. */
int kulp_client_run(const struct kulp_site *site, struct kulp_args *args, bool *stop);

/* client_tcp.c: one connection over TCP. */
int kulp_tcp_run(const struct kulp_site *site, struct kulp_args *args, bool *stop,
		 struct kulp_samples *samples);

/*
 * ops.c: what a client does on an established connection; 0 or a negative errno; counts in
 * conn->args.
 */
int kulp_op_run(struct kulp_conn *conn);

#endif /* KULP_H */
