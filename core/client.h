/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Calls to the clients, when a device is enabled, disabled or renamed, and for `rdma` requests.
 */
#ifndef _KRDMA_CORE_CLIENT_H_
#define _KRDMA_CORE_CLIENT_H_

struct ib_client_nl_info;
struct ib_device;

/**
 * ib_core_clients_add_device - call add() of all clients for a device
 * @dev: the device, in state IB_CORE_DEVICE_ENABLING; IB_CORE_DEVICE_REGISTERED on success
 *
 * Process context, with the device's unregistration_lock held. A client whose add() fails is
 * logged and skipped.
 *
 * Return: 0 or -ENOMEM. On error the caller removes the device from the clients again.
 */
int ib_core_clients_add_device(struct ib_device *dev);

/*
 * Calls remove() of the clients that have the device, in reverse order. Process context, with the
 * device's unregistration_lock held; the device is not visible any more.
 */
void ib_core_clients_remove_device(struct ib_device *dev);

/* Calls rename() of the clients that have the device. Process context, with a reference to it. */
void ib_core_clients_rename_device(struct ib_device *dev);

/* Uses what a client has said of its character device. */
typedef int ib_core_nl_info_fn(const struct ib_client_nl_info *info);

/**
 * ib_core_client_nl_info - ask a client for its character device
 * @dev: the device, with a reference; or NULL for the client's character device of all devices
 * @name: name of the client
 * @info: filled by the client
 * @use: called with @info, which is valid only meanwhile: the client, and the code that frees the
 *	character device, may be unloaded afterwards
 *
 * Process context.
 *
 * Return: 0; -ENOENT: no such client; -EOPNOTSUPP: the client has no such character device; or
 * what the client or @use returned.
 */
int ib_core_client_nl_info(struct ib_device *dev, const char *name,
			   struct ib_client_nl_info *info, ib_core_nl_info_fn *use);

#endif /* _KRDMA_CORE_CLIENT_H_ */
