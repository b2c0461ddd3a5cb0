/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads a fabric from configfs.
 */
#ifndef SIBNET_READ_H
#define SIBNET_READ_H

#include "fault.h"
#include "topology.h"

/**
 * fabric_read() - read a fabric
 * @root:	open folder of the fabrics
 * @name:	name of the fabric
 * @topo:	empty topology, which is filled: switches first, then CAs, in the order of names
 * @fault:	receives the first fault
 *
 * Return: 0, or -1: the topology is of no use then but to be freed
 */
int fabric_read(int root, const char *name, struct topology *topo, struct fault *fault);

#endif /* SIBNET_READ_H */
