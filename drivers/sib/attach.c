// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Multicast groups that QPs receive from. The data path looks them up by their GID, under RCU
 * (receive.c). The core does not destroy a QP before it was detached from all groups.
 */
#include "drivers/sib/attach.h"

#include <linux/slab.h>

#include "drivers/sib/sib.h"

static bool is_group(const struct sib_attachment *a, const union ib_gid *gid, u16 lid)
{
	return a->lid == lid && !memcmp(&a->gid, gid, sizeof(*gid));
}

/* Checks whether a QP may join a group. Returns 0, -EINVAL if it is a member, or -ENOMEM. */
static int check_limits(struct sib_device *dev, const struct sib_qp *qp, const union ib_gid *gid,
			u16 lid)
{
	const struct sib_attachment *a;
	int members = 0;

	hlist_for_each_entry(a, sib_group_bucket(dev, gid->raw), entry) {
		if (!is_group(a, gid, lid))
			continue;
		if (a->qp == qp)
			return -EINVAL;
		members++;
	}
	if (members == SIB_MAX_GROUP_QPS || dev->num_attached == SIB_MAX_ATTACHED)
		return -ENOMEM;
	return 0;
}

int sib_attach_mcast(struct ib_qp *base, union ib_gid *gid, u16 lid)
{
	struct sib_device *dev = to_sib_dev(base->device);
	struct sib_attachment *new = kmalloc(sizeof(*new), GFP_KERNEL);
	struct sib_qp *qp = to_sib_qp(base);
	int ret;

	if (!new)
		return -ENOMEM;
	*new = (struct sib_attachment) { .qp = qp, .gid = *gid, .lid = lid };
	mutex_lock(&dev->groups_lock);
	ret = check_limits(dev, qp, gid, lid);
	if (!ret) {
		hlist_add_head_rcu(&new->entry, sib_group_bucket(dev, gid->raw));
		dev->num_attached++;
	}
	mutex_unlock(&dev->groups_lock);
	if (ret)
		kfree(new);
	return ret;
}

int sib_detach_mcast(struct ib_qp *base, union ib_gid *gid, u16 lid)
{
	struct sib_device *dev = to_sib_dev(base->device);
	struct sib_qp *qp = to_sib_qp(base);
	struct sib_attachment *a;
	int ret = -EINVAL;

	mutex_lock(&dev->groups_lock);
	hlist_for_each_entry(a, sib_group_bucket(dev, gid->raw), entry) {
		if (a->qp != qp || !is_group(a, gid, lid))
			continue;
		hlist_del_rcu(&a->entry);
		kfree_rcu(a, rcu);
		dev->num_attached--;
		ret = 0;
		break;
	}
	mutex_unlock(&dev->groups_lock);
	return ret;
}
