// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The names of the port mapper.
 */
#include <linux/skbuff.h>
#include <rdma/iw_portmap.h>

#include "conformance.h"

#include "rows_types.h"
static void __maybe_unused check_iw_portmap_types(void)
{
	struct iwpm_dev_data *dev_data;
	struct sockaddr_storage *addr;
	struct netlink_callback *cb;
	struct iwpm_sa_data *sa;
	struct sk_buff *skb;
	u32 u32_arg;
	u8 u8_arg;

#include "iw_portmap_rows.h"
	/* As in Linux 6.1. */
	RETURNS(int, iwpm_create_mapinfo(addr, addr, u8_arg, u32_arg));
}

#include "rows_cases.h"
static const struct ktap_case iw_portmap_cases[] = {
#include "iw_portmap_rows.h"
};

KTAP_SUITE(kt_iw_portmap_rows, "iw_portmap", iw_portmap_cases);
