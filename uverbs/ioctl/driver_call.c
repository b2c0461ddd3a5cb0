// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Calls of methods that a driver has defined, and the functions by which a driver reads and answers
 * their attributes.
 */
#include "uverbs/ioctl/driver_call.h"

#include <linux/bits.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/string.h>

#include "uverbs/frame/object.h"
#include "uverbs/frame/umem.h"
#include "uverbs/frame/uverbs.h"
#include "uverbs/ioctl/attr.h"

/* --- objects --- */

/* Returns the number of handles in attribute @i. */
static u32 num_handles(const struct uverbs_attrs *attrs, unsigned int i)
{
	return attrs->attrs[i].len / sizeof(u32);
}

/* Returns how many objects attribute @i adds to the call's list of objects in use. */
static u32 num_used(const struct uverbs_attrs *attrs, const struct uverbs_spec *spec,
		    unsigned int i)
{
	switch (spec->kind) {
	case UVERBS_HANDLE:
	case UVERBS_FD:
		return 1;
	case UVERBS_HANDLES:
		return num_handles(attrs, i);
	default:
		return 0;
	}
}

static int take_handles(struct uverbs_attr_bundle *call, const struct uverbs_spec *spec,
			unsigned int i)
{
	struct ib_uobject **uobjs = uverbs_attr_uobjs(call, i);
	const u32 *handles = uverbs_attr_data(call, i);
	bool exclusive = spec->access == UVERBS_ACCESS_WRITE;
	u32 j;

	for (j = 0; j < num_handles(call->attrs, i); j++) {
		uobjs[j] = uverbs_object_get_any(call, spec->type, handles[j], exclusive);
		if (IS_ERR(uobjs[j]))
			return PTR_ERR(uobjs[j]);
	}
	return 0;
}

/*
 * Looks up the objects that attribute @i names, or makes the handle of a new object. Does nothing
 * if the attribute names an object that is to be destroyed. Returns 0 or an errno.
 */
static int take_objects(struct uverbs_attr_bundle *call, const struct uverbs_spec *spec,
			unsigned int i)
{
	const struct ib_uverbs_attr *attr = &call->attrs->attrs[i];
	struct ib_uobject *uobj;

	switch (spec->kind) {
	case UVERBS_NEW:
	case UVERBS_NEW_FD:
		uobj = uverbs_object_new(call, spec->type);
		break;
	case UVERBS_HANDLE:
		if (spec->access == UVERBS_ACCESS_DESTROY)
			return 0;
		uobj = uverbs_object_get_any(call, spec->type, attr->data,
					     spec->access == UVERBS_ACCESS_WRITE);
		break;
	case UVERBS_FD:
		uobj = uverbs_object_get_file(call, spec->type, attr->data_s64);
		break;
	case UVERBS_HANDLES:
		return take_handles(call, spec, i);
	default:
		return 0;
	}
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	call->attrs->ref[i].uobj = uobj;
	return 0;
}

/* Returns whether the device lacks the object that an attribute is for. */
static bool lacks_object(const struct uverbs_spec *spec)
{
	return spec->object != UVERBS_IDR_ANY_OBJECT && !spec->type;
}

/*
 * Looks up or makes the objects that the attributes name, except for an object that is to be
 * destroyed. Sets @destroyed to the index of that object's spec, or to -1 if the method destroys no
 * object. Returns 0 or an errno.
 */
static int take_all(struct uverbs_attr_bundle *call, int *destroyed)
{
	const struct uverbs_method *method = call->attrs->method;
	const struct uverbs_attrs *attrs = call->attrs;
	const struct uverbs_spec *spec;
	unsigned int i;
	u32 num = 0;
	int ret;

	*destroyed = -1;
	for (i = 0; i < method->num_specs; i++) {
		spec = &method->specs[i];
		if (!spec->takes || attrs->place[i] == UVERBS_LEFT_OUT)
			continue;
		if (lacks_object(spec))
			return -EOPNOTSUPP;
		num += num_used(attrs, spec, attrs->place[i]);
	}
	ret = uverbs_objects_reserve(call, num);
	for (i = 0; i < method->num_specs && !ret; i++) {
		spec = &method->specs[i];
		if (!spec->takes || attrs->place[i] == UVERBS_LEFT_OUT)
			continue;
		if (spec->kind == UVERBS_HANDLE && spec->access == UVERBS_ACCESS_DESTROY)
			*destroyed = i;
		ret = take_objects(call, spec, attrs->place[i]);
	}
	return ret;
}

/* Runs a method. If the method creates an object, take_all() has already made the handle. */
static int run_method(struct uverbs_attr_bundle *call)
{
	struct ib_uobject *made = call->uobject;
	int ret;

	call->attrs->taken = true;
	ret = call->attrs->method->run(call);
	call->attrs->taken = false;
	if (WARN_ON_ONCE(ret > 0))
		ret = -EINVAL;
	if (!made)
		return ret;
	if (!ret)
		made->made = true;
	else if (!made->made)
		made->object = NULL; /* The driver has undone the creation. */
	return ret;
}

int uverbs_driver_run(struct uverbs_attr_bundle *call)
{
	const struct ib_uverbs_attr *attr;
	const struct uverbs_spec *spec;
	struct ib_uobject *uobj;
	int destroyed, ret;
	unsigned int i;

	ret = take_all(call, &destroyed);
	if (ret)
		return ret;
	if (destroyed < 0) {
		/*
		 * A method that makes no object must not run twice, because nothing undoes its
		 * changes. A method that makes an object may, because the object is destroyed
		 * before the second run.
		 */
		ret = call->uobject ? 0 : uverbs_udata_prepare(call);
		return ret ?: run_method(call);
	}
	spec = &call->attrs->method->specs[destroyed];
	i = call->attrs->place[destroyed];
	attr = &call->attrs->attrs[i];
	uobj = uverbs_object_remove(call, spec->type, attr->data);
	if (IS_ERR(uobj))
		return PTR_ERR(uobj);
	call->attrs->ref[i].uobj = uobj;
	ret = run_method(call);
	/* Prevent a second run, which would not find the destroyed object. */
	call->pin.wanted = false;
	uverbs_object_put(uobj);
	return ret;
}

/* --- attributes, for drivers --- */

/* Returns an attribute's index; -ENOENT: it was left out, or the call has no attributes. */
static int find(const struct uverbs_attr_bundle *call, u16 id)
{
	int i = call->attrs ? uverbs_attr_find(call->attrs, id) : -1;

	return i < 0 ? -ENOENT : i;
}

/*
 * Returns the index of attribute @id, if its kind is @kind or @other; -ENOENT: the attribute is of
 * another kind, or was left out.
 */
static int find_kind(const struct uverbs_attr_bundle *call, u16 id, u8 kind, u8 other)
{
	int i = find(call, id);
	u8 has;

	if (i < 0)
		return i;
	has = uverbs_attr_spec_of(call->attrs, id)->kind;
	return has == kind || has == other ? i : -ENOENT;
}

static int find_data(const struct uverbs_attr_bundle *call, u16 id)
{
	return find_kind(call, id, UVERBS_IN, UVERBS_ENUM);
}

bool uverbs_attr_is_valid(const struct uverbs_attr_bundle *attrs, u16 idx)
{
	return find(attrs, idx) >= 0;
}
EXPORT_SYMBOL(uverbs_attr_is_valid);

int uverbs_attr_get_len(const struct uverbs_attr_bundle *attrs, u16 idx)
{
	int i = find(attrs, idx);

	return i < 0 ? i : attrs->attrs->attrs[i].len;
}
EXPORT_SYMBOL(uverbs_attr_get_len);

int uverbs_attr_ptr_get_array_size(const struct uverbs_attr_bundle *attrs, u16 idx,
				   size_t elem_size)
{
	int len = uverbs_attr_get_len(attrs, idx);

	if (len < 0)
		return len;
	return len % elem_size ? -EINVAL : len / elem_size;
}
EXPORT_SYMBOL(uverbs_attr_ptr_get_array_size);

struct ib_uobject *uverbs_attr_get_uobject(const struct uverbs_attr_bundle *attrs, u16 idx)
{
	const struct uverbs_spec *spec;
	int i = find(attrs, idx);

	if (i < 0)
		return ERR_PTR(i);
	spec = uverbs_attr_spec_of(attrs->attrs, idx);
	if (!spec->takes || spec->kind == UVERBS_HANDLES || !attrs->attrs->taken)
		return ERR_PTR(-ENOENT);
	return attrs->attrs->ref[i].uobj;
}
EXPORT_SYMBOL(uverbs_attr_get_uobject);

void *uverbs_attr_get_obj(const struct uverbs_attr_bundle *attrs, u16 idx)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, idx);

	return IS_ERR(uobj) ? ERR_CAST(uobj) : uobj->object;
}
EXPORT_SYMBOL(uverbs_attr_get_obj);

int uverbs_attr_get_uobjs_arr(const struct uverbs_attr_bundle *attrs, u16 attr_idx,
			      struct ib_uobject ***arr)
{
	int i = find_kind(attrs, attr_idx, UVERBS_HANDLES, UVERBS_HANDLES);
	bool taken = i >= 0 && attrs->attrs->taken;

	*arr = taken ? uverbs_attr_uobjs(attrs, i) : NULL;
	return taken ? num_handles(attrs->attrs, i) : 0;
}
EXPORT_SYMBOL(uverbs_attr_get_uobjs_arr);

int uverbs_attr_get_enum_id(const struct uverbs_attr_bundle *attrs, u16 idx)
{
	int i = find_kind(attrs, idx, UVERBS_ENUM, UVERBS_ENUM);

	return i < 0 ? i : attrs->attrs->attrs[i].attr_data.enum_data.elem_id;
}
EXPORT_SYMBOL(uverbs_attr_get_enum_id);

void *uverbs_attr_get_alloced_ptr(const struct uverbs_attr_bundle *attrs, u16 idx)
{
	int i = find_data(attrs, idx);

	return i < 0 ? ERR_PTR(i) : uverbs_attr_data(attrs, i);
}
EXPORT_SYMBOL(uverbs_attr_get_alloced_ptr);

int _uverbs_copy_from(void *to, const struct uverbs_attr_bundle *attrs, size_t idx, size_t size)
{
	int i = find_data(attrs, idx);
	u16 len;

	if (i < 0)
		return i;
	len = attrs->attrs->attrs[i].len;
	if (len > size)
		return -EINVAL;
	memcpy(to, uverbs_attr_data(attrs, i), len);
	return 0;
}
EXPORT_SYMBOL(_uverbs_copy_from);

int _uverbs_copy_from_or_zero(void *to, const struct uverbs_attr_bundle *attrs, size_t idx,
			      size_t size)
{
	int i = find_data(attrs, idx);
	size_t len;

	if (i < 0)
		return i;
	len = min_t(size_t, size, attrs->attrs->attrs[i].len);
	memcpy(to, uverbs_attr_data(attrs, i), len);
	memset(to + len, 0, size - len);
	return 0;
}
EXPORT_SYMBOL(_uverbs_copy_from_or_zero);

int uverbs_copy_to(const struct uverbs_attr_bundle *attrs, size_t idx, const void *from,
		   size_t size)
{
	int i = find_kind(attrs, idx, UVERBS_OUT, UVERBS_OUT);

	if (i < 0)
		return i;
	memcpy(uverbs_attr_data(attrs, i), from,
	       min_t(size_t, size, attrs->attrs->attrs[i].len));
	attrs->attrs->answered |= BIT(i);
	attrs->attrs->answers_errors = true;
	return 0;
}
EXPORT_SYMBOL(uverbs_copy_to);

int uverbs_copy_to_struct_or_zero(const struct uverbs_attr_bundle *attrs, size_t idx,
				  const void *from, size_t size)
{
	return uverbs_copy_to(attrs, idx, from, size);
}
EXPORT_SYMBOL(uverbs_copy_to_struct_or_zero);

int uverbs_output_written(const struct uverbs_attr_bundle *attrs, size_t idx)
{
	int i = find_kind(attrs, idx, UVERBS_OUT, UVERBS_OUT);

	if (i < 0)
		return i;
	attrs->attrs->answered |= BIT(i);
	return 0;
}
EXPORT_SYMBOL(uverbs_output_written);

int uverbs_get_flags64(u64 *to, const struct uverbs_attr_bundle *attrs, size_t idx,
		       u64 allowed_bits)
{
	int i = find_data(attrs, idx);
	u64 flags = 0;
	u32 few;

	if (i >= 0) {
		switch (attrs->attrs->attrs[i].len) {
		case sizeof(u64):
			memcpy(&flags, uverbs_attr_data(attrs, i), sizeof(flags));
			break;
		case sizeof(u32):
			memcpy(&few, uverbs_attr_data(attrs, i), sizeof(few));
			flags = few;
			break;
		default:
			return -EINVAL;
		}
	}
	if (flags & ~allowed_bits)
		return -EINVAL;
	*to = flags;
	return 0;
}
EXPORT_SYMBOL(uverbs_get_flags64);

int uverbs_get_flags32(u32 *to, const struct uverbs_attr_bundle *attrs, size_t idx,
		       u64 allowed_bits)
{
	u64 flags;
	int ret;

	ret = uverbs_get_flags64(&flags, attrs, idx, allowed_bits);
	if (ret)
		return ret;
	if (flags > U32_MAX)
		return -EINVAL;
	*to = flags;
	return 0;
}
EXPORT_SYMBOL(uverbs_get_flags32);

/*
 * Reads the value of an enumeration. If the process has left it out, takes *@def_val, or fails if
 * @def_val is NULL.
 */
static int get_const(u64 *to, const struct uverbs_attr_bundle *call, size_t id, const u64 *def_val)
{
	int i = find_data(call, id);

	if (i < 0) {
		if (!def_val)
			return i;
		*to = *def_val;
		return 0;
	}
	if (call->attrs->attrs[i].len != sizeof(*to))
		return -EINVAL;
	memcpy(to, uverbs_attr_data(call, i), sizeof(*to));
	return 0;
}

int _uverbs_get_const_signed(s64 *to, const struct uverbs_attr_bundle *attrs, size_t idx,
			     s64 lower_bound, u64 upper_bound, const s64 *def_val)
{
	u64 value;
	int ret;

	ret = get_const(&value, attrs, idx, (const u64 *)def_val);
	if (ret)
		return ret;
	*to = value;
	return *to < lower_bound || (*to > 0 && *to > upper_bound) ? -EINVAL : 0;
}
EXPORT_SYMBOL(_uverbs_get_const_signed);

int _uverbs_get_const_unsigned(u64 *to, const struct uverbs_attr_bundle *attrs, size_t idx,
			       u64 upper_bound, const u64 *def_val)
{
	int ret;

	ret = get_const(to, attrs, idx, def_val);
	if (ret)
		return ret;
	return *to > upper_bound ? -EINVAL : 0;
}
EXPORT_SYMBOL(_uverbs_get_const_unsigned);

int uverbs_get_raw_fd(int *to, const struct uverbs_attr_bundle *attrs, size_t idx)
{
	int i = find_kind(attrs, idx, UVERBS_FD, UVERBS_FD);

	if (i < 0)
		return i;
	*to = attrs->attrs->attrs[i].data_s64;
	return 0;
}
EXPORT_SYMBOL(uverbs_get_raw_fd);

void uverbs_finalize_uobj_create(const struct uverbs_attr_bundle *attrs, u16 idx)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, idx);

	if (!WARN_ON_ONCE(IS_ERR(uobj) || uobj != attrs->uobject))
		uobj->made = true;
}
EXPORT_SYMBOL(uverbs_finalize_uobj_create);

int uverbs_destroy_def_handler(struct uverbs_attr_bundle *attrs)
{
	return 0;
}
EXPORT_SYMBOL(uverbs_destroy_def_handler);
