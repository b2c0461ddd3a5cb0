// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Questions about MADs and classes that agents ask.
 */
#include "ibwire/mad.h"
#include "mad/agent.h"

/**
 * ib_response_mad() - does a MAD answer another one?
 * @hdr: its header
 *
 * Any context.
 *
 * Return: 1 for the methods of responses, for TrapRepress, and for responses of baseboard
 * management; otherwise 0.
 */
int ib_response_mad(const struct ib_mad_hdr *hdr)
{
	const struct mad mad = {
		.mgmt_class = hdr->mgmt_class,
		.method = hdr->method,
		.attr_mod = be32_to_cpu(hdr->attr_mod),
	};

	return mad_is_response(&mad);
}
EXPORT_SYMBOL(ib_response_mad);

/**
 * ib_is_mad_class_rmpp() - may MADs of a class be segments of a longer message?
 * @mgmt_class: the class
 *
 * Any context.
 *
 * Return: 1 or 0.
 */
int ib_is_mad_class_rmpp(u8 mgmt_class)
{
	return mad_class_has_rmpp(mgmt_class);
}
EXPORT_SYMBOL(ib_is_mad_class_rmpp);

/**
 * ib_get_mad_data_offset() - get the place of the data in MADs of a class
 * @mgmt_class: the class
 *
 * Any context.
 *
 * Return: offset from the begin of the MAD in bytes.
 */
int ib_get_mad_data_offset(u8 mgmt_class)
{
	return mad_data_offset(mgmt_class);
}
EXPORT_SYMBOL(ib_get_mad_data_offset);

/**
 * ib_mad_kernel_rmpp_agent() - are an agent's RMPP messages divided and put together by ib_mad?
 * @agent: the agent
 *
 * Any context.
 *
 * Return: 1; 0 if the agent has no RMPP, or does that himself.
 */
int ib_mad_kernel_rmpp_agent(const struct ib_mad_agent *agent)
{
	return agent->rmpp_version && !(agent->flags & IB_MAD_USER_RMPP);
}
EXPORT_SYMBOL(ib_mad_kernel_rmpp_agent);
