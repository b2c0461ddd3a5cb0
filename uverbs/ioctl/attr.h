/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ioctl(): the attributes that a process passed, as methods read and answer them.
 *
 * Each attribute is read by the function that fits the kind in the attribute's spec. An attribute
 * that the process has left out reads as 0 or, if it is a file descriptor, as -1. An answer to an
 * attribute that was left out is dropped.
 */
#ifndef _KRDMA_UVERBS_IOCTL_ATTR_H_
#define _KRDMA_UVERBS_IOCTL_ATTR_H_

#include <linux/limits.h>
#include <linux/types.h>
#include <rdma/uverbs_ioctl.h>
#include <uapi/rdma/rdma_user_ioctl_cmds.h>

#include "uverbs/ioctl/ioctl.h"

struct ib_uobject;
struct uverbs_channel;

/* Value in uverbs_attrs.place for an attribute that the process has left out. */
#define UVERBS_LEFT_OUT		U8_MAX

/**
 * union uverbs_attr_ref - what an attribute refers to
 * @offset: for data, answers and UVERBS_HANDLES: where the attribute's memory begins, in bytes from
 *	uverbs_attr_bundle.mem. For UVERBS_HANDLES, the memory has the handles, and then a pointer
 *	to each object's struct ib_uobject
 * @uobj: for a handle or a file in an attribute of a driver: the object; valid while
 *	uverbs_attrs.taken is set
 */
union uverbs_attr_ref {
	u32			offset;
	struct ib_uobject	*uobj;
};

/**
 * struct uverbs_attrs - the attributes of a call
 * @method: the method that is called
 * @driver_id: &enum rdma_driver_id of the provider that the process expects
 * @user: the process's array
 * @num: number of attributes in @user
 * @answered: bit i is set if @attrs[i] is to be marked as answered
 * @answers_errors: the process gets the answers even if the call fails, because a driver has given
 *	them
 * @taken: a driver's method is running, and may use the objects that its attributes name
 * @ref: for each of @attrs: what it refers to
 * @place: for each of the method's specs: the attribute's index in @attrs, or UVERBS_LEFT_OUT
 * @attrs: copy of @user; attributes that have a spec were checked, attributes without a spec are
 *	ignored
 */
struct uverbs_attrs {
	const struct uverbs_method *method;
	u32			driver_id;
	struct ib_uverbs_attr __user *user;
	unsigned int		num;
	u32			answered;
	bool			answers_errors;
	bool			taken;
	union uverbs_attr_ref	ref[UVERBS_MAX_ATTRS];
	u8			place[UVERBS_MAX_ATTRS];
	struct ib_uverbs_attr	attrs[UVERBS_MAX_ATTRS];
};

/* Returns the index of attribute @id in attrs->attrs; -1: left out, or unknown to the method. */
int uverbs_attr_find(const struct uverbs_attrs *attrs, u16 id);
/* Returns the spec of an attribute that uverbs_attr_find() has found. */
const struct uverbs_spec *uverbs_attr_spec_of(const struct uverbs_attrs *attrs, u16 id);
/*
 * Returns the data of attribute @i of the call; if the attribute is for an answer, the call's
 * memory for the answer.
 */
void *uverbs_attr_data(const struct uverbs_attr_bundle *call, unsigned int i);
/* Returns the array for the objects of attribute @i, which is of kind UVERBS_HANDLES. */
struct ib_uobject **uverbs_attr_uobjs(const struct uverbs_attr_bundle *call, unsigned int i);
bool uverbs_attr_given(struct uverbs_attr_bundle *call, u16 id);
/* Returns the attribute's length in bytes. */
u16 uverbs_attr_len(struct uverbs_attr_bundle *call, u16 id);
u32 uverbs_attr_u32(struct uverbs_attr_bundle *call, u16 id);
u64 uverbs_attr_u64(struct uverbs_attr_bundle *call, u16 id);
u32 uverbs_attr_handle(struct uverbs_attr_bundle *call, u16 id);
/* Returns the file descriptor; -1: the process has left out the attribute. */
int uverbs_attr_fd(struct uverbs_attr_bundle *call, u16 id);
/* Returns 0; -EINVAL: the value is larger than @max. */
int uverbs_attr_const(struct uverbs_attr_bundle *call, u16 id, u32 max, u32 *value);
/*
 * Returns 0; -EINVAL: a flag is set that is not in @known, or the length is neither that of a u32
 * nor that of a u64.
 */
int uverbs_attr_flags(struct uverbs_attr_bundle *call, u16 id, u32 known, u32 *flags);

/**
 * uverbs_attr_async - the channel for asynchronous events that an attribute names
 * @call: the call
 * @id: the attribute
 * @channel: is set to the channel, referenced, or to NULL if the attribute was left out
 *
 * Return: 0, or an errno of uverbs_channel_get().
 */
int uverbs_attr_async(struct uverbs_attr_bundle *call, u16 id, struct uverbs_channel **channel);

/**
 * uverbs_attr_read - read a structure
 * @call: the call
 * @id: the attribute
 * @to: is filled with the structure and, if that is shorter than @size, zeros
 * @size: number of bytes of @to; at least the size in the attribute's spec
 *
 * The process may know a longer structure, whose further bytes are all 0: uverbs_attrs_copy() has
 * refused other ones.
 */
void uverbs_attr_read(struct uverbs_attr_bundle *call, u16 id, void *to, size_t size);

/**
 * uverbs_attr_answer - set an answer, which the process gets if the call succeeds
 * @call: the call
 * @id: the attribute, which is marked as answered
 * @from: the answer, which is cut off if the process's room is shorter
 * @size: number of bytes of @from; room beyond these bytes is zero-filled
 */
void uverbs_attr_answer(struct uverbs_attr_bundle *call, u16 id, const void *from, size_t size);

/**
 * uverbs_attr_udata - fill a udata from two attributes
 * @call: the call
 * @udata: the udata, for a provider or a command of write(); members for an attribute that was left
 *	out are unchanged
 * @in: attribute with the data of the process
 * @out: attribute with the room for the answer, which the caller marks as answered
 */
void uverbs_attr_udata(struct uverbs_attr_bundle *call, struct ib_udata *udata, u16 in, u16 out);

/**
 * uverbs_attrs_copy - copy what attributes point to, and get memory for the answers
 * @call: the call
 *
 * Return: 0; -EFAULT: the process's memory cannot be read; -ENOMEM: no memory; -EOPNOTSUPP: data is
 * longer than the attribute's spec says, and the bytes beyond are not all 0.
 */
int uverbs_attrs_copy(struct uverbs_attr_bundle *call);

/**
 * uverbs_attrs_reply - copy the answers of a call to the process
 * @call: the call
 *
 * Marks the attributes that were answered. If the call has created an object or a file, also writes
 * the handle or the file descriptor.
 *
 * Return: 0; -EFAULT: the process's memory cannot be written.
 */
int uverbs_attrs_reply(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_IOCTL_ATTR_H_ */
