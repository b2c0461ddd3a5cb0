// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Work queue entries, made of work requests.
 */
#include "drivers/siw/wqe.h"
#include "drivers/siw/siw.h"

int siw_recv_wqe_fill(struct siw_recv_wqe *rqe, const struct ib_recv_wr *wr, u32 max_sge)
{
	u64 length = 0;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > max_sge)
		return -EINVAL;
	for (i = 0; i < wr->num_sge; i++) {
		rqe->sge[i] = wr->sg_list[i];
		length += wr->sg_list[i].length;
	}
	if (length > SIW_MAX_MSG)
		return -EINVAL;
	rqe->wr_id = wr->wr_id;
	rqe->num_sge = wr->num_sge;
	rqe->length = length;
	return 0;
}
