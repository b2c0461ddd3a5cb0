/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The words of a line: flags, `key=value`, numbers, bytes. */
#ifndef PEER_ARGS_H
#define PEER_ARGS_H

#include "run.h"

#define ARGS_MAX	64

/**
 * struct arg - a word
 * @key: all of it, or what stands before the first "="
 * @value: what stands behind; NULL for a word without "="
 * @used: somebody asked for it
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

/* Takes @text apart, in a copy. "..." keeps blanks together. */
void args_parse(struct run *run, struct args *args, const char *text);

/* The first word that nobody asked for yet, if it has no value; else NULL. */
const char *args_word(struct args *args);
bool args_flag(struct args *args, const char *key);
/* NULL if it is not there. */
const char *args_text(struct args *args, const char *key);
bool args_has(struct args *args, const char *key);
u64 args_number(struct args *args, const char *key, u64 otherwise);
/* False if it is not there. */
bool args_bytes(struct args *args, const char *key, struct bytes *bytes);
/* Fails if @key is there with another value than @seen. */
void args_expect(struct args *args, const char *key, u64 seen);
/* Fails if a word is left that nobody asked for. */
void args_done(struct args *args);

/*
 * An expression: numbers as C writes them, and names of variables and errors, added and subtracted.
 */
u64 number(struct run *run, const char *text);

/* ECONNRESET and the like; 0: none known. */
int errno_of(const char *name);

/*
 * Bytes: hex digits; fill:LEN[:SEED[:OFFSET]] (kscript's pattern, from its byte OFFSET on);
 * byte:VALUE:LEN; text:TEXT; be16:, be32:, be64:NUMBER; several with "," between.
 */
void bytes_of(struct run *run, const char *text, struct bytes *bytes);

#endif /* PEER_ARGS_H */
