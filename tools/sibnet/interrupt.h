/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Signals that end the program, after it has removed what it has made.
 */
#ifndef SIBNET_INTERRUPT_H
#define SIBNET_INTERRUPT_H

#include <stdbool.h>

/**
 * interrupt_catch() - remember SIGINT, SIGTERM and SIGHUP from now on
 */
void interrupt_catch(void);

/**
 * interrupt_seen() - see whether there was such a signal
 *
 * Return: true if there was
 */
bool interrupt_seen(void);

#endif /* SIBNET_INTERRUPT_H */
