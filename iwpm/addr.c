// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Comparison and copying of addresses.
 */
#include "iwpm/addr.h"

bool iwpm_addr_equal(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	return krdma_addr_same_host(a, b) && krdma_addr_port(a) == krdma_addr_port(b);
}

void iwpm_addr_copy(struct sockaddr_storage *to, const struct sockaddr_storage *from)
{
	struct sockaddr_storage clean = { .ss_family = from->ss_family };

	if (from->ss_family == AF_INET) {
		krdma_addr4(&clean)->sin_addr = krdma_addr4(from)->sin_addr;
	} else {
		krdma_addr6(&clean)->sin6_addr = krdma_addr6(from)->sin6_addr;
		krdma_addr6(&clean)->sin6_scope_id = krdma_addr6(from)->sin6_scope_id;
	}
	krdma_addr_set_port(&clean, krdma_addr_port(from));
	*to = clean;
}
