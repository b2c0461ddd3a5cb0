/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * uverbs_fuzz: tables of the methods of ioctl().
 */
#ifndef UVERBS_FUZZ_METHODS_H
#define UVERBS_FUZZ_METHODS_H

#include <stdint.h>

/**
 * enum content - what an attribute contains
 * @VALUE: a number, from @low to @high of &struct attr_plan
 * @CAP: capacities of a QP
 * @BYTES: a pointer to arbitrary bytes
 * @ROOM: a pointer to room for a response
 * @HANDLE: the handle of an object
 * @NEW: the handle of the object that is created
 * @CHANNEL: the descriptor of a completion channel
 * @ASYNC: the descriptor of asynchronous events
 * @NEW_FD: the descriptor that is created
 * @DRIVER: a pointer to room for siw's response
 */
enum content { VALUE, CAP, BYTES, ROOM, HANDLE, NEW, CHANNEL, ASYNC, NEW_FD, DRIVER };

/**
 * struct attr_plan - an attribute of a method
 * @id: the number of the attribute
 * @content: &enum content
 * @len: the length of the attribute in bytes
 * @seldom: whether eleven of twelve calls leave the attribute out
 * @kind: if @content is HANDLE or NEW, the kind of object
 * @low: if @content is VALUE, the smallest number
 * @high: if @content is VALUE, the largest number
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
 * struct method_plan - a method
 * @object: the object type that has the method
 * @method: the number of the method
 * @attrs: the attributes of the method
 * @num: the number of attributes
 * @effect: what the method does to the object in the first attribute
 * @weight: how often the method is called, compared with other methods
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

#endif /* UVERBS_FUZZ_METHODS_H */
