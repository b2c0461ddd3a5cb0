/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* DDP segments and RDMAP messages: built of words, compared with words. */
#ifndef PEER_SEGMENT_H
#define PEER_SEGMENT_H

#include "args.h"
#include "conn.h"

/**
 * struct message_kind - a word for a kind of message
 * @name: the word
 * @opcode: on the wire
 * @tagged: buffer model
 * @qn: queue, of untagged ones
 * @invalidates: carries an STag to invalidate
 */
struct message_kind {
	const char *name;
	u8 opcode;
	bool tagged;
	u8 qn;
	bool invalidates;
};

/* NULL: no such word. */
const struct message_kind *message_kind(const char *name);

/* Sends one segment, every field of it as the words say. */
void segment_send(struct run *run, struct conn *conn, const struct message_kind *kind,
		  struct args *args);

/*
 * Takes a message in, all its segments or with `seg` one, and compares what the words name; what
 * the standard demands is compared without being named.
 */
void message_expect(struct run *run, struct conn *conn, const struct message_kind *kind,
		    struct args *args);

#endif /* PEER_SEGMENT_H */
