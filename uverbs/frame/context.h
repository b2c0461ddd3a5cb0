/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The context of a process, and the default channel for its asynchronous events.
 */
#ifndef _KRDMA_UVERBS_FRAME_CONTEXT_H_
#define _KRDMA_UVERBS_FRAME_CONTEXT_H_

struct ib_ucontext;
struct ib_uverbs_file;
struct uverbs_attr_bundle;
struct uverbs_channel;

/**
 * uverbs_context_create - create the context of a process
 * @call: the call; call->new_context is set. The context is published or aborted at the end of the
 *	call
 *
 * May sleep.
 *
 * Return: 0; -EINVAL: the file has a context already; -ENOMEM: no memory; -EAGAIN: the limit of the
 * process's RDMA cgroup is reached; or the errno of the provider's alloc_ucontext().
 */
int uverbs_context_create(struct uverbs_attr_bundle *call);

/**
 * uverbs_context_publish - let calls use a new context
 * @file: the file
 */
void uverbs_context_publish(struct ib_uverbs_file *file);

/**
 * uverbs_context_abort - destroy a new context that was not published
 * @file: the file
 *
 * May sleep.
 */
void uverbs_context_abort(struct ib_uverbs_file *file);

/**
 * uverbs_context_destroy - destroy the context of a file
 * @file: the file
 * @context: the context, which no call uses any more; no object and no mapping is left in it
 *
 * The caller ensures that the device is not removed during the call. May sleep.
 */
void uverbs_context_destroy(struct ib_uverbs_file *file, struct ib_ucontext *context);

/**
 * uverbs_set_default_async - let a process's first channel for asynchronous events be the default
 * @file: the file
 * @channel: a new channel; ignored if it is for completion events
 */
void uverbs_set_default_async(struct ib_uverbs_file *file, struct uverbs_channel *channel);

/**
 * uverbs_async_of - the channel for the asynchronous events of an object
 * @call: the call that creates the object
 * @given: channel that the process has named, referenced; NULL: the process has named none
 *
 * Return: @given or, if that is NULL, the default channel, referenced; NULL: the process has no
 * default channel.
 */
struct uverbs_channel *uverbs_async_of(struct uverbs_attr_bundle *call,
				       struct uverbs_channel *given);

#endif /* _KRDMA_UVERBS_FRAME_CONTEXT_H_ */
