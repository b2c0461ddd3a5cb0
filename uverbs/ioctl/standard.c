// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The standard objects of ioctl().
 */
#include "uverbs/ioctl/standard.h"

#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/nospec.h>

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

/* A standard object: its methods, and the type of its handles, or NULL. */
struct standard {
	const struct uverbs_methods *methods;
	const struct uverbs_object_type *type;
};

static const struct standard objects[] = {
	[UVERBS_OBJECT_DEVICE] = { &uverbs_device_methods },
	[UVERBS_OBJECT_PD] = { &uverbs_pd_methods, &uverbs_pd_type },
	[UVERBS_OBJECT_CQ] = { &uverbs_cq_methods, &uverbs_cq_type },
	[UVERBS_OBJECT_QP] = { &uverbs_qp_methods, &uverbs_qp_type },
	[UVERBS_OBJECT_SRQ] = { &uverbs_srq_methods, &uverbs_srq_type },
	[UVERBS_OBJECT_AH] = { &uverbs_ah_methods, &uverbs_ah_type },
	[UVERBS_OBJECT_MR] = { &uverbs_mr_methods, &uverbs_mr_type },
	[UVERBS_OBJECT_MW] = { &uverbs_mw_methods, &uverbs_mw_type },
	[UVERBS_OBJECT_FLOW] = { &uverbs_flow_methods, &uverbs_flow_type },
	[UVERBS_OBJECT_XRCD] = { &uverbs_xrcd_methods, &uverbs_xrcd_type },
	[UVERBS_OBJECT_RWQ_IND_TBL] = { &uverbs_rwq_ind_table_methods,
					&uverbs_rwq_ind_table_type },
	[UVERBS_OBJECT_WQ] = { &uverbs_wq_methods, &uverbs_wq_type },
	[UVERBS_OBJECT_FLOW_ACTION] = { &uverbs_flow_action_methods, &uverbs_flow_action_type },
	[UVERBS_OBJECT_DM] = { &uverbs_dm_methods, &uverbs_dm_type },
	[UVERBS_OBJECT_COUNTERS] = { &uverbs_counters_methods, &uverbs_counters_type },
	[UVERBS_OBJECT_ASYNC_EVENT] = { &uverbs_async_methods },
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
