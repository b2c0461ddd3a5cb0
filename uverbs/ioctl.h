/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ioctl(): how methods are described, and how they read their attributes.
 */
#ifndef _KRDMA_UVERBS_IOCTL_H_
#define _KRDMA_UVERBS_IOCTL_H_

#include <linux/build_bug.h>
#include <linux/limits.h>
#include <uapi/rdma/rdma_user_ioctl_cmds.h>

#include "uverbs/uverbs.h"

/* A call has no more attributes than these. The longest, a QP's creation, has 17. */
#define UVERBS_MAX_ATTRS	32

/**
 * enum uverbs_attr_kind - what an attribute carries
 * @UVERBS_IN: data for us: up to 8 bytes stand in the attribute, more by a pointer
 * @UVERBS_OUT: a pointer to room for an answer
 * @UVERBS_HANDLE: the number of an object
 * @UVERBS_NEW: gets the number of the object that the call makes
 * @UVERBS_FD: a file descriptor
 * @UVERBS_NEW_FD: gets the file descriptor that the call makes
 */
enum uverbs_attr_kind {
	UVERBS_IN,
	UVERBS_OUT,
	UVERBS_HANDLE,
	UVERBS_NEW,
	UVERBS_FD,
	UVERBS_NEW_FD,
};

/**
 * struct uverbs_attr_spec - an attribute of a method
 * @id: its number
 * @kind: &enum uverbs_attr_kind
 * @needed: the method does not do without it
 * @grows: longer than @max is good, if what we do not know is 0
 * @min: bytes, at least
 * @max: bytes, at most
 */
struct uverbs_attr_spec {
	u16			id;
	u8			kind;
	bool			needed;
	bool			grows;
	u16			min;
	u16			max;
};

#define MAY	false
#define MUST	true

#define SPEC(number, what, must, least, most)						\
	{ .id = (number), .kind = (what), .needed = (must), .min = (least), .max = (most) }
#define SPEC_IN(id, type, must)								\
	SPEC(id, UVERBS_IN, must, sizeof(type), sizeof(type))
#define SPEC_IN_BYTES(id, least, must)							\
	SPEC(id, UVERBS_IN, must, least, U16_MAX)
/* A structure that may become longer. */
#define SPEC_STRUCT(number, type, must)							\
	{ .id = (number), .kind = UVERBS_IN, .needed = (must), .grows = true,		\
	  .min = sizeof(type), .max = sizeof(type) }
/* One of an enumeration. */
#define SPEC_CONST(id, must)	SPEC_IN(id, u64, must)
#define SPEC_FLAGS(id, must)								\
	SPEC(id, UVERBS_IN, must, sizeof(u32), sizeof(u64))
/* What there is no room for is left out. */
#define SPEC_OUT_BYTES(id, least, must)							\
	SPEC(id, UVERBS_OUT, must, least, U16_MAX)
#define SPEC_OUT(id, type, must)	SPEC_OUT_BYTES(id, sizeof(type), must)
#define SPEC_HANDLE(id, must)		SPEC(id, UVERBS_HANDLE, must, 0, 0)
#define SPEC_NEW(id)			SPEC(id, UVERBS_NEW, MUST, 0, 0)
#define SPEC_FD(id, must)		SPEC(id, UVERBS_FD, must, 0, 0)
#define SPEC_NEW_FD(id)			SPEC(id, UVERBS_NEW_FD, MUST, 0, 0)
/* What the process and the provider tell each other. */
#define SPEC_UHW_IN			SPEC_IN_BYTES(UVERBS_ATTR_UHW_IN, 0, MAY)
#define SPEC_UHW_OUT			SPEC_OUT_BYTES(UVERBS_ATTR_UHW_OUT, 0, MAY)

/**
 * struct uverbs_method - a method of a kind of object
 * @run: decodes the attributes and calls the operation: 0 or an errno. NULL: the method is known,
 *	but not offered
 * @specs: attributes
 * @num_specs: how many
 * @any_time: also before there is a context
 */
struct uverbs_method {
	int			(*run)(struct uverbs_attr_bundle *call);
	const struct uverbs_attr_spec *specs;
	unsigned int		num_specs;
	bool			any_time;
};

#define METHOD_SPECS(list)								\
	.specs = (list),								\
	.num_specs = ARRAY_SIZE(list) + BUILD_BUG_ON_ZERO(ARRAY_SIZE(list) > UVERBS_MAX_ATTRS)
#define METHOD(what, list)		{ .run = (what), METHOD_SPECS(list) }
#define METHOD_ANY_TIME(what, list)	{ .run = (what), METHOD_SPECS(list), .any_time = true }

/**
 * struct uverbs_methods - what a kind of object can do
 * @methods: by number
 * @num: how many; 0: none is offered
 */
struct uverbs_methods {
	const struct uverbs_method *methods;
	unsigned int		num;
};

#define METHODS(list)	{ .methods = (list), .num = ARRAY_SIZE(list) }

extern const struct uverbs_methods uverbs_device_methods, uverbs_async_methods, uverbs_pd_methods;
extern const struct uverbs_methods uverbs_cq_methods, uverbs_qp_methods, uverbs_srq_methods;
extern const struct uverbs_methods uverbs_mr_methods;

/**
 * struct uverbs_attrs - what a process passed with a call
 * @method: what is called
 * @driver_id: provider that the process believes to talk to
 * @user: the process's array
 * @num: attributes
 * @answered: a bit each for those of @attrs that the process is told to have an answer
 * @place: of each of the method's specs: where in @attrs the attribute is, or UVERBS_LEFT_OUT
 * @attrs: copy of @user, which has been checked; but for those of no spec, which nobody finds
 */
struct uverbs_attrs {
	const struct uverbs_method *method;
	u32			driver_id;
	struct ib_uverbs_attr __user *user;
	unsigned int		num;
	u32			answered;
	u8			place[UVERBS_MAX_ATTRS];
	struct ib_uverbs_attr	attrs[UVERBS_MAX_ATTRS];
};

#define UVERBS_LEFT_OUT		U8_MAX

/* The place of an attribute's spec, or -1. */
static inline int uverbs_method_spec(const struct uverbs_method *method, u16 id)
{
	int i;

	for (i = 0; i < method->num_specs; i++)
		if (method->specs[i].id == id)
			return i;
	return -1;
}

/*
 * ioctl_attr.c: attributes as methods see them. Each is asked for as what its spec says. What the
 * process has left out is 0, or no file descriptor, and an answer to it is lost.
 */
bool uverbs_attr_given(struct uverbs_attr_bundle *call, u16 id);
/* Bytes. */
u16 uverbs_attr_len(struct uverbs_attr_bundle *call, u16 id);
u32 uverbs_attr_u32(struct uverbs_attr_bundle *call, u16 id);
u64 uverbs_attr_u64(struct uverbs_attr_bundle *call, u16 id);
u32 uverbs_attr_handle(struct uverbs_attr_bundle *call, u16 id);
/* The descriptor, or -1. */
int uverbs_attr_fd(struct uverbs_attr_bundle *call, u16 id);
/* 0; -EINVAL: it is beyond @max. */
int uverbs_attr_const(struct uverbs_attr_bundle *call, u16 id, u32 max, u32 *value);
/* 0; -EINVAL: there are others than those @known. */
int uverbs_attr_flags(struct uverbs_attr_bundle *call, u16 id, u32 known, u32 *flags);
/* The channel for asynchronous events that is named, referenced, or NULL: 0 or an errno. */
int uverbs_attr_async(struct uverbs_attr_bundle *call, u16 id, struct uverbs_channel **channel);
/* 0; -EFAULT; -EOPNOTSUPP: there is more than @size, and not 0. */
int uverbs_attr_read(struct uverbs_attr_bundle *call, u16 id, void *to, size_t size);
/* 0 or -EFAULT. What remains of the room becomes 0. */
int uverbs_attr_answer(struct uverbs_attr_bundle *call, u16 id, const void *from, size_t size);
/* 0 or -EFAULT. The room becomes 0: nothing says how much of it will be filled. */
int uverbs_attr_udata(struct uverbs_attr_bundle *call, struct ib_udata *udata, u16 in, u16 out);
/* Writes the numbers of what the call has made, and which answers there are: 0 or -EFAULT. */
int uverbs_attrs_reply(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_IOCTL_H_ */
