// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): each call names a method of a type of object, and has an array of attributes.
 *
 * The array is copied once, and checked against the method's specs before the call runs. libibverbs
 * depends on the errno: after -EPROTONOSUPPORT (a method or attribute that is unknown here),
 * libibverbs makes the same request by write(). Any other errno is returned to the program.
 */
#include "uverbs/ioctl.h"

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uverbs/call.h"
#include "uverbs/ioctl_attr.h"
#include "uverbs/uverbs.h"

#define KNOWN_FLAGS	(UVERBS_ATTR_F_MANDATORY | UVERBS_ATTR_F_VALID_OUTPUT)

/* For types of objects that are supported by neither ioctl() nor write(). */
static const struct uverbs_methods none;

static const struct uverbs_methods *const objects[] = {
	[UVERBS_OBJECT_DEVICE] = &uverbs_device_methods,
	[UVERBS_OBJECT_PD] = &uverbs_pd_methods,
	[UVERBS_OBJECT_CQ] = &uverbs_cq_methods,
	[UVERBS_OBJECT_QP] = &uverbs_qp_methods,
	[UVERBS_OBJECT_SRQ] = &uverbs_srq_methods,
	[UVERBS_OBJECT_AH] = &uverbs_ah_methods,
	[UVERBS_OBJECT_MR] = &uverbs_mr_methods,
	[UVERBS_OBJECT_MW] = &uverbs_mw_methods,
	[UVERBS_OBJECT_FLOW] = &none,
	[UVERBS_OBJECT_XRCD] = &uverbs_xrcd_methods,
	[UVERBS_OBJECT_RWQ_IND_TBL] = &uverbs_rwq_ind_table_methods,
	[UVERBS_OBJECT_WQ] = &uverbs_wq_methods,
	[UVERBS_OBJECT_FLOW_ACTION] = &none,
	[UVERBS_OBJECT_DM] = &uverbs_dm_methods,
	[UVERBS_OBJECT_COUNTERS] = &uverbs_counters_methods,
	[UVERBS_OBJECT_ASYNC_EVENT] = &uverbs_async_methods,
};

static const struct uverbs_method *find_method(u16 object, u16 number)
{
	const struct uverbs_methods *methods;
	const struct uverbs_method *method;

	if (object >= ARRAY_SIZE(objects))
		return ERR_PTR(-EPROTONOSUPPORT);
	methods = objects[array_index_nospec(object, ARRAY_SIZE(objects))];
	if (!methods)
		return ERR_PTR(-EPROTONOSUPPORT);
	if (!methods->num)
		return ERR_PTR(-EOPNOTSUPP);
	if (number >= methods->num)
		return ERR_PTR(-EPROTONOSUPPORT);
	method = &methods->methods[array_index_nospec(number, methods->num)];
	return method->run ? method : ERR_PTR(-EOPNOTSUPP);
}

/*
 * Checks attribute @i of the process's array. If the method has a spec for the attribute, enters @i
 * into attrs->place.
 */
static int check_attr(struct uverbs_attrs *attrs, unsigned int i)
{
	const struct ib_uverbs_attr *attr = &attrs->attrs[i];
	int index = uverbs_method_spec(attrs->method, attr->attr_id);
	const struct uverbs_spec *spec;

	if (index < 0)
		return attr->flags & UVERBS_ATTR_F_MANDATORY ? -EPROTONOSUPPORT : 0;
	if (attrs->place[index] != UVERBS_LEFT_OUT)
		return -EINVAL;
	attrs->place[index] = i;
	spec = &attrs->method->specs[index];
	if (attr->flags & ~KNOWN_FLAGS || attr->attr_data.reserved)
		return -EINVAL;
	if (attr->len < spec->min || (attr->len > spec->max && !spec->grows))
		return -EINVAL;
	if (spec->kind == UVERBS_HANDLE && attr->data > U32_MAX)
		return -EINVAL;
	if (spec->kind == UVERBS_FD && (attr->data_s64 < 0 || attr->data_s64 > INT_MAX))
		return -EBADF;
	return 0;
}

static int check_attrs(struct uverbs_attrs *attrs)
{
	const struct uverbs_method *method = attrs->method;
	unsigned int i;
	int ret;

	memset(attrs->place, UVERBS_LEFT_OUT, sizeof(attrs->place));
	for (i = 0; i < attrs->num; i++) {
		ret = check_attr(attrs, i);
		if (ret)
			return ret;
	}
	for (i = 0; i < method->num_specs; i++)
		if (method->specs[i].needed && attrs->place[i] == UVERBS_LEFT_OUT)
			return -EINVAL;
	return 0;
}

static int fetch_attrs(struct uverbs_attrs *attrs, struct ib_uverbs_ioctl_hdr __user *from)
{
	struct ib_uverbs_ioctl_hdr hdr;

	if (copy_from_user(&hdr, from, sizeof(hdr)))
		return -EFAULT;
	if (hdr.length != struct_size(&hdr, attrs, hdr.num_attrs))
		return -EINVAL;
	if (hdr.reserved1 || hdr.reserved2)
		return -EPROTONOSUPPORT;
	attrs->method = find_method(hdr.object_id, hdr.method_id);
	if (IS_ERR(attrs->method))
		return PTR_ERR(attrs->method);
	if (hdr.num_attrs > UVERBS_MAX_ATTRS)
		return -E2BIG;
	attrs->driver_id = hdr.driver_id;
	attrs->user = from->attrs;
	attrs->num = hdr.num_attrs;
	attrs->answered = 0;
	if (copy_from_user(attrs->attrs, from->attrs, attrs->num * sizeof(attrs->attrs[0])))
		return -EFAULT;
	return check_attrs(attrs);
}

static int ioctl_run(struct uverbs_attr_bundle *call, void *arg)
{
	struct uverbs_attrs *attrs = call->attrs;
	const struct uverbs_method *method = attrs->method;
	int ret;

	if (attrs->driver_id != call->ibdev->ops.driver_id)
		return -EINVAL;
	if (!method->any_time) {
		ret = uverbs_call_needs_context(call);
		if (ret)
			return ret;
	}
	uverbs_attr_udata(call, &call->driver_udata, UVERBS_ATTR_UHW_IN, UVERBS_ATTR_UHW_OUT);
	ret = method->run(call);
	if (call->driver_udata.answered)
		uverbs_attr_answer(call, UVERBS_ATTR_UHW_OUT, NULL, 0);
	return ret;
}

long uverbs_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct uverbs_attr_bundle call = {};
	struct uverbs_attrs attrs;
	int ret, err;

	if (cmd != RDMA_VERBS_IOCTL)
		return -ENOIOCTLCMD;
	ret = fetch_attrs(&attrs, (void __user *)arg);
	if (ret)
		return ret;
	call.attrs = &attrs;
	ret = uverbs_attrs_copy(&call);
	if (!ret)
		ret = uverbs_call_run(filp->private_data, &call, ioctl_run, NULL);
	if (!ret || call.answers_errors) {
		err = uverbs_attrs_reply(&call);
		ret = err ?: ret;
	}
	return uverbs_call_end(&call, ret);
}
