/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * kt_user.ko: numbers of the method that makes flow actions, for the module and for verbs_test.
 */
#ifndef _KRDMA_TESTING_KT_USER_ACTION_H_
#define _KRDMA_TESTING_KT_USER_ACTION_H_

#include <rdma/ib_user_ioctl_cmds.h>

/* The method, which is added to UVERBS_OBJECT_FLOW_ACTION. */
enum {
	KTU_ACTION_CREATE = 1U << UVERBS_ID_NS_SHIFT,
};

/* Its attributes: the new handle, and a number of 32 bits that flows with the action count. */
enum {
	KTU_ACTION_HANDLE = 1U << UVERBS_ID_NS_SHIFT,
	KTU_ACTION_VALUE,
};

#endif /* _KRDMA_TESTING_KT_USER_ACTION_H_ */
