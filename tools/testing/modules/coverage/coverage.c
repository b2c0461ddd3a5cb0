// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * krdma_cov.ko: counts the edges between basic blocks of krdma that have been run.
 *
 * The compiler inserts a call of __sanitizer_cov_trace_pc() at the beginning of each block. trace.c
 * defines this function for each module, instead of the kernel's (KCOV), which counts only what a
 * task runs: work items and softirqs count here, too. The counts have no lock: a user-mode kernel
 * has one CPU, and krdma does not run in interrupt handlers.
 *
 * Reading /dev/krdma_cov returns the number of edges as text. A task that writes anything to it
 * sets this number to 0. From then on, edges between two blocks count only in the system calls of
 * this task, because elsewhere the scheduler decides which blocks follow each other. That a block
 * runs at all counts everywhere, as the edge from nothing to this block.
 */
#include <linux/bitmap.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "tools/testing/modules/coverage/coverage.h"

/* Binary logarithm of the number of edges that are distinguished. */
#define EDGE_BITS	18

static DECLARE_BITMAP(edges_seen, 1 << EDGE_BITS);
static u32 num_edges;
/* The block that ran last: [0] in process context, [1] in softirq context. */
static u32 last_block[2];
/* The task whose edges count, or NULL. Only compared, because the task may have ended. */
static const struct task_struct *traced;

static void notrace count_edge(u32 from, u32 to)
{
	u32 edge = hash_64((u64)from << 32 | to, EDGE_BITS);

	if (!test_bit(edge, edges_seen)) {
		__set_bit(edge, edges_seen);
		num_edges++;
	}
}

void notrace krdma_cov_block(unsigned long address)
{
	bool softirq = in_serving_softirq();
	u32 block = (u32)address;

	count_edge(0, block);
	if (traced && (softirq || current != traced))
		return;
	count_edge(last_block[softirq], block);
	last_block[softirq] = block;
}
EXPORT_SYMBOL_GPL(krdma_cov_block);

u32 krdma_cov_edges(void)
{
	return READ_ONCE(num_edges);
}
EXPORT_SYMBOL_GPL(krdma_cov_edges);

static ssize_t edges_read(struct file *filp, char __user *to, size_t len, loff_t *pos)
{
	char text[12];

	return simple_read_from_buffer(to, len, pos, text,
				       scnprintf(text, sizeof(text), "%u\n", krdma_cov_edges()));
}

static ssize_t edges_forget(struct file *filp, const char __user *from, size_t len, loff_t *pos)
{
	local_bh_disable();
	bitmap_zero(edges_seen, 1 << EDGE_BITS);
	num_edges = 0;
	last_block[0] = 0;
	traced = current;
	local_bh_enable();
	return len;
}

static const struct file_operations edges_fops = {
	.owner = THIS_MODULE,
	.read = edges_read,
	.write = edges_forget,
};

static struct miscdevice edges_misc = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "krdma_cov",
	.fops = &edges_fops,
	.mode = 0600,
};

module_misc_device(edges_misc);

MODULE_DESCRIPTION("Counts the edges between basic blocks of krdma that have been run");
MODULE_LICENSE("Dual BSD/GPL");
