// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The agent for performance management: which attributes there are, and what becomes of a MAD. */
#include "drivers/sib/pma.h"

#include <rdma/ib_pma.h>

#include "drivers/sib/pma_counters.h"
#include "drivers/sib/pma_extended.h"
#include "drivers/sib/pma_samples.h"

#define PMA_CLASS_VERSION	1
#define RESPONSE_TIME_PMA	8	/* 4.096 us * 2^8: a millisecond */

/* Modifiers of attributes of samples: the only mechanism, or all. */
#define ONLY_MECHANISM		cpu_to_be32(0)
#define ALL_MECHANISMS		cpu_to_be32(0xffffffff)

static u16 get_class_port_info(struct sib_pma_call *call)
{
	struct ib_class_port_info *info = (struct ib_class_port_info *)call->data;

	memset(call->data, 0, SIB_PMA_DATA_LEN);
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = PMA_CLASS_VERSION;
	info->capability_mask = IB_PMA_CLASS_CAP_ALLPORTSELECT | IB_PMA_CLASS_CAP_EXT_WIDTH |
				IB_PMA_CLASS_CAP_XMIT_WAIT;
	ib_set_cpi_resp_time(info, RESPONSE_TIME_PMA);
	return 0;
}

/**
 * struct pma_attr - an attribute
 * @id: its number
 * @has_mechanism: its modifier names a mechanism of samples; that of others is 0
 * @get: reads it
 * @set: sets it; NULL if it is read-only
 */
struct pma_attr {
	__be16 id;
	bool has_mechanism;
	u16 (*get)(struct sib_pma_call *call);
	u16 (*set)(struct sib_pma_call *call);
};

static const struct pma_attr pma_attrs[] = {
	{ IB_PMA_CLASS_PORT_INFO, false, get_class_port_info, NULL },
	{ IB_PMA_PORT_SAMPLES_CONTROL, true, sib_pma_get_samples, sib_pma_set_samples },
	{ IB_PMA_PORT_SAMPLES_RESULT, true, sib_pma_get_samples_result, NULL },
	{ IB_PMA_PORT_COUNTERS, false, sib_pma_get_counters, sib_pma_set_counters },
	{ IB_PMA_PORT_COUNTERS_EXT, false, sib_pma_get_extended, sib_pma_set_extended },
	{ IB_PMA_PORT_SAMPLES_RESULT_EXT, true, sib_pma_get_samples_extended, NULL },
};

static const struct pma_attr *find_pma_attr(__be16 id)
{
	const struct pma_attr *attr;

	for (attr = pma_attrs; attr < pma_attrs + ARRAY_SIZE(pma_attrs); attr++)
		if (attr->id == id)
			return attr;
	return NULL;
}

bool sib_pma_takes(const u8 *mad)
{
	const struct ib_mad_hdr *hdr = (const struct ib_mad_hdr *)mad;

	if (hdr->base_version != IB_MGMT_BASE_VERSION ||
	    hdr->mgmt_class != IB_MGMT_CLASS_PERF_MGMT)
		return false;
	switch (hdr->method) {
	case IB_MGMT_METHOD_SEND:
	case IB_MGMT_METHOD_TRAP:
	case IB_MGMT_METHOD_REPORT:
	case IB_MGMT_METHOD_TRAP_REPRESS:
		return false;
	default:
		return !(hdr->method & IB_MGMT_METHOD_RESP);
	}
}

/* Carries a request out. Returns the status of the answer. */
static u16 carry_out(struct sib_node *node, struct ib_pma_mad *mad)
{
	const struct ib_mad_hdr *hdr = &mad->mad_hdr;
	const struct pma_attr *attr = find_pma_attr(hdr->attr_id);
	struct sib_pma_call call = { .node = node, .data = mad->data };
	bool set = hdr->method == IB_MGMT_METHOD_SET;
	u16 status = 0;

	if (hdr->class_version != PMA_CLASS_VERSION)
		return MAD_STATUS_BAD_VERSION;
	if (!set && hdr->method != IB_MGMT_METHOD_GET)
		return MAD_STATUS_BAD_METHOD;
	if (!attr || (set && !attr->set))
		return MAD_STATUS_BAD_ATTR;
	if (hdr->attr_mod != ONLY_MECHANISM &&
	    (!attr->has_mechanism || hdr->attr_mod != ALL_MECHANISMS))
		return MAD_STATUS_BAD_VALUE;
	mutex_lock(&node->fabric->clearing);
	if (set)
		status = attr->set(&call);
	if (!status)
		status = attr->get(&call);
	mutex_unlock(&node->fabric->clearing);
	return status;
}

void sib_pma_process(struct sib_port *in, u8 *mad)
{
	struct ib_pma_mad *pma = (struct ib_pma_mad *)mad;
	struct ib_mad_hdr *hdr = &pma->mad_hdr;

	hdr->status = cpu_to_be16(carry_out(in->node, pma));
	if (hdr->method == IB_MGMT_METHOD_SET)
		hdr->method = IB_MGMT_METHOD_GET_RESP;
	else
		hdr->method |= IB_MGMT_METHOD_RESP;
	memset(pma->reserved, 0, sizeof(pma->reserved));
}
