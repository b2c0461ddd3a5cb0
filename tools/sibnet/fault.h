/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Why a step has failed: a message, and the place in a file.
 */
#ifndef SIBNET_FAULT_H
#define SIBNET_FAULT_H

#define FAULT_TEXT_LEN	512

/**
 * struct fault - the first fault that was found
 * @line:	line of the file, from 1; 0 if the fault is not in a line
 * @column:	byte of the line, from 1
 * @text:	message, without the place
 */
struct fault {
	unsigned int line;
	unsigned int column;
	char text[FAULT_TEXT_LEN];
};

/**
 * fault_at() - describe a fault in a line
 * @fault:	is overwritten
 * @line:	line of the file, or 0
 * @column:	byte of the line
 * @format:	message, as for printf()
 *
 * Return: -1, for the caller to return
 */
int fault_at(struct fault *fault, unsigned int line, unsigned int column, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/**
 * fault_add() - add to the message of a fault
 * @fault:	fault that has a message
 * @format:	what follows the message, as for printf()
 */
void fault_add(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/**
 * fault_errno() - describe a system call that has failed
 * @fault:	is overwritten with @what and the text of errno
 * @what:	name of the file
 *
 * Return: -1, for the caller to return
 */
int fault_errno(struct fault *fault, const char *what);

/**
 * fault_memory() - describe an allocation that has failed
 * @fault:	is overwritten
 *
 * Return: -1, for the caller to return
 */
int fault_memory(struct fault *fault);

#endif /* SIBNET_FAULT_H */
