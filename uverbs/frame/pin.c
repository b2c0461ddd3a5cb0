// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The calls in which an operation of a provider is running, hashed by task. Providers do not pass
 * the call to ib_umem_get() and ib_umem_dmabuf_get_pinned(), which therefore look it up here.
 */
#include "uverbs/frame/pin.h"

#include <linux/hashtable.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <rdma/uverbs_ioctl.h>

/* Protected by pins_lock, which is taken in process context; no other lock is taken under it. */
static DEFINE_HASHTABLE(pins, 6);
static DEFINE_SPINLOCK(pins_lock);

void uverbs_pin_begin(struct uverbs_pin *pin)
{
	pin->task = current;
	pin->wanted = false;
	spin_lock(&pins_lock);
	hash_add(pins, &pin->entry, (unsigned long)pin->task);
	spin_unlock(&pins_lock);
}

void uverbs_pin_end(struct uverbs_pin *pin)
{
	spin_lock(&pins_lock);
	hash_del(&pin->entry);
	spin_unlock(&pins_lock);
}

struct uverbs_pin *uverbs_pin_of_current(void)
{
	struct uverbs_pin *pin, *found = NULL;

	spin_lock(&pins_lock);
	hash_for_each_possible(pins, pin, entry, (unsigned long)current)
		if (pin->task == current)
			found = pin;
	spin_unlock(&pins_lock);
	return found;
}
