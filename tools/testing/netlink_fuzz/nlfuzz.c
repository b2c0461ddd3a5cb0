// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Builds messages for a client of RDMA netlink from the client's grammar, makes the messages
 * invalid, and sends them.
 *
 * nlfuzz iwcm | nldev SEED COUNT
 *
 * A message that would change something always has a defect, or comes from the wrong sender, and
 * must be refused; without root, with EPERM or as an unknown operation. Each message must get a
 * reply. The first message that is not refused or gets no reply ends the run with status 1.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <arpa/inet.h>
#include <sys/socket.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <rdma/rdma_netlink.h>

#include "grammar.h"
#include "tools/testing/lib/array.h"
#include "tools/testing/lib/random.h"

#define MESSAGE_MAX	4096
#define NO_REPLY	(-1)

/* The defect of a message. A defect makes the message invalid, whatever else it contains. */
enum defect {
	DEFECT_NONE,
	DEFECT_TOO_LONG,	/* an attribute states a length beyond the end of the message */
	DEFECT_TOO_SHORT,	/* an attribute states a length shorter than its header */
	DEFECT_REST,		/* trailing bytes that are no attribute */
	DEFECT_LENGTH,		/* an attribute's value has the wrong length */
	DEFECT_MISSING,		/* an attribute is missing; only iwcm requires all attributes */
	DEFECT_UNKNOWN,		/* an unknown attribute; nldev ignores such attributes */
	DEFECT_OPERATION,	/* an unknown operation */
	NR_DEFECTS
};

struct message {
	union {
		struct nlmsghdr header;
		unsigned char bytes[MESSAGE_MAX];
	};
	size_t length;
};

static struct nl_sock *sock;
static uint64_t random_state;
static unsigned int sequence;
static unsigned int error_counts[256];

static unsigned int below(unsigned int limit)
{
	return random_below(&random_state, limit);
}

/* Building */

static void put_with_length(struct message *m, unsigned int type, const void *data, size_t length,
			    unsigned int stated)
{
	struct nlattr attr = { .nla_type = type, .nla_len = stated };

	if (m->length + NLA_HDRLEN + NLA_ALIGN(length) > MESSAGE_MAX - 16)
		return;
	memcpy(m->bytes + m->length, &attr, sizeof(attr));
	if (length)
		memcpy(m->bytes + m->length + NLA_HDRLEN, data, length);
	m->length += NLA_HDRLEN + NLA_ALIGN(length);
}

static void put(struct message *m, unsigned int type, const void *data, size_t length)
{
	put_with_length(m, type, data, length, NLA_HDRLEN + length);
}

static void random_bytes(unsigned char *to, size_t length)
{
	while (length--)
		*to++ = below(256);
}

static void put_number(struct message *m, const struct attr_rule *rule, size_t size)
{
	static const uint32_t edges[] = { 0, 1, 0x7fffffff, UINT32_MAX };
	uint32_t value = below(4) ? rule->number : edges[below(ARRAY_SIZE(edges))];

	put(m, rule->type, &value, size);
}

static void put_string(struct message *m, const struct attr_rule *rule)
{
	char text[300];
	size_t length;

	snprintf(text, sizeof(text), "%s", rule->text);
	length = strlen(text) + 1;
	if (!below(8)) {
		length = below(sizeof(text) - 1) + 1;
		memset(text, 'x', length);
		text[length - 1] = '\0';
	}
	put(m, rule->type, text, length);
}

static void put_address(struct message *m, const struct attr_rule *rule)
{
	struct sockaddr_storage addr = { .ss_family = below(2) ? AF_INET : AF_INET6 };

	random_bytes((unsigned char *)&addr + sizeof(addr.ss_family), 26);
	if (!below(8))
		addr.ss_family = below(65536);
	put(m, rule->type, &addr, sizeof(addr));
}

static void put_nest(struct message *m, const struct attr_rule *rule)
{
	struct message inner = { .length = 0 };
	uint32_t value = below(100);
	unsigned int i, num = below(4);

	for (i = 0; i < num; i++)
		put(&inner, below(4) ? rule->number : below(65536), &value, sizeof(value));
	put(m, rule->type | NLA_F_NESTED, inner.bytes, inner.length);
}

static void put_rule(struct message *m, const struct attr_rule *rule)
{
	switch (rule->kind) {
	case KIND_U8:
		return put_number(m, rule, 1);
	case KIND_U16:
		return put_number(m, rule, 2);
	case KIND_U32:
		return put_number(m, rule, 4);
	case KIND_STRING:
		return put_string(m, rule);
	case KIND_ADDRESS:
		return put_address(m, rule);
	case KIND_NEST:
		return put_nest(m, rule);
	case KIND_END:
		return;
	}
}

static unsigned int count_attrs(const struct op_rule *op)
{
	unsigned int num = 0;

	while (num < RULE_ATTRS && op->attrs[num].kind)
		num++;
	return num;
}

/*
 * Adds the attributes of the rule @op, beginning with a random one, but leaves out the attribute
 * with index @missing.
 */
static void put_attrs(struct message *m, const struct op_rule *op, unsigned int missing)
{
	unsigned int num = count_attrs(op), first = num ? below(num) : 0;
	unsigned int i, at;

	for (i = 0; i < num; i++) {
		at = (first + i) % num;
		if (at != missing)
			put_rule(m, &op->attrs[at]);
	}
}

static void put_defect(struct message *m, const struct op_rule *op, enum defect defect)
{
	uint32_t value = below(4);

	switch (defect) {
	case DEFECT_TOO_LONG:
		put_with_length(m, op->attrs[0].type, &value, 4, 64 + below(60000));
		break;
	case DEFECT_TOO_SHORT:
		put_with_length(m, op->attrs[0].type, &value, 4, below(NLA_HDRLEN));
		break;
	case DEFECT_REST:
		random_bytes(m->bytes + m->length, 3);
		m->length += 1 + below(3);
		break;
	case DEFECT_LENGTH:
		put(m, op->attrs[0].type, &value, op->attrs[0].kind == KIND_STRING ? 0 : 3);
		break;
	case DEFECT_UNKNOWN:
		put(m, 60 + below(1000), &value, 4);
		break;
	case DEFECT_OPERATION:
		m->header.nlmsg_type |= 1023;
		break;
	default:
		break;
	}
}

/*
 * Returns whether a message with @defect has no effect. nlfuzz is not the daemon, so messages to
 * iwcm have no effect, except the two that make their sender the daemon.
 */
static bool changes_nothing(const struct client_rule *client, const struct op_rule *op,
			    enum defect defect)
{
	bool is_iwcm = client->client == RDMA_NL_IWCM;

	switch (defect) {
	case DEFECT_NONE:
		if (is_iwcm)
			return op->op != RDMA_NL_IWPM_HELLO && op->op != RDMA_NL_IWPM_MAPINFO;
		return !op->changes;
	case DEFECT_LENGTH:
		return op->attrs[0].kind && op->attrs[0].kind != KIND_NEST &&
		       op->attrs[0].kind != KIND_U8;
	case DEFECT_MISSING:
	case DEFECT_UNKNOWN:
		return is_iwcm;
	default:
		return true;
	}
}

static enum defect choose_defect(const struct client_rule *client, const struct op_rule *op)
{
	enum defect defect;

	do {
		defect = below(NR_DEFECTS);
	} while (!changes_nothing(client, op, defect));
	return defect;
}

static void build(struct message *m, const struct client_rule *client, const struct op_rule *op)
{
	enum defect defect = choose_defect(client, op);
	unsigned int num = count_attrs(op);

	m->length = NLMSG_HDRLEN;
	m->header = (struct nlmsghdr) {
		.nlmsg_type = RDMA_NL_GET_TYPE(client->client, op->op),
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | (below(8) ? 0 : below(16) << 8),
		.nlmsg_seq = ++sequence,
	};
	/* A random attribute could supply the missing one. */
	if (defect != DEFECT_MISSING && !below(4)) {
		unsigned char data[140];
		size_t length = below(sizeof(data));

		random_bytes(data, length);
		put(m, below(4) ? below(client->max_attr) : below(65536), data, length);
	}
	put_attrs(m, op, defect == DEFECT_MISSING ? below(num) : num);
	if (defect != DEFECT_MISSING && !below(8))
		put_attrs(m, op, num);
	put_defect(m, op, defect);
	m->header.nlmsg_len = m->length;
}

/* Sending. The kernel replies within send(), except for the later parts of a dump. */

static int find_error(const unsigned char *buf, int length)
{
	const struct nlmsghdr *nlh = (const struct nlmsghdr *)buf;

	for (; nlmsg_ok(nlh, length); nlh = nlmsg_next((struct nlmsghdr *)nlh, &length))
		if (nlh->nlmsg_seq == sequence &&
		    (nlh->nlmsg_type == NLMSG_ERROR || nlh->nlmsg_type == NLMSG_DONE))
			return -*(const int *)nlmsg_data(nlh);
	return NO_REPLY;
}

static int receive_error(void)
{
	static unsigned char buf[65536];
	int error = NO_REPLY;
	int length;

	while (error == NO_REPLY) {
		length = recv(nl_socket_get_fd(sock), buf, sizeof(buf), MSG_DONTWAIT);
		if (length <= 0)
			break;
		error = find_error(buf, length);
	}
	return error;
}

static bool is_expected(const struct op_rule *op, int error, bool privileged)
{
	if (error == NO_REPLY)
		return false;
	if (!op->changes)
		return true;
	/* An unknown operation is refused before privileges are checked, with another errno. */
	if (!privileged)
		return error == EPERM || error == EINVAL || error == EOPNOTSUPP;
	return error;
}

static bool run_one(const struct client_rule *client, bool privileged)
{
	const struct op_rule *op = &client->rules[below(client->num_rules)];
	static struct message m;
	int err, error;

	build(&m, client, op);
	err = nl_sendto(sock, m.bytes, m.length);
	if (err < 0) {
		fprintf(stderr, "nl_sendto: %s\n", nl_geterror(err));
		exit(2);
	}
	error = receive_error();
	if (error >= 0 && error < (int)ARRAY_SIZE(error_counts))
		error_counts[error]++;
	if (is_expected(op, error, privileged))
		return true;
	printf("operation %u, error %d:", RDMA_NL_GET_OP(m.header.nlmsg_type), error);
	for (size_t i = 0; i < m.length; i++)
		printf("%s%02x", i % 4 ? "" : " ", m.bytes[i]);
	putchar('\n');
	return false;
}

static int run(const struct client_rule *client, unsigned int count)
{
	bool privileged = !geteuid();
	unsigned int i, good = 0;

	while (good < count && run_one(client, privileged))
		good++;
	printf("%u messages", good);
	for (i = 0; i < ARRAY_SIZE(error_counts); i++)
		if (error_counts[i])
			printf(", %u times %s", error_counts[i], i ? strerror(i) : "success");
	putchar('\n');
	return good < count;
}

static const struct client_rule *find_client(const char *name)
{
	unsigned int i;

	for (i = 0; i < grammar_size; i++)
		if (!strcmp(grammar[i].name, name))
			return &grammar[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct client_rule *client = argc == 4 ? find_client(argv[1]) : NULL;
	int err;

	if (!client) {
		fputs("Usage: nlfuzz iwcm | nldev SEED COUNT\n", stderr);
		return 2;
	}
	random_state = strtoul(argv[2], NULL, 0);
	sock = nl_socket_alloc();
	err = nl_connect(sock, NETLINK_RDMA);
	if (err) {
		fprintf(stderr, "nl_connect: %s\n", nl_geterror(err));
		return 2;
	}
	return run(client, strtoul(argv[3], NULL, 0));
}
