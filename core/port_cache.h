/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The cached attributes of ports: P_Keys, LMC, state and GIDs. They are valid from
 * ib_core_port_cache_start() to ib_core_port_cache_stop().
 */
#ifndef _KRDMA_CORE_PORT_CACHE_H_
#define _KRDMA_CORE_PORT_CACHE_H_

struct ib_core_event_cache;
struct ib_device;

/*
 * Frees the caches that an earlier, failed registration of the device has left. Then allocates
 * caches of the sizes that ib_core_ports_setup() has read. Returns 0 or -ENOMEM. Even after an
 * error, the caches are freed only with the device, by ib_core_port_cache_free().
 */
int ib_core_port_cache_alloc(struct ib_device *dev);
void ib_core_port_cache_free(struct ib_device *dev);

/*
 * ib_core_port_cache_start() fills the caches before the device has users. Returns 0, -ENOMEM or an
 * error of the provider. The caller calls ib_core_port_cache_stop() later, even after an error.
 * Both functions may sleep.
 */
int ib_core_port_cache_start(struct ib_device *dev);
void ib_core_port_cache_stop(struct ib_device *dev);

/* Callbacks that refill a port's cache when an event names the port, before handlers run. */
extern const struct ib_core_event_cache ib_core_port_cache;

#endif /* _KRDMA_CORE_PORT_CACHE_H_ */
