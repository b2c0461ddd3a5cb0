/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Make a list of names an array of cases.
 */
#undef FUNCTION
#undef CALLBACK
#undef STRUCT
#undef MEMBER
#undef ARRAY_MEMBER
#undef UNION_MEMBER
#undef UNION
#undef ENUM
#undef VALUE
#undef TYPE
#undef OPERATION

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
