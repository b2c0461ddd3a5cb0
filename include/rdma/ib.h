/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Socket addresses of family AF_IB, and the check of a process that gives commands by write().
 */
#ifndef _RDMA_IB_H_
#define _RDMA_IB_H_

#ifdef _RDMA_IB_H
#error "the kernel's <rdma/ib.h> was included before krdma's"
#endif
#define _RDMA_IB_H

#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/types.h>
#include <linux/uidgid.h>

/**
 * struct ib_addr - a GID in a socket address
 * @ib_u: the bytes of the GID
 */
struct ib_addr {
	union {
		__u8	uib_addr8[16];
		__be16	uib_addr16[8];
		__be32	uib_addr32[4];
		__be64	uib_addr64[2];
	} ib_u;
#define sib_addr8		ib_u.uib_addr8
#define sib_addr16		ib_u.uib_addr16
#define sib_addr32		ib_u.uib_addr32
#define sib_addr64		ib_u.uib_addr64
#define sib_raw			ib_u.uib_addr8
#define sib_subnet_prefix	ib_u.uib_addr64[0]
#define sib_interface_id	ib_u.uib_addr64[1]
};

/**
 * struct sockaddr_ib - a socket address of family AF_IB
 * @sib_family: AF_IB
 * @sib_pkey: partition
 * @sib_flowinfo: flow label
 * @sib_addr: GID
 * @sib_sid: service ID; its lower 16 bits are a port
 * @sib_sid_mask: mask of the bits of @sib_sid that are compared
 * @sib_scope_id: interface
 */
struct sockaddr_ib {
	unsigned short int	sib_family;
	__be16			sib_pkey;
	__be32			sib_flowinfo;
	struct ib_addr		sib_addr;
	__be64			sib_sid;
	__be64			sib_sid_mask;
	__u64			sib_scope_id;
};

/**
 * ib_safe_file_access - may the caller of write() give commands?
 * @filp: the file
 *
 * Process context. A program may open the file, and pass it as standard error to a program with
 * more rights. If that program writes an error message, the message must not count as a command
 * that has the program's rights. A forked process passes the check, because it has no more rights
 * than its parent.
 *
 * Return: true if the caller has the identity of the process that opened the file, and no
 * capability that this process did not have.
 */
static inline bool ib_safe_file_access(struct file *filp)
{
	const struct cred *then = filp->f_cred;
	const struct cred *now = current_cred();

	if (then == now)
		return true;
	return then->user_ns == now->user_ns && uid_eq(then->uid, now->uid) &&
	       uid_eq(then->euid, now->euid) && gid_eq(then->gid, now->gid) &&
	       gid_eq(then->egid, now->egid) &&
	       cap_issubset(now->cap_effective, then->cap_effective);
}

#endif /* _RDMA_IB_H_ */
