// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Stands in for libFuzzer where clang has none: mutates the corpus, without coverage,
 * from a fixed seed. Takes -max_total_time=SECONDS and one corpus folder, or files to replay.
 */

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

#include "fuzz.h"

#define INPUT_MAX	2048
#define SEEDS_MAX	1024

struct seed {
	size_t len;
	uint8_t at[INPUT_MAX];
};

static struct {
	struct seed *seeds;
	size_t count;
	uint64_t random;
	struct seed now;	/* what is being tried, for the report of a crash */
} fuzz = { .random = 0x9e3779b97f4a7c15 };

static uint64_t draw(uint64_t below)
{
	fuzz.random ^= fuzz.random << 13;
	fuzz.random ^= fuzz.random >> 7;
	fuzz.random ^= fuzz.random << 17;
	return fuzz.random % below;
}

/* Sanitizers call this on their way out; a failed claim calls it through abort(). */
void __asan_on_error(void);
void __asan_on_error(void)
{
	fprintf(stderr, "input:");
	for (size_t i = 0; i < fuzz.now.len; i++)
		fprintf(stderr, " %02x", fuzz.now.at[i]);
	fprintf(stderr, "\n");
}

static bool load(const char *path)
{
	struct seed *seed = &fuzz.seeds[fuzz.count];
	FILE *file = fopen(path, "rb");

	if (!file)
		return false;
	seed->len = fread(seed->at, 1, INPUT_MAX, file);
	fclose(file);
	fuzz.count++;
	return true;
}

static void load_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	char name[4096];

	while (dir && (entry = readdir(dir)) && fuzz.count < SEEDS_MAX) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		load(name);
	}
	if (dir)
		closedir(dir);
}

static void splice(struct seed *s)
{
	const struct seed *other = &fuzz.seeds[draw(fuzz.count)];
	size_t from = draw(other->len + 1), to = draw(s->len + 1);
	size_t n = draw(other->len - from + 1);

	if (to + n > INPUT_MAX)
		n = INPUT_MAX - to;
	memcpy(s->at + to, other->at + from, n);
	if (s->len < to + n)
		s->len = to + n;
}

static void mutate(struct seed *s)
{
	static const uint8_t edges[] = { 0, 1, 2, 0x0e, 0x12, 0x2e, 0x3f, 0x40, 0x7f, 0x80, 0xff };
	size_t pos = draw(s->len ? s->len : 1);

	switch (draw(6)) {
	case 0:
		s->at[pos] ^= 1 << draw(8);
		break;
	case 1:
		s->at[pos] = draw(256);
		break;
	case 2:
		s->at[pos] = edges[draw(sizeof(edges))];
		break;
	case 3:
		s->len = draw(s->len + 1);
		break;
	case 4:
		s->at[pos] += draw(2) ? 1 : -1;
		break;
	default:
		splice(s);
		break;
	}
}

static void try_input(const struct seed *s)
{
	uint8_t *copy = exact(s->at, s->len);

	fuzz.now = *s;
	LLVMFuzzerTestOneInput(copy, s->len);
	free(copy);
}

static unsigned long run_for(long seconds)
{
	time_t end = time(NULL) + seconds;
	unsigned long runs = 0;
	struct seed s;

	for (; runs % 1024 || time(NULL) < end; runs++) {
		s = fuzz.seeds[draw(fuzz.count)];
		for (uint64_t n = draw(6); n; n--)
			mutate(&s);
		try_input(&s);
	}
	return runs;
}

int main(int argc, char **argv)
{
	unsigned long runs;
	long seconds = 0;
	struct stat st;

	fuzz.seeds = calloc(SEEDS_MAX, sizeof(*fuzz.seeds));
	CLAIM(fuzz.seeds);
	for (int i = 1; i < argc; i++) {
		if (sscanf(argv[i], "-max_total_time=%ld", &seconds) == 1)
			continue;
		if (!stat(argv[i], &st) && S_ISDIR(st.st_mode))
			load_folder(argv[i]);
		else if (fuzz.count < SEEDS_MAX && !load(argv[i]))
			fprintf(stderr, "cannot read %s\n", argv[i]);
	}
	if (!fuzz.count)
		return EXIT_FAILURE;
	for (size_t i = 0; i < fuzz.count; i++)
		try_input(&fuzz.seeds[i]);
	runs = fuzz.count + (seconds ? run_for(seconds) : 0);
	printf("stat::number_of_executed_units: %lu\n", runs);
	free(fuzz.seeds);
	return EXIT_SUCCESS;
}
