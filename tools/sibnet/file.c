// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause

#include "file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"

#define FILE_MAX_LEN	(256u << 20)
#define FILE_FIRST_LEN	65536

/* Reads all of a file into memory, which the caller frees. Returns NULL, and errno is set. */
static char *read_all(FILE *file, size_t *len)
{
	size_t room = FILE_FIRST_LEN;
	char *text = malloc(room), *more;

	*len = 0;
	while (text) {
		*len += fread(text + *len, 1, room - *len, file);
		if (*len < room && !ferror(file))
			return text;
		if (*len < room || room == FILE_MAX_LEN) {
			errno = ferror(file) ? errno : EFBIG;
			break;
		}
		room *= 2;
		more = realloc(text, room);
		if (!more)
			break;
		text = more;
	}
	free(text);
	return NULL;
}

int file_read(const char *path, struct topology *topo, struct fault *fault)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *text = NULL;
	size_t len;
	int err;

	if (file)
		text = read_all(file, &len);
	err = text ? topo_parse(topo, text, len, fault) : fault_at(fault, 0, 0, "%s",
								  strerror(errno));
	free(text);
	if (file && file != stdin)
		fclose(file);
	return err;
}
