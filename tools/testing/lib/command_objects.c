// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The objects that libsiw has no functions for, by commands and methods.
 */
#include <string.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "tools/testing/lib/command.h"
#include "tools/testing/lib/array.h"
#include "tools/testing/lib/steps.h"

int make_wq(int fd, uint32_t pd, uint32_t cq, struct ib_uverbs_ex_create_wq_resp *resp)
{
	struct ib_uverbs_ex_create_wq cmd = {
		.wq_type = IB_UVERBS_WQT_RQ, .pd_handle = pd, .cq_handle = cq, .max_wr = 4,
		.max_sge = 1,
	};

	return extended(fd, IB_USER_VERBS_EX_CMD_CREATE_WQ, &cmd, sizeof(cmd), resp, sizeof(*resp));
}

int destroy_wq(int fd, uint32_t wq)
{
	struct ib_uverbs_ex_destroy_wq cmd = { .wq_handle = wq };
	struct ib_uverbs_ex_destroy_wq_resp resp;

	return extended(fd, IB_USER_VERBS_EX_CMD_DESTROY_WQ, &cmd, sizeof(cmd), &resp,
			sizeof(resp));
}

int make_table(int fd, uint32_t log_size, const uint32_t *wqs, size_t len,
	       struct ib_uverbs_ex_create_rwq_ind_table_resp *resp)
{
	struct {
		uint32_t comp_mask, log_size;
		uint32_t wqs[MAX_TABLE];
	} cmd = { .log_size = log_size };

	memcpy(cmd.wqs, wqs, sizeof(cmd.wqs));
	return extended(fd, IB_USER_VERBS_EX_CMD_CREATE_RWQ_IND_TBL, &cmd, len, resp,
			sizeof(*resp));
}

int destroy_table(int fd, uint32_t table)
{
	struct ib_uverbs_ex_destroy_rwq_ind_table cmd = { .ind_tbl_handle = table };

	return extended(fd, IB_USER_VERBS_EX_CMD_DESTROY_RWQ_IND_TBL, &cmd, sizeof(cmd), NULL, 0);
}

int alloc_dm(int fd, uint64_t len, uint32_t *handle)
{
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_ALLOC_DM_HANDLE, 0, 0),
		attr_value(UVERBS_ATTR_ALLOC_DM_LENGTH, 8, len),
		attr_value(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, 3),
	};
	int ret = method(fd, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, attrs, ARRAY_SIZE(attrs));

	*handle = attrs[0].data;
	return ret;
}

int free_dm(int fd, uint32_t handle)
{
	return destroy_by_method(fd, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE,
				 UVERBS_ATTR_FREE_DM_HANDLE, handle);
}

int reg_dm_with_rkey(int fd, uint32_t pd, uint32_t dm, uint64_t offset, uint64_t len,
		     uint32_t access, uint32_t *handle, uint32_t *rkey)
{
	uint32_t lkey = 0;
	struct ib_uverbs_attr attrs[] = {
		attr_value(UVERBS_ATTR_REG_DM_MR_HANDLE, 0, 0),
		attr_value(UVERBS_ATTR_REG_DM_MR_OFFSET, 8, offset),
		attr_value(UVERBS_ATTR_REG_DM_MR_LENGTH, 8, len),
		attr_value(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, 0, pd),
		attr_value(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, 4, access),
		attr_value(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, 0, dm),
		attr_value(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 4, (uintptr_t)&lkey),
		attr_value(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 4, (uintptr_t)rkey),
	};
	int ret = method(fd, UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, attrs, ARRAY_SIZE(attrs));

	*handle = attrs[0].data;
	return ret ? ret : lkey && *rkey ? 0 : -ERANGE;
}

int reg_dm(int fd, uint32_t pd, uint32_t dm, uint64_t offset, uint64_t len, uint32_t access,
	   uint32_t *handle)
{
	uint32_t rkey = 0;

	return reg_dm_with_rkey(fd, pd, dm, offset, len, access, handle, &rkey);
}

int destroy_counters(int fd, uint32_t handle)
{
	return destroy_by_method(fd, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_DESTROY,
				 UVERBS_ATTR_DESTROY_COUNTERS_HANDLE, handle);
}

int open_xrcd(int fd, int file, int oflags, uint32_t *handle)
{
	struct ib_uverbs_open_xrcd cmd = { .fd = file, .oflags = oflags };
	struct ib_uverbs_open_xrcd_resp resp = {};
	int ret = asked(fd, OPEN_XRCD, cmd, resp);

	*handle = resp.xrcd_handle;
	return ret;
}

int close_xrcd(int fd, uint32_t handle)
{
	struct ib_uverbs_close_xrcd cmd = { .xrcd_handle = handle };

	return silent(fd, CLOSE_XRCD, cmd);
}

int make_counters(int fd, uint32_t *handle)
{
	struct ib_uverbs_attr attr = attr_value(UVERBS_ATTR_CREATE_COUNTERS_HANDLE, 0, 0);
	int ret = method(fd, UVERBS_OBJECT_COUNTERS, UVERBS_METHOD_COUNTERS_CREATE, &attr, 1);

	*handle = attr.data;
	return ret;
}

int make_mw(int fd, uint32_t pd, uint8_t type, uint32_t *handle)
{
	struct ib_uverbs_alloc_mw cmd = { .pd_handle = pd, .mw_type = type };
	struct ib_uverbs_alloc_mw_resp resp = {};
	int ret = asked(fd, ALLOC_MW, cmd, resp);

	*handle = resp.mw_handle;
	return ret;
}

int destroy_mw(int fd, uint32_t handle)
{
	struct ib_uverbs_dealloc_mw cmd = { .mw_handle = handle };

	return silent(fd, DEALLOC_MW, cmd);
}

int join_group(int fd, uint32_t number, uint32_t qp, uint8_t group, uint16_t lid)
{
	struct ib_uverbs_attach_mcast cmd = { .qp_handle = qp, .mlid = lid };

	cmd.gid[0] = 0xff;
	cmd.gid[15] = group;
	return command(fd, number, &cmd, sizeof(cmd), NULL, 0);
}
