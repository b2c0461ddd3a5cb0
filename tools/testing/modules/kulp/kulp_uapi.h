/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The ioctls of /dev/kulp, with which the command-line program kulp controls the test ULP.
 */
#ifndef KULP_UAPI_H
#define KULP_UAPI_H

#include <linux/ioctl.h>
#include <linux/socket.h>
#include <linux/types.h>

#define KULP_DEV_NAME_MAX	64

enum kulp_op {
	KULP_OP_PING,		/* the client sends, and the server sends the same bytes back */
	KULP_OP_SEND,		/* sends one way */
	KULP_OP_WRITE,
	KULP_OP_READ,
	KULP_OP_READ_INV,	/* read with invalidate of the local sink */
	KULP_OP_SEND_INV,	/* the server's send invalidates the client's region */
	KULP_OP_CONNECT,	/* connect and disconnect only */
	KULP_OP_GET,		/* copies the server's file to the client, by read */
	KULP_OP_PUT,		/* copies the client's file to the server, by write */
	KULP_OP_FAULT,		/* a request that the server must refuse; seed chooses it */
	KULP_OP_ATOMIC,		/* atomic operations on each word of the server's region in turn */
	KULP_OP_WRITE_IMM,	/* writes with immediate data */
	KULP_OP_RW_READ,	/* reads lists by contexts of rdma_rw */
	KULP_OP_RW_WRITE,	/* writes lists by contexts of rdma_rw */
	KULP_OP_REMAP,		/* maps a valid region, then invalidates and registers it */
	KULP_OP_COUNT
};

enum kulp_over {
	KULP_OVER_IW,		/* RDMA, connected by iw_cm */
	KULP_OVER_RDMA,		/* RDMA, connected by rdma_cm */
	KULP_OVER_TCP,		/* a TCP socket without RDMA, for comparison */
	KULP_OVER_COUNT
};

#define KULP_MAX_SAMPLES	(1u << 20)
#define KULP_MAX_TOGETHER	256	/* connections that can run at once */

#define KULP_F_VERIFY	(1u << 0)	/* check every byte of every operation */
#define KULP_F_LKEY	(1u << 1)	/* local SGEs use the local DMA lkey; lists have gaps */
#define KULP_F_INLINE	(1u << 2)
#define KULP_F_ABRUPT	(1u << 3)	/* disconnect abruptly */
#define KULP_F_SOLICITED (1u << 4)
#define KULP_F_REJECT	(1u << 5)	/* server: reject every request */
#define KULP_F_CLIENT_FIRST (1u << 7)	/* the client sends the first message */
#define KULP_F_ENDLESS	(1u << 6)	/* run until the connection ends or a signal comes */
/* Each verified send or write has its own buffer, which is overwritten when it completes. */
#define KULP_F_SCRIBBLE	(1u << 9)
#define KULP_F_FEW	(1u << 10)	/* contexts of rdma_rw for one operation only */
#define KULP_F_COPY	(1u << 11)	/* over TCP: the socket copies, and refers to no pages */
/* Sends, writes and reads: no connection begins before all are ready. */
#define KULP_F_TOGETHER	(1u << 12)
/* What is checked is not what was written: each check must fail. */
#define KULP_F_SPOIL	(1u << 13)
#define KULP_F_SRQ	(1u << 8)	/* one SRQ for all connections, sized for @qps */

/**
 * struct kulp_args - a request and its result
 * @dev: RDMA device; ignored over TCP
 * @addr: server: address and port to listen on; client: address and port to connect to
 * @from: client over rdma_cm or TCP: address to connect from; if its family is 0, the route chooses
 *	the address
 * @over: enum kulp_over
 * @op: enum kulp_op
 * @flags: KULP_F_*
 * @size: bytes of each operation
 * @count: number of operations on each connection
 * @depth: number of operations outstanding at a time
 * @qps: number of connections at a time
 * @offset: offset of the data in the buffer, in bytes
 * @timeout_ms: limit of every single wait, in ms
 * @backlog: server: listen backlog
 * @fd: file descriptor for GET and PUT; server: -1 if there is no file
 * @pdata_len: bytes of private data to send with the connect request, checked by the server
 * @max_samples: client: number of entries of @samples, at most KULP_MAX_SAMPLES
 * @seed: seed of the data pattern
 * @samples: client: user address of an array of __u64 for the time of each PING or CONNECT, in ns;
 *	each of @qps connections has an equal share of the entries, for its first operations
 * @num_samples: result: number of entries of @samples that have been filled in
 * @ops: result: number of operations done
 * @bytes: result: number of bytes moved
 * @nsec: result: time that the operations took, in ns; only that of CONNECT includes the connection
 *	set-up
 * @connects: result, server: number of connections served so far
 */
struct kulp_args {
	char dev[KULP_DEV_NAME_MAX];
	struct __kernel_sockaddr_storage addr;
	struct __kernel_sockaddr_storage from;
	__u32 over;
	__u32 op;
	__u32 flags;
	__u32 size;
	__u32 count;
	__u32 depth;
	__u32 qps;
	__u32 offset;
	__u32 timeout_ms;
	__u32 backlog;
	__s32 fd;
	__u32 pdata_len;
	__u32 max_samples;
	__u32 num_samples;
	__u64 seed;
	__u64 samples;
	__u64 ops;
	__u64 bytes;
	__u64 nsec;
	__u64 connects;
};

/* Starts a server, which runs until the file is closed; each open file has one at most. */
#define KULP_SERVE	_IOWR('k', 1, struct kulp_args)
/* Runs a client to its end, and stores the results in the structure. */
#define KULP_RUN	_IOWR('k', 2, struct kulp_args)
/*
 * Stores @connects of the file's server. Fails with -ENODEV if the file has no server, or with the
 * server's first error, if there is one.
 */
#define KULP_STATUS	_IOWR('k', 3, struct kulp_args)

#endif /* KULP_UAPI_H */
