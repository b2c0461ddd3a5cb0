/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Directories of ports in configfs. */
#ifndef SIB_CONFIG_PORT_H
#define SIB_CONFIG_PORT_H

#include <linux/configfs.h>

struct sib_slot;

/**
 * sib_config_port_create() - make the directory of a port
 * @slot: its node, which outlives the directory
 * @num: number of the port
 *
 * Process context.
 *
 * Return: the group, given back by its last reference; NULL if there is no memory.
 */
struct config_group *sib_config_port_create(struct sib_slot *slot, u8 num);

/* Returns the number of the port whose directory it is. */
u8 sib_config_port_num(struct config_item *item);

#endif /* SIB_CONFIG_PORT_H */
