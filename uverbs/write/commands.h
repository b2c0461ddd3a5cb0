/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The commands of write(): each decodes its request, calls the operation, and encodes the response.
 */
#ifndef _KRDMA_UVERBS_WRITE_COMMANDS_H_
#define _KRDMA_UVERBS_WRITE_COMMANDS_H_

struct uverbs_attr_bundle;
struct uverbs_commands;

/* The table of the plain commands, and that of the extended commands. */
extern const struct uverbs_commands uverbs_commands, uverbs_ex_commands;

/* Each of these functions is a uverbs_command.run. */

/* device.c */
int uverbs_write_get_context(struct uverbs_attr_bundle *call);
int uverbs_write_query_device(struct uverbs_attr_bundle *call);
int uverbs_write_query_device_ex(struct uverbs_attr_bundle *call);
int uverbs_write_query_port(struct uverbs_attr_bundle *call);

/* pd.c */
int uverbs_write_alloc_pd(struct uverbs_attr_bundle *call);
int uverbs_write_dealloc_pd(struct uverbs_attr_bundle *call);

/* mr.c */
int uverbs_write_reg_mr(struct uverbs_attr_bundle *call);
int uverbs_write_rereg_mr(struct uverbs_attr_bundle *call);
int uverbs_write_dereg_mr(struct uverbs_attr_bundle *call);

/* mw.c */
int uverbs_write_alloc_mw(struct uverbs_attr_bundle *call);
int uverbs_write_dealloc_mw(struct uverbs_attr_bundle *call);

/* cq.c */
int uverbs_write_create_comp_channel(struct uverbs_attr_bundle *call);
int uverbs_write_create_cq(struct uverbs_attr_bundle *call);
int uverbs_write_create_cq_ex(struct uverbs_attr_bundle *call);
int uverbs_write_resize_cq(struct uverbs_attr_bundle *call);
int uverbs_write_modify_cq_ex(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_cq(struct uverbs_attr_bundle *call);

/* qp.c */
int uverbs_write_create_qp(struct uverbs_attr_bundle *call);
int uverbs_write_create_qp_ex(struct uverbs_attr_bundle *call);
int uverbs_write_modify_qp(struct uverbs_attr_bundle *call);
int uverbs_write_modify_qp_ex(struct uverbs_attr_bundle *call);
int uverbs_write_query_qp(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_qp(struct uverbs_attr_bundle *call);
int uverbs_write_open_qp(struct uverbs_attr_bundle *call);

/* post.c */
int uverbs_write_post_send(struct uverbs_attr_bundle *call);
int uverbs_write_post_recv(struct uverbs_attr_bundle *call);
int uverbs_write_post_srq_recv(struct uverbs_attr_bundle *call);
int uverbs_write_poll_cq(struct uverbs_attr_bundle *call);
int uverbs_write_req_notify_cq(struct uverbs_attr_bundle *call);

/* srq.c */
int uverbs_write_create_srq(struct uverbs_attr_bundle *call);
int uverbs_write_modify_srq(struct uverbs_attr_bundle *call);
int uverbs_write_query_srq(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_srq(struct uverbs_attr_bundle *call);
int uverbs_write_create_xsrq(struct uverbs_attr_bundle *call);

/* wq.c */
int uverbs_write_create_wq_ex(struct uverbs_attr_bundle *call);
int uverbs_write_modify_wq_ex(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_wq_ex(struct uverbs_attr_bundle *call);
int uverbs_write_create_rwq_ind_table_ex(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_rwq_ind_table_ex(struct uverbs_attr_bundle *call);

/* ah.c */
int uverbs_write_create_ah(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_ah(struct uverbs_attr_bundle *call);

/* mcast.c */
int uverbs_write_attach_mcast(struct uverbs_attr_bundle *call);
int uverbs_write_detach_mcast(struct uverbs_attr_bundle *call);

/* xrcd.c */
int uverbs_write_open_xrcd(struct uverbs_attr_bundle *call);
int uverbs_write_close_xrcd(struct uverbs_attr_bundle *call);

/* flow.c */
int uverbs_write_create_flow_ex(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_flow_ex(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_WRITE_COMMANDS_H_ */
