/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Parses the words of a script line: flags, `key=value`, numbers, bytes. */
#ifndef WIRE_SCRIPT_ARGS_H
#define WIRE_SCRIPT_ARGS_H

#include "run.h"

#define ARGS_MAX	64

/**
 * struct arg - a word
 * @key: the part before the first "=", or the whole word
 * @value: the part after the first "="; NULL for a word without "="
 * @used: a statement has read the word
 */
struct arg {
	char *key;
	char *value;
	bool used;
};

struct args {
	struct run *run;
	int num;
	struct arg arg[ARGS_MAX];
};

/* Splits a copy of @text into words at blanks, except within double quotes. */
void args_parse(struct run *run, struct args *args, const char *text);

/* Returns the first unused word if it has no value, else NULL. */
const char *args_word(struct args *args);
bool args_flag(struct args *args, const char *key);
/* Returns the value of @key, or NULL if there is none. */
const char *args_text(struct args *args, const char *key);
u64 args_number(struct args *args, const char *key, u64 otherwise);
/*
 * Appends the bytes that the value of @key describes to @bytes. Returns false if @key is missing.
 */
bool args_bytes(struct args *args, const char *key, struct bytes *bytes);
/* Fails the run if @key is given with another value than @seen. */
void args_expect(struct args *args, const char *key, u64 seen);
/* Fails the run if a word is unused, because the statement does not know the word. */
void args_done(struct args *args);

/*
 * Returns the value of an expression: numbers in C notation and names of variables and errors,
 * combined by "+" and "-".
 */
u64 number(struct run *run, const char *text);

/* Returns the errno that @name names, such as "ECONNRESET", or 0 if @name is unknown. */
int errno_of(const char *name);

/*
 * Appends the bytes that @text describes: hex digits; fill:LEN[:SEED[:OFFSET]] (LEN bytes of
 * kscript's pattern, beginning with byte OFFSET of the pattern); byte:VALUE:LEN; text:TEXT; be16:,
 * be32: or be64:NUMBER; or several of these, separated by ",".
 */
void bytes_of(struct run *run, const char *text, struct bytes *bytes);

#endif /* WIRE_SCRIPT_ARGS_H */
