// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Commands and methods of a device node, without a library.
 */
#include "tools/testing/lib/command.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <sys/ioctl.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "tools/testing/lib/steps.h"

#define MAX_ATTRS	24
#define MAX_NODES	16

bool commands_by_ioctl;
uint32_t command_driver = RDMA_DRIVER_UNKNOWN;

static int by_write(int fd, uint32_t number, const void *cmd, size_t len, size_t room)
{
	struct ib_uverbs_cmd_hdr hdr = {
		.command = number, .in_words = (sizeof(hdr) + len) / 4, .out_words = room / 4,
	};
	uint8_t frame[sizeof(hdr) + len];

	memcpy(frame, &hdr, sizeof(hdr));
	memcpy(frame + sizeof(hdr), cmd, len);
	return sys(write(fd, frame, sizeof(frame))) < 0 ? -errno : 0;
}

int method(int fd, uint16_t object, uint16_t number, struct ib_uverbs_attr *attrs,
	   unsigned int num)
{
	struct {
		struct ib_uverbs_ioctl_hdr hdr;
		struct ib_uverbs_attr attrs[MAX_ATTRS];
	} call = {
		.hdr = {
			.length = sizeof(call.hdr) + num * sizeof(*attrs),
			.object_id = object, .method_id = number, .num_attrs = num,
			.driver_id = command_driver,
		},
	};
	int ret;

	memcpy(call.attrs, attrs, num * sizeof(*attrs));
	ret = sys(ioctl(fd, RDMA_VERBS_IOCTL, &call));
	memcpy(attrs, call.attrs, num * sizeof(*attrs));
	return ret;
}

/* Data of up to 8 bytes is in the attribute itself. */
static int by_ioctl(int fd, uint32_t number, const void *cmd, size_t len, void *resp, size_t room)
{
	struct ib_uverbs_attr attrs[3] = {
		attr_value(UVERBS_ATTR_WRITE_CMD, sizeof(uint64_t), number),
		attr_value(UVERBS_ATTR_CORE_IN, len, (uintptr_t)cmd),
		attr_value(UVERBS_ATTR_CORE_OUT, room, (uintptr_t)resp),
	};

	if (len <= sizeof(attrs[1].data)) {
		attrs[1].data = 0;
		memcpy(&attrs[1].data, cmd, len);
	}
	return method(fd, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, attrs, room ? 3 : 2);
}

int command(int fd, uint32_t number, void *cmd, size_t len, void *resp, size_t room)
{
	uint64_t address = (uintptr_t)resp;

	if (room)
		memcpy(cmd, &address, sizeof(address));
	return commands_by_ioctl ? by_ioctl(fd, number, cmd, len, resp, room) :
				   by_write(fd, number, cmd, len, room);
}

int extended(int fd, uint32_t number, const void *cmd, size_t len, void *resp, size_t room)
{
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_ex_cmd_hdr ex;
	} head = {
		.hdr = {
			.command = number | IB_USER_VERBS_CMD_FLAG_EXTENDED,
			.in_words = len / 8, .out_words = room / 8,
		},
		.ex.response = room ? (uintptr_t)resp : 0,
	};
	uint8_t frame[sizeof(head) + len];

	if (commands_by_ioctl)
		return by_ioctl(fd, number | IB_USER_VERBS_CMD_FLAG_EXTENDED, cmd, len, resp, room);
	memcpy(frame, &head, sizeof(head));
	memcpy(frame + sizeof(head), cmd, len);
	return sys(write(fd, frame, sizeof(frame))) < 0 ? -errno : 0;
}

int destroy_by_method(int fd, uint16_t object, uint16_t number, uint16_t id, uint32_t handle)
{
	struct ib_uverbs_attr attr = attr_value(id, 0, handle);

	return method(fd, object, number, &attr, 1);
}

int open_node(const char *device)
{
	char path[64], name[64];
	FILE *ibdev;
	bool found;

	for (int i = 0; i < MAX_NODES; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband_verbs/uverbs%d/ibdev", i);
		ibdev = fopen(path, "r");
		if (!ibdev)
			continue;
		found = fgets(name, sizeof(name), ibdev);
		fclose(ibdev);
		name[strcspn(name, "\n")] = '\0';
		snprintf(path, sizeof(path), "/dev/infiniband/uverbs%d", i);
		if (found && !strcmp(name, device))
			return sys(open(path, O_RDWR | O_CLOEXEC));
	}
	return -ENODEV;
}

int open_context(const char *device)
{
	struct ib_uverbs_get_context_resp resp;
	struct ib_uverbs_get_context cmd = {};
	int fd = open_node(device), ret;

	if (fd < 0)
		return fd;
	ret = asked(fd, GET_CONTEXT, cmd, resp);
	return ret ? ret : fd;
}

int ktu_count(const char *name)
{
	char path[64];
	int count = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/kt_user/parameters/%s", name);
	file = fopen(path, "r");
	if (!file)
		return -1;
	if (fscanf(file, "%d", &count) != 1)
		count = -1;
	fclose(file);
	return count;
}

int ktu_set(const char *name, const char *value)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/kt_user/parameters/%s", name);
	file = fopen(path, "w");
	if (!file)
		return -errno;
	fputs(value, file);
	return fclose(file) ? -errno : 0;
}

int make_pd(int fd, uint32_t *handle)
{
	struct ib_uverbs_alloc_pd_resp resp = {};
	struct ib_uverbs_alloc_pd cmd = {};
	int ret = asked(fd, ALLOC_PD, cmd, resp);

	*handle = resp.pd_handle;
	return ret;
}

int make_cq(int fd, int channel, uint32_t *handle)
{
	struct ib_uverbs_create_cq cmd = { .cqe = 64, .comp_channel = channel };
	struct ib_uverbs_create_cq_resp resp = {};
	int ret = asked(fd, CREATE_CQ, cmd, resp);

	*handle = resp.cq_handle;
	return ret;
}

int make_qp(int fd, uint8_t type, uint32_t pd, uint32_t cq, uint32_t *handle)
{
	struct ib_uverbs_create_qp cmd = {
		.pd_handle = pd, .send_cq_handle = cq, .recv_cq_handle = cq, .qp_type = type,
		.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 2, .max_recv_sge = 2,
	};
	struct ib_uverbs_create_qp_resp resp = {};
	int ret = asked(fd, CREATE_QP, cmd, resp);

	*handle = resp.qp_handle;
	return ret;
}

int make_ah(int fd, uint32_t pd, uint16_t lid, uint32_t *handle)
{
	struct ib_uverbs_create_ah cmd = {
		.pd_handle = pd, .attr = { .dlid = lid, .sl = 3, .port_num = 1 },
	};
	struct ib_uverbs_create_ah_resp resp = {};
	int ret = asked(fd, CREATE_AH, cmd, resp);

	*handle = resp.ah_handle;
	return ret;
}

int destroy_qp(int fd, uint32_t handle)
{
	struct ib_uverbs_destroy_qp cmd = { .qp_handle = handle };
	struct ib_uverbs_destroy_qp_resp resp;

	return asked(fd, DESTROY_QP, cmd, resp);
}

int destroy_pd(int fd, uint32_t handle)
{
	struct ib_uverbs_dealloc_pd cmd = { .pd_handle = handle };

	return silent(fd, DEALLOC_PD, cmd);
}

int destroy_ah(int fd, uint32_t handle)
{
	struct ib_uverbs_destroy_ah cmd = { .ah_handle = handle };

	return silent(fd, DESTROY_AH, cmd);
}
