/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Prints a topology.
 */
#ifndef SIBNET_PRINT_H
#define SIBNET_PRINT_H

#include <stdio.h>

#include "topology.h"

/**
 * topo_print() - print a topology in the format of ibsim
 * @topo:	topology, which is resolved
 * @out:	file, whose errors the caller checks
 *
 * topo_parse() reads the same topology from it.
 */
void topo_print(const struct topology *topo, FILE *out);

#endif /* SIBNET_PRINT_H */
