/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Address vectors that a ULP or a process has filled in.
 */
#ifndef _KRDMA_VERBS_AH_ATTR_H_
#define _KRDMA_VERBS_AH_ATTR_H_

#include <rdma/verbs/ah.h>

struct ib_device;

/* Flags of verbs_ah_attr_resolve(). */
enum verbs_ah_flags {
	VERBS_AH_MAY_SLEEP	= BIT(0),
	VERBS_AH_OF_PROCESS	= BIT(1),	/* ignore the MAC address that a process set */
};

/**
 * verbs_ah_attr_resolve - check an address vector, and make a complete one from it
 * @dev: the device
 * @given: the address vector
 * @attr: out, on success: the complete address vector. With a global route, the vector holds a
 *	reference to its source GID, which rdma_destroy_ah_attr() drops; on RoCE, the vector has a
 *	MAC address
 * @flags: &enum verbs_ah_flags
 *
 * Process context if @flags has %VERBS_AH_MAY_SLEEP; otherwise any context. Interrupts must be on
 * if the MAC address of a RoCE destination has to be found.
 *
 * Return: 0, or one of the errors that __rdma_create_ah() returns for an address vector.
 */
int verbs_ah_attr_resolve(struct ib_device *dev, const struct rdma_ah_attr *given,
			  struct rdma_ah_attr *attr, unsigned int flags);

#endif /* _KRDMA_VERBS_AH_ATTR_H_ */
