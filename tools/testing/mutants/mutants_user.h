/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The switch of the faults in a program: $KRDMA_MUTANT is the number of the fault that is on. When
 * the program ends, it adds what it reached to the file $KRDMA_MUTANTS_REACHED, which has a byte
 * for each fault. Included at the head of each file by the compiler's command line, with
 * KRDMA_MUTANTS, the number of faults.
 */
#ifndef KRDMA_MUTANTS_USER_H
#define KRDMA_MUTANTS_USER_H

#include "mutants.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Each object file has these; the linker keeps one of each. */
__attribute__((weak)) unsigned char krdma_mutants_reached[KRDMA_MUTANTS];
__attribute__((weak)) unsigned int krdma_mutants_on;
__attribute__((weak)) _Bool krdma_mutants_begun;

__attribute__((weak)) void krdma_mutants_end(void)
{
	int fd = open(getenv("KRDMA_MUTANTS_REACHED"), O_RDWR | O_CREAT, 0644);
	unsigned char *file = MAP_FAILED;
	int i;

	/* Shared, because other programs of the test may write to the file at the same time. */
	if (fd >= 0 && !ftruncate(fd, KRDMA_MUTANTS))
		file = mmap(NULL, KRDMA_MUTANTS, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		_exit(99);
	for (i = 0; i < KRDMA_MUTANTS; i++)
		if (krdma_mutants_reached[i])
			file[i] = 1;
}

__attribute__((weak, constructor)) void krdma_mutants_begin(void)
{
	if (krdma_mutants_begun)
		return;
	krdma_mutants_begun = 1;
	if (getenv("KRDMA_MUTANT"))
		krdma_mutants_on = atoi(getenv("KRDMA_MUTANT"));
	if (getenv("KRDMA_MUTANTS_REACHED"))
		atexit(krdma_mutants_end);
}

#endif
