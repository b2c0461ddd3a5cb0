/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The commands of write() for datagrams: address handles and multicast groups. Each function is a
 * uverbs_command.run.
 */
#ifndef _KRDMA_UVERBS_WRITE_UD_H_
#define _KRDMA_UVERBS_WRITE_UD_H_

struct uverbs_attr_bundle;

int uverbs_write_create_ah(struct uverbs_attr_bundle *call);
int uverbs_write_destroy_ah(struct uverbs_attr_bundle *call);
int uverbs_write_attach_mcast(struct uverbs_attr_bundle *call);
int uverbs_write_detach_mcast(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_WRITE_UD_H_ */
