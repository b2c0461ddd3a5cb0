/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads a topology from a file.
 */
#ifndef SIBNET_FILE_H
#define SIBNET_FILE_H

#include "fault.h"
#include "topology.h"

/**
 * file_read() - read a topology
 * @path:	path; "-" is standard input
 * @topo:	empty topology, which is filled
 * @fault:	receives the first fault
 *
 * Return: 0, or -1: the topology is of no use then but to be freed
 */
int file_read(const char *path, struct topology *topo, struct fault *fault);

#endif /* SIBNET_FILE_H */
