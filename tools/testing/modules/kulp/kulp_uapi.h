/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the command-line tool and the test ULP say to each other, on /dev/kulp.
 */
#ifndef KULP_UAPI_H
#define KULP_UAPI_H

#include <linux/ioctl.h>
#include <linux/socket.h>
#include <linux/types.h>

#define KULP_DEV_NAME_MAX	64

enum kulp_op {
	KULP_OP_PING,		/* send there, same bytes back */
	KULP_OP_SEND,		/* sends one way */
	KULP_OP_WRITE,
	KULP_OP_READ,
	KULP_OP_READ_INV,	/* read with invalidate of the local sink */
	KULP_OP_SEND_INV,	/* the peer's send invalidates our region */
	KULP_OP_CONNECT,	/* connect and disconnect only */
	KULP_OP_GET,		/* the server's file, by read */
	KULP_OP_PUT,		/* our file to the server, by write */
	KULP_OP_FAULT,		/* a request the server must refuse; seed says which */
	KULP_OP_ATOMIC,		/* atomic operations on each word of the server's region in turn */
	KULP_OP_WRITE_IMM,	/* writes with immediate data */
	KULP_OP_COUNT
};

enum kulp_over {
	KULP_OVER_IW,		/* RDMA, connected by iw_cm */
	KULP_OVER_RDMA,		/* RDMA, connected by rdma_cm */
	KULP_OVER_TCP,		/* a TCP socket, no RDMA: what the others are compared with */
	KULP_OVER_COUNT
};

#define KULP_MAX_SAMPLES	(1u << 20)

#define KULP_F_VERIFY	(1u << 0)	/* check every byte of every operation */
#define KULP_F_LKEY	(1u << 1)	/* local side by local DMA lkey */
#define KULP_F_INLINE	(1u << 2)
#define KULP_F_ABRUPT	(1u << 3)	/* disconnect abruptly */
#define KULP_F_SOLICITED (1u << 4)
#define KULP_F_REJECT	(1u << 5)	/* server: reject every request */
#define KULP_F_CLIENT_FIRST (1u << 7)	/* the client sends the first message */
#define KULP_F_ENDLESS	(1u << 6)	/* until the connection ends or a signal comes */
#define KULP_F_SCRIBBLE	(1u << 9)	/* verified sends, writes: many buffers, see op_laps() */
#define KULP_F_SRQ	(1u << 8)	/* all connections receive from one SRQ, of @qps shares */

/**
 * struct kulp_args - a request and its result
 * @dev: RDMA device; not looked at over TCP
 * @addr: server: address and port to listen on; client: to connect to
 * @from: client, rdma_cm and TCP: address to connect from; family 0: what the route says
 * @over: enum kulp_over
 * @op: enum kulp_op
 * @flags: KULP_F_*
 * @size: bytes of an operation
 * @count: operations on each connection
 * @depth: operations outstanding at a time
 * @qps: connections at a time
 * @offset: of the data in its buffer, in bytes
 * @timeout_ms: bound of every single wait
 * @backlog: server: listen backlog
 * @fd: server: file to give out or to take in, -1: none; client: file of GET and PUT
 * @pdata_len: bytes of private data to send with the connect request, checked by the server
 * @max_samples: client: room at @samples, KULP_MAX_SAMPLES at most
 * @seed: of the data pattern
 * @samples: client: user address of an array of __u64 for the time of each PING or CONNECT, in ns;
 *	each connection of @qps has its share of the room, for its first operations
 * @num_samples: result: so many are there
 * @ops: result: operations done
 * @bytes: result: bytes moved
 * @nsec: result: time they took, connection set-up not counted (CONNECT: counted)
 * @connects: result, server: connections served so far
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

/* One server for each open file; it ends with the file. */
#define KULP_SERVE	_IOWR('k', 1, struct kulp_args)
/* Runs to its end; the result is in the structure. */
#define KULP_RUN	_IOWR('k', 2, struct kulp_args)
/* What the server of this file did so far; an errno of its first failed connection, if any. */
#define KULP_STATUS	_IOWR('k', 3, struct kulp_args)

#endif /* KULP_UAPI_H */
