// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Converts the corpus between text and files.
 *
 *	hex unpack DIR < TEXT	one file in DIR for each input
 *	hex pack FILE... > TEXT	the reverse, the shortest input first
 *
 * In the text, an input consists of hex digits in any number of lines, and ends at an empty line. A
 * comment begins with "#".
 */

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/testing/lib/die.h"

#define INPUT_MAX	65536
#define LINE_BYTES	48

struct input {
	size_t len;
	uint8_t *at;
};

/*
 * Reads the hex digits of a line up to a comment. Returns the number of bytes, or -1 if the line is
 * malformed or has more than @room bytes.
 */
static long read_line(const char *line, uint8_t *to, size_t room)
{
	size_t digits = 0;

	for (; *line && *line != '#'; line++) {
		int c = tolower((unsigned char)*line);

		if (isspace(c))
			continue;
		if (!isxdigit(c) || digits / 2 >= room)
			return -1;
		c -= isdigit(c) ? '0' : 'a' - 10;
		to[digits / 2] = digits % 2 ? to[digits / 2] | c : c << 4;
		digits++;
	}
	return digits % 2 ? -1 : (long)(digits / 2);
}

static void store(const char *dir, unsigned int number, const struct input *input)
{
	char path[4096];
	FILE *file;

	snprintf(path, sizeof(path), "%s/seed-%04u", dir, number);
	file = fopen(path, "wb");
	if (!file || fwrite(input->at, 1, input->len, file) != input->len || fclose(file))
		die("%s", path);
}

static void unpack(const char *dir)
{
	static uint8_t bytes[INPUT_MAX];
	struct input input = { 0, bytes };
	unsigned int number = 0;
	char line[4096];
	long n;

	while (fgets(line, sizeof(line), stdin)) {
		n = read_line(line, bytes + input.len, sizeof(bytes) - input.len);
		if (n < 0)
			die("%s", line);
		input.len += n;
		if (line[strspn(line, " \t\n")] || !input.len)
			continue;
		store(dir, number++, &input);
		input.len = 0;
	}
	if (input.len)
		store(dir, number, &input);
}

static int compare(const void *a, const void *b)
{
	const struct input *x = a, *y = b;

	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return memcmp(x->at, y->at, x->len);
}

static void pack(char **paths, int count)
{
	struct input *inputs = calloc(count, sizeof(*inputs));

	if (!inputs)
		die("no memory");
	for (int i = 0; i < count; i++) {
		FILE *file = fopen(paths[i], "rb");

		inputs[i].at = malloc(INPUT_MAX);
		if (!file || !inputs[i].at)
			die("%s", paths[i]);
		inputs[i].len = fread(inputs[i].at, 1, INPUT_MAX, file);
		fclose(file);
	}
	qsort(inputs, count, sizeof(*inputs), compare);
	for (int i = 0; i < count; i++) {
		size_t last = inputs[i].len - 1;

		printf("%s", i ? "\n" : "");
		for (size_t n = 0; n < inputs[i].len; n++)
			printf("%02x%s", inputs[i].at[n],
			       n % LINE_BYTES == LINE_BYTES - 1 || n == last ? "\n" : "");
		free(inputs[i].at);
	}
	free(inputs);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "unpack"))
		unpack(argv[2]);
	else if (argc > 2 && !strcmp(argv[1], "pack"))
		pack(argv + 2, argc - 2);
	else
		die("usage: hex unpack DIR < TEXT, hex pack FILE... > TEXT");
	return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
