// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The names of the iWARP connection manager.
 */
#include <rdma/iw_cm.h>

#include "conformance.h"

#include "rows_types.h"
static void __maybe_unused check_iw_cm_types(void)
{
	struct iw_cm_conn_param *conn_param;
	struct iw_cm_event *event;
	struct ib_qp_attr *qp_attr;
	struct iw_cm_id *cm_id;
	struct ib_device *dev;
	iw_cm_handler handler;
	struct ib_qp *qp;
	int *int_ptr;
	u8 u8_arg;
	void *ptr;
	int n;

#include "iw_cm_rows.h"
}

#include "rows_cases.h"
static const struct ktap_case iw_cm_cases[] = {
#include "iw_cm_rows.h"
};

KTAP_SUITE(kt_iw_cm_rows, "iw_cm", iw_cm_cases);
