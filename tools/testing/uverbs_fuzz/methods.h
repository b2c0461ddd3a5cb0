/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * uverbs_fuzz: what ioctl() can be asked, as tables.
 */
#ifndef UVERBS_FUZZ_METHODS_H
#define UVERBS_FUZZ_METHODS_H

#include <stdint.h>

/**
 * enum content - what stands in an attribute
 * @VALUE: a number from low to high
 * @CAP: capacities of a QP
 * @BYTES: memory with anything in it
 * @ROOM: for an answer
 * @HANDLE: of an object
 * @NEW: the handle of the object that is made
 * @CHANNEL: a descriptor of a channel for completions
 * @ASYNC: a descriptor of asynchronous events
 * @NEW_FD: the descriptor that is made
 * @DRIVER: room for siw's answer
 */
enum content { VALUE, CAP, BYTES, ROOM, HANDLE, NEW, CHANNEL, ASYNC, NEW_FD, DRIVER };

/**
 * struct attr_plan - an attribute of a method
 * @id: its number
 * @content: &enum content
 * @len: bytes
 * @seldom: it is left out, mostly
 * @kind: HANDLE, NEW: of object
 * @low: VALUE
 * @high: VALUE
 */
struct attr_plan {
	uint16_t id;
	uint8_t content;
	uint16_t len;
	bool seldom;
	uint8_t kind;
	uint32_t low;
	uint32_t high;
};

enum effect { NONE, CREATES, DESTROYS };

/**
 * struct method_plan - a method that there is
 * @object: its kind
 * @method: its number
 * @attrs: what it takes
 * @num: how many
 * @effect: what becomes of the object that is named first
 * @weight: how often it is called, compared with others
 */
struct method_plan {
	uint16_t object;
	uint16_t method;
	const struct attr_plan *attrs;
	unsigned int num;
	enum effect effect;
	unsigned int weight;
};

extern const struct method_plan method_plans[];
extern const unsigned int num_method_plans;

#endif /* UFUZZ_METHODS_H */
