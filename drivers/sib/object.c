// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* PDs, address handles and CQs. */
#include "drivers/sib/object.h"

#include "drivers/sib/sib.h"

/* Counts an object. Returns 0; -ENOMEM if the device has @most of them. */
static int count_object(atomic_t *number, int most)
{
	if (atomic_inc_return(number) <= most)
		return 0;
	atomic_dec(number);
	return -ENOMEM;
}

int sib_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return count_object(&to_sib_dev(pd->device)->num_pd, SIB_MAX_PD);
}

int sib_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	atomic_dec(&to_sib_dev(pd->device)->num_pd);
	return 0;
}

int sib_create_ah(struct ib_ah *base, struct rdma_ah_init_attr *init, struct ib_udata *udata)
{
	int ret = count_object(&to_sib_dev(base->device)->num_ah, SIB_MAX_AH);

	if (!ret)
		to_sib_ah(base)->attr = *init->ah_attr;
	return ret;
}

int sib_modify_ah(struct ib_ah *base, struct rdma_ah_attr *attr)
{
	to_sib_ah(base)->attr = *attr;
	return 0;
}

int sib_query_ah(struct ib_ah *base, struct rdma_ah_attr *attr)
{
	*attr = to_sib_ah(base)->attr;
	return 0;
}

int sib_destroy_ah(struct ib_ah *base, u32 flags)
{
	atomic_dec(&to_sib_dev(base->device)->num_ah);
	return 0;
}

int sib_create_cq(struct ib_cq *base, const struct ib_cq_init_attr *attr, struct ib_udata *udata)
{
	return soft_cq_init(to_soft_cq(base), attr, false);
}

int sib_destroy_cq(struct ib_cq *base, struct ib_udata *udata)
{
	soft_cq_exit(to_soft_cq(base));
	return 0;
}
