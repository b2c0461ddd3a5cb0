// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Becomes part of arch/um/os-Linux/skas/process.c.
 *
 * What a process has in its vector registers is kilobytes, and setting them is a quarter of a
 * system call's time. Most return to a process that still has in them what it had.
 */
static int fp_known_of;
static unsigned long known_fp[FP_SIZE];

/* The process stopped with these. */
static void remember_fp(int pid, const unsigned long *fp)
{
	fp_known_of = pid;
	memcpy(known_fp, fp, sizeof(known_fp));
}

/* The process ran a signal handler, which begins with other ones. */
static void forget_fp(void)
{
	fp_known_of = 0;
}

/* By words: the kernel's memcmp() goes by bytes. */
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
