/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A configfs in memory with one fabric of sib, and signals, in place of tools/sibnet/configfs.c
 * and interrupt.c. The files behave as Documentation/fabric.rst says.
 */
#ifndef UNIT_SIBNET_FAKE_H
#define UNIT_SIBNET_FAKE_H

#include <stdbool.h>

/* The open folder of the fabrics. */
#define FAKE_ROOT	1000

/* Forgets the fabric. Call number @fail, from 1, will fail with ENOMEM; 0: none. */
void fake_reset(unsigned int fail);
/* Lets call number @fail since fake_reset() fail, which is still to come. */
void fake_fail(unsigned int fail);
/* Sends a signal during call number @call since fake_reset(). */
void fake_interrupt(unsigned int call);
/* Returns the number of calls since fake_reset(). */
unsigned int fake_calls(void);
/* Returns true if there is no fabric. */
bool fake_is_empty(void);
/* Returns true if no folder is open. */
bool fake_is_closed(void);
/* Writes a file of the fabric. Returns the errno, or 0. */
int fake_write(const char *path, const char *text);
/* Returns the content of a file of the fabric, until the next call; "?" if there is none. */
const char *fake_read(const char *path);

#endif /* UNIT_SIBNET_FAKE_H */
