/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Definitions of a driver's own objects and methods of ioctl(). The driver defines
 * UVERBS_MODULE_NAME, with which the variables' names begin, before it includes this file.
 *
 * The handler of the method @id is the function UVERBS_HANDLER(@id).
 */
#ifndef _RDMA_UVERBS_NAMED_IOCTL_H_
#define _RDMA_UVERBS_NAMED_IOCTL_H_

#ifdef _UVERBS_NAMED_IOCTL_
#error "the kernel's <rdma/uverbs_named_ioctl.h> was included before krdma's"
#endif
#define _UVERBS_NAMED_IOCTL_

#include <linux/kernel.h>
#include <rdma/uverbs_ioctl.h>
#include <rdma/uverbs_types.h>

#define __UVERBS_PASTE(_module, _rest)	_module##_rest
#define _UVERBS_PASTE(_module, _rest)	__UVERBS_PASTE(_module, _rest)

/* Names of the variables and functions of a method or an object. */
#define UVERBS_METHOD(_id)		_UVERBS_PASTE(UVERBS_MODULE_NAME, _method_##_id)
#define UVERBS_HANDLER(_id)		_UVERBS_PASTE(UVERBS_MODULE_NAME, _handler_##_id)
#define UVERBS_OBJECT(_id)		_UVERBS_PASTE(UVERBS_MODULE_NAME, _object_##_id)
#define UVERBS_METHOD_ATTRS(_id)	_UVERBS_PASTE(UVERBS_MODULE_NAME, _method_attrs_##_id)
#define UVERBS_OBJECT_METHODS(_id)	_UVERBS_PASTE(UVERBS_MODULE_NAME, _object_methods_##_id)

#define UVERBS_METHOD_VARIABLE(_id, _handler, ...)					\
	static const struct uverbs_attr_def * const UVERBS_METHOD_ATTRS(_id)[] = {	\
		__VA_ARGS__								\
	};										\
	static const struct uverbs_method_def UVERBS_METHOD(_id) = {			\
		.id = (_id),								\
		.handler = (_handler),							\
		.num_attrs = ARRAY_SIZE(UVERBS_METHOD_ATTRS(_id)),			\
		.attrs = &UVERBS_METHOD_ATTRS(_id),					\
	}

/* A method, with the attributes that follow. */
#define DECLARE_UVERBS_NAMED_METHOD(_id, ...)						\
	UVERBS_METHOD_VARIABLE(_id, UVERBS_HANDLER(_id), __VA_ARGS__)

/* A method that only destroys an object, whose handle is one of the attributes. */
#define DECLARE_UVERBS_NAMED_METHOD_DESTROY(_id, ...)					\
	UVERBS_METHOD_VARIABLE(_id, uverbs_destroy_def_handler, __VA_ARGS__)

/* An object of the kind @_type_attrs, with the methods that follow. */
#define DECLARE_UVERBS_NAMED_OBJECT(_id, _type_attrs, ...)				\
	static const struct uverbs_method_def * const UVERBS_OBJECT_METHODS(_id)[] = {	\
		__VA_ARGS__								\
	};										\
	extern const struct uverbs_object_def UVERBS_OBJECT(_id);			\
	const struct uverbs_object_def UVERBS_OBJECT(_id) = {				\
		.id = (_id),								\
		.type_attrs = (_type_attrs),						\
		.num_methods = ARRAY_SIZE(UVERBS_OBJECT_METHODS(_id)),			\
		.methods = &UVERBS_OBJECT_METHODS(_id),					\
	}

/* Methods without an object; or methods that are added to the object @_id. */
#define DECLARE_UVERBS_GLOBAL_METHODS(_id, ...)						\
	DECLARE_UVERBS_NAMED_OBJECT(_id, NULL, ##__VA_ARGS__)

/* The variable @_name, with methods that are added to the object @_object. */
#define ADD_UVERBS_METHODS(_name, _object, ...)						\
	static const struct uverbs_method_def * const UVERBS_OBJECT_METHODS(_name)[] = { \
		__VA_ARGS__								\
	};										\
	static const struct uverbs_object_def _name = {					\
		.id = (_object),							\
		.num_methods = ARRAY_SIZE(UVERBS_OBJECT_METHODS(_name)),		\
		.methods = &UVERBS_OBJECT_METHODS(_name),				\
	}

/* The variable @_name, with attributes that are added to a method of the object @_object. */
#define ADD_UVERBS_ATTRIBUTES_SIMPLE(_name, _object, _method, ...)			\
	static const struct uverbs_attr_def * const UVERBS_METHOD_ATTRS(_name)[] = {	\
		__VA_ARGS__								\
	};										\
	static const struct uverbs_method_def UVERBS_METHOD(_name) = {			\
		.id = (_method),							\
		.num_attrs = ARRAY_SIZE(UVERBS_METHOD_ATTRS(_name)),			\
		.attrs = &UVERBS_METHOD_ATTRS(_name),					\
	};										\
	ADD_UVERBS_METHODS(_name, _object, &UVERBS_METHOD(_name))

/* Like UAPI_DEF_CHAIN_OBJ_TREE(), for a definition of DECLARE_UVERBS_NAMED_OBJECT(). */
#define UAPI_DEF_CHAIN_OBJ_TREE_NAMED(_id, ...)						\
	UAPI_DEF_CHAIN_OBJ_TREE(_id, &UVERBS_OBJECT(_id), ##__VA_ARGS__)

#endif /* _RDMA_UVERBS_NAMED_IOCTL_H_ */
