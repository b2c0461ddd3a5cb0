/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
#ifndef _KRDMA_UMAD_IOCTL_H_
#define _KRDMA_UMAD_IOCTL_H_

#include <linux/fs.h>

/* Implement ioctl(), of processes of the kernel's word size, and of 32 bits on 64. */
long umad_ioctl(struct file *filp, unsigned int command, unsigned long arg);
long umad_compat_ioctl(struct file *filp, unsigned int command, unsigned long arg);

#endif /* _KRDMA_UMAD_IOCTL_H_ */
