/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The grammar of messages to the clients of RDMA netlink.
 */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stdbool.h>
#include <stdint.h>

#define RULE_ATTRS	8

/* The type of an attribute's value. */
enum kind {
	KIND_END,
	KIND_U8,
	KIND_U16,
	KIND_U32,
	KIND_STRING,
	KIND_ADDRESS,
	KIND_NEST,
};

struct attr_rule {
	uint16_t type;
	enum kind kind;
	uint32_t number;	/* U8...U32: a plausible value; NEST: type of inner attributes */
	const char *text;	/* STRING: a plausible value */
};

struct op_rule {
	uint16_t op;
	bool changes;		/* a valid message would change something */
	struct attr_rule attrs[RULE_ATTRS];
};

struct client_rule {
	const char *name;
	uint16_t client;
	uint16_t num_ops;	/* reserved operations included */
	uint16_t max_attr;
	const struct op_rule *rules;
	unsigned int num_rules;
};

extern const struct client_rule grammar[];
extern const unsigned int grammar_size;

#endif /* GRAMMAR_H */
