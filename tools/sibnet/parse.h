/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Reads a topology from the text of a file.
 */
#ifndef SIBNET_PARSE_H
#define SIBNET_PARSE_H

#include "fault.h"
#include "topology.h"

/**
 * topo_parse() - read a topology
 * @topo:	empty topology, which is filled
 * @text:	whole file, of any content
 * @len:	number of bytes
 * @fault:	receives the first fault
 *
 * Return: 0, or -1: the topology is of no use then but to be freed
 */
int topo_parse(struct topology *topo, const char *text, size_t len, struct fault *fault);

#endif /* SIBNET_PARSE_H */
