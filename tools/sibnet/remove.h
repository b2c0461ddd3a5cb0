/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Removes a fabric from configfs.
 */
#ifndef SIBNET_REMOVE_H
#define SIBNET_REMOVE_H

#include "fault.h"

/**
 * fabric_remove() - remove a fabric with all its nodes
 * @root:	open folder of the fabrics
 * @name:	name of the fabric
 * @fault:	receives the first fault
 *
 * Return: 0, or -1; what could not be removed is left
 */
int fabric_remove(int root, const char *name, struct fault *fault);

#endif /* SIBNET_REMOVE_H */
