/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Commands and methods of uverbs, on a device node, without a library; and the parameters of
 * kt_user.ko, on whose device some tests use them.
 */
#ifndef _KRDMA_TESTING_LIB_COMMAND_H_
#define _KRDMA_TESTING_LIB_COMMAND_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl.h>

/* Number of the provider that method() passes, of enum rdma_driver_id. */
extern uint32_t command_driver;

/* Name of the device of kt_user.ko. */
#define KTU	"ktu"

/* Whether command() uses the ioctl() method INVOKE_WRITE instead of write(). */
extern bool commands_by_ioctl;

/*
 * Gives the command @number with the request @cmd of @len bytes, which begins with the address for
 * the response unless @room is 0; command() fills it in. Returns 0 or a negative errno.
 */
int command(int fd, uint32_t number, void *cmd, size_t len, void *resp, size_t room);
/* Does the same for an extended command, whose request has no address for the response. */
int extended(int fd, uint32_t number, const void *cmd, size_t len, void *resp, size_t room);
/* Does the same for a command without a response, and a request without an address for it. */
#define silent(fd, number, cmd)								\
	command((fd), IB_USER_VERBS_CMD_##number, &(cmd), sizeof(cmd), NULL, 0)
#define asked(fd, number, cmd, resp)							\
	command((fd), IB_USER_VERBS_CMD_##number, &(cmd), sizeof(cmd), &(resp), sizeof(resp))

/* Returns an attribute that the kernel must know, with the value itself or the address of data. */
static inline struct ib_uverbs_attr attr_value(uint16_t id, uint16_t len, uint64_t value)
{
	return (struct ib_uverbs_attr) {
		.attr_id = id, .len = len, .flags = UVERBS_ATTR_F_MANDATORY, .data = value,
	};
}

/* Calls a method of ioctl() with @num attributes, at most 24. Returns 0 or a negative errno. */
int method(int fd, uint16_t object, uint16_t number, struct ib_uverbs_attr *attrs,
	   unsigned int num);
/* Calls a method whose only attribute is the handle of the object that it destroys. */
int destroy_by_method(int fd, uint16_t object, uint16_t number, uint16_t id, uint32_t handle);

/* Opens the node of the device of that name. Returns the file descriptor, or a negative errno. */
int open_node(const char *device);
/* Does the same, and makes a context. */
int open_context(const char *device);
/* Reads a parameter of kt_user.ko. Returns -1 if that fails. */
int ktu_count(const char *name);
/* Sets a parameter of kt_user.ko. Returns 0 or a negative errno. */
int ktu_set(const char *name, const char *value);

/* Make objects. Return a negative errno, or 0 with the handle in @handle. */
int make_pd(int fd, uint32_t *handle);
int make_cq(int fd, int channel, uint32_t *handle);
int make_qp(int fd, uint8_t type, uint32_t pd, uint32_t cq, uint32_t *handle);
int make_ah(int fd, uint32_t pd, uint16_t lid, uint32_t *handle);
int destroy_qp(int fd, uint32_t handle);
int destroy_pd(int fd, uint32_t handle);
int destroy_ah(int fd, uint32_t handle);

/*
 * command_objects.c: work queues, tables of 2^@log_size of them, memory of the device, counters,
 * XRC domains and windows. The functions return 0 or a negative errno.
 */
#define MAX_TABLE	16

int make_wq(int fd, uint32_t pd, uint32_t cq, struct ib_uverbs_ex_create_wq_resp *resp);
int destroy_wq(int fd, uint32_t wq);
/* @len: length of the request, which is too short for the table in some tests. */
int make_table(int fd, uint32_t log_size, const uint32_t *wqs, size_t len,
	       struct ib_uverbs_ex_create_rwq_ind_table_resp *resp);
int destroy_table(int fd, uint32_t table);
int alloc_dm(int fd, uint64_t len, uint32_t *handle);
int free_dm(int fd, uint32_t handle);
int reg_dm(int fd, uint32_t pd, uint32_t dm, uint64_t offset, uint64_t len, uint32_t access,
	   uint32_t *handle);
/* @rkey: where the kernel writes the rkey, which is returned by *@rkey if the call succeeds. */
int reg_dm_with_rkey(int fd, uint32_t pd, uint32_t dm, uint64_t offset, uint64_t len,
		     uint32_t access, uint32_t *handle, uint32_t *rkey);
int make_counters(int fd, uint32_t *handle);
int destroy_counters(int fd, uint32_t handle);
int open_xrcd(int fd, int file, int oflags, uint32_t *handle);
int close_xrcd(int fd, uint32_t handle);
int make_mw(int fd, uint32_t pd, uint8_t type, uint32_t *handle);
int destroy_mw(int fd, uint32_t handle);

/* Joins @fd's QP to a group whose GID ends with @group, by ATTACH_MCAST or DETACH_MCAST. */
int join_group(int fd, uint32_t number, uint32_t qp, uint8_t group, uint16_t lid);

#endif /* _KRDMA_TESTING_LIB_COMMAND_H_ */
