// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): each call names a method of a type of object, and has an array of attributes.
 *
 * The array is copied once, and checked against the method's specs before the call runs. libibverbs
 * depends on the errno: after -EPROTONOSUPPORT (a method or attribute that is unknown here),
 * libibverbs makes the same request by write(). Any other errno is returned to the program.
 */
#include "uverbs/ioctl/ioctl.h"

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uverbs/frame/call.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/api.h"
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/driver_call.h"

#define KNOWN_FLAGS	(UVERBS_ATTR_F_MANDATORY | UVERBS_ATTR_F_VALID_OUTPUT)

/* Checks the fields of an attribute other than its number, flags, length and data. */
static int check_element(const struct uverbs_spec *spec, const struct ib_uverbs_attr *attr)
{
	if (spec->kind != UVERBS_ENUM)
		return attr->attr_data.reserved ? -EINVAL : 0;
	if (attr->attr_data.enum_data.elem_id >= spec->num_elements)
		return -EOPNOTSUPP;
	return attr->attr_data.enum_data.reserved ? -EINVAL : 0;
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
	struct uverbs_range range;
	int ret;

	if (index < 0)
		return attr->flags & UVERBS_ATTR_F_MANDATORY ? -EPROTONOSUPPORT : 0;
	if (attrs->place[index] != UVERBS_LEFT_OUT)
		return -EINVAL;
	attrs->place[index] = i;
	spec = &attrs->method->specs[index];
	if (attr->flags & ~KNOWN_FLAGS)
		return -EINVAL;
	ret = check_element(spec, attr);
	if (ret)
		return ret;
	range = uverbs_spec_range(spec, attr->attr_data.enum_data.elem_id);
	if (attr->len < range.min || (attr->len > range.max && !range.grows))
		return -EINVAL;
	if (spec->kind == UVERBS_HANDLES && attr->len % sizeof(u32))
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

static int fetch_attrs(const struct uverbs_device *udev, struct uverbs_attrs *attrs,
		       struct ib_uverbs_ioctl_hdr __user *from)
{
	struct ib_uverbs_ioctl_hdr hdr;

	if (copy_from_user(&hdr, from, sizeof(hdr)))
		return -EFAULT;
	if (hdr.length != struct_size(&hdr, attrs, hdr.num_attrs))
		return -EINVAL;
	if (hdr.reserved1 || hdr.reserved2)
		return -EPROTONOSUPPORT;
	attrs->method = uverbs_api_method(udev->api, hdr.object_id, hdr.method_id);
	if (IS_ERR(attrs->method))
		return PTR_ERR(attrs->method);
	if (hdr.num_attrs > UVERBS_MAX_ATTRS)
		return -E2BIG;
	attrs->driver_id = hdr.driver_id;
	attrs->user = from->attrs;
	attrs->num = hdr.num_attrs;
	attrs->taken = false;
	attrs->answered = 0;
	attrs->answers_errors = false;
	if (copy_from_user(attrs->attrs, from->attrs, attrs->num * sizeof(attrs->attrs[0])))
		return -EFAULT;
	return check_attrs(attrs);
}

/*
 * Returns @id if attribute @id of the method has data for the provider, or room for the provider's
 * answer. In its own methods, a driver may use the number @id for some other attribute. In that
 * case, or if the method has no such attribute, returns U16_MAX, which is no attribute's number.
 */
static u16 udata_attr(const struct uverbs_method *method, u16 id)
{
	int i = uverbs_method_spec(method, id);

	return i >= 0 && method->specs[i].udata ? id : U16_MAX;
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
	attrs->answered = 0;
	attrs->answers_errors = false;
	uverbs_attr_udata(call, &call->driver_udata, udata_attr(method, UVERBS_ATTR_UHW_IN),
			  udata_attr(method, UVERBS_ATTR_UHW_OUT));
	ret = method->drivers ? uverbs_driver_run(call) : method->run(call);
	if (call->driver_udata.answered)
		uverbs_attr_answer(call, UVERBS_ATTR_UHW_OUT, NULL, 0);
	return ret;
}

/*
 * Runs a call. Is not inlined, because the caller's stack frame would be too large on 32-bit
 * machines.
 */
static noinline long ioctl_call(struct ib_uverbs_file *file, struct uverbs_attrs *attrs)
{
	struct uverbs_attr_bundle call = { .attrs = attrs };
	int ret, err;

	ret = uverbs_attrs_copy(&call);
	if (!ret)
		ret = uverbs_call_run(file, &call, ioctl_run, NULL);
	if (!ret || call.answers_errors || attrs->answers_errors) {
		err = uverbs_attrs_reply(&call);
		ret = err ?: ret;
	}
	return uverbs_call_end(&call, ret);
}

long uverbs_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct ib_uverbs_file *file = filp->private_data;
	struct uverbs_attrs attrs;
	int ret;

	if (cmd != RDMA_VERBS_IOCTL)
		return -ENOIOCTLCMD;
	ret = fetch_attrs(file->device, &attrs, (void __user *)arg);
	return ret ?: ioctl_call(file, &attrs);
}
