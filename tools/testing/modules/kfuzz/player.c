// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The peer, on plain TCP: sends the parts of a rendered connection, reads what siw answers, and
 * notes how siw ended the connection.
 */
#include <linux/crc32.h>
#include <linux/module.h>
#include <linux/net.h>
#include <linux/tcp.h>
#include <net/sock.h>
#include <net/tcp.h>

#include "tools/testing/modules/kfuzz/kfuzz.h"
#include "tools/testing/modules/coverage/coverage.h"
#include "tools/testing/modules/kfuzz/reader.h"

/**
 * struct player - the peer's side of a connection
 * @sock: its socket
 * @script: what to do
 * @patched: number of patches that have been made
 * @impatient: an answer has not come in time; no more answers are waited for
 * @reader: what has come
 * @outcome: what happened
 */
struct player {
	struct socket *sock;
	const struct kfuzz_script *script;
	u32 patched;
	bool impatient;
	struct reader reader;
	struct kfuzz_outcome *outcome;
};

static bool is_over(const struct player *player)
{
	return player->outcome->flags & (KFUZZ_RESET | KFUZZ_CLOSED);
}

/* Takes what has come, after a wait of at most @timeout jiffies. Returns false if nothing came. */
static bool receive(struct player *player, long timeout)
{
	static u8 buf[16384];
	struct kvec vec = { buf, sizeof(buf) };
	struct msghdr msg = { .msg_flags = MSG_NOSIGNAL };
	int n;

	player->sock->sk->sk_rcvtimeo = timeout;
	n = kernel_recvmsg(player->sock, &msg, &vec, 1, sizeof(buf), 0);
	if (n > 0)
		reader_push(&player->reader, buf, n);
	else if (!n)
		player->outcome->flags |= KFUZZ_CLOSED;
	else if (n != -EAGAIN)
		player->outcome->flags |= KFUZZ_RESET;
	return n > 0;
}

static void await(struct player *player, u32 answers)
{
	long timeout = msecs_to_jiffies(player->script->conn->wait_ms);

	while (player->outcome->answers < answers && !is_over(player) && !player->impatient)
		player->impatient = !receive(player, timeout) && !is_over(player);
}

/* Makes the patches of FPDUs that begin before offset @end. */
static void make_patches(struct player *player, u32 end)
{
	const struct kfuzz_script *script = player->script;

	for (; player->patched < script->conn->patches; player->patched++) {
		const struct kfuzz_patch *patch = &script->patches[player->patched];
		u8 *fpdu = script->bytes + patch->offset;
		u32 covered = patch->len - MPA_CRC_LEN;

		if (patch->offset >= end)
			return;
		/* The STag is unknown if the connection did not wait for the request. */
		if (patch->request >= player->reader.requests)
			continue;
		put_unaligned_be32(player->reader.sinks[patch->request],
				   fpdu + offsetof(struct ddp_wire_tagged, stag));
		if (patch->fix_crc)
			put_unaligned_le32(~crc32c(~0, fpdu, covered), fpdu + covered);
	}
}

static void send_parts(struct player *player)
{
	const struct kfuzz_script *script = player->script;
	const struct kfuzz_part *part = script->parts;
	u32 i, at = 0;

	for (i = 0; i < script->conn->parts && !is_over(player); i++, part++) {
		struct kvec vec = { script->bytes + at, part->len };
		struct msghdr msg = { .msg_flags = MSG_NOSIGNAL };

		await(player, part->await);
		at += part->len;
		make_patches(player, at);
		/* If siw has closed, stop sending, but read what siw sent before that. */
		if (kernel_sendmsg(player->sock, &msg, &vec, 1, part->len) != part->len)
			return;
	}
}

static void end_stream(struct player *player, u32 limit_ms)
{
	const struct kfuzz_conn *conn = player->script->conn;
	unsigned long end = jiffies + msecs_to_jiffies(limit_ms);

	if (conn->ending == KFUZZ_END_RESET) {
		sock_no_linger(player->sock->sk);
		return;
	}
	if (conn->ending == KFUZZ_END_WAIT)
		await(player, conn->await);
	kernel_sock_shutdown(player->sock, SHUT_WR);
	while (!is_over(player)) {
		if (time_after(jiffies, end)) {
			player->outcome->flags |= KFUZZ_STUCK;
			return;
		}
		receive(player, HZ);
	}
}

static int connect_to_ulp(struct kfuzz *site, const struct kfuzz_conn *conn, struct socket **sock)
{
	struct sockaddr_storage addr = kfuzz_addr(site, conn->port);
	int ret;

	ret = sock_create_kern(site->net, addr.ss_family, SOCK_STREAM, IPPROTO_TCP, sock);
	if (ret)
		return ret;
	(*sock)->sk->sk_sndtimeo = KFUZZ_TIMEOUT;
	ret = kernel_connect(*sock, (struct sockaddr_unsized *)&addr, kfuzz_addr_len(&addr), 0);
	if (ret)
		sock_release(*sock);
	else
		WRITE_ONCE(site->peer_port, inet_sk((*sock)->sk)->inet_sport);
	return ret;
}

static int accept_ulp(struct kfuzz *site, const struct kfuzz_conn *conn, const struct kfuzz_op *ops,
		      struct socket **sock)
{
	struct kfuzz_end *end;

	end = kfuzz_connect(site, KFUZZ_PORT_PEER, site->pd, ops, conn->ops);
	if (IS_ERR(end))
		return PTR_ERR(end);
	site->peer_listener->sk->sk_rcvtimeo = KFUZZ_TIMEOUT;
	return kernel_accept(site->peer_listener, sock, 0);
}

/*
 * Waits until the ULP has freed its end. If the peer's reply was malformed, siw connects once more,
 * with another MPA revision; that connection is refused. Returns false after @limit_ms ms.
 */
static bool wait_until_freed(struct kfuzz *site, u32 limit_ms)
{
	unsigned long end = jiffies + msecs_to_jiffies(limit_ms);
	struct socket *again;

	while (!wait_event_timeout(site->ends_changed, !atomic_read(&site->ends), 1)) {
		if (time_after(jiffies, end))
			return false;
		if (!kernel_accept(site->peer_listener, &again, O_NONBLOCK))
			sock_release(again);
	}
	return true;
}

u32 kfuzz_edges(void)
{
	typeof(krdma_cov_edges) *count = symbol_get(krdma_cov_edges);
	u32 n = 0;

	if (count) {
		n = count();
		symbol_put(krdma_cov_edges);
	}
	return n;
}

void kfuzz_play(struct kfuzz *site, const struct kfuzz_script *script, u32 limit_ms,
		struct kfuzz_outcome *outcome)
{
	struct player player = { .script = script, .reader.outcome = outcome, .outcome = outcome };
	const struct kfuzz_conn *conn = script->conn;
	u64 rx_fpdus = kfuzz_rx_fpdus(site);
	u32 edges = kfuzz_edges();
	ktime_t begin = ktime_get();
	int ret;

	*outcome = (struct kfuzz_outcome) {};
	site->established = false;
	atomic_set(&site->late, 0);
	if (conn->server)
		ret = accept_ulp(site, conn, script->ops, &player.sock);
	else
		ret = connect_to_ulp(site, conn, &player.sock);
	if (!ret) {
		outcome->flags |= KFUZZ_CONNECTED;
		tcp_sock_set_nodelay(player.sock->sk);
		player.sock->sk->sk_sndtimeo = KFUZZ_TIMEOUT;
		if (conn->server)
			await(&player, 1);
		send_parts(&player);
		end_stream(&player, limit_ms);
		sock_release(player.sock);
	}
	/* Pairs with the barrier in is_played(). */
	smp_store_mb(site->peer_port, 0);
	if (!wait_until_freed(site, limit_ms))
		outcome->flags |= KFUZZ_LEFT;
	if (site->established)
		outcome->flags |= KFUZZ_ESTABLISHED;
	outcome->late = atomic_read(&site->late);
	outcome->rx_fpdus = kfuzz_rx_fpdus(site) - rx_fpdus;
	outcome->edges = kfuzz_edges() - edges;
	outcome->us = ktime_us_delta(ktime_get(), begin);
}
