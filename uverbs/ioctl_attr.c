// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Attributes of ioctl(), after ioctl.c has checked them.
 *
 * A value of up to 8 bytes is read from the copy of the process's array. Memory of the process to
 * which an attribute points is read only once.
 */
#include "uverbs/ioctl_attr.h"

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uverbs/channel.h"
#include "uverbs/uverbs.h"

static struct ib_uverbs_attr *find_attr(struct uverbs_attrs *attrs, u16 id)
{
	int spec = uverbs_method_spec(attrs->method, id);

	if (spec < 0 || attrs->place[spec] == UVERBS_LEFT_OUT)
		return NULL;
	return &attrs->attrs[attrs->place[spec]];
}

static unsigned int attr_index(const struct uverbs_attrs *attrs, const struct ib_uverbs_attr *attr)
{
	return attr - attrs->attrs;
}

static bool is_inline(const struct ib_uverbs_attr *attr)
{
	return attr->len <= sizeof(attr->data);
}

bool uverbs_attr_given(struct uverbs_attr_bundle *call, u16 id)
{
	return find_attr(call->attrs, id);
}

u16 uverbs_attr_len(struct uverbs_attr_bundle *call, u16 id)
{
	const struct ib_uverbs_attr *attr = find_attr(call->attrs, id);

	return attr ? attr->len : 0;
}

/* The process stores a value that is shorter than 8 bytes at the beginning of attr->data. */
u32 uverbs_attr_u32(struct uverbs_attr_bundle *call, u16 id)
{
	const struct ib_uverbs_attr *attr = find_attr(call->attrs, id);
	u32 value = 0;

	if (attr)
		memcpy(&value, &attr->data, sizeof(value));
	return value;
}

u64 uverbs_attr_u64(struct uverbs_attr_bundle *call, u16 id)
{
	const struct ib_uverbs_attr *attr = find_attr(call->attrs, id);

	return attr ? attr->data : 0;
}

u32 uverbs_attr_handle(struct uverbs_attr_bundle *call, u16 id)
{
	return uverbs_attr_u64(call, id);
}

int uverbs_attr_fd(struct uverbs_attr_bundle *call, u16 id)
{
	const struct ib_uverbs_attr *attr = find_attr(call->attrs, id);

	return attr ? attr->data_s64 : -1;
}

int uverbs_attr_const(struct uverbs_attr_bundle *call, u16 id, u32 max, u32 *value)
{
	u64 wide = uverbs_attr_u64(call, id);

	if (wide > max)
		return -EINVAL;
	*value = wide;
	return 0;
}

int uverbs_attr_flags(struct uverbs_attr_bundle *call, u16 id, u32 known, u32 *flags)
{
	u16 len = uverbs_attr_len(call, id);
	u64 wide;

	if (len == sizeof(u64))
		wide = uverbs_attr_u64(call, id);
	else if (len <= sizeof(u32))
		wide = uverbs_attr_u32(call, id);
	else
		return -EINVAL;
	if (wide & ~(u64)known)
		return -EINVAL;
	*flags = wide;
	return 0;
}

int uverbs_attr_async(struct uverbs_attr_bundle *call, u16 id, struct uverbs_channel **channel)
{
	int fd = uverbs_attr_fd(call, id);

	*channel = fd < 0 ? NULL : uverbs_channel_get(call->ufile, fd, false);
	return PTR_ERR_OR_ZERO(*channel);
}

int uverbs_attr_read(struct uverbs_attr_bundle *call, u16 id, void *to, size_t size)
{
	const struct ib_uverbs_attr *attr = find_attr(call->attrs, id);
	int ret;

	memset(to, 0, size);
	if (!attr)
		return 0;
	if (is_inline(attr)) {
		memcpy(to, &attr->data, min_t(size_t, size, attr->len));
		return 0;
	}
	ret = copy_struct_from_user(to, size, u64_to_user_ptr(attr->data), attr->len);
	return ret == -E2BIG ? -EOPNOTSUPP : ret;
}

int uverbs_attr_answer(struct uverbs_attr_bundle *call, u16 id, const void *from, size_t size)
{
	struct ib_uverbs_attr *attr = find_attr(call->attrs, id);
	void __user *to;

	if (!attr)
		return 0;
	to = u64_to_user_ptr(attr->data);
	size = min_t(size_t, size, attr->len);
	if (copy_to_user(to, from, size) || clear_user(to + size, attr->len - size))
		return -EFAULT;
	call->attrs->answered |= BIT(attr_index(call->attrs, attr));
	return 0;
}

int uverbs_attr_udata(struct uverbs_attr_bundle *call, struct ib_udata *udata, u16 in, u16 out)
{
	struct uverbs_attrs *attrs = call->attrs;
	struct ib_uverbs_attr *attr;

	attr = find_attr(attrs, in);
	if (attr) {
		udata->inlen = attr->len;
		/* The memory of a udata is in user space: inline data is in the process's array. */
		if (is_inline(attr))
			udata->inbuf = &attrs->user[attr_index(attrs, attr)].data;
		else
			udata->inbuf = u64_to_user_ptr(attr->data);
	}
	attr = find_attr(attrs, out);
	if (!attr)
		return 0;
	udata->outlen = attr->len;
	udata->outbuf = u64_to_user_ptr(attr->data);
	return uverbs_attr_answer(call, out, NULL, 0);
}

int uverbs_attrs_reply(struct uverbs_attr_bundle *call)
{
	struct uverbs_attrs *attrs = call->attrs;
	unsigned int i;
	u64 number;

	for (i = 0; i < attrs->method->num_specs; i++) {
		if (attrs->method->specs[i].kind == UVERBS_NEW)
			number = call->uobject->id;
		else if (attrs->method->specs[i].kind == UVERBS_NEW_FD)
			number = call->new_fd;
		else
			continue;
		if (put_user(number, &attrs->user[attrs->place[i]].data))
			return -EFAULT;
	}
	for (i = 0; i < attrs->num; i++) {
		if (!(attrs->answered & BIT(i)))
			continue;
		if (put_user((u16)(attrs->attrs[i].flags | UVERBS_ATTR_F_VALID_OUTPUT),
			     &attrs->user[i].flags))
			return -EFAULT;
	}
	return 0;
}
