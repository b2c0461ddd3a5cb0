/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls of methods that a driver has defined, or added attributes to.
 */
#ifndef _KRDMA_UVERBS_IOCTL_DRIVER_CALL_H_
#define _KRDMA_UVERBS_IOCTL_DRIVER_CALL_H_

struct uverbs_attr_bundle;

/**
 * uverbs_driver_run - run a method
 * @call: the call; its attributes were checked and copied
 *
 * Before the method runs, takes the objects that the driver's attributes name: looks up the objects
 * that the method uses, makes the handle of a new object, and destroys an object that is to be
 * destroyed. The call holds the objects that it uses until the call ends. May sleep.
 *
 * Return: the result of the method; an errno of uverbs_object_get_any(), uverbs_object_get_file(),
 * uverbs_object_new() or uverbs_object_remove(); -ENOMEM: no memory.
 */
int uverbs_driver_run(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_IOCTL_DRIVER_CALL_H_ */
