/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_UMAD_SEND_H_
#define _KRDMA_UMAD_SEND_H_

#include <linux/fs.h>
#include <rdma/ib_mad.h>

/* Implements write(): sends a MAD, or a message of RMPP. */
ssize_t umad_write(struct file *filp, const char __user *from, size_t len, loff_t *pos);

/* Handler of completions, see &ib_mad_send_handler. */
void umad_send_done(struct ib_mad_agent *base, struct ib_mad_send_wc *result);

#endif /* _KRDMA_UMAD_SEND_H_ */
