/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Directories of nodes in configfs. */
#ifndef SIB_CONFIG_NODE_H
#define SIB_CONFIG_NODE_H

#include <linux/configfs.h>

struct sib_fabric;

/**
 * sib_config_node_create() - make a node and its directory
 * @fabric: its fabric, which outlives it
 * @name: its name, which is valid
 *
 * Process context.
 *
 * Return: the group; an ERR_PTR() with the errno of sib_slot_fill().
 */
struct config_group *sib_config_node_create(struct sib_fabric *fabric, const char *name);

/**
 * sib_config_node_drop() - take a node away, with its device and its links
 * @item: its directory, which is not in configfs any more
 *
 * Process context. Waits for the users of the device.
 */
void sib_config_node_drop(struct config_item *item);

#endif /* SIB_CONFIG_NODE_H */
