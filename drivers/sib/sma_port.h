/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The attribute PortInfo, see sma_call.h. */
#ifndef SIB_SMA_PORT_H
#define SIB_SMA_PORT_H

#include "drivers/sib/sma_call.h"

u16 sib_sma_get_port_info(struct sib_sma_call *call);
u16 sib_sma_set_port_info(struct sib_sma_call *call);

#endif /* SIB_SMA_PORT_H */
