// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: memory of requests and responses, of registered regions, and of mapped queues.
 *
 * Queues are mapped into an address range of their own, so that a thread that scribbles on queues
 * never hits the program's own memory, however the threads change each other's mappings.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "uverbs_fuzz.h"

static uint8_t *data, *slots, *unmapped, *readonly;
static atomic_uint slot;
static __thread sigjmp_buf guard_env;
static __thread volatile sig_atomic_t is_guarded;

static uint8_t *room(size_t size, int prot)
{
	void *mem = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return mem == MAP_FAILED ? abort(), NULL : mem;
}

/* Allocates @size bytes. Returns their end; the page behind the end is not accessible. */
static uint8_t *alloc_before_hole(size_t size)
{
	uint8_t *mem = room(size + PAGE, PROT_READ | PROT_WRITE);

	mprotect(mem + size, PAGE, PROT_NONE);
	return mem + size;
}

/* The address of the instruction that has caused a signal, or 0 where it is not known. */
static uint64_t instruction_of(const ucontext_t *context)
{
#ifdef __x86_64__
	return context->uc_mcontext.gregs[REG_RIP];
#else
	(void)context;
	return 0;
#endif
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	if (is_guarded)
		siglongjmp(guard_env, 1);
	/* The access is repeated after the return, and the second signal ends the process. */
	dprintf(STDOUT_FILENO,
		"# signal %d, code %d, at %p (slots at %p), instruction %#llx (memory_init at %p)\n",
		sig, info->si_code, info->si_addr, slots,
		(unsigned long long)instruction_of(context), memory_init);
	signal(sig, SIG_DFL);
}

void memory_init(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_NODEFER | SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	data = room(DATA_PAGES * PAGE, PROT_READ | PROT_WRITE);
	/*
	 * A mapping of a queue that fails leaves a gap. The slots before and after the others are
	 * never used, so that no gap joins the free memory beside them, where stacks are placed.
	 */
	slots = room((RING_SLOTS + 2) * SLOT_SIZE, PROT_NONE) + SLOT_SIZE;
	unmapped = room(PAGE, PROT_NONE);
	readonly = room(PAGE, PROT_READ);
}

void memory_unmap_queues(void)
{
	void *mem = mmap(slots, RING_SLOTS * SLOT_SIZE, PROT_NONE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (mem == MAP_FAILED)
		abort();
	slot = 0;
}

void fuzzer_init(struct fuzzer *f, uint64_t seed)
{
	f->rng = (struct rng) { .state = seed };
	f->corrupt = 0;
	f->requests_end = alloc_before_hole(2 * PAGE);
	f->answers_end = alloc_before_hole(16 * PAGE);
}

uint8_t *data_memory(void)
{
	return data;
}

uint8_t *next_slot(void)
{
	return slots + slot++ % RING_SLOTS * SLOT_SIZE;
}

uint8_t *any_slot(struct fuzzer *f)
{
	return slots + pick(&f->rng, RING_SLOTS) * SLOT_SIZE;
}

uint64_t bad_pointer(struct fuzzer *f)
{
	switch (pick(&f->rng, 9)) {
	case 0:
		return 0;
	case 1:
		return pick(&f->rng, PAGE);
	case 2:
		return (uintptr_t)unmapped;
	case 3:
		return (uintptr_t)readonly + pick(&f->rng, PAGE);
	case 4: /* only the first bytes are mapped */
		return (uintptr_t)f->answers_end - pick(&f->rng, 24);
	case 5:
		return 0xffff888000000000ull + pick(&f->rng, 1 << 30);
	case 6:
		return 1ull << 63;
	case 7:
		return ~0ull - pick(&f->rng, 16);
	default:
		return (uintptr_t)any_slot(f);
	}
}

bool guarded(void (*run)(struct fuzzer *f, void *arg), struct fuzzer *f, void *arg)
{
	bool good = !sigsetjmp(guard_env, 1);

	is_guarded = true;
	if (good)
		run(f, arg);
	is_guarded = false;
	return good;
}
