/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * A page that comes late: who accesses it first waits until the test provides it (userfaultfd).
 * Functions return a negative errno if they fail.
 */
#ifndef _KRDMA_TESTING_LIB_LATE_PAGE_H_
#define _KRDMA_TESTING_LIB_LATE_PAGE_H_

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/userfaultfd.h>

#define LATE_PAGE	4096

/* Makes the page at @page, which does not exist yet, come late. Returns its userfaultfd. */
static inline int late_page_open(void *page)
{
	struct uffdio_register area = {
		.range = { .start = (uintptr_t)page, .len = LATE_PAGE },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(__NR_userfaultfd, O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &area))
		return -errno;
	return fd;
}

/* Waits until somebody accesses the page. */
static inline int late_page_wanted(int fd, int timeout_ms)
{
	struct pollfd fault = { .fd = fd, .events = POLLIN };

	return poll(&fault, 1, timeout_ms) == 1 && fault.revents == POLLIN ? 0 : -ETIMEDOUT;
}

static inline int late_page_provide(int fd, void *page)
{
	struct uffdio_zeropage zero = {
		.range = { .start = (uintptr_t)page, .len = LATE_PAGE },
	};

	return ioctl(fd, UFFDIO_ZEROPAGE, &zero) ? -errno : 0;
}

/* Returns whether this kernel has userfaultfd(), and lets the process use it. */
static inline bool has_userfaultfd(void)
{
	int fd = syscall(__NR_userfaultfd, O_CLOEXEC);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

#endif /* _KRDMA_TESTING_LIB_LATE_PAGE_H_ */
