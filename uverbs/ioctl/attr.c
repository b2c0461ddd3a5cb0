// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Attributes of ioctl(), after ioctl.c has checked them.
 *
 * A value of up to 8 bytes is read from the copy of the process's array. If an attribute points to
 * longer data in memory of the process, the data is copied to the call's memory before the call
 * runs. Answers are collected in the call's memory, and copied to the process after the call has
 * run.
 */
#include "uverbs/ioctl/attr.h"

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "uverbs/frame/call.h"
#include "uverbs/frame/channel.h"
#include "uverbs/frame/uverbs.h"

int uverbs_attr_find(const struct uverbs_attrs *attrs, u16 id)
{
	int spec = uverbs_method_spec(attrs->method, id);

	return spec < 0 || attrs->place[spec] == UVERBS_LEFT_OUT ? -1 : attrs->place[spec];
}

const struct uverbs_spec *uverbs_attr_spec_of(const struct uverbs_attrs *attrs, u16 id)
{
	return &attrs->method->specs[uverbs_method_spec(attrs->method, id)];
}

static struct ib_uverbs_attr *find_attr(struct uverbs_attrs *attrs, u16 id)
{
	int i = uverbs_attr_find(attrs, id);

	return i < 0 ? NULL : &attrs->attrs[i];
}

static unsigned int attr_index(const struct uverbs_attrs *attrs, const struct ib_uverbs_attr *attr)
{
	return attr - attrs->attrs;
}

static bool is_inline(const struct ib_uverbs_attr *attr)
{
	return attr->len <= sizeof(attr->data);
}

/* Returns the call's memory for what the attribute points to. */
static void *attr_mem(const struct uverbs_attr_bundle *call, const struct ib_uverbs_attr *attr)
{
	return call->mem + call->attrs->ref[attr_index(call->attrs, attr)].offset;
}

/* Returns whether an attribute of this kind has data from the process. */
static bool is_data(u8 kind)
{
	return kind == UVERBS_IN || kind == UVERBS_ENUM || kind == UVERBS_HANDLES;
}

void *uverbs_attr_data(const struct uverbs_attr_bundle *call, unsigned int i)
{
	struct ib_uverbs_attr *attr = &call->attrs->attrs[i];
	u8 kind = uverbs_attr_spec_of(call->attrs, attr->attr_id)->kind;

	return is_data(kind) && is_inline(attr) ? &attr->data : attr_mem(call, attr);
}

/* Returns how many bytes of the call's memory the handles of an attribute take. */
static size_t handles_size(const struct ib_uverbs_attr *attr)
{
	return ALIGN(attr->len, sizeof(u64));
}

struct ib_uobject **uverbs_attr_uobjs(const struct uverbs_attr_bundle *call, unsigned int i)
{
	const struct ib_uverbs_attr *attr = &call->attrs->attrs[i];

	return attr_mem(call, attr) + handles_size(attr);
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

void uverbs_attr_read(struct uverbs_attr_bundle *call, u16 id, void *to, size_t size)
{
	const struct ib_uverbs_attr *attr = find_attr(call->attrs, id);
	const void *from;

	memset(to, 0, size);
	if (!attr)
		return;
	from = is_inline(attr) ? &attr->data : attr_mem(call, attr);
	memcpy(to, from, min_t(size_t, size, attr->len));
}

void uverbs_attr_answer(struct uverbs_attr_bundle *call, u16 id, const void *from, size_t size)
{
	struct ib_uverbs_attr *attr = find_attr(call->attrs, id);

	if (!attr)
		return;
	memcpy(attr_mem(call, attr), from, min_t(size_t, size, attr->len));
	call->attrs->answered |= BIT(attr_index(call->attrs, attr));
}

void uverbs_attr_udata(struct uverbs_attr_bundle *call, struct ib_udata *udata, u16 in, u16 out)
{
	const struct ib_uverbs_attr *attr;

	attr = find_attr(call->attrs, in);
	if (attr) {
		udata->inlen = attr->len;
		if (is_inline(attr)) {
			udata->inbuf = &call->attrs->user[attr_index(call->attrs, attr)].data;
			udata->in = &attr->data;
		} else {
			udata->inbuf = u64_to_user_ptr(attr->data);
			udata->in = attr_mem(call, attr);
		}
	}
	attr = find_attr(call->attrs, out);
	if (attr) {
		udata->outlen = attr->len;
		udata->outbuf = u64_to_user_ptr(attr->data);
		udata->out = attr_mem(call, attr);
	}
}

/* Returns how many bytes of the call's memory an attribute needs. */
static size_t mem_size(const struct uverbs_spec *spec, const struct ib_uverbs_attr *attr)
{
	if (spec->kind == UVERBS_HANDLES)
		return handles_size(attr) + attr->len / sizeof(u32) * sizeof(struct ib_uobject *);
	if (spec->kind == UVERBS_OUT || (is_data(spec->kind) && !is_inline(attr)))
		return ALIGN(attr->len, sizeof(u64));
	return 0;
}

/* Copies the data that an attribute points to. */
static int copy_data(struct uverbs_attr_bundle *call, const struct uverbs_spec *spec,
		     const struct ib_uverbs_attr *attr)
{
	struct uverbs_range range = uverbs_spec_range(spec, attr->attr_data.enum_data.elem_id);
	const void *data = is_inline(attr) ? &attr->data : attr_mem(call, attr);

	if (!is_inline(attr) &&
	    copy_from_user(attr_mem(call, attr), u64_to_user_ptr(attr->data), attr->len))
		return -EFAULT;
	if (attr->len > range.max && memchr_inv(data + range.max, 0, attr->len - range.max))
		return -EOPNOTSUPP;
	return 0;
}

int uverbs_attrs_copy(struct uverbs_attr_bundle *call)
{
	struct uverbs_attrs *attrs = call->attrs;
	const struct uverbs_spec *spec;
	size_t size = 0;
	unsigned int i;
	int ret;

	for (i = 0; i < attrs->method->num_specs; i++) {
		if (attrs->place[i] == UVERBS_LEFT_OUT)
			continue;
		attrs->ref[attrs->place[i]].offset = size;
		size += mem_size(&attrs->method->specs[i], &attrs->attrs[attrs->place[i]]);
	}
	ret = uverbs_call_alloc(call, size);
	if (ret)
		return ret;
	for (i = 0; i < attrs->method->num_specs; i++) {
		spec = &attrs->method->specs[i];
		if (attrs->place[i] == UVERBS_LEFT_OUT || !is_data(spec->kind))
			continue;
		ret = copy_data(call, spec, &attrs->attrs[attrs->place[i]]);
		if (ret)
			return ret;
	}
	return 0;
}

/* Writes the handle or descriptor of what the call has created, if @spec is for a new object. */
static int reply_new(struct uverbs_attr_bundle *call, const struct uverbs_spec *spec, u8 place)
{
	u64 number;

	if (place == UVERBS_LEFT_OUT)
		return 0;
	if (spec->kind == UVERBS_NEW && call->uobject)
		number = call->uobject->id;
	else if (spec->kind == UVERBS_NEW_FD && call->new_file)
		number = call->new_fd;
	else
		return 0;
	return put_user(number, &call->attrs->user[place].data);
}

int uverbs_attrs_reply(struct uverbs_attr_bundle *call)
{
	struct uverbs_attrs *attrs = call->attrs;
	const struct ib_uverbs_attr *attr;
	unsigned int i;
	int ret;

	for (i = 0; i < attrs->num; i++) {
		attr = &attrs->attrs[i];
		if (!(attrs->answered & BIT(i)))
			continue;
		if (copy_to_user(u64_to_user_ptr(attr->data), attr_mem(call, attr), attr->len) ||
		    put_user((u16)(attr->flags | UVERBS_ATTR_F_VALID_OUTPUT),
			     &attrs->user[i].flags))
			return -EFAULT;
	}
	for (i = 0; i < attrs->method->num_specs; i++) {
		ret = reply_new(call, &attrs->method->specs[i], attrs->place[i]);
		if (ret)
			return ret;
	}
	return 0;
}
