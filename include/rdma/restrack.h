/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Resource tracking: a device's table lists each object from its creation to its destruction.
 */
#ifndef _KRDMA_RESTRACK_H_
#define _KRDMA_RESTRACK_H_

#ifdef _RDMA_RESTRACK_H_
#error "the kernel's <rdma/restrack.h> was included before krdma's"
#endif
#define _RDMA_RESTRACK_H_

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/types.h>

struct ib_device;
struct sk_buff;
struct task_struct;

/**
 * enum rdma_restrack_type - kinds of tracked objects
 * @RDMA_RESTRACK_PD: protection domain
 * @RDMA_RESTRACK_CQ: completion queue
 * @RDMA_RESTRACK_QP: queue pair; its number in the table is its QP number
 * @RDMA_RESTRACK_CM_ID: identifier of the connection manager
 * @RDMA_RESTRACK_MR: memory region
 * @RDMA_RESTRACK_CTX: context of a user process
 * @RDMA_RESTRACK_COUNTER: counter that QPs are bound to
 * @RDMA_RESTRACK_SRQ: shared receive queue
 * @RDMA_RESTRACK_MAX: number of kinds
 */
enum rdma_restrack_type {
	RDMA_RESTRACK_PD,
	RDMA_RESTRACK_CQ,
	RDMA_RESTRACK_QP,
	RDMA_RESTRACK_CM_ID,
	RDMA_RESTRACK_MR,
	RDMA_RESTRACK_CTX,
	RDMA_RESTRACK_COUNTER,
	RDMA_RESTRACK_SRQ,
	RDMA_RESTRACK_MAX
};

/**
 * struct rdma_restrack_entry - table entry of an object; a member of the object's structure
 * @valid: the object is in its device's table
 * @no_track: the object must not be entered into the table
 * @user: the object belongs to a process
 * @kref: references, which the table and look-ups hold
 * @comp: completed when the last reference is dropped
 * @task: user object: process that owns the object, with a reference
 * @kern_name: kernel object: name of the module that created it; must outlive the object
 * @type: kind of object
 * @id: number in the table, unique for its kind on its device
 */
struct rdma_restrack_entry {
	bool			valid;
	u8			no_track : 1;
	bool			user;
	struct kref		kref;
	struct completion	comp;
	struct task_struct	*task;
	const char		*kern_name;
	enum rdma_restrack_type	type;
	u32			id;
};

/**
 * rdma_is_kernel_res - does the object belong to the kernel?
 * @res: entry after rdma_restrack_set_name() or rdma_restrack_parent_name()
 *
 * Any context.
 */
static inline bool rdma_is_kernel_res(const struct rdma_restrack_entry *res)
{
	return !res->user;
}

/**
 * rdma_restrack_no_track - exclude an object from the table
 * @res: an entry that has not been added
 */
static inline void rdma_restrack_no_track(struct rdma_restrack_entry *res)
{
	res->no_track = true;
}

/**
 * rdma_restrack_is_tracked - may the object be in the table?
 * @res: the entry
 */
static inline bool rdma_restrack_is_tracked(const struct rdma_restrack_entry *res)
{
	return !res->no_track;
}

/**
 * rdma_restrack_new - prepare the entry of an object that is being created
 * @res: zeroed entry
 * @type: kind of object
 *
 * Any context. Nothing needs to be undone if the creation fails before rdma_restrack_set_name().
 */
void rdma_restrack_new(struct rdma_restrack_entry *res, enum rdma_restrack_type type);

/**
 * rdma_restrack_set_name - set the owner of an object
 * @res: entry that has not been added
 * @kern_name: name of the module that creates the object; NULL: the current process owns the object
 *
 * Process context. Takes a reference to the process, which rdma_restrack_del() drops, even if the
 * entry was never added.
 */
void rdma_restrack_set_name(struct rdma_restrack_entry *res, const char *kern_name);

/**
 * rdma_restrack_parent_name - give an object the owner of another object
 * @dst: entry that has not been added
 * @parent: entry of the object whose owner is taken over; the caller ensures that the entry and its
 *	owner are not freed during the call
 *
 * Any context. Takes a reference to an owning process, as rdma_restrack_set_name() does.
 */
void rdma_restrack_parent_name(struct rdma_restrack_entry *dst,
			       const struct rdma_restrack_entry *parent);

/**
 * rdma_restrack_add - enter the object into the table
 * @dev: its device
 * @res: entry after rdma_restrack_set_name() or rdma_restrack_parent_name()
 *
 * Process context. The object must be complete, because look-ups find it from now on. A QP's number
 * in the table is its QP number. A counter's number is rdma_counter.id if that is not 0. In all
 * other cases the function chooses the number. Has no effect after rdma_restrack_no_track().
 *
 * Return: 0; -ENOMEM; -EBUSY if the table has a QP or counter of that number, or no number is left.
 */
int __must_check rdma_restrack_add(struct ib_device *dev, struct rdma_restrack_entry *res);

/**
 * rdma_restrack_del - remove the object from the table
 * @dev: its device; ignored if the entry was never added
 * @res: its entry
 *
 * Process context, sleeps until look-ups have dropped their references. Called before the object is
 * dismantled. Drops the reference to an owning process, even if the entry was never added.
 */
void rdma_restrack_del(struct ib_device *dev, struct rdma_restrack_entry *res);

/**
 * rdma_restrack_get - prevent an object from being destroyed
 * @res: its entry; the caller ensures that the entry's memory is not freed during the call
 *
 * Any context.
 *
 * Return: 0; -ENOENT if the object is being destroyed.
 */
int __must_check rdma_restrack_get(struct rdma_restrack_entry *res);

/**
 * rdma_restrack_put - drop a reference
 * @res: entry from rdma_restrack_get(), rdma_restrack_get_byid() or rdma_restrack_get_next()
 *
 * Any context. The object may be freed on return.
 *
 * Return: 1 if this was the last reference, otherwise 0.
 */
int rdma_restrack_put(struct rdma_restrack_entry *res);

/**
 * rdma_restrack_get_byid - look up an object
 * @dev: device; the caller ensures that it is not freed during the call
 * @type: kind of object
 * @id: number of the object
 *
 * Process context.
 *
 * Return: the entry with a reference, to be dropped with rdma_restrack_put(); ERR_PTR(-ENOENT) if
 * there is no such object.
 */
struct rdma_restrack_entry *rdma_restrack_get_byid(struct ib_device *dev,
						   enum rdma_restrack_type type, u32 id);

/**
 * rdma_restrack_get_next - walk through the objects of a kind
 * @dev: device; the caller ensures that it is not freed during the call
 * @type: kind of object
 * @id: in: lowest number to look for; out: number of the object returned
 *
 * Process context. For the next call the caller increments @id. A walk returns every object that
 * exists from its first to its last call.
 *
 * Return: the entry with a reference, to be dropped with rdma_restrack_put(); NULL if there is no
 * object with that number or a higher one.
 */
struct rdma_restrack_entry *rdma_restrack_get_next(struct ib_device *dev,
						   enum rdma_restrack_type type, u32 *id);

/**
 * rdma_restrack_count - get the number of objects of a kind
 * @dev: device; the caller ensures that it is not freed during the call
 * @type: kind of object
 *
 * Any context.
 */
int rdma_restrack_count(struct ib_device *dev, enum rdma_restrack_type type);

/**
 * rdma_nl_put_driver_u32 - add a number of the provider to a netlink message about an object
 * @msg: the message, as given to a method fill_res_*_entry()
 * @name: name of the number, which `rdma -dd` shows with "drv_" in front
 * @value: the number
 *
 * Any context. The caller has begun a nested attribute RDMA_NLDEV_ATTR_DRIVER.
 *
 * Return: 0; -EMSGSIZE if the message is full.
 */
int rdma_nl_put_driver_u32(struct sk_buff *msg, const char *name, u32 value);

/**
 * rdma_nl_put_driver_u32_hex - as rdma_nl_put_driver_u32(), to be shown in hexadecimal
 * @msg: the message
 * @name: name of the number
 * @value: the number
 *
 * Return: as rdma_nl_put_driver_u32().
 */
int rdma_nl_put_driver_u32_hex(struct sk_buff *msg, const char *name, u32 value);

/**
 * rdma_nl_put_driver_u64 - as rdma_nl_put_driver_u32(), for a number of 64 bits
 * @msg: the message
 * @name: name of the number
 * @value: the number
 *
 * Return: as rdma_nl_put_driver_u32().
 */
int rdma_nl_put_driver_u64(struct sk_buff *msg, const char *name, u64 value);

/**
 * rdma_nl_put_driver_u64_hex - as rdma_nl_put_driver_u64(), to be shown in hexadecimal
 * @msg: the message
 * @name: name of the number
 * @value: the number
 *
 * Return: as rdma_nl_put_driver_u32().
 */
int rdma_nl_put_driver_u64_hex(struct sk_buff *msg, const char *name, u64 value);

/**
 * rdma_nl_put_driver_string - as rdma_nl_put_driver_u32(), for a text
 * @msg: the message
 * @name: name of the text
 * @str: the text
 *
 * Return: as rdma_nl_put_driver_u32().
 */
int rdma_nl_put_driver_string(struct sk_buff *msg, const char *name, const char *str);

#endif /* _KRDMA_RESTRACK_H_ */
