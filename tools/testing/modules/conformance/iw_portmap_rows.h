/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The documented names of the port mapper, <rdma/iw_portmap.h>.
 *
 * Included several times by iw_portmap.c, which defines the macros.
 */

FUNCTION(iwpm_init, int, (u8_arg))
FUNCTION(iwpm_exit, int, (u8_arg))
FUNCTION(iwpm_valid_pid, int, ())
FUNCTION(iwpm_register_pid, int, (dev_data, u8_arg))
FUNCTION(iwpm_add_mapping, int, (sa, u8_arg))
FUNCTION(iwpm_add_and_query_mapping, int, (sa, u8_arg))
FUNCTION(iwpm_remove_mapping, int, (addr, u8_arg))
FUNCTION(iwpm_register_pid_cb, int, (skb, cb))
FUNCTION(iwpm_add_mapping_cb, int, (skb, cb))
FUNCTION(iwpm_add_and_query_mapping_cb, int, (skb, cb))
FUNCTION(iwpm_remote_info_cb, int, (skb, cb))
FUNCTION(iwpm_mapping_error_cb, int, (skb, cb))
FUNCTION(iwpm_mapping_info_cb, int, (skb, cb))
FUNCTION(iwpm_ack_mapping_info_cb, int, (skb, cb))
FUNCTION(iwpm_get_remote_info, int, (addr, addr, addr, u8_arg))
FUNCTION(iwpm_create_mapinfo, int, (addr, addr, u8_arg))
FUNCTION(iwpm_remove_mapinfo, int, (addr, addr))
STRUCT(iwpm_dev_data)
STRUCT(iwpm_sa_data)
STRUCT(sockaddr_storage)
STRUCT(netlink_callback)
STRUCT(sk_buff)
