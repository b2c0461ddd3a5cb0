// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Cases with two CAs, which are opened before each case and closed after it. */
#include <linux/slab.h>

#include "kt_sib.h"

static bool start_pair(struct ktap *t, struct ksb_pair *p)
{
	if (!ksb_open(t, &p->a, "sib0") || !ksb_open(t, &p->b, "sib1"))
		return false;
	p->ah = ksb_ah(t, &p->a, p->b.lid, NULL);
	p->own = ksb_ah(t, &p->a, p->a.lid, NULL);
	return p->ah && p->own;
}

static void end_pair(struct ktap *t, struct ksb_pair *p)
{
	if (p->ah)
		KT_EXPECT_EQ(t, rdma_destroy_ah(p->ah, 0), 0);
	if (p->own)
		KT_EXPECT_EQ(t, rdma_destroy_ah(p->own, 0), 0);
	ksb_close(t, &p->a);
	ksb_close(t, &p->b);
}

void ksb_run(struct ktap *t)
{
	ksb_test * const *test = ktap_arg(t);
	struct ksb_pair *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (!KT_EXPECT(t, p))
		return;
	if (start_pair(t, p))
		(*test)(t, p);
	end_pair(t, p);
	kfree(p);
}

struct ksb_msg ksb_msg(struct ksb_pair *p, u32 length)
{
	return ksb_msg_to(&p->a, p->ah, p->b.qp->qp_num, length);
}

struct ksb_msg ksb_own_msg(struct ksb_pair *p, u32 length)
{
	return ksb_msg_to(&p->a, p->own, p->a.qp->qp_num, length);
}
