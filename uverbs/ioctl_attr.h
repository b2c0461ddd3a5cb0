/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * ioctl(): the attributes that a process passed, as methods read and answer them.
 *
 * An attribute is read as what its spec says. One that the process has left out reads as 0, or as
 * no file descriptor, and an answer to it is dropped.
 */
#ifndef _KRDMA_UVERBS_IOCTL_ATTR_H_
#define _KRDMA_UVERBS_IOCTL_ATTR_H_

#include <linux/limits.h>
#include <linux/types.h>
#include <rdma/uverbs_ioctl.h>
#include <uapi/rdma/rdma_user_ioctl_cmds.h>

#include "uverbs/ioctl.h"

struct uverbs_channel;

/* In uverbs_attrs.place: the process has left out the attribute. */
#define UVERBS_LEFT_OUT		U8_MAX

/**
 * struct uverbs_attrs - the attributes of a call
 * @method: the method that is called
 * @driver_id: provider that the process expects
 * @user: the process's array
 * @num: attributes in it
 * @answered: a bit for each of @attrs that is to be marked as answered
 * @place: for each of the method's specs: the attribute's index in @attrs, or UVERBS_LEFT_OUT
 * @attrs: copy of @user; those that have a spec were checked, and only those are found
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

bool uverbs_attr_given(struct uverbs_attr_bundle *call, u16 id);
/* Returns the length in bytes. */
u16 uverbs_attr_len(struct uverbs_attr_bundle *call, u16 id);
u32 uverbs_attr_u32(struct uverbs_attr_bundle *call, u16 id);
u64 uverbs_attr_u64(struct uverbs_attr_bundle *call, u16 id);
u32 uverbs_attr_handle(struct uverbs_attr_bundle *call, u16 id);
/* Returns the file descriptor, or -1. */
int uverbs_attr_fd(struct uverbs_attr_bundle *call, u16 id);
/* Returns 0; -EINVAL: the value is larger than @max. */
int uverbs_attr_const(struct uverbs_attr_bundle *call, u16 id, u32 max, u32 *value);
/* Returns 0; -EINVAL: a flag is set that is not in @known. */
int uverbs_attr_flags(struct uverbs_attr_bundle *call, u16 id, u32 known, u32 *flags);

/**
 * uverbs_attr_async - the channel for asynchronous events that an attribute names
 * @call: the call
 * @id: the attribute
 * @channel: is set to the channel, referenced, or to NULL if the attribute was left out
 *
 * Return: 0, or an errno as of uverbs_channel_get().
 */
int uverbs_attr_async(struct uverbs_attr_bundle *call, u16 id, struct uverbs_channel **channel);

/**
 * uverbs_attr_read - copy a structure from the process
 * @call: the call
 * @id: the attribute
 * @to: is set to the structure, and zero-filled behind it
 * @size: of @to, in bytes
 *
 * Return: 0; -EFAULT; -EOPNOTSUPP: the structure is longer than @size, and not 0 there.
 */
int uverbs_attr_read(struct uverbs_attr_bundle *call, u16 id, void *to, size_t size);

/**
 * uverbs_attr_answer - copy an answer to the process, and mark the attribute as answered
 * @call: the call
 * @id: the attribute
 * @from: the answer, cut off if there is less room
 * @size: its bytes; what room there is behind them is zero-filled
 *
 * Return: 0 or -EFAULT.
 */
int uverbs_attr_answer(struct uverbs_attr_bundle *call, u16 id, const void *from, size_t size);

/**
 * uverbs_attr_udata - let two attributes be what a provider or a command of write() reads and fills
 * @call: the call
 * @udata: result; unchanged by an attribute that was left out
 * @in: attribute with the data of the process
 * @out: attribute with the room for the answer; zero-filled here, because nobody says later how
 *	much of it was filled
 *
 * Return: 0 or -EFAULT.
 */
int uverbs_attr_udata(struct uverbs_attr_bundle *call, struct ib_udata *udata, u16 in, u16 out);

/**
 * uverbs_attrs_reply - complete the process's array at the end of a call that has succeeded
 * @call: the call
 *
 * Writes the handle and the file descriptor of what the call has created, and which attributes were
 * answered.
 *
 * Return: 0 or -EFAULT.
 */
int uverbs_attrs_reply(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_IOCTL_ATTR_H_ */
