/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Names of places in a fabric, as debugfs takes and shows them: "NODE" or "NODE:PORT". */
#ifndef SIB_PLACE_H
#define SIB_PLACE_H

#include "drivers/sib/model.h"

/* Bytes of a place as text, without an end. */
#define SIB_PLACE_MAX		(SIB_NAME_LEN - 1 + sizeof(":254") - 1)

/**
 * sib_place_parse() - decode a place
 * @text: the place, without a newline
 * @len: length of @text in bytes
 * @place: out: the place
 *
 * Return: 0; -EINVAL if the text is no place.
 */
int sib_place_parse(const char *text, size_t len, struct sib_place *place);

/**
 * sib_place_find() - look a place up
 * @fabric: the fabric
 * @place: the place, which names a node
 * @node: out: the node
 *
 * Called with sib_fabric.topology held.
 *
 * Return: 0; -ENOENT if there is no such node, or the node has no such port.
 */
int sib_place_find(struct sib_fabric *fabric, const struct sib_place *place,
		   struct sib_node **node);

#endif /* SIB_PLACE_H */
