// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Work queue entries, built from work requests.
 */
#include <linux/string.h>

#include "drivers/siw/queue/wqe.h"
#include "drivers/siw/base/siw.h"

int siw_sge_length(const struct ib_sge *sge, int num, u32 max_sge, u32 *length)
{
	u64 sum = 0;
	int i;

	if (num < 0 || num > max_sge)
		return -EINVAL;
	for (i = 0; i < num; i++)
		sum += sge[i].length;
	if (sum > SIW_MAX_MSG)
		return -EINVAL;
	*length = sum;
	return 0;
}

int siw_recv_wqe_build(struct siw_recv_wqe *wqe, const struct ib_recv_wr *wr, u32 max_sge)
{
	int ret = siw_sge_length(wr->sg_list, wr->num_sge, max_sge, &wqe->length);

	if (ret)
		return ret;
	memcpy(wqe->sge, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
	wqe->wr_id = wr->wr_id;
	wqe->num_sge = wr->num_sge;
	return 0;
}
