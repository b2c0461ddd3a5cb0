// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Driver attributes of QPs and CQs for netlink. The attributes are read without the locks of the
 * data path: each number is correct, but two numbers may be of different moments.
 */
#include <linux/net.h>
#include <linux/tcp.h>
#include <net/netlink.h>
#include <net/tcp.h>
#include <rdma/restrack.h>
#include <uapi/rdma/rdma_netlink.h>

#include "drivers/siw/restrack.h"
#include "drivers/siw/queue/cq.h"
#include "drivers/siw/queue/qp_state.h"
#include "drivers/siw/queue/user_cq.h"
#include "drivers/siw/stream/stream.h"
#include "drivers/siw/stream/stream_state.h"
#include "soft/qp.h"
#include "soft/restrack.h"

static int put_address(struct sk_buff *msg, const char *name, const struct sockaddr_storage *addr)
{
	char text[sizeof("[ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255]:65535")];

	snprintf(text, sizeof(text), "%pISpc", addr);
	return rdma_nl_put_driver_string(msg, name, text);
}

static const char *stream_state_name(struct siw_qp *qp)
{
	const struct siw_stream *s = qp->stream;

	lockdep_assert_held(&s->control);
	if (!s->live)
		return "none";
	if (siw_stream_terminating(qp->stream))
		return "terminating";
	if (READ_ONCE(s->ended))
		return "ended";
	return atomic_read(&s->state) & SIW_CLOSING ? "closing" : "open";
}

static int put_stream(struct sk_buff *msg, struct siw_qp *qp)
{
	const struct siw_stream *s = qp->stream;
	const struct siw_stream_cfg *cfg = &s->cfg;
	struct sockaddr_storage addr;
	struct tcp_info info = {};
	struct sock *sk;

	lockdep_assert_held(&s->control);
	if (rdma_nl_put_driver_string(msg, "stream", stream_state_name(qp)))
		return -EMSGSIZE;
	if (!s->live)
		return 0;

	if (kernel_getsockname(s->sock, (struct sockaddr *)&addr) > 0 &&
	    put_address(msg, "local", &addr))
		return -EMSGSIZE;
	if (kernel_getpeername(s->sock, (struct sockaddr *)&addr) > 0 &&
	    put_address(msg, "remote", &addr))
		return -EMSGSIZE;

	if (rdma_nl_put_driver_string(msg, "role", cfg->initiator ? "initiator" : "responder") ||
	    rdma_nl_put_driver_u32(msg, "mpa_rev", cfg->mpa_rev) ||
	    rdma_nl_put_driver_u32(msg, "crc", cfg->crc) ||
	    rdma_nl_put_driver_u32(msg, "large_fpdus", cfg->large_fpdus) ||
	    rdma_nl_put_driver_u32(msg, "tx_markers", cfg->tx_markers) ||
	    rdma_nl_put_driver_u32(msg, "rx_markers", cfg->rx_markers) ||
	    rdma_nl_put_driver_u32(msg, "ird", cfg->ird) ||
	    rdma_nl_put_driver_u32(msg, "ord", cfg->ord))
		return -EMSGSIZE;

	sk = s->sock->sk;
	tcp_get_info(sk, &info);
	if (rdma_nl_put_driver_u32(msg, "mss", info.tcpi_snd_mss) ||
	    rdma_nl_put_driver_u32(msg, "snd_wnd", info.tcpi_snd_wnd) ||
	    rdma_nl_put_driver_u32(msg, "rcv_wnd", READ_ONCE(tcp_sk(sk)->rcv_wnd)) ||
	    rdma_nl_put_driver_u32(msg, "cwnd", info.tcpi_snd_cwnd) ||
	    rdma_nl_put_driver_u32(msg, "unacked", info.tcpi_unacked) ||
	    rdma_nl_put_driver_u32(msg, "retransmits", info.tcpi_total_retrans) ||
	    rdma_nl_put_driver_u32(msg, "rtt_us", info.tcpi_rtt))
		return -EMSGSIZE;
	return 0;
}

int siw_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *base)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct siw_qp *qp = to_siw_qp(base);
	struct siw_stream *s = qp->stream;
	int err;

	if (!table || soft_put_queues(msg, &qp->soft, qp->attr.cap.max_send_wr))
		return -EMSGSIZE;
	/* Do not wait while a stream starts or stops, because a stop may take seconds. */
	if (mutex_trylock(&s->control)) {
		err = put_stream(msg, qp);
		mutex_unlock(&s->control);
	} else {
		err = rdma_nl_put_driver_string(msg, "stream", "changing");
	}
	if (err)
		return -EMSGSIZE;
	nla_nest_end(msg, table);
	return 0;
}

int siw_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *base)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	const struct siw_cq *cq = to_siw_cq(base);
	int armed = cq->soft.shared ? siw_user_cq_armed(cq) : READ_ONCE(cq->soft.armed);

	if (!table || soft_put_cq(msg, &cq->soft, armed))
		return -EMSGSIZE;
	nla_nest_end(msg, table);
	return 0;
}
