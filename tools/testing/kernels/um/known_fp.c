// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Becomes part of arch/um/os-Linux/skas/process.c.
 *
 * The vector registers of a process are kilobytes, and setting them takes a quarter of the time of
 * a system call. Most system calls return to a process whose registers still have their values, so
 * setting them is skipped then.
 */
static int fp_known_of;
static unsigned long known_fp[FP_SIZE];

/* Stores the registers with which the process has stopped. */
static void remember_fp(int pid, const unsigned long *fp)
{
	fp_known_of = pid;
	memcpy(known_fp, fp, sizeof(known_fp));
}

/* Called after the process has run a signal handler, which changes its registers. */
static void forget_fp(void)
{
	fp_known_of = 0;
}

/* Compares words, because the kernel's memcmp() compares bytes and is slower. */
static bool still_has_fp(int pid, const unsigned long *fp)
{
	int i;

	if (pid != fp_known_of)
		return false;
	for (i = 0; i < FP_SIZE; i++)
		if (known_fp[i] != fp[i])
			return false;
	return true;
}
