/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * How the programs of the tests end when they cannot go on.
 */
#ifndef _KRDMA_TESTING_LIB_DIE_H_
#define _KRDMA_TESTING_LIB_DIE_H_

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Prints the program's name and the message, and ends the program with status 2. "%m" in @format is
 * the error of errno.
 */
static inline _Noreturn void die(const char *format, ...)
{
	va_list args;
	int err = errno;

	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(args, format);
	errno = err;
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

#endif /* _KRDMA_TESTING_LIB_DIE_H_ */
