/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * What messages of the clients of RDMA netlink look like.
 */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stdbool.h>
#include <stdint.h>

#define RULE_ATTRS	8

/* What an attribute holds. */
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
	uint32_t number;	/* U8...U32: a value that makes sense */
	const char *text;	/* STRING: likewise */
};

struct op_rule {
	uint16_t op;
	bool changes;		/* a good message would change something */
	struct attr_rule attrs[RULE_ATTRS];
};

struct client_rule {
	const char *name;
	uint16_t client;
	uint16_t num_ops;	/* of which the last may be none */
	uint16_t max_attr;
	const struct op_rule *rules;
	unsigned int num_rules;
};

extern const struct client_rule grammar[];
extern const unsigned int grammar_size;

#endif /* GRAMMAR_H */
