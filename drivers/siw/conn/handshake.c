// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The MPA handshake, as initiator and as responder, until the stream is open. iwarp/mpa.h builds
 * and parses the frames and negotiates; the functions here send and receive frames and change the
 * endpoint's state.
 */
#include <net/sock.h>
#include <net/tcp_states.h>

#include "drivers/siw/conn/handshake.h"
#include "drivers/siw/base/settings.h"
#include "drivers/siw/base/siw.h"
#include "drivers/siw/base/sock.h"
#include "drivers/siw/base/stats.h"
#include "drivers/siw/conn/backlog.h"
#include "drivers/siw/conn/cep.h"
#include "drivers/siw/conn/close.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/stream/stream.h"
#include "drivers/siw/stream/tx.h"
#include "iwarp/ddp.h"
#include "iwarp/fpdu.h"
#include "iwarp/term.h"

#define TERMINATE_MAX	(MPA_MARKER_LEN + DDP_UNTAGGED_HEAD + TERM_PAYLOAD_MAX + MPA_TRAILER_MAX)

void siw_mpa_begin(struct siw_cep *cep, u16 ird, u16 ord)
{
	struct siw_mpa_conn *mpa = cep->mpa;

	lockdep_assert_held(&cep->lock);
	mpa->settings = siw_settings_get(cep->dev);
	mpa->policy = (struct mpa_policy) {
		.rev = MPA_REV_ENHANCED,
		.markers = mpa->settings.markers,
		.crc = mpa->settings.crc || mpa->settings.crc_required,
		.large_fpdus = mpa->settings.large_fpdus,
		.peer_to_peer = mpa->settings.peer_to_peer,
		.rtr = mpa->settings.rtr,
		.ird = ird,
		.ord = ord,
	};
}

/* Counts and logs a protocol violation, for example by a peer that does not speak MPA. */
static void report_bad_peer(struct siw_cep *cep, const char *what)
{
	const struct siw_mpa_conn *mpa = cep->mpa;

	siw_count(cep->dev, SIW_HANDSHAKE_ERRORS);
	ibdev_warn_ratelimited(&cep->dev->soft.base, "MPA handshake with %pISpc failed: %s\n",
			       &mpa->remote, what);
}

/*
 * Reads bytes of the peer's frame. Returns 1 if the frame is complete or faulty, 0 if bytes are
 * missing, -ECONNRESET if the peer has closed the connection, or the error of the connection.
 */
static int read_frame(struct siw_cep *cep)
{
	struct mpa_rx *rx = &cep->mpa->rx;
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

/*
 * Sends our request or reply. Returns 0; -EINVAL if the frame cannot be built; -ENOBUFS if TCP has
 * taken only a part of the frame; or the errno of sendmsg(). TCP normally takes the whole frame,
 * because nothing was sent on the connection before.
 */
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

static int start_stream(struct siw_cep *cep, bool initiator)
{
	static const enum siw_rtr rtrs[] = {
		[MPA_RTR_NONE] = SIW_RTR_NONE,
		[MPA_RTR_WRITE] = SIW_RTR_WRITE,
		[MPA_RTR_READ] = SIW_RTR_READ,
		[MPA_RTR_SEND] = SIW_RTR_SEND,
	};
	const struct mpa_agreement *agreement = &cep->mpa->agreement;
	struct siw_stream_cfg cfg = {
		.mpa_rev = agreement->rev,
		.initiator = initiator,
		.crc = agreement->crc,
		/*
		 * A peer that wants markers parses each segment by itself, so no FPDU may exceed a
		 * segment.
		 */
		.large_fpdus = agreement->large_fpdus && !agreement->tx_markers,
		.tx_markers = agreement->tx_markers,
		.rx_markers = agreement->rx_markers,
		.ird = agreement->ird,
		.ord = agreement->ord,
		.rtr = rtrs[agreement->rtr],
	};

	/*
	 * If the endpoint has lost its QP, the QP is being destroyed. The endpoint handles
	 * SIW_CEP_EV_QP_DESTROYED next.
	 */
	if (!cep->qp)
		return -ECONNABORTED;
	siw_sock_free_rcvbuf(cep->sock);
	siw_sock_set_timeouts(cep->sock, &cep->mpa->settings);
	return siw_stream_start(cep->qp->stream, cep->sock, &siw_cep_stream_ops, cep, &cfg);
}

/* Functions of the initiator */

static int create_socket(struct siw_cep *cep, const struct iw_cm_id *cm_id)
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

	if (cm_id->mapped)
		siw_sock_set_force_reuse(cep->sock);
	err = siw_sock_bind(cep->dev, cep->sock, local, siw_sock_vrf(cep->dev));
	if (cm_id->mapped)
		siw_sock_clear_force_reuse(cep->sock);
	return err;
}

int siw_mpa_connect(struct siw_cep *cep, const struct iw_cm_id *cm_id)
{
	struct siw_mpa_conn *mpa = cep->mpa;
	int err;

	lockdep_assert_held(&cep->lock);
	mpa->local = cm_id->m_local_addr;
	mpa->remote = cm_id->m_remote_addr;
	err = create_socket(cep, cm_id);
	if (err)
		return err;
	/* Attach before connecting, so that nobody else can set the socket's user data first. */
	err = siw_cep_attach(cep, NULL);
	if (err)
		return err;
	err = siw_sock_connect(cep->dev, cep->sock, &mpa->remote);
	if (err && err != -EINPROGRESS)
		return err;
	cep->state = SIW_CEP_CONNECTING;
	siw_cep_post_event(cep, SIW_CEP_EV_SOCKET);
	return 0;
}

static void connect_failed(struct siw_cep *cep, int err)
{
	lockdep_assert_held(&cep->lock);
	siw_count(cep->dev, SIW_CONNECT_ERRORS);
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_CONNECT_REPLY, err);
	siw_cep_close(cep, true);
}

/*
 * Opens a second connection, to send a request of MPA revision 1. The deadline stays the same. @err
 * is the errno with which the first connection ended. If the second connection is lost, too, iw_cm
 * gets @err, because the first error says more about the peer.
 */
static void mpa_fall_back(struct siw_cep *cep, int err)
{
	struct siw_mpa_conn *mpa = cep->mpa;

	lockdep_assert_held(&cep->lock);
	siw_count(cep->dev, SIW_MPA_FALLBACKS);
	mpa->settings.mpa_rev = MPA_REV_BASIC;
	mpa->first_err = err;
	mpa->peer = (struct mpa_frame) { };
	siw_cep_release_socket(cep, true);
	if (siw_mpa_connect(cep, cep->cm_id))
		connect_failed(cep, err);
}

void siw_mpa_connect_timeout(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	siw_count(cep->dev, SIW_HANDSHAKE_TIMEOUTS);
	connect_failed(cep, -ETIMEDOUT);
}

void siw_mpa_connect_aborted(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	connect_failed(cep, -ECONNABORTED);
}

/* Sends our request as soon as TCP is connected. */
void siw_mpa_handle_connected(struct siw_cep *cep)
{
	struct siw_mpa_conn *mpa = cep->mpa;
	struct mpa_policy policy = mpa->policy;
	struct mpa_frame frame;
	int err;

	lockdep_assert_held(&cep->lock);
	err = siw_sock_connect(cep->dev, cep->sock, &mpa->remote);
	if (err == -EINPROGRESS)
		return;
	if (err)
		goto lost;

	siw_sock_names(cep->sock, &mpa->local, &mpa->remote);
	mpa_rx_init(&mpa->rx, MPA_REPLY);
	policy.rev = mpa->settings.mpa_rev;
	mpa_request_init(&policy, &mpa->request);
	frame = mpa->request;
	frame.pd = mpa->pd;
	frame.pd_len = mpa->pd_len;
	err = send_frame(cep, &frame);
	if (err)
		goto lost;
	cep->state = SIW_CEP_AWAIT_REPLY;
	return;

lost:
	connect_failed(cep, mpa->first_err ?: err);
}

/*
 * Sends a Terminate as the first FPDU. Does not change the QP's state, because no stream has
 * started. Returns false if the socket does not take the whole FPDU.
 */
static bool send_terminate(struct siw_cep *cep, enum iwarp_fault fault)
{
	const struct siw_mpa_conn *mpa = cep->mpa;
	u32 lead = mpa->peer.markers ? MPA_MARKER_LEN : 0;
	u8 buf[TERMINATE_MAX];
	u8 *fpdu = buf + lead;
	int len;

	len = iwarp_term_build(fpdu + DDP_UNTAGGED_HEAD, TERM_PAYLOAD_MAX, fault, NULL);
	ddp_build_untagged(fpdu, RDMAP_TERMINATE, true, DDP_MSN_FIRST, 0, 0, len);
	len = siw_fpdu_finalize(buf, lead, DDP_UNTAGGED_HEAD + len, 0,
				mpa->request.crc || mpa->peer.crc);
	return siw_sock_send(cep->sock, buf, len) == len;
}

/* Handles a reply, as initiator (RFC 5044, 7.1; RFC 6581). */
void siw_mpa_handle_reply(struct siw_cep *cep)
{
	struct siw_mpa_conn *mpa = cep->mpa;
	bool may_fall_back = mpa->settings.mpa_fallback &&
			     mpa->settings.mpa_rev == MPA_REV_ENHANCED;
	enum iwarp_fault fault;
	int got, err;

	lockdep_assert_held(&cep->lock);
	got = read_frame(cep);
	if (!got)
		return;
	if (got < 0) {
		/*
		 * Instead of replying, a peer that knows only revision 1 may close or reset the
		 * connection.
		 */
		if (!mpa->rx.have && (got == -ECONNRESET || got == -EPIPE) && may_fall_back)
			mpa_fall_back(cep, got);
		else
			connect_failed(cep, mpa->first_err ?: got);
		return;
	}

	fault = mpa_rx_parse(&mpa->rx, &mpa->peer);
	if (fault)
		goto bad_reply;
	/* A peer that knows only revision 1 may also send a reply of revision 1. */
	if (mpa_reply_asks_rev1(&mpa->request, &mpa->peer) && may_fall_back) {
		mpa_fall_back(cep, mpa->peer.reject ? -ECONNREFUSED : -EPROTO);
		return;
	}
	if (mpa->peer.reject) {
		/* The event carries the private data of the peer's consumer. */
		siw_count(cep->dev, SIW_REJECTS_RECEIVED);
		siw_cep_queue_iw_event(cep, IW_CM_EVENT_CONNECT_REPLY, -ECONNREFUSED);
		siw_cep_unbind(cep);
		siw_cep_linger(cep);
		return;
	}
	fault = mpa_negotiate_initiator(&mpa->request, &mpa->peer, &mpa->agreement);
	if (fault)
		goto bad_reply;

	err = start_stream(cep, true);
	if (err) {
		connect_failed(cep, err);
		return;
	}
	siw_cep_clear_deadline(cep);
	cep->state = SIW_CEP_RDMA;
	siw_count(cep->dev, SIW_CONNECTS);
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_CONNECT_REPLY, 0);
	return;

bad_reply:
	report_bad_peer(cep, iwarp_fault_name(fault));
	mpa->peer.pd_len = 0;
	/*
	 * Having replied, the responder regards the connection as set up, and waits for the first
	 * FPDU. If IRD or RTR do not match, that FPDU is a Terminate, which names the reason (RFC
	 * 6581).
	 */
	if ((fault == IWARP_MPA_IRD || fault == IWARP_MPA_RTR) && send_terminate(cep, fault)) {
		siw_count(cep->dev, SIW_TX_TERMINATES);
		siw_count(cep->dev, SIW_CONNECT_ERRORS);
		siw_cep_queue_iw_event(cep, IW_CM_EVENT_CONNECT_REPLY, -EPROTO);
		siw_cep_unbind(cep);
		siw_cep_linger(cep);
	} else {
		connect_failed(cep, -EPROTO);
	}
}

/* Functions of the responder */

void siw_mpa_request_timeout(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	siw_count(cep->dev, SIW_HANDSHAKE_TIMEOUTS);
	siw_cep_close(cep, true);
}

void siw_mpa_requested_deliver(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_CONNECT_REQUEST, 0);
}

/* Checks a request, as responder, before iw_cm gets it (RFC 5044, 7.1; RFC 6581). */
void siw_mpa_handle_request(struct siw_cep *cep)
{
	struct siw_mpa_conn *mpa = cep->mpa;
	enum iwarp_fault fault;
	int got;

	lockdep_assert_held(&cep->lock);
	got = read_frame(cep);
	if (!got)
		return;
	if (got < 0) {
		siw_count(cep->dev, SIW_HANDSHAKE_ERRORS);
		siw_cep_close(cep, true);
		return;
	}

	fault = mpa_rx_parse(&mpa->rx, &mpa->request);
	if (fault && fault != IWARP_MPA_REV) {
		report_bad_peer(cep, iwarp_fault_name(fault));
		siw_cep_close(cep, true);
		return;
	}
	/*
	 * Reject the request now if our consumer could not accept it with any read depths. If the
	 * request has a newer revision than ours, the rejection has our revision, so that the peer
	 * can fall back to our revision.
	 */
	if (!fault)
		fault = mpa_negotiate_responder(&mpa->policy, &mpa->request, &mpa->agreement);
	if (fault) {
		report_bad_peer(cep, iwarp_fault_name(fault));
		siw_mpa_reject(cep, NULL, 0);
		return;
	}

	mpa->peer = mpa->request;
	siw_cep_clear_deadline(cep);
	cep->state = SIW_CEP_REQUESTED;
	if (siw_backlog_request(cep->listener, cep))
		siw_mpa_requested_deliver(cep);
}

/*
 * Ends a connection whose request was not answered. If iw_cm has got the request, the endpoint
 * stays in SIW_CEP_ORPHANED until iw_cm accepts or rejects the request. If iw_cm has not got the
 * request, the request is dropped, and iw_cm never learns of it.
 */
void siw_mpa_requested_kill(struct siw_cep *cep)
{
	bool delivered = !cep->listener;

	lockdep_assert_held(&cep->lock);
	siw_cep_close(cep, true);
	if (delivered)
		cep->state = SIW_CEP_ORPHANED;
	cep->iw_events = 0;
}

/* Ignores data, which may arrive before our reply; looks only for the end of the connection. */
void siw_mpa_requested_socket(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	if (READ_ONCE(cep->sock->sk->sk_state) != TCP_ESTABLISHED)
		siw_mpa_requested_kill(cep);
}

int siw_mpa_accept(struct siw_cep *cep, const void *pd, u16 pd_len)
{
	struct siw_mpa_conn *mpa = cep->mpa;
	struct mpa_frame reply;
	int err;

	lockdep_assert_held(&cep->lock);
	if (pd_len > (mpa->request.enhanced ? MPA_PD_MAX_ENHANCED : MPA_PD_MAX))
		return -EINVAL;
	if (mpa_negotiate_responder(&mpa->policy, &mpa->request, &mpa->agreement))
		return -EPROTO;
	mpa_reply_init(&mpa->policy, &mpa->request, &mpa->agreement, &reply);
	reply.pd = pd;
	reply.pd_len = pd_len;
	err = send_frame(cep, &reply);
	if (!err)
		err = start_stream(cep, false);
	if (err) {
		siw_cep_close(cep, true);
		return err;
	}

	siw_count(cep->dev, SIW_ACCEPTS);
	cep->state = SIW_CEP_AWAIT_RTR;
	if (mpa->agreement.rtr == MPA_RTR_NONE)
		siw_cep_post_event(cep, SIW_CEP_EV_ACCEPTED);
	else
		siw_cep_set_deadline(cep, mpa->settings.handshake_ms);
	return 0;
}

int siw_mpa_reject(struct siw_cep *cep, const void *pd, u16 pd_len)
{
	struct siw_mpa_conn *mpa = cep->mpa;
	struct mpa_frame reply;
	int err;

	lockdep_assert_held(&cep->lock);
	mpa_reject_init(&mpa->policy, &mpa->request, &reply);
	reply.pd = pd;
	reply.pd_len = pd_len;
	err = send_frame(cep, &reply);
	if (err == -EINVAL)
		return err;
	siw_count(cep->dev, SIW_REJECTS_SENT);
	siw_cep_linger(cep);
	return 0;
}

/* Leaves the close to siw_mpa_established(), because the initiator's first FPDU has not arrived. */
void siw_mpa_rtr_close(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	cep->closing = true;
}

void siw_mpa_established(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	siw_cep_clear_deadline(cep);
	cep->state = SIW_CEP_RDMA;
	siw_cep_queue_iw_event(cep, IW_CM_EVENT_ESTABLISHED, 0);
	if (!cep->closing)
		return;
	siw_close_begin(cep);
	/* SIW_CEP_EV_STREAM_DRAINED may have come in SIW_CEP_AWAIT_RTR, which ignores it. */
	if (cep->qp && siw_stream_drained(cep->qp->stream))
		siw_close_drained(cep);
}

/* Ends the connection. Does not reset it if the peer must still receive our Terminate. */
static void rtr_lost(struct siw_cep *cep, int err)
{
	lockdep_assert_held(&cep->lock);
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
	lockdep_assert_held(&cep->lock);
	siw_count(cep->dev, SIW_HANDSHAKE_TIMEOUTS);
	rtr_lost(cep, -ETIMEDOUT);
}

void siw_mpa_rtr_failed(struct siw_cep *cep)
{
	lockdep_assert_held(&cep->lock);
	siw_count(cep->dev, SIW_HANDSHAKE_ERRORS);
	rtr_lost(cep, -ECONNRESET);
}
