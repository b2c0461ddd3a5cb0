/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Helpers of the tests of the port mapper.
 */
#ifndef _KRDMA_TESTING_KT_PORTMAP_H_
#define _KRDMA_TESTING_KT_PORTMAP_H_

#include <linux/socket.h>
#include <rdma/iw_portmap.h>

#include "../support/ktap.h"

extern const struct ktap_suite kt_portmap_daemon_suite;

extern struct iwpm_dev_data kt_portmap_dev;

struct sockaddr_storage kt_address(const char *text, u16 port);
bool kt_has_port(const struct sockaddr_storage *addr, u16 port);

#endif /* _KRDMA_TESTING_KT_PORTMAP_H_ */
