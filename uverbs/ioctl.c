// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * ioctl(): each call names a method of a kind of object, and has a list of attributes.
 *
 * The list is copied once and checked against the method's before the call enters the device. What
 * we refuse tells libibverbs what to do: on -EPROTONOSUPPORT (a method or attribute that we have
 * never heard of) it tries the same by write(), and each other errno is what the program sees.
 */
#include <linux/err.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uverbs/ioctl.h"

#define KNOWN_FLAGS	(UVERBS_ATTR_F_MANDATORY | UVERBS_ATTR_F_VALID_OUTPUT)

/* write() does not have these objects either. */
static const struct uverbs_methods none;

static const struct uverbs_methods *const objects[] = {
	[UVERBS_OBJECT_DEVICE] = &uverbs_device_methods,
	[UVERBS_OBJECT_PD] = &uverbs_pd_methods,
	[UVERBS_OBJECT_CQ] = &uverbs_cq_methods,
	[UVERBS_OBJECT_QP] = &uverbs_qp_methods,
	[UVERBS_OBJECT_SRQ] = &uverbs_srq_methods,
	[UVERBS_OBJECT_AH] = &none,
	[UVERBS_OBJECT_MR] = &uverbs_mr_methods,
	[UVERBS_OBJECT_MW] = &none,
	[UVERBS_OBJECT_FLOW] = &none,
	[UVERBS_OBJECT_XRCD] = &none,
	[UVERBS_OBJECT_RWQ_IND_TBL] = &none,
	[UVERBS_OBJECT_WQ] = &none,
	[UVERBS_OBJECT_FLOW_ACTION] = &none,
	[UVERBS_OBJECT_DM] = &none,
	[UVERBS_OBJECT_COUNTERS] = &none,
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

static int check_data(const struct uverbs_attr_spec *spec, const struct ib_uverbs_attr *attr)
{
	switch (spec->kind) {
	case UVERBS_HANDLE:
		return attr->data > U32_MAX ? -EINVAL : 0;
	case UVERBS_FD:
		return attr->data_s64 < 0 || attr->data_s64 > INT_MAX ? -EBADF : 0;
	default:
		return 0;
	}
}

static int check(const struct uverbs_attr_spec *spec, const struct ib_uverbs_attr *attr)
{
	if (attr->flags & ~KNOWN_FLAGS || attr->attr_data.reserved)
		return -EINVAL;
	if (attr->len < spec->min)
		return -EINVAL;
	if (attr->len > spec->max && !spec->grows)
		return -EINVAL;
	return check_data(spec, attr);
}

static int check_one(struct uverbs_attrs *attrs, unsigned int i)
{
	const struct ib_uverbs_attr *attr = &attrs->attrs[i];
	int spec = uverbs_method_spec(attrs->method, attr->attr_id);

	if (spec < 0)
		return attr->flags & UVERBS_ATTR_F_MANDATORY ? -EPROTONOSUPPORT : 0;
	if (attrs->place[spec] != UVERBS_LEFT_OUT)
		return -EINVAL;
	attrs->place[spec] = i;
	return check(&attrs->method->specs[spec], attr);
}

static int check_all(struct uverbs_attrs *attrs)
{
	const struct uverbs_method *method = attrs->method;
	unsigned int i;
	int ret;

	memset(attrs->place, UVERBS_LEFT_OUT, sizeof(attrs->place));
	for (i = 0; i < attrs->num; i++) {
		ret = check_one(attrs, i);
		if (ret)
			return ret;
	}
	for (i = 0; i < method->num_specs; i++)
		if (method->specs[i].needed && attrs->place[i] == UVERBS_LEFT_OUT)
			return -EINVAL;
	return 0;
}

static int check_header(const struct ib_uverbs_ioctl_hdr *hdr)
{
	if (hdr->length != struct_size(hdr, attrs, hdr->num_attrs))
		return -EINVAL;
	if (hdr->reserved1 || hdr->reserved2)
		return -EPROTONOSUPPORT;
	return 0;
}

static int fetch(struct uverbs_attrs *attrs, struct ib_uverbs_ioctl_hdr __user *from)
{
	struct ib_uverbs_ioctl_hdr hdr;
	int ret;

	if (copy_from_user(&hdr, from, sizeof(hdr)))
		return -EFAULT;
	ret = check_header(&hdr);
	if (ret)
		return ret;
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
	return check_all(attrs);
}

static int ioctl_run(struct uverbs_attr_bundle *call, void *arg)
{
	struct uverbs_attrs *attrs = arg;
	const struct uverbs_method *method = attrs->method;
	int ret = 0;

	call->attrs = attrs;
	if (attrs->driver_id != uverbs_ibdev(call->ufile->device)->ops.driver_id)
		return -EINVAL;
	if (!method->any_time)
		ret = uverbs_call_needs_context(call);
	if (!ret)
		ret = uverbs_attr_udata(call, &call->driver_udata, UVERBS_ATTR_UHW_IN,
					UVERBS_ATTR_UHW_OUT);
	if (!ret)
		ret = method->run(call);
	if (ret)
		return ret;
	return uverbs_attrs_reply(call);
}

long uverbs_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	struct uverbs_attr_bundle call = {};
	struct uverbs_attrs attrs;
	int ret;

	if (cmd != RDMA_VERBS_IOCTL)
		return -ENOIOCTLCMD;
	/* The process may stall this: nobody waits for it yet. */
	ret = fetch(&attrs, (void __user *)arg);
	if (ret)
		return ret;
	return uverbs_call(filp->private_data, &call, ioctl_run, &attrs);
}
