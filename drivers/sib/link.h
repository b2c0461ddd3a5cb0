/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Links: they come up between two ports that want them, and go down. */
#ifndef SIB_LINK_H
#define SIB_LINK_H

#include "drivers/sib/model.h"

/**
 * sib_link_connect() - join two ports by a link, which comes up
 * @a: port without a link
 * @b: another port without a link, of the same fabric
 *
 * Called with sib_fabric.topology held for writing.
 */
void sib_link_connect(struct sib_port *a, struct sib_port *b);

/**
 * sib_link_disconnect() - take a link away
 * @a: port at one of its ends; may have no link
 *
 * Called with sib_fabric.topology held for writing.
 */
void sib_link_disconnect(struct sib_port *a);

/**
 * sib_link_plug() - pull the cable of a link, or plug it in again
 * @a: port at one of its ends
 * @in: plug it in
 *
 * Called with sib_fabric.topology held. The ports stay linked, but the link is down without a
 * cable.
 *
 * Return: 0; -ENOTCONN if the port has no link.
 */
int sib_link_plug(struct sib_port *a, bool in);

/**
 * sib_link_retrain() - bring a link up that is down, if its ports agree now
 * @a: port at one of its ends, whose settings have changed; may have no link
 *
 * Called with sib_fabric.topology held, and no sib_node.mgmt.
 */
void sib_link_retrain(struct sib_port *a);

/**
 * sib_link_change() - do with a link what a Set of PortInfo wants
 * @port: port that was set
 * @change: what to do; PORTINFO_LINK_KEEP: nothing
 *
 * Called with sib_fabric.topology held, and no sib_node.mgmt.
 */
void sib_link_change(struct sib_port *port, enum portinfo_link change);

#endif /* SIB_LINK_H */
