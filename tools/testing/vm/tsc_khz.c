// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Prints the rate of this machine's time stamp counter, in kHz. An emulated machine shows the same
 * counter to its kernel. This kernel would measure the counter's rate against an emulated timer,
 * and the measured rate would be wrong by factors if the emulator had to wait for a processor
 * meanwhile. So the kernel gets the rate on its command line.
 */

#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define NS_PER_S	1000000000ULL

/* Both clocks at one instant. */
struct instant {
	uint64_t ns;
	uint64_t tsc;
};

static uint64_t read_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * NS_PER_S + now.tv_nsec;
}

/*
 * Reads both clocks many times, and returns the reading that took the shortest time. In a longer
 * reading, the process may have been preempted between the two clocks.
 */
static struct instant look(void)
{
	struct instant best = { 0 };
	uint64_t closest = UINT64_MAX;

	for (int i = 0; i < 1000; i++) {
		uint64_t before = read_ns();
		uint64_t tsc = __rdtsc();
		uint64_t after = read_ns();

		if (after - before >= closest)
			continue;
		closest = after - before;
		best = (struct instant){ .ns = before + closest / 2, .tsc = tsc };
	}
	return best;
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = 200000000 };
	struct instant first = look(), last;

	nanosleep(&pause, NULL);
	last = look();
	printf("%.0f\n", (double)(last.tsc - first.tsc) * 1e6 / (double)(last.ns - first.ns));
	return 0;
}
