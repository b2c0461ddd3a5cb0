// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Attributes of ioctl(), after they were checked.
 *
 * A value of up to 8 bytes is read from the copy of the process's array; what a pointer leads to is
 * read once.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uverbs/ioctl.h"

static struct ib_uverbs_attr *find_attr(struct uverbs_attrs *attrs, u16 id)
{
	int spec = uverbs_method_spec(attrs->method, id);

	if (spec < 0 || attrs->place[spec] == UVERBS_LEFT_OUT)
		return NULL;
	return &attrs->attrs[attrs->place[spec]];
}

static unsigned int place(const struct uverbs_attrs *attrs, const struct ib_uverbs_attr *attr)
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

/* The process has put as many bytes as it says to the beginning of the 8. */
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
	call->attrs->answered |= BIT(place(call->attrs, attr));
	return 0;
}

static void take_in(struct ib_udata *udata, struct uverbs_attrs *attrs, u16 id)
{
	struct ib_uverbs_attr *attr = find_attr(attrs, id);

	if (!attr)
		return;
	udata->inlen = attr->len;
	/* Who reads it expects it with the process: there it is, in the array. */
	if (is_inline(attr))
		udata->inbuf = &attrs->user[place(attrs, attr)].data;
	else
		udata->inbuf = u64_to_user_ptr(attr->data);
}

int uverbs_attr_udata(struct uverbs_attr_bundle *call, struct ib_udata *udata, u16 in, u16 out)
{
	struct ib_uverbs_attr *attr = find_attr(call->attrs, out);

	take_in(udata, call->attrs, in);
	if (!attr)
		return 0;
	udata->outlen = attr->len;
	udata->outbuf = u64_to_user_ptr(attr->data);
	return uverbs_attr_answer(call, out, NULL, 0);
}

static int reply_number(struct uverbs_attrs *attrs, u16 id, u64 number)
{
	return put_user(number, &attrs->user[place(attrs, find_attr(attrs, id))].data);
}

static int reply_handle(struct uverbs_attr_bundle *call, const struct uverbs_attr_spec *spec)
{
	if (spec->kind == UVERBS_NEW)
		return reply_number(call->attrs, spec->id, call->uobject->id);
	if (spec->kind == UVERBS_NEW_FD)
		return reply_number(call->attrs, spec->id, call->new_fd);
	return 0;
}

static int reply_flags(struct uverbs_attrs *attrs, unsigned int i)
{
	if (!(attrs->answered & BIT(i)))
		return 0;
	return put_user((u16)(attrs->attrs[i].flags | UVERBS_ATTR_F_VALID_OUTPUT),
			&attrs->user[i].flags);
}

int uverbs_attrs_reply(struct uverbs_attr_bundle *call)
{
	struct uverbs_attrs *attrs = call->attrs;
	unsigned int i;
	int ret = 0;

	for (i = 0; i < attrs->method->num_specs && !ret; i++)
		ret = reply_handle(call, &attrs->method->specs[i]);
	for (i = 0; i < attrs->num && !ret; i++)
		ret = reply_flags(attrs, i);
	return ret;
}
