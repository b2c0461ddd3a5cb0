/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Memory windows: keys that give peers access to a part of a memory region, for as long as the
 * window is bound to the region.
 */
#ifndef _RDMA_VERBS_MW_H_
#define _RDMA_VERBS_MW_H_

#include <rdma/verbs/mr.h>
#include <rdma/verbs/types.h>
#include <rdma/verbs/wr.h>

/**
 * enum ib_mw_type - kinds of memory window
 * @IB_MW_TYPE_1: any QP of the protection domain may be used to reach the window. The window may be
 *	bound while it is bound already; a bind of length 0 unbinds it
 * @IB_MW_TYPE_2: bound and invalidated by requests of a QP. A bound window must be invalidated
 *	before it is bound again
 */
enum ib_mw_type {
	IB_MW_TYPE_1 = 1,
	IB_MW_TYPE_2 = 2,
};

/**
 * struct ib_mw - a memory window
 * @device: device of the window
 * @pd: protection domain it belongs to
 * @uobject: handle of the process; NULL for a window of the kernel
 * @rkey: key with which the window was made. A bind may change its low eight bits; the consumer
 *	keeps the key that it has bound the window with
 * @type: kind
 */
struct ib_mw {
	struct ib_device       *device;
	struct ib_pd	       *pd;
	struct ib_uobject      *uobject;
	u32			rkey;
	enum ib_mw_type		type;
};

/**
 * struct ib_mw_bind_info - what a window is bound to
 * @mr: region, which gives the right %IB_ACCESS_MW_BIND
 * @addr: address in the region at which the window begins, and by which peers name its first byte
 * @length: length of the window in bytes
 * @mw_access_flags: rights of peers: %IB_ACCESS_REMOTE_READ, %IB_ACCESS_REMOTE_WRITE and
 *	%IB_ACCESS_REMOTE_ATOMIC
 */
struct ib_mw_bind_info {
	struct ib_mr	       *mr;
	u64			addr;
	u64			length;
	unsigned int		mw_access_flags;
};

/**
 * struct ib_bind_mw_wr - a request that binds a window
 * @wr: common part, opcode %IB_WR_BIND_MW
 * @mw: the window
 * @rkey: new key of the window, which differs from the present one only in the low eight bits
 * @bind_info: what the window is bound to
 */
struct ib_bind_mw_wr {
	struct ib_send_wr	wr;
	struct ib_mw	       *mw;
	u32			rkey;
	struct ib_mw_bind_info	bind_info;
};

/**
 * bind_mw_wr - get the struct ib_bind_mw_wr around a request
 * @wr: a bind
 *
 * Return: the structure.
 */
static inline const struct ib_bind_mw_wr *bind_mw_wr(const struct ib_send_wr *wr)
{
	return container_of(wr, struct ib_bind_mw_wr, wr);
}

/**
 * ib_alloc_mw_user - make a memory window, which is not bound
 * @pd: protection domain
 * @type: kind
 * @uobject: handle of the process; NULL for a window of the kernel
 * @udata: the process's data for the provider; NULL for a window of the kernel
 *
 * Process context, may sleep.
 *
 * Return: the window, to be destroyed with ib_dealloc_mw(); or an ERR_PTR: -EINVAL if there is no
 * such kind; -EOPNOTSUPP if the device has no windows; -ENODEV if the device is being unregistered;
 * -ENOMEM; or the provider's error.
 */
struct ib_mw *ib_alloc_mw_user(struct ib_pd *pd, enum ib_mw_type type, struct ib_uobject *uobject,
			       struct ib_udata *udata);

/**
 * ib_alloc_mw - make a memory window of the kernel
 * @pd: protection domain
 * @type: kind
 *
 * See ib_alloc_mw_user().
 */
static inline struct ib_mw *ib_alloc_mw(struct ib_pd *pd, enum ib_mw_type type)
{
	return ib_alloc_mw_user(pd, type, NULL, NULL);
}

/**
 * ib_dealloc_mw - destroy a memory window
 * @mw: the window, bound or not
 *
 * Process context, may sleep. After success no peer reaches memory by the window.
 *
 * Return: 0; or the provider's error, after which the window is as before.
 */
int ib_dealloc_mw(struct ib_mw *mw);

#endif /* _RDMA_VERBS_MW_H_ */
