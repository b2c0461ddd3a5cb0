// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The standard objects of ioctl(), and the methods of those objects that have only one method. All
 * else that a process does with such objects is done by commands of write().
 */
#include "uverbs/ioctl/standard.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/nospec.h>

#include "uverbs/frame/channel.h"
#include "uverbs/ioctl/attr.h"
#include "uverbs/ioctl/ioctl.h"
#include "uverbs/object/ah.h"
#include "uverbs/object/counters.h"
#include "uverbs/object/cq.h"
#include "uverbs/object/dm.h"
#include "uverbs/object/flow.h"
#include "uverbs/object/mr.h"
#include "uverbs/object/mw.h"
#include "uverbs/object/pd.h"
#include "uverbs/object/qp.h"
#include "uverbs/object/srq.h"
#include "uverbs/object/wq.h"
#include "uverbs/object/xrcd.h"

static int ioctl_async_alloc(struct uverbs_attr_bundle *call)
{
	int fd = uverbs_channel_new(call, false);

	return fd < 0 ? fd : 0;
}

static const struct uverbs_spec async_alloc_specs[] = {
	SPEC_NEW_FD(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE),
};

static const struct uverbs_method async_method_list[] = {
	[UVERBS_METHOD_ASYNC_EVENT_ALLOC] = METHOD(ioctl_async_alloc, async_alloc_specs),
};

static const struct uverbs_methods async_methods = METHODS(async_method_list);

static int ioctl_pd_destroy(struct uverbs_attr_bundle *call)
{
	return uverbs_dealloc_pd(call, uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_PD_HANDLE));
}

static const struct uverbs_spec pd_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_PD_HANDLE, MUST),
};

static const struct uverbs_method pd_method_list[] = {
	[UVERBS_METHOD_PD_DESTROY] = METHOD(ioctl_pd_destroy, pd_destroy_specs),
};

static const struct uverbs_methods pd_methods = METHODS(pd_method_list);

static int ioctl_ah_destroy(struct uverbs_attr_bundle *call)
{
	return uverbs_destroy_ah(call, uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_AH_HANDLE));
}

static const struct uverbs_spec ah_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_AH_HANDLE, MUST),
};

static const struct uverbs_method ah_method_list[] = {
	[UVERBS_METHOD_AH_DESTROY] = METHOD(ioctl_ah_destroy, ah_destroy_specs),
};

static const struct uverbs_methods ah_methods = METHODS(ah_method_list);

static int ioctl_mw_destroy(struct uverbs_attr_bundle *call)
{
	return uverbs_dealloc_mw(call, uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_MW_HANDLE));
}

static const struct uverbs_spec mw_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_MW_HANDLE, MUST),
};

static const struct uverbs_method mw_method_list[] = {
	[UVERBS_METHOD_MW_DESTROY] = METHOD(ioctl_mw_destroy, mw_destroy_specs),
};

static const struct uverbs_methods mw_methods = METHODS(mw_method_list);

static int ioctl_xrcd_destroy(struct uverbs_attr_bundle *call)
{
	return uverbs_close_xrcd(call, uverbs_attr_handle(call, UVERBS_ATTR_DESTROY_XRCD_HANDLE));
}

static const struct uverbs_spec xrcd_destroy_specs[] = {
	SPEC_HANDLE(UVERBS_ATTR_DESTROY_XRCD_HANDLE, MUST),
};

static const struct uverbs_method xrcd_method_list[] = {
	[UVERBS_METHOD_XRCD_DESTROY] = METHOD(ioctl_xrcd_destroy, xrcd_destroy_specs),
};

static const struct uverbs_methods xrcd_methods = METHODS(xrcd_method_list);

/*
 * A standard object: its methods, and the type of its handles; @type is NULL if it has no handles.
 */
struct standard {
	const struct uverbs_methods *methods;
	const struct uverbs_object_type *type;
};

static const struct standard objects[] = {
	[UVERBS_OBJECT_DEVICE] = { &uverbs_device_methods },
	[UVERBS_OBJECT_PD] = { &pd_methods, &uverbs_pd_type },
	[UVERBS_OBJECT_CQ] = { &uverbs_cq_methods, &uverbs_cq_type },
	[UVERBS_OBJECT_QP] = { &uverbs_qp_methods, &uverbs_qp_type },
	[UVERBS_OBJECT_SRQ] = { &uverbs_srq_methods, &uverbs_srq_type },
	[UVERBS_OBJECT_AH] = { &ah_methods, &uverbs_ah_type },
	[UVERBS_OBJECT_MR] = { &uverbs_mr_methods, &uverbs_mr_type },
	[UVERBS_OBJECT_MW] = { &mw_methods, &uverbs_mw_type },
	[UVERBS_OBJECT_FLOW] = { &uverbs_flow_methods, &uverbs_flow_type },
	[UVERBS_OBJECT_XRCD] = { &xrcd_methods, &uverbs_xrcd_type },
	[UVERBS_OBJECT_RWQ_IND_TBL] = { &uverbs_rwq_ind_table_methods,
					&uverbs_rwq_ind_table_type },
	[UVERBS_OBJECT_WQ] = { &uverbs_wq_methods, &uverbs_wq_type },
	[UVERBS_OBJECT_FLOW_ACTION] = { &uverbs_flow_action_methods, &uverbs_flow_action_type },
	[UVERBS_OBJECT_DM] = { &uverbs_dm_methods, &uverbs_dm_type },
	[UVERBS_OBJECT_COUNTERS] = { &uverbs_counters_methods, &uverbs_counters_type },
	[UVERBS_OBJECT_ASYNC_EVENT] = { &async_methods },
};

static const struct standard *find_standard(u16 object)
{
	const struct standard *standard;

	if (object >= ARRAY_SIZE(objects))
		return NULL;
	standard = &objects[array_index_nospec(object, ARRAY_SIZE(objects))];
	return standard->methods ? standard : NULL;
}

bool uverbs_is_standard(u16 object)
{
	return find_standard(object);
}

const struct uverbs_method *uverbs_standard_method(u16 object, u16 number)
{
	const struct standard *standard = find_standard(object);
	const struct uverbs_methods *methods;
	const struct uverbs_method *method;

	if (!standard)
		return ERR_PTR(-EPROTONOSUPPORT);
	methods = standard->methods;
	if (number >= methods->num)
		return ERR_PTR(-EPROTONOSUPPORT);
	method = &methods->methods[array_index_nospec(number, methods->num)];
	return method->run ? method : ERR_PTR(-EOPNOTSUPP);
}

const struct uverbs_object_type *uverbs_standard_type(u16 object)
{
	const struct standard *standard = find_standard(object);

	return standard ? standard->type : NULL;
}
