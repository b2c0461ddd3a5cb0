/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Makes a fabric in configfs.
 */
#ifndef SIBNET_LOAD_H
#define SIBNET_LOAD_H

#include "fault.h"
#include "topology.h"

/**
 * fabric_load() - make a fabric, with its nodes, links and devices
 * @root:	open folder of the fabrics
 * @name:	name of the fabric, which must not exist
 * @topo:	topology, which is resolved
 * @fault:	receives the first fault
 *
 * Return: 0, or -1 after what was made is removed: a step has failed, or a signal was caught
 */
int fabric_load(int root, const char *name, struct topology *topo, struct fault *fault);

#endif /* SIBNET_LOAD_H */
