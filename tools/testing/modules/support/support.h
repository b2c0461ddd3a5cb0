/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Functions that initialize and clean up the parts of kt_support.ko.
 */
#ifndef _KRDMA_TESTING_SUPPORT_H_
#define _KRDMA_TESTING_SUPPORT_H_

void ktap_init(void);
void ktap_exit(void);
int memdev_init(void);
void memdev_exit(void);

#endif /* _KRDMA_TESTING_SUPPORT_H_ */
