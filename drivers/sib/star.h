/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The shape of a default fabric: CAs with one port around a switch. */
#ifndef SIB_STAR_H
#define SIB_STAR_H

#include "drivers/sib/model.h"

/**
 * sib_star_create() - make a fabric with a switch and without CAs
 * @name: its name, shorter than SIB_NAME_LEN
 * @guid: GUID of the switch; the low 16 bits are 0, because those of the CAs differ in them
 *
 * Process context.
 *
 * Return: the fabric; NULL if there is no memory.
 */
struct sib_fabric *sib_star_create(const char *name, u64 guid);

/**
 * sib_star_free() - free a fabric
 * @fabric: fabric without CAs
 *
 * Process context. Waits for the work items, and for an RCU grace period.
 */
void sib_star_free(struct sib_fabric *fabric);

/**
 * sib_star_add_ca() - add a CA that is a device, and is linked to the switch
 * @fabric: the fabric; the caller keeps concurrent calls apart
 * @name: name of the device; the name of the CA, unless another one has it
 * @dev: the device
 *
 * Process context.
 *
 * Return: the CA; ERR_PTR(-EUSERS) if all ports of the switch have a link; ERR_PTR(-ENOMEM).
 */
struct sib_node *sib_star_add_ca(struct sib_fabric *fabric, const char *name,
				 struct sib_device *dev);

#endif /* SIB_STAR_H */
