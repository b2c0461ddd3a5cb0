/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* Builds and compares the payload of messages: data, Read Requests, Terminates. */
#ifndef WIRE_SCRIPT_PAYLOAD_H
#define WIRE_SCRIPT_PAYLOAD_H

#include "args.h"
#include "conn.h"
#include "segment.h"

void payload_build(struct run *run, const struct message_kind *kind, struct args *args,
		   struct bytes *payload);
void payload_expect(struct run *run, struct conn *conn, const struct message_kind *kind,
		    struct args *args, const char *prefix, const struct bytes *payload);

#endif /* WIRE_SCRIPT_PAYLOAD_H */
