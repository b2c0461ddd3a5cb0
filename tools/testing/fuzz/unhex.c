// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Turns a corpus file (hex digits, "#" comments) into the bytes it stands for. */

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static int value(int c)
{
	return isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
}

int main(void)
{
	int high = -1, c;

	while ((c = getchar()) != EOF) {
		if (c == '#') {
			while (c != '\n' && c != EOF)
				c = getchar();
		} else if (isxdigit(c)) {
			if (high >= 0)
				putchar(high << 4 | value(c));
			high = high >= 0 ? -1 : value(c);
		}
	}
	return high >= 0 || fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
