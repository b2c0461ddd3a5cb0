/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Compares a fabric with a file.
 */
#ifndef SIBNET_COMPARE_H
#define SIBNET_COMPARE_H

#include <stdio.h>

#include "topology.h"

/**
 * topo_compare() - print each difference in a line
 * @fabric:	fabric, with all GUIDs and descriptions
 * @fabric_name: name of the fabric
 * @file:	topology of a file; what it does not give is not compared
 * @file_name:	name of the file
 * @out:	where the differences are printed
 *
 * Nodes are the same if they have the same name, or if @file was discovered, the same GUID. A link
 * that was discovered has the width and speed that both its ports support.
 *
 * Return: number of differences
 */
unsigned int topo_compare(const struct topology *fabric, const char *fabric_name,
			  const struct topology *file, const char *file_name, FILE *out);

#endif /* SIBNET_COMPARE_H */
