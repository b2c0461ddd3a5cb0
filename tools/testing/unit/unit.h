/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A test is a function that makes checks. Test vectors are hex text, which bytes_of_hex() converts.
 */
#ifndef UNIT_H
#define UNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "iwarp/fault.h"

/* A heap buffer of exactly @len bytes, so that the sanitizer finds an overrun. */
struct bytes {
	uint8_t *at;
	size_t len;
};

/* The buffers that both functions return are valid until the test function returns. */
struct bytes bytes_of_hex(const char *hex);
struct bytes bytes_copy(const void *from, size_t len);

/* Runs one test and prints its result. */
void unit_run(const char *name, void (*test)(void));
/* Prints the totals. Returns the exit status. */
int unit_end(void);

/*
 * Sets the input of the checks that follow, up to the next call or the end of the test. A check
 * that fails prints it, because its line alone does not say which row of a table it was for.
 */
void unit_input(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns true if the check has failed, and is printed. */
bool unit_check(bool ok, const char *what, const char *file, int line);
void unit_check_eq(unsigned long long got, unsigned long long want, const char *what,
		   const char *file, int line);
void unit_check_fault(enum iwarp_fault got, enum iwarp_fault want, const char *what,
		      const char *file, int line);
void unit_check_bytes(const void *got, size_t len, const char *want, const char *what,
		      const char *file, int line);

#define CHECK(cond) unit_check(cond, #cond, __FILE__, __LINE__)
#define CHECK_EQ(got, want) unit_check_eq(got, want, #got, __FILE__, __LINE__)
#define CHECK_FAULT(got, want) unit_check_fault(got, want, #got, __FILE__, __LINE__)
#define CHECK_BYTES(got, len, want) unit_check_bytes(got, len, want, #got, __FILE__, __LINE__)

/* The suites, one in each file. */
void test_fault(void);
void test_mpa(void);
void test_negotiate(void);
void test_fpdu(void);
void test_ddp(void);
void test_rdmap(void);
void test_atomic(void);
void test_soft_atomic(void);
void test_term(void);
void test_rx(void);
void test_dif(void);
void test_reasm(void);
void test_packet(void);
void test_datagram(void);
void test_mad(void);
void test_sma(void);
void test_sibnet(void);
void test_sibnet_fabric(void);

#endif /* UNIT_H */
