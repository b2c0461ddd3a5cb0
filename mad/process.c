// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Answers that are not made by agents: those of the provider, and refusals.
 */
#include "mad/process.h"

#include "ibwire/smp.h"
#include "mad/port.h"

enum mad_processed mad_process(struct mad_recv *recv, struct ib_mad *answer, u16 *pkey_index)
{
	struct mad_port *port = recv->qp->port;
	size_t size = sizeof(*answer);
	int result;

	if (!port->device->ops.process_mad)
		return MAD_PROCESSED_NOT;
	memset(answer, 0, sizeof(*answer));
	*pkey_index = recv->wc.pkey_index;
	result = port->device->ops.process_mad(port->device, 0, port->num, &recv->wc,
					       &recv->data.grh, &recv->data.mad, answer, &size,
					       pkey_index);
	if (!(result & IB_MAD_RESULT_SUCCESS))
		return MAD_PROCESSED_NOT;
	if (result & IB_MAD_RESULT_CONSUMED) {
		mad_count(port, KRDMA_MAD_PROCESSED);
		return MAD_PROCESSED_TAKEN;
	}
	if (!(result & IB_MAD_RESULT_REPLY))
		return MAD_PROCESSED_NOT;
	mad_count(port, KRDMA_MAD_PROCESSED);
	return MAD_PROCESSED_REPLY;
}

bool mad_refuse(const struct ib_mad *request, u16 status, struct ib_mad *answer)
{
	const struct ib_mad_hdr *hdr = &request->mad_hdr;

	if (hdr->method != IB_MGMT_METHOD_GET && hdr->method != IB_MGMT_METHOD_SET)
		return false;
	*answer = *request;
	answer->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	answer->mad_hdr.status = cpu_to_be16(status);
	if (hdr->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		smp_make_response((u8 *)answer);
	else if (hdr->mgmt_class == IB_MGMT_CLASS_BM)
		answer->mad_hdr.attr_mod |= IB_BM_ATTR_MOD_RESP;
	return true;
}
