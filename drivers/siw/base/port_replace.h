/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The setting port_map, by which the administrator chooses TCP ports that replace the ports of
 * ULPs. The setting serves hosts without the port mapper's daemon.
 */
#ifndef SIW_PORT_REPLACE_H
#define SIW_PORT_REPLACE_H

#include <linux/spinlock.h>
#include <linux/types.h>

struct device_attribute;
struct sockaddr_storage;

#define SIW_PORT_REPLACE_MAX	16

/**
 * struct siw_port_replace - ports of ULPs and the TCP ports that replace them
 * @lock: protects the other members; no lock nests in it
 * @num: number of valid entries in @pairs
 * @pairs: no two have the same @port, and no two have the same @tcp
 */
struct siw_port_replace {
	spinlock_t lock; /* protects what follows */
	unsigned int num;
	struct {
		u16 port;
		u16 tcp;
	} pairs[SIW_PORT_REPLACE_MAX];
};

/* The file port_map in the device's folder of settings. */
extern struct device_attribute siw_port_map_attr;

void siw_port_replace_init(struct siw_port_replace *map);
/*
 * Replaces the port of @addr, an IPv4 or IPv6 address, by the TCP port that the map has for it, if
 * there is one. Process context.
 */
void siw_port_replace(struct siw_port_replace *map, struct sockaddr_storage *addr);

#endif /* SIW_PORT_REPLACE_H */
