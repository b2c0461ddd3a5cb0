/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Forget what a list of names was made before.
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
