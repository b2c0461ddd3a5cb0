/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Clients: their callbacks are called when a device is enabled, disabled or renamed, and when
 * `rdma` asks for a client's character device.
 */
#ifndef _KRDMA_CORE_CLIENT_H_
#define _KRDMA_CORE_CLIENT_H_

struct ib_client_nl_info;
struct ib_device;

/**
 * ib_core_clients_add_device - call add() of all clients for a device
 * @dev: the device; its state is IB_CORE_DEVICE_ENABLING, and becomes IB_CORE_DEVICE_REGISTERED on
 *	success
 *
 * Process context, with the device's unregistration_lock held. A client whose add() fails is
 * logged and skipped.
 *
 * Return: 0 or -ENOMEM. On error the caller calls ib_core_clients_remove_device(), because add() of
 * some clients may have been called.
 */
int ib_core_clients_add_device(struct ib_device *dev);

/*
 * Calls remove() of the clients that have the device, in reverse order. Process context, with the
 * device's unregistration_lock held; the device is not visible any more.
 */
void ib_core_clients_remove_device(struct ib_device *dev);

/*
 * Calls rename() of the clients that have the device. Process context; the caller holds a reference
 * to the device.
 */
void ib_core_clients_rename_device(struct ib_device *dev);

/* Uses what a client has reported about its character device. Returns 0 or an errno. */
typedef int ib_core_nl_info_fn(const struct ib_client_nl_info *info);

/**
 * ib_core_client_nl_info - ask a client for its character device
 * @dev: the device, to which the caller holds a reference; or NULL for the one character device
 *	that the client has for all devices
 * @name: name of the client
 * @info: filled by the client
 * @use: called with @info. @info is valid only until @use returns, because the client, and with it
 *	the code that frees the character device, may be unloaded afterwards
 *
 * Process context.
 *
 * Return: 0; -ENOENT: no such client; -EOPNOTSUPP: the client has no such character device; or
 * what the client or @use returned.
 */
int ib_core_client_nl_info(struct ib_device *dev, const char *name,
			   struct ib_client_nl_info *info, ib_core_nl_info_fn *use);

#endif /* _KRDMA_CORE_CLIENT_H_ */
