// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Sends malformed and random requests to NETLINK_RDMA, and checks that they fail with the right
 * error and change nothing.
 *
 *   nlprobe cases DEVICE         sends each malformed request once, and checks its error
 *   nlprobe fuzz SEED COUNT      sends random requests. A request that would change something must
 *                                fail: without CAP_NET_ADMIN with EPERM; with CAP_NET_ADMIN because
 *                                of a defect that nlprobe adds to the request
 *   nlprobe devices              dumps devices, ports, counters and resources: each entry must come
 *                                once, in order, and without an error
 *   nlprobe sizes                dumps devices, ports, counters and objects in messages of each
 *                                length: each attribute comes to the end of one, and must not get
 *                                lost there. Expects that nothing changes meanwhile
 *   nlprobe protocol DEVICE      prints the device's protocol, which older `rdma` does not print
 *   nlprobe port DEVICE PORT     prints how many QPs and counters of QPs are listed for the port,
 *                                and how QPs get counters there. `rdma` leaves out those of other
 *                                ports itself, and shows "off" for two modes
 *   nlprobe rename DEVICE COUNT FILE...
 *                                renames the device COUNT times while another process reads the
 *                                files: each text must be one of the names, after "NAME=" if the
 *                                file has that
 *   nlprobe echo | slow | admin  sends one request to the client of kt_netlink.ko
 *   nlprobe dump [COUNT]         reads a dump of the client of kt_netlink.ko; with COUNT, stops
 *                                after COUNT messages, and continues when standard input ends
 *
 * DEVICE is the index of a device of link type "fake". The exit status is 0 if everything was as
 * expected.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

#include "tools/testing/lib/array.h"
#include "tools/testing/lib/die.h"
#include "tools/testing/lib/random.h"

#define NLDEV(op)	RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, (op))
#define LS(op)		RDMA_NL_GET_TYPE(RDMA_NL_LS, (op))
#define NO_REPLY	(-1)

static int netlink_fd;
static unsigned int sequence;
static uint32_t device_index;

/* A request under construction. */
struct request {
	union {
		struct nlmsghdr header;
		char bytes[8192];
	};
	size_t length;
};

/* All messages that came back for one request. */
struct reply {
	int error;		/* errno; NO_REPLY if neither NLMSG_ERROR nor NLMSG_DONE came */
	unsigned int messages;
	unsigned int objects;	/* QPs, and counters of QPs */
	uint32_t mode;		/* enum rdma_nl_counter_mode in the last message, or 0 */
	uint64_t digest;	/* hash of all messages */
	char protocol[16];	/* protocol in the last message that has one */
	uint64_t last;		/* device and port of the last message */
	bool out_of_order;	/* devices and ports came out of order, or more than once */
};

static void open_netlink(void)
{
	int on = 1;

	netlink_fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA);
	if (netlink_fd < 0)
		die("socket: %m");
	setsockopt(netlink_fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
}

static void begin(struct request *request, unsigned int type, unsigned int flags)
{
	memset(request, 0, sizeof(*request));
	request->header.nlmsg_type = type;
	request->header.nlmsg_flags = flags | NLM_F_REQUEST | NLM_F_ACK;
	request->header.nlmsg_seq = ++sequence;
	request->length = NLMSG_HDRLEN;
}

/* Adds an attribute whose header states a length of @stated bytes, or the right length for -1. */
static void put_with_length(struct request *request, unsigned int type, const void *data,
			    size_t length, int stated)
{
	struct nlattr attr = {
		.nla_type = type,
		.nla_len = stated < 0 ? NLA_HDRLEN + length : (unsigned int)stated,
	};

	memcpy(request->bytes + request->length, &attr, sizeof(attr));
	if (length)
		memcpy(request->bytes + request->length + NLA_HDRLEN, data, length);
	request->length += NLA_HDRLEN + NLA_ALIGN(length);
}

static void put(struct request *request, unsigned int type, const void *data, size_t length)
{
	put_with_length(request, type, data, length, -1);
}

static void put_u32(struct request *request, unsigned int type, uint32_t value)
{
	put(request, type, &value, sizeof(value));
}

static void transmit(struct request *request)
{
	if (!request->header.nlmsg_len)
		request->header.nlmsg_len = request->length;
	if (send(netlink_fd, request->bytes, request->length, 0) < 0)
		die("send: %m");
}

/* Returns the data of an attribute, or NULL if the message does not have it. */
static const void *find(const struct nlmsghdr *message, unsigned int type)
{
	const char *end = (const char *)message + message->nlmsg_len;
	const char *at = (const char *)message + NLMSG_HDRLEN;
	const struct nlattr *attr;

	for (; at + sizeof(*attr) <= end; at += NLA_ALIGN(attr->nla_len)) {
		attr = (const struct nlattr *)at;
		if (attr->nla_len < NLA_HDRLEN)
			break;
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr + 1;
	}
	return NULL;
}

static uint32_t get_u32(const struct nlmsghdr *message, unsigned int type)
{
	const uint32_t *value = find(message, type);

	return value ? *value : 0;
}

static uint64_t hash(uint64_t digest, const void *data, size_t length)
{
	const unsigned char *byte = data;

	while (length--)
		digest = (digest ^ *byte++) * 0x100000001b3ULL;
	return digest;
}

/* Returns the number of attributes in an attribute, which is NULL or what find() has returned. */
static unsigned int count_nested(const void *data)
{
	const struct nlattr *attr = data, *end;
	unsigned int count = 0;

	if (!data)
		return 0;
	end = data - NLA_HDRLEN + attr[-1].nla_len;
	for (; attr < end; attr = (const void *)attr + NLA_ALIGN(attr->nla_len))
		count++;
	return count;
}

/*
 * Counts and hashes the messages of one read. Returns true if the last message of the reply has
 * come.
 */
static bool count_messages(struct reply *reply, const void *buffer, int length)
{
	const struct nlmsghdr *message = buffer;

	for (; NLMSG_OK(message, length); message = NLMSG_NEXT(message, length)) {
		const char *protocol;
		uint64_t place;

		if (message->nlmsg_seq != sequence)
			continue;
		if (message->nlmsg_type == NLMSG_ERROR || message->nlmsg_type == NLMSG_DONE) {
			reply->error = -*(const int *)NLMSG_DATA(message);
			return true;
		}
		place = (uint64_t)get_u32(message, RDMA_NLDEV_ATTR_DEV_INDEX) << 32 |
			 get_u32(message, RDMA_NLDEV_ATTR_PORT_INDEX);
		if (reply->messages && place <= reply->last)
			reply->out_of_order = true;
		reply->last = place;
		protocol = find(message, RDMA_NLDEV_ATTR_DEV_PROTOCOL);
		if (protocol)
			snprintf(reply->protocol, sizeof(reply->protocol), "%s", protocol);
		reply->digest = hash(reply->digest, NLMSG_DATA(message), NLMSG_PAYLOAD(message, 0));
		reply->mode = get_u32(message, RDMA_NLDEV_ATTR_STAT_MODE);
		reply->objects += count_nested(find(message, RDMA_NLDEV_ATTR_RES_QP)) +
				  count_nested(find(message, RDMA_NLDEV_ATTR_STAT_COUNTER));
		reply->messages++;
	}
	return false;
}

/* Reads the reply without waiting, because the kernel handles a request within send(). */
static struct reply read_reply(unsigned int limit)
{
	struct reply reply = { .error = NO_REPLY };
	/* The kernel fits each part of a dump into this buffer, so a long dump has many parts. */
	static char buffer[8192];
	ssize_t length;

	while (reply.messages < limit) {
		length = recv(netlink_fd, buffer, sizeof(buffer), MSG_DONTWAIT);
		if (length < 0 && errno == EAGAIN)
			break;
		if (length < 0)
			die("recv: %m");
		if (count_messages(&reply, buffer, length))
			break;
	}
	return reply;
}

static struct reply do_request(struct request *request)
{
	transmit(request);
	return read_reply(-1U);
}

static struct reply do_simple_request(unsigned int type, unsigned int flags)
{
	struct request request;

	begin(&request, type, flags);
	return do_request(&request);
}

/* Returns a digest of what netlink shows of all devices. */
static uint64_t snapshot(void)
{
	return do_simple_request(NLDEV(RDMA_NLDEV_CMD_GET), NLM_F_DUMP).digest ^
	       do_simple_request(NLDEV(RDMA_NLDEV_CMD_PORT_GET), NLM_F_DUMP).digest * 3 ^
	       do_simple_request(NLDEV(RDMA_NLDEV_CMD_STAT_GET), NLM_F_DUMP).digest * 5 ^
	       do_simple_request(NLDEV(RDMA_NLDEV_CMD_SYS_GET), 0).digest * 7;
}

/* --- malformed requests --- */

struct attribute {
	unsigned int type;
	const void *data;
	size_t length;
	int stated;
};

struct test_case {
	const char *name;
	unsigned int type;
	unsigned int flags;
	int error;
	struct attribute attributes[5];
	unsigned int trailing;
};

static const uint32_t no_device = 0x7ffffff0, none = 0, one = 1, manual = 2, many = 99;
static const uint32_t highest_bit = 1U << 31;
static const uint32_t qp = RDMA_NLDEV_ATTR_RES_QP;
static const uint8_t two = 2, yes = 1;
static char long_name[200];
static const struct {
	struct nlattr attr;
	uint32_t value;
} list_beyond = {
	{ sizeof(list_beyond), RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX }, 4,
}, list_fixed = {
	{ sizeof(list_fixed), RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX }, 0,
}, list_other = {
	{ sizeof(list_other), RDMA_NLDEV_ATTR_PORT_INDEX }, 2,	/* an optional counter's index */
}, list_unknown = {
	{ sizeof(list_unknown), RDMA_NLDEV_ATTR_MAX + 50 }, 2,
}, list_broken = {
	{ 400, RDMA_NLDEV_ATTR_STAT_HWCOUNTER_INDEX }, 1,
};

#define U32(type, value)	{ RDMA_NLDEV_ATTR_##type, &(value), 4, -1 }
#define STR(type, value)	{ RDMA_NLDEV_ATTR_##type, value, sizeof(value), -1 }
#define LIST(value)		{ RDMA_NLDEV_ATTR_STAT_HWCOUNTERS | NLA_F_NESTED, &(value), 8, -1 }
#define DEVICE			U32(DEV_INDEX, device_index)
#define CMD(op)			NLDEV(RDMA_NLDEV_CMD_##op)

static const struct test_case cases[] = {
	{ "client 1", 1 << 10, 0, EINVAL },
	{ "client 3, which is reserved", 3 << 10, 0, EINVAL },
	{ "the first client beyond the last one", RDMA_NL_NUM_CLIENTS << 10, 0, EINVAL },
	{ "client 63", 63 << 10, 0, EINVAL },
	{ "operation 0", NLDEV(0), 0, EOPNOTSUPP },
	{ "operation 8, which is free", NLDEV(8), 0, EOPNOTSUPP },
	/* The modules know the operations of the kernel's headers, which may be newer. */
	{ "an operation that no kernel has", NLDEV(512), 0, EINVAL },
	{ "the highest operation", NLDEV(1023), 0, EINVAL },

	{ "device without an index", CMD(GET), 0, EINVAL },
	{ "no such device", CMD(GET), 0, ENODEV, { U32(DEV_INDEX, no_device) } },
	{ "short index", CMD(GET), 0, EINVAL,
	  { { RDMA_NLDEV_ATTR_DEV_INDEX, &one, 3, -1 } } },
	{ "empty index", CMD(GET), 0, EINVAL,
	  { { RDMA_NLDEV_ATTR_DEV_INDEX, NULL, 0, -1 } } },
	{ "long index", CMD(GET), 0, EINVAL,
	  { { RDMA_NLDEV_ATTR_DEV_INDEX, long_name, 8, -1 } } },
	{ "attribute longer than the message", CMD(GET), 0, EINVAL,
	  { DEVICE, { RDMA_NLDEV_ATTR_PORT_INDEX, &one, 4, 64 } } },
	{ "attribute shorter than its header", CMD(GET), 0, EINVAL,
	  { DEVICE, { RDMA_NLDEV_ATTR_PORT_INDEX, &one, 4, 3 } } },
	{ "trailing bytes", CMD(GET), 0, EINVAL, { DEVICE }, 3 },
	{ "attribute that only replies have", CMD(GET), 0, EINVAL,
	  { DEVICE, STR(FW_VERSION, "1") } },
	{ "unknown attribute", CMD(GET), 0, 0,
	  { DEVICE, { RDMA_NLDEV_ATTR_MAX + 50, &one, 4, -1 } } },
	{ "dump with a broken attribute", CMD(GET), NLM_F_DUMP, EINVAL,
	  { { RDMA_NLDEV_ATTR_DEV_INDEX, &one, 4, 64 } } },

	{ "set nothing", CMD(SET), 0, EINVAL, { DEVICE } },
	{ "set the name of an unknown device", CMD(SET), 0, ENODEV,
	  { U32(DEV_INDEX, no_device), STR(DEV_NAME, "x") } },
	{ "empty name", CMD(SET), 0, EINVAL, { DEVICE, STR(DEV_NAME, "") } },
	{ "name of zero bytes", CMD(SET), 0, EINVAL,
	  { DEVICE, { RDMA_NLDEV_ATTR_DEV_NAME, "", 0, -1 } } },
	{ "name without a NUL", CMD(SET), 0, EINVAL,
	  { DEVICE, { RDMA_NLDEV_ATTR_DEV_NAME, "abcd", 4, -1 } } },
	{ "name with /", CMD(SET), 0, EINVAL, { DEVICE, STR(DEV_NAME, "a/b") } },
	{ "name with a blank", CMD(SET), 0, EINVAL, { DEVICE, STR(DEV_NAME, "a b") } },
	{ "name with a line feed", CMD(SET), 0, EINVAL, { DEVICE, STR(DEV_NAME, "a\nb") } },
	{ "name with %", CMD(SET), 0, EINVAL, { DEVICE, STR(DEV_NAME, "a%d") } },
	{ "name .", CMD(SET), 0, EINVAL, { DEVICE, STR(DEV_NAME, ".") } },
	{ "name ..", CMD(SET), 0, EINVAL, { DEVICE, STR(DEV_NAME, "..") } },
	{ "long name", CMD(SET), 0, EINVAL, { DEVICE, STR(DEV_NAME, long_name) } },
	{ "network namespace", CMD(SET), 0, EOPNOTSUPP,
	  { DEVICE, { RDMA_NLDEV_NET_NS_FD, &one, 4, -1 } } },
	{ "adaptive moderation", CMD(SET), 0, EOPNOTSUPP,
	  { DEVICE, { RDMA_NLDEV_ATTR_DEV_DIM, &yes, 1, -1 } } },
	{ "adaptive moderation 2", CMD(SET), 0, ERANGE,
	  { DEVICE, { RDMA_NLDEV_ATTR_DEV_DIM, &two, 1, -1 } } },

	{ "port without a number", CMD(PORT_GET), 0, EINVAL, { DEVICE } },
	{ "port 0", CMD(PORT_GET), 0, EINVAL, { DEVICE, U32(PORT_INDEX, none) } },
	{ "port 99", CMD(PORT_GET), 0, EINVAL, { DEVICE, U32(PORT_INDEX, many) } },
	{ "port of an unknown device", CMD(PORT_GET), 0, ENODEV,
	  { U32(DEV_INDEX, no_device), U32(PORT_INDEX, one) } },
	{ "ports of an unknown device", CMD(PORT_GET), NLM_F_DUMP, ENODEV,
	  { U32(DEV_INDEX, no_device) } },

	{ "new link without anything", CMD(NEWLINK), 0, EINVAL },
	{ "new link without a name", CMD(NEWLINK), 0, EINVAL,
	  { STR(LINK_TYPE, "fake"), STR(NDEV_NAME, "lo") } },
	{ "new link without a type", CMD(NEWLINK), 0, EINVAL,
	  { STR(DEV_NAME, "x"), STR(NDEV_NAME, "lo") } },
	{ "new link without a netdev", CMD(NEWLINK), 0, EINVAL,
	  { STR(DEV_NAME, "x"), STR(LINK_TYPE, "fake") } },
	{ "new link of an unknown type", CMD(NEWLINK), 0, EINVAL,
	  { STR(DEV_NAME, "x"), STR(LINK_TYPE, "nope"), STR(NDEV_NAME, "lo") } },
	{ "new link on an unknown netdev", CMD(NEWLINK), 0, ENODEV,
	  { STR(DEV_NAME, "x"), STR(LINK_TYPE, "fake"), STR(NDEV_NAME, "nope0") } },
	{ "new link on a long netdev", CMD(NEWLINK), 0, ENODEV,
	  { STR(DEV_NAME, "x"), STR(LINK_TYPE, "fake"), STR(NDEV_NAME, long_name) } },
	{ "new link of a long type", CMD(NEWLINK), 0, EINVAL,
	  { STR(DEV_NAME, "x"), STR(LINK_TYPE, long_name), STR(NDEV_NAME, "lo") } },
	{ "new link with a bad name", CMD(NEWLINK), 0, EINVAL,
	  { STR(DEV_NAME, "x/y"), STR(LINK_TYPE, "fake"), STR(NDEV_NAME, "lo") } },
	{ "delete without an index", CMD(DELLINK), 0, EINVAL },
	{ "delete an unknown device", CMD(DELLINK), 0, ENODEV, { U32(DEV_INDEX, no_device) } },

	{ "counters without a port", CMD(STAT_GET), 0, EINVAL, { DEVICE } },
	{ "counters of QPs without a counter", CMD(STAT_GET), 0, EINVAL,
	  { DEVICE, U32(PORT_INDEX, one), U32(STAT_RES, qp) } },
	{ "counters of the ports of an unknown device", CMD(STAT_GET), NLM_F_DUMP, ENODEV,
	  { U32(DEV_INDEX, no_device) } },
	{ "set counters without a list", CMD(STAT_SET), 0, EINVAL,
	  { DEVICE, U32(PORT_INDEX, one) } },
	{ "set a counter beyond the last", CMD(STAT_SET), 0, EINVAL,
	  { DEVICE, U32(PORT_INDEX, one), LIST(list_beyond) } },
	{ "set a counter that always counts", CMD(STAT_SET), 0, EINVAL,
	  { DEVICE, U32(PORT_INDEX, one), LIST(list_fixed) } },
	{ "set counters with another attribute in the list", CMD(STAT_SET), 0, EINVAL,
	  { DEVICE, U32(PORT_INDEX, one), LIST(list_other) } },
	{ "set counters with an unknown attribute in the list", CMD(STAT_SET), 0, EINVAL,
	  { DEVICE, U32(PORT_INDEX, one), LIST(list_unknown) } },
	{ "broken list of counters", CMD(STAT_SET), 0, EINVAL,
	  { DEVICE, U32(PORT_INDEX, one), LIST(list_broken) } },
	{ "list of counters that is not nested", CMD(STAT_SET), 0, EINVAL,
	  { DEVICE, U32(PORT_INDEX, one),
	    { RDMA_NLDEV_ATTR_STAT_HWCOUNTERS, &list_beyond, 8, -1 } } },
	{ "bind a QP", CMD(STAT_SET), 0, EOPNOTSUPP,
	  { DEVICE, U32(PORT_INDEX, one), U32(STAT_MODE, one), U32(STAT_RES, qp) } },
	{ "count QPs by an unknown criterion", CMD(STAT_SET), 0, EINVAL,
	  { DEVICE, U32(PORT_INDEX, one), U32(STAT_MODE, one), U32(STAT_RES, qp),
	    U32(STAT_AUTO_MODE_MASK, highest_bit) } },
	{ "an unknown mode of no objects", CMD(STAT_SET), 0, EOPNOTSUPP,
	  { DEVICE, U32(PORT_INDEX, one), U32(STAT_MODE, many) } },
	{ "bind no QP by hand", CMD(STAT_SET), 0, EINVAL,
	  { DEVICE, U32(PORT_INDEX, one), U32(STAT_MODE, manual), U32(STAT_RES, qp) } },
	{ "bind a QP by hand", CMD(STAT_SET), 0, EOPNOTSUPP,
	  { DEVICE, U32(PORT_INDEX, one), U32(STAT_MODE, manual), U32(STAT_RES, qp),
	    U32(RES_LQPN, one) } },
	{ "unbind a QP", CMD(STAT_DEL), 0, EOPNOTSUPP, { DEVICE, U32(PORT_INDEX, one) } },
	{ "unbind no QP", CMD(STAT_DEL), 0, EINVAL,
	  { DEVICE, U32(PORT_INDEX, one), U32(STAT_RES, qp) } },
	{ "unbind a QP by hand", CMD(STAT_DEL), 0, EOPNOTSUPP,
	  { DEVICE, U32(PORT_INDEX, one), U32(STAT_RES, qp), U32(RES_LQPN, one) } },
	{ "raw data of a QP", CMD(RES_QP_GET_RAW), 0, EOPNOTSUPP, { DEVICE, U32(RES_LQPN, one) } },
	{ "character device without a type", CMD(GET_CHARDEV), 0, EINVAL, { DEVICE } },
	{ "character device of a port of no device", CMD(GET_CHARDEV), 0, EINVAL,
	  { STR(CHARDEV_TYPE, "uverbs"), U32(PORT_INDEX, one) } },

	{ "set no attribute of the system", CMD(SYS_SET), 0, EINVAL },
	{ "namespace mode 2", CMD(SYS_SET), 0, ERANGE,
	  { { RDMA_NLDEV_SYS_ATTR_NETNS_MODE, &two, 1, -1 } } },
	{ "shared namespaces", CMD(SYS_SET), 0, 0,
	  { { RDMA_NLDEV_SYS_ATTR_NETNS_MODE, &yes, 1, -1 } } },
};

static bool report_mismatch(const char *what, const char *problem, int want, int seen)
{
	printf("%s: %s: expected %d, saw %d\n", what, problem, want, seen);
	return false;
}

static bool run_case(const struct test_case *test, uint64_t before)
{
	const struct attribute *attr = test->attributes;
	struct request request;
	struct reply reply;

	begin(&request, test->type, test->flags);
	for (; attr < test->attributes + ARRAY_SIZE(test->attributes) && attr->type; attr++)
		put_with_length(&request, attr->type, attr->data, attr->length, attr->stated);
	request.length += test->trailing;
	reply = do_request(&request);
	if (reply.error != test->error)
		return report_mismatch(test->name, "error", test->error, reply.error);
	if (snapshot() != before)
		return report_mismatch(test->name, "something changed", 0, 1);
	return true;
}

/* Sends a malformed header. Expects the kernel to drop it, and the socket to keep working. */
static bool run_header(const char *name, unsigned int stated, size_t length, unsigned int flags)
{
	struct request request;
	struct reply reply;

	begin(&request, NLDEV(RDMA_NLDEV_CMD_SYS_GET), 0);
	request.header.nlmsg_len = stated;
	request.header.nlmsg_flags &= ~flags;
	request.length = length;
	reply = do_request(&request);
	if (reply.messages)
		return report_mismatch(name, "messages", 0, reply.messages);
	return do_simple_request(NLDEV(RDMA_NLDEV_CMD_SYS_GET), 0).messages == 1 ||
	       report_mismatch(name, "alive", 1, 0);
}

static bool run_cases(void)
{
	uint64_t before = snapshot();
	bool good = run_header("half a header", 16, 8, 0) & run_header("length 4", 4, 16, 0) &
		    run_header("length beyond the end", 64, 16, 0) &
		    run_header("no request", 16, 16, NLM_F_REQUEST);
	size_t i;

	memset(long_name, 'n', sizeof(long_name) - 1);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		good &= run_case(&cases[i], before);
	printf("%zu malformed requests\n", ARRAY_SIZE(cases) + 4);
	return good;
}

/* --- random requests --- */

static uint64_t random_state;

static unsigned int below(unsigned int limit)
{
	return random_below(&random_state, limit);
}

static bool changes_something(unsigned int op)
{
	switch (op) {
	case RDMA_NLDEV_CMD_SET:
	case RDMA_NLDEV_CMD_NEWLINK:
	case RDMA_NLDEV_CMD_DELLINK:
	case RDMA_NLDEV_CMD_SYS_SET:
	case RDMA_NLDEV_CMD_STAT_SET:
	case RDMA_NLDEV_CMD_STAT_DEL:
		return true;
	}
	return false;
}

/* Adds one of the attributes that commands use, with a plausible value. */
static void put_plausible(struct request *request)
{
	static const uint16_t numbers[] = {
		RDMA_NLDEV_ATTR_DEV_INDEX, RDMA_NLDEV_ATTR_PORT_INDEX, RDMA_NLDEV_ATTR_STAT_RES,
		RDMA_NLDEV_ATTR_STAT_MODE, RDMA_NLDEV_ATTR_STAT_COUNTER_ID,
	};
	static const uint16_t strings[] = {
		RDMA_NLDEV_ATTR_DEV_NAME, RDMA_NLDEV_ATTR_NDEV_NAME, RDMA_NLDEV_ATTR_LINK_TYPE,
	};
	static const char * const words[] = { "lo", "fake", "x", "", "a/b" };
	const char *word = words[below(ARRAY_SIZE(words))];

	if (below(2))
		put_u32(request, numbers[below(ARRAY_SIZE(numbers))], below(4));
	else
		put(request, strings[below(ARRAY_SIZE(strings))], word, strlen(word) + 1);
}

static void put_random(struct request *request, bool forge)
{
	unsigned int length = below(40), type, i;
	unsigned char data[40];

	for (i = 0; i < length; i++)
		data[i] = below(256);
	type = below(below(8) ? RDMA_NLDEV_ATTR_MAX : 65536);
	put_with_length(request, type, data, length,
			forge && !below(4) ? (int)below(80) : -1);
}

/* Adds an attribute with which the request must fail. */
static void put_defect(struct request *request, unsigned int op)
{
	switch (below(3)) {
	case 0:
		put(request, RDMA_NLDEV_ATTR_FW_VERSION, "1", 2);
		return;
	case 1:
		put_with_length(request, RDMA_NLDEV_ATTR_PORT_INDEX, &one, 4, 64);
		return;
	}
	if (op == RDMA_NLDEV_CMD_NEWLINK)
		put(request, RDMA_NLDEV_ATTR_NDEV_NAME, "nope0", 6);
	else if (op == RDMA_NLDEV_CMD_SYS_SET)
		put(request, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, &two, 1);
	else
		put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, no_device);
}

static bool run_random(bool privileged, unsigned int number)
{
	unsigned int op = below(RDMA_NLDEV_NUM_OPS + 1);
	struct request request;
	struct reply reply;
	char name[40];
	unsigned int attributes = below(7);

	snprintf(name, sizeof(name), "request %u, operation %u", number, op);
	begin(&request, NLDEV(op), below(3) ? 0 : below(16) << 8);
	while (attributes--)
		if (below(3))
			put_plausible(&request);
		else
			put_random(&request, !privileged);
	if (privileged && changes_something(op))
		put_defect(&request, op);
	reply = do_request(&request);
	if (reply.error == NO_REPLY)
		return report_mismatch(name, "no reply", 0, NO_REPLY);
	if (!changes_something(op))
		return true;
	if (!privileged && reply.error != EPERM)
		return report_mismatch(name, "error", EPERM, reply.error);
	return reply.error || report_mismatch(name, "no error", EINVAL, 0);
}

static bool run_fuzz(unsigned int seed, unsigned int count)
{
	bool privileged = do_simple_request(NLDEV(RDMA_NLDEV_CMD_SYS_SET), 0).error != EPERM;
	uint64_t before = snapshot();
	bool good = true;
	unsigned int i;

	random_state = seed;
	for (i = 0; i < count && good; i++)
		good = run_random(privileged, i);
	if (good && snapshot() != before)
		good = report_mismatch("after all", "something changed", 0, 1);
	printf("%u random requests, seed %u, %s\n", i, seed,
	       privileged ? "privileged" : "unprivileged");
	return good;
}

/* --- dumps --- */

static bool run_devices(void)
{
	static const struct {
		const char *name;
		unsigned int op;
	} dumps[] = {
		{ "devices", RDMA_NLDEV_CMD_GET },
		{ "ports", RDMA_NLDEV_CMD_PORT_GET },
		{ "sets of counters", RDMA_NLDEV_CMD_STAT_GET },
		{ "sets of resources", RDMA_NLDEV_CMD_RES_GET },
	};
	bool good = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(dumps); i++) {
		struct reply reply = do_simple_request(NLDEV(dumps[i].op), NLM_F_DUMP);

		printf("%u %s, error %d\n", reply.messages, dumps[i].name, reply.error);
		good &= !reply.error;
		if (reply.out_of_order)
			good = report_mismatch(dumps[i].name, "out of order", 0, 1);
	}
	return good;
}

/* --- dumps in messages of each length --- */

/* A message is as long as what was read at once before, if that is longer than this. */
#define MIN_PART	4096
/* A little further than the longest object. */
#define MAX_PART	(MIN_PART + 1024)

static bool has_attributes(unsigned int type)
{
	switch (type) {
	case RDMA_NLDEV_ATTR_RES_SUMMARY ... RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY:
	case RDMA_NLDEV_ATTR_RES_QP ... RDMA_NLDEV_ATTR_RES_QP_ENTRY:
	case RDMA_NLDEV_ATTR_RES_CM_ID ... RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY:
	case RDMA_NLDEV_ATTR_RES_CQ ... RDMA_NLDEV_ATTR_RES_CQ_ENTRY:
	case RDMA_NLDEV_ATTR_RES_MR ... RDMA_NLDEV_ATTR_RES_MR_ENTRY:
	case RDMA_NLDEV_ATTR_RES_PD ... RDMA_NLDEV_ATTR_RES_PD_ENTRY:
	case RDMA_NLDEV_ATTR_DRIVER ... RDMA_NLDEV_ATTR_DRIVER_ENTRY:
	case RDMA_NLDEV_ATTR_STAT_COUNTER ... RDMA_NLDEV_ATTR_STAT_COUNTER_ENTRY:
	case RDMA_NLDEV_ATTR_STAT_HWCOUNTERS ... RDMA_NLDEV_ATTR_STAT_HWCOUNTER_ENTRY:
	case RDMA_NLDEV_ATTR_RES_CTX ... RDMA_NLDEV_ATTR_RES_CTX_ENTRY:
	case RDMA_NLDEV_ATTR_RES_SRQ ... RDMA_NLDEV_ATTR_RES_SRQ_ENTRY:
		return true;
	}
	return false;
}

/*
 * Adds attributes to the digest: those of type @only and what is in them, or all if it is 0. On
 * some machines there is padding before a 64-bit number, by its place in the message; it does not
 * count.
 */
static uint64_t hash_attributes(uint64_t digest, const char *at, const char *end,
				unsigned int only)
{
	const struct nlattr *attr;
	unsigned int type;

	for (; at + sizeof(*attr) <= end; at += NLA_ALIGN(attr->nla_len)) {
		attr = (const struct nlattr *)at;
		type = attr->nla_type & NLA_TYPE_MASK;
		if (attr->nla_len < NLA_HDRLEN)
			die("an attribute of %u bytes", attr->nla_len);
		if (type == RDMA_NLDEV_ATTR_PAD || (only && type != only))
			continue;
		/* A table begins anew in each message. */
		if (!only)
			digest = hash(digest, &type, sizeof(type));
		if (has_attributes(type))
			digest = hash_attributes(digest, (const char *)(attr + 1),
						 at + attr->nla_len, 0);
		else
			digest = hash(digest, attr + 1, attr->nla_len - NLA_HDRLEN);
	}
	return digest;
}

/* Has the kernel answer with messages of @length bytes, which is that of the longest read. */
static void open_netlink_for(char *buffer, size_t length)
{
	struct request request;

	close(netlink_fd);
	open_netlink();
	begin(&request, NLDEV(RDMA_NLDEV_CMD_SYS_GET), 0);
	transmit(&request);
	while (recv(netlink_fd, buffer, length, MSG_DONTWAIT) >= 0)
		;
}

/* Returns the digest of the objects of a dump in messages of @length bytes; 0 after an error. */
static uint64_t dump_in_parts(const struct request *dump, unsigned int table, size_t length)
{
	static char buffer[MAX_PART];
	const struct nlmsghdr *message;
	struct request request = *dump;
	uint64_t digest = 1;
	ssize_t left;

	open_netlink_for(buffer, length);
	request.header.nlmsg_seq = ++sequence;
	transmit(&request);
	while ((left = recv(netlink_fd, buffer, length, MSG_DONTWAIT)) > 0) {
		for (message = (const void *)buffer; NLMSG_OK(message, left);
		     message = NLMSG_NEXT(message, left)) {
			if (message->nlmsg_type == NLMSG_ERROR)
				return 0;
			if (message->nlmsg_type == NLMSG_DONE)
				return digest;
			digest = hash_attributes(digest, NLMSG_DATA(message),
						 (const char *)message + message->nlmsg_len, table);
		}
	}
	return 0;
}

static bool is_same_in_parts(const char *name, const struct request *dump, unsigned int table)
{
	uint64_t want = 0, seen;
	unsigned int length;

	for (length = MIN_PART; length < MAX_PART; length += 4) {
		seen = dump_in_parts(dump, table, length);
		if (!seen)
			return report_mismatch(name, "no list", 1, 0);
		want = want ?: seen;
		if (seen != want)
			return report_mismatch(name, "the objects depend on the length", MIN_PART,
					       length);
	}
	return true;
}

static bool run_sizes(void)
{
	static const struct {
		const char *name;
		unsigned int op, table, counted;
	} lists[] = {
		{ "devices", RDMA_NLDEV_CMD_GET, 0, 0 },
		{ "ports", RDMA_NLDEV_CMD_PORT_GET, 0, 0 },
		{ "counters of ports", RDMA_NLDEV_CMD_STAT_GET, 0, 0 },
		{ "totals", RDMA_NLDEV_CMD_RES_GET, 0, 0 },
		{ "QPs", RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_ATTR_RES_QP, 0 },
		{ "CQs", RDMA_NLDEV_CMD_RES_CQ_GET, RDMA_NLDEV_ATTR_RES_CQ, 0 },
		{ "MRs", RDMA_NLDEV_CMD_RES_MR_GET, RDMA_NLDEV_ATTR_RES_MR, 0 },
		{ "PDs", RDMA_NLDEV_CMD_RES_PD_GET, RDMA_NLDEV_ATTR_RES_PD, 0 },
		{ "SRQs", RDMA_NLDEV_CMD_RES_SRQ_GET, RDMA_NLDEV_ATTR_RES_SRQ, 0 },
		{ "contexts", RDMA_NLDEV_CMD_RES_CTX_GET, RDMA_NLDEV_ATTR_RES_CTX, 0 },
		{ "identifiers", RDMA_NLDEV_CMD_RES_CM_ID_GET, RDMA_NLDEV_ATTR_RES_CM_ID, 0 },
		{ "counters of QPs", RDMA_NLDEV_CMD_STAT_GET, RDMA_NLDEV_ATTR_STAT_COUNTER,
		  RDMA_NLDEV_ATTR_RES_QP },
	};
	struct request request;
	bool good = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		begin(&request, NLDEV(lists[i].op), NLM_F_DUMP);
		if (lists[i].counted)
			put_u32(&request, RDMA_NLDEV_ATTR_STAT_RES, lists[i].counted);
		good &= is_same_in_parts(lists[i].name, &request, lists[i].table);
	}
	return good;
}

static bool run_protocol(void)
{
	struct request request;
	struct reply reply;

	begin(&request, NLDEV(RDMA_NLDEV_CMD_GET), 0);
	put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, device_index);
	reply = do_request(&request);
	puts(reply.protocol);
	return !reply.error;
}

static struct reply ask_port(unsigned int op, unsigned int flags, uint32_t port,
			     const uint32_t *counted, const uint32_t *mode)
{
	struct request request;
	struct reply reply;

	begin(&request, NLDEV(op), flags);
	put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, device_index);
	put_u32(&request, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	if (counted)
		put_u32(&request, RDMA_NLDEV_ATTR_STAT_RES, *counted);
	if (mode)
		put_u32(&request, RDMA_NLDEV_ATTR_STAT_MODE, *mode);
	reply = do_request(&request);
	if (reply.error)
		die("request %u fails with error %d", op, reply.error);
	return reply;
}

static bool run_port(uint32_t port)
{
	struct reply qps, counters, mode;

	qps = ask_port(RDMA_NLDEV_CMD_RES_QP_GET, NLM_F_DUMP, port, NULL, NULL);
	counters = ask_port(RDMA_NLDEV_CMD_STAT_GET, NLM_F_DUMP, port, &qp, NULL);
	mode = ask_port(RDMA_NLDEV_CMD_STAT_GET, NLM_F_ACK, port, &qp, &none);
	printf("%u QPs, %u counters, mode %u\n", qps.objects, counters.objects, mode.mode);
	return true;
}

/* --- the client of kt_netlink.ko --- */

/* The names differ in length and have no common character, so a mixture of both equals neither. */
static const char *const names[] = {
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
};

/* Reads the files until *@done is set. Returns whether each text was one of the names. */
static bool read_names(const int *fds, int count, const volatile bool *done)
{
	unsigned int reads = 0, i;
	char text[256], *name;
	ssize_t length;

	while (!*done) {
		i = reads++ % count;
		length = pread(fds[i], text, sizeof(text) - 1, 0);
		if (length < 0)
			die("pread: %m");
		text[length] = '\0';
		name = strstr(text, "NAME=");
		name = name ? name + 5 : text;
		name[strcspn(name, "\n")] = '\0';
		if (strcmp(name, names[0]) && strcmp(name, names[1])) {
			printf("after %u reads, file %u has \"%s\"\n", reads, i, name);
			return false;
		}
	}
	printf("%u reads\n", reads);
	return true;
}

static int do_rename(const char *name)
{
	struct request request;

	begin(&request, NLDEV(RDMA_NLDEV_CMD_SET), 0);
	put_u32(&request, RDMA_NLDEV_ATTR_DEV_INDEX, device_index);
	put(&request, RDMA_NLDEV_ATTR_DEV_NAME, name, strlen(name) + 1);
	return do_request(&request).error;
}

static bool run_rename(unsigned int renames, char **files, int count)
{
	volatile bool *done = mmap(NULL, sizeof(*done), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fds[4], i, error = 0, status;
	pid_t reader;

	if (done == MAP_FAILED || count > (int)ARRAY_SIZE(fds))
		die("mmap: %m");
	/* The files stay open when their directory is renamed. */
	for (i = 0; i < count; i++) {
		fds[i] = open(files[i], O_RDONLY);
		if (fds[i] < 0)
			die("%s: %m", files[i]);
	}
	if (do_rename(names[0]))
		return false;
	reader = fork();
	if (reader < 0)
		die("fork: %m");
	if (!reader)
		exit(!read_names(fds, count, done));
	for (i = 1; i < (int)renames && !error && !waitpid(reader, &status, WNOHANG); i++)
		error = do_rename(names[i % ARRAY_SIZE(names)]);
	*done = true;
	if (error)
		printf("rename %u: %s\n", i, strerror(error));
	/* A reader that has ended already was waited for above. */
	if (waitpid(reader, &status, 0) < 0 && errno != ECHILD)
		die("waitpid: %m");
	return !error && WIFEXITED(status) && !WEXITSTATUS(status);
}

static bool run_echo(void)
{
	struct request request;
	struct reply reply;

	begin(&request, LS(RDMA_NL_LS_OP_RESOLVE), 0);
	put(&request, LS_NLA_TYPE_SERVICE_ID, "Is anyone there?", 16);
	reply = do_request(&request);
	printf("%u messages, error %d\n", reply.messages, reply.error);
	return !reply.error && reply.messages == 1;
}

static bool run_simple(unsigned int op)
{
	struct reply reply = do_simple_request(LS(op), 0);

	printf("error %d\n", reply.error);
	return !reply.error;
}

static bool run_dump(unsigned int first)
{
	unsigned int messages = 0;
	struct request request;
	struct reply reply;
	char byte;

	begin(&request, LS(RDMA_NL_LS_OP_RESOLVE), NLM_F_DUMP);
	transmit(&request);
	if (first) {
		messages = read_reply(first).messages;
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
	}
	reply = read_reply(-1U);
	printf("%u messages, error %d\n", messages + reply.messages, reply.error);
	return !reply.error;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";
	unsigned long first = argc > 2 ? strtoul(argv[2], NULL, 0) : 0;

	open_netlink();
	device_index = first;
	if (!strcmp(command, "cases") && argc == 3)
		return !run_cases();
	if (!strcmp(command, "protocol") && argc == 3)
		return !run_protocol();
	if (!strcmp(command, "port") && argc == 4)
		return !run_port(strtoul(argv[3], NULL, 0));
	if (!strcmp(command, "fuzz") && argc == 4)
		return !run_fuzz(first, strtoul(argv[3], NULL, 0));
	if (!strcmp(command, "rename") && argc > 4)
		return !run_rename(strtoul(argv[3], NULL, 0), argv + 4, argc - 4);
	if (!strcmp(command, "devices"))
		return !run_devices();
	if (!strcmp(command, "sizes"))
		return !run_sizes();
	if (!strcmp(command, "echo"))
		return !run_echo();
	if (!strcmp(command, "slow"))
		return !run_simple(RDMA_NL_LS_OP_SET_TIMEOUT);
	if (!strcmp(command, "admin"))
		return !run_simple(RDMA_NL_LS_OP_IP_RESOLVE);
	if (!strcmp(command, "dump"))
		return !run_dump(first);
	fputs("Usage: nlprobe cases DEVICE | fuzz SEED COUNT | devices | sizes | protocol DEVICE\n"
	      "       nlprobe port DEVICE PORT | rename DEVICE COUNT FILE...\n"
	      "       nlprobe echo | slow | admin | dump [COUNT]\n", stderr);
	return 2;
}
