/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A Get or Set of an attribute of subnet management. Each attribute has a function that reads it,
 * and, unless it is read-only, one that sets it. All are called with sib_node.mgmt held. They
 * return 0 or the status of the answer, a MAD_STATUS_*; a Set that fails has changed nothing.
 */
#ifndef SIB_SMA_CALL_H
#define SIB_SMA_CALL_H

#include "drivers/sib/model.h"

/**
 * struct sib_sma_call - a Get or Set
 * @in: port by which the SMP came
 * @node: its node
 * @attr_mod: modifier of the attribute
 * @data: the attribute, SMP_DATA_LEN bytes; zero before a Get
 * @slid: LID that the SMP came from
 * @any_mkey: the M_Key is not checked
 * @hide_mkey: the M_Key is not to be read
 * @reregister: out: the Set asked clients to register again, which the answer repeats
 * @port: out: port that was set, if @events or @link are set
 * @events: out: events of @port: SIB_EVENT()
 * @link: out: what to do with the link of @port
 */
struct sib_sma_call {
	struct sib_port *in;
	struct sib_node *node;
	u32 attr_mod;
	u8 *data;
	u16 slid;
	bool any_mkey;
	bool hide_mkey;
	bool reregister;
	struct sib_port *port;
	u32 events;
	enum portinfo_link link;
};

/* Returns port @num of the call's node, or NULL. 0 is the port of a CA by which the SMP came. */
static inline struct sib_port *sib_sma_port(const struct sib_sma_call *call, u32 num)
{
	if (!num && !sib_node_is_switch(call->node))
		return call->in;
	return num <= call->node->num_ports ? &call->node->ports[num] : NULL;
}

#endif /* SIB_SMA_CALL_H */
