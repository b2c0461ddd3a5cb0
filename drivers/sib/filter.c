// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The filter of captures: the place whose packets a capture has that is opened later. A place is
 * kept by its name, so that a node may go and come again.
 */
#include "drivers/sib/filter.h"

#include <linux/fs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "drivers/sib/access.h"
#include "drivers/sib/place.h"

static int filter_show(struct seq_file *seq, void *unused)
{
	struct sib_fabric *fabric = seq->private;
	struct sib_place place;

	mutex_lock(&fabric->tap->lock);
	place = fabric->tap->filter;
	mutex_unlock(&fabric->tap->lock);
	seq_puts(seq, place.node);
	if (place.node[0] && place.port != SIB_PLACE_ANY)
		seq_printf(seq, ":%d", place.port);
	seq_putc(seq, '\n');
	return 0;
}

static int filter_open(struct inode *inode, struct file *file)
{
	return sib_access() ?: single_open(file, filter_show, inode->i_private);
}

/* Sets the filter; an empty @text clears it. Returns 0 or an errno. */
static int set_filter(struct sib_fabric *fabric, const char *text, size_t len)
{
	struct sib_place place = {};
	struct sib_node *node;
	int ret = 0;

	if (len)
		ret = sib_place_parse(text, len, &place);
	if (!ret && len) {
		down_read(&fabric->topology);
		ret = sib_place_find(fabric, &place, &node);
		up_read(&fabric->topology);
	}
	if (ret)
		return ret;
	mutex_lock(&fabric->tap->lock);
	fabric->tap->filter = place;
	mutex_unlock(&fabric->tap->lock);
	return 0;
}

static ssize_t filter_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	struct sib_fabric *fabric = file_inode(file)->i_private;
	char text[SIB_PLACE_MAX + 1];
	size_t len = count;
	int ret;

	if (count > sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	if (len && text[len - 1] == '\n')
		len--;
	ret = set_filter(fabric, text, len);
	if (ret)
		pr_info_ratelimited("sib: %s: filter: %s\n", fabric->name,
				    ret == -ENOENT ? "no such node or port" :
						     "neither NODE nor NODE:PORT");
	return ret ? ret : count;
}

const struct file_operations sib_filter_fops = {
	.owner = THIS_MODULE,
	.open = filter_open,
	.release = single_release,
	.read = seq_read,
	.write = filter_write,
	.llseek = seq_lseek,
};
