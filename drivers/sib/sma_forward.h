/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The attributes LinearForwardingTable and MulticastForwardingTable, see sma_call.h. */
#ifndef SIB_SMA_FORWARD_H
#define SIB_SMA_FORWARD_H

#include "drivers/sib/sma_call.h"

u16 sib_sma_get_linear(struct sib_sma_call *call);
u16 sib_sma_set_linear(struct sib_sma_call *call);
u16 sib_sma_get_multicast(struct sib_sma_call *call);
u16 sib_sma_set_multicast(struct sib_sma_call *call);

#endif /* SIB_SMA_FORWARD_H */
