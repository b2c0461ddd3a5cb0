// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * The table of devices: their names, numbers and states, and look-ups.
 *
 * A device is in the table from the first step of its registration to the last of its
 * unregistration. Look-ups by number and walks read the table under RCU, and find a device only
 * while it is visible; devices are freed after a grace period.
 */
#include "core/registry.h"

#include <linux/ctype.h>
#include <linux/seqlock.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>

#include <trace/events/ib_core.h>

#include "core/netdev.h"

/* registry.h says what this lock protects: the tables of devices and clients, and more. */
DEFINE_MUTEX(ib_core_registry_lock);

/*
 * The devices by number, and the number at which the search for a new device's number starts. Both
 * are protected by ib_core_registry_lock. Code that only reads the table of devices may use RCU
 * instead.
 */
static DEFINE_XARRAY_ALLOC(devices);
static u32 next_index;

/*
 * Lets ib_device_name_get() read names without a mutex. Writers of names also hold
 * ib_core_registry_lock, and a renaming also holds ib_core_views_lock. Readers that hold one of
 * these two mutexes therefore do not need names_lock.
 */
static DEFINE_SEQLOCK(names_lock);

static void set_name(struct ib_device *dev, const char *name)
{
	unsigned long flags;

	lockdep_assert_held(&ib_core_registry_lock);
	/* With interrupts off, because readers may be interrupt handlers. */
	write_seqlock_irqsave(&names_lock, flags);
	strscpy_pad(dev->name, name, sizeof(dev->name));
	write_sequnlock_irqrestore(&names_lock, flags);
}

void ib_device_name_get(const struct ib_device *dev, char *name)
{
	unsigned int seq;

	do {
		seq = read_seqbegin(&names_lock);
		memcpy(name, dev->name, IB_DEVICE_NAME_MAX);
	} while (read_seqretry(&names_lock, seq));
}
EXPORT_SYMBOL(ib_device_name_get);

bool ib_core_device_name_valid(const char *name)
{
	size_t len = strnlen(name, IB_DEVICE_NAME_MAX);
	size_t i;

	if (!len || len == IB_DEVICE_NAME_MAX || !strcmp(name, ".") || !strcmp(name, ".."))
		return false;
	for (i = 0; i < len; i++)
		if (!isascii(name[i]) || !isgraph(name[i]) || name[i] == '/' || name[i] == '%')
			return false;
	return true;
}

static struct ib_device *find_by_name(const char *name)
{
	struct ib_device *dev;
	unsigned long index;

	lockdep_assert_held(&ib_core_registry_lock);
	xa_for_each(&devices, index, dev)
		if (!strcmp(dev->name, name))
			return dev;
	return NULL;
}

/*
 * Copies the pattern to @name, and replaces %d by the lowest number that gives an unused name.
 * @percent points at the % in @pattern.
 */
static int name_from_pattern(char *name, const char *pattern, const char *percent)
{
	unsigned int number;

	lockdep_assert_held(&ib_core_registry_lock);
	if (percent[1] != 'd')
		return -EINVAL;
	for (number = 0;; number++) {
		int len = snprintf(name, IB_DEVICE_NAME_MAX, "%.*s%u%s",
				   (int)(percent - pattern), pattern, number, percent + 2);

		if (len >= IB_DEVICE_NAME_MAX)
			return number ? -ENFILE : -EINVAL;
		if (!ib_core_device_name_valid(name))
			return -EINVAL;
		if (!find_by_name(name))
			return 0;
	}
}

static int choose_name(struct ib_device *dev, const char *wanted)
{
	char name[IB_DEVICE_NAME_MAX];
	const char *percent = strchr(wanted, '%');
	int ret;

	lockdep_assert_held(&ib_core_registry_lock);
	if (percent) {
		ret = name_from_pattern(name, wanted, percent);
		if (ret)
			return ret;
	} else {
		if (!ib_core_device_name_valid(wanted))
			return -EINVAL;
		if (find_by_name(wanted))
			return -EEXIST;
		strscpy(name, wanted, sizeof(name));
	}
	ret = dev_set_name(&dev->dev, "%s", name);
	if (!ret)
		set_name(dev, name);
	return ret;
}

int ib_core_registry_add(struct ib_device *dev, const char *name)
{
	struct net *net;
	int ret;

	lockdep_assert_held(&dev->unregistration_lock);
	mutex_lock(&ib_core_registry_lock);
	if (dev->state != IB_CORE_DEVICE_ALLOCATED) {
		ret = -EINVAL;
		goto out;
	}
	ret = choose_name(dev, name);
	if (ret)
		goto out;
	ret = xa_alloc_cyclic(&devices, &dev->index, dev, xa_limit_31b, &next_index, GFP_KERNEL);
	if (ret < 0)
		goto out;
	ret = 0;
	net = ib_core_netdevs_net(dev);
	if (net)
		write_pnet(&dev->rdma_net, net);
	WRITE_ONCE(dev->state, IB_CORE_DEVICE_REGISTERING);
out:
	mutex_unlock(&ib_core_registry_lock);
	return ret;
}

void ib_core_registry_del(struct ib_device *dev, enum ib_core_device_state state)
{
	mutex_lock(&ib_core_registry_lock);
	xa_erase(&devices, dev->index);
	WRITE_ONCE(dev->state, state);
	mutex_unlock(&ib_core_registry_lock);
}

void ib_core_device_set_state(struct ib_device *dev, enum ib_core_device_state state)
{
	mutex_lock(&ib_core_registry_lock);
	WRITE_ONCE(dev->state, state);
	mutex_unlock(&ib_core_registry_lock);
}

void ib_core_device_set_net(struct ib_device *dev, struct net *net)
{
	mutex_lock(&ib_core_registry_lock);
	write_pnet(&dev->rdma_net, net);
	mutex_unlock(&ib_core_registry_lock);
}

struct ib_device *ib_core_registry_next(unsigned long *index)
{
	lockdep_assert_held(&ib_core_registry_lock);
	return xa_find(&devices, index, ULONG_MAX, XA_PRESENT);
}

struct ib_device *ib_core_device_get_by_index(const struct net *net, u32 index)
{
	struct ib_device *dev;

	rcu_read_lock();
	dev = xa_load(&devices, index);
	if (dev && !(rdma_dev_access_netns(dev, net) && ib_core_device_get_visible(dev)))
		dev = NULL;
	rcu_read_unlock();
	return dev;
}

void ib_device_put(struct ib_device *device)
{
	if (refcount_dec_and_test(&device->refcount))
		complete(&device->unreg_completion);
}
EXPORT_SYMBOL(ib_device_put);

/*
 * Returns, with a reference, the first visible device whose number is *@index or more, and sets
 * *@index to that device's number. Returns NULL if there is none.
 */
static struct ib_device *get_next_visible(const struct net *net, unsigned long *index)
{
	struct ib_device *dev;

	rcu_read_lock();
	for (dev = xa_find(&devices, index, U32_MAX, XA_PRESENT); dev;
	     dev = xa_find_after(&devices, index, U32_MAX, XA_PRESENT))
		if (rdma_dev_access_netns(dev, net) && ib_core_device_get_visible(dev))
			break;
	rcu_read_unlock();
	return dev;
}

int ib_core_for_each_device(const struct net *net, u32 *index,
			    int (*fn)(struct ib_device *dev, void *arg), void *arg)
{
	unsigned long next = *index;
	struct ib_device *dev;
	int ret = 0;

	while ((dev = get_next_visible(net, &next))) {
		ret = fn(dev, arg);
		ib_device_put(dev);
		if (ret)
			break;
		next++;
	}
	*index = next;
	return ret;
}

struct ib_device *ib_device_get_by_name(const char *name, enum rdma_driver_id driver_id)
{
	struct ib_device *dev;

	mutex_lock(&ib_core_registry_lock);
	dev = find_by_name(name);
	if (dev && driver_id != RDMA_DRIVER_UNKNOWN && dev->ops.driver_id != driver_id)
		dev = NULL;
	if (dev && !ib_core_device_get_visible(dev))
		dev = NULL;
	mutex_unlock(&ib_core_registry_lock);
	return dev;
}
EXPORT_SYMBOL(ib_device_get_by_name);

int ib_core_registry_rename(struct ib_device *dev, const char *name)
{
	char from[IB_DEVICE_NAME_MAX];
	int ret;

	lockdep_assert_held(&ib_core_registry_lock);
	if (!ib_core_device_usable(dev))
		return -ENODEV;
	if (find_by_name(name))
		return -EEXIST;
	strscpy(from, dev->name, sizeof(from));
	/* Set dev->name first, because device_rename() sends a uevent that contains dev->name. */
	set_name(dev, name);
	ret = device_rename(&dev->dev, name);
	if (ret) {
		set_name(dev, from);
		return ret;
	}
	trace_rdma_device_rename(dev, from);
	return 0;
}

void ib_core_registry_exit(void)
{
	xa_destroy(&devices);
}
