// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_method.ko: a driver with objects and methods of its own for ioctl(). methods.py, which
 * selftests/rdma/uverbs/methods.sh runs, is the process.
 *
 * A box has a value, bytes and a structure, or pinned memory. An events file has a queue of numbers
 * that the process reads.
 */
#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <rdma/ib_umem.h>
#include <rdma/krdma.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_std_types.h>
#include <rdma/uverbs_types.h>

#include "../support/fakedev.h"
#include "kt_method.h"

#define UVERBS_MODULE_NAME kt_method
#include <rdma/uverbs_named_ioctl.h>

KRDMA_NEEDS_IB_CORE;

#define MAX_BYTES	4096
#define MAX_EVENTS	16

static struct fakedev *fake, *fake_wrong;
/* Numbers of boxes and of events files that exist, and of calls that wait in KTM_BOX_HOLD. */
static atomic_t boxes, files, held;
/* Number of objects that were destroyed, for each reason. */
static atomic_t destroyed[RDMA_REMOVE_ABORT + 1];
/* Completed when the calls of KTM_BOX_HOLD go on. */
static DECLARE_COMPLETION(release);

/* --- boxes --- */

struct ktm_box {
	s64 value;
	size_t len;
	u8 *bytes;
	struct ktm_struct structure;
	struct ib_umem *umem;
};

static void free_box(struct ktm_box *box)
{
	if (!IS_ERR_OR_NULL(box->umem))
		ib_umem_release(box->umem);
	kfree(box->bytes);
	kfree(box);
	atomic_dec(&boxes);
}

static struct ktm_box *alloc_box(void)
{
	struct ktm_box *box = kzalloc(sizeof(*box), GFP_KERNEL);

	if (box)
		atomic_inc(&boxes);
	return box;
}

static int destroy_box(struct ib_uobject *uobj, enum rdma_remove_reason why,
		       struct uverbs_attr_bundle *attrs)
{
	struct ktm_box *box = uobj->object;
	struct ib_uobject **uobjs;

	/* Objects that the process has named are there only while the method runs. */
	if (uverbs_attr_get_uobject(attrs, KTM_HANDLE) != ERR_PTR(-ENOENT) ||
	    uverbs_attr_get_uobject(attrs, KTM_CREATE_HANDLE) != ERR_PTR(-ENOENT) ||
	    uverbs_attr_get_uobjs_arr(attrs, KTM_END_BOXES, &uobjs) || uobjs)
		return -EIO;
	if (IS_ERR(uverbs_zalloc(attrs, MAX_BYTES)))
		return -ENOMEM;
	/* A box of this value cannot be destroyed by its process, nor when its creation fails. */
	if ((why == RDMA_REMOVE_DESTROY || why == RDMA_REMOVE_ABORT) && box->value == -EBUSY)
		return -EBUSY;
	atomic_inc(&destroyed[why]);
	free_box(box);
	return 0;
}

static int UVERBS_HANDLER(KTM_BOX_CREATE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, KTM_CREATE_HANDLE);
	enum ktm_fail fail;
	struct ktm_box *box;
	u32 value, input = 0;
	int ret;

	ret = uverbs_copy_from(&value, attrs, KTM_CREATE_VALUE) ?:
	      uverbs_get_const_default(&fail, attrs, KTM_CREATE_FAIL, KTM_FAIL_NEVER);
	if (ret)
		return ret;
	box = alloc_box();
	if (!box)
		return -ENOMEM;
	box->value = (s32)value;
	uobj->object = box;
	if (fail == KTM_FAIL_EARLY) {
		free_box(box);
		return -ENXIO;
	}
	uverbs_finalize_uobj_create(attrs, KTM_CREATE_HANDLE);
	if (fail == KTM_FAIL_LATE)
		return -ENXIO;
	ret = ib_copy_from_udata(&input, &attrs->driver_udata,
				 min(sizeof(input), attrs->driver_udata.inlen));
	if (ret)
		return ret;
	box->value += input;
	ret = uverbs_copy_to(attrs, KTM_CREATE_OUT, &box->value, sizeof(box->value));
	if (fail == KTM_FAIL_ANSWERED)
		return -ENXIO;
	return ret == -ENOENT ? 0 : ret;
}

/* Writes a number to the process's memory itself, as some drivers do, if it has room for it. */
static int answer_directly(struct uverbs_attr_bundle *attrs, s64 number)
{
	struct ib_udata *udata = &attrs->driver_udata;

	if (udata->outlen != sizeof(number))
		return 0;
	return copy_to_user(udata->outbuf, &number, sizeof(number)) ? -EFAULT : 0;
}

/* Answers with the number of boxes that are left. The box itself is destroyed before. */
static int UVERBS_HANDLER(KTM_BOX_END)(struct uverbs_attr_bundle *attrs)
{
	return answer_directly(attrs, atomic_read(&boxes));
}

/* Adds 1 to the value, and then fails, if the process has passed an errno, or answers with it. */
static int UVERBS_HANDLER(KTM_BOX_GROW)(struct uverbs_attr_bundle *attrs)
{
	struct ktm_box *box = uverbs_attr_get_obj(attrs, KTM_GROW_HANDLE);
	u32 code;

	box->value++;
	if (!uverbs_copy_from(&code, attrs, KTM_GROW_ERRNO))
		return -(int)code;
	return answer_directly(attrs, box->value);
}

static int modify_bytes(struct uverbs_attr_bundle *attrs, struct ktm_box *box)
{
	void *bytes = uverbs_attr_get_alloced_ptr(attrs, KTM_MODIFY_BYTES);
	int len = uverbs_attr_get_len(attrs, KTM_MODIFY_BYTES);

	if (IS_ERR(bytes))
		return PTR_ERR(bytes) == -ENOENT && len == -ENOENT ? 0 : -EIO;
	bytes = kmemdup(bytes, len, GFP_KERNEL);
	if (!bytes)
		return -ENOMEM;
	kfree(box->bytes);
	box->bytes = bytes;
	box->len = len;
	return 0;
}

static int modify_struct(struct uverbs_attr_bundle *attrs, struct ktm_box *box)
{
	int ret = uverbs_copy_from_or_zero(&box->structure, attrs, KTM_MODIFY_STRUCT);

	return ret == -ENOENT ? 0 : ret;
}

static int modify_enum(struct uverbs_attr_bundle *attrs, struct ktm_box *box)
{
	int id = uverbs_attr_get_enum_id(attrs, KTM_MODIFY_ENUM);
	u16 value;
	int ret;

	switch (id) {
	case -ENOENT:
		return 0;
	case KTM_ENUM_NONE:
		box->value = 0;
		return uverbs_attr_get_len(attrs, KTM_MODIFY_ENUM);
	case KTM_ENUM_U16:
		ret = uverbs_copy_from(&value, attrs, KTM_MODIFY_ENUM);
		box->value = value;
		return ret;
	case KTM_ENUM_STRUCT:
		return uverbs_copy_from_or_zero(&box->structure, attrs, KTM_MODIFY_ENUM);
	default:
		return -EIO;
	}
}

static int modify_fd(struct uverbs_attr_bundle *attrs, struct ktm_box *box)
{
	int fd, ret = uverbs_get_raw_fd(&fd, attrs, KTM_MODIFY_FD);

	if (ret)
		return ret == -ENOENT ? 0 : ret;
	box->value = fd;
	return 0;
}

/* What is no answer cannot be marked as answered. */
static int check_answers(struct uverbs_attr_bundle *attrs)
{
	static const u16 others[] = {
		KTM_HANDLE, KTM_MODIFY_ADD, KTM_MODIFY_ENUM, KTM_MODIFY_FD, KTM_MODIFY_HIDDEN,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		if (uverbs_output_written(attrs, others[i]) != -ENOENT)
			return -EIO;
	return 0;
}

/* Returns whether attempts to read the flags as a value of an enumeration fail with @error. */
static bool are_no_value(struct uverbs_attr_bundle *attrs, int error)
{
	const size_t flags = KTM_MODIFY_FLAGS;
	u64 number;
	s64 other;

	return _uverbs_get_const_unsigned(&number, attrs, flags, U64_MAX, NULL) == error &&
	       _uverbs_get_const_signed(&other, attrs, flags, S64_MIN, S64_MAX, NULL) == error;
}

/* Flags are read with either of two lengths, but not as a value of another length or type. */
static int check_flags(struct uverbs_attr_bundle *attrs)
{
	u64 wide;
	u32 few;
	int ret;

	ret = uverbs_get_flags64(&wide, attrs, KTM_MODIFY_FLAGS, U64_MAX);
	if (ret)
		return ret;
	if (uverbs_get_flags32(&few, attrs, KTM_MODIFY_FLAGS, U64_MAX) !=
	    (wide > U32_MAX ? -EINVAL : 0))
		return -EIO;
	if (uverbs_attr_get_len(attrs, KTM_MODIFY_FLAGS) == sizeof(few) &&
	    !are_no_value(attrs, -EINVAL))
		return -EIO;
	if (!uverbs_attr_is_valid(attrs, KTM_MODIFY_FLAGS) && !are_no_value(attrs, -ENOENT))
		return -EIO;
	return 0;
}

static int UVERBS_HANDLER(KTM_BOX_MODIFY)(struct uverbs_attr_bundle *attrs)
{
	struct ktm_box *box = uverbs_attr_get_obj(attrs, KTM_HANDLE);
	enum ktm_signed sign;
	u32 flags;
	int ret;

	ret = check_answers(attrs) ?: check_flags(attrs) ?:
	      uverbs_get_flags32(&flags, attrs, KTM_MODIFY_FLAGS, KTM_NEGATE | KTM_DOUBLE) ?:
	      uverbs_get_const_default(&sign, attrs, KTM_MODIFY_ADD, 0) ?:
	      modify_bytes(attrs, box) ?: modify_struct(attrs, box) ?: modify_enum(attrs, box) ?:
	      modify_fd(attrs, box);
	if (ret)
		return ret;
	box->value += sign;
	if (flags & KTM_DOUBLE)
		box->value *= 2;
	if (flags & KTM_NEGATE)
		box->value = -box->value;
	if (!uverbs_attr_is_valid(attrs, KTM_MODIFY_OUT))
		return 0;
	return uverbs_copy_to(attrs, KTM_MODIFY_OUT, &box->value, sizeof(box->value));
}

static int UVERBS_HANDLER(KTM_BOX_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ktm_box *box = uverbs_attr_get_obj(attrs, KTM_HANDLE);
	int ret;

	ret = uverbs_copy_to(attrs, KTM_QUERY_VALUE, &box->value, sizeof(box->value));
	if (ret)
		return ret;
	ret = uverbs_copy_to(attrs, KTM_QUERY_BYTES, box->bytes, box->len);
	if (ret && ret != -ENOENT)
		return ret;
	ret = uverbs_copy_to_struct_or_zero(attrs, KTM_QUERY_STRUCT, &box->structure,
					    sizeof(box->structure));
	return ret == -ENOENT ? 0 : ret;
}

static int UVERBS_HANDLER(KTM_BOX_SUM)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject **uobjs;
	int i, num, more;
	s64 sum = 0;

	num = uverbs_attr_get_uobjs_arr(attrs, KTM_SUM_HANDLES, &uobjs);
	for (i = 0; i < num; i++)
		sum += ((struct ktm_box *)uobjs[i]->object)->value;
	if (uverbs_attr_get_uobject(attrs, KTM_SUM_HANDLES) != ERR_PTR(-ENOENT))
		return -EIO;
	more = uverbs_attr_get_uobjs_arr(attrs, KTM_SUM_MORE, &uobjs);
	if (!uobjs == uverbs_attr_is_valid(attrs, KTM_SUM_MORE))
		return -EIO;
	for (i = 0; i < more; i++)
		sum += 1000 * ((struct ktm_box *)uobjs[i]->object)->value;
	more = uverbs_attr_get_uobjs_arr(attrs, KTM_SUM_MANY, &uobjs);
	for (i = 0; i < more; i++)
		sum += ((struct ktm_box *)uobjs[i]->object)->value;
	return uverbs_copy_to(attrs, KTM_SUM_OUT, &sum, sizeof(sum));
}

/* Adds 1 to the value of each box. */
static int UVERBS_HANDLER(KTM_BOX_TAKE)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject **uobjs;
	int i, num;

	num = uverbs_attr_get_uobjs_arr(attrs, KTM_SUM_HANDLES, &uobjs);
	for (i = 0; i < num; i++)
		((struct ktm_box *)uobjs[i]->object)->value++;
	return 0;
}

static int UVERBS_HANDLER(KTM_BOX_KIND)(struct uverbs_attr_bundle *attrs)
{
	u32 id = uobj_get_object_id(uverbs_attr_get_uobject(attrs, KTM_HANDLE));
	int ret = uverbs_output_written(attrs, KTM_KIND_WRITTEN);

	if (ret && ret != -ENOENT)
		return ret;
	return uverbs_copy_to(attrs, KTM_KIND_OUT, &id, sizeof(id));
}

static int UVERBS_HANDLER(KTM_BOX_HOLD)(struct uverbs_attr_bundle *attrs)
{
	int ret;

	atomic_inc(&held);
	ret = wait_for_completion_killable(&release);
	atomic_dec(&held);
	return ret;
}

/* The value is the first word of the memory. */
static int UVERBS_HANDLER(KTM_BOX_PIN)(struct uverbs_attr_bundle *attrs)
{
	struct ib_uobject *uobj = uverbs_attr_get_uobject(attrs, KTM_PIN_HANDLE);
	struct ib_ucontext *context = ib_uverbs_get_ucontext(attrs);
	struct ktm_box *box;
	u64 addr, len;
	int ret;

	if (IS_ERR(context))
		return PTR_ERR(context);
	ret = uverbs_copy_from(&addr, attrs, KTM_PIN_ADDR) ?:
	      uverbs_copy_from(&len, attrs, KTM_PIN_LEN);
	if (ret)
		return ret;
	box = alloc_box();
	if (!box)
		return -ENOMEM;
	box->umem = ib_umem_get(context->device, addr, len, IB_ACCESS_LOCAL_WRITE);
	ret = IS_ERR(box->umem) ? PTR_ERR(box->umem) :
				  ib_umem_copy_from(&box->value, box->umem, 0, sizeof(u64));
	if (!ret && ib_umem_copy_from(&box->value, box->umem, len + 1, 0) != -EINVAL)
		ret = -EIO;
	if (ret) {
		free_box(box);
		return ret;
	}
	uobj->object = box;
	uverbs_finalize_uobj_create(attrs, KTM_PIN_HANDLE);
	return uverbs_copy_to(attrs, KTM_PIN_OUT, &box->value, sizeof(box->value));
}

/* Each run adds 1 to the value, and pins another page, which no run takes. */
static int UVERBS_HANDLER(KTM_BOX_PIN_MORE)(struct uverbs_attr_bundle *attrs)
{
	struct ktm_box *box = uverbs_attr_get_obj(attrs, KTM_HANDLE);
	struct ib_umem *umem;
	u64 addr;
	int ret;

	ret = uverbs_copy_from(&addr, attrs, KTM_PIN_ADDR);
	if (ret)
		return ret;
	umem = ib_umem_get(attrs->context->device, addr + box->value++ * PAGE_SIZE, PAGE_SIZE, 0);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	ib_umem_release(umem);
	return 0;
}

/*
 * Each run adds 1 to the value, takes the page that the run before has asked for, and asks for the
 * next one, until it has taken all. The first run answers with more than the last one.
 */
static int UVERBS_HANDLER(KTM_BOX_PIN_EACH)(struct uverbs_attr_bundle *attrs)
{
	struct ktm_box *box = uverbs_attr_get_obj(attrs, KTM_GROW_HANDLE);
	struct ib_device *dev = attrs->context->device;
	struct ib_umem *umem;
	s64 run = box->value++;
	u64 addr, pages;
	int ret;

	ret = uverbs_copy_from(&addr, attrs, KTM_EACH_ADDR) ?:
	      uverbs_copy_from(&pages, attrs, KTM_EACH_PAGES) ?:
	      ib_copy_to_udata(&attrs->driver_udata, &addr,
			       min(attrs->driver_udata.outlen, run ? sizeof(u32) : sizeof(addr)));
	if (ret)
		return ret;
	if (run) {
		umem = ib_umem_get(dev, addr + (run - 1) * PAGE_SIZE, PAGE_SIZE, 0);
		if (IS_ERR(umem))
			return PTR_ERR(umem);
		ib_umem_release(umem);
	}
	if (run == pages)
		return 0;
	umem = ib_umem_get(dev, addr + run * PAGE_SIZE, PAGE_SIZE, 0);
	if (IS_ERR(umem))
		return PTR_ERR(umem);
	ib_umem_release(umem);
	return -EIO;
}

/*
 * Each run adds 1 to the value, and asks for another memory that begins at the same address. No
 * memory that is pinned already is the right one. The last run takes all of them.
 */
static int UVERBS_HANDLER(KTM_BOX_PIN_KINDS)(struct uverbs_attr_bundle *attrs)
{
	static const struct {
		size_t length;
		int access;
	} kinds[] = {
		{ PAGE_SIZE, 0 }, { 2 * PAGE_SIZE, 0 }, { PAGE_SIZE, IB_ACCESS_LOCAL_WRITE },
	};
	struct ktm_box *box = uverbs_attr_get_obj(attrs, KTM_GROW_HANDLE);
	s64 run = box->value++, i;
	struct ib_umem *umem;
	u64 addr;
	int ret;

	ret = uverbs_copy_from(&addr, attrs, KTM_EACH_ADDR);
	if (ret)
		return ret;
	for (i = run < ARRAY_SIZE(kinds) ? run : 0; i < ARRAY_SIZE(kinds) && !ret; i++) {
		umem = ib_umem_get(attrs->context->device, addr, kinds[i].length, kinds[i].access);
		if (IS_ERR(umem))
			return PTR_ERR(umem);
		if (run < ARRAY_SIZE(kinds) || umem->length != kinds[i].length ||
		    umem->writable != !!kinds[i].access)
			ret = -EIO;
		ib_umem_release(umem);
	}
	return ret;
}

static const struct uverbs_attr_spec elements[] = {
	[KTM_ENUM_NONE] = { .type = UVERBS_ATTR_TYPE_PTR_IN, UVERBS_ATTR_NO_DATA() },
	[KTM_ENUM_U16] = {
		.type = UVERBS_ATTR_TYPE_PTR_IN,
		.u.ptr = { .len = sizeof(u16), .min_len = sizeof(u16) },
	},
	[KTM_ENUM_STRUCT] = {
		.type = UVERBS_ATTR_TYPE_PTR_IN, UVERBS_ATTR_STRUCT(struct ktm_struct, first),
	},
};

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_CREATE,
	UVERBS_ATTR_IDR(KTM_CREATE_HANDLE, KTM_OBJECT_BOX, UVERBS_ACCESS_NEW, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(KTM_CREATE_VALUE, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_CONST_IN(KTM_CREATE_FAIL, enum ktm_fail, UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(KTM_CREATE_OUT, UVERBS_ATTR_TYPE(u64), UA_OPTIONAL),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	KTM_BOX_DESTROY,
	UVERBS_ATTR_IDR(KTM_HANDLE, KTM_OBJECT_BOX, UVERBS_ACCESS_DESTROY, UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_END,
	UVERBS_ATTR_IDR(KTM_GROW_HANDLE, KTM_OBJECT_BOX, UVERBS_ACCESS_DESTROY, UA_MANDATORY),
	UVERBS_ATTR_IDRS_ARR(KTM_END_BOXES, KTM_OBJECT_BOX, UVERBS_ACCESS_READ, 0, 2, UA_OPTIONAL),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_GROW,
	UVERBS_ATTR_IDR(KTM_GROW_HANDLE, KTM_OBJECT_BOX, UVERBS_ACCESS_WRITE, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(KTM_GROW_ERRNO, UVERBS_ATTR_TYPE(u32), UA_OPTIONAL),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_MODIFY,
	UVERBS_ATTR_IDR(KTM_HANDLE, KTM_OBJECT_BOX, UVERBS_ACCESS_WRITE, UA_MANDATORY),
	UVERBS_ATTR_CONST_IN(KTM_MODIFY_ADD, enum ktm_signed, UA_OPTIONAL),
	UVERBS_ATTR_FLAGS_IN(KTM_MODIFY_FLAGS, enum ktm_flags),
	UVERBS_ATTR_PTR_IN(KTM_MODIFY_BYTES, UVERBS_ATTR_SIZE(2, MAX_BYTES), UA_OPTIONAL,
			   UA_ALLOC_AND_COPY),
	UVERBS_ATTR_PTR_IN(KTM_MODIFY_STRUCT, UVERBS_ATTR_STRUCT(struct ktm_struct, first),
			   UA_OPTIONAL),
	UVERBS_ATTR_ENUM_IN(KTM_MODIFY_ENUM, elements, UA_OPTIONAL),
	UVERBS_ATTR_RAW_FD(KTM_MODIFY_FD, UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(KTM_MODIFY_OUT, UVERBS_ATTR_TYPE(u64), UA_OPTIONAL),
	UVERBS_ATTR_IDR(KTM_MODIFY_HIDDEN, KTM_OBJECT_HIDDEN, UVERBS_ACCESS_READ, UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_QUERY,
	UVERBS_ATTR_IDR(KTM_HANDLE, KTM_OBJECT_BOX, UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(KTM_QUERY_VALUE, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(KTM_QUERY_BYTES, UVERBS_ATTR_MIN_SIZE(2), UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(KTM_QUERY_STRUCT, UVERBS_ATTR_STRUCT(struct ktm_struct, first),
			    UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_SUM,
	UVERBS_ATTR_IDRS_ARR(KTM_SUM_HANDLES, KTM_OBJECT_BOX, UVERBS_ACCESS_READ, 1, KTM_MAX_SUM,
			     UA_MANDATORY),
	UVERBS_ATTR_IDRS_ARR(KTM_SUM_MORE, KTM_OBJECT_BOX, UVERBS_ACCESS_READ, 0, 2, UA_OPTIONAL),
	UVERBS_ATTR_IDRS_ARR(KTM_SUM_MANY, KTM_OBJECT_BOX, UVERBS_ACCESS_READ, 0, KTM_TOO_MANY,
			     UA_OPTIONAL),
	UVERBS_ATTR_IDRS_ARR(KTM_SUM_NEVER, KTM_OBJECT_BOX, UVERBS_ACCESS_READ, KTM_TOO_MANY,
			     KTM_TOO_MANY, UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(KTM_SUM_OUT, UVERBS_ATTR_TYPE(u64), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_TAKE,
	UVERBS_ATTR_IDRS_ARR(KTM_SUM_HANDLES, KTM_OBJECT_BOX, UVERBS_ACCESS_WRITE, 1, KTM_MAX_SUM,
			     UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_KIND,
	UVERBS_ATTR_IDR(KTM_HANDLE, UVERBS_IDR_ANY_OBJECT, UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(KTM_KIND_OUT, UVERBS_ATTR_TYPE(u32), UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(KTM_KIND_WRITTEN, UVERBS_ATTR_TYPE(u32), UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_HOLD,
	UVERBS_ATTR_IDR(KTM_HANDLE, UVERBS_IDR_ANY_OBJECT, UVERBS_ACCESS_READ, UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_PIN,
	UVERBS_ATTR_IDR(KTM_PIN_HANDLE, KTM_OBJECT_BOX, UVERBS_ACCESS_NEW, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(KTM_PIN_ADDR, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(KTM_PIN_LEN, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(KTM_PIN_OUT, UVERBS_ATTR_TYPE(u64), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_PIN_MORE,
	UVERBS_ATTR_IDR(KTM_HANDLE, KTM_OBJECT_BOX, UVERBS_ACCESS_WRITE, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(KTM_PIN_ADDR, UVERBS_ATTR_TYPE(u64), UA_MANDATORY));

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_PIN_EACH,
	UVERBS_ATTR_IDR(KTM_GROW_HANDLE, KTM_OBJECT_BOX, UVERBS_ACCESS_WRITE, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(KTM_EACH_ADDR, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(KTM_EACH_PAGES, UVERBS_ATTR_TYPE(u64), UA_MANDATORY),
	UVERBS_ATTR_UHW());

DECLARE_UVERBS_NAMED_METHOD(
	KTM_BOX_PIN_KINDS,
	UVERBS_ATTR_IDR(KTM_GROW_HANDLE, KTM_OBJECT_BOX, UVERBS_ACCESS_WRITE, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(KTM_EACH_ADDR, UVERBS_ATTR_TYPE(u64), UA_MANDATORY));

/* A method whose object the device does not have. */
DECLARE_UVERBS_NAMED_METHOD_DESTROY(
	KTM_BOX_HIDDEN,
	UVERBS_ATTR_IDR(KTM_HANDLE, KTM_OBJECT_HIDDEN, UVERBS_ACCESS_READ, UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(KTM_OBJECT_BOX, UVERBS_TYPE_ALLOC_IDR(destroy_box),
			    &UVERBS_METHOD(KTM_BOX_CREATE), &UVERBS_METHOD(KTM_BOX_DESTROY),
			    &UVERBS_METHOD(KTM_BOX_MODIFY), &UVERBS_METHOD(KTM_BOX_QUERY),
			    &UVERBS_METHOD(KTM_BOX_SUM), &UVERBS_METHOD(KTM_BOX_TAKE),
			    &UVERBS_METHOD(KTM_BOX_KIND), &UVERBS_METHOD(KTM_BOX_HOLD),
			    &UVERBS_METHOD(KTM_BOX_PIN), &UVERBS_METHOD(KTM_BOX_HIDDEN),
			    &UVERBS_METHOD(KTM_BOX_GROW), &UVERBS_METHOD(KTM_BOX_END),
			    &UVERBS_METHOD(KTM_BOX_PIN_MORE),
			    &UVERBS_METHOD(KTM_BOX_PIN_EACH), &UVERBS_METHOD(KTM_BOX_PIN_KINDS));

/* --- events --- */

/* A file from which a process reads numbers. */
struct ktm_events {
	struct ib_uobject uobj;
	wait_queue_head_t wait;
	spinlock_t lock; /* protects the members below */
	unsigned int num;
	u64 queue[MAX_EVENTS];
	bool ended;
};

static void destroy_events(struct ib_uobject *uobj, enum rdma_remove_reason why)
{
	struct ktm_events *events = container_of(uobj, struct ktm_events, uobj);

	atomic_inc(&destroyed[why]);
	atomic_dec(&files);
	spin_lock(&events->lock);
	events->ended = true;
	spin_unlock(&events->lock);
	wake_up_interruptible(&events->wait);
}

/* Returns 0 and a number; -EAGAIN: there is none; -EIO: there is none, and none will come. */
static int next_event(struct ktm_events *events, u64 *value)
{
	int ret = 0;

	spin_lock(&events->lock);
	if (!events->num) {
		ret = events->ended ? -EIO : -EAGAIN;
	} else {
		*value = events->queue[0];
		memmove(events->queue, events->queue + 1, --events->num * sizeof(u64));
	}
	spin_unlock(&events->lock);
	return ret;
}

static ssize_t events_read(struct file *filp, char __user *buf, size_t len, loff_t *pos)
{
	struct ktm_events *events = filp->private_data;
	u64 value = 0;
	int ret, err;

	if (len < sizeof(value))
		return -EINVAL;
	if (filp->f_flags & O_NONBLOCK) {
		ret = next_event(events, &value);
	} else {
		err = wait_event_interruptible(events->wait,
					       (ret = next_event(events, &value)) != -EAGAIN);
		ret = err ?: ret;
	}
	if (ret)
		return ret;
	return copy_to_user(buf, &value, sizeof(value)) ? -EFAULT : sizeof(value);
}

static __poll_t events_poll(struct file *filp, struct poll_table_struct *table)
{
	struct ktm_events *events = filp->private_data;
	__poll_t mask = 0;

	poll_wait(filp, &events->wait, table);
	spin_lock(&events->lock);
	if (events->num)
		mask |= EPOLLIN | EPOLLRDNORM;
	if (events->ended)
		mask |= EPOLLRDHUP;
	spin_unlock(&events->lock);
	return mask;
}

static const struct file_operations events_fops = {
	.owner = THIS_MODULE,
	.read = events_read,
	.poll = events_poll,
	.release = uverbs_uobject_fd_release,
};

static int UVERBS_HANDLER(KTM_EVENTS_ALLOC)(struct uverbs_attr_bundle *attrs)
{
	struct ktm_events *events = container_of(uverbs_attr_get_uobject(attrs, KTM_EVENTS_FD),
						 struct ktm_events, uobj);
	enum ktm_fail fail;
	int ret;

	ret = uverbs_get_const_default(&fail, attrs, KTM_EVENTS_FAIL, KTM_FAIL_NEVER);
	if (ret)
		return ret;
	if (fail == KTM_FAIL_EARLY)
		return -ENXIO;
	init_waitqueue_head(&events->wait);
	spin_lock_init(&events->lock);
	atomic_inc(&files);
	uverbs_finalize_uobj_create(attrs, KTM_EVENTS_FD);
	if (fail == KTM_FAIL_LATE)
		return -ENXIO;
	ret = uverbs_copy_to(attrs, KTM_EVENTS_OUT, &attrs->new_fd, sizeof(attrs->new_fd));
	if (fail == KTM_FAIL_ANSWERED)
		return -ENXIO;
	return ret == -ENOENT ? 0 : ret;
}

static int UVERBS_HANDLER(KTM_EVENTS_POST)(struct uverbs_attr_bundle *attrs)
{
	struct ktm_events *events = container_of(uverbs_attr_get_uobject(attrs, KTM_EVENTS_FD),
						 struct ktm_events, uobj);
	u64 value;
	int ret;

	ret = uverbs_copy_from(&value, attrs, KTM_EVENTS_VALUE);
	if (ret)
		return ret;
	uverbs_uobject_get(&events->uobj);
	spin_lock(&events->lock);
	if (events->num < MAX_EVENTS)
		events->queue[events->num++] = value;
	else
		ret = -ENOSPC;
	spin_unlock(&events->lock);
	wake_up_interruptible(&events->wait);
	uverbs_uobject_put(&events->uobj);
	return ret;
}

DECLARE_UVERBS_NAMED_METHOD(
	KTM_EVENTS_ALLOC,
	UVERBS_ATTR_FD(KTM_EVENTS_FD, KTM_OBJECT_EVENTS, UVERBS_ACCESS_NEW, UA_MANDATORY),
	UVERBS_ATTR_CONST_IN(KTM_EVENTS_FAIL, enum ktm_fail, UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(KTM_EVENTS_OUT, UVERBS_ATTR_TYPE(u32), UA_OPTIONAL));

DECLARE_UVERBS_NAMED_METHOD(
	KTM_EVENTS_POST,
	UVERBS_ATTR_FD(KTM_EVENTS_FD, KTM_OBJECT_EVENTS, UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(KTM_EVENTS_VALUE, UVERBS_ATTR_TYPE(u64), UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(KTM_OBJECT_EVENTS,
			    UVERBS_TYPE_ALLOC_FD(sizeof(struct ktm_events), destroy_events,
						 &events_fops, "[kt_events]", O_RDONLY),
			    &UVERBS_METHOD(KTM_EVENTS_ALLOC), &UVERBS_METHOD(KTM_EVENTS_POST));

/* Files of another type, of which there are none, with the operations of the events files. */
static int UVERBS_HANDLER(KTM_TWIN_POST)(struct uverbs_attr_bundle *attrs)
{
	return 0;
}

DECLARE_UVERBS_NAMED_METHOD(
	KTM_TWIN_POST,
	UVERBS_ATTR_FD(KTM_EVENTS_FD, KTM_OBJECT_TWIN, UVERBS_ACCESS_READ, UA_MANDATORY));

DECLARE_UVERBS_NAMED_OBJECT(KTM_OBJECT_TWIN,
			    UVERBS_TYPE_ALLOC_FD(sizeof(struct ktm_events), destroy_events,
						 &events_fops, "[kt_twin]", O_RDONLY),
			    &UVERBS_METHOD(KTM_TWIN_POST));

/* --- methods without objects, and additions to standard objects --- */

/* Answers with what the process has passed, and then possibly fails. */
static int UVERBS_HANDLER(KTM_ECHO)(struct uverbs_attr_bundle *attrs)
{
	int len = uverbs_attr_get_len(attrs, KTM_ECHO_IN);
	u32 code = 0;
	void *copy;
	int ret;

	if (uverbs_attr_get_uobject(attrs, KTM_ECHO_IN) != ERR_PTR(-ENOENT) ||
	    uverbs_attr_ptr_get_array_size(attrs, KTM_ECHO_IN, len + 1) != -EINVAL ||
	    uverbs_attr_ptr_get_array_size(attrs, KTM_ECHO_IN, 1) != len ||
	    uverbs_attr_ptr_get_array_size(attrs, KTM_NS + 99, 1) != -ENOENT ||
	    uverbs_alloc(attrs, SIZE_MAX) != ERR_PTR(-EOVERFLOW) ||
	    uverbs_kcalloc(attrs, SIZE_MAX, 2) != ERR_PTR(-EOVERFLOW))
		return -EIO;
	copy = uverbs_alloc(attrs, len);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	if (_uverbs_copy_from(copy, attrs, KTM_ECHO_IN, len - 1) != -EINVAL ||
	    _uverbs_copy_from(copy, attrs, KTM_ECHO_OUT, len) != -ENOENT)
		return -EIO;
	memcpy(copy, uverbs_attr_get_alloced_ptr(attrs, KTM_ECHO_IN), len);
	ret = uverbs_copy_to(attrs, KTM_ECHO_OUT, copy, len);
	if (ret)
		return ret;
	ret = uverbs_copy_from(&code, attrs, KTM_ECHO_ERRNO);
	return ret == -ENOENT ? 0 : ret ?: -(int)code;
}

DECLARE_UVERBS_NAMED_METHOD(
	KTM_ECHO,
	UVERBS_ATTR_PTR_IN(KTM_ECHO_IN, UVERBS_ATTR_MIN_SIZE(1), UA_MANDATORY, UA_ALLOC_AND_COPY),
	UVERBS_ATTR_PTR_OUT(KTM_ECHO_OUT, UVERBS_ATTR_MIN_SIZE(1), UA_MANDATORY),
	UVERBS_ATTR_PTR_IN(KTM_ECHO_ERRNO, UVERBS_ATTR_TYPE(u32), UA_OPTIONAL));

/* Expects that the value of each attribute is its place in the definition. */
static int UVERBS_HANDLER(KTM_FULL)(struct uverbs_attr_bundle *attrs)
{
	u32 value, i;
	int ret;

	for (i = 0; i < KTM_FULL_ATTRS; i++) {
		ret = uverbs_copy_from(&value, attrs, KTM_NS + i);
		if (ret)
			return ret;
		if (value != i)
			return -EIO;
	}
	return 0;
}

#define NUMBER(i)	UVERBS_ATTR_PTR_IN(KTM_NS + (i), UVERBS_ATTR_TYPE(u32), UA_MANDATORY)

DECLARE_UVERBS_NAMED_METHOD(
	KTM_FULL, NUMBER(0), NUMBER(1), NUMBER(2), NUMBER(3), NUMBER(4), NUMBER(5), NUMBER(6),
	NUMBER(7), NUMBER(8), NUMBER(9), NUMBER(10), NUMBER(11), NUMBER(12), NUMBER(13),
	NUMBER(14), NUMBER(15), NUMBER(16), NUMBER(17), NUMBER(18), NUMBER(19), NUMBER(20),
	NUMBER(21), NUMBER(22), NUMBER(23), NUMBER(24), NUMBER(25), NUMBER(26), NUMBER(27),
	NUMBER(28), NUMBER(29), NUMBER(30), NUMBER(31));

DECLARE_UVERBS_GLOBAL_METHODS(KTM_OBJECT_ECHO, &UVERBS_METHOD(KTM_ECHO), &UVERBS_METHOD(KTM_FULL));
DECLARE_UVERBS_NAMED_OBJECT(KTM_OBJECT_HIDDEN, UVERBS_TYPE_ALLOC_IDR(destroy_box),
			    &UVERBS_METHOD(KTM_ECHO));
DECLARE_UVERBS_GLOBAL_METHODS(KTM_OBJECT_LACKING, &UVERBS_METHOD(KTM_ECHO));

static int UVERBS_HANDLER(KTM_PD_QUERY)(struct uverbs_attr_bundle *attrs)
{
	struct ib_pd *pd = uverbs_attr_get_obj(attrs, KTM_PD_HANDLE);
	u32 users = atomic_read(&pd->usecnt);

	return uverbs_copy_to(attrs, KTM_PD_OUT, &users, sizeof(users));
}

DECLARE_UVERBS_NAMED_METHOD(
	KTM_PD_QUERY,
	UVERBS_ATTR_IDR(KTM_PD_HANDLE, UVERBS_OBJECT_PD, UVERBS_ACCESS_READ, UA_MANDATORY),
	UVERBS_ATTR_PTR_OUT(KTM_PD_OUT, UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

ADD_UVERBS_METHODS(kt_pd, UVERBS_OBJECT_PD, &UVERBS_METHOD(KTM_PD_QUERY));

ADD_UVERBS_ATTRIBUTES_SIMPLE(
	kt_dm, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC,
	UVERBS_ATTR_IDR(KTM_DM_BOX, KTM_OBJECT_BOX, UVERBS_ACCESS_WRITE, UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(KTM_DM_OUT, UVERBS_ATTR_TYPE(u64), UA_MANDATORY));

/* Answers with the value of the box, if the process has passed one, and changes it. */
static struct ib_dm *alloc_dm(struct ib_device *ibdev, struct ib_ucontext *context,
			      struct ib_dm_alloc_attr *attr, struct uverbs_attr_bundle *attrs)
{
	struct ktm_box *box = uverbs_attr_get_obj(attrs, KTM_DM_BOX);
	struct ib_dm *dm;
	s64 answer;
	int ret;

	answer = IS_ERR(box) ? PTR_ERR(box) : box->value++;
	ret = uverbs_copy_to(attrs, KTM_DM_OUT, &answer, sizeof(answer));
	if (ret)
		return ERR_PTR(ret);
	dm = kzalloc(sizeof(*dm), GFP_KERNEL);
	return dm ?: ERR_PTR(-ENOMEM);
}

static int dealloc_dm(struct ib_dm *dm, struct uverbs_attr_bundle *attrs)
{
	kfree(dm);
	return 0;
}

ADD_UVERBS_ATTRIBUTES_SIMPLE(
	kt_context, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT,
	UVERBS_ATTR_PTR_IN(KTM_CONTEXT_IN, UVERBS_ATTR_TYPE(u32), UA_OPTIONAL),
	UVERBS_ATTR_PTR_OUT(KTM_CONTEXT_OUT, UVERBS_ATTR_TYPE(u32), UA_MANDATORY));

/* Answers with the number that the process has passed, plus 1. */
static int query_ucontext(struct ib_ucontext *context, struct uverbs_attr_bundle *attrs)
{
	u32 value;
	int ret;

	if (context != attrs->context)
		return -EIO;
	ret = uverbs_copy_from_or_zero(&value, attrs, KTM_CONTEXT_IN);
	if (ret == -ENOENT)
		return -ENODATA;
	value++;
	return uverbs_copy_to(attrs, KTM_CONTEXT_OUT, &value, sizeof(value));
}

/* --- the device --- */

static bool never(struct ib_device *ibdev)
{
	return false;
}

static const struct uapi_definition event_definitions[] = {
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(KTM_OBJECT_EVENTS, UAPI_DEF_OBJ_NEEDS_FN(alloc_pd)),
	{},
};

static const struct uapi_definition definitions[] = {
	UAPI_DEF_CHAIN(event_definitions),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(KTM_OBJECT_BOX),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(KTM_OBJECT_TWIN),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(KTM_OBJECT_ECHO),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(KTM_OBJECT_HIDDEN, UAPI_DEF_IS_OBJ_SUPPORTED(never)),
	UAPI_DEF_CHAIN_OBJ_TREE_NAMED(KTM_OBJECT_LACKING, UAPI_DEF_OBJ_NEEDS_FN(create_counters)),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_PD, &kt_pd),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DM, &kt_dm),
	UAPI_DEF_CHAIN_OBJ_TREE(UVERBS_OBJECT_DEVICE, &kt_context),
	{},
};

struct ktm_context {
	struct ib_ucontext base;
};

static int alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	return 0;
}

static void dealloc_ucontext(struct ib_ucontext *context)
{
}

static void disassociate_ucontext(struct ib_ucontext *context)
{
	/* A file without a context has none to be disassociated. */
	WARN_ON(!context);
}

static const struct ib_device_ops ops = {
	.owner = THIS_MODULE,
	.uverbs_abi_ver = 1,

	.alloc_dm = alloc_dm,
	.alloc_ucontext = alloc_ucontext,
	.dealloc_dm = dealloc_dm,
	.dealloc_ucontext = dealloc_ucontext,
	.disassociate_ucontext = disassociate_ucontext,
	.query_ucontext = query_ucontext,

	INIT_RDMA_OBJ_SIZE(ib_ucontext, ktm_context, base),
};

/* --- parameters --- */

static int get_state(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "boxes %d files %d held %d destroyed %d %d %d %d\n",
			  atomic_read(&boxes), atomic_read(&files), atomic_read(&held),
			  atomic_read(&destroyed[RDMA_REMOVE_DESTROY]),
			  atomic_read(&destroyed[RDMA_REMOVE_CLOSE]),
			  atomic_read(&destroyed[RDMA_REMOVE_DRIVER_REMOVE]),
			  atomic_read(&destroyed[RDMA_REMOVE_ABORT]));
}

static int set_state(const char *text, const struct kernel_param *kp)
{
	struct fakedev *fd;

	if (sysfs_streq(text, "release")) {
		complete(&release);
		return 0;
	}
	if (!sysfs_streq(text, "remove"))
		return -EINVAL;
	fd = xchg(&fake, NULL);
	if (!fd)
		return -ENODEV;
	fakedev_destroy(fd);
	return 0;
}

static const struct kernel_param_ops state_ops = { .get = get_state, .set = set_state };
module_param_cb(state, &state_ops, NULL, 0600);
MODULE_PARM_DESC(state, "object numbers; \"remove\" removes the device, \"release\" ends one wait");

/* Makes or removes a device of a driver whose definitions are wrong. */
static int set_wrong(const char *text, const struct kernel_param *kp)
{
	struct fakedev_config config = { .name = "ktwrong", .more_ops = &ops };
	struct fakedev *fd = xchg(&fake_wrong, NULL);
	unsigned int which;
	int ret;

	if (fd)
		fakedev_destroy(fd);
	if (sysfs_streq(text, "none"))
		return 0;
	ret = kstrtouint(text, 0, &which);
	if (ret)
		return ret;
	if (which >= ktm_num_wrong)
		return -ERANGE;
	config.driver_def = ktm_wrong[which];
	fd = fakedev_create(&config);
	if (IS_ERR(fd))
		return PTR_ERR(fd);
	fake_wrong = fd;
	return 0;
}

static const struct kernel_param_ops wrong_ops = { .set = set_wrong };
module_param_cb(wrong, &wrong_ops, NULL, 0200);
MODULE_PARM_DESC(wrong, "makes the device ktwrong with these wrong definitions, or \"none\"");

static int __init kt_method_init(void)
{
	const struct fakedev_config config = {
		.name = "ktmethod", .more_ops = &ops, .driver_def = definitions,
	};

	fake = fakedev_create(&config);
	if (IS_ERR(fake))
		return PTR_ERR(fake);
	fake->ibdev.attrs.kernel_cap_flags |= IBK_ON_DEMAND_PAGING;
	return 0;
}
module_init(kt_method_init);

static void __exit kt_method_exit(void)
{
	if (fake)
		fakedev_destroy(fake);
	if (fake_wrong)
		fakedev_destroy(fake_wrong);
}
module_exit(kt_method_exit);

MODULE_DESCRIPTION("krdma test driver with methods of its own");
MODULE_LICENSE("Dual BSD/GPL");
