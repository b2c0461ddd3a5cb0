/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * In-kernel tests: cases that run when their module is loaded, with a KTAP report in
 * /sys/kernel/debug/krdma/<module>.
 */
#ifndef _KRDMA_TESTING_KTAP_H_
#define _KRDMA_TESTING_KTAP_H_

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/types.h>

struct ktap;
union ib_gid;

/**
 * struct ktap_case - one test
 * @name: the statement that the test verifies
 * @run: function that runs the test, called in process context; a KT_EXPECT*() whose condition
 *	does not hold makes the test fail
 * @covers: the names of the documented API whose obligations the test verifies, separated by
 *	spaces, or NULL; kt_conformance.ko has a result for each documented name
 * @arg: what ktap_arg() returns while the test runs, for a function that runs several tests
 */
struct ktap_case {
	const char *name;
	void (*run)(struct ktap *t);
	const char *covers;
	const void *arg;
};

/* Makes names that are separated by blanks the third member of a struct ktap_case. */
#define COVERS(names)	#names

/**
 * struct ktap_suite - the tests of one subject
 * @name: prefix of the names of its tests in the report
 * @cases: the tests, in the order in which they run
 * @nr_cases: number of @cases
 */
struct ktap_suite {
	const char *name;
	const struct ktap_case *cases;
	unsigned int nr_cases;
};

#define KTAP_SUITE(variable, suite_name, suite_cases)				\
const struct ktap_suite variable = {						\
	.name = (suite_name),							\
	.cases = (suite_cases),							\
	.nr_cases = ARRAY_SIZE(suite_cases),					\
}

/*
 * Runs all tests and publishes the report as the file @module until ktap_free() is called. Returns
 * an ERR_PTR() if there is no memory.
 */
struct ktap *ktap_run(const char *module, const struct ktap_suite * const *suites,
		      unsigned int nr_suites);
void ktap_free(struct ktap *t);

/*
 * Change the report of the running case. ktap_note() adds a line of diagnosis. ktap_fail() adds
 * such a line and marks the case as failed. ktap_skip() marks the case as skipped because of @why.
 */
__printf(2, 3) void ktap_note(struct ktap *t, const char *format, ...);
__printf(2, 3) void ktap_fail(struct ktap *t, const char *format, ...);
void ktap_skip(struct ktap *t, const char *why);

/* Return the name and the argument of the running case. */
const char *ktap_case_name(const struct ktap *t);
const void *ktap_arg(const struct ktap *t);

/*
 * Runs a line of shell commands and returns its wait status, or a negative errno. The shell is
 * bash, because busybox's shell would run busybox's ip instead of the one in PATH.
 */
int kt_sh(const char *line);

/* Returns the GID that equals an IP address; zeros if @text is none. */
union ib_gid kt_gid_of(const char *text);

/* Waits until @condition holds, ten seconds at most. Fails the test if it does not hold by then. */
#define KT_WAIT(t, condition)							\
({										\
	unsigned long __end = jiffies + 10 * HZ;				\
										\
	while (!(condition) && time_before(jiffies, __end))			\
		usleep_range(2000, 4000);					\
	KT_EXPECT(t, condition);						\
})

#define KT_EXPECT(t, condition)							\
({										\
	bool __holds = (condition);						\
										\
	if (!__holds)								\
		ktap_fail(t, "%s:%d: expected %s", kbasename(__FILE__), __LINE__, #condition); \
	__holds;								\
})

#define KT_EXPECT_EQ(t, seen, wanted)						\
({										\
	long long __seen = (long long)(seen), __wanted = (long long)(wanted);	\
										\
	if (__seen != __wanted)							\
		ktap_fail(t, "%s:%d: %s is %lld, expected %s = %lld", kbasename(__FILE__), \
			  __LINE__, #seen, __seen, #wanted, __wanted);		\
	__seen == __wanted;							\
})

/* Expects that @pointer is the ERR_PTR() of this negative errno, or no ERR_PTR() if @errno is 0. */
#define KT_EXPECT_ERR(t, pointer, errno)					\
	KT_EXPECT_EQ(t, PTR_ERR_OR_ZERO(pointer), errno)

/* Defines a module that runs @suites, an array of pointers to suites, when the module is loaded. */
#define KTAP_MODULE(suites)							\
static struct ktap *ktap_report;						\
										\
static int __init ktap_module_init(void)					\
{										\
	ktap_report = ktap_run(KBUILD_MODNAME, suites, ARRAY_SIZE(suites));	\
	return PTR_ERR_OR_ZERO(ktap_report);					\
}										\
module_init(ktap_module_init);							\
										\
static void __exit ktap_module_exit(void)					\
{										\
	ktap_free(ktap_report);							\
}										\
module_exit(ktap_module_exit);							\
MODULE_DESCRIPTION("krdma in-kernel tests");					\
MODULE_LICENSE("Dual BSD/GPL")

#endif /* _KRDMA_TESTING_KTAP_H_ */
