/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Address vectors, as processes pass and get them by write().
 */
#ifndef _KRDMA_UVERBS_OBJECT_PATH_H_
#define _KRDMA_UVERBS_OBJECT_PATH_H_

struct ib_device;
struct ib_uverbs_ah_attr;
struct ib_uverbs_qp_dest;
struct rdma_ah_attr;

/**
 * uverbs_path_get - decode the path of a QP
 * @dev: the device
 * @to: is filled with the path; zeroed by the caller
 * @from: the path as the process has passed it
 *
 * The path is not checked, because the core refuses a path that is not valid.
 */
void uverbs_path_get(struct ib_device *dev, struct rdma_ah_attr *to,
		     const struct ib_uverbs_qp_dest *from);

/* Decodes the address of an address handle, without checking it. @to is zeroed by the caller. */
void uverbs_path_get_ah(struct ib_device *dev, struct rdma_ah_attr *to,
			const struct ib_uverbs_ah_attr *from);

/* Encodes the path of a QP. @to is zeroed by the caller. */
void uverbs_path_put(struct ib_uverbs_qp_dest *to, const struct rdma_ah_attr *from);

#endif /* _KRDMA_UVERBS_OBJECT_PATH_H_ */
