/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The attributes GUIDInfo and P_KeyTable, see sma_call.h. */
#ifndef SIB_SMA_KEYS_H
#define SIB_SMA_KEYS_H

#include "drivers/sib/sma_call.h"

u16 sib_sma_get_guid_info(struct sib_sma_call *call);
u16 sib_sma_set_guid_info(struct sib_sma_call *call);
u16 sib_sma_get_pkeys(struct sib_sma_call *call);
u16 sib_sma_set_pkeys(struct sib_sma_call *call);

#endif /* SIB_SMA_KEYS_H */
