// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * A port mapper daemon that misbehaves a given number of times, and works correctly after that.
 *
 *   iwpmfake FAULT [OP [TIMES]]   FAULT: see faults[]; OP: register, add (default) or query;
 *                                 TIMES (1): number of replies to OP that have the fault
 *
 * A port N below 40000 is mapped to N + 20000, any other port N to N - 20000, for local and remote
 * addresses alike. Requests are counted as iwpmd counts them: a query of a mapped address, and an
 * addition of a mapped wildcard, add a user; another addition of a mapped address is refused; a
 * removal takes a user away. iwpmfake prints each request with the kernel's errno for each reply to
 * the request, "mapped N" when the number N of mapped addresses has changed, and "ready" when the
 * kernel knows the daemon. iwpmfake runs until a signal ends it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <rdma/rdma_netlink.h>

#include "tools/testing/lib/die.h"

#define OFFSET		20000
#define ULIB		"iWarpPortMapperUser"
#define TYPE(op)	RDMA_NL_GET_TYPE(RDMA_NL_IWCM, (op))

enum {
	INVALID_NLMSG = 10,
	DUPLICATE = 12,
	QUERY_REJECT = 16,
};

/* A reply to a request of the kernel. A fault changes the reply before the reply is sent. */
struct reply {
	int op;
	uint32_t seq;
	char device[32];
	char ulib[32];
	uint16_t version;
	struct sockaddr_storage local, remote, mapped_local, mapped_remote;
	uint16_t error;
	bool incomplete;	/* leave out the last attribute */
	bool strange;		/* add an unknown attribute */
	unsigned int cut;	/* number of bytes to cut off at the end */
	unsigned int times;	/* number of times that the reply is sent */
	bool from_another;	/* send from another socket than the daemon's */
};

enum fault_kind {
	GOOD, SILENT, LATE, HANGS, TWICE, SEQUENCE, NUMBER_ZERO, FAMILY, OTHER_FAMILY, HOST, LOCAL,
	REMOTE, PORT_ZERO, REFUSED, REJECTED, ERROR_MESSAGE, WRONG_OPERATION, TRUNCATED, INCOMPLETE,
	STRANGE, UNPRIVILEGED, ANOTHER, LIBRARY, OLD, DIES,
};

struct fault {
	const char *name;
	enum fault_kind kind;
	uint16_t error;		/* the error that the reply reports */
	uint16_t version;	/* version in hello; 0 stands for IWPM_UABI_VERSION */
	int buffer;		/* bytes of the receive buffer of a slow reader; 0: reads at once */
	unsigned int seconds;	/* for LATE: the delay */
};

static struct nl_sock *daemon_sock;
/* The line that is printed about the present request. */
static FILE *line;
/* The version agreed on with the kernel. */
static uint16_t abi_version = IWPM_UABI_VERSION;

static in_port_t *port_of(struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET ? &((struct sockaddr_in *)addr)->sin_port :
					    &((struct sockaddr_in6 *)addr)->sin6_port;
}

static void shift_host(struct sockaddr_storage *addr)
{
	if (addr->ss_family == AF_INET)
		((struct sockaddr_in *)addr)->sin_addr.s_addr ^= htonl(0x00010000);
	else
		((struct sockaddr_in6 *)addr)->sin6_addr.s6_addr[1] ^= 1;
}

static struct sockaddr_storage mapped(struct sockaddr_storage addr)
{
	unsigned int port = ntohs(*port_of(&addr));

	*port_of(&addr) = htons(port < 2 * OFFSET ? port + OFFSET : port - OFFSET);
	return addr;
}

/* Faults */

static const struct fault faults[] = {
	{ "good", GOOD },
	{ "version3", GOOD, .version = 3 },
	{ "version9", GOOD, .version = 9 },
	{ "silent", SILENT },
	{ "late", LATE, .seconds = 9 },
	{ "late-3", LATE, .seconds = 3 },
	{ "late-7", LATE, .seconds = 7 },
	{ "hangs", HANGS },
	{ "slow", GOOD, .buffer = 4096 },
	{ "duplicate", ERROR_MESSAGE, .error = DUPLICATE },
	{ "twice", TWICE },
	{ "sequence", SEQUENCE },
	{ "number-zero", NUMBER_ZERO },
	{ "family", FAMILY },
	{ "other-family", OTHER_FAMILY },
	{ "host", HOST },
	{ "local", LOCAL },
	{ "remote", REMOTE },
	{ "port-zero", PORT_ZERO },
	{ "refused", REFUSED, .error = INVALID_NLMSG },
	{ "rejected", REJECTED, .error = QUERY_REJECT },
	{ "error-message", ERROR_MESSAGE, .error = INVALID_NLMSG },
	{ "wrong-operation", WRONG_OPERATION },
	{ "truncated", TRUNCATED },
	{ "incomplete", INCOMPLETE },
	{ "strange", STRANGE },
	{ "unprivileged", UNPRIVILEGED },
	{ "another", ANOTHER },
	{ "library", LIBRARY },
	{ "old", OLD },
	{ "dies", DIES },
	{ }
};

static void change_addresses(enum fault_kind kind, struct reply *a)
{
	switch (kind) {
	case FAMILY:
		a->mapped_local.ss_family = AF_UNIX;
		break;
	case OTHER_FAMILY:
		a->mapped_local.ss_family = a->local.ss_family == AF_INET ? AF_INET6 : AF_INET;
		break;
	case HOST:
		shift_host(&a->mapped_local);
		break;
	case LOCAL:
		shift_host(&a->local);
		break;
	case REMOTE:
		shift_host(&a->mapped_remote);
		break;
	case PORT_ZERO:
		*port_of(&a->mapped_local) = 0;
		break;
	case REJECTED:
		a->mapped_remote = a->remote;
		break;
	case WRONG_OPERATION:
		a->op = a->op == RDMA_NL_IWPM_ADD_MAPPING ? RDMA_NL_IWPM_QUERY_MAPPING :
							    RDMA_NL_IWPM_ADD_MAPPING;
		a->remote = a->local;
		a->mapped_remote = a->mapped_local;
		break;
	default:
		break;
	}
}

/* Changes the reply, or delays it. */
static void apply(const struct fault *f, struct reply *a)
{
	a->error = f->error;
	change_addresses(f->kind, a);
	switch (f->kind) {
	case SILENT:
		a->times = 0;
		break;
	case LATE:
		sleep(f->seconds);
		break;
	case HANGS:
		for (;;)
			pause();
	case TWICE:
		a->times = 2;
		break;
	case SEQUENCE:
		a->seq += 1000;
		break;
	case NUMBER_ZERO:
		a->seq = 0;
		break;
	case ERROR_MESSAGE:
		a->op = RDMA_NL_IWPM_HANDLE_ERR;
		break;
	case TRUNCATED:
		a->cut = 20;
		break;
	case INCOMPLETE:
		a->incomplete = true;
		break;
	case STRANGE:
		a->strange = true;
		break;
	case UNPRIVILEGED:
		if (seteuid(65534))
			die("seteuid: %m");
		break;
	case ANOTHER:
		a->from_another = true;
		break;
	case LIBRARY:
		strcpy(a->ulib, "another library");
		break;
	case OLD:
		a->version = IWPM_UABI_VERSION_MIN - 1;
		break;
	case DIES:
		exit(0);
	default:
		break;
	}
}

/* Mapped addresses and their users */

static struct mapping {
	struct sockaddr_storage local;
	unsigned int users;
} mappings[4096];
static unsigned int num_mappings, num_printed;

static bool is_wildcard(const struct sockaddr_storage *addr)
{
	static const struct in6_addr any;

	return addr->ss_family == AF_INET ?
		       !((struct sockaddr_in *)addr)->sin_addr.s_addr :
		       !memcmp(&((struct sockaddr_in6 *)addr)->sin6_addr, &any, sizeof(any));
}

static struct mapping *find_mapping(const struct sockaddr_storage *local)
{
	unsigned int i;

	for (i = 0; i < num_mappings; i++)
		if (!memcmp(&mappings[i].local, local, sizeof(*local)))
			return &mappings[i];
	return NULL;
}

/* Returns false if the address is mapped and the request is an addition of it. */
static bool add_user(int op, const struct sockaddr_storage *local)
{
	struct mapping *mapping = find_mapping(local);

	if (mapping && op == RDMA_NL_IWPM_ADD_MAPPING && !is_wildcard(local))
		return false;
	if (!mapping && num_mappings < sizeof(mappings) / sizeof(*mappings)) {
		mapping = &mappings[num_mappings++];
		*mapping = (struct mapping){ .local = *local };
	}
	if (mapping)
		mapping->users++;
	return mapping;
}

static void remove_user(const struct sockaddr_storage *local)
{
	struct mapping *mapping = find_mapping(local);

	if (mapping && !--mapping->users)
		*mapping = mappings[--num_mappings];
}

/* Sending */

static void put_addr(struct nl_msg *msg, int type, const struct sockaddr_storage *addr)
{
	nla_put(msg, type, sizeof(*addr), addr);
}

static struct nl_msg *build(const struct reply *a)
{
	struct nl_msg *msg = nlmsg_alloc();

	nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, TYPE(a->op), 0, NLM_F_REQUEST | NLM_F_ACK);
	if (a->op == RDMA_NL_IWPM_REG_PID) {
		nla_put_u32(msg, IWPM_NLA_RREG_PID_SEQ, a->seq);
		nla_put_string(msg, IWPM_NLA_RREG_IBDEV_NAME, a->device);
		nla_put_string(msg, IWPM_NLA_RREG_ULIB_NAME, a->ulib);
		nla_put_u16(msg, IWPM_NLA_RREG_ULIB_VER, a->version);
		if (!a->incomplete)
			nla_put_u16(msg, IWPM_NLA_RREG_PID_ERR, a->error);
	} else if (a->op == RDMA_NL_IWPM_ADD_MAPPING) {
		nla_put_u32(msg, IWPM_NLA_RMANAGE_MAPPING_SEQ, a->seq);
		put_addr(msg, IWPM_NLA_RMANAGE_ADDR, &a->local);
		put_addr(msg, IWPM_NLA_RMANAGE_MAPPED_LOC_ADDR, &a->mapped_local);
		if (!a->incomplete)
			nla_put_u16(msg, IWPM_NLA_RMANAGE_MAPPING_ERR, a->error);
	} else if (a->op == RDMA_NL_IWPM_QUERY_MAPPING) {
		nla_put_u32(msg, IWPM_NLA_RQUERY_MAPPING_SEQ, a->seq);
		put_addr(msg, IWPM_NLA_RQUERY_LOCAL_ADDR, &a->local);
		put_addr(msg, IWPM_NLA_RQUERY_REMOTE_ADDR, &a->remote);
		put_addr(msg, IWPM_NLA_RQUERY_MAPPED_LOC_ADDR, &a->mapped_local);
		put_addr(msg, IWPM_NLA_RQUERY_MAPPED_REM_ADDR, &a->mapped_remote);
		if (!a->incomplete)
			nla_put_u16(msg, IWPM_NLA_RQUERY_MAPPING_ERR, a->error);
	} else {
		nla_put_u32(msg, IWPM_NLA_ERR_SEQ, a->seq);
		nla_put_u16(msg, IWPM_NLA_ERR_CODE, a->error);
	}
	if (a->strange)
		nla_put_u32(msg, 50, 1);
	nlmsg_hdr(msg)->nlmsg_len -= a->cut;
	return msg;
}

/* Requests that arrive while await_ack() waits. handle_deferred() handles these requests later. */
static struct nl_msg *deferred[64];
static unsigned int num_deferred;

static void defer(struct nlmsghdr *nlh)
{
	if (num_deferred == sizeof(deferred) / sizeof(*deferred))
		die("too many requests at a time");
	deferred[num_deferred++] = nlmsg_convert(nlh);
}

/* Returns the kernel's error for message @seq: 0 or a negative errno. */
static int await_ack(struct nl_sock *sock, uint32_t seq)
{
	struct sockaddr_nl from;
	unsigned char *buf;
	struct nlmsghdr *nlh;
	int error = 1;
	int length;

	while (error > 0) {
		length = nl_recv(sock, &from, &buf, NULL);
		if (length < 0)
			die("nl_recv: %s", nl_geterror(length));
		for (nlh = (struct nlmsghdr *)buf; nlmsg_ok(nlh, length);
		     nlh = nlmsg_next(nlh, &length)) {
			if (nlh->nlmsg_type != NLMSG_ERROR)
				defer(nlh);
			else if (((struct nlmsgerr *)nlmsg_data(nlh))->msg.nlmsg_seq == seq)
				error = ((struct nlmsgerr *)nlmsg_data(nlh))->error;
		}
		free(buf);
	}
	return error;
}

static int send_msg(struct nl_sock *sock, struct nl_msg *msg)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	uint32_t seq;
	int err;

	nl_complete_msg(sock, msg);
	seq = nlh->nlmsg_seq;
	err = nl_sendto(sock, nlh, nlh->nlmsg_len);
	if (err < 0)
		die("nl_sendto: %s", nl_geterror(err));
	nlmsg_free(msg);
	return -await_ack(sock, seq);
}

static struct nl_sock *open_socket(void)
{
	struct nl_sock *sock = nl_socket_alloc();
	int err = nl_connect(sock, NETLINK_RDMA);

	if (err)
		die("nl_connect: %s", nl_geterror(err));
	return sock;
}

static void send_reply(const struct reply *a)
{
	struct nl_sock *sock = a->from_another ? open_socket() : daemon_sock;
	unsigned int i;

	for (i = 0; i < a->times; i++)
		fprintf(line, " %d", send_msg(sock, build(a)));
	if (a->from_another)
		nl_socket_free(sock);
	if (!geteuid() || seteuid(0) == 0)
		return;
	die("seteuid: %m");
}

/* Receiving */

static const struct fault *fault;
static int fault_op;
static unsigned int fault_times = 1;

static const char *const op_names[] = {
	[RDMA_NL_IWPM_REG_PID] = "register",	     [RDMA_NL_IWPM_ADD_MAPPING] = "add",
	[RDMA_NL_IWPM_QUERY_MAPPING] = "query",	     [RDMA_NL_IWPM_REMOVE_MAPPING] = "remove",
	[RDMA_NL_IWPM_REMOTE_INFO] = "remote-info",  [RDMA_NL_IWPM_HANDLE_ERR] = "error",
	[RDMA_NL_IWPM_MAPINFO] = "mapinfo",	     [RDMA_NL_IWPM_MAPINFO_NUM] = "mapinfo-num",
	[RDMA_NL_IWPM_HELLO] = "hello",
};

static void get_addr(struct nlmsghdr *nlh, int type, struct sockaddr_storage *addr)
{
	struct nlattr *attr = nlmsg_find_attr(nlh, 0, type);

	memset(addr, 0, sizeof(*addr));
	if (attr)
		nla_memcpy(addr, attr, sizeof(*addr));
}

static void print_addr(struct sockaddr_storage *addr)
{
	char text[INET6_ADDRSTRLEN] = "?";
	void *bytes = &((struct sockaddr_in6 *)addr)->sin6_addr;

	if (addr->ss_family == AF_INET)
		bytes = &((struct sockaddr_in *)addr)->sin_addr;
	inet_ntop(addr->ss_family, bytes, text, sizeof(text));
	fprintf(line, " %s:%u", text, ntohs(*port_of(addr)));
}

/* Prints a remark if flags are present with version 3, or missing with a later version. */
static void check_flags(struct nlmsghdr *nlh, int op, int type)
{
	bool has = nlmsg_find_attr(nlh, 0, type);
	bool wanted = abi_version > IWPM_UABI_VERSION_MIN;

	if (op != RDMA_NL_IWPM_REMOVE_MAPPING && has != wanted)
		fprintf(line, " (flags are %s)", has ? "there" : "missing");
}

static void read_request(struct nlmsghdr *nlh, struct reply *a)
{
	get_addr(nlh, IWPM_NLA_MANAGE_ADDR, &a->local);
	print_addr(&a->local);
	a->mapped_local = mapped(a->local);
	if (a->op == RDMA_NL_IWPM_QUERY_MAPPING) {
		get_addr(nlh, IWPM_NLA_QUERY_REMOTE_ADDR, &a->remote);
		print_addr(&a->remote);
		a->mapped_remote = mapped(a->remote);
		check_flags(nlh, a->op, IWPM_NLA_QUERY_FLAGS);
	} else {
		check_flags(nlh, a->op, IWPM_NLA_MANAGE_FLAGS);
	}
}

static void handle_request(struct nlmsghdr *nlh, int op)
{
	struct reply a = {
		.op = op, .seq = nlh->nlmsg_seq, .ulib = ULIB, .version = abi_version, .times = 1,
	};
	struct sockaddr_storage local;

	if (op == RDMA_NL_IWPM_REG_PID) {
		struct nlattr *name = nlmsg_find_attr(nlh, 0, IWPM_NLA_REG_IBDEV_NAME);

		if (name)
			nla_strlcpy(a.device, name, sizeof(a.device));
		fprintf(line, " %s", a.device);
	} else {
		read_request(nlh, &a);
	}
	if (op == RDMA_NL_IWPM_REMOVE_MAPPING) {
		remove_user(&a.local);
		return;
	}
	if (op != RDMA_NL_IWPM_REG_PID && !add_user(op, &a.local)) {
		a.op = RDMA_NL_IWPM_HANDLE_ERR;
		a.error = DUPLICATE;
	} else if (op == fault_op && fault_times) {
		fault_times--;
		local = a.local;
		apply(fault, &a);
		if (op != RDMA_NL_IWPM_REG_PID && a.error && a.error != QUERY_REJECT)
			remove_user(&local);
	}
	send_reply(&a);
}

static void handle_message(struct nlmsghdr *nlh)
{
	unsigned int op = RDMA_NL_GET_OP(nlh->nlmsg_type);
	struct sockaddr_storage addr;
	size_t length;
	char *text;

	if (RDMA_NL_GET_CLIENT(nlh->nlmsg_type) != RDMA_NL_IWCM || op >= RDMA_NL_IWPM_NUM_OPS)
		return;
	line = open_memstream(&text, &length);
	fputs(op_names[op], line);
	if (op <= RDMA_NL_IWPM_REMOVE_MAPPING) {
		handle_request(nlh, op);
	} else if (op == RDMA_NL_IWPM_MAPINFO) {
		get_addr(nlh, IWPM_NLA_MAPINFO_LOCAL_ADDR, &addr);
		print_addr(&addr);
		add_user(RDMA_NL_IWPM_MAPINFO, &addr);
		get_addr(nlh, IWPM_NLA_MAPINFO_MAPPED_ADDR, &addr);
		print_addr(&addr);
		check_flags(nlh, RDMA_NL_IWPM_MAPINFO, IWPM_NLA_MAPINFO_FLAGS);
	} else if (op == RDMA_NL_IWPM_MAPINFO_NUM) {
		fprintf(line, " %u",
			nla_get_u32(nlmsg_find_attr(nlh, 0, IWPM_NLA_MAPINFO_SEND_NUM)));
	} else if (op == RDMA_NL_IWPM_HELLO) {
		fprintf(line, " %u",
			nla_get_u16(nlmsg_find_attr(nlh, 0, IWPM_NLA_HELLO_ABI_VERSION)));
	}
	fclose(line);
	puts(text);
	if (num_printed != num_mappings)
		printf("mapped %u\n", num_mappings);
	num_printed = num_mappings;
	fflush(stdout);
	free(text);
}

/* Handles deferred requests, including those that are deferred while a reply is sent. */
static void handle_deferred(void)
{
	unsigned int i;

	for (i = 0; i < num_deferred; i++) {
		handle_message(nlmsg_hdr(deferred[i]));
		nlmsg_free(deferred[i]);
	}
	num_deferred = 0;
}

/* Start: a daemon of version 3 begins with mapinfo, a later version sends hello before mapinfo. */

static void announce(int op, uint16_t version)
{
	struct nl_msg *msg = nlmsg_alloc();
	int flags = NLM_F_REQUEST | NLM_F_ACK;

	/* A full receive buffer has no room for an acknowledgment. */
	if (fault->buffer)
		flags = NLM_F_REQUEST;
	nlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, TYPE(op), 0, flags);
	if (op == RDMA_NL_IWPM_HELLO) {
		nla_put_u16(msg, IWPM_NLA_HELLO_ABI_VERSION, version);
	} else {
		nla_put_string(msg, IWPM_NLA_MAPINFO_ULIB_NAME, ULIB);
		nla_put_u16(msg, IWPM_NLA_MAPINFO_ULIB_VER, version);
	}
	if (!fault->buffer)
		printf("sent %s %d\n", op_names[op], send_msg(daemon_sock, msg));
	else if (nl_send_auto(daemon_sock, msg) < 0)
		die("nl_send_auto: %m");
}

static void start(void)
{
	uint16_t version = fault->version ?: IWPM_UABI_VERSION;
	int err;

	daemon_sock = open_socket();
	err = nl_socket_add_membership(daemon_sock, RDMA_NL_GROUP_IWPM);
	if (err)
		die("nl_socket_add_membership: %s", nl_geterror(err));
	if (fault->buffer && setsockopt(nl_socket_get_fd(daemon_sock), SOL_SOCKET, SO_RCVBUF,
					&fault->buffer, sizeof(fault->buffer)))
		die("SO_RCVBUF: %m");
	abi_version = version < IWPM_UABI_VERSION ? version : IWPM_UABI_VERSION;
	if (version > IWPM_UABI_VERSION_MIN)
		announce(RDMA_NL_IWPM_HELLO, version);
	announce(RDMA_NL_IWPM_MAPINFO, abi_version);
	handle_deferred();
	puts("ready");
	fflush(stdout);
}

static const struct fault *find_fault(const char *name)
{
	const struct fault *f;

	for (f = faults; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

static int find_op(const char *name)
{
	int op;

	for (op = 0; op < RDMA_NL_IWPM_REMOVE_MAPPING; op++)
		if (!strcmp(op_names[op], name))
			return op;
	return -1;
}

int main(int argc, char **argv)
{
	unsigned int received = 0;
	struct pollfd fd;

	fault = argc > 1 ? find_fault(argv[1]) : NULL;
	fault_op = find_op(argc > 2 ? argv[2] : "add");
	if (!fault || fault_op < 0) {
		fputs("Usage: iwpmfake FAULT [register | add | query [TIMES]]\n", stderr);
		return 2;
	}
	if (argc > 3)
		fault_times = strtoul(argv[3], NULL, 0);
	start();
	fd = (struct pollfd) { .fd = nl_socket_get_fd(daemon_sock), .events = POLLIN };
	while (poll(&fd, 1, -1) >= 0) {
		struct sockaddr_nl from;
		unsigned char *buf;
		struct nlmsghdr *nlh;
		int length;

		if (fault->buffer && !(received++ % 8))
			usleep(1000);
		length = nl_recv(daemon_sock, &from, &buf, NULL);
		if (length < 0)
			die("nl_recv: %s", nl_geterror(length));
		for (nlh = (struct nlmsghdr *)buf; nlmsg_ok(nlh, length);
		     nlh = nlmsg_next(nlh, &length))
			handle_message(nlh);
		free(buf);
		handle_deferred();
	}
	return 0;
}
