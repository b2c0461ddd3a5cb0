// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Builds work queue entries from work requests, and iterators over the entries' data.
 */
#include <linux/string.h>

#include "soft/wqe.h"
#include "soft/sgl.h"

int soft_sge_length(const struct ib_sge *sge, u32 num, u32 max_sge, u32 *length)
{
	u64 sum = 0;
	u32 i;

	if (num > max_sge)
		return -EINVAL;
	for (i = 0; i < num; i++)
		sum += sge[i].length;
	if (sum > SOFT_MAX_MSG)
		return -EINVAL;
	*length = sum;
	return 0;
}

void soft_copy_inline(u8 *to, const struct ib_send_wr *wr)
{
	int i;

	for (i = 0; i < wr->num_sge; i++) {
		memcpy(to, (void *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
		to += wr->sg_list[i].length;
	}
}

int soft_send_wqe_iter_init(struct soft_send_wqe *wqe, const struct ib_pd *pd,
			    struct soft_sgl_iter *sgl, int access)
{
	int ret;

	if (!wqe->is_inline)
		return soft_sgl_iter_init(sgl, pd, wqe->sge, wqe->num_sge, access);

	ret = soft_sgl_iter_init(sgl, pd, NULL, 0, access);
	sgl->one = (struct ib_sge) {
		.addr = (uintptr_t)wqe->inline_data,
		.length = wqe->length,
		.lkey = SOFT_LOCAL_DMA_LKEY,
	};
	sgl->sge = &sgl->one;
	sgl->num = 1;
	return ret;
}

int soft_recv_wqe_build(struct soft_recv_wqe *wqe, const struct ib_recv_wr *wr, u32 max_sge)
{
	int ret = soft_sge_length(wr->sg_list, wr->num_sge, max_sge, &wqe->length);

	if (ret)
		return ret;
	memcpy(wqe->sge, wr->sg_list, wr->num_sge * sizeof(*wr->sg_list));
	wqe->wr_id = wr->wr_id;
	wqe->num_sge = wr->num_sge;
	return 0;
}
