/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The attribute PortCountersExtended; see pma_call.h. */
#ifndef SIB_PMA_EXTENDED_H
#define SIB_PMA_EXTENDED_H

#include "drivers/sib/pma_call.h"

u16 sib_pma_get_extended(struct sib_pma_call *call);
u16 sib_pma_set_extended(struct sib_pma_call *call);

#endif /* SIB_PMA_EXTENDED_H */
