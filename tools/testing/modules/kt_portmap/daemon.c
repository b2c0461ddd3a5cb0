// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Tests of the port mapper with a daemon that is a part of the test: it reads the kernel's messages
 * from a netlink socket, and calls the functions that handle a daemon's messages.
 */
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/inet.h>
#include <linux/net.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>
#include <net/netlink.h>
#include <net/sock.h>
#include <rdma/rdma_netlink.h>

#include "kt_portmap.h"

#define DAEMON_OFFSET		30000
#define ULIB_NAME	"iWarpPortMapperUser"
#define RECEIVE_SECS	10

struct daemon {
	struct socket *sock;
	u32 portid;
	u8 message[512] __aligned(NLMSG_ALIGNTO);	/* the last one that was received */
};

typedef int handler_fn(struct sk_buff *skb, struct netlink_callback *cb);

static bool start_daemon(struct ktap *t, struct daemon *d)
{
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };

	if (iwpm_valid_pid()) {
		ktap_skip(t, "there is another daemon");
		return false;
	}
	if (!KT_EXPECT_EQ(t, sock_create_kern(&init_net, AF_NETLINK, SOCK_RAW, NETLINK_RDMA,
					      &d->sock), 0))
		return false;
	d->sock->sk->sk_rcvtimeo = RECEIVE_SECS * HZ;
	if (KT_EXPECT_EQ(t, kernel_bind(d->sock, (struct sockaddr_unsized *)&addr, sizeof(addr)),
			 0) &&
	    KT_EXPECT(t, kernel_getsockname(d->sock, (struct sockaddr *)&addr) > 0) &&
	    KT_EXPECT_EQ(t, iwpm_init(RDMA_NL_IWCM), 0)) {
		d->portid = addr.nl_pid;
		return true;
	}
	sock_release(d->sock);
	return false;
}

/* The kernel forgets the daemon when its socket is closed. */
static void stop_daemon(struct ktap *t, struct daemon *d)
{
	sock_release(d->sock);
	KT_WAIT(t, !iwpm_valid_pid());
	KT_EXPECT_EQ(t, iwpm_exit(RDMA_NL_IWCM), 0);
}

/* The daemon gets the requests of a kernel that does not know it yet. */
static void join_group(struct ktap *t, struct daemon *d)
{
	int group = RDMA_NL_GROUP_IWPM;

	KT_EXPECT_EQ(t, d->sock->ops->setsockopt(d->sock, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP,
						 KERNEL_SOCKPTR(&group), sizeof(group)), 0);
}

/* Returns a message of the daemon, without attributes. */
static struct sk_buff *new_message(u16 op)
{
	struct sk_buff *skb = nlmsg_new(1024, GFP_KERNEL | __GFP_NOFAIL);

	nlmsg_put(skb, 0, 0, RDMA_NL_GET_TYPE(RDMA_NL_IWCM, op), 0, 0);
	return skb;
}

/* Has a message of @portid handled as if it had come from the daemon's socket; frees it. */
static int deliver_from(struct daemon *d, u32 portid, handler_fn *handle, struct sk_buff *skb)
{
	struct netlink_callback cb = { .skb = skb, .nlh = nlmsg_hdr(skb) };
	int ret;

	nlmsg_end(skb, nlmsg_hdr(skb));
	skb->sk = d->sock->sk;
	NETLINK_CB(skb).sk = d->sock->sk;
	NETLINK_CB(skb).portid = portid;
	/* The right to send is that of this thread, because the socket has no file. */
	NETLINK_CB(skb).flags = NETLINK_SKB_DST;
	ret = handle(skb, &cb);
	skb->sk = NULL;
	kfree_skb(skb);
	return ret;
}

static int deliver(struct daemon *d, handler_fn *handle, struct sk_buff *skb)
{
	return deliver_from(d, d->portid, handle, skb);
}

/*
 * Receives a message of the kernel. Expects the operation @op. Returns the first attribute, which
 * is the number of a request.
 */
static u32 receive(struct ktap *t, struct daemon *d, u16 op)
{
	struct kvec vec = { d->message, sizeof(d->message) };
	struct nlmsghdr *nlh = (struct nlmsghdr *)d->message;
	struct msghdr msg = {};
	int len;

	len = kernel_recvmsg(d->sock, &msg, &vec, 1, vec.iov_len, 0);
	if (!KT_EXPECT(t, len > NLMSG_HDRLEN + NLA_HDRLEN) ||
	    !KT_EXPECT_EQ(t, RDMA_NL_GET_OP(nlh->nlmsg_type), op))
		return 0;
	return nla_get_u32(nlmsg_attrdata(nlh, 0));
}

static void put_u16(struct sk_buff *skb, int type, u16 value)
{
	WARN_ON(nla_put_u16(skb, type, value));
}

static void put_u32(struct sk_buff *skb, int type, u32 value)
{
	WARN_ON(nla_put_u32(skb, type, value));
}

static void put_name(struct sk_buff *skb, int type, const char *name)
{
	WARN_ON(nla_put_string(skb, type, name));
}

static void put_addr(struct sk_buff *skb, int type, const struct sockaddr_storage *addr)
{
	WARN_ON(nla_put(skb, type, sizeof(*addr), addr));
}

/* A daemon with the number @portid has started, and asks for the mappings. */
static int announce_from(struct daemon *d, u32 portid, const char *library, u16 version)
{
	struct sk_buff *skb = new_message(RDMA_NL_IWPM_MAPINFO);

	put_name(skb, IWPM_NLA_MAPINFO_ULIB_NAME, library);
	put_u16(skb, IWPM_NLA_MAPINFO_ULIB_VER, version);
	return deliver_from(d, portid, iwpm_mapping_info_cb, skb);
}

static int announce(struct daemon *d, const char *library)
{
	return announce_from(d, d->portid, library, IWPM_UABI_VERSION);
}

/* Starts a daemon that has announced itself. The kernel has no mappings, so it sends nothing. */
static bool start_announced(struct ktap *t, struct daemon *d)
{
	if (!start_daemon(t, d))
		return false;
	if (KT_EXPECT_EQ(t, announce(d, ULIB_NAME), 0) && KT_EXPECT_EQ(t, iwpm_valid_pid(), 1))
		return true;
	stop_daemon(t, d);
	return false;
}

/* --- requests: made by a work item, answered by the test --- */

struct request {
	struct work_struct work;
	int (*make)(struct request *req);
	struct iwpm_sa_data sa;
	struct iwpm_wait *wait;	/* of a mapping; may be NULL */
	struct iwpm_map *map;
	int ret;
};

static void make_request(struct work_struct *work)
{
	struct request *req = container_of(work, struct request, work);

	req->ret = req->make(req);
}

static void begin_request(struct request *req)
{
	INIT_WORK_ONSTACK(&req->work, make_request);
	queue_work(system_unbound_wq, &req->work);
}

/* Returns the result of the request. */
static int end_request(struct request *req)
{
	flush_work(&req->work);
	destroy_work_on_stack(&req->work);
	return req->ret;
}

static int make_registration(struct request *req)
{
	return iwpm_register_pid(&kt_portmap_dev, RDMA_NL_IWCM);
}

static int make_addition(struct request *req)
{
	return iwpm_add_mapping(&req->sa, RDMA_NL_IWCM);
}

static int make_query(struct request *req)
{
	return iwpm_add_and_query_mapping(&req->sa, RDMA_NL_IWCM);
}

static int make_listen(struct request *req)
{
	req->map = iwpm_map_listen(&init_net, &kt_portmap_dev, &req->sa, req->wait);
	return PTR_ERR_OR_ZERO(req->map);
}

static int make_connect(struct request *req)
{
	req->map = iwpm_map_connect(&init_net, &kt_portmap_dev, &req->sa, req->wait);
	return PTR_ERR_OR_ZERO(req->map);
}

static struct sk_buff *registration_answer(u32 seq, const char *dev, u16 error, u16 version)
{
	struct sk_buff *skb = new_message(RDMA_NL_IWPM_REG_PID);

	put_u32(skb, IWPM_NLA_RREG_PID_SEQ, seq);
	put_name(skb, IWPM_NLA_RREG_IBDEV_NAME, dev);
	put_name(skb, IWPM_NLA_RREG_ULIB_NAME, ULIB_NAME);
	put_u16(skb, IWPM_NLA_RREG_ULIB_VER, version);
	put_u16(skb, IWPM_NLA_RREG_PID_ERR, error);
	return skb;
}

static int answer_registration(struct daemon *d, u32 seq, const char *dev, u16 error)
{
	return deliver(d, iwpm_register_pid_cb,
		       registration_answer(seq, dev, error, IWPM_UABI_VERSION));
}

static int answer_addition(struct daemon *d, u32 seq, const struct sockaddr_storage *local,
			   u16 mapped_port, u16 error)
{
	struct sk_buff *skb = new_message(RDMA_NL_IWPM_ADD_MAPPING);
	struct sockaddr_storage mapped = *local;

	((struct sockaddr_in *)&mapped)->sin_port = htons(mapped_port);
	put_u32(skb, IWPM_NLA_RMANAGE_MAPPING_SEQ, seq);
	put_addr(skb, IWPM_NLA_RMANAGE_ADDR, local);
	put_addr(skb, IWPM_NLA_RMANAGE_MAPPED_LOC_ADDR, &mapped);
	put_u16(skb, IWPM_NLA_RMANAGE_MAPPING_ERR, error);
	return deliver(d, iwpm_add_mapping_cb, skb);
}

static struct sk_buff *error_message(u32 seq, u16 error)
{
	struct sk_buff *skb = new_message(RDMA_NL_IWPM_HANDLE_ERR);

	put_u32(skb, IWPM_NLA_ERR_SEQ, seq);
	put_u16(skb, IWPM_NLA_ERR_CODE, error);
	return skb;
}

static struct sk_buff *query_message(u16 op, u32 seq, const struct iwpm_sa_data *sa, u16 error)
{
	struct sk_buff *skb = new_message(op);

	put_u32(skb, IWPM_NLA_RQUERY_MAPPING_SEQ, seq);
	put_addr(skb, IWPM_NLA_RQUERY_LOCAL_ADDR, &sa->loc_addr);
	put_addr(skb, IWPM_NLA_RQUERY_REMOTE_ADDR, &sa->rem_addr);
	put_addr(skb, IWPM_NLA_RQUERY_MAPPED_LOC_ADDR, &sa->mapped_loc_addr);
	put_addr(skb, IWPM_NLA_RQUERY_MAPPED_REM_ADDR, &sa->mapped_rem_addr);
	put_u16(skb, IWPM_NLA_RQUERY_MAPPING_ERR, error);
	return skb;
}

/* Returns the daemon's answer: both ports have a mapped port, which is greater by OFFSET. */
static struct iwpm_sa_data query_answer(const char *local, u16 local_port, const char *remote,
					u16 remote_port)
{
	return (struct iwpm_sa_data) {
		.loc_addr = kt_address(local, local_port),
		.rem_addr = kt_address(remote, remote_port),
		.mapped_loc_addr = kt_address(local, local_port + DAEMON_OFFSET),
		.mapped_rem_addr = kt_address(remote, remote_port + DAEMON_OFFSET),
	};
}

static int answer_query(struct daemon *d, u32 seq, const struct iwpm_sa_data *answer)
{
	return deliver(d, iwpm_add_and_query_mapping_cb,
		       query_message(RDMA_NL_IWPM_QUERY_MAPPING, seq, answer, 0));
}

/* Answers the registration that the first mapping of a daemon begins with. */
static void register_device(struct ktap *t, struct daemon *d)
{
	u32 seq = receive(t, d, RDMA_NL_IWPM_REG_PID);

	KT_EXPECT_EQ(t, answer_registration(d, seq, kt_portmap_dev.dev_name, 0), 0);
}

/* Ends a mapping of the daemon. */
static void end_map(struct ktap *t, struct daemon *d, struct iwpm_map *map)
{
	iwpm_unmap(map);
	receive(t, d, RDMA_NL_IWPM_REMOVE_MAPPING);
}

/* Removes a mapping of this port, and does not wait for the message. */
static int remove_port(u16 port)
{
	struct sockaddr_storage local = kt_address("127.0.0.1", port);

	return iwpm_remove_mapping(&local, RDMA_NL_IWCM);
}

/* Receives the removal of a mapping of this port. */
static void receive_removal(struct ktap *t, struct daemon *d, u16 port)
{
	struct sockaddr_storage local = {};
	struct nlattr *attr;

	receive(t, d, RDMA_NL_IWPM_REMOVE_MAPPING);
	attr = nlmsg_find_attr((struct nlmsghdr *)d->message, 0, IWPM_NLA_MANAGE_ADDR);
	if (KT_EXPECT(t, attr)) {
		nla_memcpy(&local, attr, sizeof(local));
		KT_EXPECT(t, kt_has_port(&local, port));
	}
}

static int say_hello(struct daemon *d, u16 version)
{
	struct sk_buff *skb = new_message(RDMA_NL_IWPM_HELLO);

	put_u16(skb, IWPM_NLA_HELLO_ABI_VERSION, version);
	return deliver(d, iwpm_hello_cb, skb);
}

/* --- the cases --- */

static void test_announced(struct ktap *t)
{
	struct sockaddr_storage local = kt_address("127.0.0.1", 7000);
	struct sockaddr_storage mapped = kt_address("127.0.0.1", 7000 + DAEMON_OFFSET);
	struct sockaddr_nl addr = { .nl_family = AF_NETLINK };
	struct socket *other;
	struct sk_buff *skb;
	struct daemon d;
	int i;

	if (!start_daemon(t, &d))
		return;
	KT_EXPECT_EQ(t, announce(&d, "another"), -EPROTO);
	KT_EXPECT_EQ(t, iwpm_create_mapinfo(&local, &mapped, RDMA_NL_IWCM), 0);
	KT_EXPECT_EQ(t, iwpm_valid_pid(), 0);
	KT_EXPECT_EQ(t, announce(&d, ULIB_NAME), 0);
	KT_EXPECT_EQ(t, iwpm_valid_pid(), 1);
	receive(t, &d, RDMA_NL_IWPM_MAPINFO);
	KT_EXPECT(t, !memcmp(nla_data(nlmsg_attrdata((struct nlmsghdr *)d.message, 0)), &local,
			     sizeof(struct sockaddr_in)));
	receive(t, &d, RDMA_NL_IWPM_MAPINFO_NUM);

	/* Only the daemon acknowledges. */
	for (i = 0; i < 2; i++) {
		skb = new_message(RDMA_NL_IWPM_MAPINFO_NUM);
		put_u32(skb, IWPM_NLA_MAPINFO_SEQ, 0);
		put_u32(skb, IWPM_NLA_MAPINFO_SEND_NUM, 1);
		put_u32(skb, IWPM_NLA_MAPINFO_ACK_NUM, 1);
		KT_EXPECT_EQ(t, deliver_from(&d, d.portid + i, iwpm_ack_mapping_info_cb, skb),
			     i ? -EPERM : 0);
	}
	KT_EXPECT_EQ(t, iwpm_remove_mapinfo(&local, &mapped), 0);
	/* The end of a socket of another protocol, which may have the daemon's number. */
	addr.nl_pid = d.portid;
	if (KT_EXPECT_EQ(t, sock_create_kern(&init_net, AF_NETLINK, SOCK_RAW, NETLINK_ROUTE,
					     &other), 0)) {
		KT_EXPECT_EQ(t, kernel_bind(other, (struct sockaddr_unsized *)&addr, sizeof(addr)),
			     0);
		sock_release(other);
		KT_EXPECT_EQ(t, iwpm_valid_pid(), 1);
	}
	stop_daemon(t, &d);
}

static void test_registration(struct ktap *t)
{
	struct request req = { .make = make_registration };
	struct daemon d;
	u32 seq;

	if (!start_announced(t, &d))
		return;
	begin_request(&req);
	seq = receive(t, &d, RDMA_NL_IWPM_REG_PID);
	KT_EXPECT_EQ(t, answer_registration(&d, seq + 1, kt_portmap_dev.dev_name, 0),
		     -ENOENT);
	KT_EXPECT_EQ(t, answer_registration(&d, seq, "another", 0), -EPROTO);
	KT_EXPECT_EQ(t, end_request(&req), -EPROTO);

	begin_request(&req);
	seq = receive(t, &d, RDMA_NL_IWPM_REG_PID);
	/* No other socket answers for the daemon, nor becomes the daemon. */
	KT_EXPECT_EQ(t, deliver_from(&d, d.portid + 1, iwpm_register_pid_cb,
				     registration_answer(seq, kt_portmap_dev.dev_name, 0,
							 IWPM_UABI_VERSION)), -EPERM);
	KT_EXPECT_EQ(t, answer_registration(&d, seq, kt_portmap_dev.dev_name, 0), 0);
	KT_EXPECT_EQ(t, end_request(&req), 0);
	KT_EXPECT_EQ(t, iwpm_valid_pid(), 1);
	stop_daemon(t, &d);
}

/* A kernel without a daemon asks all that listen, and takes the first one that answers. */
static void test_search(struct ktap *t)
{
	struct request req = { .make = make_registration };
	struct daemon d;
	u32 seq;

	if (!start_daemon(t, &d))
		return;
	join_group(t, &d);
	begin_request(&req);
	seq = receive(t, &d, RDMA_NL_IWPM_REG_PID);
	KT_EXPECT_EQ(t, iwpm_valid_pid(), 0);
	KT_EXPECT_EQ(t, answer_registration(&d, seq, kt_portmap_dev.dev_name, 0), 0);
	KT_EXPECT_EQ(t, end_request(&req), 0);
	KT_EXPECT_EQ(t, iwpm_valid_pid(), 1);
	stop_daemon(t, &d);
}

/* A request to a daemon ends when another daemon starts. */
static void test_replaced(struct ktap *t)
{
	struct sockaddr_storage local = kt_address("127.0.0.1", 7001);
	struct request req = { .make = make_addition, .sa.loc_addr = local };
	struct daemon d;

	if (!start_announced(t, &d))
		return;
	begin_request(&req);
	receive(t, &d, RDMA_NL_IWPM_ADD_MAPPING);
	KT_EXPECT_EQ(t, announce_from(&d, d.portid + 1, ULIB_NAME, IWPM_UABI_VERSION_MIN - 1),
		     -EPROTO);
	KT_EXPECT_EQ(t, announce_from(&d, d.portid + 1, ULIB_NAME, IWPM_UABI_VERSION), 0);
	KT_EXPECT_EQ(t, end_request(&req), -ECONNREFUSED);
	/* stop_daemon() waits until this daemon is forgotten. */
	KT_EXPECT_EQ(t, announce(&d, ULIB_NAME), 0);
	stop_daemon(t, &d);
}

/* A listener that is not to be mapped has the mapping of its address, unknown to the daemon. */
static noinline_for_stack void listen_unmapped(struct ktap *t, struct daemon *d)
{
	struct sockaddr_storage local = kt_address("127.0.0.1", 7006);
	struct request req = {
		.make = make_listen,
		.sa = { .loc_addr = local, .flags = IWPM_FLAGS_NO_PORT_MAP },
	};
	struct sk_buff *skb;
	u32 seq;

	begin_request(&req);
	seq = receive(t, d, RDMA_NL_IWPM_REG_PID);
	skb = registration_answer(seq, kt_portmap_dev.dev_name, 0, IWPM_UABI_VERSION_MIN);
	KT_EXPECT_EQ(t, deliver(d, iwpm_register_pid_cb, skb), 0);
	KT_EXPECT_EQ(t, end_request(&req), 0);
	KT_EXPECT_EQ(t, iwpm_create_mapinfo(&local, &local, RDMA_NL_IWCM), -EEXIST);
	if (KT_EXPECT(t, !IS_ERR_OR_NULL(req.map)))
		iwpm_unmap(req.map);
	KT_EXPECT_EQ(t, remove_port(7007), 0);
	receive_removal(t, d, 7007);
}

/* A daemon that does not know the flags is not asked, and gets no mapping that has one. */
static void test_old_daemon(struct ktap *t)
{
	static struct sockaddr_storage local[3], mapped[3];
	static const u32 flags[] = { 0, IWPM_FLAGS_NO_PORT_MAP, IWPM_MAP_HOST_TCP };
	struct iwpm_sa_data sa = { .flags = IWPM_FLAGS_NO_PORT_MAP };
	struct daemon d;
	int i;

	if (!start_daemon(t, &d))
		return;
	for (i = 0; i < ARRAY_SIZE(flags); i++) {
		local[i] = kt_address("127.0.0.1", 7000 + i);
		mapped[i] = kt_address("127.0.0.1", 7000 + i + DAEMON_OFFSET);
		KT_EXPECT_EQ(t, iwpm_create_mapinfo(&local[i], &mapped[i], RDMA_NL_IWCM,
						    flags[i]), 0);
	}
	KT_EXPECT_EQ(t, announce_from(&d, d.portid, ULIB_NAME, IWPM_UABI_VERSION_MIN), 0);
	receive(t, &d, RDMA_NL_IWPM_MAPINFO);
	receive(t, &d, RDMA_NL_IWPM_MAPINFO);
	receive(t, &d, RDMA_NL_IWPM_MAPINFO_NUM);
	sa.loc_addr = kt_address("127.0.0.1", 7004);
	KT_EXPECT_EQ(t, iwpm_add_mapping(&sa, RDMA_NL_IWCM), 0);
	KT_EXPECT(t, kt_has_port(&sa.mapped_loc_addr, 7004));
	sa.mapped_loc_addr = local[0];
	sa.rem_addr = kt_address("127.0.0.2", 7005);
	KT_EXPECT_EQ(t, iwpm_add_and_query_mapping(&sa, RDMA_NL_IWCM), 0);
	KT_EXPECT(t, kt_has_port(&sa.mapped_loc_addr, 7004));
	KT_EXPECT(t, kt_has_port(&sa.mapped_rem_addr, 7005));
	for (i = 0; i < ARRAY_SIZE(flags); i++)
		KT_EXPECT_EQ(t, iwpm_remove_mapinfo(&local[i], &mapped[i]), 0);
	listen_unmapped(t, &d);
	stop_daemon(t, &d);
}

static void test_addition(struct ktap *t)
{
	struct sockaddr_storage local = kt_address("127.0.0.1", 7001);
	struct request req = { .make = make_addition, .sa.loc_addr = local };
	struct daemon d;
	u32 seq;

	if (!start_announced(t, &d))
		return;
	begin_request(&req);
	seq = receive(t, &d, RDMA_NL_IWPM_ADD_MAPPING);
	/* The answer to a registration ends no addition. */
	KT_EXPECT_EQ(t, answer_registration(&d, seq, "", 0), -ENOENT);
	KT_EXPECT_EQ(t, answer_addition(&d, seq, &local, 7001 + DAEMON_OFFSET, 0), 0);
	KT_EXPECT_EQ(t, end_request(&req), 0);
	KT_EXPECT(t, kt_has_port(&req.sa.mapped_loc_addr, 7001 + DAEMON_OFFSET));
	/* The request has ended, so a second answer changes nothing. */
	KT_EXPECT_EQ(t, answer_addition(&d, seq, &local, 7001 + DAEMON_OFFSET, 0), -ENOENT);

	KT_EXPECT_EQ(t, iwpm_remove_mapping(&local, RDMA_NL_IWCM), 0);
	receive(t, &d, RDMA_NL_IWPM_REMOVE_MAPPING);

	begin_request(&req);
	seq = receive(t, &d, RDMA_NL_IWPM_ADD_MAPPING);
	KT_EXPECT_EQ(t, answer_addition(&d, seq, &local, 0, IWPM_DUPLICATE_MAPPING_ERR), 0);
	KT_EXPECT_EQ(t, end_request(&req), -EADDRINUSE);
	stop_daemon(t, &d);
}

/* Expects that an answer with another address than was asked for is refused, and undone. */
static noinline_for_stack void refuse_answers(struct ktap *t, struct daemon *d,
					      struct request *req,
					      const struct iwpm_sa_data *answer)
{
	struct iwpm_sa_data wrong;
	struct sockaddr_storage *changed[] = {
		&wrong.loc_addr, &wrong.rem_addr, &wrong.mapped_loc_addr, &wrong.mapped_rem_addr,
	};
	struct sk_buff *skb;
	u32 seq;
	int i;

	for (i = 0; i < ARRAY_SIZE(changed); i++) {
		wrong = *answer;
		*changed[i] = kt_address("127.0.0.9", 7002);
		begin_request(req);
		seq = receive(t, d, RDMA_NL_IWPM_QUERY_MAPPING);
		skb = query_message(RDMA_NL_IWPM_QUERY_MAPPING, seq, &wrong, 0);
		KT_EXPECT_EQ(t, deliver(d, iwpm_add_and_query_mapping_cb, skb), -EPROTO);
		KT_EXPECT_EQ(t, end_request(req), -EPROTO);
		receive(t, d, RDMA_NL_IWPM_REMOVE_MAPPING);
	}
}

/*
 * Expects the result @ret of a query that the daemon answers so; if that is 0, also expects the
 * peer's mapped port @port. An answer that makes no sense is undone.
 */
static noinline_for_stack void expect_answer(struct ktap *t, struct daemon *d, struct request *req,
					     const struct iwpm_sa_data *answer, u16 error, int ret,
					     u16 port)
{
	struct sk_buff *skb;
	u32 seq;

	begin_request(req);
	seq = receive(t, d, RDMA_NL_IWPM_QUERY_MAPPING);
	skb = query_message(RDMA_NL_IWPM_QUERY_MAPPING, seq, answer, error);
	KT_EXPECT_EQ(t, deliver(d, iwpm_add_and_query_mapping_cb, skb), ret == -EPROTO ? ret : 0);
	KT_EXPECT_EQ(t, end_request(req), ret);
	if (ret == -EPROTO)
		receive(t, d, RDMA_NL_IWPM_REMOVE_MAPPING);
	if (!ret)
		KT_EXPECT(t, kt_has_port(&req->sa.mapped_rem_addr, port));
}

/* A daemon refuses, or does not know the peer; a peer has mapped all its addresses. */
static void test_peer_answers(struct ktap *t)
{
	struct iwpm_sa_data answer = query_answer("127.0.0.1", 7002, "127.0.0.2", 7003);
	struct request req = {
		.make = make_query,
		.sa = { .loc_addr = answer.loc_addr, .rem_addr = answer.rem_addr },
	};
	struct daemon d;

	if (!start_announced(t, &d))
		return;
	expect_answer(t, &d, &req, &answer, IWPM_CREATE_MAPPING_ERR, -EREMOTEIO, 0);
	expect_answer(t, &d, &req, &answer, IWPM_REMOTE_QUERY_REJECT, 0, 7003);
	answer.mapped_rem_addr = kt_address("0.0.0.0", 7004);
	expect_answer(t, &d, &req, &answer, 0, 0, 7004);
	answer.mapped_rem_addr = kt_address("::", 7004);
	expect_answer(t, &d, &req, &answer, 0, -EPROTO, 0);
	stop_daemon(t, &d);
}

static void test_daemon_query(struct ktap *t)
{
	struct iwpm_sa_data answer = query_answer("127.0.0.1", 7002, "127.0.0.2", 7003);
	struct request req = {
		.make = make_query,
		.sa = { .loc_addr = answer.loc_addr, .rem_addr = answer.rem_addr },
	};
	struct sk_buff *skb;
	struct daemon d;
	u32 seq;

	if (!start_announced(t, &d))
		return;
	begin_request(&req);
	seq = receive(t, &d, RDMA_NL_IWPM_QUERY_MAPPING);
	skb = query_message(RDMA_NL_IWPM_QUERY_MAPPING, seq, &answer, 0);
	KT_EXPECT_EQ(t, deliver(&d, iwpm_add_and_query_mapping_cb, skb), 0);
	KT_EXPECT_EQ(t, end_request(&req), 0);
	KT_EXPECT(t, kt_has_port(&req.sa.mapped_loc_addr, 7002 + DAEMON_OFFSET));
	KT_EXPECT(t, kt_has_port(&req.sa.mapped_rem_addr, 7003 + DAEMON_OFFSET));
	refuse_answers(t, &d, &req, &answer);
	stop_daemon(t, &d);
}

static struct request request_to(const char *remote)
{
	return (struct request) {
		.make = make_connect,
		.sa = {
			.loc_addr = kt_address("127.0.0.1", 7010),
			.rem_addr = kt_address(remote, 7011),
		},
	};
}

/*
 * Two connections from one address begin together, and the query of the first one's peer, whose
 * number is @asked, is not answered. Expects that neither has a mapping.
 */
static noinline_for_stack void leave_unanswered(struct ktap *t, struct daemon *d,
						const char * const peers[2], int *asked)
{
	struct request reqs[2] = { request_to(peers[0]), request_to(peers[1]) };
	struct sockaddr_in remote;
	struct nlattr *attr;
	int i;

	for (i = 0; i < 2; i++)
		begin_request(&reqs[i]);
	register_device(t, d);
	receive(t, d, RDMA_NL_IWPM_QUERY_MAPPING);
	attr = nlmsg_find_attr((struct nlmsghdr *)d->message, 0, IWPM_NLA_QUERY_REMOTE_ADDR);
	*asked = 0;
	if (KT_EXPECT(t, attr)) {
		nla_memcpy(&remote, attr, sizeof(remote));
		*asked = remote.sin_addr.s_addr == in_aton(peers[1]);
	}
	receive(t, d, RDMA_NL_IWPM_REMOVE_MAPPING);
	/* The daemon itself answers, so it is the peer that has no port mapper. */
	register_device(t, d);
	for (i = 0; i < 2; i++) {
		KT_EXPECT_EQ(t, end_request(&reqs[i]), 0);
		KT_EXPECT(t, !reqs[i].map);
	}
}

/* A peer that did not answer is not asked again, but one that was not asked is. */
static void test_silent_peers(struct ktap *t)
{
	static const char * const peers[] = { "127.0.0.2", "127.0.0.3" };
	static struct iwpm_sa_data answer;
	struct request req;
	struct daemon d;
	int asked;
	u32 seq;

	if (!start_announced(t, &d))
		return;
	leave_unanswered(t, &d, peers, &asked);
	req = request_to(peers[asked]);
	begin_request(&req);
	KT_EXPECT_EQ(t, end_request(&req), 0);
	KT_EXPECT(t, !req.map);

	answer = query_answer("127.0.0.1", 7010, peers[!asked], 7011);
	req = request_to(peers[!asked]);
	begin_request(&req);
	seq = receive(t, &d, RDMA_NL_IWPM_QUERY_MAPPING);
	KT_EXPECT_EQ(t, answer_query(&d, seq, &answer), 0);
	KT_EXPECT_EQ(t, end_request(&req), 0);
	if (KT_EXPECT(t, req.map))
		end_map(t, &d, req.map);
	stop_daemon(t, &d);
}

/* Expects that an answer with another mapped port for the address in @answer is an error. */
static noinline_for_stack void refuse_other_port(struct ktap *t, struct daemon *d,
						 struct iwpm_sa_data *answer)
{
	struct request req = request_to("127.0.0.3");
	u32 seq;

	answer->rem_addr = req.sa.rem_addr;
	answer->mapped_rem_addr = kt_address("127.0.0.3", 7011 + DAEMON_OFFSET);
	answer->mapped_loc_addr = kt_address("127.0.0.1", 7012 + DAEMON_OFFSET);
	begin_request(&req);
	seq = receive(t, d, RDMA_NL_IWPM_QUERY_MAPPING);
	KT_EXPECT_EQ(t, answer_query(d, seq, answer), 0);
	KT_EXPECT_EQ(t, end_request(&req), -EPROTO);
	receive(t, d, RDMA_NL_IWPM_REMOVE_MAPPING);
}

/* The daemon refuses a query of another user of the address in @answer, and is not asked again. */
static noinline_for_stack void refuse_duplicate(struct ktap *t, struct daemon *d,
						const struct iwpm_sa_data *answer)
{
	struct request req = request_to("127.0.0.3");
	struct sk_buff *skb;
	u32 seq;

	begin_request(&req);
	seq = receive(t, d, RDMA_NL_IWPM_QUERY_MAPPING);
	skb = query_message(RDMA_NL_IWPM_QUERY_MAPPING, seq, answer, IWPM_DUPLICATE_MAPPING_ERR);
	KT_EXPECT_EQ(t, deliver(d, iwpm_add_and_query_mapping_cb, skb), 0);
	KT_EXPECT_EQ(t, end_request(&req), -EADDRINUSE);
}

/* A daemon gives one mapped address for each real one. */
static void test_other_port(struct ktap *t)
{
	struct request first = request_to("127.0.0.2");
	static struct iwpm_sa_data answer;
	struct daemon d;
	u32 seq;

	if (!start_announced(t, &d))
		return;
	answer = query_answer("127.0.0.1", 7010, "127.0.0.2", 7011);
	begin_request(&first);
	register_device(t, &d);
	seq = receive(t, &d, RDMA_NL_IWPM_QUERY_MAPPING);
	KT_EXPECT_EQ(t, answer_query(&d, seq, &answer), 0);
	KT_EXPECT_EQ(t, end_request(&first), 0);

	refuse_other_port(t, &d, &answer);
	refuse_duplicate(t, &d, &answer);
	if (KT_EXPECT(t, first.map))
		end_map(t, &d, first.map);
	stop_daemon(t, &d);
}

/*
 * The mapping of a listener at port 7010 is not removed like one that was stored, and an address
 * with a stored mapping gets no other one.
 */
static noinline_for_stack void remove_foreign(struct ktap *t)
{
	struct sockaddr_storage local = kt_address("127.0.0.1", 7010);
	struct sockaddr_storage mapped = kt_address("127.0.0.1", 7010 + DAEMON_OFFSET);
	struct iwpm_sa_data sa = { .loc_addr = kt_address("127.0.0.1", 7012) };

	KT_EXPECT_EQ(t, iwpm_remove_mapinfo(&local, &mapped), -ENOENT);
	mapped = kt_address("127.0.0.1", 7012 + DAEMON_OFFSET);
	KT_EXPECT_EQ(t, iwpm_create_mapinfo(&sa.loc_addr, &mapped, RDMA_NL_IWCM), 0);
	KT_EXPECT_ERR(t, iwpm_map_listen(&init_net, &kt_portmap_dev, &sa, NULL), -EADDRINUSE);
	KT_EXPECT_EQ(t, iwpm_remove_mapinfo(&sa.loc_addr, &mapped), 0);
}

/*
 * When no client is left, stored mappings are forgotten, and that of the listener at port 7010 is
 * not. iw_cm is another client, if it is loaded.
 */
static noinline_for_stack void forget_stored(struct ktap *t)
{
	struct sockaddr_storage local = kt_address("127.0.0.1", 7013);
	struct sockaddr_storage mapped = kt_address("127.0.0.1", 7013 + DAEMON_OFFSET);
	int i, begun = 0;

	KT_EXPECT_EQ(t, iwpm_create_mapinfo(&local, &mapped, RDMA_NL_IWCM), 0);
	while (begun < 3 && !iwpm_exit(RDMA_NL_IWCM))
		begun++;
	for (i = 0; i < begun; i++)
		KT_EXPECT_EQ(t, iwpm_init(RDMA_NL_IWCM), 0);
	KT_EXPECT_EQ(t, iwpm_remove_mapinfo(&local, &mapped), -ENOENT);
	local = kt_address("127.0.0.1", 7010);
	KT_EXPECT_EQ(t, iwpm_create_mapinfo(&local, &mapped, RDMA_NL_IWCM), -EEXIST);
}

/* A port that the port mapper chooses is one that no other mapping has. */
static void test_chosen_ports(struct ktap *t)
{
	static const struct {
		u16 wanted, got;
		int ret;
		u32 flags;
	} steps[] = {
		{ 7010, 7010, 0 },
		{ 0, 7011, 0 },
		{ 0, 0, 0, IWPM_FLAGS_NO_PORT_MAP },
		{ 0, 0, -EADDRNOTAVAIL },
	};
	struct iwpm_map *maps[ARRAY_SIZE(steps)] = {};
	struct request req = { .make = make_listen };
	struct daemon d;
	u32 seq;
	int i;

	if (!start_announced(t, &d))
		return;
	KT_EXPECT_EQ(t, kt_sh("cp /proc/sys/net/ipv4/ip_local_port_range /tmp/kt_range &&\n"
			      "echo 7010 7011 > /proc/sys/net/ipv4/ip_local_port_range"), 0);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		req.sa.loc_addr = kt_address("127.0.0.1", steps[i].wanted);
		req.sa.flags = steps[i].flags;
		begin_request(&req);
		if (!i)
			register_device(t, &d);
		if (!steps[i].ret) {
			seq = receive(t, &d, RDMA_NL_IWPM_ADD_MAPPING);
			KT_EXPECT_EQ(t, answer_addition(&d, seq, &req.sa.loc_addr,
							steps[i].got + DAEMON_OFFSET, 0), 0);
		}
		KT_EXPECT_EQ(t, end_request(&req), steps[i].ret);
		KT_EXPECT(t, kt_has_port(&req.sa.loc_addr, steps[i].got));
		if (!IS_ERR(req.map))
			maps[i] = req.map;
	}
	remove_foreign(t);
	forget_stored(t);
	for (i = 0; i < ARRAY_SIZE(maps); i++)
		if (maps[i])
			end_map(t, &d, maps[i]);
	KT_EXPECT_EQ(t, kt_sh("cat /tmp/kt_range > /proc/sys/net/ipv4/ip_local_port_range"), 0);
	stop_daemon(t, &d);
}

/*
 * A program that listens for the kernel's search for a daemon has a full receive buffer. Expects
 * that the search goes on, which the cancelled wait then ends.
 */
static void test_full_buffer(struct ktap *t)
{
	struct iwpm_sa_data sa = { .loc_addr = kt_address("127.0.0.1", 7010) };
	struct sk_buff *skb = new_message(RDMA_NL_IWPM_REG_PID);
	struct iwpm_wait wait;
	struct daemon d;
	int one = 1;

	if (!start_daemon(t, &d)) {
		kfree_skb(skb);
		return;
	}
	KT_EXPECT_EQ(t, d.sock->ops->setsockopt(d.sock, SOL_NETLINK, NETLINK_BROADCAST_ERROR,
						KERNEL_SOCKPTR(&one), sizeof(one)), 0);
	join_group(t, &d);
	d.sock->sk->sk_rcvbuf = 1;
	KT_EXPECT_EQ(t, rdma_nl_multicast(&init_net, skb, RDMA_NL_GROUP_IWPM, GFP_KERNEL), 0);
	KT_EXPECT_EQ(t, d.sock->sk->sk_err, 0);
	iwpm_wait_init(&wait);
	iwpm_wait_cancel(&wait);
	KT_EXPECT_ERR(t, iwpm_map_listen(&init_net, &kt_portmap_dev, &sa, &wait), -ECANCELED);
	KT_EXPECT_EQ(t, d.sock->sk->sk_err, ENOBUFS);
	stop_daemon(t, &d);
}

/*
 * A daemon that does not answer gets no more requests. A late answer ends none, but shows that the
 * daemon answers again.
 */
static void test_unresponsive(struct ktap *t)
{
	struct sockaddr_storage local = kt_address("127.0.0.1", 7001);
	struct request req = { .make = make_addition, .sa.loc_addr = local };
	struct daemon d;
	u32 seq;

	if (!start_announced(t, &d))
		return;
	begin_request(&req);
	seq = receive(t, &d, RDMA_NL_IWPM_ADD_MAPPING);
	KT_EXPECT_EQ(t, end_request(&req), -ETIMEDOUT);
	receive_removal(t, &d, 7001);
	KT_EXPECT_EQ(t, iwpm_valid_pid(), 0);
	KT_EXPECT_EQ(t, iwpm_add_mapping(&req.sa, RDMA_NL_IWCM), -ETIMEDOUT);
	KT_EXPECT_EQ(t, remove_port(7002), 0);
	receive_removal(t, &d, 7002);
	KT_EXPECT_EQ(t, answer_addition(&d, seq, &local, 7001 + DAEMON_OFFSET, 0), -ENOENT);
	KT_EXPECT_EQ(t, iwpm_valid_pid(), 1);
	stop_daemon(t, &d);
}

/*
 * Begins with a receive buffer that has room for one message at a time: it has the first of three
 * removals, the second one waits for room, and what is sent later waits behind the third one.
 */
static void fill_buffer(struct ktap *t, struct daemon *d)
{
	u16 port;

	d->sock->sk->sk_rcvbuf = 1;
	for (port = 7001; port <= 7003; port++)
		KT_EXPECT_EQ(t, remove_port(port), 0);
	KT_WAIT(t, !skb_queue_empty_lockless(&d->sock->sk->sk_receive_queue));
}

/* A request that times out before it is sent is not sent any more, and not undone either. */
static void test_unsent(struct ktap *t)
{
	struct request req = {
		.make = make_addition, .sa.loc_addr = kt_address("127.0.0.1", 7004),
	};
	struct daemon d;
	u16 port;

	if (!start_announced(t, &d))
		return;
	fill_buffer(t, &d);
	begin_request(&req);
	KT_EXPECT_EQ(t, end_request(&req), -ETIMEDOUT);
	KT_EXPECT_EQ(t, remove_port(7005), 0);
	for (port = 7001; port <= 7003; port++)
		receive_removal(t, &d, port);
	receive_removal(t, &d, 7005);
	stop_daemon(t, &d);
}

/* Registers the device, so that the next mapping begins with its own message. */
static noinline_for_stack void register_first(struct ktap *t, struct daemon *d)
{
	struct request req = { .make = make_registration };

	begin_request(&req);
	register_device(t, d);
	KT_EXPECT_EQ(t, end_request(&req), 0);
}

/* A listener that asks for a mapping of port 7010. */
static struct request listen_request(void)
{
	return (struct request) {
		.make = make_listen, .sa.loc_addr = kt_address("127.0.0.1", 7010),
	};
}

/* Answers the question @seq of such a listener, and ends the mapping that it gets. */
static void map_listener(struct ktap *t, struct daemon *d, struct request *req, u32 seq)
{
	KT_EXPECT_EQ(t, answer_addition(d, seq, &req->sa.loc_addr, 7010 + DAEMON_OFFSET, 0), 0);
	KT_EXPECT_EQ(t, end_request(req), 0);
	if (KT_EXPECT(t, !IS_ERR_OR_NULL(req->map)))
		end_map(t, d, req->map);
}

/*
 * A daemon says hello again and again, and reads nothing meanwhile. Expects that the removals that
 * still wait are dropped, because the daemon is sent all mappings anew, but not the open request,
 * and that the first hello and the last one are answered.
 */
static void test_hello_again(struct ktap *t)
{
	struct request req = listen_request();
	struct iwpm_wait wait;
	struct daemon d;
	u32 seq;
	int i;

	if (!start_announced(t, &d))
		return;
	register_first(t, &d);
	KT_EXPECT_EQ(t, say_hello(&d, IWPM_UABI_VERSION_MIN - 1), -EPROTO);
	fill_buffer(t, &d);
	iwpm_wait_init(&wait);
	req.wait = &wait;
	begin_request(&req);
	KT_WAIT(t, READ_ONCE(wait.queue));
	for (i = 0; i < 3; i++)
		KT_EXPECT_EQ(t, say_hello(&d, IWPM_UABI_VERSION), 0);
	receive_removal(t, &d, 7001);
	receive_removal(t, &d, 7002);
	seq = receive(t, &d, RDMA_NL_IWPM_ADD_MAPPING);
	for (i = 0; i < 2; i++)
		receive(t, &d, RDMA_NL_IWPM_HELLO);
	map_listener(t, &d, &req, seq);
	stop_daemon(t, &d);
}

/* A daemon that announces itself while it is asked for a mapping is not sent this mapping. */
static void test_announced_meanwhile(struct ktap *t)
{
	struct request req = listen_request();
	struct daemon d;
	u32 seq;

	if (!start_announced(t, &d))
		return;
	begin_request(&req);
	register_device(t, &d);
	seq = receive(t, &d, RDMA_NL_IWPM_ADD_MAPPING);
	KT_EXPECT_EQ(t, announce(&d, ULIB_NAME), 0);
	map_listener(t, &d, &req, seq);
	stop_daemon(t, &d);
}

/* A listener whose wait was cancelled waits neither for a registration nor for a mapping. */
static void test_cancelled_waits(struct ktap *t)
{
	struct request req = listen_request();
	static struct iwpm_sa_data sa;
	struct iwpm_wait wait;
	struct daemon d;
	u32 seq;

	if (!start_announced(t, &d))
		return;
	sa = req.sa;
	iwpm_wait_init(&wait);
	iwpm_wait_cancel(&wait);
	begin_request(&req);
	seq = receive(t, &d, RDMA_NL_IWPM_REG_PID);
	KT_EXPECT_ERR(t, iwpm_map_listen(&init_net, &kt_portmap_dev, &sa, &wait), -ECANCELED);
	KT_EXPECT_EQ(t, answer_registration(&d, seq, kt_portmap_dev.dev_name, 0), 0);
	seq = receive(t, &d, RDMA_NL_IWPM_ADD_MAPPING);
	KT_EXPECT_ERR(t, iwpm_map_listen(&init_net, &kt_portmap_dev, &sa, &wait), -ECANCELED);
	map_listener(t, &d, &req, seq);
	stop_daemon(t, &d);
}

/* The first of two listeners at an address gives up. Expects that the second one asks anew. */
static noinline_for_stack void give_up(struct ktap *t, struct daemon *d)
{
	struct request reqs[2];
	struct iwpm_wait waits[2];
	u32 seq;
	int i;

	for (i = 0; i < 2; i++) {
		iwpm_wait_init(&waits[i]);
		reqs[i] = listen_request();
		reqs[i].wait = &waits[i];
		begin_request(&reqs[i]);
		if (!i)
			receive(t, d, RDMA_NL_IWPM_ADD_MAPPING);
	}
	KT_WAIT(t, READ_ONCE(waits[1].queue));
	iwpm_wait_cancel(&waits[0]);
	KT_EXPECT_EQ(t, end_request(&reqs[0]), -ECANCELED);
	receive_removal(t, d, 7010);
	seq = receive(t, d, RDMA_NL_IWPM_ADD_MAPPING);
	map_listener(t, d, &reqs[1], seq);
}

/*
 * The daemon refuses the query of the first of two connections from an address. Expects that the
 * second one fails like it, without a query of its own.
 */
static noinline_for_stack void refuse_both(struct ktap *t, struct daemon *d)
{
	struct request reqs[2] = { request_to("127.0.0.2"), request_to("127.0.0.3") };
	struct iwpm_wait wait;
	struct sk_buff *skb;
	u32 seq;
	int i;

	begin_request(&reqs[0]);
	seq = receive(t, d, RDMA_NL_IWPM_QUERY_MAPPING);
	iwpm_wait_init(&wait);
	reqs[1].wait = &wait;
	begin_request(&reqs[1]);
	KT_WAIT(t, READ_ONCE(wait.queue));
	skb = query_message(RDMA_NL_IWPM_QUERY_MAPPING, seq, &reqs[0].sa, IWPM_CREATE_MAPPING_ERR);
	KT_EXPECT_EQ(t, deliver(d, iwpm_add_and_query_mapping_cb, skb), 0);
	for (i = 0; i < 2; i++)
		KT_EXPECT_EQ(t, end_request(&reqs[i]), -EREMOTEIO);
	KT_EXPECT_EQ(t, remove_port(7012), 0);
	receive_removal(t, d, 7012);
}

static void test_shared_failures(struct ktap *t)
{
	struct daemon d;

	if (!start_announced(t, &d))
		return;
	register_first(t, &d);
	give_up(t, &d);
	refuse_both(t, &d);
	stop_daemon(t, &d);
}

/* A connection to the same link-local address on the link of the interface @scope. */
static struct request request_on(u32 scope)
{
	struct request req = {
		.make = make_connect,
		.sa = {
			.loc_addr = kt_address("fe80::1", 7010),
			.rem_addr = kt_address("fe80::2", 7011),
		},
	};

	((struct sockaddr_in6 *)&req.sa.rem_addr)->sin6_scope_id = scope;
	return req;
}

/* A connection on the link @scope is mapped by the daemon. */
static noinline_for_stack void is_asked_for(struct ktap *t, struct daemon *d, u32 scope)
{
	struct request req = request_on(scope);
	static struct iwpm_sa_data answer;
	u32 seq;

	answer = query_answer("fe80::1", 7010, "fe80::2", 7011);
	begin_request(&req);
	seq = receive(t, d, RDMA_NL_IWPM_QUERY_MAPPING);
	KT_EXPECT_EQ(t, answer_query(d, seq, &answer), 0);
	KT_EXPECT_EQ(t, end_request(&req), 0);
	if (KT_EXPECT(t, !IS_ERR_OR_NULL(req.map)))
		end_map(t, d, req.map);
}

/* A connection on the link @scope is not mapped, because its peer does not answer. */
static noinline_for_stack void is_silent(struct ktap *t, struct daemon *d, u32 scope, bool asked)
{
	struct request req = request_on(scope);

	begin_request(&req);
	if (asked) {
		receive(t, d, RDMA_NL_IWPM_QUERY_MAPPING);
		receive(t, d, RDMA_NL_IWPM_REMOVE_MAPPING);
		register_device(t, d);
	}
	KT_EXPECT_EQ(t, end_request(&req), 0);
	KT_EXPECT(t, !req.map);
}

static void test_error(struct ktap *t)
{
	struct sockaddr_storage local = kt_address("127.0.0.1", 7004);
	struct request req = { .make = make_addition, .sa.loc_addr = local };
	struct daemon d;
	u32 seq;

	if (!start_announced(t, &d))
		return;
	begin_request(&req);
	seq = receive(t, &d, RDMA_NL_IWPM_ADD_MAPPING);
	KT_EXPECT_EQ(t, deliver_from(&d, d.portid + 1, iwpm_mapping_error_cb,
				     error_message(seq, IWPM_CREATE_MAPPING_ERR)), -EPERM);
	KT_EXPECT_EQ(t, deliver(&d, iwpm_mapping_error_cb,
				error_message(seq, IWPM_CREATE_MAPPING_ERR)), 0);
	KT_EXPECT_EQ(t, end_request(&req), -EREMOTEIO);
	/* An error without a code. */
	begin_request(&req);
	seq = receive(t, &d, RDMA_NL_IWPM_ADD_MAPPING);
	KT_EXPECT_EQ(t, deliver(&d, iwpm_mapping_error_cb, error_message(seq, 0)), 0);
	KT_EXPECT_EQ(t, end_request(&req), -EPROTO);
	receive(t, &d, RDMA_NL_IWPM_REMOVE_MAPPING);
	stop_daemon(t, &d);
}

static int announce_peer(struct daemon *d, u32 portid, const struct iwpm_sa_data *peer, u16 error)
{
	return deliver_from(d, portid, iwpm_remote_info_cb,
			    query_message(RDMA_NL_IWPM_REMOTE_INFO, 0, peer, error));
}

/* A silent peer is one on its own link, and is asked again when it has announced itself. */
static void test_silent_links(struct ktap *t)
{
	static struct iwpm_sa_data peer;
	struct daemon d;

	if (!start_announced(t, &d))
		return;
	register_first(t, &d);
	is_silent(t, &d, 1, true);
	is_silent(t, &d, 1, false);
	is_asked_for(t, &d, 2);
	peer = query_answer("fe80::1", 7010, "fe80::2", 7011);
	KT_EXPECT_EQ(t, announce_peer(&d, d.portid, &peer, 0), 0);
	is_asked_for(t, &d, 1);
	stop_daemon(t, &d);
}

/* Peers that are announced wrongly: with an error, and with addresses of different families. */
static noinline_for_stack void refuse_peers(struct ktap *t, struct daemon *d,
					    const struct iwpm_sa_data *peer)
{
	const struct sockaddr_storage unix_addr = { .ss_family = AF_UNIX };
	struct iwpm_sa_data wrong = *peer;

	KT_EXPECT_EQ(t, announce_peer(d, d->portid, peer, IWPM_REMOTE_QUERY_REJECT), -EINVAL);
	wrong.mapped_loc_addr = kt_address("::1", 37005);
	KT_EXPECT_EQ(t, announce_peer(d, d->portid, &wrong, 0), -EINVAL);
	wrong = *peer;
	wrong.rem_addr = kt_address("::1", 7006);
	KT_EXPECT_EQ(t, announce_peer(d, d->portid, &wrong, 0), -EINVAL);
	wrong = (struct iwpm_sa_data) {
		.loc_addr = unix_addr, .rem_addr = unix_addr, .mapped_loc_addr = unix_addr,
		.mapped_rem_addr = unix_addr,
	};
	KT_EXPECT_EQ(t, announce_peer(d, d->portid, &wrong, 0), -EINVAL);
}

static noinline_for_stack int find_peer(const char *local, u16 local_port, const char *remote,
					u16 remote_port, struct sockaddr_storage *real)
{
	struct sockaddr_storage loc = kt_address(local, local_port);
	struct sockaddr_storage rem = kt_address(remote, remote_port);

	return iwpm_get_remote_info(&loc, &rem, real, RDMA_NL_IWCM);
}

/*
 * A peer is found by both addresses on the wire. The last announcement of the same addresses
 * counts, and one of a wildcard holds for all addresses with this port.
 */
static void test_other_remotes(struct ktap *t)
{
	struct iwpm_sa_data peer = query_answer("127.0.0.1", 7005, "127.0.0.2", 7006);
	struct sockaddr_storage real;
	struct daemon d;

	if (!start_announced(t, &d))
		return;
	KT_EXPECT_EQ(t, announce_peer(&d, d.portid, &peer, 0), 0);
	peer.rem_addr = kt_address("127.0.0.2", 7007);
	KT_EXPECT_EQ(t, announce_peer(&d, d.portid, &peer, 0), 0);
	KT_EXPECT_EQ(t, find_peer("127.0.0.1", 37005, "127.0.0.3", 37006, &real), -ENOENT);
	KT_EXPECT_EQ(t, find_peer("127.0.0.1", 37006, "127.0.0.2", 37006, &real), -ENOENT);
	KT_EXPECT_EQ(t, find_peer("127.0.0.1", 37005, "127.0.0.2", 37006, &real), 0);
	KT_EXPECT(t, kt_has_port(&real, 7007));
	KT_EXPECT_EQ(t, find_peer("127.0.0.1", 37005, "127.0.0.2", 37006, &real), -ENOENT);

	peer.mapped_loc_addr = kt_address("0.0.0.0", 37005);
	KT_EXPECT_EQ(t, announce_peer(&d, d.portid, &peer, 0), 0);
	KT_EXPECT_EQ(t, find_peer("127.0.0.1", 37006, "127.0.0.2", 37006, &real), -ENOENT);
	KT_EXPECT_EQ(t, find_peer("127.0.0.1", 37005, "127.0.0.2", 37006, &real), 0);
	stop_daemon(t, &d);
}

#define MAX_ANNOUNCED	4096

/* Of more peers than the kernel remembers, the first one is forgotten. */
static void test_many_remotes(struct ktap *t)
{
	struct iwpm_sa_data peer = query_answer("127.0.0.1", 7005, "127.0.0.2", 7006);
	struct sockaddr_storage real;
	struct daemon d;
	int i;

	if (!start_announced(t, &d))
		return;
	for (i = 0; i <= MAX_ANNOUNCED; i++) {
		peer.mapped_rem_addr = kt_address("127.0.0.2", 10000 + i);
		if (!KT_EXPECT_EQ(t, announce_peer(&d, d.portid, &peer, 0), 0))
			break;
	}
	KT_EXPECT_EQ(t, find_peer("127.0.0.1", 37005, "127.0.0.2", 10000, &real), -ENOENT);
	for (i = 1; i <= MAX_ANNOUNCED; i++)
		if (!KT_EXPECT_EQ(t, find_peer("127.0.0.1", 37005, "127.0.0.2", 10000 + i, &real),
				  0))
			break;
	stop_daemon(t, &d);
}

static void test_remote(struct ktap *t)
{
	struct iwpm_sa_data peer = query_answer("127.0.0.1", 7005, "127.0.0.2", 7006);
	struct sockaddr_storage remote = {};
	struct daemon d;
	int i;

	if (!start_announced(t, &d))
		return;
	refuse_peers(t, &d, &peer);
	KT_EXPECT_EQ(t, iwpm_get_remote_info(&peer.mapped_loc_addr, &peer.mapped_rem_addr,
					     &remote, RDMA_NL_IWCM), -ENOENT);
	for (i = 1; i >= 0; i--)
		KT_EXPECT_EQ(t, announce_peer(&d, d.portid + i, &peer, 0), i ? -EPERM : 0);
	KT_EXPECT_EQ(t, iwpm_get_remote_info(&peer.mapped_loc_addr, &peer.mapped_rem_addr,
					     &remote, RDMA_NL_IWCM), 0);
	KT_EXPECT(t, kt_has_port(&remote, 7006));
	/* A peer is announced for one connection. */
	KT_EXPECT_EQ(t, iwpm_get_remote_info(&peer.mapped_loc_addr, &peer.mapped_rem_addr,
					     &remote, RDMA_NL_IWCM), -ENOENT);
	stop_daemon(t, &d);
}

static void test_malformed(struct ktap *t)
{
	static const struct {
		handler_fn *handle;
		u16 op;
	} messages[] = {
		{ iwpm_register_pid_cb, RDMA_NL_IWPM_REG_PID },
		{ iwpm_add_mapping_cb, RDMA_NL_IWPM_ADD_MAPPING },
		{ iwpm_add_and_query_mapping_cb, RDMA_NL_IWPM_QUERY_MAPPING },
		{ iwpm_remote_info_cb, RDMA_NL_IWPM_REMOTE_INFO },
		{ iwpm_mapping_error_cb, RDMA_NL_IWPM_HANDLE_ERR },
		{ iwpm_mapping_info_cb, RDMA_NL_IWPM_MAPINFO },
		{ iwpm_ack_mapping_info_cb, RDMA_NL_IWPM_MAPINFO_NUM },
	};
	struct sk_buff *skb;
	struct daemon d;
	int i;

	if (!start_daemon(t, &d))
		return;
	for (i = 0; i < ARRAY_SIZE(messages); i++) {
		KT_EXPECT_EQ(t, deliver(&d, messages[i].handle, new_message(messages[i].op)),
			     -EINVAL);
		/* One attribute, of a length that is wrong for each kind. */
		skb = new_message(messages[i].op);
		WARN_ON(nla_put(skb, 1, 1, "x"));
		KT_EXPECT(t, deliver(&d, messages[i].handle, skb) < 0);
	}
	KT_EXPECT_EQ(t, iwpm_valid_pid(), 0);
	stop_daemon(t, &d);
}

static const struct ktap_case daemon_cases[] = {
	{ "it is sent the mappings, and acknowledges them", test_announced,
	  COVERS(iwpm_mapping_info_cb iwpm_ack_mapping_info_cb iwpm_create_mapinfo
		 iwpm_valid_pid) },
	{ "a device is registered; wrong answers", test_registration,
	  COVERS(iwpm_register_pid iwpm_register_pid_cb iwpm_dev_data) },
	{ "it is found by a search", test_search },
	{ "another one takes its place", test_replaced },
	{ "it is too old for flags", test_old_daemon },
	{ "a mapping is added, removed, and refused", test_addition,
	  COVERS(iwpm_add_mapping iwpm_add_mapping_cb iwpm_remove_mapping iwpm_sa_data) },
	{ "a mapping is added, and the peer's is queried", test_daemon_query,
	  COVERS(iwpm_add_and_query_mapping iwpm_add_and_query_mapping_cb iwpm_sa_data) },
	{ "answers about a peer", test_peer_answers },
	{ "a peer is asked once, and another one from the same address, too", test_silent_peers },
	{ "a mapping whose mapped port changes", test_other_port },
	{ "ports that are chosen are free", test_chosen_ports },
	{ "a search for a daemon beside a full buffer", test_full_buffer },
	{ "it does not answer", test_unresponsive },
	{ "a request times out before it is sent", test_unsent },
	{ "it says hello again, and does not read", test_hello_again },
	{ "it announces itself while it is asked", test_announced_meanwhile },
	{ "waits that are cancelled", test_cancelled_waits },
	{ "failures of the first of two users", test_shared_failures },
	{ "a silent peer on one of two links", test_silent_links },
	{ "an error is reported", test_error, COVERS(iwpm_mapping_error_cb) },
	{ "a peer is announced, and found once", test_remote,
	  COVERS(iwpm_remote_info_cb iwpm_get_remote_info) },
	{ "peers with similar addresses", test_other_remotes },
	{ "more peers than are remembered", test_many_remotes },
	{ "malformed messages change nothing", test_malformed,
	  COVERS(netlink_callback sk_buff iwpm_register_pid_cb iwpm_add_mapping_cb
		 iwpm_add_and_query_mapping_cb iwpm_remote_info_cb iwpm_mapping_error_cb
		 iwpm_mapping_info_cb iwpm_ack_mapping_info_cb) },
};

KTAP_SUITE(kt_portmap_daemon_suite, "daemon", daemon_cases);
