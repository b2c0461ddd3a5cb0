// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The multicast groups that a process's QP is attached to. The groups are listed, because a process
 * may exit without detaching its QPs. Such a QP has to be detached from all its groups before it
 * can be destroyed.
 */
#include "uverbs/object/mcast.h"

#include <linux/slab.h>
#include <rdma/ib_verbs.h>

struct mcast_group {
	struct list_head entry;
	union ib_gid gid;
	u16 lid;
};

void uverbs_mcast_init(struct uverbs_mcast *mcast)
{
	mutex_init(&mcast->lock);
	INIT_LIST_HEAD(&mcast->groups);
}

static struct mcast_group *find_group(struct uverbs_mcast *mcast, const union ib_gid *gid, u16 lid)
{
	struct mcast_group *group;

	lockdep_assert_held(&mcast->lock);
	list_for_each_entry(group, &mcast->groups, entry)
		if (group->lid == lid && !memcmp(&group->gid, gid, sizeof(*gid)))
			return group;
	return NULL;
}

static int attach_new(struct uverbs_mcast *mcast, struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	struct mcast_group *group;
	int ret;

	group = kmalloc(sizeof(*group), GFP_KERNEL_ACCOUNT);
	if (!group)
		return -ENOMEM;
	group->gid = *gid;
	group->lid = lid;
	ret = ib_attach_mcast(qp, gid, lid);
	if (ret)
		kfree(group);
	else
		list_add_tail(&group->entry, &mcast->groups);
	return ret;
}

int uverbs_mcast_attach(struct uverbs_mcast *mcast, struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	int ret = 0;

	mutex_lock(&mcast->lock);
	if (!find_group(mcast, gid, lid))
		ret = attach_new(mcast, qp, gid, lid);
	mutex_unlock(&mcast->lock);
	return ret;
}

static int detach_group(struct mcast_group *group, struct ib_qp *qp)
{
	int ret = ib_detach_mcast(qp, &group->gid, group->lid);

	if (ret)
		return ret;
	list_del(&group->entry);
	kfree(group);
	return 0;
}

int uverbs_mcast_detach(struct uverbs_mcast *mcast, struct ib_qp *qp, union ib_gid *gid, u16 lid)
{
	struct mcast_group *group;
	int ret = -EINVAL;

	mutex_lock(&mcast->lock);
	group = find_group(mcast, gid, lid);
	if (group)
		ret = detach_group(group, qp);
	mutex_unlock(&mcast->lock);
	return ret;
}

void uverbs_mcast_detach_all(struct uverbs_mcast *mcast, struct ib_qp *qp)
{
	struct mcast_group *group, *next;

	mutex_lock(&mcast->lock);
	list_for_each_entry_safe(group, next, &mcast->groups, entry)
		detach_group(group, qp);
	mutex_unlock(&mcast->lock);
}
