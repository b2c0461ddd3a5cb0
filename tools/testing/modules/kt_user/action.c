// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_user.ko: flow actions. A driver makes them by a method of its own, because there is no
 * standard one.
 */
#include <linux/slab.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_types.h>

#include "action.h"
#include "kt_user.h"

#define UVERBS_MODULE_NAME kt_user
#include <rdma/uverbs_named_ioctl.h>

struct ktu_action {
	struct ib_flow_action base;
	u32 value;
};

u32 ktu_action_value(struct ib_flow_action *action)
{
	return container_of(action, struct ktu_action, base)->value;
}

int ktu_destroy_flow_action(struct ib_flow_action *action)
{
	kfree(container_of(action, struct ktu_action, base));
	atomic_dec(&ktu_objects);
	return 0;
}

static int UVERBS_HANDLER(KTU_ACTION_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, KTU_ACTION_HANDLE);
	struct ib_ucontext *context = ib_uverbs_get_ucontext(attrs);
	struct ktu_action *action;
	u32 value;
	int ret;

	if (IS_ERR(context))
		return PTR_ERR(context);
	ret = uverbs_copy_from(&value, attrs, KTU_ACTION_VALUE);
	if (ret)
		return ret;
	action = kzalloc(sizeof(*action), GFP_KERNEL_ACCOUNT);
	if (!action)
		return -ENOMEM;
	action->base.device = context->device;
	action->base.uobject = uobj;
	action->value = value;
	uobj->object = &action->base;
	atomic_inc(&ktu_objects);
	uverbs_finalize_uobj_create(attrs, KTU_ACTION_HANDLE);
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(
	KTU_ACTION_CREATE,
	UVERBS_ATTR_IDR(KTU_ACTION_HANDLE, UVERBS_OBJECT_FLOW_ACTION, UVERBS_ACCESS_NEW,
			UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(KTU_ACTION_VALUE, UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

ADD_UVERBS_METHODS(ktu_action, UVERBS_OBJECT_FLOW_ACTION, &UVERBS_METHOD(KTU_ACTION_CREATE));

const struct uapi_definition ktu_definitions[] = {
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_FLOW_ACTION, &ktu_action),
	{},
};
