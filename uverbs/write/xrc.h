/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The commands of write() for XRC. Each function is a uverbs_command.run.
 */
#ifndef _KRDMA_UVERBS_WRITE_XRC_H_
#define _KRDMA_UVERBS_WRITE_XRC_H_

struct uverbs_attr_bundle;

int uverbs_write_open_xrcd(struct uverbs_attr_bundle *call);
int uverbs_write_close_xrcd(struct uverbs_attr_bundle *call);
int uverbs_write_create_xsrq(struct uverbs_attr_bundle *call);
int uverbs_write_open_qp(struct uverbs_attr_bundle *call);

#endif /* _KRDMA_UVERBS_WRITE_XRC_H_ */
