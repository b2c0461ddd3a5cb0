// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * verbs_test: a file whose page comes, and is written back, when the test wants. The file is a
 * file system of its own, and a thread of this process is the server of that file system. While a
 * process waits for the page, its address space is locked. So another process than this one has to
 * access the page.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <linux/fuse.h>

#include "verbs_test.h"

#define MAX_WRITE	4096

static struct {
	int fd;
	/*
	 * Two pipes: @wanted becomes readable when the page is wanted or has to be written back,
	 * @provided when the server may answer.
	 */
	int wanted[2];
	int provided[2];
} file;

static void answer(uint64_t unique, int error, const void *data, size_t len)
{
	struct fuse_out_header head = {
		.len = sizeof(head) + len, .error = error, .unique = unique,
	};
	struct iovec parts[] = {
		{ .iov_base = &head, .iov_len = sizeof(head) },
		{ .iov_base = (void *)data, .iov_len = len },
	};

	if (writev(file.fd, parts, 2) < 0)
		perror("# slow file");
}

static void answer_init(uint64_t unique, const struct fuse_init_in *in)
{
	const struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = in->minor < FUSE_KERNEL_MINOR_VERSION ? in->minor :
								 FUSE_KERNEL_MINOR_VERSION,
		.max_write = MAX_WRITE,
	};

	answer(unique, 0, &out, sizeof(out));
}

static void wait_for_test(void)
{
	char byte = 0;

	if (write(file.wanted[1], &byte, 1) != 1 || read(file.provided[0], &byte, 1) != 1)
		perror("# slow file");
}

static void *serve(void *unused)
{
	static const struct fuse_attr_out attr = {
		.attr = { .ino = FUSE_ROOT_ID, .size = PAGE, .blocks = PAGE / 512,
			  .mode = S_IFREG | 0644, .nlink = 1, .blksize = PAGE },
	};
	static const struct fuse_open_out opened;
	static const uint8_t page[PAGE];
	static uint8_t request[FUSE_MIN_READ_BUFFER + MAX_WRITE];
	struct fuse_write_out written = {};
	const struct fuse_in_header *head = (void *)request;

	(void)unused;
	while (read(file.fd, request, sizeof(request)) > 0) {
		switch (head->opcode) {
		case FUSE_INIT:
			answer_init(head->unique, (void *)(head + 1));
			break;
		case FUSE_GETATTR:
			answer(head->unique, 0, &attr, sizeof(attr));
			break;
		case FUSE_OPEN:
			answer(head->unique, 0, &opened, sizeof(opened));
			break;
		case FUSE_READ:
			wait_for_test();
			answer(head->unique, 0, page, sizeof(page));
			break;
		case FUSE_WRITE:
			wait_for_test();
			written.size = ((struct fuse_write_in *)(head + 1))->size;
			answer(head->unique, 0, &written, sizeof(written));
			break;
		case FUSE_FORGET:
		case FUSE_BATCH_FORGET:
			break;
		default:
			answer(head->unique, -EOPNOTSUPP, NULL, 0);
		}
	}
	return NULL;
}

int slow_file_mount(const char *path)
{
	struct stat status;
	char options[64];
	pthread_t thread;
	int ret;

	ret = sys(file.fd = open("/dev/fuse", O_RDWR | O_CLOEXEC));
	if (ret < 0)
		return ret;
	snprintf(options, sizeof(options), "fd=%d,rootmode=100644,user_id=0,group_id=0", file.fd);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	ret = sys(mount("slow_file", path, "fuse", MS_NOSUID | MS_NODEV, options));
	if (!ret)
		ret = sys(pipe2(file.wanted, O_CLOEXEC));
	if (!ret)
		ret = sys(pipe2(file.provided, O_CLOEXEC));
	if (!ret)
		ret = -pthread_create(&thread, NULL, serve, NULL);
	/* The kernel asks for the file's length here, but not in mmap(). */
	return ret ?: sys(stat(path, &status));
}

bool slow_file_wanted(void)
{
	struct pollfd wanted = { .fd = file.wanted[0], .events = POLLIN };
	char byte;

	EXPECT(1, poll(&wanted, 1, patience_ms()));
	EXPECT(1, read(file.wanted[0], &byte, 1));
	return true;
}

/* The kernel locks the page, writes it back, and unlocks it when the server has answered. */
static void *invalidate(void *unused)
{
	const struct fuse_notify_inval_inode_out what = { .ino = FUSE_ROOT_ID };

	(void)unused;
	answer(0, FUSE_NOTIFY_INVAL_INODE, &what, sizeof(what));
	return NULL;
}

int slow_file_invalidate(pthread_t *thread)
{
	return -pthread_create(thread, NULL, invalidate, NULL);
}

int slow_file_provide(void)
{
	char byte = 0;

	return write(file.provided[1], &byte, 1) == 1 ? 0 : -errno;
}
