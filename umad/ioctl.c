// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The commands of ioctl(). The memory of the process is accessed without locks held.
 */
#include "umad/ioctl.h"

#include <linux/bitmap.h>
#include <linux/compat.h>
#include <linux/uaccess.h>
#include <uapi/rdma/rdma_user_ioctl.h>

#include "umad/agent.h"
#include "umad/umad.h"

/* Registers an agent, and writes its id to @to. */
static long register_agent(struct umad_file *file, struct umad_agent_spec *spec, u32 __user *to)
{
	u64 serial;
	int id;

	id = umad_agent_register(file, spec, &serial);
	if (id < 0)
		return id;
	if (!put_user(id, to))
		return 0;
	umad_agent_withdraw(file, serial);
	return -EFAULT;
}

/*
 * Implements REGISTER_AGENT. @compat: the mask of methods consists of words of 32 bits, which on
 * big-endian machines are not in the order of the words of 64 bits.
 */
static long register_first(struct umad_file *file, struct ib_user_mad_reg_req __user *arg,
			   bool compat)
{
	struct umad_agent_spec spec = {};
	struct ib_user_mad_reg_req req;

	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;
	if (req.qpn > 1)
		return -EINVAL;
	spec.qpn = req.qpn;
	spec.rmpp_version = req.rmpp_version;
	spec.want.mgmt_class = req.mgmt_class;
	spec.want.mgmt_class_version = req.mgmt_class_version;
	memcpy(spec.want.oui, req.oui, sizeof(spec.want.oui));
	BUILD_BUG_ON(sizeof(req.method_mask) != sizeof(spec.want.method_mask));
	if (compat)
		bitmap_from_arr32(spec.want.method_mask, (const u32 *)req.method_mask,
				  IB_MGMT_MAX_METHODS);
	else
		memcpy(spec.want.method_mask, req.method_mask, sizeof(req.method_mask));
	return register_agent(file, &spec, &arg->id);
}

/* Implements REGISTER_AGENT2. A process that sets an unknown flag gets the known ones. */
static long register_second(struct umad_file *file, struct ib_user_mad_reg_req2 __user *arg)
{
	struct umad_agent_spec spec = { .has_pkey = true };
	struct ib_user_mad_reg_req2 req;

	if (copy_from_user(&req, arg, sizeof(req)))
		return -EFAULT;
	if (req.qpn > 1)
		return -EINVAL;
	if (req.flags & ~IB_USER_MAD_REG_FLAGS_CAP)
		return put_user((u32)IB_USER_MAD_REG_FLAGS_CAP, &arg->flags) ? -EFAULT : -EINVAL;
	if (req.mgmt_class && req.oui >> 24)
		return -EINVAL;
	spec.qpn = req.qpn;
	spec.rmpp_version = req.rmpp_version;
	spec.flags = req.flags;
	spec.want.mgmt_class = req.mgmt_class;
	spec.want.mgmt_class_version = req.mgmt_class_version;
	spec.want.oui[0] = req.oui >> 16;
	spec.want.oui[1] = req.oui >> 8;
	spec.want.oui[2] = req.oui;
	bitmap_from_arr64(spec.want.method_mask, req.method_mask, IB_MGMT_MAX_METHODS);
	return register_agent(file, &spec, &arg->id);
}

static long unregister_agent(struct umad_file *file, const u32 __user *arg)
{
	u32 id;

	return get_user(id, arg) ? -EFAULT : umad_agent_unregister(file, id);
}

/* Implements ENABLE_PKEY: only before the first agent, because later the process may be reading. */
static long enable_pkey(struct umad_file *file)
{
	int ret = 0;

	down_write(&file->agents_lock);
	if (file->is_used)
		ret = -EINVAL;
	else
		WRITE_ONCE(file->has_pkey, true);
	up_write(&file->agents_lock);
	return ret;
}

static long run_command(struct umad_file *file, unsigned int command, void __user *arg, bool compat)
{
	switch (command) {
	case IB_USER_MAD_REGISTER_AGENT:
		return register_first(file, arg, compat);
	case IB_USER_MAD_REGISTER_AGENT2:
		return register_second(file, arg);
	case IB_USER_MAD_UNREGISTER_AGENT:
		return unregister_agent(file, arg);
	case IB_USER_MAD_ENABLE_PKEY:
		return enable_pkey(file);
	default:
		return -ENOIOCTLCMD;
	}
}

long umad_ioctl(struct file *filp, unsigned int command, unsigned long arg)
{
	return run_command(filp->private_data, command, (void __user *)arg, false);
}

long umad_compat_ioctl(struct file *filp, unsigned int command, unsigned long arg)
{
	return run_command(filp->private_data, command, compat_ptr(arg), true);
}
