/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Make a list of names an array of cases.
 */
#include "rows_undef.h"

#define FUNCTION(name, type, args)		{ #name, kt_is_covered },
#define CALLBACK(name, type, args)		{ #name, kt_is_covered },
#define STRUCT(name)				{ "struct " #name, kt_is_covered },
#define MEMBER(tag, member, type)		{ #tag "." #member, kt_is_covered },
#define ARRAY_MEMBER(tag, member, type)		{ #tag "." #member, kt_is_covered },
#define UNION_MEMBER(tag, member)		{ #tag "." #member, kt_is_covered },
#define UNION(name)				{ "union " #name, kt_is_covered },
#define ENUM(name)				{ "enum " #name, kt_is_covered },
#define VALUE(name)				{ #name, kt_is_covered },
#define TYPE(name)				{ #name, kt_is_covered },
#define OPERATION(name)				{ "operation " #name, kt_is_covered },
