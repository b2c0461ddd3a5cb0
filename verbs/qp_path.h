/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The paths of QPs: address vectors in ib_modify_qp().
 */
#ifndef _KRDMA_VERBS_QP_PATH_H_
#define _KRDMA_VERBS_QP_PATH_H_

#include <rdma/verbs/qp.h>

/**
 * struct verbs_qp_paths - paths that a change of a QP sets
 * @mask: which of the paths are set: %IB_QP_AV and %IB_QP_ALT_PATH
 * @given: primary path as the caller has passed it
 * @given_alt: alternate path as the caller has passed it
 */
struct verbs_qp_paths {
	u32			mask;
	struct rdma_ah_attr	given;
	struct rdma_ah_attr	given_alt;
};

/**
 * verbs_qp_paths_resolve - check the paths of a change, and make them complete
 * @qp: the QP
 * @attr: the attributes of the change; on success the paths in @mask are complete
 * @mask: &enum ib_qp_attr_mask
 * @udata: the process's data for the provider; NULL for a change by a ULP
 * @paths: out, on success: for verbs_qp_paths_end()
 *
 * Process context, may sleep. After an error @attr is as before.
 *
 * Return: 0; -EINVAL if an alternate path is set and one of its ports is not an InfiniBand port; or
 * one of the errors that __rdma_create_ah() returns for an address vector.
 */
int verbs_qp_paths_resolve(const struct ib_qp *qp, struct ib_qp_attr *attr, u32 mask,
			   const struct ib_udata *udata, struct verbs_qp_paths *paths);

/**
 * verbs_qp_paths_end - finish a change that verbs_qp_paths_resolve() began
 * @qp: the QP, whose source GIDs are replaced if @ret is 0
 * @attr: the attributes; on return the paths are as the caller has passed them
 * @paths: result of verbs_qp_paths_resolve()
 * @ret: result of the provider
 *
 * Any context.
 */
void verbs_qp_paths_end(struct ib_qp *qp, struct ib_qp_attr *attr, struct verbs_qp_paths *paths,
			int ret);

/* Drops the references to source GIDs of a QP that is being freed. */
void verbs_qp_paths_drop(struct ib_qp *qp);

#endif /* _KRDMA_VERBS_QP_PATH_H_ */
