// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Runs in-kernel tests and keeps their KTAP report; runs commands for them.
 */
#include <linux/debugfs.h>
#include <linux/inet.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/umh.h>
#include <net/ipv6.h>
#include <rdma/ib_verbs.h>

#include "ktap.h"
#include "rows.h"
#include "support.h"

#define REPORT_SIZE	(256 * 1024)

struct ktap {
	struct debugfs_blob_wrapper report;
	struct dentry *file;
	bool failed;		/* the running case has failed */
	const char *skipped;	/* reason if the running case is skipped, or NULL */
	const struct ktap_case *running;
};

static char *only;
module_param_named(suite, only, charp, 0644);
MODULE_PARM_DESC(suite, "run the tests of the suite of this name alone");

static struct dentry *folder;

__printf(2, 0)
static void vprint(struct ktap *t, const char *format, va_list args)
{
	t->report.size += vscnprintf(t->report.data + t->report.size, REPORT_SIZE - t->report.size,
				     format, args);
}

__printf(2, 3)
static void print(struct ktap *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprint(t, format, args);
	va_end(args);
}

__printf(2, 0)
static void diagnose(struct ktap *t, const char *format, va_list args)
{
	print(t, "# ");
	vprint(t, format, args);
	print(t, "\n");
}

void ktap_note(struct ktap *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diagnose(t, format, args);
	va_end(args);
}
EXPORT_SYMBOL(ktap_note);

void ktap_fail(struct ktap *t, const char *format, ...)
{
	va_list args;

	t->failed = true;
	va_start(args, format);
	diagnose(t, format, args);
	va_end(args);
}
EXPORT_SYMBOL(ktap_fail);

void ktap_skip(struct ktap *t, const char *why)
{
	t->skipped = why;
}
EXPORT_SYMBOL(ktap_skip);

const char *ktap_case_name(const struct ktap *t)
{
	return t->running->name;
}
EXPORT_SYMBOL(ktap_case_name);

const void *ktap_arg(const struct ktap *t)
{
	return t->running->arg;
}
EXPORT_SYMBOL(ktap_arg);

static void run_case(struct ktap *t, unsigned int number, const char *suite,
		     const struct ktap_case *c)
{
	t->failed = false;
	t->skipped = NULL;
	t->running = c;
	/*
	 * Log the name of the case: the report is published only after the last case, so if a case
	 * hangs, only the kernel log names it.
	 */
	pr_info("%s: %s\n", suite, c->name);
	c->run(t);
	print(t, "%s %u %s: %s", t->failed ? "not ok" : "ok", number, suite, c->name);
	if (t->skipped && !t->failed)
		print(t, " # SKIP %s", t->skipped);
	print(t, "\n");
	if (c->covers && (t->failed || !t->skipped))
		kt_rows_add(c->covers, !t->failed);
	cond_resched();
}

static bool is_wanted(const struct ktap_suite *suite)
{
	return !only || !strcmp(only, suite->name);
}

struct ktap *ktap_run(const char *module, const struct ktap_suite * const *suites,
		      unsigned int nr_suites)
{
	unsigned int i, j, planned = 0, number = 0;
	struct ktap *t;

	t = kzalloc(sizeof(*t), GFP_KERNEL);
	if (!t)
		return ERR_PTR(-ENOMEM);
	t->report.data = kvzalloc(REPORT_SIZE, GFP_KERNEL);
	if (!t->report.data) {
		kfree(t);
		return ERR_PTR(-ENOMEM);
	}

	for (i = 0; i < nr_suites; i++)
		planned += is_wanted(suites[i]) ? suites[i]->nr_cases : 0;
	print(t, "KTAP version 1\n1..%u\n", planned);
	for (i = 0; i < nr_suites; i++)
		for (j = 0; is_wanted(suites[i]) && j < suites[i]->nr_cases; j++)
			run_case(t, ++number, suites[i]->name, &suites[i]->cases[j]);

	t->file = debugfs_create_blob(module, 0444, folder, &t->report);
	return t;
}
EXPORT_SYMBOL(ktap_run);

void ktap_free(struct ktap *t)
{
	debugfs_remove(t->file);
	kvfree(t->report.data);
	kfree(t);
}
EXPORT_SYMBOL(ktap_free);

int kt_sh(const char *line)
{
	char *argv[4] = { "/bin/bash", "-c", (char *)line, NULL };
	char *envp[3] = { "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/", NULL };

	return call_usermodehelper(argv[0], argv, envp, UMH_WAIT_PROC);
}
EXPORT_SYMBOL(kt_sh);

union ib_gid kt_gid_of(const char *text)
{
	union ib_gid gid;
	__be32 ipv4;

	if (in4_pton(text, -1, (u8 *)&ipv4, -1, NULL))
		ipv6_addr_set_v4mapped(ipv4, (struct in6_addr *)&gid);
	else if (!in6_pton(text, -1, gid.raw, -1, NULL))
		memset(&gid, 0, sizeof(gid));
	return gid;
}
EXPORT_SYMBOL(kt_gid_of);

void ktap_init(void)
{
	folder = debugfs_create_dir("krdma", NULL);
}

void ktap_exit(void)
{
	debugfs_remove(folder);
}
