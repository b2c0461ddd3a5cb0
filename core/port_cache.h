/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The cached attributes of ports: P_Keys, LMC, state and GIDs; valid between start and stop.
 */
#ifndef _KRDMA_CORE_PORT_CACHE_H_
#define _KRDMA_CORE_PORT_CACHE_H_

struct ib_device;
struct ib_event;

/*
 * Allocates the caches, of the sizes that ib_core_ports_setup() has got, and frees those of an
 * earlier attempt to register. Returns 0 or -ENOMEM; what was allocated then is left to free().
 */
int ib_core_port_cache_alloc(struct ib_device *dev);
void ib_core_port_cache_free(struct ib_device *dev);

/*
 * Fills the caches before the device has users. Returns 0 or an error of the provider or -ENOMEM;
 * on error, too, stop() follows. Both may sleep.
 */
int ib_core_port_cache_start(struct ib_device *dev);
void ib_core_port_cache_stop(struct ib_device *dev);

/* Refills the cache of the port that an event names, before the event's handlers run. May sleep. */
void ib_core_port_cache_event(const struct ib_event *event);

#endif /* _KRDMA_CORE_PORT_CACHE_H_ */
