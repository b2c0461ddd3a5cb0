// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The agent for subnet management: which attributes there are, and what becomes of an SMP. */
#include "drivers/sib/sma.h"

#include "drivers/sib/event.h"
#include "drivers/sib/link.h"
#include "drivers/sib/mkey.h"
#include "drivers/sib/sma_forward.h"
#include "drivers/sib/sma_keys.h"
#include "drivers/sib/sma_node.h"
#include "drivers/sib/sma_port.h"
#include "drivers/sib/sma_vl.h"
#include "drivers/sib/trap_state.h"
#include "ibwire/smp.h"

#define SMP_CLASS_VERSION	1
#define STATUS_AT		4	/* offset in a MAD */
#define METHOD_AT		3

/* Attributes of the host's subnet manager, which the agent leaves to it. */
#define ATTR_SM_INFO		0x20
#define ATTR_NOTICE		0x02

struct sma_attr {
	u16 id;
	u16 (*get)(struct sib_sma_call *call);
	u16 (*set)(struct sib_sma_call *call);
};

static const struct sma_attr sma_attrs[] = {
	{ 0x10, sib_sma_get_node_desc, NULL },
	{ 0x11, sib_sma_get_node_info, NULL },
	{ 0x12, sib_sma_get_switch_info, sib_sma_set_switch_info },
	{ 0x14, sib_sma_get_guid_info, sib_sma_set_guid_info },
	{ 0x15, sib_sma_get_port_info, sib_sma_set_port_info },
	{ 0x16, sib_sma_get_pkeys, sib_sma_set_pkeys },
	{ 0x17, sib_sma_get_sl_to_vl, sib_sma_set_sl_to_vl },
	{ 0x18, sib_sma_get_vl_arb, sib_sma_set_vl_arb },
	{ 0x19, sib_sma_get_linear, sib_sma_set_linear },
	{ 0x1b, sib_sma_get_multicast, sib_sma_set_multicast },
	{ 0x31, sib_sma_get_led_info, sib_sma_set_led_info },
};

static const struct sma_attr *find_attr(u16 id)
{
	const struct sma_attr *attr;

	for (attr = sma_attrs; attr < sma_attrs + ARRAY_SIZE(sma_attrs); attr++)
		if (attr->id == id)
			return attr;
	return NULL;
}

/* Checks the M_Key of an SMP. */
static bool has_mkey(struct sib_sma_call *call, const u8 *smp, const struct mad *mad)
{
	return call->any_mkey || sib_mkey_allows(sib_port_end(call->in), smp, mad, call->slid,
						 &call->hide_mkey);
}

/* Carries out a Set, which has no answer yet, or a Get. Returns the status of the answer. */
static u16 get_or_set(struct sib_sma_call *call, const struct mad *mad)
{
	const struct sma_attr *attr = find_attr(mad->attr_id);

	lockdep_assert_held(&call->node->mgmt);
	if (!attr || (mad->method == MAD_METHOD_SET && !attr->set))
		return MAD_STATUS_BAD_ATTR;
	if (mad->method == MAD_METHOD_SET)
		return attr->set(call);
	memset(call->data, 0, SMP_DATA_LEN);
	return attr->get(call);
}

/* Does what a Set has asked for outside of the node, and writes the answer: how things are then. */
static u16 finish_set(struct sib_sma_call *call, const struct mad *mad)
{
	u16 status;

	if (call->port) {
		sib_port_events(call->port, call->events);
		sib_link_change(call->port, call->link);
	}
	mutex_lock(&call->node->mgmt);
	status = find_attr(mad->attr_id)->get(call);
	mutex_unlock(&call->node->mgmt);
	return status;
}

/* Returns whether an SMP is for the agent: it represses a trap that nodes send. */
static bool is_repress(const u8 *smp, const struct mad *mad)
{
	return mad->method == MAD_METHOD_TRAP_REPRESS && mad->attr_id == ATTR_NOTICE &&
	       sib_trap_is_known(notice_trap(smp + SMP_DATA));
}

/* Returns whether the agent has nothing to do with an SMP, because it is for the host. */
static bool is_for_host(const struct mad *mad)
{
	return mad_is_response(mad) || mad->method == MAD_METHOD_TRAP ||
	       mad->attr_id == ATTR_SM_INFO;
}

/* Returns the status of the answer to a request that the agent cannot have; 0 for others. */
static u16 check_header(const struct mad *mad)
{
	if (mad->class_version != SMP_CLASS_VERSION)
		return MAD_STATUS_BAD_VERSION;
	if (mad->method != MAD_METHOD_GET && mad->method != MAD_METHOD_SET)
		return MAD_STATUS_BAD_METHOD;
	return 0;
}

static void answer(u8 *smp, const struct mad *mad, u16 status)
{
	put_unaligned_be16(status, smp + STATUS_AT);
	if (mad->mgmt_class == MAD_CLASS_SMP_DIRECTED)
		smp_make_response(smp);
	else
		smp[METHOD_AT] = MAD_METHOD_GET | MAD_METHOD_RESPONSE;
}

/* Processes a Get or Set. */
static enum sib_sma_verdict process_request(struct sib_sma_call *call, u8 *smp,
					    const struct mad *mad)
{
	bool allowed = true;
	u16 status;

	status = check_header(mad);
	if (!status) {
		mutex_lock(&call->node->mgmt);
		allowed = has_mkey(call, smp, mad);
		if (allowed)
			status = get_or_set(call, mad);
		mutex_unlock(&call->node->mgmt);
	}
	if (!allowed)
		return SIB_SMA_DROPPED;
	if (!status && mad->method == MAD_METHOD_SET)
		status = finish_set(call, mad);
	answer(smp, mad, status);
	return SIB_SMA_ANSWERED;
}

/* Ends a trap that the SM has heard of. */
static enum sib_sma_verdict process_repress(struct sib_sma_call *call, const u8 *smp,
					    const struct mad *mad)
{
	bool allowed;

	mutex_lock(&call->node->mgmt);
	allowed = has_mkey(call, smp, mad);
	mutex_unlock(&call->node->mgmt);
	if (!allowed)
		return SIB_SMA_DROPPED;
	sib_trap_repress(sib_port_end(call->in), notice_trap(smp + SMP_DATA), mad->tid);
	return SIB_SMA_TAKEN;
}

enum sib_sma_verdict sib_sma_process(struct sib_port *in, u8 *smp, u16 slid, bool any_mkey)
{
	struct sib_sma_call call = {
		.in = in,
		.node = in->node,
		.data = smp + SMP_DATA,
		.slid = slid,
		.any_mkey = any_mkey,
	};
	struct mad mad;

	if (mad_parse(smp, MAD_LEN, &mad))
		return SIB_SMA_DROPPED;
	if (is_repress(smp, &mad))
		return process_repress(&call, smp, &mad);
	if (is_for_host(&mad))
		return SIB_SMA_HOST;
	call.attr_mod = mad.attr_mod;
	return process_request(&call, smp, &mad);
}
