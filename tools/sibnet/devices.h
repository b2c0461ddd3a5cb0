/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Which CAs become devices.
 */
#ifndef SIBNET_DEVICES_H
#define SIBNET_DEVICES_H

#include "fault.h"
#include "topology.h"

/**
 * devices_choose() - mark CAs
 * @topo:	topology
 * @list:	"all", or names of CAs with commas between them
 * @fault:	receives a fault
 *
 * Return: 0, or -1 if a name is not that of a CA
 */
int devices_choose(struct topology *topo, const char *list, struct fault *fault);

#endif /* SIBNET_DEVICES_H */
