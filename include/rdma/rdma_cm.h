/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The connection manager that all transports share: identifiers that are bound to IP addresses,
 * find their device by them, and connect.
 */
#ifndef _RDMA_RDMA_CM_H_
#define _RDMA_RDMA_CM_H_

#include <linux/in6.h>
#include <linux/socket.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_verbs.h>
#include <uapi/rdma/rdma_user_cm.h>

struct iw_cm_id;
struct rdma_cm_id;
struct rdma_restrack_entry;
struct sa_path_rec;

/**
 * DOC: How connections are made
 *
 * The connecting side: rdma_create_id(), rdma_resolve_addr(), the event ADDR_RESOLVED,
 * rdma_resolve_route(), ROUTE_RESOLVED, rdma_create_qp(), rdma_connect(), ESTABLISHED. The
 * listening side: rdma_create_id(), rdma_bind_addr(), rdma_listen(); a CONNECT_REQUEST brings the
 * identifier of a new connection, for which rdma_create_qp() and rdma_accept(), and ESTABLISHED.
 * Either side ends the connection with rdma_disconnect(); both get DISCONNECTED, and destroy QP and
 * identifier.
 *
 * An identifier has a device when it is bound to a local address that is not a wildcard, from
 * ADDR_RESOLVED on, and from CONNECT_REQUEST on. When that device is removed, DEVICE_REMOVAL is the
 * identifier's last event, and the removal waits until the identifier is destroyed. Identifiers
 * that listen on a wildcard address do so on all devices of their network namespace, including
 * those that are added later.
 *
 * Events of an identifier come one at a time, with its handler lock held (rdma_lock_handler()).
 * Connections do not wait for each other: no handler, look-up or peer delays another connection.
 *
 * Functions are called in process context and may sleep, unless said otherwise. The consumer
 * serialises its calls for one identifier; rdma_disconnect(), rdma_reject() and the removal of the
 * device may come at any time.
 */

/**
 * enum rdma_cm_event_type - what has happened to an identifier
 * @RDMA_CM_EVENT_ADDR_RESOLVED: rdma_resolve_addr() has found a device
 * @RDMA_CM_EVENT_ADDR_ERROR: rdma_resolve_addr() failed; status has the reason. It may be called
 *	again
 * @RDMA_CM_EVENT_ROUTE_RESOLVED: rdma_resolve_route() has found a route
 * @RDMA_CM_EVENT_ROUTE_ERROR: rdma_resolve_route() failed. It may be called again
 * @RDMA_CM_EVENT_CONNECT_REQUEST: a peer wants to connect; on a new identifier, with the handler,
 *	context and type of the listener
 * @RDMA_CM_EVENT_CONNECT_RESPONSE: the peer has accepted, and the consumer has to change the QP's
 *	state; not on iWARP
 * @RDMA_CM_EVENT_CONNECT_ERROR: the connection failed, for a reason that has no event of its own
 * @RDMA_CM_EVENT_UNREACHABLE: the peer does not answer, or there is no route to it
 * @RDMA_CM_EVENT_REJECTED: the peer refused; see rdma_is_consumer_reject()
 * @RDMA_CM_EVENT_ESTABLISHED: connected
 * @RDMA_CM_EVENT_DISCONNECTED: the connection is ending or has ended; status 0 after an orderly end
 * @RDMA_CM_EVENT_DEVICE_REMOVAL: the device is being removed
 * @RDMA_CM_EVENT_MULTICAST_JOIN: member of a multicast group
 * @RDMA_CM_EVENT_MULTICAST_ERROR: not a member (any more)
 * @RDMA_CM_EVENT_ADDR_CHANGE: the network interface has another link address
 * @RDMA_CM_EVENT_TIMEWAIT_EXIT: the QP may be used for another connection; not on iWARP
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
	RDMA_CM_EVENT_TIMEWAIT_EXIT
};

/* Upper bits of the service IDs that stand for ports of the IP port spaces (IBTA annex A11). */
#define RDMA_IB_IP_PS_MASK	0xFFFFFFFFFFFF0000ULL
#define RDMA_IB_IP_PS_TCP	0x0000000001060000ULL
#define RDMA_IB_IP_PS_UDP	0x0000000001110000ULL
#define RDMA_IB_IP_PS_IB	0x00000000013F0000ULL

/**
 * struct rdma_addr - addresses of a connection
 * @src_addr: ours, with port
 * @dst_addr: the peer's, with port
 * @dev_addr: the link addresses that belong to them
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
 * @path_rec: path records of InfiniBand; NULL on iWARP, as the others
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
 * struct rdma_conn_param - how to connect or accept; in events, what the peer has offered
 * @private_data: data for the peer's consumer, or from it; in events valid until the handler
 *	returns
 * @private_data_len: bytes at @private_data
 * @responder_resources: RDMA reads the peer may have outstanding
 * @initiator_depth: RDMA reads we may have outstanding
 * @flow_control: InfiniBand only
 * @retry_count: InfiniBand only; ignored when accepting
 * @rnr_retry_count: InfiniBand only
 * @srq: the QP has an SRQ. This and the following members are ignored if the identifier has a QP
 * @qp_num: number of the QP
 * @qkey: of unconnected QPs
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
 * @private_data_len: bytes at @private_data
 * @ah_attr: address vector of the peer
 * @qp_num: its number
 * @qkey: its Q_Key
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
 * @status: 0; or the reason of a failure: a negative errno, or for REJECTED the transport's number
 * @param: CONNECT_REQUEST, CONNECT_RESPONSE, ESTABLISHED, REJECTED: what the peer sent
 * @param.conn: of a connected identifier
 * @param.ud: of an unconnected one
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
 * Process context, may sleep; with the handler lock of @id held, and for a CONNECT_REQUEST that of
 * the listener, too, whose requests come one after the other. Neither @id nor, for a
 * CONNECT_REQUEST, its listener may be destroyed in the handler.
 *
 * Return: 0. Anything else: @id is destroyed (and a request rejected); the consumer must not use it
 * again, must not be in a call for it in another thread, and must have destroyed the QP.
 */
typedef int (*rdma_cm_event_handler)(struct rdma_cm_id *id, struct rdma_cm_event *event);

/**
 * struct rdma_cm_id - an identifier: a listener, or one side of a connection
 * @device: the device, or NULL as long as there is none
 * @context: the consumer's
 * @qp: QP of rdma_create_qp(), or NULL
 * @event_handler: the consumer's
 * @route: addresses and path
 * @ps: port space
 * @qp_type: transport service of its QP
 * @port_num: port of the device
 * @net_work: unused; a name that 6.1 has here
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
 * __rdma_create_kernel_id - make an identifier under the caller's name
 * @net: network namespace of its addresses, which it keeps until it is destroyed
 * @event_handler: receives the events
 * @context: the consumer's
 * @ps: port space
 * @qp_type: transport service of the QP that goes with it
 * @caller: module named as owner in the resource table; a string that outlives the identifier
 *
 * Use rdma_create_id().
 *
 * Return: the identifier, to be given back with rdma_destroy_id(); or ERR_PTR: -EINVAL no handler
 *	or no such port space; -ENOMEM.
 */
struct rdma_cm_id *__rdma_create_kernel_id(struct net *net, rdma_cm_event_handler event_handler,
					   void *context, enum rdma_ucm_port_space ps,
					   enum ib_qp_type qp_type, const char *caller);

/**
 * rdma_create_id - make an identifier
 * @net: network namespace of its addresses, which it keeps until it is destroyed
 * @event_handler: receives the events
 * @context: the consumer's
 * @ps: port space
 * @qp_type: transport service of the QP that goes with it
 *
 * See __rdma_create_kernel_id().
 */
#define rdma_create_id(net, event_handler, context, ps, qp_type)		\
	__rdma_create_kernel_id((net), (event_handler), (context), (ps), (qp_type), KBUILD_MODNAME)

/**
 * rdma_create_user_id - make an identifier of the current process
 * @event_handler: receives the events
 * @context: the caller's
 * @ps: port space
 * @qp_type: transport service of the QP that goes with it
 *
 * The identifier is in the process's network namespace. The process owns it in the resource table.
 *
 * Return: as __rdma_create_kernel_id().
 */
struct rdma_cm_id *rdma_create_user_id(rdma_cm_event_handler event_handler, void *context,
				       enum rdma_ucm_port_space ps, enum ib_qp_type qp_type);

/**
 * rdma_destroy_id - end an identifier
 * @id: identifier in any state; not one whose handler is running in this thread
 *
 * Waits for the handler, which is not called again. A connection is reset, an unanswered request
 * rejected, a listener closed. The consumer must have destroyed the QP before.
 */
void rdma_destroy_id(struct rdma_cm_id *id);

/**
 * rdma_bind_addr - choose the local address
 * @id: new identifier
 * @addr: IPv4 or IPv6 address and port. A wildcard stands for any address, port 0 for a free port
 *
 * Two identifiers of a port space and namespace cannot have one port, unless their addresses differ
 * and neither is a wildcard of the other, or both have asked for it (rdma_set_reuseaddr()) and
 * neither listens yet. An IPv6 wildcard covers IPv4, too, unless rdma_set_afonly() forbids it. A
 * free port is one that no TCP socket has, either.
 *
 * Return: 0; -EINVAL not a new identifier, or a link-local address without its interface;
 * -EAFNOSUPPORT neither IPv4 nor IPv6; -EADDRNOTAVAIL no interface has the address, or no port is
 * free; -ENODEV that interface has no RDMA device that serves the port space; -EADDRINUSE; -EACCES
 * the process may not bind that port; -ENOMEM. After an error the identifier is new.
 */
int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr);

/**
 * rdma_resolve_addr - choose the peer's address, and find the device that leads there
 * @id: new or bound identifier
 * @src_addr: local address, as for rdma_bind_addr(); NULL: the source address of the route. Ignored
 *	if @id is bound
 * @dst_addr: the peer's address and port; a wildcard: this host
 * @timeout_ms: longest time to resolve the link address of the next hop, in milliseconds
 *
 * Return: 0: ADDR_RESOLVED or ADDR_ERROR will come. Status of ADDR_ERROR: -ETIMEDOUT the next hop
 * does not answer; -ENODEV no RDMA device on the interface of the route; or the error of the route
 * look-up (-ENETUNREACH, -EHOSTUNREACH, -EACCES, ...); @id is bound then. Otherwise no event comes:
 * -EINVAL the families differ, @id is neither new nor bound, or a link-local address without its
 * interface; or as rdma_bind_addr().
 */
int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr,
		      const struct sockaddr *dst_addr, unsigned long timeout_ms);

/**
 * rdma_resolve_route - find the route to the peer
 * @id: identifier after ADDR_RESOLVED
 * @timeout_ms: longest time for that, in milliseconds
 *
 * Return: 0: ROUTE_RESOLVED or ROUTE_ERROR will come; -EINVAL @id is not in this state.
 */
int rdma_resolve_route(struct rdma_cm_id *id, unsigned long timeout_ms);

/**
 * rdma_create_qp - create a QP for the connection
 * @id: identifier with a device
 * @pd: PD on the same device
 * @qp_init_attr: as for ib_create_qp(); port_num is set
 *
 * The QP goes to %IB_QPS_INIT, and follows the connection from then on.
 *
 * Return: 0; -EINVAL no device, another one than the PD's, or there is a QP already; or what
 * ib_create_qp() or ib_modify_qp() answered.
 */
int rdma_create_qp(struct rdma_cm_id *id, struct ib_pd *pd, struct ib_qp_init_attr *qp_init_attr);

/**
 * rdma_destroy_qp - destroy the QP of rdma_create_qp()
 * @id: its identifier
 */
void rdma_destroy_qp(struct rdma_cm_id *id);

/**
 * rdma_init_qp_attr - attributes that the connection's QP needs
 * @id: identifier with a device
 * @qp_attr: in: qp_state, the state the QP is to go to; out: attributes for it
 * @qp_attr_mask: out: which of them are valid, for ib_modify_qp()
 *
 * Return: 0; -EINVAL no device, or not that state now.
 */
int rdma_init_qp_attr(struct rdma_cm_id *id, struct ib_qp_attr *qp_attr, int *qp_attr_mask);

/**
 * rdma_connect - connect to the peer
 * @id: identifier after ROUTE_RESOLVED; not with its handler lock held
 * @conn_param: QP, private data and limits
 *
 * After REJECTED, UNREACHABLE and CONNECT_ERROR it may be called again, with a new QP.
 *
 * Return: 0: ESTABLISHED, or one of these three, will come. Otherwise no event comes, and it may be
 * called again: -EINVAL not in this state, or bad parameters; -EOPNOTSUPP the transport cannot
 * serve the port space; -ENODEV the device is being removed; -ENOMEM; or what the provider
 * answered.
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
 * @id: identifier after ROUTE_RESOLVED; not with its handler lock held
 * @conn_param: QP, private data and limits
 * @ece: the options, which iWARP has no room for
 */
int rdma_connect_ece(struct rdma_cm_id *id, struct rdma_conn_param *conn_param,
		     struct rdma_ucm_ece *ece);

/**
 * rdma_listen - listen for connections
 * @id: bound identifier; one that is new is bound to a free port of all addresses
 * @backlog: requests that may be unanswered at a time, on each device; 0: a default
 *
 * Return: 0; -EINVAL @id is neither new nor bound; -EADDRINUSE another identifier, or a TCP socket,
 * listens there; or what the device answered, for a wildcard address one of the devices. After an
 * error the identifier is bound.
 */
int rdma_listen(struct rdma_cm_id *id, int backlog);

/**
 * rdma_accept - accept a request
 * @id: identifier of CONNECT_REQUEST, with its handler lock held, as in the handler
 * @conn_param: QP, private data and limits
 *
 * Return: 0: ESTABLISHED or CONNECT_ERROR will come. Otherwise no event comes, and the request is
 * rejected: -EINVAL no unanswered request, or bad parameters; -ECONNRESET the peer has closed the
 * connection; -ENODEV the device is being removed; -ENOMEM; or what the provider answered.
 */
int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);

/**
 * rdma_accept_ece - rdma_accept() with options for enhanced connection establishment
 * @id: identifier of CONNECT_REQUEST, with its handler lock held
 * @conn_param: QP, private data and limits
 * @ece: the options, which iWARP has no room for
 */
int rdma_accept_ece(struct rdma_cm_id *id, struct rdma_conn_param *conn_param,
		    struct rdma_ucm_ece *ece);

/**
 * rdma_lock_handler - keep the handler from being called
 * @id: the identifier
 *
 * Waits for it. Not in the handler, which has the lock.
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
 * Return: 0, always on iWARP, because there the provider notices by itself; -EINVAL no connection.
 */
int rdma_notify(struct rdma_cm_id *id, enum ib_event_type event);

/**
 * rdma_reject - reject a request
 * @id: identifier of CONNECT_REQUEST
 * @private_data: data for the peer's consumer, or NULL
 * @private_data_len: bytes at @private_data
 * @reason: InfiniBand only
 *
 * Return: 0; -EINVAL not an unanswered request (any more), a length without data, or more than the
 * transport takes; or what the provider answered. No event follows.
 */
int rdma_reject(struct rdma_cm_id *id, const void *private_data, u8 private_data_len, u8 reason);

/**
 * rdma_disconnect - close the connection
 * @id: identifier of a connection
 *
 * Queued requests are sent. Both sides get DISCONNECTED, and QPs end in %IB_QPS_ERR.
 *
 * Return: 0, also when the connection is ending or has ended; -EINVAL there was none; -ENODEV the
 * device is being removed, which ends the connection; or what the provider answered.
 */
int rdma_disconnect(struct rdma_cm_id *id);

/**
 * rdma_join_multicast - become a member of a multicast group
 * @id: identifier with a device
 * @addr: the group
 * @join_state: kind of membership
 * @context: for the event
 *
 * Return: -EINVAL no device; -EOPNOTSUPP iWARP has none.
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
 * rdma_set_reuseaddr - allow the port to be shared with identifiers that allow it, too
 * @id: identifier that is not bound; on a bound one it can only be switched on
 * @reuse: whether to
 *
 * Return: 0; -EINVAL too late.
 */
int rdma_set_reuseaddr(struct rdma_cm_id *id, int reuse);

/**
 * rdma_set_afonly - accept connections of the identifier's own address family only
 * @id: identifier that is new, or bound
 * @afonly: whether to; the default is the sysctl net.ipv6.bindv6only of the namespace at creation
 *
 * Return: 0; -EINVAL too late.
 */
int rdma_set_afonly(struct rdma_cm_id *id, int afonly);

/**
 * rdma_set_ack_timeout - set how long an acknowledgment may take
 * @id: identifier of a reliable connection
 * @timeout: 4.096 us times two to the power of this; 0: for ever. InfiniBand only
 *
 * Return: 0; -EINVAL not that type.
 */
int rdma_set_ack_timeout(struct rdma_cm_id *id, u8 timeout);

/**
 * rdma_set_min_rnr_timer - set how long a peer waits after its message found no receive
 * @id: identifier of a reliable connection
 * @min_rnr_timer: code of the time, 0 to 31. InfiniBand only
 *
 * Return: 0; -EINVAL not that type, or no such code.
 */
int rdma_set_min_rnr_timer(struct rdma_cm_id *id, u8 min_rnr_timer);

/**
 * rdma_get_service_id - the InfiniBand service ID that stands for a port
 * @id: identifier, for its port space
 * @addr: address with the port
 *
 * Any context.
 */
__be64 rdma_get_service_id(struct rdma_cm_id *id, struct sockaddr *addr);

/**
 * rdma_event_msg - text for an event
 * @event: the event
 *
 * Any context.
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
 * Return: whether the peer called rdma_reject(). On iWARP the only other rejection is that of a
 * host without a listener.
 */
bool rdma_is_consumer_reject(struct rdma_cm_id *id, int reason);

/**
 * rdma_consumer_reject_data - private data of a rejection by the peer's consumer
 * @id: identifier that was rejected
 * @ev: the event REJECTED
 * @data_len: result: bytes
 *
 * In the handler.
 *
 * Return: the data, which belongs to @ev; NULL, with 0 bytes, if it was not the consumer.
 */
const void *rdma_consumer_reject_data(struct rdma_cm_id *id, struct rdma_cm_event *ev,
				      u8 *data_len);

/**
 * rdma_read_gids - GIDs of both sides
 * @cm_id: identifier; without a device nothing is written
 * @sgid: result: ours; or NULL
 * @dgid: result: the peer's; or NULL
 *
 * On iWARP they are the link addresses, padded with zeros.
 */
void rdma_read_gids(struct rdma_cm_id *cm_id, union ib_gid *sgid, union ib_gid *dgid);

/**
 * rdma_iw_cm_id - the iWARP connection manager's identifier below
 * @cm_id: the identifier
 *
 * Return: NULL: there is none (yet).
 */
struct iw_cm_id *rdma_iw_cm_id(struct rdma_cm_id *cm_id);

/**
 * rdma_res_to_id - identifier of an entry of the resource table
 * @res: entry of type RDMA_RESTRACK_CM_ID that an identifier of this API has made
 *
 * Any context.
 */
struct rdma_cm_id *rdma_res_to_id(struct rdma_restrack_entry *res);

#endif /* _RDMA_RDMA_CM_H_ */
