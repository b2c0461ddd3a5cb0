// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * SMPs whose directed route ends at the port that sends them: they do not reach the QP.
 */
#include "mad/local.h"

#include "ibwire/smp.h"
#include "mad/recv.h"
#include "mad/send.h"

/* Makes of an SMP what a receiver would get. Returns NULL if there is no memory. */
static struct mad_recv *loop_back(const struct mad_send *send)
{
	struct mad_port *port = send->agent->port;
	struct smp_node node = mad_port_node(port, 0);
	struct mad_recv *recv;
	u8 out_port;

	recv = mad_recv_alloc(send->agent->qp, GFP_KERNEL);
	if (!recv) {
		mad_count(port, KRDMA_MAD_NO_MEMORY);
		return NULL;
	}
	memcpy(&recv->data.mad, send->mad, sizeof(recv->data.mad));
	smp_start(mad_recv_bytes(recv), &node, &out_port);
	recv->wc = (struct ib_wc) {
		.status = IB_WC_SUCCESS,
		.opcode = IB_WC_RECV,
		.byte_len = sizeof(recv->data),
		.qp = send->agent->base.qp,
		.src_qp = IB_QP0,
		.slid = be16_to_cpu(IB_LID_PERMISSIVE),
		.pkey_index = send->wr.ud.pkey_index,
		.port_num = port->num,
	};
	return recv;
}

void mad_local_run(struct mad_agent *agent)
{
	struct mad_send *send;
	struct mad_recv *recv;

	while ((send = mad_send_take_local(agent))) {
		recv = loop_back(send);
		mad_send_done_local(send);
		if (recv)
			mad_receive_local(recv);
	}
}
