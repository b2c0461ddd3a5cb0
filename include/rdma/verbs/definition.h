/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How a driver describes its own objects, methods and attributes of ioctl(). The macros that name
 * such descriptions are in <rdma/uverbs_named_ioctl.h>.
 *
 * Numbers of a driver's own objects and methods, and of attributes that it adds to standard
 * methods, begin at 1 << UVERBS_ID_NS_SHIFT.
 */
#ifndef _RDMA_VERBS_DEFINITION_H_
#define _RDMA_VERBS_DEFINITION_H_

#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/stddef.h>
#include <linux/types.h>
#include <uapi/rdma/ib_user_ioctl_cmds.h>

struct ib_device;
struct uverbs_attr_bundle;
struct uverbs_obj_type;

/**
 * enum uverbs_attr_type - what an attribute carries
 * @UVERBS_ATTR_TYPE_NA: none of the others
 * @UVERBS_ATTR_TYPE_PTR_IN: data from the process; up to 8 bytes are in the attribute itself
 * @UVERBS_ATTR_TYPE_PTR_OUT: room for an answer
 * @UVERBS_ATTR_TYPE_IDR: the handle of an object
 * @UVERBS_ATTR_TYPE_FD: the file descriptor of an object that is a file
 * @UVERBS_ATTR_TYPE_RAW_FD: any file descriptor, which ib_uverbs does not look up
 * @UVERBS_ATTR_TYPE_ENUM_IN: an element of an enumeration, and data from the process for it
 * @UVERBS_ATTR_TYPE_IDRS_ARRAY: handles of objects
 */
enum uverbs_attr_type {
	UVERBS_ATTR_TYPE_NA,
	UVERBS_ATTR_TYPE_PTR_IN,
	UVERBS_ATTR_TYPE_PTR_OUT,
	UVERBS_ATTR_TYPE_IDR,
	UVERBS_ATTR_TYPE_FD,
	UVERBS_ATTR_TYPE_RAW_FD,
	UVERBS_ATTR_TYPE_ENUM_IN,
	UVERBS_ATTR_TYPE_IDRS_ARRAY,
};

/**
 * enum uverbs_obj_access - what a method does with an object
 * @UVERBS_ACCESS_READ: uses the object, as other calls may do at the same time
 * @UVERBS_ACCESS_WRITE: uses the object while no other call does
 * @UVERBS_ACCESS_NEW: creates the object
 * @UVERBS_ACCESS_DESTROY: is called after ib_uverbs has destroyed the object
 */
enum uverbs_obj_access {
	UVERBS_ACCESS_READ,
	UVERBS_ACCESS_WRITE,
	UVERBS_ACCESS_NEW,
	UVERBS_ACCESS_DESTROY,
};

/* Stands for the number of any object, in an attribute that accepts handles of all. */
#define UVERBS_IDR_ANY_OBJECT	U16_MAX

/**
 * struct uverbs_attr_spec - description of an attribute
 * @type: &enum uverbs_attr_type
 * @zero_trailing: the data may be longer than @u.ptr.len, if the bytes beyond are 0; the room for
 *	an answer may be longer
 * @alloc_and_copy: the driver reads the data with uverbs_attr_get_alloced_ptr(). krdma copies the
 *	data of all attributes before the method runs
 * @mandatory: the process has to pass the attribute
 * @is_udata: the attribute is a part of &uverbs_attr_bundle.driver_udata
 * @u: for data and answers, their lengths in bytes; for a handle or file, the object's number and
 *	&enum uverbs_obj_access; for an enumeration, the number of elements
 * @u2: for an enumeration, the description of each element; for handles, the objects' number, the
 *	least and the greatest number of handles, and &enum uverbs_obj_access, which is that of a
 *	use: UVERBS_ACCESS_READ or UVERBS_ACCESS_WRITE
 */
struct uverbs_attr_spec {
	u8				type;
	u8				zero_trailing : 1;
	u8				alloc_and_copy : 1;
	u8				mandatory : 1;
	u8				is_udata : 1;
	union {
		struct {
			u16	len;
			u16	min_len;
		} ptr;
		struct {
			u16	obj_type;
			u8	access;
		} obj;
		struct {
			u8	num_elems;
		} enum_def;
	} u;
	union {
		struct {
			const struct uverbs_attr_spec *ids;
		} enum_def;
		struct {
			u16	obj_type;
			u16	min_len;
			u16	max_len;
			u8	access;
		} objs_arr;
	} u2;
};

/**
 * struct uverbs_attr_def - an attribute of a method
 * @id: number of the attribute
 * @attr: description
 */
struct uverbs_attr_def {
	u16				id;
	struct uverbs_attr_spec		attr;
};

/*
 * struct uverbs_method_def - a method of an object
 * @id: number of the method
 * @flags: none are defined
 * @num_attrs: number of attributes
 * @attrs: array of attributes
 * @handler: does the work; returns 0 or a negative errno. NULL: @attrs are added to a method that
 *	is defined elsewhere
 */
struct uverbs_method_def {
	u16				id;
	u32				flags;
	size_t				num_attrs;
	const struct uverbs_attr_def * const (*attrs)[];
	int				(*handler)(struct uverbs_attr_bundle *attrs);
};

/*
 * struct uverbs_object_def - an object
 * @id: number of the object
 * @type_attrs: kind of the object; NULL: @methods are added to an object that is defined elsewhere,
 *	or there are only methods
 * @num_methods: number of methods
 * @methods: array of methods
 */
struct uverbs_object_def {
	u16				id;
	const struct uverbs_obj_type	*type_attrs;
	size_t				num_methods;
	const struct uverbs_method_def * const (*methods)[];
};

/**
 * enum uapi_definition_kind - what an entry of &ib_device.driver_def says
 * @UAPI_KIND_END: the array ends
 * @UAPI_KIND_CHAIN: the definitions of another array belong here
 * @UAPI_KIND_OBJECT: the definition of an object
 * @UAPI_KIND_IS_SUPPORTED: a function says whether the device has the object of the entry before
 * @UAPI_KIND_NEEDS_FN: the object of the entry before needs an operation of the device
 */
enum uapi_definition_kind {
	UAPI_KIND_END,
	UAPI_KIND_CHAIN,
	UAPI_KIND_OBJECT,
	UAPI_KIND_IS_SUPPORTED,
	UAPI_KIND_NEEDS_FN,
};

/**
 * struct uapi_definition - an entry of &ib_device.driver_def, which the macros UAPI_DEF_* make
 * @kind: &enum uapi_definition_kind
 * @object_id: for UAPI_KIND_OBJECT: number of the object
 * @chain: for UAPI_KIND_CHAIN: array, which an entry of zeros ends
 * @chain_obj_tree: for UAPI_KIND_OBJECT: definition, whose own number is not read
 * @func_is_supported: for UAPI_KIND_IS_SUPPORTED: called once, when the device is registered
 * @needs_fn_offset: for UAPI_KIND_NEEDS_FN: offset of the operation in struct ib_device_ops
 */
struct uapi_definition {
	u8				kind;
	u16				object_id;
	union {
		const struct uapi_definition *chain;
		const struct uverbs_object_def *chain_obj_tree;
		bool (*func_is_supported)(struct ib_device *device);
		size_t needs_fn_offset;
	};
};

/* --- entries of ib_device.driver_def --- */

/* All entries of the array @_defs. */
#define UAPI_DEF_CHAIN(_defs)								\
	{ .kind = UAPI_KIND_CHAIN, .chain = (_defs) }

/* The object @_object, with the definition @_def. More entries about the object may follow. */
#define UAPI_DEF_CHAIN_OBJ_TREE(_object, _def, ...)					\
	{ .kind = UAPI_KIND_OBJECT, .object_id = (_object), .chain_obj_tree = (_def) },	\
	##__VA_ARGS__

/* The device has the object of the entry before only if @_func, called with the device, says so. */
#define UAPI_DEF_IS_OBJ_SUPPORTED(_func)						\
	{ .kind = UAPI_KIND_IS_SUPPORTED, .func_is_supported = (_func) }

/* The device has the object of the entry before only if it has the operation @_fn. */
#define UAPI_DEF_OBJ_NEEDS_FN(_fn)							\
	{ .kind = UAPI_KIND_NEEDS_FN, .needs_fn_offset = offsetof(struct ib_device_ops, _fn) }

/* --- attributes --- */

/* Members of an attribute's description: the process has to pass the attribute, or need not. */
#define UA_MANDATORY		.mandatory = 1
#define UA_OPTIONAL		.mandatory = 0
/* The driver reads the data with uverbs_attr_get_alloced_ptr(). */
#define UA_ALLOC_AND_COPY	.alloc_and_copy = 1

/* Lengths of data and answers, in bytes. */
#define UVERBS_ATTR_SIZE(_min_len, _len)						\
	.u.ptr.min_len = (_min_len), .u.ptr.len = (_len)
#define UVERBS_ATTR_MIN_SIZE(_min_len)		UVERBS_ATTR_SIZE(_min_len, U16_MAX)
#define UVERBS_ATTR_TYPE(_type)			UVERBS_ATTR_SIZE(sizeof(_type), sizeof(_type))
#define UVERBS_ATTR_NO_DATA()			UVERBS_ATTR_SIZE(0, 0)
/* A structure: older processes may leave out what follows @_last, newer ones may append to it. */
#define UVERBS_ATTR_STRUCT(_type, _last)						\
	.zero_trailing = 1, UVERBS_ATTR_SIZE(offsetofend(_type, _last), sizeof(_type))

#define UVERBS_ATTR_DEF(_id, _type, ...)						\
	(&(const struct uverbs_attr_def) {						\
		.id = (_id),								\
		.attr = { .type = (_type), __VA_ARGS__ },				\
	})

/*
 * Attributes of a method. @_id is the attribute's number; the arguments behind the named ones are
 * UA_* macros.
 */

/* Data from the process, or room for an answer, with the lengths @_lengths. */
#define UVERBS_ATTR_PTR_IN(_id, _lengths, ...)						\
	UVERBS_ATTR_DEF(_id, UVERBS_ATTR_TYPE_PTR_IN, _lengths, ##__VA_ARGS__)
#define UVERBS_ATTR_PTR_OUT(_id, _lengths, ...)						\
	UVERBS_ATTR_DEF(_id, UVERBS_ATTR_TYPE_PTR_OUT, _lengths, ##__VA_ARGS__)

/* A value of the enumeration @_enum, for uverbs_get_const(). */
#define UVERBS_ATTR_CONST_IN(_id, _enum, ...)						\
	UVERBS_ATTR_PTR_IN(_id,								\
			   UVERBS_ATTR_SIZE(sizeof(u64) + BUILD_BUG_ON_ZERO(!sizeof(_enum)), \
					    sizeof(u64)), ##__VA_ARGS__)

/* Bits of the enumeration @_enum, for uverbs_get_flags32() or uverbs_get_flags64(). */
#define UVERBS_ATTR_FLAGS_IN(_id, _enum, ...)						\
	UVERBS_ATTR_PTR_IN(_id,								\
			   UVERBS_ATTR_SIZE(sizeof(u32) + BUILD_BUG_ON_ZERO(!sizeof(_enum)), \
					    sizeof(u64)), ##__VA_ARGS__)

/* An index in the array @_elements, and data as the struct uverbs_attr_spec there says. */
#define UVERBS_ATTR_ENUM_IN(_id, _elements, ...)					\
	UVERBS_ATTR_DEF(_id, UVERBS_ATTR_TYPE_ENUM_IN,					\
			.u2.enum_def.ids = (_elements),					\
			.u.enum_def.num_elems = ARRAY_SIZE(_elements), ##__VA_ARGS__)

/* A handle of the object @_object. */
#define UVERBS_ATTR_IDR(_id, _object, _access, ...)					\
	UVERBS_ATTR_DEF(_id, UVERBS_ATTR_TYPE_IDR, .u.obj.obj_type = (_object),		\
			.u.obj.access = (_access), ##__VA_ARGS__)

/* A file descriptor of the object @_object; it is used (UVERBS_ACCESS_READ), or new. */
#define UVERBS_ATTR_FD(_id, _object, _access, ...)					\
	UVERBS_ATTR_DEF(_id, UVERBS_ATTR_TYPE_FD,					\
			.u.obj.obj_type = (_object) +					\
			BUILD_BUG_ON_ZERO((_access) != UVERBS_ACCESS_NEW &&		\
					  (_access) != UVERBS_ACCESS_READ),		\
			.u.obj.access = (_access), ##__VA_ARGS__)

/* Any file descriptor, for uverbs_get_raw_fd(). */
#define UVERBS_ATTR_RAW_FD(_id, ...)							\
	UVERBS_ATTR_DEF(_id, UVERBS_ATTR_TYPE_RAW_FD, ##__VA_ARGS__)

/* @_min to @_max handles of the object @_object, for uverbs_attr_get_uobjs_arr(). */
#define UVERBS_ATTR_IDRS_ARR(_id, _object, _access, _min, _max, ...)			\
	UVERBS_ATTR_DEF(_id, UVERBS_ATTR_TYPE_IDRS_ARRAY,				\
			.u2.objs_arr.obj_type = (_object) +				\
			BUILD_BUG_ON_ZERO((_access) != UVERBS_ACCESS_READ &&		\
					  (_access) != UVERBS_ACCESS_WRITE),		\
			.u2.objs_arr.access = (_access), .u2.objs_arr.min_len = (_min),	\
			.u2.objs_arr.max_len = (_max), ##__VA_ARGS__)

/* The data of uverbs_attr_bundle.driver_udata: two attributes. */
#define UVERBS_ATTR_UHW()								\
	UVERBS_ATTR_PTR_IN(UVERBS_ATTR_UHW_IN, UVERBS_ATTR_MIN_SIZE(0), UA_OPTIONAL,	\
			   .is_udata = 1),						\
	UVERBS_ATTR_PTR_OUT(UVERBS_ATTR_UHW_OUT, UVERBS_ATTR_MIN_SIZE(0), UA_OPTIONAL,	\
			    .is_udata = 1)

#endif /* _RDMA_VERBS_DEFINITION_H_ */
