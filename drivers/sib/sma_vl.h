/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The attributes SLtoVLMappingTable and VLArbitrationTable, see sma_call.h. */
#ifndef SIB_SMA_VL_H
#define SIB_SMA_VL_H

#include "drivers/sib/sma_call.h"

u16 sib_sma_get_sl_to_vl(struct sib_sma_call *call);
u16 sib_sma_set_sl_to_vl(struct sib_sma_call *call);
u16 sib_sma_get_vl_arb(struct sib_sma_call *call);
u16 sib_sma_set_vl_arb(struct sib_sma_call *call);

#endif /* SIB_SMA_VL_H */
