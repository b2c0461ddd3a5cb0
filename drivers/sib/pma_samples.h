/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The attributes PortSamplesControl, PortSamplesResult and PortSamplesResultExtended; see
 * pma_call.h.
 */
#ifndef SIB_PMA_SAMPLES_H
#define SIB_PMA_SAMPLES_H

#include "drivers/sib/pma_call.h"

u16 sib_pma_get_samples(struct sib_pma_call *call);
u16 sib_pma_set_samples(struct sib_pma_call *call);
u16 sib_pma_get_samples_result(struct sib_pma_call *call);
u16 sib_pma_get_samples_extended(struct sib_pma_call *call);

#endif /* SIB_PMA_SAMPLES_H */
