// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The provider's operations: several tables are merged into one, which is checked at registration.
 */
#include "core/ops.h"

#include <linux/build_bug.h>
#include <rdma/ib_verbs.h>

/*
 * The members from device_group to the end of struct ib_device_ops are pointers and sizes, each as
 * long as an unsigned long; 0 means that the provider has not set the member.
 */
#define OPS_FIRST_WORD	offsetof(struct ib_device_ops, device_group)
#define OPS_WORDS	((sizeof(struct ib_device_ops) - OPS_FIRST_WORD) / sizeof(unsigned long))

void ib_set_device_ops(struct ib_device *device, const struct ib_device_ops *ops)
{
	const unsigned long *from = (const void *)ops + OPS_FIRST_WORD;
	unsigned long *to = (void *)&device->ops + OPS_FIRST_WORD;
	unsigned int i;

	BUILD_BUG_ON((sizeof(*ops) - OPS_FIRST_WORD) % sizeof(unsigned long));
	BUILD_BUG_ON(sizeof(void *) != sizeof(unsigned long));
	BUILD_BUG_ON(sizeof(ops->size_ib_pd) != sizeof(unsigned long));

	if (!device->ops.owner)
		device->ops.owner = ops->owner;
	if (device->ops.driver_id == RDMA_DRIVER_UNKNOWN)
		device->ops.driver_id = ops->driver_id;
	if (!device->ops.uverbs_abi_ver)
		device->ops.uverbs_abi_ver = ops->uverbs_abi_ver;
	if (ops->uverbs_no_driver_id_binding)
		device->ops.uverbs_no_driver_id_binding = 1;
	for (i = 0; i < OPS_WORDS; i++)
		if (!to[i])
			to[i] = from[i];
}
EXPORT_SYMBOL(ib_set_device_ops);

struct mandatory_op {
	const char	*name;
	size_t		offset;
};

#define MANDATORY(op)	{ #op, offsetof(struct ib_device_ops, op) }

/* Methods without which a device cannot be registered. */
static const struct mandatory_op device_ops[] = {
	MANDATORY(query_device),
	MANDATORY(query_port),
	MANDATORY(get_port_immutable),
};

/* Methods without which a device is not offered to clients that use kernel verbs. */
static const struct mandatory_op kverbs_ops[] = {
	MANDATORY(alloc_pd),
	MANDATORY(dealloc_pd),
	MANDATORY(create_qp),
	MANDATORY(modify_qp),
	MANDATORY(destroy_qp),
	MANDATORY(post_send),
	MANDATORY(post_recv),
	MANDATORY(create_cq),
	MANDATORY(destroy_cq),
	MANDATORY(poll_cq),
	MANDATORY(req_notify_cq),
	MANDATORY(get_dma_mr),
	MANDATORY(dereg_mr),
};

static const char *first_missing(const struct ib_device_ops *ops, const struct mandatory_op *table,
				 size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (!*(const unsigned long *)((const void *)ops + table[i].offset))
			return table[i].name;
	return NULL;
}

/*
 * Returns the name of the first object size that is smaller than the core's struct, or NULL if
 * there is none. The core allocates objects with the sizes that the provider declares.
 */
static const char *first_too_small(const struct ib_device_ops *ops)
{
	if (ops->alloc_pd && ops->size_ib_pd < sizeof(struct ib_pd))
		return "size_ib_pd";
	if ((ops->create_ah || ops->create_user_ah) && ops->size_ib_ah < sizeof(struct ib_ah))
		return "size_ib_ah";
	if (ops->create_cq && ops->size_ib_cq < sizeof(struct ib_cq))
		return "size_ib_cq";
	if (ops->alloc_mw && ops->size_ib_mw < sizeof(struct ib_mw))
		return "size_ib_mw";
	if (ops->create_qp && ops->size_ib_qp < sizeof(struct ib_qp))
		return "size_ib_qp";
	if (ops->create_srq && ops->size_ib_srq < sizeof(struct ib_srq))
		return "size_ib_srq";
	if (ops->alloc_xrcd && ops->size_ib_xrcd < sizeof(struct ib_xrcd))
		return "size_ib_xrcd";
	if (ops->create_rwq_ind_table &&
	    ops->size_ib_rwq_ind_table < sizeof(struct ib_rwq_ind_table))
		return "size_ib_rwq_ind_table";
	if (ops->create_counters && ops->size_ib_counters < sizeof(struct ib_counters))
		return "size_ib_counters";
	if (ops->alloc_ucontext && ops->size_ib_ucontext < sizeof(struct ib_ucontext))
		return "size_ib_ucontext";
	return NULL;
}

int ib_core_ops_check(struct ib_device *dev, const char *name)
{
	const char *wrong;

	wrong = first_missing(&dev->ops, device_ops, ARRAY_SIZE(device_ops));
	if (wrong) {
		pr_err("ib_core: cannot register %s: its driver has no %s\n", name, wrong);
		return -EINVAL;
	}
	wrong = first_too_small(&dev->ops);
	if (wrong) {
		pr_err("ib_core: cannot register %s: its driver's %s is too small\n", name, wrong);
		return -EINVAL;
	}
	dev->kverbs_provider = !first_missing(&dev->ops, kverbs_ops, ARRAY_SIZE(kverbs_ops));
	return 0;
}
