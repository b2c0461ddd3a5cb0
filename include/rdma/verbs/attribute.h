/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The attributes of a call of ioctl(), as a driver reads and answers them. The functions are called
 * while a method or an operation runs for the process, in its context. They access no memory of the
 * process: ib_uverbs has copied the data before, and copies the answers after.
 *
 * An attribute is "left out" if the process has not passed it, or the method has no such attribute.
 */
#ifndef _RDMA_VERBS_ATTRIBUTE_H_
#define _RDMA_VERBS_ATTRIBUTE_H_

#include <linux/err.h>
#include <linux/gfp.h>
#include <linux/overflow.h>
#include <linux/types.h>

struct ib_uobject;
struct uverbs_attr_bundle;

/**
 * uverbs_attr_is_valid - has the process passed an attribute?
 * @attrs: the call
 * @idx: number of the attribute
 */
bool uverbs_attr_is_valid(const struct uverbs_attr_bundle *attrs, u16 idx);

/**
 * uverbs_attr_get_len - length of an attribute's data, or of the room for its answer
 * @attrs: the call
 * @idx: number of the attribute
 *
 * Return: number of bytes; -ENOENT: left out.
 */
int uverbs_attr_get_len(const struct uverbs_attr_bundle *attrs, u16 idx);

/**
 * uverbs_attr_ptr_get_array_size - number of elements in an attribute's data
 * @attrs: the call
 * @idx: number of the attribute
 * @elem_size: length of an element in bytes
 *
 * Return: number of elements; -EINVAL: the last element is not whole; -ENOENT: left out.
 */
int uverbs_attr_ptr_get_array_size(const struct uverbs_attr_bundle *attrs, u16 idx,
				   size_t elem_size);

/**
 * uverbs_attr_get_uobject - get the &struct ib_uobject that an attribute names
 * @attrs: the call
 * @idx: number of an attribute with a handle or file descriptor
 *
 * Return: the structure, valid until the method returns; ERR_PTR(-ENOENT) if the attribute was left
 * out or names no object, or outside of a method (in &uverbs_obj_idr_type.destroy_object).
 */
struct ib_uobject *uverbs_attr_get_uobject(const struct uverbs_attr_bundle *attrs, u16 idx);

/**
 * uverbs_attr_get_obj - get the driver's object that an attribute names
 * @attrs: the call
 * @idx: number of an attribute with a handle
 *
 * Return: &ib_uobject.object; ERR_PTR(-ENOENT) as for uverbs_attr_get_uobject().
 */
void *uverbs_attr_get_obj(const struct uverbs_attr_bundle *attrs, u16 idx);

/**
 * uverbs_attr_get_uobjs_arr - the structures of the objects that an attribute names
 * @attrs: the call
 * @attr_idx: number of an attribute of UVERBS_ATTR_IDRS_ARR()
 * @arr: is set to an array of structures, valid until the method returns; NULL: left out
 *
 * Return: number of structures; 0: left out.
 */
int uverbs_attr_get_uobjs_arr(const struct uverbs_attr_bundle *attrs, u16 attr_idx,
			      struct ib_uobject ***arr);

/**
 * uverbs_attr_get_enum_id - the element that an attribute of UVERBS_ATTR_ENUM_IN() names
 * @attrs: the call
 * @idx: number of the attribute
 *
 * Return: index of the element; -ENOENT: left out.
 */
int uverbs_attr_get_enum_id(const struct uverbs_attr_bundle *attrs, u16 idx);

/**
 * uverbs_attr_get_alloced_ptr - an attribute's data
 * @attrs: the call
 * @idx: number of an attribute with data
 *
 * Return: the data, aligned to 8 bytes and valid until the method returns, for the driver to read
 * and change; ERR_PTR: -ENOENT: left out.
 */
void *uverbs_attr_get_alloced_ptr(const struct uverbs_attr_bundle *attrs, u16 idx);

int _uverbs_copy_from(void *to, const struct uverbs_attr_bundle *attrs, size_t idx, size_t size);
int _uverbs_copy_from_or_zero(void *to, const struct uverbs_attr_bundle *attrs, size_t idx,
			      size_t size);

/**
 * uverbs_copy_from - copy an attribute's data into a variable
 * @_to: pointer to the variable; if the data is shorter, the rest of it stays as it was
 * @_attrs: the call
 * @_idx: number of the attribute
 *
 * Return: 0; -EINVAL: the data is longer than the variable; -ENOENT: left out.
 */
#define uverbs_copy_from(_to, _attrs, _idx)						\
	_uverbs_copy_from((_to), (_attrs), (_idx), sizeof(*(_to)))

/**
 * uverbs_copy_from_or_zero - copy an attribute's data into a variable, and fill it up with zeros
 * @_to: pointer to the variable; data behind its length is not copied
 * @_attrs: the call
 * @_idx: number of the attribute
 *
 * Return: 0; -ENOENT: left out.
 */
#define uverbs_copy_from_or_zero(_to, _attrs, _idx)					\
	_uverbs_copy_from_or_zero((_to), (_attrs), (_idx), sizeof(*(_to)))

/**
 * uverbs_copy_to - answer an attribute
 * @attrs: the call
 * @idx: number of the attribute
 * @from: the answer, which is cut off if the process's room is shorter
 * @size: number of bytes of @from
 *
 * The process gets the answer after the method has returned, even if the method fails. Room beyond
 * @size bytes is filled with zeros.
 *
 * Return: 0; -ENOENT: left out.
 */
int uverbs_copy_to(const struct uverbs_attr_bundle *attrs, size_t idx, const void *from,
		   size_t size);

/* Does what uverbs_copy_to() does, under the name that drivers use for UVERBS_ATTR_STRUCT(). */
int uverbs_copy_to_struct_or_zero(const struct uverbs_attr_bundle *attrs, size_t idx,
				  const void *from, size_t size);

/**
 * uverbs_output_written - mark an attribute as answered
 * @attrs: the call
 * @idx: number of the attribute; what it was answered by uverbs_copy_to() stays
 *
 * Return: 0; -ENOENT: left out.
 */
int uverbs_output_written(const struct uverbs_attr_bundle *attrs, size_t idx);

/**
 * uverbs_get_flags64 - read bits
 * @to: is set to the bits; 0: left out
 * @attrs: the call
 * @idx: number of an attribute of UVERBS_ATTR_FLAGS_IN()
 * @allowed_bits: the bits that may be set
 *
 * Return: 0; -EINVAL: another bit is set, or the length is neither 4 nor 8 bytes.
 */
int uverbs_get_flags64(u64 *to, const struct uverbs_attr_bundle *attrs, size_t idx,
		       u64 allowed_bits);
/* Does what uverbs_get_flags64() does, for 32 bits; -EINVAL: higher ones are set. */
int uverbs_get_flags32(u32 *to, const struct uverbs_attr_bundle *attrs, size_t idx,
		       u64 allowed_bits);

int _uverbs_get_const_signed(s64 *to, const struct uverbs_attr_bundle *attrs, size_t idx,
			     s64 lower_bound, u64 upper_bound, const s64 *def_val);
int _uverbs_get_const_unsigned(u64 *to, const struct uverbs_attr_bundle *attrs, size_t idx,
			       u64 upper_bound, const u64 *def_val);

/* @_def: pointer to the value (s64 or u64) for an attribute that is left out, or NULL */
#define __uverbs_get_const_signed(_to, _attrs, _idx, _def) ({				\
	s64 __val;									\
	int __ret = _uverbs_get_const_signed(&__val, (_attrs), (_idx),			\
					     type_min(typeof(*(_to))),			\
					     type_max(typeof(*(_to))), (_def));		\
	if (!__ret)									\
		*(_to) = __val;								\
	__ret;										\
})
#define __uverbs_get_const_unsigned(_to, _attrs, _idx, _def) ({				\
	u64 __val;									\
	int __ret = _uverbs_get_const_unsigned(&__val, (_attrs), (_idx),		\
					       type_max(typeof(*(_to))), (_def));	\
	if (!__ret)									\
		*(_to) = __val;								\
	__ret;										\
})

/**
 * uverbs_get_const_signed - read a value of an enumeration with negative values
 * @_to: pointer to the variable for the value; unchanged after an error
 * @_attrs: the call
 * @_idx: number of an attribute of UVERBS_ATTR_CONST_IN()
 *
 * Return: 0; -EINVAL: the variable is too small for the value; -ENOENT: left out.
 */
#define uverbs_get_const_signed(_to, _attrs, _idx)					\
	__uverbs_get_const_signed(_to, _attrs, _idx, NULL)
/* Does what uverbs_get_const_signed() does, for an enumeration without negative values. */
#define uverbs_get_const_unsigned(_to, _attrs, _idx)					\
	__uverbs_get_const_unsigned(_to, _attrs, _idx, NULL)
/* Is uverbs_get_const_signed() or uverbs_get_const_unsigned(), by the type of the variable. */
#define uverbs_get_const(_to, _attrs, _idx)						\
	(is_signed_type(typeof(*(_to))) ? uverbs_get_const_signed(_to, _attrs, _idx) :	\
					  uverbs_get_const_unsigned(_to, _attrs, _idx))

/* Do what the macros above do, but set the variable to @_default if the attribute is left out. */
#define uverbs_get_const_default_signed(_to, _attrs, _idx, _default) ({			\
	s64 __def = (_default);								\
	__uverbs_get_const_signed(_to, _attrs, _idx, &__def);				\
})
#define uverbs_get_const_default_unsigned(_to, _attrs, _idx, _default) ({		\
	u64 __def = (_default);								\
	__uverbs_get_const_unsigned(_to, _attrs, _idx, &__def);				\
})
#define uverbs_get_const_default(_to, _attrs, _idx, _default)				\
	(is_signed_type(typeof(*(_to))) ?						\
		uverbs_get_const_default_signed(_to, _attrs, _idx, _default) :		\
		uverbs_get_const_default_unsigned(_to, _attrs, _idx, _default))

/**
 * uverbs_get_raw_fd - read a file descriptor
 * @to: is set to the descriptor
 * @attrs: the call
 * @idx: number of an attribute of UVERBS_ATTR_RAW_FD()
 *
 * Return: 0; -ENOENT: left out.
 */
int uverbs_get_raw_fd(int *to, const struct uverbs_attr_bundle *attrs, size_t idx);

/**
 * uverbs_finalize_uobj_create - say that the new object exists
 * @attrs: the call
 * @idx: number of the attribute with UVERBS_ACCESS_NEW
 *
 * If the method fails before, the driver itself has undone the creation. If it fails after, or if
 * the process cannot be answered, ib_uverbs destroys the object with RDMA_REMOVE_ABORT.
 */
void uverbs_finalize_uobj_create(const struct uverbs_attr_bundle *attrs, u16 idx);

/* Handler of a method that only destroys an object. Returns 0. */
int uverbs_destroy_def_handler(struct uverbs_attr_bundle *attrs);

/**
 * _uverbs_alloc - get memory that is freed after the method has returned
 * @attrs: the call
 * @size: number of bytes
 * @flags: GFP_KERNEL, possibly with __GFP_ZERO
 *
 * Return: the memory; ERR_PTR: -ENOMEM; -EOVERFLOW: @size is larger than memory can be.
 */
void *_uverbs_alloc(struct uverbs_attr_bundle *attrs, size_t size, gfp_t flags);

static inline void *uverbs_alloc(struct uverbs_attr_bundle *attrs, size_t size)
{
	return _uverbs_alloc(attrs, size, GFP_KERNEL);
}

static inline void *uverbs_zalloc(struct uverbs_attr_bundle *attrs, size_t size)
{
	return _uverbs_alloc(attrs, size, GFP_KERNEL | __GFP_ZERO);
}

static inline void *uverbs_kcalloc(struct uverbs_attr_bundle *attrs, size_t n, size_t size)
{
	return _uverbs_alloc(attrs, array_size(n, size), GFP_KERNEL | __GFP_ZERO);
}

#endif /* _RDMA_VERBS_ATTRIBUTE_H_ */
