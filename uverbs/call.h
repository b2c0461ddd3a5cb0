/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What all calls of a process have in common.
 */
#ifndef _KRDMA_UVERBS_CALL_H_
#define _KRDMA_UVERBS_CALL_H_

struct ib_uverbs_file;
struct uverbs_attr_bundle;

/*
 * Does the work of a call. Returns 0 or a positive result. After a negative errno, uverbs_call()
 * destroys what the call has created.
 */
typedef int uverbs_call_fn(struct uverbs_attr_bundle *call, void *arg);

/**
 * uverbs_call - run a call of a process
 * @file: the file by which the process calls
 * @call: the call; zeroed, except for members that @run needs
 * @run: does the work
 * @arg: passed to @run
 *
 * Ensures that the device is not removed during the call. If @run succeeds, publishes the object
 * and the channel that @run has created. If @run fails, destroys both. May sleep.
 *
 * Return: the result of @run; -EIO: the device was removed.
 */
int uverbs_call(struct ib_uverbs_file *file, struct uverbs_attr_bundle *call, uverbs_call_fn *run,
		void *arg);

/**
 * uverbs_call_needs_context - refuse a call of a process that has no context yet
 * @call: the call
 *
 * Return: 0; -EINVAL: the process has no context.
 */
int uverbs_call_needs_context(const struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_CALL_H_ */
