// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The MPA handshake on a socket, on both sides, until the stream is open. What frames look like
 * and what two of them agree on is iwarp/mpa.h's matter.
 */
#include <net/sock.h>
#include <net/tcp_states.h>

#include "drivers/siw/handshake.h"
#include "drivers/siw/cep.h"
#include "drivers/siw/close.h"
#include "drivers/siw/settings.h"
#include "drivers/siw/sock.h"
#include "drivers/siw/stats.h"
#include "drivers/siw/stream.h"
#include "drivers/siw/tx.h"
#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"
#include "iwarp/term.h"

#define TERMINATE_MAX	(MPA_MARKER_LEN + DDP_UNTAGGED_HEAD + TERM_PAYLOAD_MAX + MPA_TRAILER_MAX)

void siw_mpa_begin(struct siw_cep *cep, u16 ird, u16 ord)
{
	struct siw_mpa_conn *hs = cep->hs;

	hs->settings = siw_settings_get(cep->dev);
	hs->policy = (struct mpa_policy) {
		.rev = MPA_REV_ENHANCED,
		.markers = hs->settings.markers,
		.crc = hs->settings.crc || hs->settings.crc_required,
		.peer_to_peer = hs->settings.peer_to_peer,
		.rtr = hs->settings.rtr,
		.ird = ird,
		.ord = ord,
	};
}

/* The peer, or what is on the other side of the port, does not keep to the protocol. */
static void report_bad_peer(struct siw_cep *cep, const char *what)
{
	const struct siw_mpa_conn *hs = cep->hs;

	siw_count(cep->dev, SIW_HANDSHAKE_ERRORS);
	ibdev_warn_ratelimited(&cep->dev->base, "MPA handshake with %pISpc failed: %s\n",
			       &hs->remote, what);
}

/* 1 the frame is whole or faulty, 0 more is to come, or the reason why nothing will. */
static int read_frame(struct siw_cep *cep)
{
	struct mpa_rx *rx = &cep->hs->rx;
	size_t want;
	int got;

	while ((want = mpa_rx_want(rx))) {
		got = siw_sock_recv(cep->sock, mpa_rx_space(rx), want);
		if (got == -EAGAIN)
			return 0;
		if (got < 0)
			return got;
		if (!got)
			return -ECONNRESET;
		mpa_rx_add(rx, got);
	}
	return 1;
}

/* A frame is small, and the first that goes out: there is room for it in any socket that works. */
static int send_frame(struct siw_cep *cep, const struct mpa_frame *frame)
{
	u8 buf[MPA_FRAME_MAX];
	int len;
	int sent;

	len = mpa_frame_build(buf, sizeof(buf), frame);
	if (len < 0)
		return -EINVAL;
	sent = siw_sock_send(cep->sock, buf, len);
	if (sent < 0)
		return sent;
	return sent == len ? 0 : -ENOBUFS;
}

static enum siw_rtr stream_rtr(enum mpa_rtr rtr)
{
	switch (rtr) {
	case MPA_RTR_WRITE:
		return SIW_RTR_WRITE;
	case MPA_RTR_READ:
		return SIW_RTR_READ;
	case MPA_RTR_SEND:
		return SIW_RTR_SEND;
	default:
		return SIW_RTR_NONE;
	}
}

static int start_stream(struct siw_cep *cep, bool initiator)
{
	const struct mpa_agreement *agreement = &cep->hs->agreement;
	struct siw_stream_cfg cfg = {
		.mpa_rev = agreement->rev,
		.initiator = initiator,
		.crc = agreement->crc,
		.tx_markers = agreement->tx_markers,
		.rx_markers = agreement->rx_markers,
		.ird = agreement->ird,
		.ord = agreement->ord,
		.rtr = stream_rtr(agreement->rtr),
	};

	/* It is being destroyed: SIW_CEP_EV_QP_DESTROYED comes behind what is being handled. */
	if (!cep->qp)
		return -ECONNABORTED;
	return siw_stream_start(cep->qp, cep->sock, &siw_cep_stream_ops, cep, &cfg);
}

/* Initiator */

static int bind_socket(struct siw_cep *cep, const struct iw_cm_id *cm_id)
{
	int err;

	if (!cm_id->mapped)
		return siw_sock_bind(cep->dev, cep->sock, &cm_id->m_local_addr);
	siw_sock_share_port(cep->sock);
	err = siw_sock_bind(cep->dev, cep->sock, &cm_id->m_local_addr);
	siw_sock_keep_port(cep->sock);
	return err;
}

static int make_socket(struct siw_cep *cep, const struct iw_cm_id *cm_id)
{
	const struct sockaddr_storage *local = &cm_id->m_local_addr;
	int err;

	err = siw_sock_create(cep->net, cm_id->m_remote_addr.ss_family, &cep->sock);
	if (err)
		return err;
	if (cm_id->tos_set)
		siw_sock_set_tos(cep->sock, cm_id->tos);
	if (!krdma_addr_is_ip(local) || (krdma_addr_is_any(local) && !krdma_addr_port(local)))
		return 0;
	return bind_socket(cep, cm_id);
}

int siw_mpa_connect(struct siw_cep *cep, const struct iw_cm_id *cm_id)
{
	struct siw_mpa_conn *hs = cep->hs;
	int err;

	hs->local = cm_id->m_local_addr;
	hs->remote = cm_id->m_remote_addr;
	err = make_socket(cep, cm_id);
	if (err)
		return err;
	siw_cep_attach(cep);
	err = siw_sock_connect(cep->dev, cep->sock, &hs->remote);
	if (err && err != -EINPROGRESS)
		return err;
	cep->state = SIW_CEP_CONNECTING;
	siw_cep_post_event(cep, SIW_CEP_EV_SOCKET);
	return 0;
}

static void connect_failed(struct siw_cep *cep, int err)
{
	siw_count(cep->dev, SIW_CONNECT_ERRORS);
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_CONNECT_REPLY, err);
	siw_cep_close(cep, true);
}

/* What the peer had to say to a request of revision 2 counts more than its silence after that. */
static void connection_lost(struct siw_cep *cep, int err)
{
	connect_failed(cep, cep->hs->broken ?: err);
}

static bool may_fall_back(const struct siw_mpa_conn *hs)
{
	return hs->settings.mpa_fallback && hs->settings.mpa_rev == MPA_REV_ENHANCED;
}

/*
 * A peer that knows revision 1 only closes or resets the connection when it sees another, or
 * answers in its own: on a new connection it gets what it knows, before the same deadline.
 */
static void fall_back(struct siw_cep *cep, int err)
{
	struct siw_mpa_conn *hs = cep->hs;

	siw_count(cep->dev, SIW_MPA_FALLBACKS);
	hs->settings.mpa_rev = MPA_REV_BASIC;
	hs->broken = err;
	hs->peer = (struct mpa_frame) { };
	siw_cep_release_socket(cep, true);
	if (siw_mpa_connect(cep, cep->cm_id))
		connect_failed(cep, err);
}

void siw_mpa_connect_timeout(struct siw_cep *cep)
{
	siw_count(cep->dev, SIW_HANDSHAKE_TIMEOUTS);
	connect_failed(cep, -ETIMEDOUT);
}

void siw_mpa_connect_killed(struct siw_cep *cep)
{
	connect_failed(cep, -ECONNABORTED);
}

static int send_request(struct siw_cep *cep)
{
	struct siw_mpa_conn *hs = cep->hs;
	struct mpa_policy policy = hs->policy;
	struct mpa_frame frame;

	policy.rev = hs->settings.mpa_rev;
	mpa_request_init(&policy, &hs->request);

	frame = hs->request;
	frame.pd = hs->pd;
	frame.pd_len = hs->pd_len;
	return send_frame(cep, &frame);
}

void siw_mpa_connected(struct siw_cep *cep)
{
	struct siw_mpa_conn *hs = cep->hs;
	int err;

	err = siw_sock_connect(cep->dev, cep->sock, &hs->remote);
	if (err == -EINPROGRESS)
		return;
	if (!err) {
		siw_sock_names(cep->sock, &hs->local, &hs->remote);
		mpa_rx_init(&hs->rx, MPA_REPLY);
		err = send_request(cep);
	}
	if (err)
		connection_lost(cep, err);
	else
		cep->state = SIW_CEP_AWAIT_REPLY;
}

/* The responder's ULP would not; what it has to say about it goes to ours. */
static void rejected(struct siw_cep *cep)
{
	siw_count(cep->dev, SIW_REJECTS_RECEIVED);
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_CONNECT_REPLY, -ECONNREFUSED);
	siw_cep_unbind(cep);
	siw_cep_linger(cep);
}

static void bad_reply(struct siw_cep *cep, enum iwarp_fault fault)
{
	report_bad_peer(cep, iwarp_fault_name(fault));
	cep->hs->peer.pd_len = 0;
	connect_failed(cep, -EPROTO);
}

/* The first FPDU of a stream that there will not be; a QP has no part in it. */
static int build_terminate(const struct siw_mpa_conn *hs, enum iwarp_fault fault, u8 *buf)
{
	u32 lead = hs->peer.markers ? MPA_MARKER_LEN : 0;
	u8 *fpdu = buf + lead;
	int len;

	len = iwarp_term_build(fpdu + DDP_UNTAGGED_HEAD, TERM_PAYLOAD_MAX, fault, NULL);
	ddp_build_untagged(fpdu, RDMAP_TERMINATE, true, DDP_MSN_FIRST, 0, 0, len);
	return siw_tx_seal(buf, lead, DDP_UNTAGGED_HEAD + len, 0,
			   hs->request.crc || hs->peer.crc);
}

/*
 * The peer has the connection for set up, and waits for the first FPDU: that says what we did not
 * like about its reply (RFC 6581).
 */
static void refuse_reply(struct siw_cep *cep, enum iwarp_fault fault)
{
	u8 buf[TERMINATE_MAX];
	int len;

	report_bad_peer(cep, iwarp_fault_name(fault));
	cep->hs->peer.pd_len = 0;
	len = build_terminate(cep->hs, fault, buf);
	if (siw_sock_send(cep->sock, buf, len) != len) {
		connect_failed(cep, -EPROTO);
		return;
	}
	siw_count(cep->dev, SIW_TX_TERMINATES);
	siw_count(cep->dev, SIW_CONNECT_ERRORS);
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_CONNECT_REPLY, -EPROTO);
	siw_cep_unbind(cep);
	siw_cep_linger(cep);
}

static void accepted(struct siw_cep *cep)
{
	int err;

	err = start_stream(cep, true);
	if (err) {
		connect_failed(cep, err);
		return;
	}
	siw_cep_clear_deadline(cep);
	cep->state = SIW_CEP_RDMA;
	siw_count(cep->dev, SIW_CONNECTS);
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_CONNECT_REPLY, 0);
}

static void handle_reply(struct siw_cep *cep)
{
	struct siw_mpa_conn *hs = cep->hs;
	enum iwarp_fault fault;

	fault = mpa_rx_parse(&hs->rx, &hs->peer);
	if (fault) {
		bad_reply(cep, fault);
		return;
	}
	if (mpa_reply_asks_rev1(&hs->request, &hs->peer) && may_fall_back(hs)) {
		fall_back(cep, hs->peer.reject ? -ECONNREFUSED : -EPROTO);
		return;
	}
	if (hs->peer.reject) {
		rejected(cep);
		return;
	}
	fault = mpa_negotiate_initiator(&hs->request, &hs->peer, &hs->agreement);
	if (!fault)
		accepted(cep);
	else if (fault == IWARP_MPA_IRD || fault == IWARP_MPA_RTR)
		refuse_reply(cep, fault);
	else
		bad_reply(cep, fault);
}

static bool peer_closed(const struct siw_mpa_conn *hs, int err)
{
	return !hs->rx.have && (err == -ECONNRESET || err == -EPIPE);
}

void siw_mpa_reply(struct siw_cep *cep)
{
	int got = read_frame(cep);

	if (got > 0)
		handle_reply(cep);
	else if (got < 0 && peer_closed(cep->hs, got) && may_fall_back(cep->hs))
		fall_back(cep, got);
	else if (got < 0)
		connection_lost(cep, got);
}

/* Responder */

void siw_mpa_request_timeout(struct siw_cep *cep)
{
	siw_count(cep->dev, SIW_HANDSHAKE_TIMEOUTS);
	siw_cep_close(cep, true);
}

/* Answers a request that no ULP need see. */
static void refuse_connection(struct siw_cep *cep, const char *what)
{
	report_bad_peer(cep, what);
	siw_mpa_reject(cep, NULL, 0);
}

/* Whether the two sides can agree at all is known before the ULP has given its depths. */
static const char *fault_with_request(struct siw_mpa_conn *hs)
{
	enum iwarp_fault fault;

	fault = mpa_negotiate_responder(&hs->policy, &hs->request, &hs->agreement);
	return fault ? iwarp_fault_name(fault) : NULL;
}

static void handle_request(struct siw_cep *cep)
{
	struct siw_mpa_conn *hs = cep->hs;
	enum iwarp_fault fault;
	const char *what;

	fault = mpa_rx_parse(&hs->rx, &hs->request);
	if (fault && fault != IWARP_MPA_REV) {
		report_bad_peer(cep, iwarp_fault_name(fault));
		siw_cep_close(cep, true);
		return;
	}
	/* A newer revision than ours is answered in ours, so that the peer can come down to it. */
	what = fault ? iwarp_fault_name(fault) : fault_with_request(hs);
	if (what) {
		refuse_connection(cep, what);
		return;
	}
	hs->peer = hs->request;
	siw_cep_clear_deadline(cep);
	cep->state = SIW_CEP_REQUESTED;
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_CONNECT_REQUEST, 0);
}

void siw_mpa_request(struct siw_cep *cep)
{
	int got = read_frame(cep);

	if (got < 0) {
		siw_count(cep->dev, SIW_HANDSHAKE_ERRORS);
		siw_cep_close(cep, true);
	} else if (got) {
		handle_request(cep);
	}
}

/*
 * Nobody but iw_cm's accept or reject can end the endpoint now, unless iw_cm has not heard of it.
 */
void siw_mpa_gone(struct siw_cep *cep)
{
	siw_cep_close(cep, true);
	if (!cep->iw_events)
		cep->state = SIW_CEP_ORPHANED;
	cep->iw_events = 0;
}

void siw_mpa_peer_left(struct siw_cep *cep)
{
	const struct sock *sk = cep->sock->sk;

	if (READ_ONCE(sk->sk_state) != TCP_ESTABLISHED)
		siw_mpa_gone(cep);
}

static int open_stream(struct siw_cep *cep, const struct mpa_frame *reply)
{
	int err;

	err = send_frame(cep, reply);
	return err ?: start_stream(cep, false);
}

int siw_mpa_accept(struct siw_cep *cep, const void *pd, u16 pd_len)
{
	struct siw_mpa_conn *hs = cep->hs;
	struct mpa_frame reply;
	int err;

	if (pd_len > (hs->request.enhanced ? MPA_PD_MAX_ENHANCED : MPA_PD_MAX))
		return -EINVAL;
	if (mpa_negotiate_responder(&hs->policy, &hs->request, &hs->agreement))
		return -EPROTO;
	mpa_reply_init(&hs->policy, &hs->request, &hs->agreement, &reply);
	reply.pd = pd;
	reply.pd_len = pd_len;
	err = open_stream(cep, &reply);
	if (err) {
		siw_cep_close(cep, true);
		return err;
	}

	siw_count(cep->dev, SIW_ACCEPTS);
	cep->state = SIW_CEP_AWAIT_RTR;
	if (hs->agreement.rtr == MPA_RTR_NONE)
		siw_cep_post_event(cep, SIW_CEP_EV_ACCEPTED);
	else
		siw_cep_set_deadline(cep, hs->settings.handshake_ms);
	return 0;
}

int siw_mpa_reject(struct siw_cep *cep, const void *pd, u16 pd_len)
{
	struct siw_mpa_conn *hs = cep->hs;
	struct mpa_frame reply;
	int err;

	mpa_reject_init(&hs->policy, &hs->request, &reply);
	reply.pd = pd;
	reply.pd_len = pd_len;
	err = send_frame(cep, &reply);
	if (err == -EINVAL)
		return err;
	siw_count(cep->dev, SIW_REJECTS_SENT);
	siw_cep_linger(cep);
	return 0;
}

/* The consumer may want the end before the peer has opened the stream; that has to come first. */
void siw_mpa_closing(struct siw_cep *cep)
{
	cep->closing = true;
}

/* What the stream reported before anybody could act on it. */
static void resume_closing(struct siw_cep *cep)
{
	siw_close_begun(cep);
	if (cep->qp && siw_stream_drained(cep->qp))
		siw_close_drained(cep);
}

void siw_mpa_established(struct siw_cep *cep)
{
	siw_cep_clear_deadline(cep);
	cep->state = SIW_CEP_RDMA;
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_ESTABLISHED, 0);
	if (cep->closing)
		resume_closing(cep);
}

/* A Terminate on its way to the peer is not to be overtaken by a reset. */
static void rtr_lost(struct siw_cep *cep, int err)
{
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_ESTABLISHED, err);
	if (siw_cep_terminating(cep)) {
		siw_cep_unbind(cep);
		siw_cep_linger(cep);
	} else {
		siw_cep_close(cep, true);
	}
}

void siw_mpa_rtr_timeout(struct siw_cep *cep)
{
	siw_count(cep->dev, SIW_HANDSHAKE_TIMEOUTS);
	rtr_lost(cep, -ETIMEDOUT);
}

void siw_mpa_rtr_failed(struct siw_cep *cep)
{
	siw_count(cep->dev, SIW_HANDSHAKE_ERRORS);
	rtr_lost(cep, -ECONNRESET);
}
