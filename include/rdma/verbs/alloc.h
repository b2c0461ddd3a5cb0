/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory for objects of a provider.
 */
#ifndef _RDMA_VERBS_ALLOC_H_
#define _RDMA_VERBS_ALLOC_H_

#include <linux/slab.h>
#include <rdma/verbs/device.h>

/**
 * rdma_zalloc_obj - allocate zeroed memory for an object of a device
 * @dev: the device
 * @size: number of bytes
 * @gfp: how to allocate
 * @is_numa_aware: on the node that the provider's get_numa_node() names, if it has this operation
 *
 * As kzalloc(). The memory is freed with kfree().
 *
 * Return: the memory, or NULL.
 */
static inline void *rdma_zalloc_obj(struct ib_device *dev, size_t size, gfp_t gfp,
				    bool is_numa_aware)
{
	int node = is_numa_aware && dev->ops.get_numa_node ? dev->ops.get_numa_node(dev) :
							     NUMA_NO_NODE;

	return kzalloc_node(size, gfp, node);
}

/**
 * rdma_zalloc_drv_obj_gfp - allocate the provider's structure of an object
 * @ib_dev: the device
 * @ib_type: tag of the core's structure, with which the provider's begins
 * @gfp: how to allocate
 *
 * As rdma_zalloc_obj(), with the size that INIT_RDMA_OBJ_SIZE() has set. For objects that a
 * provider makes for itself, besides those that the core allocates.
 *
 * Return: a pointer to the core's structure, or NULL.
 */
#define rdma_zalloc_drv_obj_gfp(ib_dev, ib_type, gfp)				\
	((struct ib_type *)rdma_zalloc_obj((ib_dev), (ib_dev)->ops.size_##ib_type, (gfp), false))

/* As rdma_zalloc_drv_obj_gfp(), on the node that the provider names. Process context. */
#define rdma_zalloc_drv_obj_numa(ib_dev, ib_type)				\
	((struct ib_type *)rdma_zalloc_obj((ib_dev), (ib_dev)->ops.size_##ib_type, GFP_KERNEL,	\
					   true))

/* As rdma_zalloc_drv_obj_gfp(). Process context. */
#define rdma_zalloc_drv_obj(ib_dev, ib_type)					\
	rdma_zalloc_drv_obj_gfp(ib_dev, ib_type, GFP_KERNEL)

#endif /* _RDMA_VERBS_ALLOC_H_ */
