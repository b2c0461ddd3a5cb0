/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The identifier and the workqueue, which all parts of rdma_cm.ko use.
 */
#ifndef _KRDMA_CMA_CMA_H_
#define _KRDMA_CMA_CMA_H_

#include <linux/completion.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <rdma/krdma_addr.h>
#include <rdma/krdma_route.h>
#include <rdma/rdma_cm.h>
#include <rdma/restrack_cm.h>

struct cma_device;
struct cma_listener;
struct cma_port;
struct mem_cgroup;
struct neighbour;

/**
 * struct cma_id - an identifier
 *
 * The consumer serializes its calls, so members which change only in the consumer's calls need no
 * lock: @base.qp, @reuse, @afonly and the other options. Until the identifier has a device, the
 * addresses also change only in the consumer's calls.
 *
 * @base: the part that the consumer sees
 * @caller: name of the module that is the consumer; NULL: a process
 * @memcg: memory cgroup that pays for the identifier, its requests and its events, with a
 *	reference. This is the cgroup of the process that created the identifier or, for a request,
 *	the cgroup of the listener. NULL: the consumer is a module
 * @net: namespace, with a reference
 * @net_tracker: tracks the reference to @net
 * @refs: number of references: one until the identifier is destroyed; one for each listener; one
 *	while DEVICE_REMOVAL is delivered. The thread that destroys the identifier drops the first
 *	reference, and waits until the other references are dropped
 * @unused: completed when @refs drops to zero
 * @handler: handler lock, see rdma_lock_handler(): held while the consumer's handler runs. The
 *	handler lock of a listener is taken before that of its request
 * @step: work item that resolves the addresses and the route, and delivers the result (resolve.c)
 * @change: work item that delivers a change of the link address (netdev.c)
 * @map: work item that asks the port mapper while the route is resolved, and delivers the result;
 *	runs on cma_device.map_wq
 * @cm: entry in the resource table
 *
 * @dev: device, or NULL
 * @dev_entry: in cma_device.ids or cma_device.leaving, protected by cma_device.lock
 *
 * @port: port that the identifier is bound to, or NULL; see port.c
 * @port_entry: in the list of identifiers of @port; see port.c
 * @autobound: rdma_resolve_addr() has chosen the port, for a connection
 * @reuse: the port may be shared with other identifiers that have set @reuse
 * @afonly: an IPv6 wildcard does not cover IPv4
 * @node_type: type that the device has to have; RDMA_NODE_UNSPECIFIED: any
 * @tos_set: @tos is valid
 * @tos: type of service
 * @scope: interface index of a link-local source address, or 0
 * @qpn: number of the QP, 0 while it is unknown
 *
 * @waiter: waits for the link address of a next hop, and queues @step
 * @deadline: time in jiffies until which the identifier waits for the next hop
 *
 * @listener: listener of a specific address, or NULL; set with listen_mutex of listen.c held
 * @listeners: listeners of a wildcard, one for each device; protected by listen_mutex of listen.c
 * @backlog: backlog of each listener
 * @unlistened: cma_cancel_listen() was called; protected by listen_mutex
 * @any_entry: in the list of wildcards; protected by listen_mutex
 *
 * @conn: the transport's connection, or NULL. Created by @map, by rdma_connect() or for a
 *	request; exists until the identifier is destroyed. Set with @handler held
 * @connected: ESTABLISHED was delivered; written with @handler held
 * @end_delivered: DISCONNECTED was delivered; protected by @handler
 *
 * @lock: protects @state
 * @state: changed with @handler held, or by the consumer's calls before events are possible
 */
struct cma_id {
	struct rdma_cm_id	base;
	const char		*caller;
	struct mem_cgroup	*memcg;
	struct net		*net;
	netns_tracker		net_tracker;
	refcount_t		refs;
	struct completion	unused;
	struct mutex		handler; /* held while the consumer's handler runs */
	struct delayed_work	step;
	struct work_struct	change;
	struct work_struct	map;
	struct rdma_cm_res	cm;

	struct cma_device	*dev;
	struct list_head	dev_entry;

	struct cma_port		*port;
	struct list_head	port_entry;
	bool			autobound;
	bool			reuse;
	bool			afonly;
	u8			node_type;
	bool			tos_set;
	u8			tos;
	int			scope;
	u32			qpn;

	struct krdma_neigh_waiter waiter;
	unsigned long		deadline;

	struct cma_listener	*listener;
	struct list_head	listeners;
	int			backlog;
	bool			unlistened;
	struct list_head	any_entry;

	void			*conn;
	bool			connected;
	bool			end_delivered;

	spinlock_t		lock;	/* protects @state */
	enum rdma_cm_state	state;
};

static inline struct cma_id *to_cma_id(struct rdma_cm_id *base)
{
	return container_of(base, struct cma_id, base);
}

static inline struct sockaddr_storage *cma_src(struct cma_id *id)
{
	return &id->base.route.addr.src_addr;
}

static inline struct sockaddr_storage *cma_dst(struct cma_id *id)
{
	return &id->base.route.addr.dst_addr;
}

/*
 * Returns the flags for allocations on behalf of a consumer. The memory cgroup pays if the consumer
 * is a process, for which @caller is NULL.
 */
static inline gfp_t cma_gfp(const char *caller)
{
	return caller ? GFP_KERNEL : GFP_KERNEL_ACCOUNT;
}

/* main.c */
extern struct workqueue_struct *cma_wq;

#endif /* _KRDMA_CMA_CMA_H_ */
