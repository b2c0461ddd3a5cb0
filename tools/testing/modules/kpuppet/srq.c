// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kpuppet: shared receive queues.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kpuppet/kpuppet.h"

static struct kp_srq *to_srq(struct kp_obj *obj)
{
	return container_of(obj, struct kp_srq, obj);
}

static void srq_event(struct ib_event *event, void *context)
{
	struct kp_srq *srq = context;

	kp_report(srq->obj.s, "async %s %s", kp_event_name(event->event), srq->obj.name);
}

void kp_srq_free(struct kp_obj *obj)
{
	kfree(to_srq(obj));
}

int kp_srq_destroy(struct kp_obj *obj)
{
	return ib_destroy_srq(to_srq(obj)->srq);
}

static int create(struct kp_srq *srq, const struct ib_srq_attr *attr)
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
	ret = kp_obj_add(&srq->obj);
	if (ret)
		ib_destroy_srq(srq->srq);
	return ret;
}

int kp_cmd_srq(struct kp_session *s, struct kp_args *args)
{
	struct ib_srq_attr attr = {
		.max_wr = kp_number(args, "max", 16),
		.max_sge = kp_number(args, "sge", 1),
		.srq_limit = kp_number(args, "limit", 0),
	};
	struct kp_srq *srq;
	int ret;

	if (kp_args_end(args))
		return -EINVAL;
	srq = kzalloc(sizeof(*srq), GFP_KERNEL);
	if (!srq)
		return -ENOMEM;
	ret = kp_obj_init(&srq->obj, s, KP_SRQ, args->name) ?: create(srq, &attr);
	if (ret)
		kfree(srq);
	else
		kp_obj_put(&srq->obj);
	return ret;
}

int kp_srq_modify(struct kp_obj *obj, struct kp_args *args)
{
	struct ib_srq_attr attr = {};
	int mask = 0;

	if (kp_arg(args, "limit"))
		mask |= IB_SRQ_LIMIT;
	if (kp_arg(args, "max"))
		mask |= IB_SRQ_MAX_WR;
	attr.srq_limit = kp_number(args, "limit", 0);
	attr.max_wr = kp_number(args, "max", 0);
	return kp_args_end(args) ?: ib_modify_srq(to_srq(obj)->srq, &attr, mask);
}

int kp_srq_query(struct kp_obj *obj)
{
	struct ib_srq_attr attr = {};
	int ret = ib_query_srq(to_srq(obj)->srq, &attr);

	if (!ret)
		kp_report(obj->s, "srq %s max=%u sge=%u limit=%u", obj->name, attr.max_wr,
			  attr.max_sge, attr.srq_limit);
	return ret;
}
