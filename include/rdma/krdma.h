/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Declarations for all krdma modules: their version, and a symbol that keeps them from being mixed
 * with the distribution's ib_core.
 */
#ifndef _RDMA_KRDMA_H_
#define _RDMA_KRDMA_H_

/* Version of all modules; DKMS compares the versions of two modules to find the newer one. */
#define KRDMA_VERSION "0.1.0"

#include <linux/compiler.h>

struct ib_device;
struct module;
struct net;

/*
 * Our ib_core.ko exports this symbol, whose name is the message. The kernel logs the name of each
 * symbol that it does not find. If one of our modules is loaded while another ib_core is loaded,
 * the kernel logs
 *
 *	siw: Unknown symbol krdma_ib_core_is_required__rmmod_distro_ib_core (err -2)
 *
 * before the lines about symbols of another version. The line comes first because the kernel goes
 * through the module's symbol table, which GNU ld writes in the order of its hash table, and this
 * symbol's name falls into the first bucket of the hash table. Check the order with readelf -s when
 * the name is changed.
 */
extern const char krdma_ib_core_is_required__rmmod_distro_ib_core;

/**
 * KRDMA_NEEDS_IB_CORE - have the kernel log a message if the wrong ib_core is loaded
 *
 * Used once, at file scope, in each module that uses ib_core.ko.
 */
#define KRDMA_NEEDS_IB_CORE							\
	static const char *const krdma_needs_ib_core __used =			\
		&krdma_ib_core_is_required__rmmod_distro_ib_core

/**
 * krdma_unregister_devices_of() - unregister all devices of a provider without a number of its own
 * @owner: the module, which its devices have as &ib_device_ops.owner
 *
 * Process context. Does what ib_unregister_driver() does for the devices of a number.
 */
void krdma_unregister_devices_of(const struct module *owner);

/**
 * krdma_device_set_net() - choose the network namespace of a device that has no netdev
 * @device: a device that is not registered
 * @net: the namespace, which must not end before the registration. Without a call it is the initial
 *	one. A device whose ports have a netdev is registered in the namespace of the netdev
 *
 * Any context.
 */
void krdma_device_set_net(struct ib_device *device, struct net *net);

#endif /* _RDMA_KRDMA_H_ */
