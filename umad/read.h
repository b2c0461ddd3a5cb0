/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_UMAD_READ_H_
#define _KRDMA_UMAD_READ_H_

#include <linux/fs.h>

/* Implements read(): returns the next MAD, or message of RMPP. */
ssize_t umad_read(struct file *filp, char __user *to, size_t len, loff_t *pos);

#endif /* _KRDMA_UMAD_READ_H_ */
