// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * kt_device.ko: tests of devices, clients, events, ports and resource tracking. After the tests,
 * the module keeps the device kt0 until the module is unloaded, because
 * selftests/rdma/core/sysfs.sh tests the device's files in sysfs.
 */
#include <linux/moduleparam.h>
#include <rdma/krdma.h>

#include "provider.h"

KRDMA_NEEDS_IB_CORE;

static bool leak;
module_param(leak, bool, 0444);
MODULE_PARM_DESC(leak, "only leak some objects of a device, for the core to report; no tests");

static bool tests = true;
module_param(tests, bool, 0444);
MODULE_PARM_DESC(tests, "run the tests; 0: only keep the device kt0");

static struct ktap *report;
static struct ktp_device *kept;
static atomic_t renames;

static int add_renamed(struct ib_device *dev)
{
	return 0;
}

static void remove_renamed(struct ib_device *dev, void *data)
{
}

static void rename(struct ib_device *dev, void *data)
{
	atomic_inc(&renames);
}

static struct ib_client renamed = {
	.name = "kt_renamed", .add = add_renamed, .remove = remove_renamed, .rename = rename,
};

static int renames_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", atomic_read(&renames));
}

static const struct kernel_param_ops renames_ops = { .get = renames_get };
module_param_cb(renames, &renames_ops, NULL, 0444);
MODULE_PARM_DESC(renames, "calls of a client's rename callback");

static void track(struct ib_device *dev, struct rdma_restrack_entry *res,
		  enum rdma_restrack_type type, const char *name)
{
	rdma_restrack_new(res, type);
	rdma_restrack_set_name(res, name);
	WARN_ON(rdma_restrack_add(dev, res));
}

static int __init leak_some(void)
{
	struct rdma_restrack_entry entries[4] = {};
	struct ktp_device *ktp = ktp_alloc(&ktp_bare_ops);
	unsigned int i;

	if (!ktp)
		return -ENOMEM;
	if (ib_register_device(&ktp->ibdev, "ktleak", NULL)) {
		ib_dealloc_device(&ktp->ibdev);
		return -EINVAL;
	}
	track(&ktp->ibdev, &entries[0], RDMA_RESTRACK_PD, "kt_one");
	track(&ktp->ibdev, &entries[1], RDMA_RESTRACK_PD, "kt_two");
	track(&ktp->ibdev, &entries[2], RDMA_RESTRACK_PD, "kt_one");
	track(&ktp->ibdev, &entries[3], RDMA_RESTRACK_MR, NULL);
	ib_unregister_device(&ktp->ibdev);
	for (i = 0; i < ARRAY_SIZE(entries); i++)
		rdma_restrack_del(&ktp->ibdev, &entries[i]);
	ib_dealloc_device(&ktp->ibdev);
	return 0;
}

static int __init run_tests(void)
{
	const struct ktap_suite *const suites[] = {
		&kt_register_suite,
		&kt_unregister_suite,
		&kt_client_suite,
		&kt_event_suite,
		&kt_port_suite,
		&kt_restrack_suite,
	};

	report = ktap_run(KBUILD_MODNAME, suites, ARRAY_SIZE(suites));
	return PTR_ERR_OR_ZERO(report);
}

static int __init keep_device(void)
{
	int ret;

	kept = ktp_alloc(&ktp_ops);
	if (!kept)
		return -ENOMEM;
	ret = ib_register_client(&renamed);
	if (ret)
		goto out_device;
	ret = ib_register_device(&kept->ibdev, "kt%d", NULL);
	if (ret)
		goto out_client;
	return 0;

out_client:
	ib_unregister_client(&renamed);
out_device:
	ib_dealloc_device(&kept->ibdev);
	return ret;
}

static int __init kt_device_init(void)
{
	int ret = 0;

	if (leak)
		return leak_some();
	if (tests)
		ret = run_tests();
	if (ret)
		return ret;
	ret = keep_device();
	if (ret && report)
		ktap_free(report);
	return ret;
}

static void __exit kt_device_exit(void)
{
	if (leak)
		return;
	ktp_destroy(kept);
	ib_unregister_client(&renamed);
	if (report)
		ktap_free(report);
}

module_init(kt_device_init);
module_exit(kt_device_exit);
MODULE_DESCRIPTION("krdma in-kernel tests: devices");
MODULE_LICENSE("Dual BSD/GPL");
