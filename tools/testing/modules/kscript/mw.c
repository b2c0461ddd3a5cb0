// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kscript: memory windows.
 */
#include <linux/slab.h>

#include "tools/testing/modules/kscript/kscript.h"

struct ks_mw {
	struct ks_obj obj;
	struct ib_mw *mw;
	u32 rkey;	/* of the last bind */
};

static struct ks_mw *to_mw(struct ks_obj *obj)
{
	return container_of(obj, struct ks_mw, obj);
}

static int destroy_mw(struct ks_obj *obj)
{
	return ib_dealloc_mw(to_mw(obj)->mw);
}

int ks_cmd_mw(struct ks_session *s, struct ks_args *args)
{
	u32 type = ks_needs_number(args, "type");
	struct ib_pd *pd = ks_pd(s, args);
	struct ks_mw *mw;
	int ret;

	if (ks_args_end(args) || IS_ERR(pd))
		return -EINVAL;
	mw = ks_obj_new(sizeof(*mw), s, KS_MW, destroy_mw, args->name);
	if (IS_ERR(mw))
		return PTR_ERR(mw);
	mw->mw = ib_alloc_mw(pd, type);
	if (IS_ERR(mw->mw)) {
		ret = PTR_ERR(mw->mw);
		goto free_mw;
	}
	mw->rkey = mw->mw->rkey;
	ret = ks_obj_add(&mw->obj);
	if (ret)
		goto dealloc;
	ks_report(s, "mw %s stag=0x%08x", mw->obj.name, mw->rkey);
	ks_obj_put(&mw->obj);
	return 0;

dealloc:
	ib_dealloc_mw(mw->mw);
free_mw:
	kfree(mw);
	return ret;
}

/* Binds the window to a part of the MR @mr, or unbinds it if @mr is NULL. */
static int bind_by_name(struct ks_session *s, const char *qp, const char *mr, struct ks_mw *mw,
			u32 rkey, struct ib_mw_bind_info *info)
{
	struct ks_obj *qp_obj, *mr_obj = NULL;
	int ret;

	/* In the order of ks_cmd_reg(): the MR, and then the QP. */
	if (mr) {
		mr_obj = ks_obj_get(s, KS_MR, mr);
		if (IS_ERR(mr_obj))
			return PTR_ERR(mr_obj);
		info->mr = to_ks_mr(mr_obj)->mr;
		info->addr += info->mr->iova;
	}
	qp_obj = ks_obj_get(s, KS_QP, qp);
	ret = PTR_ERR_OR_ZERO(qp_obj);
	if (ret)
		goto put_mr;
	ret = ks_wr_bind(to_ks_qp(qp_obj), mw->mw, rkey, info);
	if (!ret) {
		mw->rkey = rkey;
		ks_report(s, "mw %s stag=0x%08x addr=0x%llx size=%llu", mw->obj.name, rkey,
			  info->addr, info->length);
	}
	ks_obj_put(qp_obj);
put_mr:
	if (mr_obj)
		ks_obj_put(mr_obj);
	return ret;
}

int ks_cmd_bind(struct ks_session *s, struct ks_args *args)
{
	const char *qp = ks_arg(args, "qp"), *mr = ks_arg(args, "mr");
	s32 key = ks_number(args, "key", -1);
	struct ib_mw_bind_info info = {
		.addr = ks_number(args, "off", 0),
		.length = ks_number(args, "len", 0),
		.mw_access_flags = ks_access(args, "access"),
	};
	struct ks_obj *obj;
	struct ks_mw *mw;
	int ret;

	if (ks_args_end(args) || key > 255)
		return -EINVAL;
	obj = ks_obj_get(s, KS_MW, args->name);
	if (IS_ERR(obj))
		return PTR_ERR(obj);
	mw = to_mw(obj);
	ret = bind_by_name(s, qp, mr, mw,
			   key < 0 ? ib_inc_rkey(mw->rkey) : (mw->rkey & ~0xffU) | key, &info);
	ks_obj_put(obj);
	return ret;
}
