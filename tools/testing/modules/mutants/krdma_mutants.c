// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * krdma_mutants.ko: the switch of the faults that are planted in the other modules, and what of
 * them was reached. The file /sys/kernel/debug/krdma_mutants has a byte for each fault; writing to
 * it forgets what was reached.
 */
#include <linux/debugfs.h>
#include <linux/module.h>

unsigned char krdma_mutants_reached[KRDMA_MUTANTS];
EXPORT_SYMBOL_GPL(krdma_mutants_reached);

unsigned int krdma_mutants_on;
EXPORT_SYMBOL_GPL(krdma_mutants_on);
module_param_named(on, krdma_mutants_on, uint, 0600);
MODULE_PARM_DESC(on, "Number of the fault that is on, 0 for none");

static struct dentry *reached_file;

static ssize_t reached_read(struct file *filp, char __user *to, size_t len, loff_t *pos)
{
	return simple_read_from_buffer(to, len, pos, krdma_mutants_reached, KRDMA_MUTANTS);
}

static ssize_t reached_forget(struct file *filp, const char __user *from, size_t len, loff_t *pos)
{
	memset(krdma_mutants_reached, 0, KRDMA_MUTANTS);
	return len;
}

static const struct file_operations reached_fops = {
	.owner = THIS_MODULE,
	.read = reached_read,
	.write = reached_forget,
};

static int __init mutants_init(void)
{
	reached_file = debugfs_create_file("krdma_mutants", 0600, NULL, NULL, &reached_fops);
	return 0;
}
module_init(mutants_init);

static void __exit mutants_exit(void)
{
	debugfs_remove(reached_file);
}
module_exit(mutants_exit);

MODULE_DESCRIPTION("Switches planted faults on");
MODULE_LICENSE("Dual BSD/GPL");
