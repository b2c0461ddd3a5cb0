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

struct stream_number {
	const char *name;
	u32 value;
};

static int put_numbers(struct sk_buff *msg, const struct stream_number *numbers, int num)
{
	int err = 0, i;

	for (i = 0; i < num && !err; i++)
		err = rdma_nl_put_driver_u32(msg, numbers[i].name, numbers[i].value);
	return err;
}

static int put_addresses(struct sk_buff *msg, struct socket *sock)
{
	struct sockaddr_storage addr;
	int err = 0;

	if (kernel_getsockname(sock, (struct sockaddr *)&addr) > 0)
		err = put_address(msg, "local", &addr);
	if (!err && kernel_getpeername(sock, (struct sockaddr *)&addr) > 0)
		err = put_address(msg, "remote", &addr);
	return err;
}

static int put_cfg(struct sk_buff *msg, const struct siw_stream_cfg *cfg)
{
	const struct stream_number numbers[] = {
		{ "mpa_rev", cfg->mpa_rev },
		{ "crc", cfg->crc },
		{ "large_fpdus", cfg->large_fpdus },
		{ "tx_markers", cfg->tx_markers },
		{ "rx_markers", cfg->rx_markers },
		{ "ird", cfg->ird },
		{ "ord", cfg->ord },
	};

	return rdma_nl_put_driver_string(msg, "role", cfg->initiator ? "initiator" : "responder") ?:
	       put_numbers(msg, numbers, ARRAY_SIZE(numbers));
}

static int put_tcp_info(struct sk_buff *msg, struct sock *sk, const struct tcp_info *info)
{
	const struct stream_number numbers[] = {
		{ "mss", info->tcpi_snd_mss },
		{ "snd_wnd", info->tcpi_snd_wnd },
		{ "rcv_wnd", READ_ONCE(tcp_sk(sk)->rcv_wnd) },
		{ "cwnd", info->tcpi_snd_cwnd },
		{ "unacked", info->tcpi_unacked },
		{ "retransmits", info->tcpi_total_retrans },
		{ "rtt_us", info->tcpi_rtt },
	};

	return put_numbers(msg, numbers, ARRAY_SIZE(numbers));
}

static int put_stream(struct sk_buff *msg, struct siw_qp *qp)
{
	const struct siw_stream *s = qp->stream;
	struct tcp_info info = {};
	int err;

	lockdep_assert_held(&s->control);
	err = rdma_nl_put_driver_string(msg, "stream", stream_state_name(qp));
	if (err || !s->live)
		return err;
	tcp_get_info(s->sock->sk, &info);
	return put_addresses(msg, s->sock) ?: put_cfg(msg, &s->cfg) ?:
	       put_tcp_info(msg, s->sock->sk, &info);
}

int siw_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *base)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	struct siw_qp *qp = to_siw_qp(base);
	struct siw_stream *s = qp->stream;
	int err;

	err = table ? soft_put_queues(msg, &qp->soft, qp->attr.cap.max_send_wr) : -EMSGSIZE;
	if (err)
		return err;
	/* Do not wait while a stream starts or stops, because a stop may take seconds. */
	if (mutex_trylock(&s->control)) {
		err = put_stream(msg, qp);
		mutex_unlock(&s->control);
	} else {
		err = rdma_nl_put_driver_string(msg, "stream", "changing");
	}
	if (!err)
		nla_nest_end(msg, table);
	return err;
}

int siw_fill_res_cq_entry(struct sk_buff *msg, struct ib_cq *base)
{
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	const struct siw_cq *cq = to_siw_cq(base);
	int armed = cq->soft.shared ? siw_user_cq_armed(cq) : READ_ONCE(cq->soft.armed);
	int err;

	err = table ? soft_put_cq(msg, &cq->soft, armed) : -EMSGSIZE;
	if (!err)
		nla_nest_end(msg, table);
	return err;
}
