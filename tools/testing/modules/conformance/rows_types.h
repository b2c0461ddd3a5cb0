/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Make a list of names a list of checks of their types, in a function with a variable for each
 * argument.
 */
#include "rows_undef.h"

#define FUNCTION(name, type, args)		RETURNS(type, name args);
#define CALLBACK(name, type, args)		RETURNS(type, ((name)NULL) args);
#define STRUCT(name)				static_assert(sizeof(struct name) > 0);
#define MEMBER(tag, member, type)		RETURNS(type, ((struct tag *)NULL)->member);
#define ARRAY_MEMBER(tag, member, type)		RETURNS(type, ((struct tag *)NULL)->member[0]);
#define UNION_MEMBER(tag, member)		static_assert(sizeof_field(struct tag, member) > 0);
#define UNION(name)				static_assert(sizeof(union name) > 0);
#define ENUM(name)				static_assert(sizeof(enum name) > 0);
#define VALUE(name)				static_assert((name) || !(name));
#define TYPE(name)				static_assert(sizeof(name) > 0);
#define OPERATION(name)				RETURNS(typeof(ops->name), ops->name);
