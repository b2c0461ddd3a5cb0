// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ucma_test: single commands: their responses, and the errors of invalid ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/testing/lib/page_end.h"
#include "ucma_test.h"

static bool abi_version(void)
{
	FILE *file = fopen("/sys/class/misc/rdma_cm/abi_version", "r");
	int version = 0;

	if (!file)
		return false;
	TRY(fscanf(file, "%d", &version) == 1 ? 0 : -EIO);
	fclose(file);
	EXPECT(RDMA_USER_CM_ABI_VERSION, version);
	return true;
}

static bool identifiers(void)
{
	int fd = channel_open(), other = channel_open(), id;

	TRY(fd);
	TRY(id = create(fd, 1));
	EXPECT(-EINVAL, destroy(other, id));
	EXPECT(0, destroy(fd, id));
	EXPECT(-ENOENT, destroy(fd, id));
	EXPECT(-ENOENT, destroy(fd, 0));
	EXPECT(-ENOENT, destroy(fd, ~0u));
	TRY(create(fd, 1));
	close(other);
	close(fd);
	return true;
}

static bool headers(void)
{
	struct rdma_ucm_create_id_resp resp = {};
	struct rdma_ucm_create_id create_cmd = {
		.response = (uintptr_t)&resp, .ps = RDMA_PS_TCP,
	};
	struct rdma_ucm_listen cmd = {};
	int fd = channel_open();

	TRY(fd);
	EXPECT(-1, write(fd, "abc", 3));
	EXPECT(EINVAL, errno);
	EXPECT(-EINVAL, command(fd, 1000, &cmd, sizeof(cmd), 0));
	EXPECT(-EINVAL, command(fd, ~0u, &cmd, sizeof(cmd), 0));
	/* Not CREATE_ID either, which has the number 0, and would take this. */
	EXPECT(-EINVAL, command(fd, 1000, &create_cmd, sizeof(create_cmd), sizeof(resp)));
	EXPECT(-EINVAL, command(fd, ~0u, &create_cmd, sizeof(create_cmd), sizeof(resp)));
	EXPECT(-EOPNOTSUPP, ASK(fd, GET_OPTION, cmd, 0));
	EXPECT(-EINVAL, command(fd, RDMA_USER_CM_CMD_LISTEN, &cmd, sizeof(cmd) - 1, 0));
	EXPECT(-ENOENT, ASK(fd, LISTEN, cmd, 0));
	close(fd);
	return true;
}

/*
 * Expects that a command fails if the length in its header exceeds what was written, or less than
 * a header was written (EINVAL), and if the header or what follows it is at an unmapped address
 * (EFAULT).
 */
static bool lengths(void)
{
	struct {
		struct rdma_ucm_cmd_hdr hdr;
		struct rdma_ucm_listen cmd;
	} bytes = { .hdr = { .cmd = RDMA_USER_CM_CMD_LISTEN, .in = 100 } };
	int fd = channel_open();
	uint8_t *end, *hdr;

	TRY(fd);
	EXPECT(-1, write(fd, &bytes, sizeof(bytes)));
	EXPECT(EINVAL, errno);
	EXPECT(-1, syscall(SYS_write, fd, 8, 100));
	EXPECT(EFAULT, errno);
	EXPECT(-1, syscall(SYS_write, fd, 8, 7));
	EXPECT(EINVAL, errno);
	end = page_end();
	TRY(end ? 0 : -errno);
	hdr = end - sizeof(bytes.hdr);
	bytes.hdr.in = sizeof(bytes.cmd);
	memcpy(hdr, &bytes.hdr, sizeof(bytes.hdr));
	EXPECT(-1, write(fd, hdr, sizeof(bytes)));
	EXPECT(EFAULT, errno);
	close(fd);
	return true;
}

/*
 * Expects that a command has no effect if it has no room for the response (ENOSPC), or if the
 * response cannot be written (EFAULT).
 */
static bool answers(void)
{
	struct rdma_ucm_create_id create_cmd = { .response = 8, .ps = RDMA_PS_TCP };
	struct rdma_ucm_get_event event_cmd = { .response = 8 };
	int fd = channel_open();

	TRY(fd);
	EXPECT(-ENOSPC, COMMAND(fd, CREATE_ID, create_cmd));
	EXPECT(-EFAULT, ASK(fd, CREATE_ID, create_cmd, 4));
	EXPECT(-ENOSPC, COMMAND(fd, GET_EVENT, event_cmd));
	create_cmd.ps = 77;
	EXPECT(-EINVAL, ASK(fd, CREATE_ID, create_cmd, 4));
	close(fd);
	return true;
}

static bool addresses(void)
{
	struct rdma_ucm_query_addr_resp resp;
	struct rdma_ucm_query query = { .response = (uintptr_t)&resp };
	struct rdma_ucm_query_path_resp path;
	struct sockaddr_in6 want = address(device_address, PORT);
	struct rdma_ucm_bind bad = {};
	struct sockaddr_in in;
	int fd = channel_open(), id;

	TRY(fd);
	TRY(id = create(fd, 1));
	bad.id = id;
	EXPECT(-EINVAL, COMMAND(fd, BIND, bad));
	bad.addr.ss_family = AF_INET;
	bad.addr_size = sizeof(struct sockaddr_in6);
	EXPECT(-EINVAL, COMMAND(fd, BIND, bad));
	bad.addr.ss_family = AF_UNIX;
	EXPECT(-EINVAL, COMMAND(fd, BIND, bad));
	EXPECT(-EADDRNOTAVAIL, bind_to(fd, id, "192.0.2.1", PORT));
	TRY(bind_to(fd, id, device_address, PORT));
	EXPECT(-EINVAL, bind_to(fd, id, device_address, PORT));
	query.id = id;
	EXPECT(-ENOSPC, ASK(fd, QUERY, query, 8));
	TRY(ASK(fd, QUERY, query, sizeof(resp)));
	EXPECT(sizeof(in), resp.src_size);
	EXPECT(0, memcmp(&resp.src_addr, &want, sizeof(in)));
	EXPECT(1, resp.port_num);
	EXPECT(1, resp.node_guid != 0);
	/* A process that was written before the response had the device's index. */
	memset(&resp, 0xff, sizeof(resp));
	TRY(ASK(fd, QUERY, query, offsetof(struct rdma_ucm_query_addr_resp, ibdev_index)));
	EXPECT(sizeof(in), resp.src_size);
	EXPECT(1, resp.ibdev_index == UINT32_MAX);
	query.option = RDMA_USER_CM_QUERY_PATH;
	EXPECT(-ENOSPC, ASK(fd, QUERY, query, sizeof(path) - 1));
	memset(&resp, 0xff, sizeof(resp));
	TRY(ASK(fd, QUERY, query, sizeof(path)));
	memcpy(&path, &resp, sizeof(path));
	EXPECT(0, path.num_paths);
	query.option = 3;
	EXPECT(-ENOSYS, ASK(fd, QUERY, query, sizeof(resp)));
	close(fd);
	return true;
}

static bool older_forms(void)
{
	struct rdma_ucm_query_route_resp resp;
	struct rdma_ucm_query query = { .response = (uintptr_t)&resp };
	struct rdma_ucm_event_resp event;
	struct rdma_ucm_resolve_ip to = {
		.dst_addr = address(device_address, PORT), .timeout_ms = 1000,
	};
	struct rdma_ucm_bind_ip bind = { .addr = address(device_address, 0) };
	struct sockaddr_in src;
	int fd = channel_open(), id;

	TRY(fd);
	TRY(id = create(fd, 5));
	bind.id = id;
	to.id = id;
	query.id = id;
	TRY(COMMAND(fd, BIND_IP, bind));
	TRY(COMMAND(fd, RESOLVE_IP, to));
	TRY(expect_event(fd, 0, 0, &event));
	EXPECT(5, event.uid);
	EXPECT(id, event.id);
	TRY(ASK(fd, QUERY_ROUTE, query, sizeof(resp)));
	memcpy(&src, &resp.src_addr, sizeof(src));
	EXPECT(AF_INET, src.sin_family);
	EXPECT(1, src.sin_port != 0);
	EXPECT(0, memcmp(&resp.dst_addr, &to.dst_addr, sizeof(src)));
	EXPECT(1, resp.port_num);
	EXPECT(0, resp.num_paths);
	EXPECT(1, destroy(fd, id));
	close(fd);
	return true;
}

/* Expects that the commands of a new identifier have not changed it. */
static bool is_unbound(int fd, uint32_t id)
{
	struct rdma_ucm_query_addr_resp resp;
	struct rdma_ucm_query query = { .response = (uintptr_t)&resp, .id = id };
	struct rdma_ucm_event_resp event;

	EXPECT(-EAGAIN, get_event_now(fd, &event));
	TRY(ASK(fd, QUERY, query, sizeof(resp)));
	EXPECT(0, resp.src_size);
	return true;
}

/* Families, sizes and reserved members that are wrong, in commands that take addresses. */
static bool wrong_addresses(void)
{
	const struct sockaddr_in6 good = address(device_address, PORT);
	const struct sockaddr_in6 wrong = { .sin6_family = AF_UNIX };
	const size_t size = sizeof(struct sockaddr_in);
	struct rdma_ucm_bind_ip bind_ip = { .addr = wrong };
	struct rdma_ucm_bind bind = { .reserved = 1, .addr_size = size };
	struct rdma_ucm_resolve_ip resolve_ip = { .dst_addr = wrong, .timeout_ms = 1000 };
	struct rdma_ucm_resolve_addr resolve_addr = { .reserved = 1, .dst_size = size };
	int fd = channel_open(), id;

	TRY(fd);
	TRY(id = create(fd, 1));
	bind_ip.id = id;
	bind.id = id;
	resolve_ip.id = id;
	resolve_addr.id = id;
	memcpy(&bind.addr, &good, sizeof(good));
	memcpy(&resolve_addr.dst_addr, &good, sizeof(good));

	EXPECT(-EINVAL, COMMAND(fd, BIND_IP, bind_ip));
	EXPECT(-EINVAL, COMMAND(fd, BIND, bind));
	EXPECT(-EINVAL, COMMAND(fd, RESOLVE_IP, resolve_ip));
	resolve_ip.dst_addr = good;
	resolve_ip.src_addr = wrong;
	EXPECT(-EINVAL, COMMAND(fd, RESOLVE_IP, resolve_ip));
	EXPECT(-EINVAL, COMMAND(fd, RESOLVE_ADDR, resolve_addr));
	resolve_addr.reserved = 0;
	resolve_addr.dst_size = sizeof(good);
	EXPECT(-EINVAL, COMMAND(fd, RESOLVE_ADDR, resolve_addr));
	resolve_addr.dst_size = size;
	memcpy(&resolve_addr.src_addr, &good, sizeof(good));
	resolve_addr.src_size = sizeof(good);
	EXPECT(-EINVAL, COMMAND(fd, RESOLVE_ADDR, resolve_addr));
	if (!is_unbound(fd, id))
		return false;
	close(fd);
	return true;
}

static int set(int fd, uint32_t id, uint32_t name, int value, uint32_t len)
{
	struct rdma_ucm_set_option cmd = {
		.optval = (uintptr_t)&value, .id = id, .optname = name, .optlen = len,
	};

	return COMMAND(fd, SET_OPTION, cmd);
}

static bool options(void)
{
	struct rdma_ucm_set_option path = {
		.level = RDMA_OPTION_IB, .optname = RDMA_OPTION_IB_PATH,
	};
	struct rdma_ucm_set_option unmapped = {
		.optval = 8, .optlen = 4, .optname = RDMA_OPTION_ID_AFONLY,
	};
	int fd = channel_open(), id, other;

	TRY(fd);
	TRY(id = create(fd, 1));
	TRY(other = create(fd, 2));
	path.id = id;
	unmapped.id = id;
	TRY(set(fd, id, RDMA_OPTION_ID_TOS, 8, 1));
	TRY(set(fd, id, RDMA_OPTION_ID_REUSEADDR, 1, 4));
	TRY(set(fd, id, RDMA_OPTION_ID_AFONLY, 1, 4));
	TRY(set(fd, id, RDMA_OPTION_ID_ACK_TIMEOUT, 14, 1));
	EXPECT(-EINVAL, set(fd, id, RDMA_OPTION_ID_TOS, 8, 4));
	EXPECT(-ENOSYS, set(fd, id, 99, 8, 4));
	EXPECT(-EOPNOTSUPP, COMMAND(fd, SET_OPTION, path));
	path.level = 99;
	EXPECT(-ENOSYS, COMMAND(fd, SET_OPTION, path));
	EXPECT(-EFAULT, COMMAND(fd, SET_OPTION, unmapped));
	unmapped.optname = RDMA_OPTION_ID_TOS;
	unmapped.optlen = 1;
	EXPECT(-EFAULT, COMMAND(fd, SET_OPTION, unmapped));
	TRY(bind_to(fd, id, "::", PORT));
	EXPECT(-EADDRINUSE, bind_to(fd, other, "::", PORT));
	TRY(set(fd, other, RDMA_OPTION_ID_REUSEADDR, 1, 4));
	TRY(bind_to(fd, other, "::", PORT));
	close(fd);
	return true;
}

static bool qp_attributes(void)
{
	struct ib_uverbs_qp_attr resp;
	struct rdma_ucm_init_qp_attr cmd = { .response = (uintptr_t)&resp, .qp_state = 1 };
	struct rdma_ucm_connect connect = { .conn_param.valid = 1 };
	int fd = channel_open(), id;

	TRY(fd);
	TRY(id = create(fd, 1));
	cmd.id = id;
	connect.id = id;
	EXPECT(-EINVAL, ASK(fd, INIT_QP_ATTR, cmd, sizeof(resp)));
	/* Without a device there is no QP either. */
	EXPECT(-EINVAL, COMMAND(fd, CONNECT, connect));
	TRY(bind_to(fd, id, device_address, PORT));
	TRY(ASK(fd, INIT_QP_ATTR, cmd, sizeof(resp)));
	EXPECT(1, resp.qp_state);
	EXPECT(1, resp.port_num);
	EXPECT(7, resp.qp_access_flags);
	/* The bits are IB_QP_STATE, IB_QP_ACCESS_FLAGS and IB_QP_PORT. */
	EXPECT(1 | 1 << 3 | 1 << 5, resp.qp_attr_mask);
	/* Without a connection, the QP has attributes for INIT only. */
	cmd.qp_state = 2;
	EXPECT(-EINVAL, ASK(fd, INIT_QP_ATTR, cmd, sizeof(resp)));
	cmd.qp_state = 7;
	EXPECT(-EINVAL, ASK(fd, INIT_QP_ATTR, cmd, sizeof(resp)));
	close(fd);
	return true;
}

static bool waiting(void)
{
	struct rdma_ucm_event_resp event;
	struct pollfd pollfd = { .events = POLLIN };
	int fd = channel_open(), id;

	TRY(fd);
	pollfd.fd = fd;
	EXPECT(-EAGAIN, get_event_now(fd, &event));
	EXPECT(0, poll(&pollfd, 1, 0));
	TRY(id = create(fd, 1));
	TRY(resolve(fd, id, device_address, PORT));
	EXPECT(1, poll(&pollfd, 1, 10000));
	EXPECT(POLLIN, pollfd.revents);
	TRY(get_event_now(fd, &event));
	EXPECT(-EAGAIN, get_event_now(fd, &event));
	close(fd);
	return true;
}

/*
 * Expects that an event stays queued if it cannot be written to the response, and that the next
 * command fetches it.
 */
static bool unwritable_response(void)
{
	struct rdma_ucm_get_event cmd = { .response = 8 };
	struct rdma_ucm_event_resp event;
	int fd = channel_open(), id;

	TRY(fd);
	TRY(id = create(fd, 1));
	TRY(resolve(fd, id, device_address, PORT));
	EXPECT(-EFAULT, ASK(fd, GET_EVENT, cmd, sizeof(event)));
	TRY(expect_event(fd, 0, 0, &event));
	close(fd);
	return true;
}

static bool multicast(void)
{
	struct rdma_ucm_create_id_resp resp;
	struct rdma_ucm_join_ip_mcast cmd = {
		.response = (uintptr_t)&resp, .addr = address("239.1.1.1", 0),
	};
	struct rdma_ucm_destroy_id leave = { .response = (uintptr_t)&resp };
	struct rdma_ucm_join_mcast join = { .response = (uintptr_t)&resp };
	int fd = channel_open(), id;

	TRY(fd);
	TRY(id = create(fd, 1));
	cmd.id = id;
	join.id = id;
	memcpy(&join.addr, &cmd.addr, sizeof(cmd.addr));
	TRY(bind_to(fd, id, device_address, PORT));
	EXPECT(-EOPNOTSUPP, ASK(fd, JOIN_IP_MCAST, cmd, sizeof(resp)));
	cmd.addr.sin6_family = AF_UNIX;
	EXPECT(-EINVAL, ASK(fd, JOIN_IP_MCAST, cmd, sizeof(resp)));
	EXPECT(-EINVAL, ASK(fd, JOIN_MCAST, join, sizeof(resp)));
	join.addr_size = sizeof(struct sockaddr_in);
	EXPECT(-EOPNOTSUPP, ASK(fd, JOIN_MCAST, join, sizeof(resp)));
	join.join_flags = RDMA_MC_JOIN_FLAG_RESERVED;
	EXPECT(-EINVAL, ASK(fd, JOIN_MCAST, join, sizeof(resp)));
	leave.id = id;
	EXPECT(-ENOENT, ASK(fd, LEAVE_MCAST, leave, sizeof(resp)));
	EXPECT(-ENOSPC, COMMAND(fd, LEAVE_MCAST, leave));
	close(fd);
	return true;
}

/*
 * Expects that a write by a process with other credentials than those of the process that opened
 * the file is refused, because the writer may be a privileged program that inherited the file.
 */
static bool other_credentials(void)
{
	int fd = channel_open(), status;
	pid_t pid;

	TRY(fd);
	pid = fork();
	if (!pid) {
		if (setuid(65534))
			_exit(2);
		_exit(create(fd, 1) == -EACCES ? 0 : 1);
	}
	TRY(waitpid(pid, &status, 0));
	EXPECT(0, status);
	TRY(create(fd, 1));
	close(fd);
	return true;
}

/* Expects that a forked process may use the file. */
static bool forked(void)
{
	int fd = channel_open(), id, status;
	pid_t pid;

	TRY(fd);
	TRY(id = create(fd, 1));
	pid = fork();
	if (!pid)
		_exit(destroy(fd, id) ? 1 : 0);
	TRY(waitpid(pid, &status, 0));
	EXPECT(0, status);
	EXPECT(-ENOENT, destroy(fd, id));
	close(fd);
	return true;
}

const struct test commands_tests[] = {
	{ "the version of the ABI", abi_version },
	{ "identifiers", identifiers },
	{ "invalid headers", headers },
	{ "invalid lengths", lengths },
	{ "responses without room", answers },
	{ "addresses", addresses },
	{ "the older commands", older_forms },
	{ "addresses of commands that are wrong", wrong_addresses },
	{ "options", options },
	{ "attributes of a QP", qp_attributes },
	{ "waiting for events", waiting },
	{ "an event that cannot be written", unwritable_response },
	{ "multicast", multicast },
	{ "a writer with other credentials", other_credentials },
	{ "a forked process", forked },
	{}
};
