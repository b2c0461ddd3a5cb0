/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The iWARP connection manager: connection identifiers, their events, and what providers report.
 */
#ifndef _RDMA_IW_CM_H_
#define _RDMA_IW_CM_H_

#include <linux/in.h>
#include <linux/socket.h>
#include <rdma/ib_verbs.h>

struct iw_cm_id;

/**
 * DOC: What a provider does
 *
 * A device that offers all of the iWARP methods of struct ib_device_ops can be used; one without
 * any of them gets no identifiers. iw_cm calls iw_connect(), iw_accept(), iw_reject(),
 * iw_create_listen() and iw_destroy_listen() in process context without a lock, for one identifier
 * one at a time. They start an operation and return soon, because the caller, the removal of the
 * device, and the end of the identifier wait for them. A method that fails has undone what it began
 * and has nothing more to report; a failed iw_accept() has ended the connection. iw_reject() takes
 * at most 255 bytes, iw_reject_data(), which replaces it, 512.
 *
 * iw_get_qp() finds a QP by its number and takes no reference; iw_add_ref() takes one, also with a
 * spinlock held, and iw_rem_ref() drops it. A provider that destroys a QP which has a connection
 * calls iw_cm_unbind_qp(), and ends the connection.
 *
 * iw_cm closes connections by ib_modify_qp(): to %IB_QPS_SQD for an orderly close, which sends what
 * is queued; to %IB_QPS_ERR for a reset, also while iw_connect() or iw_accept() is under way. The
 * answer is an event that ends the connection.
 *
 * When its device is removed, the provider ends all connections and reports that as usual; iw_cm
 * has rejected what was unanswered, closed the listeners and reset the rest, and does not call it
 * any more.
 */

/**
 * enum iw_cm_event_type - what has happened to a connection
 *
 * The provider reports events to iw_cm, which passes on to the client those that the state of the
 * identifier allows. Each event occurs at most once a connection, and CLOSE or a failure is the
 * last.
 *
 * @IW_CM_EVENT_CONNECT_REQUEST: a peer wants to connect. The provider reports it on the listening
 *	identifier, with both addresses, private data, ird, ord and provider_data, its handle of the
 *	connection. The client's handler is called with the identifier of the new connection, which
 *	has the addresses, provider_data, and the handler and context of the listener; it answers
 *	with iw_cm_accept() or iw_cm_reject(), at once or later.
 * @IW_CM_EVENT_CONNECT_REPLY: the answer to iw_cm_connect(). Status 0: connected; with the
 *	addresses in use, private data, ird and ord. Else the connection failed, with private data
 *	if the peer rejected it (-ECONNREFUSED); nothing follows, and the identifier is as new.
 * @IW_CM_EVENT_ESTABLISHED: the end of iw_cm_accept(). Status 0: connected. Else the connection
 *	failed after all; nothing follows, and the identifier is as new.
 * @IW_CM_EVENT_DISCONNECT: the peer has begun to close an established connection. What it sent
 *	before has been received. iw_cm_disconnect() closes our side; CLOSE follows. Does not come
 *	after iw_cm_disconnect().
 * @IW_CM_EVENT_CLOSE: the connection is over, and nothing follows. Status tells why, 0 after an
 *	orderly end. The QP is no longer bound to the identifier, which is as new.
 */
enum iw_cm_event_type {
	IW_CM_EVENT_CONNECT_REQUEST = 1,
	IW_CM_EVENT_CONNECT_REPLY,
	IW_CM_EVENT_ESTABLISHED,
	IW_CM_EVENT_DISCONNECT,
	IW_CM_EVENT_CLOSE
};

/**
 * struct iw_cm_event - an event
 *
 * An event of a provider is in use until the upcall returns; an event for a client is valid until
 * the handler returns. Members that do not go with the event are 0.
 *
 * @event: kind of event
 * @status: 0 or negative errno
 * @local_addr: our address and port
 * @remote_addr: the peer's address and port
 * @private_data: what the peer's client sent along; CONNECT_REQUEST and CONNECT_REPLY only
 * @provider_data: CONNECT_REQUEST: the provider's handle of the connection
 * @private_data_len: bytes at @private_data, at most 512. (Wider than in Linux 6.1, as are @ord and
 *	@ird: callers that use the narrow ones see no difference.)
 * @ord: RDMA reads we may have outstanding
 * @ird: RDMA reads the peer may have outstanding
 */
struct iw_cm_event {
	enum iw_cm_event_type	event;
	int			status;
	struct sockaddr_storage	local_addr;
	struct sockaddr_storage	remote_addr;
	void			*private_data;
	void			*provider_data;
	u16			private_data_len;
	u16			ord;
	u16			ird;
};

/**
 * typedef iw_cm_handler - the client's handler
 * @cm_id: identifier of the connection; for a CONNECT_REQUEST the new one
 * @event: what has happened
 *
 * Process context, may sleep; handlers of other identifiers run meanwhile, those of the same one
 * do not. The CONNECT_REQUESTs of a listener come one after the other. All functions may be
 * called from it for @cm_id and for others, iw_destroy_cm_id() included.
 *
 * Return: 0. Anything else: iw_cm destroys @cm_id (and rejects the request), as if
 * iw_destroy_cm_id() had been called last in the handler; the client must not use it again. Ignored
 * if @cm_id has been destroyed.
 */
typedef int (*iw_cm_handler)(struct iw_cm_id *cm_id, struct iw_cm_event *event);

/**
 * typedef iw_event_handler - iw_cm's handler, which providers call
 * @cm_id: identifier, to which the provider has a reference; for a CONNECT_REQUEST the listening
 *	one
 * @event: what has happened
 *
 * Process context, may sleep for memory; never runs code of the client and never calls the
 * provider, except iw_rem_ref(). The provider holds no lock that its iw_add_ref() or iw_rem_ref()
 * takes. May be called while the provider is inside one of its iw_*() methods.
 *
 * Return: 0: accepted. Otherwise no answer will come: the provider ends the connection by itself.
 * -EINVAL: the event cannot occur in this state or the second time, or has bad addresses or private
 * data; -EBUSY: the listener's backlog is full; -ENODEV: the identifier is destroyed, or the device
 * is going; -ENOMEM.
 */
typedef int (*iw_event_handler)(struct iw_cm_id *cm_id, struct iw_cm_event *event);

/**
 * struct iw_cm_id - an identifier: a listener, or one side of a connection
 *
 * @cm_handler: the client's handler; the client may replace it while it runs
 * @context: the client's
 * @device: device it is on
 * @local_addr: our address and port, IPv4 or IPv6. Set by the client before iw_cm_listen() and
 *	iw_cm_connect(); after that what the provider reports
 * @remote_addr: the peer's address and port, likewise
 * @m_local_addr: @local_addr as it is on the wire, behind the port mapper
 * @m_remote_addr: @remote_addr as it is on the wire, behind the port mapper. Providers use these
 *	two.
 * @provider_data: the provider's
 * @event_handler: called by the provider, see iw_event_handler()
 * @add_ref: called by the provider to keep the identifier in memory; any context. A method of the
 *	provider is called with one that lasts until it returns.
 * @rem_ref: called by the provider to drop such a reference; any context
 * @tos: type of service, if @tos_set; set by the client before iw_cm_connect() or iw_cm_listen()
 * @tos_set: @tos is valid
 * @mapped: the port mapper has mapped the addresses
 * @afonly: an IPv6 listener takes no IPv4 connections; set by the client
 */
struct iw_cm_id {
	iw_cm_handler		cm_handler;
	void			*context;
	struct ib_device	*device;
	struct sockaddr_storage	local_addr;
	struct sockaddr_storage	remote_addr;
	struct sockaddr_storage	m_local_addr;
	struct sockaddr_storage	m_remote_addr;
	void			*provider_data;
	iw_event_handler	event_handler;
	void			(*add_ref)(struct iw_cm_id *cm_id);
	void			(*rem_ref)(struct iw_cm_id *cm_id);
	u8			tos;
	bool			tos_set:1;
	bool			mapped:1;
	bool			afonly:1;
};

/**
 * struct iw_cm_conn_param - how to connect or accept
 * @private_data: data for the peer's client; the caller's again when the call returns
 * @private_data_len: bytes at @private_data, at most 512
 * @ord: RDMA reads we want to have outstanding
 * @ird: RDMA reads the peer may have outstanding
 * @qpn: number of the QP to use. The client keeps the QP in being during the call.
 */
struct iw_cm_conn_param {
	const void	*private_data;
	u16		private_data_len;
	u32		ord;
	u32		ird;
	u32		qpn;
};

/**
 * enum iw_flags - properties of a provider, ib_device.iw_driver_flags
 *
 * The ports of a device that names its network interface (ib_device.iw_ifname) are mapped when the
 * port mapper's daemon runs in the interface's network namespace.
 *
 * @IW_F_NO_PORT_MAP: mapped and real port are the same; the port mapper only announces them
 * @IW_F_NO_PORT_MAPPER: the port mapper is not asked at all
 * @IW_F_HOST_TCP: connections are sockets of the host's TCP, which bind the mapped ports
 *	themselves. They set SK_FORCE_REUSE, because the daemon has bound these ports already.
 */
enum iw_flags {
	IW_F_NO_PORT_MAP = (1 << 0),
	IW_F_NO_PORT_MAPPER = (1 << 1),
	IW_F_HOST_TCP = (1 << 2),
};

/**
 * __iw_create_cm_id - make an identifier under the caller's name
 * @device: device, which the caller knows to be registered
 * @cm_handler: receives the events
 * @context: the client's, for iw_cm_id.context
 * @caller: module named as owner in the resource table, where requests that come to a listener have
 *	the listener's owner; a string that outlives the identifier. NULL: not in the table, as the
 *	caller lists it under an identifier of its own
 *
 * Use iw_create_cm_id(). Process context. The identifier does not keep the device: once that is
 * removed it can only be destroyed.
 *
 * Return: the identifier, to be given back with iw_destroy_cm_id(); or ERR_PTR: -EINVAL @device or
 * @cm_handler is NULL; -EOPNOTSUPP the provider lacks an iWARP method; -ENODEV the device is not
 *	registered, or is being removed; -ENOMEM.
 */
struct iw_cm_id *__iw_create_cm_id(struct ib_device *device, iw_cm_handler cm_handler,
				   void *context, const char *caller);

/**
 * iw_create_cm_id - make an identifier
 * @device: device, which the caller knows to be registered
 * @cm_handler: receives the events
 * @context: the client's, for iw_cm_id.context
 *
 * See __iw_create_cm_id().
 */
#define iw_create_cm_id(device, cm_handler, context)				\
	__iw_create_cm_id((device), (cm_handler), (context), KBUILD_MODNAME)

/**
 * iw_destroy_cm_id - end an identifier
 * @cm_id: identifier in any state
 *
 * Process context, sleeps. A listener is closed, and requests that its handler has not seen are
 * rejected; those it has seen are the client's. A connection that is not over is reset, an
 * unanswered request rejected. While iw_cm_connect() or iw_cm_accept() is in progress, waits for
 * the provider to end it.
 *
 * On return the handler is not running and will not run again, and iw_cm holds no reference to the
 * QP. Called from inside the identifier's own handler, it waits for none of these; the handler is
 * not called again. Another thread must not call it while the handler waits for that thread,
 * because each would wait for the other. The memory stays until the provider has dropped its
 * references, too.
 */
void iw_destroy_cm_id(struct iw_cm_id *cm_id);

/**
 * iw_cm_flush - wait until handlers that are running have returned
 *
 * Process context, not in a handler. For a client whose module goes: it has no identifiers left,
 * but a handler that destroyed its own one may still be on its way back.
 */
void iw_cm_flush(void);

/**
 * iw_cm_unbind_qp - unbind a QP from an identifier
 * @cm_id: identifier; the caller has a reference
 * @qp: the QP
 *
 * Process context. For providers, while they destroy a QP that a connection still uses: drops
 * iw_cm's reference, by iw_rem_ref(), unless the QP is not (any more) bound to @cm_id. The
 * connection ends by the usual events.
 */
void iw_cm_unbind_qp(struct iw_cm_id *cm_id, struct ib_qp *qp);

/**
 * iw_cm_get_qp - find a QP by its number
 * @device: a registered device
 * @qpn: number of the QP
 *
 * Process context. The QP must not be destroyed during the call; its owner sees to that.
 *
 * Return: the QP, with a reference that the caller gives back with qp->device->ops.iw_rem_ref();
 * NULL if there is none of that number, or the device has no iWARP.
 */
struct ib_qp *iw_cm_get_qp(struct ib_device *device, int qpn);

/**
 * iw_cm_listen - listen for connections
 * @cm_id: new identifier, with local_addr set
 * @backlog: requests that may be unanswered at a time; the provider is to refuse more. 0 or less
 *	stands for 256, and the limit is 4096.
 *
 * Process context, sleeps. Requests may come in before it returns; iw_cm delivers them to the
 * client when the provider's method has succeeded.
 *
 * Return: 0; -EINVAL the address is neither IPv4 nor IPv6, or the identifier is not new; -ENODEV
 * the device is removed; or what the provider answered. After an error the identifier is as before.
 */
int iw_cm_listen(struct iw_cm_id *cm_id, int backlog);

/**
 * iw_cm_accept - accept a request
 * @cm_id: identifier from CONNECT_REQUEST
 * @iw_param: QP, private data and limits
 *
 * Process context, sleeps; also inside the handler. ESTABLISHED reports the result; that and later
 * events may be delivered before the function returns, as soon as the provider's method has
 * succeeded.
 *
 * Return: 0; or, and no event ever follows: -EINVAL @iw_param is NULL, more than 512 bytes of
 * private data, a length without data, no such QP, or not an unanswered request (any more: the peer
 * may have left); -ENOMEM; -ENODEV the device is removed; -ECONNRESET the peer left in this moment;
 * or what the provider answered. After -EINVAL for an argument and -ENOMEM the request still waits
 * for an answer; otherwise it is over.
 */
int iw_cm_accept(struct iw_cm_id *cm_id, struct iw_cm_conn_param *iw_param);

/**
 * iw_cm_reject - reject a request
 * @cm_id: identifier from CONNECT_REQUEST
 * @private_data: data for the peer's client, or NULL; the caller's again on return
 * @private_data_len: bytes at @private_data. (Linux 6.1 has room for 255 only.)
 *
 * Process context, sleeps; also inside the handler. No event ever follows, whatever the result.
 *
 * Return: 0; -EINVAL more than 512 bytes of private data, or more than 255 and a provider without
 * iw_reject_data(), a length without data, or not an unanswered request (any more: the peer may
 * have left); -ENODEV the device is removed; -ECONNRESET the peer left in this moment; or what the
 * provider answered. After -EINVAL for an argument the request still waits for an answer; otherwise
 * it is over.
 */
int iw_cm_reject(struct iw_cm_id *cm_id, const void *private_data, u16 private_data_len);

/**
 * iw_cm_connect - connect to a peer
 * @cm_id: new identifier, with local_addr and remote_addr set
 * @iw_param: QP, private data and limits
 *
 * Process context, sleeps; also inside the handler. CONNECT_REPLY reports the result; that and
 * later events may be delivered before the function returns, as soon as the provider's method has
 * succeeded.
 *
 * Return: 0; or, with the identifier as before and no event to follow: -EINVAL @iw_param is NULL,
 * more than 512 bytes of private data, a length without data, addresses that are not both IPv4 or
 * both IPv6, no such QP, or the identifier is not new; -ENOMEM; -ENODEV the device is removed; or
 * what the provider answered.
 */
int iw_cm_connect(struct iw_cm_id *cm_id, struct iw_cm_conn_param *iw_param);

/**
 * iw_cm_disconnect - close a connection
 * @cm_id: identifier of an established connection
 * @abrupt: 0: what is queued is sent, then the connection closed (the QP goes to %IB_QPS_SQD); else
 *	reset (%IB_QPS_ERR)
 *
 * Process context, sleeps; also inside the handler. CLOSE reports the end; until then the
 * identifier is in use. For a connection that is closing, the function does what has not been done
 * yet: it closes our side after the peer's, and resets after an orderly close.
 *
 * Return: 0, also when the connection is closing or has ended and CLOSE is under way; -EINVAL not
 * connected; -ENODEV the device is removed, which ends the connection; or what the provider
 * answered to the modification of the QP, and the connection is as before.
 */
int iw_cm_disconnect(struct iw_cm_id *cm_id, int abrupt);

/**
 * iw_cm_init_qp_attr - attributes that a connection's QP needs
 * @cm_id: identifier that is new, connecting or connected, or an unanswered request
 * @qp_attr: in: qp_state, the state the QP is to go to; out: attributes for it
 * @qp_attr_mask: out: which attributes are valid, for ib_modify_qp(); not read
 *
 * Process context. For %IB_QPS_INIT and %IB_QPS_RTR: the state and the access
 * rights local write, remote write, remote read. For %IB_QPS_RTS none: the provider moves the QP
 * itself.
 *
 * Return: 0; -EINVAL a NULL pointer, another qp_state, or a listener or a connection that is
 * closing; -ENODEV the device is removed.
 */
int iw_cm_init_qp_attr(struct iw_cm_id *cm_id, struct ib_qp_attr *qp_attr, int *qp_attr_mask);

/**
 * iwcm_reject_msg - text for a failed connection
 * @reason: status of CONNECT_REPLY, a negative errno
 *
 * Any context.
 *
 * Return: a constant string, never NULL.
 */
const char *iwcm_reject_msg(int reason) __attribute_const__;

#endif /* _RDMA_IW_CM_H_ */
