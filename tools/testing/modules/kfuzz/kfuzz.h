/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * kfuzz: both ends of connections that test siw. ulp.c is the ULP of siw; player.c is its peer on
 * plain TCP, which sends what a process has rendered. One connection is played at a time.
 */
#ifndef KFUZZ_H
#define KFUZZ_H

#include <linux/completion.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/socket.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <rdma/ib_verbs.h>
#include <rdma/rdma_cm.h>

#include "tools/testing/modules/kfuzz/kfuzz_uapi.h"

#define KFUZZ_REGION_PAGES	16
#define KFUZZ_LISTENERS		(KFUZZ_PORT_SERVICE + 1)
#define KFUZZ_ALL_RIGHTS	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE | \
				 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)
#define KFUZZ_TIMEOUT		(20 * HZ)

struct kfuzz;

/**
 * struct kfuzz_listener - a port on which the ULP listens
 * @site: the ULP
 * @port: the port; decides whether its connections use a receive queue or the SRQ
 * @id: listening identifier
 */
struct kfuzz_listener {
	struct kfuzz *site;
	enum kfuzz_ports port;
	struct rdma_cm_id *id;
};

/**
 * struct kfuzz_end - the ULP's end of a connection
 * @site: the site that the connection belongs to
 * @id: identifier of the connection, with the QP
 * @ops: requests to be posted when the connection is established
 * @num_ops: number of @ops
 * @resolved: signalled when the address is resolved, and again when the route is resolved
 * @established: signalled when the connection is established or has failed
 * @status: 0, or why the address, the route or the connection failed
 * @teardown: frees the end; queued once, see @ending
 * @ending: @teardown is queued
 * @service: the end is one of the two of the service connection, which stay until the site is freed
 */
struct kfuzz_end {
	struct kfuzz *site;
	struct rdma_cm_id *id;
	struct kfuzz_op ops[KFUZZ_OPS_MAX];
	u32 num_ops;
	struct completion resolved;
	struct completion established;
	int status;
	struct work_struct teardown;
	bool ending;
	bool service;
};

/**
 * struct kfuzz_memory - a region
 * @mr: its MR
 * @pages: its memory
 */
struct kfuzz_memory {
	struct ib_mr *mr;
	void *pages[KFUZZ_REGION_PAGES];
};

/**
 * struct kfuzz - the ULP, and what its connections share
 * @dev: siw device
 * @net: network namespace of both ends
 * @addr: address of the device, and first port
 * @pd: PD of the connections
 * @foreign_pd: PD of KFUZZ_FOREIGN, and of the client end of the service connection
 * @cq: CQ of all QPs
 * @srq: SRQ of the connections to KFUZZ_PORT_SRQ
 * @recv_cqe: handles the completion of each receive that is posted to a receive queue
 * @srq_cqe: handles the completion of each receive that is posted to @srq
 * @send_cqe: handles the completion of each request but receives and registrations
 * @recv_buf: memory of every receive; its content is not looked at
 * @recv_dma: DMA address of @recv_buf
 * @received: number of receives that have completed; one in ANSWER_EVERY is answered by a Send
 * @listeners: the ports on which the ULP listens
 * @peer_listener: socket on which the peer listens for the ULP's connections
 * @service: the two ends of the service connection, client first
 * @memory: regions
 * @reg_cqe: handles the completion of a registration
 * @reg_done: signalled when a registration has completed
 * @reg_status: status of the last registration
 * @invalidated: bits of the regions that the peer has invalidated
 * @established: an end of the connection that is being played was established
 * @peer_port: port from which the peer has connected, in network byte order; 0 if it has not. A
 *	request from another port is refused: it is that of an earlier connection, which the peer
 *	has reset before siw had read the request, and its FPDUs would be processed beside those of
 *	the connection that is being played, and invalidate regions
 * @late: number of such requests
 * @ends: number of ends, without the two of the service connection
 * @ends_changed: woken when an end is freed
 * @wq: runs kfuzz_end.teardown
 * @stats: buffer for the counters of the device
 * @rx_fpdus: index in @stats of the counter of received FPDUs
 */
struct kfuzz {
	struct ib_device *dev;
	struct net *net;
	struct sockaddr_storage addr;
	struct ib_pd *pd;
	struct ib_pd *foreign_pd;
	struct ib_cq *cq;
	struct ib_srq *srq;
	struct ib_cqe recv_cqe;
	struct ib_cqe srq_cqe;
	struct ib_cqe send_cqe;
	void *recv_buf;
	u64 recv_dma;
	u32 received;
	struct kfuzz_listener listeners[KFUZZ_LISTENERS];
	struct socket *peer_listener;
	struct kfuzz_end *service[2];
	struct kfuzz_memory memory[KFUZZ_REGIONS];
	struct ib_cqe reg_cqe;
	struct completion reg_done;
	enum ib_wc_status reg_status;
	unsigned long invalidated;
	bool established;
	__be16 peer_port;
	atomic_t late;
	atomic_t ends;
	wait_queue_head_t ends_changed;
	struct workqueue_struct *wq;
	struct rdma_hw_stats *stats;
	int rx_fpdus;
};

/* Returns the site's address with the port @port, counted from the first one. */
static inline struct sockaddr_storage kfuzz_addr(const struct kfuzz *site,
						 enum kfuzz_ports port)
{
	struct sockaddr_storage addr = site->addr;
	struct sockaddr_in *in = (struct sockaddr_in *)&addr;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&addr;

	if (addr.ss_family == AF_INET)
		in->sin_port = htons(ntohs(in->sin_port) + port);
	else
		in6->sin6_port = htons(ntohs(in6->sin6_port) + port);
	return addr;
}

/* Returns the length of an address, for bind() and connect(). */
static inline int kfuzz_addr_len(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET ? sizeof(struct sockaddr_in) :
					    sizeof(struct sockaddr_in6);
}

/* ulp.c */

/* The handler of listening identifiers, and of the connections that they accept. */
int kfuzz_cm_handler(struct rdma_cm_id *id, struct rdma_cm_event *event);
/*
 * Connects the ULP to @port. Returns the end, which is not established yet, or an ERR_PTR with an
 * errno of rdma_cm. The end frees itself when the connection has ended, unless it is one of the
 * service connection.
 */
struct kfuzz_end *kfuzz_connect(struct kfuzz *site, enum kfuzz_ports port, struct ib_pd *pd,
				const struct kfuzz_op *ops, u32 num_ops);
/* Begins the teardown of an end; may be called more than once. */
void kfuzz_end_teardown(struct kfuzz_end *end);
/* Posts a receive to the QP or, if @qp is NULL, to the SRQ. Returns 0 or an errno. */
int kfuzz_post_recv(struct kfuzz *site, struct ib_qp *qp);
void kfuzz_recv_done(struct ib_cq *cq, struct ib_wc *wc);
void kfuzz_srq_done(struct ib_cq *cq, struct ib_wc *wc);
void kfuzz_send_done(struct ib_cq *cq, struct ib_wc *wc);

/* region.c */

/* Allocates the regions, which are not valid yet. Returns 0 or an errno. */
int kfuzz_regions_alloc(struct kfuzz *site);
void kfuzz_regions_free(struct kfuzz *site);
/* Makes the region valid, by a request on the service connection. Returns 0 or an errno. */
int kfuzz_register(struct kfuzz *site, enum kfuzz_regions region);
void kfuzz_reg_done(struct ib_cq *cq, struct ib_wc *wc);

/* site.c */

/*
 * Creates the ULP and its service connection. Returns the ULP or an ERR_PTR: -ENODEV if there is no
 * such device or another device has the address, or an errno of verbs, rdma_cm or sockets.
 */
struct kfuzz *kfuzz_site_create(struct kfuzz_start *start, struct net *net);
void kfuzz_site_destroy(struct kfuzz *site);
/* Returns how many FPDUs the device has received. */
u64 kfuzz_rx_fpdus(struct kfuzz *site);

/* player.c */

/* Returns the number of edges of siw that have been run; 0 if krdma_cov is not loaded. */
u32 kfuzz_edges(void);
/**
 * struct kfuzz_script - a connection to be played
 * @conn: its head
 * @parts: its parts
 * @ops: requests of the ULP
 * @patches: its patches
 * @bytes: its bytes, which the patches change
 */
struct kfuzz_script {
	const struct kfuzz_conn *conn;
	const struct kfuzz_part *parts;
	const struct kfuzz_op *ops;
	const struct kfuzz_patch *patches;
	u8 *bytes;
};

/* Plays a connection, and fills @outcome. */
void kfuzz_play(struct kfuzz *site, const struct kfuzz_script *script, u32 limit_ms,
		struct kfuzz_outcome *outcome);

#endif /* KFUZZ_H */
