// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The files of fabrics in debugfs:
 *
 *	/sys/kernel/debug/sib/FABRIC/capture	packets that cross links, as a pcap stream
 *	/sys/kernel/debug/sib/FABRIC/filter	place whose packets the next capture has
 *	/sys/kernel/debug/sib/FABRIC/inject	takes packets as bytes
 *	/sys/kernel/debug/sib/FABRIC/stats	what captures and injections have counted
 */
#include "drivers/sib/debugfs.h"

#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "drivers/sib/access.h"
#include "drivers/sib/capture.h"
#include "drivers/sib/filter.h"
#include "drivers/sib/inject.h"
#include "drivers/sib/reader.h"

static struct dentry *root;

/* Returns the bytes of all packets that wait for readers. */
static u64 waiting_bytes(struct sib_tap *tap)
{
	struct sib_reader *reader;
	u64 bytes = 0;

	lockdep_assert_held(&tap->lock);
	list_for_each_entry(reader, &tap->readers, entry)
		bytes += READ_ONCE(reader->bytes);
	return bytes;
}

static int tap_stats_show(struct seq_file *seq, void *unused)
{
	struct sib_tap *tap = ((struct sib_fabric *)seq->private)->tap;
	enum ibwire_fault fault;

	mutex_lock(&tap->lock);
	seq_printf(seq, "captures %u\n", tap->num_readers);
	seq_printf(seq, "capture_waiting_bytes %llu\n", waiting_bytes(tap));
	mutex_unlock(&tap->lock);
	seq_printf(seq, "capture_packets %lld\n", atomic64_read(&tap->captured));
	seq_printf(seq, "capture_drops %lld\n", atomic64_read(&tap->dropped));
	seq_printf(seq, "inject_good %lld\n", atomic64_read(&tap->injected[IBWIRE_OK]));
	for (fault = IBWIRE_OK + 1; fault < IBWIRE_FAULT_COUNT; fault++)
		seq_printf(seq, "inject_bad_%s %lld\n", ibwire_fault_name(fault),
			   atomic64_read(&tap->injected[fault]));
	return 0;
}

static int tap_stats_open(struct inode *inode, struct file *file)
{
	return sib_access() ?: single_open(file, tap_stats_show, inode->i_private);
}

static const struct file_operations tap_stats_fops = {
	.owner = THIS_MODULE,
	.open = tap_stats_open,
	.release = single_release,
	.read = seq_read,
	.llseek = seq_lseek,
};

void sib_debugfs_add(struct sib_fabric *fabric)
{
	struct dentry *dir = debugfs_create_dir(fabric->name, root);

	debugfs_create_file_unsafe("capture", 0400, dir, fabric, &sib_capture_fops);
	debugfs_create_file("filter", 0600, dir, fabric, &sib_filter_fops);
	debugfs_create_file("inject", 0200, dir, fabric, &sib_inject_fops);
	debugfs_create_file("stats", 0400, dir, fabric, &tap_stats_fops);
	fabric->debugfs = dir;
}

void sib_debugfs_remove(struct sib_fabric *fabric)
{
	debugfs_remove(fabric->debugfs);
	fabric->debugfs = NULL;
}

void sib_debugfs_init(void)
{
	root = debugfs_create_dir("sib", NULL);
}

void sib_debugfs_exit(void)
{
	debugfs_remove(root);
}
