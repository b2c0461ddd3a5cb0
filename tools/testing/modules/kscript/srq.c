// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: shared receive queues.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kscript/kscript.h"

static int destroy_srq(struct ks_obj *obj)
{
	return ib_destroy_srq(to_ks_srq(obj)->srq);
}

int ks_cmd_srq(struct ks_session *s, struct ks_args *args)
{
	struct ib_srq_init_attr init = {
		.event_handler = ks_event_report,
		.attr = {
			.max_wr = ks_number(args, "max", 16),
			.max_sge = ks_number(args, "sge", 1),
			.srq_limit = ks_number(args, "limit", 0),
		},
		.srq_type = IB_SRQT_BASIC,
	};
	struct ks_srq *srq;
	int ret;

	if (ks_args_end(args))
		return -EINVAL;
	srq = ks_obj_new(sizeof(*srq), s, KS_SRQ, destroy_srq, args->name);
	if (IS_ERR(srq))
		return PTR_ERR(srq);
	init.srq_context = srq;
	srq->srq = ib_create_srq(s->pd, &init);
	ret = PTR_ERR_OR_ZERO(srq->srq);
	if (ret)
		goto free_srq;
	ret = ks_obj_add(&srq->obj);
	if (ret)
		goto destroy_srq;
	ks_obj_put(&srq->obj);
	return 0;

destroy_srq:
	ib_destroy_srq(srq->srq);
free_srq:
	kfree(srq);
	return ret;
}

int ks_srq_modify(struct ks_obj *obj, struct ks_args *args)
{
	struct ib_srq_attr attr = {};
	int mask = 0;

	if (ks_arg(args, "limit"))
		mask |= IB_SRQ_LIMIT;
	if (ks_arg(args, "max"))
		mask |= IB_SRQ_MAX_WR;
	attr.srq_limit = ks_number(args, "limit", 0);
	attr.max_wr = ks_number(args, "max", 0);
	return ks_args_end(args) ?: ib_modify_srq(to_ks_srq(obj)->srq, &attr, mask);
}

int ks_srq_query(struct ks_obj *obj)
{
	struct ib_srq_attr attr = {};
	int ret = ib_query_srq(to_ks_srq(obj)->srq, &attr);

	if (!ret)
		ks_report(obj->s, "srq %s max=%u sge=%u limit=%u", obj->name, attr.max_wr,
			  attr.max_sge, attr.srq_limit);
	return ret;
}
