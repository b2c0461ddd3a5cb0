/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Builds DDP segments, and compares RDMAP messages, according to the words of a script line. */
#ifndef WIRE_SCRIPT_SEGMENT_H
#define WIRE_SCRIPT_SEGMENT_H

#include "args.h"
#include "conn.h"

/**
 * struct message_kind - a kind of message
 * @name: name in scripts
 * @opcode: opcode on the wire
 * @tagged: uses the tagged buffer model
 * @qn: queue number, if untagged
 * @invalidates: carries an STag to invalidate
 */
struct message_kind {
	const char *name;
	u8 opcode;
	bool tagged;
	u8 qn;
	bool invalidates;
};

/* Returns NULL if @name is no kind of message. */
const struct message_kind *message_kind(const char *name);

/* Sends one segment, with the fields that @args names. */
void segment_send(struct run *run, struct conn *conn, const struct message_kind *kind,
		  struct args *args);

/*
 * Receives all segments of a message, or only one segment with the word `seg`. Fails the run if a
 * field that @args names has another value, or if a field that has only one valid value is wrong.
 */
void message_expect(struct run *run, struct conn *conn, const struct message_kind *kind,
		    struct args *args);

/* Receives FPDUs of any kind until the host ends the connection. Each has to be whole and valid. */
void segments_expect(struct run *run, struct conn *conn);

#endif /* WIRE_SCRIPT_SEGMENT_H */
