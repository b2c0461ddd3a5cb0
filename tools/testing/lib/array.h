/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Arrays of the tests' programs.
 */
#ifndef _KRDMA_TESTING_LIB_ARRAY_H_
#define _KRDMA_TESTING_LIB_ARRAY_H_

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof(*(array)))

#endif /* _KRDMA_TESTING_LIB_ARRAY_H_ */
