// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: reads and polls files, and closes and replaces files that other threads use.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "uverbs_fuzz.h"

/* --- reading --- */

static void read_one(struct fuzzer *f, int fd, enum file_act act, size_t size)
{
	void *to = one_in(&f->rng, 16) ? (void *)bad_pointer(f) : frame_answer(f, size);
	ssize_t ret;

	if (one_in(&f->rng, 16))
		size = pick(&f->rng, 64);
	ret = read(fd, to, size);
	if (ret >= 0 || errno != EAGAIN)
		stats_count(FILES, act, ret > 0);
}

void any_reading(struct fuzzer *f, struct verbs_file *file)
{
	for (int i = 0; i < MAX_CHANNELS; i++)
		read_one(f, file->channels[i], READ_COMPLETION,
			 sizeof(struct ib_uverbs_comp_event_desc));
	read_one(f, file->async, READ_ASYNC, sizeof(struct ib_uverbs_async_event_desc));
	if (one_in(&f->rng, 4)) {
		struct pollfd fds[] = {
			{ .fd = file->async, .events = POLLIN },
			{ .fd = file->channels[0], .events = POLLIN },
			{ .fd = cm_fd(0), .events = POLLIN },
			{ .fd = file->fd, .events = pick(&f->rng, 32) },
		};

		stats_count(FILES, POLL, poll(fds, ARRAY_SIZE(fds), pick(&f->rng, 3)) >= 0);
	}
	if (one_in(&f->rng, 64)) {
		/* Reads without O_NONBLOCK. A signal interrupts the read. */
		fcntl(file->channels[0], F_SETFL, 0);
		read_one(f, file->channels[0], READ_COMPLETION,
			 sizeof(struct ib_uverbs_comp_event_desc));
		fcntl(file->channels[0], F_SETFL, O_NONBLOCK);
	}
}

/* --- closing --- */

/* Replaces the file behind a descriptor that other threads use. */
static void replace_descriptor(struct fuzzer *f, struct verbs_file *file)
{
	struct verbs_file *other = any_file(f);
	int copy = dup(other->fd), old;

	if (copy < 0)
		return;
	old = file->fd;
	if (one_in(&f->rng, 2)) {
		stats_count(FILES, DUP, dup2(copy, old) == old);
		close(copy);
		supply_open(f, file);
		close(old);
		return;
	}
	/* Closes only a second descriptor of a file, so that the file stays open. */
	stats_count(FILES, DUP, !close(copy));
}

/* --- other kinds of files --- */

static int any_fd(struct fuzzer *f, struct verbs_file *file)
{
	switch (pick(&f->rng, 4)) {
	case 0:
		return file->async;
	case 1:
		return file->channels[0];
	case 2:
		return cm_fd(0);
	default:
		return file->fd;
	}
}

/*
 * Makes a call that this kind of file does not support, or that is meant for another kind of file.
 */
static void use_other_kind(struct fuzzer *f, struct verbs_file *file)
{
	uint64_t words[8] = { odd_value(&f->rng), odd_value(&f->rng) };
	int fd = any_fd(f, file);
	bool good = false;

	switch (pick(&f->rng, 5)) {
	case 0:
		good = write(fd, words, pick(&f->rng, sizeof(words))) > 0;
		break;
	case 1:
		good = !ioctl(fd, odd_value(&f->rng), words);
		break;
	case 2:
		good = lseek(fd, odd_value(&f->rng), SEEK_SET) >= 0;
		break;
	case 3:
		good = !fcntl(fd, F_SETFL, O_NONBLOCK | (one_in(&f->rng, 2) ? O_ASYNC : 0));
		break;
	default:
		good = !fsync(fd);
		break;
	}
	stats_count(FILES, OTHER_KIND, good);
}

void any_file_act(struct fuzzer *f, struct verbs_file *file)
{
	unsigned int which = pick(&f->rng, CM_FILES);
	atomic_int *place;
	int fd;

	switch (pick(&f->rng, 7)) {
	case 0:
		stats_count(FILES, CLOSE_VERBS, !close(file->fd));
		supply_open(f, file);
		break;
	case 1:
		cm_close(which);
		stats_count(FILES, CLOSE_CM, true);
		cm_open(which);
		break;
	case 2:
	case 3:
		place = &file->channels[pick(&f->rng, MAX_CHANNELS)];
		fd = atomic_exchange(one_in(&f->rng, 4) ? &file->async : place, -1);
		if (fd >= 0)
			stats_count(FILES, CLOSE_EVENTS, !close(fd));
		new_channel(f, file);
		break;
	case 4:
		replace_descriptor(f, file);
		break;
	default:
		use_other_kind(f, file);
		break;
	}
}
