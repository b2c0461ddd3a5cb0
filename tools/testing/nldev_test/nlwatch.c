// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Uses NETLINK_RDMA in ways that the `rdma` of older distributions does not.
 *
 *   nlwatch events               prints "ready", then the events of RDMA_NL_GROUP_NOTIFY, one in
 *                                each line, until a signal ends it
 *   nlwatch join GROUP           joins a multicast group and leaves it again
 *   nlwatch chardev TYPE [DEVICE [PORT]]
 *                                queries a character device; prints name, number and ABI
 *
 * The exit status is 0 if the request succeeded. Otherwise nlwatch prints the kernel's error.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>

/* The headers of some distributions do not have these constants. */
#define GROUP_NOTIFY	4
#define CMD_MONITOR	28
#define EVENT_TYPE	102

#define NLDEV(op)	RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, (op))
#define MAX_TYPE	256

static const char * const event_names[] = {
	"REGISTER", "UNREGISTER", "NETDEV_ATTACH", "NETDEV_DETACH", "RENAME", "NETDEV_RENAME",
};

/* A message, and a pointer to the data of each attribute. */
struct message {
	union {
		struct nlmsghdr header;
		char bytes[8192];
	};
	const void *data[MAX_TYPE];
};

static int netlink_fd;

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 1;
}

/* Receives a message, and notes where the data of each of its attributes is. */
static int receive(struct message *message)
{
	ssize_t length = recv(netlink_fd, message->bytes, sizeof(message->bytes), 0);
	ssize_t at = NLMSG_HDRLEN;

	if (length < 0)
		return -1;
	memset(message->data, 0, sizeof(message->data));
	while (at + NLA_HDRLEN <= length) {
		const struct nlattr *attr = (const void *)(message->bytes + at);

		if (attr->nla_len < NLA_HDRLEN)
			break;
		if (attr->nla_type < MAX_TYPE)
			message->data[attr->nla_type] = attr + 1;
		at += NLA_ALIGN(attr->nla_len);
	}
	return 0;
}

static uint64_t u64_of(const struct message *message, unsigned int type)
{
	uint64_t value = 0;

	if (message->data[type])
		memcpy(&value, message->data[type], sizeof(value));
	return value;
}

static const char *string_of(const struct message *message, unsigned int type)
{
	return message->data[type] ? message->data[type] : "-";
}

static void put(struct message *request, unsigned int type, const void *data, size_t length)
{
	struct nlattr attr = { .nla_type = type, .nla_len = NLA_HDRLEN + length };
	char *at = request->bytes + request->header.nlmsg_len;

	memcpy(at, &attr, sizeof(attr));
	memcpy(at + NLA_HDRLEN, data, length);
	request->header.nlmsg_len += NLA_HDRLEN + NLA_ALIGN(length);
}

/*
 * Opens and binds the socket. An unbound socket has port ID 0, which is the kernel's own, and would
 * not receive the kernel's events.
 */
static int open_netlink(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK };

	netlink_fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA);
	if (netlink_fd < 0)
		return -1;
	return bind(netlink_fd, (struct sockaddr *)&address, sizeof(address));
}

static int join(int group)
{
	return setsockopt(netlink_fd, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group));
}

static int watch_events(void)
{
	static struct message event;

	if (join(GROUP_NOTIFY))
		return fail("join");
	puts("ready");
	for (;;) {
		fflush(stdout);
		if (receive(&event))
			return fail("receive");
		if (event.header.nlmsg_type == NLDEV(CMD_MONITOR)) {
			const uint32_t *port = event.data[RDMA_NLDEV_ATTR_PORT_INDEX];
			const uint8_t *type = event.data[EVENT_TYPE];
			bool known = type && *type < sizeof(event_names) / sizeof(*event_names);

			printf("%s %s", known ? event_names[*type] : "?",
			       string_of(&event, RDMA_NLDEV_ATTR_DEV_NAME));
			if (port)
				printf("/%u", *port);
			if (event.data[RDMA_NLDEV_ATTR_NDEV_NAME])
				printf(" %s", string_of(&event, RDMA_NLDEV_ATTR_NDEV_NAME));
			putchar('\n');
		}
	}
}

static int get_chardev(int argc, char **argv)
{
	static struct message message;
	const uint16_t types[] = { RDMA_NLDEV_ATTR_DEV_INDEX, RDMA_NLDEV_ATTR_PORT_INDEX };
	uint32_t value;
	int i;

	message.header.nlmsg_len = NLMSG_HDRLEN;
	message.header.nlmsg_type = NLDEV(RDMA_NLDEV_CMD_GET_CHARDEV);
	message.header.nlmsg_flags = NLM_F_REQUEST;
	put(&message, RDMA_NLDEV_ATTR_CHARDEV_TYPE, argv[0], strlen(argv[0]) + 1);
	for (i = 1; i < argc && i < 3; i++) {
		value = strtoul(argv[i], NULL, 0);
		put(&message, types[i - 1], &value, sizeof(value));
	}
	if (send(netlink_fd, message.bytes, message.header.nlmsg_len, 0) < 0 || receive(&message))
		return fail("netlink");
	if (message.header.nlmsg_type == NLMSG_ERROR) {
		errno = -*(const int *)NLMSG_DATA(&message.header);
		return fail("chardev");
	}
	printf("%s %llu abi %llu\n", string_of(&message, RDMA_NLDEV_ATTR_CHARDEV_NAME),
	       (unsigned long long)u64_of(&message, RDMA_NLDEV_ATTR_CHARDEV),
	       (unsigned long long)u64_of(&message, RDMA_NLDEV_ATTR_CHARDEV_ABI));
	return 0;
}

int main(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : "";

	if (open_netlink())
		return fail("socket");
	if (!strcmp(command, "events") && argc == 2)
		return watch_events();
	if (!strcmp(command, "join") && argc == 3)
		return join(atoi(argv[2])) ? fail("join") : 0;
	if (!strcmp(command, "chardev") && argc > 2)
		return get_chardev(argc - 2, argv + 2);
	fputs("Usage: nlwatch events | join GROUP | chardev TYPE [DEVICE [PORT]]\n", stderr);
	return 2;
}
