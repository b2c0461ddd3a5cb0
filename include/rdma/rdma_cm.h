/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The connection manager that all transports share: identifiers that are bound to IP addresses,
 * find their device by these addresses, and connect.
 */
#ifndef _RDMA_RDMA_CM_H_
#define _RDMA_RDMA_CM_H_

#ifdef RDMA_CM_H
#error "the kernel's <rdma/rdma_cm.h> was included before krdma's"
#endif
#define RDMA_CM_H

#include <linux/in6.h>
#include <linux/socket.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_sa.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdma_user_cm.h>

struct iw_cm_id;
struct rdma_cm_id;
struct rdma_restrack_entry;

/**
 * DOC: How connections are made
 *
 * The connecting side calls rdma_create_id() and rdma_resolve_addr(); after the event ADDR_RESOLVED
 * it calls rdma_resolve_route(); after ROUTE_RESOLVED it calls rdma_create_qp() and rdma_connect(),
 * and gets ESTABLISHED. The listening side calls rdma_create_id(), rdma_bind_addr() and
 * rdma_listen(). Each CONNECT_REQUEST comes with the identifier of a new connection. The listening
 * side calls rdma_create_qp() and rdma_accept() for that identifier, and gets ESTABLISHED. Either
 * side ends the connection by rdma_disconnect(). Both sides get DISCONNECTED, and destroy QP and
 * identifier.
 *
 * An identifier has a device if it is bound to a local address that is not a wildcard, after
 * ADDR_RESOLVED, and if it came with a CONNECT_REQUEST. When that device is removed, DEVICE_REMOVAL
 * is the identifier's last event, and the removal waits until the identifier is destroyed. An
 * identifier that listens on a wildcard address listens on all devices of its network namespace,
 * including those that are added later.
 *
 * Events of an identifier come one at a time, with its handler lock held (rdma_lock_handler()).
 * Connections do not wait for each other: no handler, look-up or peer delays another connection.
 *
 * Functions are called in process context and may sleep, unless their comments say otherwise. The
 * consumer serialises its calls for one identifier, except that rdma_disconnect() and rdma_reject()
 * may be called at any time. The device may be removed at any time.
 */

/**
 * enum rdma_cm_event_type - what has happened to an identifier
 * @RDMA_CM_EVENT_ADDR_RESOLVED: rdma_resolve_addr() has found a device
 * @RDMA_CM_EVENT_ADDR_ERROR: rdma_resolve_addr() failed; status has the reason. The function may be
 *	called again
 * @RDMA_CM_EVENT_ROUTE_RESOLVED: rdma_resolve_route() has found a route
 * @RDMA_CM_EVENT_ROUTE_ERROR: rdma_resolve_route() failed. The function may be called again
 * @RDMA_CM_EVENT_CONNECT_REQUEST: a peer wants to connect. The event comes with a new identifier,
 *	which has the handler, context and QP type of the listener
 * @RDMA_CM_EVENT_CONNECT_RESPONSE: the peer has accepted, and the consumer has to change the QP's
 *	state; not on iWARP
 * @RDMA_CM_EVENT_CONNECT_ERROR: the connection failed, for a reason that has no event of its own
 * @RDMA_CM_EVENT_UNREACHABLE: the peer does not answer, or there is no route to it
 * @RDMA_CM_EVENT_REJECTED: the peer refused; see rdma_is_consumer_reject()
 * @RDMA_CM_EVENT_ESTABLISHED: the connection is established
 * @RDMA_CM_EVENT_DISCONNECTED: the connection is ending or has ended; status 0 after an orderly end
 * @RDMA_CM_EVENT_DEVICE_REMOVAL: the device is being removed
 * @RDMA_CM_EVENT_MULTICAST_JOIN: the identifier is a member of a multicast group; not on iWARP
 * @RDMA_CM_EVENT_MULTICAST_ERROR: the identifier did not become a member of a multicast group, or
 *	ceased to be one; not on iWARP
 * @RDMA_CM_EVENT_ADDR_CHANGE: the network interface has another link address
 * @RDMA_CM_EVENT_TIMEWAIT_EXIT: the QP may be used for another connection; not on iWARP
 * @RDMA_CM_EVENT_ADDRINFO_RESOLVED: an InfiniBand service was resolved; not on iWARP
 * @RDMA_CM_EVENT_ADDRINFO_ERROR: an InfiniBand service was not resolved; not on iWARP
 * @RDMA_CM_EVENT_USER: a process has written the event to its own identifier; never delivered here
 * @RDMA_CM_EVENT_INTERNAL: no event: ULPs may use this value for states of their own
 */
enum rdma_cm_event_type {
	RDMA_CM_EVENT_ADDR_RESOLVED,
	RDMA_CM_EVENT_ADDR_ERROR,
	RDMA_CM_EVENT_ROUTE_RESOLVED,
	RDMA_CM_EVENT_ROUTE_ERROR,
	RDMA_CM_EVENT_CONNECT_REQUEST,
	RDMA_CM_EVENT_CONNECT_RESPONSE,
	RDMA_CM_EVENT_CONNECT_ERROR,
	RDMA_CM_EVENT_UNREACHABLE,
	RDMA_CM_EVENT_REJECTED,
	RDMA_CM_EVENT_ESTABLISHED,
	RDMA_CM_EVENT_DISCONNECTED,
	RDMA_CM_EVENT_DEVICE_REMOVAL,
	RDMA_CM_EVENT_MULTICAST_JOIN,
	RDMA_CM_EVENT_MULTICAST_ERROR,
	RDMA_CM_EVENT_ADDR_CHANGE,
	RDMA_CM_EVENT_TIMEWAIT_EXIT,
	RDMA_CM_EVENT_ADDRINFO_RESOLVED,
	RDMA_CM_EVENT_ADDRINFO_ERROR,
	RDMA_CM_EVENT_USER,
	RDMA_CM_EVENT_INTERNAL
};

/* Upper bits of the service IDs that stand for ports of the IP port spaces (IBTA annex A11). */
#define RDMA_IB_IP_PS_MASK	0xFFFFFFFFFFFF0000ULL
#define RDMA_IB_IP_PS_TCP	0x0000000001060000ULL
#define RDMA_IB_IP_PS_UDP	0x0000000001110000ULL
#define RDMA_IB_IP_PS_IB	0x00000000013F0000ULL

/**
 * struct rdma_addr - addresses of a connection
 * @src_addr: our address and port
 * @dst_addr: the peer's address and port
 * @dev_addr: the link addresses that belong to @src_addr and @dst_addr
 */
struct rdma_addr {
	struct sockaddr_storage	src_addr;
	struct sockaddr_storage	dst_addr;
	struct rdma_dev_addr	dev_addr;
};

#define RDMA_PRIMARY_PATH_MAX_REC_NUM	3

/**
 * struct rdma_route - how the peer is reached
 * @addr: addresses
 * @path_rec: path records of InfiniBand. On iWARP all three path_rec* members are NULL
 * @path_rec_inbound: path of incoming packets, if it differs
 * @path_rec_outbound: path of outgoing packets, if it differs
 * @num_pri_alt_paths: number of paths in @path_rec: primary and alternate
 */
struct rdma_route {
	struct rdma_addr	addr;
	struct sa_path_rec	*path_rec;
	struct sa_path_rec	*path_rec_inbound;
	struct sa_path_rec	*path_rec_outbound;
	int			num_pri_alt_paths;
};

/**
 * struct rdma_conn_param - parameters for connecting or accepting; in an event, those of the peer
 * @private_data: data for the peer's consumer; in an event the data from the peer's consumer, valid
 *	until the handler returns
 * @private_data_len: number of bytes at @private_data
 * @responder_resources: number of RDMA reads that the peer may have outstanding
 * @initiator_depth: number of RDMA reads that we may have outstanding
 * @flow_control: InfiniBand only
 * @retry_count: InfiniBand only; ignored when accepting
 * @rnr_retry_count: InfiniBand only
 * @srq: the QP has an SRQ. This and the following members are ignored if the identifier has a QP
 * @qp_num: number of the QP
 * @qkey: Q_Key of an unconnected QP
 */
struct rdma_conn_param {
	const void	*private_data;
	u8		private_data_len;
	u8		responder_resources;
	u8		initiator_depth;
	u8		flow_control;
	u8		retry_count;
	u8		rnr_retry_count;
	u8		srq;
	u32		qp_num;
	u32		qkey;
};

/**
 * struct rdma_ud_param - how to reach an unconnected QP of the peer
 * @private_data: data from the peer's consumer
 * @private_data_len: number of bytes at @private_data
 * @ah_attr: address vector of the peer
 * @qp_num: number of the peer's QP
 * @qkey: Q_Key of the peer's QP
 */
struct rdma_ud_param {
	const void		*private_data;
	u8			private_data_len;
	struct rdma_ah_attr	ah_attr;
	u32			qp_num;
	u32			qkey;
};

/**
 * struct rdma_cm_event - an event
 * @event: what has happened
 * @status: 0; or the reason of a failure: a negative errno; for REJECTED the transport's reason
 *	code, which on iWARP is -ECONNREFUSED or -ECONNRESET
 * @param: what the peer has sent; valid for CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED and
 *	REJECTED
 * @param.conn: for an identifier of a connection
 * @param.ud: for an identifier of an unconnected QP
 * @ece: enhanced connection establishment options of the peer; zero on iWARP
 */
struct rdma_cm_event {
	enum rdma_cm_event_type	event;
	int			status;
	union {
		struct rdma_conn_param	conn;
		struct rdma_ud_param	ud;
	} param;
	struct rdma_ucm_ece	ece;
};

/**
 * typedef rdma_cm_event_handler - the consumer's handler
 * @id: identifier; for a CONNECT_REQUEST the new one
 * @event: what has happened; valid until the handler returns
 *
 * Called in process context, with the handler lock of @id held. For a CONNECT_REQUEST the handler
 * lock of the listener is also held; therefore the requests of a listener come one at a time. May
 * sleep. The handler must not destroy @id, and in a CONNECT_REQUEST it must not destroy the
 * listener.
 *
 * Return: 0. After any other value @id is destroyed, and its request is rejected: the consumer must
 * have destroyed the QP, must not use @id again, and must not be in a call for @id in another
 * thread.
 */
typedef int (*rdma_cm_event_handler)(struct rdma_cm_id *id, struct rdma_cm_event *event);

/**
 * struct rdma_cm_id - an identifier: a listener, or one side of a connection
 * @device: the device; NULL: the identifier has none
 * @context: the consumer's context
 * @qp: QP that rdma_create_qp() has created, or NULL
 * @event_handler: the consumer's handler
 * @route: addresses and path
 * @ps: port space
 * @qp_type: transport service of the QP
 * @port_num: port of the device
 * @net_work: unused; the structure of Linux 6.1 has a member with this name
 */
struct rdma_cm_id {
	struct ib_device	*device;
	void			*context;
	struct ib_qp		*qp;
	rdma_cm_event_handler	event_handler;
	struct rdma_route	route;
	enum rdma_ucm_port_space ps;
	enum ib_qp_type		qp_type;
	u32			port_num;
	struct work_struct	net_work;
};

/**
 * __rdma_create_kernel_id - create an identifier for a module
 * @net: network namespace of the addresses; the identifier has a reference until it is destroyed
 * @event_handler: receives the events
 * @context: the consumer's context
 * @ps: port space
 * @qp_type: transport service of the QP that the identifier will have
 * @caller: name of the module, which is the owner in the resource table; the string has to outlive
 *	the identifier
 *
 * Consumers call rdma_create_id() instead.
 *
 * Return: the identifier, for rdma_destroy_id(); ERR_PTR: -EINVAL: there is no handler, or no such
 * port space; -ENOMEM: no memory.
 */
struct rdma_cm_id *__rdma_create_kernel_id(struct net *net, rdma_cm_event_handler event_handler,
					   void *context, enum rdma_ucm_port_space ps,
					   enum ib_qp_type qp_type, const char *caller);

/**
 * rdma_create_id - create an identifier
 * @net: network namespace of the addresses; the identifier has a reference until it is destroyed
 * @event_handler: receives the events
 * @context: the consumer's context
 * @ps: port space
 * @qp_type: transport service of the QP that the identifier will have
 *
 * See __rdma_create_kernel_id().
 */
#define rdma_create_id(net, event_handler, context, ps, qp_type)		\
	__rdma_create_kernel_id((net), (event_handler), (context), (ps), (qp_type), KBUILD_MODNAME)

/**
 * rdma_create_user_id - create an identifier for the current process
 * @event_handler: receives the events
 * @context: the caller's context
 * @ps: port space
 * @qp_type: transport service of the QP that the identifier will have
 *
 * The identifier is in the process's network namespace. The process is its owner in the resource
 * table.
 *
 * Return: as __rdma_create_kernel_id().
 */
struct rdma_cm_id *rdma_create_user_id(rdma_cm_event_handler event_handler, void *context,
				       enum rdma_ucm_port_space ps, enum ib_qp_type qp_type);

/**
 * rdma_destroy_id - destroy an identifier
 * @id: identifier in any state; its handler must not be running in this thread
 *
 * Waits until the handler has returned, and the handler is not called again. A connection is reset,
 * an unanswered request is rejected, a listener is closed. The consumer must have destroyed the QP
 * before.
 */
void rdma_destroy_id(struct rdma_cm_id *id);

/**
 * rdma_bind_addr - bind an identifier to a local address
 * @id: new identifier
 * @addr: IPv4 or IPv6 address and port. A wildcard stands for any address, port 0 for a free port.
 *	In RDMA_PS_IB, also the AF_IB wildcard, with a service ID of that port space; it is the same
 *	as the IPv6 wildcard
 *
 * Two identifiers of a port space and namespace can have one port in two cases only. Either their
 * addresses differ, and neither address is a wildcard that covers the other. Or both identifiers
 * have called rdma_set_reuseaddr(), and neither listens yet. An IPv6 wildcard covers IPv4
 * addresses, unless rdma_set_afonly() forbids this. A free port is one that neither an identifier
 * nor a TCP socket has.
 *
 * Return: 0; -EINVAL: @id is not new, a link-local address has no interface, or a service ID is
 * not one of RDMA_PS_IB; -EAFNOSUPPORT: the address is of another family; -EADDRNOTAVAIL: no
 * interface has the address (as is so for each GID), or no port is free; -ENODEV: the interface
 * that has the address has no RDMA device that serves the port space; -EADDRINUSE: an identifier
 * has the port; -EACCES: the process may not bind the port; -EINTR: the process was killed while a
 * free port was looked for; -ENOMEM: no memory. After an error the identifier is new.
 */
int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr);

/**
 * rdma_resolve_addr - set the peer's address, and find the device by which it is reached
 * @id: new or bound identifier
 * @src_addr: local address, as for rdma_bind_addr(); NULL: the source address of the route. Ignored
 *	if @id is bound
 * @dst_addr: the peer's address and port; a wildcard stands for this host
 * @timeout_ms: longest time to resolve the link address of the next hop, in milliseconds
 *
 * The event ADDR_RESOLVED or ADDR_ERROR follows. The status of ADDR_ERROR is -ETIMEDOUT if the next
 * hop does not answer, -ENODEV if the interface of the route has no RDMA device, or the error of
 * the route look-up (-ENETUNREACH, -EHOSTUNREACH, -EACCES, ...). After ADDR_ERROR @id is bound.
 *
 * Return: 0; or an error, after which no event follows: -EINVAL: the address families or the
 * interfaces of the two addresses differ, @id is neither new nor bound, or a link-local address has
 * no interface; or an error of rdma_bind_addr().
 */
int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr,
		      const struct sockaddr *dst_addr, unsigned long timeout_ms);

/**
 * rdma_resolve_route - find the route to the peer
 * @id: identifier after ADDR_RESOLVED
 * @timeout_ms: longest time to find the route, in milliseconds; ignored on iWARP
 *
 * Return: 0: ROUTE_RESOLVED or ROUTE_ERROR follows; -EINVAL: @id is not in the state
 * %RDMA_CM_ADDR_RESOLVED.
 */
int rdma_resolve_route(struct rdma_cm_id *id, unsigned long timeout_ms);

/**
 * rdma_create_qp - create a QP for the connection
 * @id: identifier with a device
 * @pd: PD on the same device
 * @qp_init_attr: as for ib_create_qp(); port_num is set
 *
 * The QP is moved to %IB_QPS_INIT. After that its state follows that of the connection.
 *
 * Return: 0; -EINVAL: @id has no device, the device is not that of the PD, or @id has a QP already;
 * or an error of ib_create_qp() or ib_modify_qp().
 */
int rdma_create_qp(struct rdma_cm_id *id, struct ib_pd *pd, struct ib_qp_init_attr *qp_init_attr);

/**
 * rdma_destroy_qp - destroy the QP that rdma_create_qp() has created
 * @id: identifier that has the QP
 */
void rdma_destroy_qp(struct rdma_cm_id *id);

/**
 * rdma_init_qp_attr - get the attributes that the connection's QP needs
 * @id: identifier with a device
 * @qp_attr: qp_state is the state to which the QP will be moved; the attributes for that state are
 *	filled in
 * @qp_attr_mask: is set to the mask of the attributes that are valid, for ib_modify_qp()
 *
 * Return: 0; -EINVAL: @id has no device, or the QP cannot be moved to that qp_state now; -ENODEV:
 * the device is being removed.
 */
int rdma_init_qp_attr(struct rdma_cm_id *id, struct ib_qp_attr *qp_attr, int *qp_attr_mask);

/**
 * rdma_connect - connect to the peer
 * @id: identifier after ROUTE_RESOLVED; its handler lock is not held
 * @conn_param: QP, private data and limits
 *
 * The event ESTABLISHED, REJECTED, UNREACHABLE or CONNECT_ERROR follows. After the last three, the
 * function may be called again, with a new QP.
 *
 * Return: 0; or an error, after which no event follows and the function may be called again:
 * -EINVAL: @id is not in the state %RDMA_CM_ROUTE_RESOLVED, or a parameter is bad; -EOPNOTSUPP: the
 * transport cannot serve the port space; -ENODEV: the device is being removed; -ENOMEM: no memory;
 * or an error of the provider.
 */
int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);

/**
 * rdma_connect_locked - rdma_connect() with the handler lock held, as in the handler
 * @id: identifier after ROUTE_RESOLVED
 * @conn_param: QP, private data and limits
 */
int rdma_connect_locked(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);

/**
 * rdma_connect_ece - rdma_connect() with options for enhanced connection establishment
 * @id: identifier after ROUTE_RESOLVED; its handler lock is not held
 * @conn_param: QP, private data and limits
 * @ece: the options; ignored, because iWARP cannot send them
 */
int rdma_connect_ece(struct rdma_cm_id *id, struct rdma_conn_param *conn_param,
		     struct rdma_ucm_ece *ece);

/**
 * rdma_listen - listen for connections
 * @id: bound identifier; a new one is bound to a free port of the IPv4 wildcard address
 * @backlog: number of requests that may be unanswered at a time, on each device; 0: the default
 *
 * Return: 0; -EINVAL: @id is neither new nor bound; -EADDRINUSE: another identifier or a TCP socket
 * listens on the port; -ECANCELED: the wait for the port mapper ended early, see
 * rdma_cancel_listen(); or an error of the device; for a wildcard address, of one of the devices.
 * After an error the identifier is bound.
 */
int rdma_listen(struct rdma_cm_id *id, int backlog);

/**
 * rdma_cancel_listen - keep an identifier from waiting for the port mapper
 * @id: identifier that will be destroyed
 *
 * A call of rdma_listen() in which another thread waits for the port mapper's daemon ends soon, and
 * later calls fail with -ECANCELED. rdma_destroy_id() may be called when rdma_listen() has
 * returned.
 */
void rdma_cancel_listen(struct rdma_cm_id *id);

/**
 * rdma_accept - accept a request
 * @id: identifier of CONNECT_REQUEST, with its handler lock held, as in the handler
 * @conn_param: QP, private data and limits
 *
 * Return: 0: ESTABLISHED or CONNECT_ERROR follows. After an error no event follows, and the request
 * is rejected: -EINVAL: @id has no unanswered request, or a parameter is bad; -ECONNRESET: the peer
 * has closed the connection; -ENODEV: the device is being removed; -ENOMEM: no memory; or an error
 * of the provider.
 */
int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);

/**
 * rdma_accept_ece - rdma_accept() with options for enhanced connection establishment
 * @id: identifier of CONNECT_REQUEST, with its handler lock held
 * @conn_param: QP, private data and limits
 * @ece: the options; ignored, because iWARP cannot send them
 */
int rdma_accept_ece(struct rdma_cm_id *id, struct rdma_conn_param *conn_param,
		    struct rdma_ucm_ece *ece);

/**
 * rdma_lock_handler - prevent the handler from being called
 * @id: the identifier
 *
 * Waits until the handler has returned. Not called in the handler, where the lock is held.
 */
void rdma_lock_handler(struct rdma_cm_id *id);

/**
 * rdma_unlock_handler - let the handler be called again
 * @id: the identifier
 */
void rdma_unlock_handler(struct rdma_cm_id *id);

/**
 * rdma_notify - pass an event of the QP to the connection
 * @id: identifier of a connection, or of an accepted request
 * @event: %IB_EVENT_COMM_EST: a message has come before the connection was established
 *
 * Does nothing on iWARP, where the provider itself notices such a message.
 *
 * Return: 0; -EINVAL: @id has no connection.
 */
int rdma_notify(struct rdma_cm_id *id, enum ib_event_type event);

/**
 * rdma_reject - reject a request
 * @id: identifier of CONNECT_REQUEST
 * @private_data: data for the peer's consumer, or NULL
 * @private_data_len: number of bytes at @private_data
 * @reason: InfiniBand only
 *
 * No event follows.
 *
 * Return: 0; -EINVAL: @id has no unanswered request, @private_data is NULL although the length is
 * not 0, or the data is longer than the transport can send; or an error of the provider.
 */
int rdma_reject(struct rdma_cm_id *id, const void *private_data, u8 private_data_len, u8 reason);

/**
 * rdma_disconnect - close the connection
 * @id: identifier of a connection
 *
 * Work requests that are queued are sent first. Both sides get DISCONNECTED, and both QPs end in
 * %IB_QPS_ERR.
 *
 * Return: 0, also if the connection is ending or has ended; -EINVAL: @id had no connection;
 * -ENODEV: the device is being removed, which ends the connection; or an error of the provider.
 */
int rdma_disconnect(struct rdma_cm_id *id);

/**
 * rdma_join_multicast - become a member of a multicast group
 * @id: identifier with a device
 * @addr: the group
 * @join_state: kind of membership
 * @context: context of the event
 *
 * Return: -EINVAL: @id has no device; -EOPNOTSUPP: iWARP has no multicast.
 */
int rdma_join_multicast(struct rdma_cm_id *id, struct sockaddr *addr, u8 join_state,
			void *context);

/**
 * rdma_leave_multicast - leave a multicast group
 * @id: the identifier
 * @addr: the group
 */
void rdma_leave_multicast(struct rdma_cm_id *id, struct sockaddr *addr);

/**
 * rdma_set_service_type - set the type of service
 * @id: identifier that is not connected
 * @tos: the IPv4 TOS or IPv6 traffic class (RFC 2474)
 */
void rdma_set_service_type(struct rdma_cm_id *id, int tos);

/**
 * rdma_set_reuseaddr - allow the port to be shared with identifiers that also allow sharing
 * @id: new identifier; in a later state except LISTEN, sharing can be allowed, but not forbidden
 * @reuse: whether sharing is allowed
 *
 * Return: 0; -EINVAL: the change is not allowed in this state.
 */
int rdma_set_reuseaddr(struct rdma_cm_id *id, int reuse);

/**
 * rdma_set_afonly - accept connections of the identifier's own address family only
 * @id: identifier that is new, or bound
 * @afonly: whether connections of another address family than the identifier's are refused. The
 *	default is the value that the sysctl net.ipv6.bindv6only of the namespace has when the
 *	identifier is created
 *
 * Return: 0; -EINVAL: @id is neither new nor bound.
 */
int rdma_set_afonly(struct rdma_cm_id *id, int afonly);

/**
 * rdma_restrict_node_type - use only devices of this node type
 * @id: new identifier
 * @node_type: RDMA_NODE_RNIC, RDMA_NODE_IB_CA, which RoCE devices have as well, or
 *	RDMA_NODE_UNSPECIFIED, which is the default: any device
 *
 * For an interface whose device has another node type, binding and resolving end as without a
 * device. A wildcard does not listen on such devices.
 *
 * Return: 0; -EINVAL: @node_type is another one, or @id has an address already.
 */
int rdma_restrict_node_type(struct rdma_cm_id *id, u8 node_type);

/**
 * rdma_set_ack_timeout - set how long an acknowledgment may take
 * @id: identifier of a reliable connection
 * @timeout: the time is 4.096 us * 2^@timeout; 0: no limit. InfiniBand only
 *
 * Return: 0; -EINVAL: the QP type of @id has no acknowledgment timeout.
 */
int rdma_set_ack_timeout(struct rdma_cm_id *id, u8 timeout);

/**
 * rdma_set_min_rnr_timer - set how long a peer waits if its message finds no receive request
 * @id: identifier of a reliable connection
 * @min_rnr_timer: code of the time, 0 to 31. InfiniBand only
 *
 * Return: 0; -EINVAL: the QP type of @id has no such time, or the code is larger than 31.
 */
int rdma_set_min_rnr_timer(struct rdma_cm_id *id, u8 min_rnr_timer);

/**
 * rdma_get_service_id - the InfiniBand service ID that stands for a port
 * @id: identifier; its port space is used
 * @addr: address with the port
 *
 * Called in any context.
 */
__be64 rdma_get_service_id(struct rdma_cm_id *id, struct sockaddr *addr);

/**
 * rdma_event_msg - text for an event
 * @event: the event
 *
 * Called in any context.
 *
 * Return: a constant string, never NULL.
 */
const char *rdma_event_msg(enum rdma_cm_event_type event) __attribute_const__;

/**
 * rdma_reject_msg - text for a rejection
 * @id: identifier that was rejected
 * @reason: status of REJECTED
 *
 * Return: a constant string, never NULL.
 */
const char *rdma_reject_msg(struct rdma_cm_id *id, int reason) __attribute_const__;

/**
 * rdma_is_consumer_reject - was the connection rejected by the peer's consumer?
 * @id: identifier that was rejected
 * @reason: status of REJECTED
 *
 * Return: whether the peer has called rdma_reject(). On iWARP, all other rejections come from a
 * host that has no listener on the port.
 */
bool rdma_is_consumer_reject(struct rdma_cm_id *id, int reason);

/**
 * rdma_consumer_reject_data - private data of a rejection by the peer's consumer
 * @id: identifier that was rejected
 * @ev: the event REJECTED
 * @data_len: is set to the number of bytes of the data
 *
 * Called in the handler.
 *
 * Return: the data, which belongs to @ev; NULL, with length 0: the peer's consumer did not reject.
 */
const void *rdma_consumer_reject_data(struct rdma_cm_id *id, struct rdma_cm_event *ev,
				      u8 *data_len);

/**
 * rdma_read_gids - read the GIDs of both sides
 * @cm_id: identifier; if it has no device, nothing is written
 * @sgid: is set to our GID; or NULL
 * @dgid: is set to the peer's GID; or NULL
 *
 * On iWARP the GIDs are the link addresses, padded with zeros.
 */
void rdma_read_gids(struct rdma_cm_id *cm_id, union ib_gid *sgid, union ib_gid *dgid);

/**
 * rdma_iw_cm_id - get the identifier of iw_cm for a connection
 * @cm_id: the identifier of rdma_cm
 *
 * Return: the identifier of iw_cm; NULL: @cm_id has none (yet).
 */
struct iw_cm_id *rdma_iw_cm_id(struct rdma_cm_id *cm_id);

/**
 * rdma_res_to_id - identifier of an entry of the resource table
 * @res: entry of type RDMA_RESTRACK_CM_ID that belongs to an identifier of this API
 *
 * Called in any context.
 */
struct rdma_cm_id *rdma_res_to_id(struct rdma_restrack_entry *res);

#endif /* _RDMA_RDMA_CM_H_ */
