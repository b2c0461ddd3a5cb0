/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Faults that are planted in a copy of the code, and switched on while it runs: plant.py writes
 * these macros around expressions and statements. @n is the fault's number. Each macro notes when
 * its fault would make a difference, and makes the difference if the fault is on. Included at the
 * head of each file by the compiler's command line.
 */
#ifndef KRDMA_MUTANTS_H
#define KRDMA_MUTANTS_H

/* For each fault whether it was reached. */
extern unsigned char krdma_mutants_reached[];
/* The number of the fault that is on; 0 if none is. */
extern unsigned int krdma_mutants_on;

/* Notes that the fault @n would make a difference here; returns whether it is on. */
static inline __attribute__((always_inline, unused)) _Bool krdma_mutant(unsigned int n)
{
	krdma_mutants_reached[n] = 1;
	return __builtin_expect(*(volatile unsigned int *)&krdma_mutants_on == n, 0);
}

/* A condition, which is false for once, or true. */
#define MUTANT_NEVER(n, cond)	((cond) && !krdma_mutant(n))
#define MUTANT_ALWAYS(n, cond)	((cond) || krdma_mutant(n))

/* A statement, which is left out. */
#define MUTANT_SKIP(n, ...)	({ if (!krdma_mutant(n)) { __VA_ARGS__; } })

/* A value or a call, and the other one in its place. */
#define MUTANT_OTHER(n, other, ...)	(krdma_mutant(n) ? (other) : (__VA_ARGS__))

/* A value, and the other one in its place, which differs only sometimes. */
#define MUTANT_PICK(n, other, ...) ({						\
	__auto_type __value = (__VA_ARGS__);					\
	__typeof__(__value) __other = (other);					\
	__value != __other && krdma_mutant(n) ? __other : __value; })

/* A value whose order of bytes is not converted. */
#define MUTANT_SWAB(n, ...) ({							\
	__auto_type __value = (__VA_ARGS__);					\
	unsigned long long __bits = (unsigned long long)__value;		\
	__bits = sizeof(__value) == 2 ? __builtin_bswap16(__bits) :		\
		 sizeof(__value) == 4 ? __builtin_bswap32(__bits) : __builtin_bswap64(__bits); \
	__value != (__typeof__(__value))__bits && krdma_mutant(n) ?		\
		(__typeof__(__value))__bits : __value; })

/*
 * An operation, which is replaced by another one of the same operands. Adding 0 makes a copy of a
 * bit-field.
 */
#define MUTANT_BINARY(n, a, b, result, other) ({				\
	__auto_type __a = (a) + 0;						\
	__auto_type __b = (b) + 0;						\
	__auto_type __value = (result);						\
	__typeof__(__value) __other = (other);					\
	__value != __other && krdma_mutant(n) ? __other : __value; })

#define MUTANT_LT(n, a, b)	MUTANT_BINARY(n, a, b, __a < __b, __a <= __b)
#define MUTANT_LE(n, a, b)	MUTANT_BINARY(n, a, b, __a <= __b, __a < __b)
#define MUTANT_GT(n, a, b)	MUTANT_BINARY(n, a, b, __a > __b, __a >= __b)
#define MUTANT_GE(n, a, b)	MUTANT_BINARY(n, a, b, __a >= __b, __a > __b)
#define MUTANT_SHL(n, a, b)	MUTANT_BINARY(n, a, b, __a << __b, __a >> __b)
#define MUTANT_SHR(n, a, b)	MUTANT_BINARY(n, a, b, __a >> __b, __a << __b)
#define MUTANT_AND(n, a, b)	MUTANT_BINARY(n, a, b, __a & __b, __a)
#define MUTANT_ADD(n, a, b)	MUTANT_BINARY(n, a, b, __a + __b, __a - __b)
#define MUTANT_SUB(n, a, b)	MUTANT_BINARY(n, a, b, __a - __b, __a + __b)

#endif
