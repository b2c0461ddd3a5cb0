/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The cached attributes of ports: P_Keys, LMC, state and GIDs; valid between start and stop.
 */
#ifndef _KRDMA_CORE_PORT_CACHE_H_
#define _KRDMA_CORE_PORT_CACHE_H_

struct ib_core_event_cache;
struct ib_device;

/*
 * Frees the caches that an earlier attempt to register has left, and allocates caches of the sizes
 * that ib_core_ports_setup() has read. Returns 0 or -ENOMEM. ib_core_port_cache_free() frees the
 * caches when the device is freed, even after an error.
 */
int ib_core_port_cache_alloc(struct ib_device *dev);
void ib_core_port_cache_free(struct ib_device *dev);

/*
 * ib_core_port_cache_start() fills the caches. Called before the device has users. Returns 0,
 * -ENOMEM or an error of the provider; the caller calls ib_core_port_cache_stop() even after an
 * error. Both functions may sleep.
 */
int ib_core_port_cache_start(struct ib_device *dev);
void ib_core_port_cache_stop(struct ib_device *dev);

/* Callbacks that refill a port's cache when an event names the port, before handlers run. */
extern const struct ib_core_event_cache ib_core_port_cache;

#endif /* _KRDMA_CORE_PORT_CACHE_H_ */
