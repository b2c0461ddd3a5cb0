// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: shared receive queues.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kscript/kscript.h"

static struct ks_srq *to_srq(struct ks_obj *obj)
{
	return container_of(obj, struct ks_srq, obj);
}

static void srq_event(struct ib_event *event, void *context)
{
	struct ks_srq *srq = context;

	ks_report(srq->obj.s, "async %s %s", ks_event_name(event->event), srq->obj.name);
}

void ks_srq_free(struct ks_obj *obj)
{
	kfree(to_srq(obj));
}

int ks_srq_destroy(struct ks_obj *obj)
{
	return ib_destroy_srq(to_srq(obj)->srq);
}

static int create(struct ks_srq *srq, const struct ib_srq_attr *attr)
{
	struct ib_srq_init_attr init = {
		.event_handler = srq_event,
		.srq_context = srq,
		.attr = *attr,
		.srq_type = IB_SRQT_BASIC,
	};
	int ret;

	srq->srq = ib_create_srq(srq->obj.s->pd, &init);
	if (IS_ERR(srq->srq))
		return PTR_ERR(srq->srq);
	ret = ks_obj_add(&srq->obj);
	if (ret)
		ib_destroy_srq(srq->srq);
	return ret;
}

int ks_cmd_srq(struct ks_session *s, struct ks_args *args)
{
	struct ib_srq_attr attr = {
		.max_wr = ks_number(args, "max", 16),
		.max_sge = ks_number(args, "sge", 1),
		.srq_limit = ks_number(args, "limit", 0),
	};
	struct ks_srq *srq;
	int ret;

	if (ks_args_end(args))
		return -EINVAL;
	srq = kzalloc(sizeof(*srq), GFP_KERNEL);
	if (!srq)
		return -ENOMEM;
	ret = ks_obj_init(&srq->obj, s, KS_SRQ, args->name) ?: create(srq, &attr);
	if (ret)
		kfree(srq);
	else
		ks_obj_put(&srq->obj);
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
	return ks_args_end(args) ?: ib_modify_srq(to_srq(obj)->srq, &attr, mask);
}

int ks_srq_query(struct ks_obj *obj)
{
	struct ib_srq_attr attr = {};
	int ret = ib_query_srq(to_srq(obj)->srq, &attr);

	if (!ret)
		ks_report(obj->s, "srq %s max=%u sge=%u limit=%u", obj->name, attr.max_wr,
			  attr.max_sge, attr.srq_limit);
	return ret;
}
