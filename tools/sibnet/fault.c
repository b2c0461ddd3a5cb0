// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fault_at(struct fault *fault, unsigned int line, unsigned int column, const char *format, ...)
{
	va_list args;

	fault->line = line;
	fault->column = column;
	va_start(args, format);
	vsnprintf(fault->text, sizeof(fault->text), format, args);
	va_end(args);
	return -1;
}

void fault_add(struct fault *fault, const char *format, ...)
{
	size_t len = strlen(fault->text);
	va_list args;

	va_start(args, format);
	vsnprintf(fault->text + len, sizeof(fault->text) - len, format, args);
	va_end(args);
}

int fault_errno(struct fault *fault, const char *what)
{
	return fault_at(fault, 0, 0, "%s: %s", what, strerror(errno));
}

int fault_memory(struct fault *fault)
{
	return fault_at(fault, 0, 0, "no memory");
}
