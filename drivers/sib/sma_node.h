/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The attributes NodeDescription, NodeInfo, SwitchInfo and LedInfo, see sma_call.h. */
#ifndef SIB_SMA_NODE_H
#define SIB_SMA_NODE_H

#include "drivers/sib/sma_call.h"

u16 sib_sma_get_node_desc(struct sib_sma_call *call);
u16 sib_sma_get_node_info(struct sib_sma_call *call);
u16 sib_sma_get_switch_info(struct sib_sma_call *call);
u16 sib_sma_set_switch_info(struct sib_sma_call *call);
u16 sib_sma_get_led_info(struct sib_sma_call *call);
u16 sib_sma_set_led_info(struct sib_sma_call *call);

#endif /* SIB_SMA_NODE_H */
