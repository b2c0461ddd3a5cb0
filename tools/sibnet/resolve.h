/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Checks a topology as a whole, and completes it.
 */
#ifndef SIBNET_RESOLVE_H
#define SIBNET_RESOLVE_H

#include "fault.h"
#include "topology.h"

/**
 * topo_resolve() - check all links, and add the ends that are not given
 * @topo:	topology whose links have one end or both
 * @fault:	receives the first fault
 *
 * GUIDs of ports that are what they would be anyway, become 0.
 *
 * Return: 0, or -1 if a port does not exist or has two links, or the two ends of a link
 * contradict each other
 */
int topo_resolve(struct topology *topo, struct fault *fault);

#endif /* SIBNET_RESOLVE_H */
