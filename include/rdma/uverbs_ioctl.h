/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A call of a process, as ib_uverbs and providers see it.
 */
#ifndef _RDMA_UVERBS_IOCTL_H_
#define _RDMA_UVERBS_IOCTL_H_

#include <linux/container_of.h>
#include <rdma/ib_verbs.h>
#include <rdma/verbs/user.h>

struct file;
struct uverbs_attrs;

/* Most objects that a call uses: a QP, its PD, SRQ and two CQs, and one to spare. */
#define UVERBS_MAX_HELD	6

/**
 * struct uverbs_attr_bundle - one call
 * @driver_udata: data that the process and the provider exchange
 * @ucore: data that the process and ib_uverbs exchange; for commands of write()
 * @ufile: the file through which it came
 * @context: the process's context; NULL before it has one
 * @uobject: the object that the call makes: published to the process when all else has succeeded,
 *	otherwise undone
 * @held: objects that the call uses, until it ends
 * @num_held: how many
 * @new_file: the event channel that the call makes, as @uobject
 * @new_fd: its number
 * @attrs: the attributes passed to ioctl()
 */
struct uverbs_attr_bundle {
	struct ib_udata		driver_udata;
	struct ib_udata		ucore;
	struct ib_uverbs_file	*ufile;
	struct ib_ucontext	*context;
	struct ib_uobject	*uobject;
	struct ib_uobject	*held[UVERBS_MAX_HELD];
	unsigned int		num_held;
	struct file		*new_file;
	int			new_fd;
	struct uverbs_attrs	*attrs;
};

/**
 * rdma_udata_to_uverbs_attr_bundle - the call that a provider's method is part of
 * @udata: what the method was given, not NULL
 */
static inline struct uverbs_attr_bundle *rdma_udata_to_uverbs_attr_bundle(struct ib_udata *udata)
{
	return container_of(udata, struct uverbs_attr_bundle, driver_udata);
}

/**
 * rdma_udata_to_drv_context - the provider's context of the calling process
 * @udata: what the method was given; NULL: the kernel calls
 * @drv_dev_struct: type of the context
 * @member: its struct ib_ucontext
 *
 * Return: the context; NULL: the kernel calls.
 */
#define rdma_udata_to_drv_context(udata, drv_dev_struct, member)		\
	((udata) ? container_of(rdma_udata_to_uverbs_attr_bundle(udata)->context,	\
				drv_dev_struct, member) : (drv_dev_struct *)NULL)

#endif /* _RDMA_UVERBS_IOCTL_H_ */
