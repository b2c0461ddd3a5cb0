/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Devices that have iWARP connections: iw_cm as a client of the core.
 */
#ifndef _KRDMA_IWCM_DEVICE_H_
#define _KRDMA_IWCM_DEVICE_H_

struct ib_device;
struct iwcm_device;

int iwcm_device_init(void);
void iwcm_device_exit(void);

/**
 * iwcm_device_get - look up iw_cm's state of a device
 * @ibdev: the device
 *
 * Return: iw_cm's state with a reference, to be dropped by iwcm_device_put(); or an ERR_PTR:
 * -EOPNOTSUPP if the device lacks iWARP methods; -ENODEV if the device is not registered, or is
 * being removed.
 */
struct iwcm_device *iwcm_device_get(struct ib_device *ibdev);

#endif /* _KRDMA_IWCM_DEVICE_H_ */
