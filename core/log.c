// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Log lines that begin with the names of driver and device.
 */
#include <linux/module.h>
#include <rdma/ib_verbs.h>

void ibdev_printk(const char *level, const struct ib_device *ibdev, const char *format, ...)
{
	char name[IB_DEVICE_NAME_MAX];
	struct va_format vaf;
	const char *driver;
	va_list args;

	va_start(args, format);
	vaf.fmt = format;
	vaf.va = &args;
	if (!ibdev) {
		printk("%s(no RDMA device): %pV", level, &vaf);
	} else {
		ib_device_name_get(ibdev, name);
		driver = ibdev->ops.owner ? module_name(ibdev->ops.owner) : "infiniband";
		printk("%s%s %s: %pV", level, driver, name[0] ? name : "(unregistered)", &vaf);
	}
	va_end(args);
}
EXPORT_SYMBOL(ibdev_printk);
