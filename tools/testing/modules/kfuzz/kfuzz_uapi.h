/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The ioctls of /dev/kfuzz, with which wire_fuzz plays connections whose bytes it has rendered
 * before. The module is both ends of each connection: the ULP of siw, and the peer on plain TCP.
 */
#ifndef KFUZZ_UAPI_H
#define KFUZZ_UAPI_H

#include <linux/ioctl.h>
#include <linux/socket.h>
#include <linux/types.h>

#define KFUZZ_DEV_NAME_MAX	64
#define KFUZZ_INPUT_MAX		(64u << 20)
/*
 * For each connection: how many receives the ULP posts, the length of each in bytes, and how many
 * requests the ULP may post.
 */
#define KFUZZ_RECVS		64
#define KFUZZ_RECV_LEN		4096
#define KFUZZ_OPS_MAX		24
/* The IRD and ORD of the ULP: how many read and atomic requests may be outstanding. */
#define KFUZZ_READS		16

/**
 * enum kfuzz_regions - regions of the ULP, whose STags stay the same
 * @KFUZZ_OPEN: the peer may read and write it, and run atomic operations on it
 * @KFUZZ_INVALID: like KFUZZ_OPEN until the peer invalidates the region; valid again on the next
 *	connection
 * @KFUZZ_PRIVATE: grants no remote right
 * @KFUZZ_FOREIGN: grants all rights, but belongs to another PD
 * @KFUZZ_UNUSED: has an STag, and has never been registered
 * @KFUZZ_REGIONS: number of regions
 */
enum kfuzz_regions {
	KFUZZ_OPEN,
	KFUZZ_INVALID,
	KFUZZ_PRIVATE,
	KFUZZ_FOREIGN,
	KFUZZ_UNUSED,
	KFUZZ_REGIONS
};

/**
 * enum kfuzz_ports - ports, as offsets from the port that KFUZZ_START names
 * @KFUZZ_PORT_RQ: the ULP listens, with a receive queue for each connection
 * @KFUZZ_PORT_SRQ: the ULP listens, with an SRQ
 * @KFUZZ_PORT_SERVICE: used for a connection of the module to itself
 * @KFUZZ_PORT_PEER: the peer listens for connections of the ULP
 */
enum kfuzz_ports {
	KFUZZ_PORT_RQ,
	KFUZZ_PORT_SRQ,
	KFUZZ_PORT_SERVICE,
	KFUZZ_PORT_PEER,
};

struct kfuzz_region {
	__u64 base;
	__u32 len;
	__u32 stag;
};

/**
 * struct kfuzz_start - creates the ULP
 * @dev: siw device
 * @addr: address of the device, and first port
 * @regions: output: the regions
 */
struct kfuzz_start {
	char dev[KFUZZ_DEV_NAME_MAX];
	struct __kernel_sockaddr_storage addr;
	struct kfuzz_region regions[KFUZZ_REGIONS];
};

enum kfuzz_ending {
	KFUZZ_END_WAIT,		/* FIN when kfuzz_conn.await answers have come */
	KFUZZ_END_FIN,		/* FIN at once */
	KFUZZ_END_RESET,	/* reset at once */
};

/**
 * struct kfuzz_part - bytes that are sent by one call
 * @len: number of bytes
 * @await: number of answers that must have come before the bytes are sent. The MPA frame is an
 *	answer; so are Read and Atomic Responses or, if the peer is the server, the requests for
 *	them
 */
struct kfuzz_part {
	__u32 len;
	__u32 await;
};

/**
 * struct kfuzz_op - a request that the ULP posts when it is connected as a client
 * @len: number of bytes of the region KFUZZ_OPEN that are read; 0: an atomic operation
 * @offset: offset in the region
 */
struct kfuzz_op {
	__u32 len;
	__u32 offset;
};

/**
 * struct kfuzz_patch - a segment of a Read Response. The segment's STag is known only when the Read
 *	Request has come
 * @offset: offset of the FPDU in the bytes of the connection
 * @len: length of the FPDU
 * @request: number of the request that the segment answers, counted from 0
 * @fix_crc: calculate the CRC afterwards
 */
struct kfuzz_patch {
	__u32 offset;
	__u32 len;
	__u32 request;
	__u32 fix_crc;
};

/**
 * struct kfuzz_conn - a connection. Its parts, requests, patches and bytes follow, padded to 8
 *	bytes
 * @server: the peer is the server, and the ULP connects to it
 * @port: enum kfuzz_ports, to which the peer connects if it is the client
 * @parts: number of struct kfuzz_part
 * @ops: number of struct kfuzz_op
 * @patches: number of struct kfuzz_patch, in the order of their offsets
 * @bytes: number of bytes that are sent; the sum over all parts
 * @ending: enum kfuzz_ending
 * @await: with KFUZZ_END_WAIT, number of answers that must have come before FIN is sent
 * @wait_ms: longest wait for an answer
 */
struct kfuzz_conn {
	__u32 server;
	__u32 port;
	__u32 parts;
	__u32 ops;
	__u32 patches;
	__u32 bytes;
	__u32 ending;
	__u32 await;
	__u32 wait_ms;
	__u32 pad;
};

#define KFUZZ_CONNECTED		(1u << 0)	/* TCP was established */
#define KFUZZ_FRAME		(1u << 1)	/* an MPA frame came */
#define KFUZZ_REJECTED		(1u << 2)	/* an MPA reply with reject came */
#define KFUZZ_GARBAGE		(1u << 3)	/* other bytes than an MPA frame came first */
#define KFUZZ_TERMINATED	(1u << 4)	/* a Terminate came */
#define KFUZZ_RESET		(1u << 5)
#define KFUZZ_CLOSED		(1u << 6)	/* FIN came */
#define KFUZZ_STUCK		(1u << 7)	/* neither a reset nor FIN came in time */
#define KFUZZ_LEFT		(1u << 8)	/* the ULP's objects were not freed in time */
#define KFUZZ_ESTABLISHED	(1u << 9)	/* the ULP's connection was established */

/**
 * struct kfuzz_outcome - what happened on a connection
 * @flags: KFUZZ_*
 * @fpdus: FPDUs that the peer received
 * @answers: answers that the peer received, see struct kfuzz_part
 * @rx_fpdus: FPDUs that siw has counted as received
 * @late: requests of earlier connections that came during this one, and were refused
 * @edges: number of edges of siw that this connection was the first to run; 0 without krdma_cov
 * @us: duration of the connection, in us
 * @layer: layer of the Terminate
 * @etype: error type of the Terminate
 * @code: error code of the Terminate
 */
struct kfuzz_outcome {
	__u32 flags;
	__u32 fpdus;
	__u32 answers;
	__u32 rx_fpdus;
	__u32 late;
	__u32 edges;
	__u32 us;
	__u8 layer, etype, code, pad;
};

/**
 * struct kfuzz_play - plays connections one after another
 * @input: address of the connections, each a struct kfuzz_conn and what follows it
 * @outcomes: address of an array of @count struct kfuzz_outcome
 * @input_len: number of bytes at @input
 * @count: number of connections; output: number of connections that were played; KFUZZ_LEFT ends
 *	the play early
 * @limit_ms: time after which a connection counts as stuck
 * @edges: output: number of edges that have been run since krdma_cov was loaded; 0 without it
 */
struct kfuzz_play {
	__u64 input;
	__u64 outcomes;
	__u32 input_len;
	__u32 count;
	__u32 limit_ms;
	__u32 edges;
};

#define KFUZZ_START	_IOWR('F', 1, struct kfuzz_start)
#define KFUZZ_PLAY	_IOWR('F', 2, struct kfuzz_play)

#endif /* KFUZZ_UAPI_H */
