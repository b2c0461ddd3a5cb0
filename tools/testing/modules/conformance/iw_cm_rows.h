/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The documented names of the iWARP connection manager, <rdma/iw_cm.h>.
 *
 * Included several times by iw_cm.c, which defines the macros.
 */

CALLBACK(iw_cm_handler, int, (cm_id, event))
CALLBACK(iw_event_handler, int, (cm_id, event))
FUNCTION(iw_create_cm_id, struct iw_cm_id *, (dev, handler, ptr))
FUNCTION(iw_destroy_cm_id, void, (cm_id))
FUNCTION(iw_cm_unbind_qp, void, (cm_id, qp))
FUNCTION(iw_cm_get_qp, struct ib_qp *, (dev, n))
FUNCTION(iw_cm_listen, int, (cm_id, n))
FUNCTION(iw_cm_accept, int, (cm_id, conn_param))
FUNCTION(iw_cm_reject, int, (cm_id, ptr, u8_arg))
FUNCTION(iw_cm_connect, int, (cm_id, conn_param))
FUNCTION(iw_cm_disconnect, int, (cm_id, n))
FUNCTION(iw_cm_init_qp_attr, int, (cm_id, qp_attr, int_ptr))
STRUCT(iw_cm_id)
STRUCT(iw_cm_event)
STRUCT(iw_cm_conn_param)
VALUE(IW_CM_EVENT_CONNECT_REQUEST)
VALUE(IW_CM_EVENT_CLOSE)
STRUCT(ib_device)
STRUCT(ib_qp)
STRUCT(ib_qp_attr)
