/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The management key (M_Key), which protects a port from strange subnet managers (IBTA 14.2.4). */
#ifndef SIB_MKEY_H
#define SIB_MKEY_H

#include "drivers/sib/model.h"

/**
 * sib_mkey_allows() - may an SMP with this key be processed?
 * @port: port of a CA, or port 0 of a switch
 * @method: MAD_METHOD_GET or MAD_METHOD_SET
 * @key: M_Key of the SMP
 * @hide: out: the answer must not show the M_Key
 *
 * Called with sib_node.mgmt held. A wrong key is counted, and starts the lease; a right one ends
 * the lease. At the end of the lease the protection ends.
 *
 * Return: true; false if the SMP is to be dropped.
 */
bool sib_mkey_allows(struct sib_port *port, u8 method, u64 key, bool *hide);

#endif /* SIB_MKEY_H */
