/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * kt_method.ko: numbers of the driver's objects, methods and attributes, which methods.py has, too;
 * and definitions that are wrong.
 */
#ifndef _KRDMA_TESTING_KT_METHOD_H_
#define _KRDMA_TESTING_KT_METHOD_H_

#include <linux/types.h>
#include <uapi/rdma/ib_user_ioctl_cmds.h>

struct uapi_definition;

#define KTM_NS	(1U << UVERBS_ID_NS_SHIFT)

enum {
	KTM_OBJECT_BOX = KTM_NS,
	KTM_OBJECT_EVENTS,
	KTM_OBJECT_ECHO,
	KTM_OBJECT_HIDDEN,
	KTM_OBJECT_LACKING,
	KTM_OBJECT_TWIN,
	KTM_OBJECT_UNDEFINED = KTM_NS + 100,
};

/* Methods of KTM_OBJECT_BOX. */
enum {
	KTM_BOX_CREATE = KTM_NS,
	KTM_BOX_DESTROY,
	KTM_BOX_MODIFY,
	KTM_BOX_QUERY,
	KTM_BOX_SUM,
	KTM_BOX_TAKE,
	KTM_BOX_KIND,
	KTM_BOX_HOLD,
	KTM_BOX_PIN,
	KTM_BOX_HIDDEN,
	KTM_BOX_GROW,
	KTM_BOX_END,
	KTM_BOX_PIN_MORE,
	KTM_BOX_PIN_EACH,
	KTM_BOX_PIN_KINDS,
};

/* Attributes of KTM_BOX_GROW, _END, _PIN_EACH and _PIN_KINDS, behind those of UVERBS_ATTR_UHW(). */
enum {
	KTM_GROW_HANDLE = KTM_NS + 2,
	KTM_GROW_ERRNO,
	KTM_END_BOXES,
	KTM_EACH_ADDR,
	KTM_EACH_PAGES,
};

/* Attributes of KTM_BOX_CREATE. */
enum {
	KTM_CREATE_HANDLE = KTM_NS + 2, /* behind the two of UVERBS_ATTR_UHW() */
	KTM_CREATE_VALUE,
	KTM_CREATE_FAIL,
	KTM_CREATE_OUT,
};

/* Values of KTM_CREATE_FAIL. */
enum ktm_fail {
	KTM_FAIL_NEVER,
	KTM_FAIL_EARLY,
	KTM_FAIL_LATE,
	KTM_FAIL_ANSWERED,
};

/* Attributes of the other methods that only have a handle, and of KTM_BOX_MODIFY. */
enum {
	KTM_HANDLE = KTM_NS,
	KTM_MODIFY_ADD,
	KTM_MODIFY_FLAGS,
	KTM_MODIFY_BYTES,
	KTM_MODIFY_STRUCT,
	KTM_MODIFY_ENUM,
	KTM_MODIFY_FD,
	KTM_MODIFY_OUT,
	KTM_MODIFY_HIDDEN,
};

enum ktm_flags {
	KTM_NEGATE = 1 << 0,
	KTM_DOUBLE = 1 << 1,
};

enum ktm_signed {
	KTM_MINUS = -1,
	KTM_PLUS = 1,
};

/* Elements of KTM_MODIFY_ENUM. */
enum {
	KTM_ENUM_NONE,
	KTM_ENUM_U16,
	KTM_ENUM_STRUCT,
};

/* Structure of which old processes know only @first. */
struct ktm_struct {
	u32 first;
	u32 second;
};

/* Attributes of KTM_BOX_QUERY. */
enum {
	KTM_QUERY_VALUE = KTM_NS + 1,
	KTM_QUERY_BYTES,
	KTM_QUERY_STRUCT,
};

/* Attributes of KTM_BOX_SUM and KTM_BOX_TAKE. */
enum {
	KTM_SUM_HANDLES = KTM_NS,
	KTM_SUM_OUT,
	KTM_SUM_MORE,
	KTM_SUM_MANY,
	KTM_SUM_NEVER,
};

#define KTM_MAX_SUM	1000
/* More handles than fit in an attribute. */
#define KTM_TOO_MANY	20000

/* Attributes of KTM_BOX_KIND. */
enum {
	KTM_KIND_OUT = KTM_NS + 1,
	KTM_KIND_WRITTEN,
};

/* Attributes of KTM_BOX_PIN, and of KTM_BOX_PIN_MORE, whose handle is KTM_HANDLE. */
enum {
	KTM_PIN_HANDLE = KTM_NS,
	KTM_PIN_ADDR,
	KTM_PIN_LEN,
	KTM_PIN_OUT,
};

/* Methods of KTM_OBJECT_EVENTS, and their attributes. */
enum {
	KTM_EVENTS_ALLOC = KTM_NS,
	KTM_EVENTS_POST,
};

/* The method of KTM_OBJECT_TWIN, whose attribute is KTM_EVENTS_FD. */
enum {
	KTM_TWIN_POST = KTM_NS,
};

enum {
	KTM_EVENTS_FD = KTM_NS,
	KTM_EVENTS_FAIL,
	KTM_EVENTS_VALUE,
	KTM_EVENTS_OUT,
};

/*
 * The method of KTM_OBJECT_ECHO, of KTM_OBJECT_HIDDEN and so on, and its attributes; and another
 * one of KTM_OBJECT_ECHO, which has the attributes KTM_NS to KTM_NS + KTM_FULL_ATTRS - 1.
 */
enum {
	KTM_ECHO = KTM_NS,
	KTM_FULL,
};

/* As many attributes as a method may have. */
#define KTM_FULL_ATTRS	32

enum {
	KTM_ECHO_IN = KTM_NS,
	KTM_ECHO_OUT,
	KTM_ECHO_ERRNO,
};

/* The method that is added to UVERBS_OBJECT_PD, and its attributes. */
enum {
	KTM_PD_QUERY = KTM_NS,
};

enum {
	KTM_PD_HANDLE = KTM_NS,
	KTM_PD_OUT,
};

/* Attributes that are added to UVERBS_METHOD_DM_ALLOC. */
enum {
	KTM_DM_BOX = KTM_NS,
	KTM_DM_OUT,
};

/* Attributes that are added to UVERBS_METHOD_QUERY_CONTEXT. */
enum {
	KTM_CONTEXT_IN = KTM_NS,
	KTM_CONTEXT_OUT,
};

/* Definitions that are refused. */
extern const struct uapi_definition * const ktm_wrong[];
extern const unsigned int ktm_num_wrong;

#endif /* _KRDMA_TESTING_KT_METHOD_H_ */
