/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Work queues, which are receive queues without a QP, and indirection tables of them, over which a
 * QP spreads the packets that it receives.
 */
#ifndef _RDMA_VERBS_WQ_H_
#define _RDMA_VERBS_WQ_H_

#include <linux/atomic.h>
#include <linux/types.h>
#include <rdma/ib_user_ioctl_verbs.h>

struct ib_cq;
struct ib_device;
struct ib_event;
struct ib_pd;
struct ib_udata;
struct ib_uobject;
struct ib_uwq_object;

/**
 * enum ib_wq_type - kinds of WQ
 * @IB_WQT_RQ: a receive queue
 */
enum ib_wq_type {
	IB_WQT_RQ = IB_UVERBS_WQT_RQ,
};

/**
 * enum ib_wq_state - states of a WQ
 * @IB_WQS_RESET: new; nothing is received
 * @IB_WQS_RDY: packets are received
 * @IB_WQS_ERR: all requests are flushed
 */
enum ib_wq_state {
	IB_WQS_RESET,
	IB_WQS_RDY,
	IB_WQS_ERR
};

/**
 * enum ib_wq_flags - properties of a WQ
 * @IB_WQ_FLAGS_CVLAN_STRIPPING: the VLAN tag is removed from packets
 * @IB_WQ_FLAGS_SCATTER_FCS: the frame check sequence is received with the packet
 * @IB_WQ_FLAGS_DELAY_DROP: packets without a request are delayed before they are dropped
 * @IB_WQ_FLAGS_PCI_WRITE_END_PADDING: writes over PCI are padded to a cache line
 */
enum ib_wq_flags {
	IB_WQ_FLAGS_CVLAN_STRIPPING = IB_UVERBS_WQ_FLAGS_CVLAN_STRIPPING,
	IB_WQ_FLAGS_SCATTER_FCS = IB_UVERBS_WQ_FLAGS_SCATTER_FCS,
	IB_WQ_FLAGS_DELAY_DROP = IB_UVERBS_WQ_FLAGS_DELAY_DROP,
	IB_WQ_FLAGS_PCI_WRITE_END_PADDING = IB_UVERBS_WQ_FLAGS_PCI_WRITE_END_PADDING,
};

/**
 * enum ib_wq_attr_mask - which attributes ib_modify_wq_user() sets
 * @IB_WQ_STATE: &ib_wq_attr.wq_state
 * @IB_WQ_CUR_STATE: &ib_wq_attr.curr_wq_state
 * @IB_WQ_FLAGS: &ib_wq_attr.flags, as far as in &ib_wq_attr.flags_mask
 */
enum ib_wq_attr_mask {
	IB_WQ_STATE	= 1 << 0,
	IB_WQ_CUR_STATE	= 1 << 1,
	IB_WQ_FLAGS	= 1 << 2,
};

/**
 * struct ib_wq - a work queue
 * @device: device of the WQ
 * @uobject: handle of a user process; NULL for a kernel WQ
 * @wq_context: passed to @event_handler
 * @event_handler: called by the provider on an asynchronous event of the WQ; may be NULL
 * @pd: protection domain of the L_Keys in its requests
 * @cq: CQ that requests complete into
 * @wq_num: number, unique on its device; set by the provider
 * @state: state; the provider writes it when it has changed the state
 * @wq_type: kind
 * @usecnt: number of indirection tables that the WQ is in
 */
struct ib_wq {
	struct ib_device	*device;
	struct ib_uwq_object	*uobject;
	void			*wq_context;
	void			(*event_handler)(struct ib_event *event, void *context);
	struct ib_pd		*pd;
	struct ib_cq		*cq;
	u32			wq_num;
	enum ib_wq_state	state;
	enum ib_wq_type		wq_type;
	atomic_t		usecnt;
};

/**
 * struct ib_wq_init_attr - attributes of a WQ to be created
 * @wq_context: passed to @event_handler
 * @wq_type: kind
 * @max_wr: in: least number of requests; out: actual number
 * @max_sge: in: least number of elements in a request's sg_list; out: actual number
 * @cq: CQ that requests complete into
 * @event_handler: called on asynchronous events of the WQ; may be NULL
 * @create_flags: &enum ib_wq_flags
 */
struct ib_wq_init_attr {
	void			*wq_context;
	enum ib_wq_type		wq_type;
	u32			max_wr;
	u32			max_sge;
	struct ib_cq		*cq;
	void			(*event_handler)(struct ib_event *event, void *context);
	u32			create_flags;
};

/**
 * struct ib_wq_attr - attributes of a WQ to be set
 * @wq_state: state to go to
 * @curr_wq_state: state that the caller assumes the WQ to be in
 * @flags: new values of the flags in @flags_mask
 * @flags_mask: &enum ib_wq_flags that are to be changed
 */
struct ib_wq_attr {
	enum ib_wq_state	wq_state;
	enum ib_wq_state	curr_wq_state;
	u32			flags;
	u32			flags_mask;
};

/**
 * struct ib_rwq_ind_table - an indirection table
 * @device: device of the table
 * @uobject: handle of a user process; NULL for the kernel
 * @usecnt: number of QPs that use the table
 * @ind_tbl_num: number, unique on its device; set by the provider
 * @log_ind_tbl_size: binary logarithm of the number of WQs
 * @ind_tbl: the WQs; core: freed with the table
 */
struct ib_rwq_ind_table {
	struct ib_device	*device;
	struct ib_uobject	*uobject;
	atomic_t		usecnt;
	u32			ind_tbl_num;
	u32			log_ind_tbl_size;
	struct ib_wq		**ind_tbl;
};

/**
 * struct ib_rwq_ind_table_init_attr - attributes of an indirection table to be created
 * @log_ind_tbl_size: binary logarithm of the number of WQs
 * @ind_tbl: the WQs
 */
struct ib_rwq_ind_table_init_attr {
	u32			log_ind_tbl_size;
	struct ib_wq		**ind_tbl;
};

/**
 * ib_create_wq_user - make a WQ for a process
 * @pd: protection domain
 * @init_attr: its attributes; on return, the sizes are those of the WQ
 * @uobject: handle of the process; NULL for a kernel WQ
 * @udata: the process's data for the provider; NULL for a kernel WQ
 *
 * Process context, may sleep. The WQ is in %IB_WQS_RESET. The event handler is called in any
 * context and must not sleep; it is not called after ib_destroy_wq_user() has returned.
 *
 * Return: the WQ, to be destroyed with ib_destroy_wq_user(); or an ERR_PTR: -EOPNOTSUPP if the
 * device has no WQs; -EINVAL if the kind is not %IB_WQT_RQ, or the CQ is missing or of another
 * device; -ENODEV if the device is being unregistered; or the provider's error.
 */
struct ib_wq *ib_create_wq_user(struct ib_pd *pd, struct ib_wq_init_attr *init_attr,
				struct ib_uwq_object *uobject, struct ib_udata *udata);
/**
 * ib_create_wq - make a WQ for the kernel
 * @pd: protection domain
 * @init_attr: its attributes; on return, the sizes are those of the WQ
 *
 * See ib_create_wq_user().
 *
 * Return: as ib_create_wq_user().
 */
struct ib_wq *ib_create_wq(struct ib_pd *pd, struct ib_wq_init_attr *init_attr);
/**
 * ib_modify_wq_user - set attributes of a WQ, or move it to another state
 * @wq: the WQ
 * @attr: new values of the attributes in @mask
 * @mask: &enum ib_wq_attr_mask
 * @udata: the process's data for the provider; NULL for a kernel WQ
 *
 * Process context, may sleep.
 *
 * Return: 0; -EINVAL if @mask is 0 or has unknown bits, or a state does not exist; -EOPNOTSUPP if
 * the provider cannot change WQs; or the provider's error.
 */
int ib_modify_wq_user(struct ib_wq *wq, struct ib_wq_attr *attr, u32 mask, struct ib_udata *udata);
/**
 * ib_destroy_wq_user - destroy a WQ
 * @wq: the WQ
 * @udata: the process's data for the provider; NULL for a kernel WQ
 *
 * Process context, may sleep.
 *
 * Return: 0 if @wq was destroyed; -EBUSY if it is in an indirection table; or the provider's error.
 * After an error @wq is as before.
 */
int ib_destroy_wq_user(struct ib_wq *wq, struct ib_udata *udata);

/**
 * ib_create_rwq_ind_table_user - make an indirection table for a process
 * @device: device to make it on
 * @init_attr: its attributes; the array of WQs is from kvmalloc(), and belongs to the table
 *	if the function succeeds
 * @uobject: handle of the process; NULL for the kernel
 * @udata: the process's data for the provider; NULL for the kernel
 *
 * Process context, may sleep.
 *
 * Return: the table, to be destroyed with ib_destroy_rwq_ind_table(); or an ERR_PTR: -EOPNOTSUPP if
 * the device has no tables; -EINVAL if a WQ is of another device; -ENODEV if the device is being
 * unregistered; -ENOMEM; or the provider's error.
 */
struct ib_rwq_ind_table *
ib_create_rwq_ind_table_user(struct ib_device *device, struct ib_rwq_ind_table_init_attr *init_attr,
			     struct ib_uobject *uobject, struct ib_udata *udata);
/**
 * ib_destroy_rwq_ind_table - destroy an indirection table
 * @table: the table
 *
 * Process context, may sleep. The WQs stay.
 *
 * Return: 0; -EBUSY if QPs use the table; or the provider's error. After an error @table is as
 * before.
 */
int ib_destroy_rwq_ind_table(struct ib_rwq_ind_table *table);

#endif /* _RDMA_VERBS_WQ_H_ */
