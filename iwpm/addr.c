// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * IPv4 and IPv6 addresses with their ports.
 */
#include <linux/string.h>
#include <net/ipv6.h>

#include "iwpm/iwpm.h"

bool iwpm_addr_is_inet(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET || addr->ss_family == AF_INET6;
}

__be16 iwpm_addr_port(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET ? iwpm_addr4(addr)->sin_port :
					    iwpm_addr6(addr)->sin6_port;
}

void iwpm_addr_set_port(struct sockaddr_storage *addr, __be16 port)
{
	if (addr->ss_family == AF_INET)
		iwpm_addr4(addr)->sin_port = port;
	else
		iwpm_addr6(addr)->sin6_port = port;
}

bool iwpm_addr_is_any(const struct sockaddr_storage *addr)
{
	return addr->ss_family == AF_INET ? !iwpm_addr4(addr)->sin_addr.s_addr :
					    ipv6_addr_any(&iwpm_addr6(addr)->sin6_addr);
}

bool iwpm_addr_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return iwpm_addr4(a)->sin_addr.s_addr == iwpm_addr4(b)->sin_addr.s_addr;
	return ipv6_addr_equal(&iwpm_addr6(a)->sin6_addr, &iwpm_addr6(b)->sin6_addr);
}

bool iwpm_addr_equal(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	return iwpm_addr_same_host(a, b) && iwpm_addr_port(a) == iwpm_addr_port(b);
}

void iwpm_addr_copy(struct sockaddr_storage *to, const struct sockaddr_storage *from)
{
	struct sockaddr_storage clean = { .ss_family = from->ss_family };

	if (from->ss_family == AF_INET) {
		iwpm_addr4(&clean)->sin_addr = iwpm_addr4(from)->sin_addr;
	} else {
		iwpm_addr6(&clean)->sin6_addr = iwpm_addr6(from)->sin6_addr;
		iwpm_addr6(&clean)->sin6_scope_id = iwpm_addr6(from)->sin6_scope_id;
	}
	iwpm_addr_set_port(&clean, iwpm_addr_port(from));
	*to = clean;
}
