/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * uverbs_fuzz: the guided mode. Plays programs one after another, in a process with one thread, and
 * keeps those that make the kernel's modules run new code, in order to change them further.
 */
#ifndef UVERBS_FUZZ_GUIDED_H
#define UVERBS_FUZZ_GUIDED_H

#include "uverbs_fuzz.h"

/* Prints results, and adds their number to *@count. Returns the number of failed results. */
int guided_run(int *count);

#endif /* UVERBS_FUZZ_GUIDED_H */
