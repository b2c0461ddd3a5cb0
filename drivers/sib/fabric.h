/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Fabrics: creation, and nodes that come and go. */
#ifndef SIB_FABRIC_H
#define SIB_FABRIC_H

#include "drivers/sib/model.h"

/**
 * sib_fabric_create() - make a fabric without nodes
 * @name: its name, shorter than SIB_NAME_LEN
 * @guid: GUID from which those of its nodes are made
 *
 * Process context.
 *
 * Return: the fabric; NULL if there is no memory.
 */
struct sib_fabric *sib_fabric_create(const char *name, u64 guid);

/**
 * sib_fabric_free() - free a fabric
 * @fabric: fabric without nodes
 *
 * Process context. Waits for the work items, and for an RCU grace period.
 */
void sib_fabric_free(struct sib_fabric *fabric);

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
 * sib_fabric_has_guid() - find out whether a node has a GUID
 * @fabric: the fabric
 * @guid: the GUID
 *
 * Called with sib_fabric.topology held.
 *
 * Return: true if it is the GUID of a node.
 */
bool sib_fabric_has_guid(struct sib_fabric *fabric, u64 guid);

/**
 * sib_fabric_add() - add a node to its fabric
 * @node: node without links
 *
 * Called with sib_fabric.topology held for writing.
 *
 * Return: 0; -EEXIST if another node has its name or its GUID; -ENOSPC if the fabric has
 * SIB_FABRIC_NODES; -ENOMEM.
 */
int sib_fabric_add(struct sib_node *node);

/**
 * sib_fabric_replace() - have another node take the place of a node
 * @old: node without links, and without a device; nobody uses the node after a success
 * @node: the other one, of the same name
 *
 * Called with sib_fabric.topology held for writing.
 *
 * Return: 0; -EEXIST if another node has its GUID; -ENOMEM.
 */
int sib_fabric_replace(struct sib_node *old, struct sib_node *node);

/**
 * sib_fabric_remove() - take a node and its links out of its fabric, and free it
 * @node: the node, which is no device
 *
 * Process context. Nobody uses the node after the call, except under RCU.
 */
void sib_fabric_remove(struct sib_node *node);

/**
 * sib_fabric_attach() - make a CA a device
 * @node: the CA, which is none yet
 * @dev: the device
 *
 * Called with sib_fabric.topology held for writing.
 */
void sib_fabric_attach(struct sib_node *node, struct sib_device *dev);

/**
 * sib_fabric_detach() - have a CA be no device any more
 * @node: the CA
 *
 * Process context. Nobody uses the device that it was after the call.
 */
void sib_fabric_detach(struct sib_node *node);

#endif /* SIB_FABRIC_H */
