/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What the parts of rdma_cm.ko share: identifiers, devices, and what a transport does.
 */
#ifndef _KRDMA_CMA_CMA_H_
#define _KRDMA_CMA_CMA_H_

#include <linux/completion.h>
#include <linux/gfp.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/neighbour.h>
#include <net/net_namespace.h>
#include <rdma/krdma_addr.h>
#include <rdma/rdma_cm.h>
#include <rdma/restrack_cm.h>

struct cma_id;
struct cma_listener;

/**
 * struct cma_transport - a connection manager below, which a device uses
 *
 * The identifier has a device. @connect and @accept are called with its handler lock held.
 *
 * @serves: whether it has connections of this port space
 * @listen: makes @listener take requests; they are reported to cma_request()
 * @unlisten: ends that; waits for what is being reported. No lock is held
 * @connect: begins to connect; the parameters name the QP
 * @accept: accepts a request, with the QP that the parameters name; if that fails it is rejected
 * @reject: rejects a request
 * @disconnect: closes a connection
 * @release: lets go of the connection, whatever its state; waits for what is being reported, but
 *	not in the thread that reports. No lock is held
 * @init_qp_attr: attributes of a QP that goes to a state
 * @reject_msg: text for the status of REJECTED
 * @is_consumer_reject: whether that status means that the peer's owner refused
 */
struct cma_transport {
	bool (*serves)(enum rdma_ucm_port_space ps);
	int (*listen)(struct cma_listener *listener, int backlog);
	void (*unlisten)(struct cma_listener *listener);
	int (*connect)(struct cma_id *id, const struct rdma_conn_param *param);
	int (*accept)(struct cma_id *id, const struct rdma_conn_param *param);
	int (*reject)(struct cma_id *id, const void *private_data, u8 len, u8 reason);
	int (*disconnect)(struct cma_id *id);
	void (*release)(struct cma_id *id);
	int (*init_qp_attr)(struct cma_id *id, struct ib_qp_attr *attr, int *mask);
	const char *(*reject_msg)(int reason);
	bool (*is_consumer_reject)(int reason);
};

extern const struct cma_transport cma_iw;

/**
 * struct cma_device - a device that has connections
 * @ibdev: the device
 * @transport: how it connects
 * @rcu: frees it, for look-ups by network interface
 * @entry: in the list of devices; see listen.c
 * @listeners: those of wildcard identifiers; see listen.c
 * @idle: woken when an identifier or a listener leaves
 * @lock: guards what follows; the lock of an identifier nests in it
 * @gone: it goes: no new identifiers
 * @open: listeners that call the transport
 * @ids: identifiers that have it
 * @leaving: those that have had DEVICE_REMOVAL, or are about to
 */
struct cma_device {
	struct ib_device	*ibdev;
	const struct cma_transport *transport;
	struct rcu_head		rcu;
	struct list_head	entry;
	struct list_head	listeners;
	wait_queue_head_t	idle;

	spinlock_t		lock;	/* guards what follows */
	bool			gone;
	unsigned int		open;
	struct list_head	ids;
	struct list_head	leaving;
};

/**
 * struct cma_listener - an identifier listens on a device
 * @id: identifier, with a reference
 * @dev: the device; stays as long as this
 * @conn: what the transport listens with
 * @cm: of a wildcard: what the resource table knows of it
 * @dev_entry: of a wildcard: in cma_device.listeners; see listen.c
 * @id_entry: of a wildcard: in cma_id.listeners; see listen.c
 */
struct cma_listener {
	struct cma_id		*id;
	struct cma_device	*dev;
	void			*conn;
	struct rdma_cm_res	cm;
	struct list_head	dev_entry;
	struct list_head	id_entry;
};

/**
 * struct cma_id - an identifier
 *
 * The owner's calls are in order, so that what only they change needs no lock: @reuse, @afonly and
 * the other options, @base.qp, and before there is a device the addresses.
 *
 * @base: what the owner sees
 * @caller: module that owns it; NULL: a process
 * @net: namespace, with a reference
 * @net_tracker: of that reference
 * @refs: one until it is destroyed, which waits for all others; one of each listener of a wildcard,
 *	one of whoever delivers its device's removal
 * @unused: completed by the last reference
 * @handler: handler lock, see rdma_lock_handler(). A listener's is outside of a request's
 * @step: addresses and route are looked up, and the result delivered (resolve.c)
 * @change: the link address has changed (netdev.c)
 * @cm: what the resource table knows of it
 *
 * @dev: its device
 * @dev_entry: in cma_device.ids or cma_device.leaving
 * @qpn: number of the QP, as soon as it is known
 *
 * @port: port it is bound to, see port.c
 * @port_entry: in its list
 * @autobound: the port was chosen for a connection, not by the owner or for a listener
 * @reuse: may share its port
 * @afonly: an IPv6 wildcard does not cover IPv4
 * @tos_set: @tos is valid
 * @tos: type of service
 * @scope: interface that a link-local source address belongs to; 0: none
 *
 * @neigh: next hop whose link address is not known yet, with a reference; guarded by resolve.c
 * @pending: in the list of those that wait for one; guarded by resolve.c
 * @deadline: jiffies when the next hop has to be known
 *
 * @listener: on a specific address
 * @listeners: on a wildcard, one of each device; see listen.c
 * @backlog: of each of them
 * @any_entry: in the list of wildcards; see listen.c
 *
 * @conn: the transport's connection, from connect or request until it is destroyed. Set with the
 *	handler lock held
 * @connected: ESTABLISHED was delivered; written with the handler lock held
 * @end_delivered: DISCONNECTED was delivered; guarded by the handler lock
 *
 * @lock: guards the following
 * @state: changed with the handler lock held, or by the owner's calls before there are events
 */
struct cma_id {
	struct rdma_cm_id	base;
	const char		*caller;
	struct net		*net;
	netns_tracker		net_tracker;
	refcount_t		refs;
	struct completion	unused;
	struct mutex		handler; /* calls of the owner's handler */
	struct delayed_work	step;
	struct work_struct	change;
	struct rdma_cm_res	cm;

	struct cma_device	*dev;
	struct list_head	dev_entry;
	u32			qpn;

	struct cma_port		*port;
	struct list_head	port_entry;
	bool			autobound;
	bool			reuse;
	bool			afonly;
	bool			tos_set;
	u8			tos;
	int			scope;

	struct neighbour	*neigh;
	struct list_head	pending;
	unsigned long		deadline;

	struct cma_listener	*listener;
	struct list_head	listeners;
	int			backlog;
	struct list_head	any_entry;

	void			*conn;
	bool			connected;
	bool			end_delivered;

	spinlock_t		lock;	/* guards what follows */
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

/* What is allocated for a process is charged to its memory cgroup. */
static inline gfp_t cma_gfp(const char *caller)
{
	return caller ? GFP_KERNEL : GFP_KERNEL_ACCOUNT;
}

extern struct workqueue_struct *cma_wq;

/* id.c: memory, references, states. The works of a new identifier are handler.c's to set up. */
struct cma_id *cma_id_new(struct net *net, rdma_cm_event_handler event_handler, void *context,
			  enum rdma_ucm_port_space ps, enum ib_qp_type qp_type,
			  const char *caller);
void cma_id_free(struct cma_id *id);
void cma_id_get(struct cma_id *id);
bool cma_id_get_unless_unused(struct cma_id *id);
void cma_id_put(struct cma_id *id);
enum rdma_cm_state cma_state(struct cma_id *id);
/* Whether it was in the first state, and is in the second one now. */
bool cma_cmpxchg_state(struct cma_id *id, enum rdma_cm_state from, enum rdma_cm_state to);
/* From any state but DESTROYING: false. */
bool cma_set_state(struct cma_id *id, enum rdma_cm_state to);

/* client.c: devices come and go */
extern struct ib_client cma_client;
int cma_client_init(void);
void cma_client_exit(void);

/* device.c */
int cma_device_enter(struct cma_id *id, struct ib_device *ibdev, struct net_device *ndev);
void cma_device_leave(struct cma_id *id);
/* A listener may call the transport, until the other one; -ENODEV: the device goes. */
int cma_device_open(struct cma_device *dev);
void cma_device_close(struct cma_device *dev);
/* By the network interface that has the identifier's source address. */
int cma_device_find(struct cma_id *id);
/* Calls @fn, which must not sleep, for the identifiers of the device on the interface. */
void cma_device_walk(struct net_device *ndev,
		     void (*fn)(struct cma_id *id, const struct net_device *ndev));
/* An identifier without a device is to listen there. */
bool cma_device_suits(const struct cma_device *dev, struct cma_id *id);

/* netdev.c: network interfaces get other link addresses */
int cma_netdev_init(void);
void cma_netdev_exit(void);

/* addr.c */
bool cma_addr_overlap(const struct cma_id *a, const struct cma_id *b);
/* With a reference; NULL: no interface of the namespace has the address. */
struct net_device *cma_addr_netdev(struct net *net, const struct sockaddr_storage *addr,
				   int scope);
/* A copy, if it is an IPv4 or IPv6 address with all that belongs to it. */
int cma_addr_copy(struct sockaddr_storage *to, const struct sockaddr *from, int *scope);
bool cma_addr_is_loopback(const struct sockaddr_storage *addr);
void cma_addr_any(struct sockaddr_storage *addr, int family);
/* The address of @id on the link, as it is now; false: it has not changed. */
bool cma_addr_set_link(struct cma_id *id, const struct net_device *ndev);

/* port.c */
int cma_ports_init(void);
void cma_ports_exit(void);
int cma_port_get(struct cma_id *id);
void cma_port_put(struct cma_id *id);
/* A bound identifier is a listener from now on, if nobody else listens there. */
int cma_port_listen(struct cma_id *id);

/* bind.c */
int cma_bind(struct cma_id *id, const struct sockaddr_storage *addr, int scope);

/**
 * struct cma_route - where the route leads
 * @src: source address that goes with it
 * @local: to this host
 * @next_hop_lladdr: link address of the next hop; zeros: the link has none
 * @hops: how many hops packets may take
 * @neigh: next hop whose link address is not known yet, with a reference
 */
struct cma_route {
	struct sockaddr_storage	src;
	bool			local;
	u8			next_hop_lladdr[MAX_ADDR_LEN];
	int			hops;
	struct neighbour	*neigh;
};

/* route.c */
/* -EAGAIN: the next hop has been asked for its link address, @neigh is set. */
int cma_route_find(struct cma_id *id, struct cma_route *route);

/* resolve.c */
int cma_resolve_init(void);
void cma_resolve_exit(void);
/*
 * Goes on with the address or the route. Called with the handler lock held. Returns whether there
 * is an event to deliver, which @event, all zeros before, then is.
 */
bool cma_resolve_step(struct cma_id *id, struct rdma_cm_event *event);
void cma_resolve_forget(struct cma_id *id);

/* listen.c */
void cma_listen_device_add(struct cma_device *dev);
void cma_listen_device_remove(struct cma_device *dev);
void cma_unlisten(struct cma_id *id);

/* handler.c: what transports report, and all else that is delivered */
/*
 * Calls the consumer's handler, unless @event is NULL. Called with the handler lock held, which it
 * releases. If the handler gives the identifier up, it destroys that, and returns true.
 */
bool cma_deliver(struct cma_id *id, struct rdma_cm_event *event);
/* DEVICE_REMOVAL, from outside of all that id_destroy() waits for. Drops the caller's reference. */
void cma_deliver_removal(struct cma_id *id);
/*
 * A request on @listener: the new identifier with its handler lock held, and that of the listener,
 * or ERR_PTR. The transport sets @conn, and calls cma_request_deliver().
 */
struct cma_id *cma_request(struct cma_id *listener, struct ib_device *ibdev,
			   const struct sockaddr_storage *local,
			   const struct sockaddr_storage *remote);
/*
 * The same as cma_deliver() for a request; releases both handler locks. Returns true if the handler
 * has given it up: then the transport is to end the connection.
 */
bool cma_request_deliver(struct cma_id *listener, struct cma_id *id, struct rdma_cm_event *event);

/* track.c */
int cma_track(struct cma_id *id);
void cma_untrack(struct cma_id *id);
void cma_track_new(struct cma_id *id, const struct cma_id *parent);
int cma_track_listener(struct cma_listener *listener);
void cma_untrack_listener(struct cma_listener *listener);

#endif /* _KRDMA_CMA_CMA_H_ */
