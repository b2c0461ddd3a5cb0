/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Fabrics: creation, and CAs that come and go. */
#ifndef SIB_FABRIC_H
#define SIB_FABRIC_H

#include "drivers/sib/model.h"

/* Ports of the switch of a default fabric: the number of CAs that it can have. */
#define SIB_ROOT_PORTS		36

/**
 * sib_fabric_create() - make a default fabric: a switch without CAs
 * @name: name of the fabric, shorter than SIB_NAME_LEN
 * @guid: GUID of the switch; the low 16 bits are 0, because those of the CAs differ in them
 *
 * Process context.
 *
 * Return: the fabric; NULL if there is no memory.
 */
struct sib_fabric *sib_fabric_create(const char *name, u64 guid);

/**
 * sib_fabric_free() - free a fabric
 * @fabric: fabric without CAs
 *
 * Process context. Waits for the work item.
 */
void sib_fabric_free(struct sib_fabric *fabric);

/**
 * sib_fabric_add_ca() - add a CA with one port, which is linked to the switch
 * @fabric: the fabric; the caller keeps concurrent calls apart
 * @name: name of the device; the name of the CA, unless another one has it
 *
 * Process context.
 *
 * Return: the CA; ERR_PTR(-EUSERS) if all ports of the switch have a link; ERR_PTR(-ENOMEM).
 */
struct sib_node *sib_fabric_add_ca(struct sib_fabric *fabric, const char *name);

/**
 * sib_fabric_find() - find a node by its name
 * @fabric: the fabric
 * @name: the name
 *
 * Called with sib_fabric.topology held, as long as the node is used.
 *
 * Return: the node, or NULL.
 */
struct sib_node *sib_fabric_find(struct sib_fabric *fabric, const char *name);

/**
 * sib_fabric_attach() - make a CA a device
 * @node: the CA
 * @dev: the device; NULL: the CA is none any more
 *
 * Process context. A device that is replaced is used until the end of an RCU grace period.
 */
void sib_fabric_attach(struct sib_node *node, struct sib_device *dev);

/**
 * sib_fabric_remove() - take a node out of its fabric, and free it
 * @node: the node, which is no device, or a device without QPs
 *
 * Process context. Nobody uses the node, or the device that it was, after the call.
 */
void sib_fabric_remove(struct sib_node *node);

#endif /* SIB_FABRIC_H */
