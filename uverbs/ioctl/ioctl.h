/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ioctl(): how methods and their attributes are described.
 */
#ifndef _KRDMA_UVERBS_IOCTL_IOCTL_H_
#define _KRDMA_UVERBS_IOCTL_IOCTL_H_

#include <linux/build_bug.h>
#include <linux/limits.h>
#include <linux/nospec.h>
#include <linux/types.h>
#include <uapi/rdma/ib_user_ioctl_cmds.h>

struct file;
struct uverbs_attr_bundle;
struct uverbs_object_type;

/* Greatest number of attributes of a call. The creation of a QP has the most, 17. */
#define UVERBS_MAX_ATTRS	32

/**
 * enum uverbs_attr_kind - what an attribute carries
 * @UVERBS_IN: data from the process: up to 8 bytes are in the attribute itself, longer data is in
 *	memory that the attribute points to
 * @UVERBS_OUT: a pointer to room for an answer
 * @UVERBS_HANDLE: the handle of an object
 * @UVERBS_NEW: is set to the handle of the object that the call creates
 * @UVERBS_FD: a file descriptor
 * @UVERBS_NEW_FD: is set to the file descriptor that the call creates
 * @UVERBS_ENUM: an index, and data from the process, whose lengths depend on the index
 * @UVERBS_HANDLES: handles of objects
 */
enum uverbs_attr_kind {
	UVERBS_IN,
	UVERBS_OUT,
	UVERBS_HANDLE,
	UVERBS_NEW,
	UVERBS_FD,
	UVERBS_NEW_FD,
	UVERBS_ENUM,
	UVERBS_HANDLES,
};

/**
 * struct uverbs_range - lengths that data may have
 * @min: least length, in bytes
 * @max: greatest length, in bytes
 * @grows: the data may be longer than @max, if the bytes beyond @max are 0
 */
struct uverbs_range {
	u16			min;
	u16			max;
	bool			grows;
};

/**
 * struct uverbs_spec - an attribute of a method
 * @id: number of the attribute
 * @kind: &enum uverbs_attr_kind
 * @needed: the process has to pass the attribute
 * @grows: the attribute may be longer than @max, if the bytes beyond @max are 0
 * @min: least length, in bytes
 * @max: greatest length, in bytes
 * @udata: the attribute is a part of uverbs_attr_bundle.driver_udata
 * @takes: true: the objects that the attribute names are looked up or created before the method
 *	runs, see driver_call.h; false: the method does that itself
 * @access: for objects that the call takes: &enum uverbs_obj_access
 * @num_elements: for UVERBS_ENUM: number of @elements
 * @object: for objects that the call takes: number of their type; UVERBS_IDR_ANY_OBJECT: any type
 * @type: for objects that the call takes: type that they have to have; NULL: any
 * @elements: for UVERBS_ENUM: lengths of the data for each index
 */
struct uverbs_spec {
	u16			id;
	u8			kind;
	bool			needed;
	bool			grows;
	u16			min;
	u16			max;
	bool			udata;
	bool			takes;
	u8			access;
	u8			num_elements;
	u16			object;
	const struct uverbs_object_type *type;
	const struct uverbs_range *elements;
};

#define MAY	false
#define MUST	true

#define SPEC(number, what, must, least, most)						\
	{ .id = (number), .kind = (what), .needed = (must), .min = (least), .max = (most) }
#define SPEC_IN(id, type, must)								\
	SPEC(id, UVERBS_IN, must, sizeof(type), sizeof(type))
#define SPEC_IN_BYTES(id, least, must)							\
	SPEC(id, UVERBS_IN, must, least, U16_MAX)
/* A structure that newer callers may have extended. */
#define SPEC_STRUCT(number, type, must)							\
	{ .id = (number), .kind = UVERBS_IN, .needed = (must), .grows = true,		\
	  .min = sizeof(type), .max = sizeof(type) }
/* A value of an enumeration. */
#define SPEC_CONST(id, must)	SPEC_IN(id, u64, must)
#define SPEC_FLAGS(id, must)								\
	SPEC(id, UVERBS_IN, must, sizeof(u32), sizeof(u64))
/* Room for an answer, @least bytes or more. A longer answer is cut off to fit. */
#define SPEC_OUT_BYTES(id, least, must)							\
	SPEC(id, UVERBS_OUT, must, least, U16_MAX)
/* Room for an answer of type @type, sizeof(@type) bytes or more. */
#define SPEC_OUT(id, type, must)	SPEC_OUT_BYTES(id, sizeof(type), must)
#define SPEC_HANDLE(id, must)		SPEC(id, UVERBS_HANDLE, must, 0, 0)
#define SPEC_NEW(id)			SPEC(id, UVERBS_NEW, MUST, 0, 0)
#define SPEC_FD(id, must)		SPEC(id, UVERBS_FD, must, 0, 0)
#define SPEC_NEW_FD(id)			SPEC(id, UVERBS_NEW_FD, MUST, 0, 0)
/* Data that the process and the provider exchange. */
#define SPEC_UHW(number, what)								\
	{ .id = (number), .kind = (what), .max = U16_MAX, .udata = true }
#define SPEC_UHW_IN			SPEC_UHW(UVERBS_ATTR_UHW_IN, UVERBS_IN)
#define SPEC_UHW_OUT			SPEC_UHW(UVERBS_ATTR_UHW_OUT, UVERBS_OUT)

/**
 * struct uverbs_method - a method of a type of object
 * @run: decodes the attributes and calls the operation; returns 0 or an errno. NULL: the method is
 *	known, but not offered
 * @specs: attributes
 * @num_specs: number of @specs
 * @any_time: the method may be called before the process has a context
 * @drivers: a driver has defined the method, or added attributes to it
 */
struct uverbs_method {
	int			(*run)(struct uverbs_attr_bundle *call);
	const struct uverbs_spec *specs;
	unsigned int		num_specs;
	bool			any_time;
	bool			drivers;
};

#define METHOD_SPECS(list)								\
	.specs = (list),								\
	.num_specs = ARRAY_SIZE(list) + BUILD_BUG_ON_ZERO(ARRAY_SIZE(list) > UVERBS_MAX_ATTRS)
#define METHOD(what, list)		{ .run = (what), METHOD_SPECS(list) }
#define METHOD_ANY_TIME(what, list)	{ .run = (what), METHOD_SPECS(list), .any_time = true }

/**
 * struct uverbs_methods - the methods of a type of object
 * @methods: methods by number
 * @num: number of @methods
 */
struct uverbs_methods {
	const struct uverbs_method *methods;
	unsigned int		num;
};

#define METHODS(list)	{ .methods = (list), .num = ARRAY_SIZE(list) }

/*
 * Tables of methods, one for each type of object. Each is defined in the object's file in this
 * folder.
 */
extern const struct uverbs_methods uverbs_device_methods, uverbs_mr_methods;
extern const struct uverbs_methods uverbs_cq_methods, uverbs_qp_methods, uverbs_srq_methods;
extern const struct uverbs_methods uverbs_wq_methods, uverbs_rwq_ind_table_methods;
extern const struct uverbs_methods uverbs_dm_methods, uverbs_counters_methods;
extern const struct uverbs_methods uverbs_flow_methods, uverbs_flow_action_methods;

/*
 * Returns the lengths that the data of an attribute may have. @element: for UVERBS_ENUM: the index,
 * which the caller has checked.
 */
static inline struct uverbs_range uverbs_spec_range(const struct uverbs_spec *spec, u8 element)
{
	if (spec->kind == UVERBS_ENUM)
		return spec->elements[array_index_nospec(element, spec->num_elements)];
	return (struct uverbs_range) {
		.min = spec->min,
		.max = spec->max,
		.grows = spec->grows,
	};
}

/* Returns the index of the spec of attribute @id; -1: the method has no spec for it. */
static inline int uverbs_method_spec(const struct uverbs_method *method, u16 id)
{
	int i;

	for (i = 0; i < method->num_specs; i++)
		if (method->specs[i].id == id)
			return i;
	return -1;
}

/* Implements file_operations.unlocked_ioctl. */
long uverbs_ioctl(struct file *filp, unsigned int cmd, unsigned long arg);

#endif /* _KRDMA_UVERBS_IOCTL_IOCTL_H_ */
