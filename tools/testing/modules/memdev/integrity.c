// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Regions with protection information.
 */
#include "internal.h"
#include "pi.h"

static struct ib_mr *alloc_mr_integrity(struct ib_pd *pd, u32 max_data, u32 max_meta)
{
	struct memdev_mr *mr;
	int ret;

	ret = fakedev_count_call(pd->device, FAKEDEV_ALLOC_MR_INTEGRITY);
	if (ret)
		return ERR_PTR(ret);
	mr = memdev_make_mr(pd, 0);
	if (IS_ERR(mr))
		return ERR_CAST(mr);
	mr->pi = memdev_pi_alloc(max_data, max_meta);
	if (mr->pi)
		return &mr->ibmr;
	memdev_free_mr(mr);
	return ERR_PTR(-ENOMEM);
}

static int map_mr_sg_pi(struct ib_mr *ibmr, struct scatterlist *data_sg, int data_nents,
			unsigned int *data_offset, struct scatterlist *meta_sg, int meta_nents,
			unsigned int *meta_offset)
{
	struct memdev_sg data = { data_sg, data_nents, data_offset ? *data_offset : 0 };
	struct memdev_sg meta = { meta_sg, meta_nents, meta_offset ? *meta_offset : 0 };
	int ret;

	ret = fakedev_count_call(ibmr->device, FAKEDEV_MAP_MR_SG_PI);
	if (ret)
		return ret;
	ibmr->length = memdev_pi_map(to_memdev_mr(ibmr)->pi, &data, &meta, ibmr->sig_attrs,
				     &ibmr->iova);
	return ibmr->length ? 0 : -EINVAL;
}

static int check_mr_status(struct ib_mr *ibmr, u32 check_mask, struct ib_mr_status *status)
{
	int ret;

	ret = fakedev_count_call(ibmr->device, FAKEDEV_CHECK_MR_STATUS);
	if (ret)
		return ret;
	if (memdev_pi_take_error(to_memdev_mr(ibmr)->pi, &status->sig_err))
		status->fail_status = IB_MR_CHECK_SIG_STATUS;
	return 0;
}

const struct ib_device_ops memdev_integrity_ops = {
	.alloc_mr_integrity = alloc_mr_integrity,
	.check_mr_status = check_mr_status,
	.map_mr_sg_pi = map_mr_sg_pi,
};
