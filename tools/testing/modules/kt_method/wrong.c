// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_method.ko: definitions that are wrong. A device with one of them gets no node.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_types.h>

#include "kt_method.h"

#define UVERBS_MODULE_NAME kt_wrong
#include <rdma/uverbs_named_ioctl.h>

static int no_destroy(struct ib_uobject *uobj, enum rdma_remove_reason why,
		      struct uverbs_attr_bundle *attrs)
{
	return 0;
}

static void no_end(struct ib_uobject *uobj, enum rdma_remove_reason why)
{
}

/* The release is not that of ib_uverbs. */
static const struct file_operations wrong_fops = { .owner = THIS_MODULE };

static const struct file_operations good_fops = {
	.owner = THIS_MODULE, .release = uverbs_uobject_fd_release,
};

static const struct uverbs_attr_spec wrong_elements[] = {
	{ .type = UVERBS_ATTR_TYPE_PTR_OUT },
};

static const struct uverbs_attr_spec good_elements[] = {
	{ .type = UVERBS_ATTR_TYPE_PTR_IN },
};

#define BOX		UVERBS_TYPE_ALLOC_IDR(no_destroy)
#define FILE_OF(fops)	UVERBS_TYPE_ALLOC_FD(sizeof(struct ib_uobject), no_end, fops, "[wrong]", 0)

/* A method of attributes, as an expression. */
#define LIST(type, ...)	(&(const type * const []){ __VA_ARGS__ })
#define SIZE(type, ...)	(sizeof((const type * const []){ __VA_ARGS__ }) / sizeof(void *))
#define METHOD_OF(number, what, ...)							\
	(&(const struct uverbs_method_def) {						\
		.id = (number),								\
		.handler = (what),							\
		.num_attrs = SIZE(struct uverbs_attr_def, __VA_ARGS__),			\
		.attrs = (void *)LIST(struct uverbs_attr_def, __VA_ARGS__),		\
	})
#define OBJECT_OF(number, type, ...)							\
	UAPI_DEF_CHAIN_OBJ_TREE(number, (&(const struct uverbs_object_def) {		\
		.id = (number),								\
		.type_attrs = (type),							\
		.num_methods = SIZE(struct uverbs_method_def, __VA_ARGS__),		\
		.methods = (void *)LIST(struct uverbs_method_def, __VA_ARGS__),		\
	}))
#define HANDLER		uverbs_destroy_def_handler
#define DATA(number)	UVERBS_ATTR_PTR_IN(number, UVERBS_ATTR_TYPE(u32))
#define DEFINITIONS(name, ...)								\
	static const struct uapi_definition name[] = { __VA_ARGS__, {} }

DEFINITIONS(twice_an_attribute,
	    OBJECT_OF(KTM_NS, NULL, METHOD_OF(KTM_NS, HANDLER, DATA(1), DATA(2), DATA(1))));
DEFINITIONS(twice_a_handler,
	    OBJECT_OF(KTM_NS, NULL, METHOD_OF(KTM_NS, HANDLER, DATA(1)),
		      METHOD_OF(KTM_NS, HANDLER, DATA(2))));
DEFINITIONS(twice_a_standard_handler,
	    OBJECT_OF(UVERBS_OBJECT_PD, NULL,
		      METHOD_OF(UVERBS_METHOD_PD_DESTROY, HANDLER, DATA(KTM_NS))));
DEFINITIONS(twice_a_type, OBJECT_OF(KTM_NS, BOX, METHOD_OF(KTM_NS, HANDLER, DATA(1))),
	    OBJECT_OF(KTM_NS, BOX, METHOD_OF(KTM_NS + 1, HANDLER, DATA(1))));
DEFINITIONS(standard_type,
	    OBJECT_OF(UVERBS_OBJECT_PD, BOX, METHOD_OF(KTM_NS, HANDLER, DATA(1))));
DEFINITIONS(no_handler, OBJECT_OF(KTM_NS, BOX, METHOD_OF(KTM_NS, NULL, DATA(1))));
DEFINITIONS(standard_object, OBJECT_OF(100, BOX, METHOD_OF(KTM_NS, HANDLER, DATA(1))));
DEFINITIONS(any_object,
	    OBJECT_OF(UVERBS_IDR_ANY_OBJECT, BOX, METHOD_OF(KTM_NS, HANDLER, DATA(1))));
DEFINITIONS(standard_method,
	    OBJECT_OF(UVERBS_OBJECT_PD, NULL, METHOD_OF(100, HANDLER, DATA(1))));
DEFINITIONS(standard_attribute,
	    OBJECT_OF(UVERBS_OBJECT_PD, NULL, METHOD_OF(UVERBS_METHOD_PD_DESTROY, NULL, DATA(9))));
DEFINITIONS(wrong_element,
	    OBJECT_OF(KTM_NS, NULL,
		      METHOD_OF(KTM_NS, HANDLER, UVERBS_ATTR_ENUM_IN(1, wrong_elements))));
DEFINITIONS(wrong_attribute,
	    OBJECT_OF(KTM_NS, NULL,
		      METHOD_OF(KTM_NS, HANDLER, UVERBS_ATTR_DEF(1, UVERBS_ATTR_TYPE_NA))));
DEFINITIONS(wrong_access,
	    OBJECT_OF(KTM_NS, BOX,
		      METHOD_OF(KTM_NS, HANDLER,
				UVERBS_ATTR_IDR(1, KTM_NS, UVERBS_ACCESS_DESTROY + 1))));
DEFINITIONS(two_are_made,
	    OBJECT_OF(KTM_NS, BOX,
		      METHOD_OF(KTM_NS, HANDLER, UVERBS_ATTR_IDR(1, KTM_NS, UVERBS_ACCESS_NEW),
				UVERBS_ATTR_IDR(2, KTM_NS, UVERBS_ACCESS_DESTROY))));
DEFINITIONS(any_is_made,
	    OBJECT_OF(KTM_NS, BOX,
		      METHOD_OF(KTM_NS, HANDLER, UVERBS_ATTR_IDR(1, UVERBS_IDR_ANY_OBJECT,
								 UVERBS_ACCESS_DESTROY))));
DEFINITIONS(any_file,
	    OBJECT_OF(KTM_NS, BOX,
		      METHOD_OF(KTM_NS, HANDLER, UVERBS_ATTR_FD(1, UVERBS_IDR_ANY_OBJECT,
								UVERBS_ACCESS_READ))));
DEFINITIONS(standard_is_made,
	    OBJECT_OF(KTM_NS, BOX,
		      METHOD_OF(KTM_NS, HANDLER, UVERBS_ATTR_IDR(1, UVERBS_OBJECT_QP,
								 UVERBS_ACCESS_NEW))));
DEFINITIONS(standard_method_makes,
	    OBJECT_OF(KTM_NS, BOX, METHOD_OF(KTM_NS, HANDLER, DATA(1))),
	    OBJECT_OF(UVERBS_OBJECT_PD, NULL,
		      METHOD_OF(UVERBS_METHOD_PD_DESTROY, NULL,
				UVERBS_ATTR_IDR(KTM_NS, KTM_NS, UVERBS_ACCESS_NEW))));
DEFINITIONS(handle_of_a_file,
	    OBJECT_OF(KTM_NS, FILE_OF(&good_fops),
		      METHOD_OF(KTM_NS, HANDLER, UVERBS_ATTR_IDR(1, KTM_NS, UVERBS_ACCESS_NEW))));
DEFINITIONS(file_of_a_box,
	    OBJECT_OF(KTM_NS, BOX,
		      METHOD_OF(KTM_NS, HANDLER, UVERBS_ATTR_FD(1, KTM_NS, UVERBS_ACCESS_READ))));
DEFINITIONS(file_is_destroyed,
	    OBJECT_OF(KTM_NS, FILE_OF(&good_fops),
		      METHOD_OF(KTM_NS, HANDLER,
				UVERBS_ATTR_DEF(1, UVERBS_ATTR_TYPE_FD, .u.obj.obj_type = KTM_NS,
						.u.obj.access = UVERBS_ACCESS_DESTROY))));
DEFINITIONS(no_destructor,
	    OBJECT_OF(KTM_NS, UVERBS_TYPE_ALLOC_IDR(NULL), METHOD_OF(KTM_NS, HANDLER, DATA(1))));
DEFINITIONS(no_release,
	    OBJECT_OF(KTM_NS, FILE_OF(&wrong_fops), METHOD_OF(KTM_NS, HANDLER, DATA(1))));
DEFINITIONS(no_end_of_a_file,
	    OBJECT_OF(KTM_NS, UVERBS_TYPE_ALLOC_FD(sizeof(struct ib_uobject), NULL, &good_fops,
						   "[wrong]", 0),
		      METHOD_OF(KTM_NS, HANDLER, DATA(1))));
DEFINITIONS(no_operations,
	    OBJECT_OF(KTM_NS, FILE_OF(NULL), METHOD_OF(KTM_NS, HANDLER, DATA(1))));
DEFINITIONS(no_name,
	    OBJECT_OF(KTM_NS, UVERBS_TYPE_ALLOC_FD(sizeof(struct ib_uobject), no_end, &good_fops,
						   NULL, 0),
		      METHOD_OF(KTM_NS, HANDLER, DATA(1))));
DEFINITIONS(no_elements,
	    OBJECT_OF(KTM_NS, NULL,
		      METHOD_OF(KTM_NS, HANDLER,
				UVERBS_ATTR_DEF(1, UVERBS_ATTR_TYPE_ENUM_IN,
						.u2.enum_def.ids = good_elements))));
DEFINITIONS(no_array_of_elements,
	    OBJECT_OF(KTM_NS, NULL,
		      METHOD_OF(KTM_NS, HANDLER,
				UVERBS_ATTR_DEF(1, UVERBS_ATTR_TYPE_ENUM_IN,
						.u.enum_def.num_elems = 1))));
DEFINITIONS(many_are_made,
	    OBJECT_OF(KTM_NS, BOX,
		      METHOD_OF(KTM_NS, HANDLER,
				UVERBS_ATTR_DEF(1, UVERBS_ATTR_TYPE_IDRS_ARRAY,
						.u2.objs_arr.obj_type = KTM_NS,
						.u2.objs_arr.access = UVERBS_ACCESS_NEW,
						.u2.objs_arr.min_len = 1,
						.u2.objs_arr.max_len = 1))));
DEFINITIONS(no_object, UAPI_DEF_OBJ_NEEDS_FN(alloc_pd));
DEFINITIONS(no_kind, OBJECT_OF(KTM_NS, BOX, METHOD_OF(KTM_NS, HANDLER, DATA(1))),
	    { .kind = UAPI_KIND_NEEDS_FN + 1 });

static const struct uapi_definition contains_itself[] = {
	UAPI_DEF_CHAIN(contains_itself),
	{}
};

DEFINITIONS(too_many_attributes,
	    OBJECT_OF(KTM_NS, NULL,
		      METHOD_OF(KTM_NS, HANDLER,
				DATA(1), DATA(2), DATA(3), DATA(4), DATA(5), DATA(6), DATA(7),
				DATA(8), DATA(9), DATA(10), DATA(11), DATA(12), DATA(13), DATA(14),
				DATA(15), DATA(16), DATA(17), DATA(18), DATA(19), DATA(20),
				DATA(21), DATA(22), DATA(23), DATA(24), DATA(25), DATA(26),
				DATA(27), DATA(28), DATA(29), DATA(30), DATA(31), DATA(32),
				DATA(33))));

/* One method, and one object, more than there may be. */
#define METHOD(n)	METHOD_OF(KTM_NS + (n), HANDLER, DATA(1))
#define OBJECT(n)	OBJECT_OF(KTM_NS + (n), NULL, METHOD_OF(KTM_NS, HANDLER, DATA(1)))

DEFINITIONS(too_many_methods,
	    OBJECT_OF(KTM_NS, BOX,
		      METHOD(0), METHOD(1), METHOD(2), METHOD(3), METHOD(4), METHOD(5), METHOD(6),
		      METHOD(7), METHOD(8), METHOD(9), METHOD(10), METHOD(11), METHOD(12),
		      METHOD(13), METHOD(14), METHOD(15), METHOD(16), METHOD(17), METHOD(18),
		      METHOD(19), METHOD(20), METHOD(21), METHOD(22), METHOD(23), METHOD(24),
		      METHOD(25), METHOD(26), METHOD(27), METHOD(28), METHOD(29), METHOD(30),
		      METHOD(31), METHOD(32), METHOD(33), METHOD(34), METHOD(35), METHOD(36),
		      METHOD(37), METHOD(38), METHOD(39), METHOD(40), METHOD(41), METHOD(42),
		      METHOD(43), METHOD(44), METHOD(45), METHOD(46), METHOD(47), METHOD(48),
		      METHOD(49), METHOD(50), METHOD(51), METHOD(52), METHOD(53), METHOD(54),
		      METHOD(55), METHOD(56), METHOD(57), METHOD(58), METHOD(59), METHOD(60),
		      METHOD(61), METHOD(62), METHOD(63), METHOD(64)));
DEFINITIONS(too_many_objects,
	    OBJECT(0), OBJECT(1), OBJECT(2), OBJECT(3), OBJECT(4), OBJECT(5), OBJECT(6),
	    OBJECT(7), OBJECT(8), OBJECT(9), OBJECT(10), OBJECT(11), OBJECT(12), OBJECT(13),
	    OBJECT(14), OBJECT(15), OBJECT(16), OBJECT(17), OBJECT(18), OBJECT(19), OBJECT(20),
	    OBJECT(21), OBJECT(22), OBJECT(23), OBJECT(24), OBJECT(25), OBJECT(26), OBJECT(27),
	    OBJECT(28), OBJECT(29), OBJECT(30), OBJECT(31), OBJECT(32), OBJECT(33), OBJECT(34),
	    OBJECT(35), OBJECT(36), OBJECT(37), OBJECT(38), OBJECT(39), OBJECT(40), OBJECT(41),
	    OBJECT(42), OBJECT(43), OBJECT(44), OBJECT(45), OBJECT(46), OBJECT(47), OBJECT(48),
	    OBJECT(49), OBJECT(50), OBJECT(51), OBJECT(52), OBJECT(53), OBJECT(54), OBJECT(55),
	    OBJECT(56), OBJECT(57), OBJECT(58), OBJECT(59), OBJECT(60), OBJECT(61), OBJECT(62),
	    OBJECT(63), OBJECT(64));

const struct uapi_definition * const ktm_wrong[] = {
	twice_an_attribute, twice_a_handler, twice_a_standard_handler, twice_a_type, standard_type,
	no_handler, standard_object, any_object, standard_method, standard_attribute, wrong_element,
	wrong_attribute, wrong_access, two_are_made, any_is_made, any_file,
	standard_is_made, standard_method_makes, handle_of_a_file, file_of_a_box,
	file_is_destroyed, no_destructor, no_release, no_object, no_kind, contains_itself,
	too_many_attributes, no_end_of_a_file, no_operations, no_name, no_elements,
	no_array_of_elements, many_are_made, too_many_methods, too_many_objects,
};
const unsigned int ktm_num_wrong = ARRAY_SIZE(ktm_wrong);
