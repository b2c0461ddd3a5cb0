// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* The device node. Each open file has a ULP, from KFUZZ_START until it is closed. */
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/nsproxy.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <rdma/krdma.h>

#include "tools/testing/modules/kfuzz/kfuzz.h"
#include "iwarp/wire.h"
#include "tools/testing/modules/support/sessions.h"

KRDMA_NEEDS_IB_CORE;

/* Serializes the ioctls of all files, because the player has one buffer. */
static DEFINE_MUTEX(play_lock);

static int start(struct file *file, void __user *arg)
{
	struct kfuzz_start args;
	struct kfuzz *site;

	if (file->private_data)
		return -EBUSY;
	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	site = kfuzz_site_create(&args, current->nsproxy->net_ns);
	if (IS_ERR(site))
		return PTR_ERR(site);
	file->private_data = site;
	return copy_to_user(arg, &args, sizeof(args)) ? -EFAULT : 0;
}

/* Makes valid again what the peer has invalidated, so that the next connection finds it valid. */
static int restore(struct kfuzz *site)
{
	int i, ret = 0;

	for (i = 0; i < KFUZZ_REGIONS && !ret; i++)
		if (test_and_clear_bit(i, &site->invalidated))
			ret = kfuzz_register(site, i);
	return ret;
}

/*
 * Finds the parts of the connection at @input. Returns the number of bytes that the connection
 * takes, or -EINVAL.
 */
static int parse(void *input, u32 len, struct kfuzz_script *script)
{
	const struct kfuzz_conn *conn = input;
	u64 size, sum = 0;
	u32 i;

	if (len < sizeof(*conn) || conn->ops > KFUZZ_OPS_MAX || conn->port > KFUZZ_PORT_SRQ)
		return -EINVAL;
	script->conn = conn;
	script->parts = (void *)(conn + 1);
	script->ops = (void *)(script->parts + conn->parts);
	script->patches = (void *)(script->ops + conn->ops);
	script->bytes = (void *)(script->patches + conn->patches);
	size = sizeof(*conn) + (u64)conn->parts * sizeof(*script->parts) +
	       conn->ops * sizeof(*script->ops) + (u64)conn->patches * sizeof(*script->patches) +
	       ALIGN((u64)conn->bytes, 8);
	if (size > len)
		return -EINVAL;
	for (i = 0; i < conn->parts; i++)
		sum += script->parts[i].len;
	for (i = 0; i < conn->patches; i++) {
		const struct kfuzz_patch *patch = &script->patches[i];

		if (patch->len < DDP_TAGGED_HEAD + MPA_CRC_LEN || patch->len > conn->bytes ||
		    patch->offset > conn->bytes - patch->len)
			return -EINVAL;
	}
	return sum == conn->bytes ? size : -EINVAL;
}

static int play_all(struct kfuzz *site, struct kfuzz_play *args, void *input)
{
	void __user *to = u64_to_user_ptr(args->outcomes);
	u32 count = args->count, left = args->input_len;
	struct kfuzz_outcome outcome;
	struct kfuzz_script script;
	int n;

	outcome.flags = 0;
	/*
	 * A connection that does not end is the last one, because each later connection would wait
	 * for its end, too.
	 */
	for (args->count = 0; args->count < count && !(outcome.flags & KFUZZ_LEFT); args->count++) {
		if (signal_pending(current))
			return -EINTR;
		n = parse(input, left, &script);
		if (n < 0)
			return n;
		kfuzz_play(site, &script, args->limit_ms, &outcome);
		input += n;
		left -= n;
		if (copy_to_user(to, &outcome, sizeof(outcome)))
			return -EFAULT;
		to += sizeof(outcome);
		n = restore(site);
		if (n)
			return n;
	}
	return 0;
}

static int play(struct kfuzz *site, void __user *arg)
{
	struct kfuzz_play args;
	void *input;
	int ret;

	if (!site)
		return -ENOTCONN;
	if (copy_from_user(&args, arg, sizeof(args)))
		return -EFAULT;
	if (args.input_len > KFUZZ_INPUT_MAX)
		return -E2BIG;
	input = vmemdup_user(u64_to_user_ptr(args.input), args.input_len);
	if (IS_ERR(input))
		return PTR_ERR(input);
	ret = play_all(site, &args, input);
	kvfree(input);
	args.edges = kfuzz_edges();
	return copy_to_user(arg, &args, sizeof(args)) ? -EFAULT : ret;
}

static long ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	int ret;

	if (mutex_lock_interruptible(&play_lock))
		return -EINTR;
	switch (cmd) {
	case KFUZZ_START:
		ret = start(file, (void __user *)arg);
		break;
	case KFUZZ_PLAY:
		ret = play(file->private_data, (void __user *)arg);
		break;
	default:
		ret = -ENOTTY;
		break;
	}
	mutex_unlock(&play_lock);
	return ret;
}

static int open(struct inode *inode, struct file *file)
{
	/* NULL until KFUZZ_START; misc_open() has stored the device here. */
	file->private_data = NULL;
	return nonseekable_open(inode, file);
}

static int release(struct inode *inode, struct file *file)
{
	if (file->private_data)
		kfuzz_site_destroy(file->private_data);
	return 0;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = open,
	.release = release,
	.unlocked_ioctl = ioctl,
};

TEST_NODE(node, "kfuzz", &fops);
module_misc_device(node);

MODULE_DESCRIPTION("Both ends of connections that test siw's receive path");
MODULE_LICENSE("Dual BSD/GPL");
