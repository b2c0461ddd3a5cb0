// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: the objects of this process, as far as it knows. Threads may use an object while
 * others destroy it: the lock protects only the lists.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#include "uverbs_fuzz.h"

struct verbs_file verbs_files[FILES_EACH];

static unsigned int num_files = FILES_EACH;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- files --- */

/*
 * The child initializes its copy of the lock, because another thread may have held the lock at
 * fork.
 */
void pool_after_fork(void)
{
	pthread_mutex_init(&lock, NULL);
}

void pool_clear(struct verbs_file *file)
{
	pthread_mutex_lock(&lock);
	memset(file->count, 0, sizeof(file->count));
	for (int i = 0; i < MAX_CHANNELS; i++)
		file->channels[i] = -1;
	file->async = -1;
	pthread_mutex_unlock(&lock);
}

void pool_init(unsigned int files)
{
	num_files = files;
	for (int i = 0; i < FILES_EACH; i++) {
		verbs_files[i].fd = -1;
		verbs_files[i].num_destroyed = 0;
		memset(verbs_files[i].destroyed, 0, sizeof(verbs_files[i].destroyed));
		pool_clear(&verbs_files[i]);
	}
}

struct verbs_file *any_file(struct fuzzer *f)
{
	return &verbs_files[pick(&f->rng, num_files)];
}

void pool_add_channel(struct fuzzer *f, struct verbs_file *file, int fd)
{
	int old = atomic_exchange(&file->channels[pick(&f->rng, MAX_CHANNELS)], fd);

	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (old >= 0)
		close(old);
}

/* --- objects --- */

bool pool_full(struct verbs_file *file, enum kind kind)
{
	return file->count[kind] == MAX_OBJECTS;
}

void pool_add(struct verbs_file *file, enum kind kind, const struct object *object)
{
	pthread_mutex_lock(&lock);
	if (!pool_full(file, kind))
		file->objects[kind][file->count[kind]++] = *object;
	pthread_mutex_unlock(&lock);
}

void pool_remove(struct verbs_file *file, enum kind kind, uint32_t handle)
{
	struct object *objects = file->objects[kind];

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < file->count[kind]; i++)
		if (objects[i].handle == handle) {
			objects[i] = objects[--file->count[kind]];
			file->destroyed[file->num_destroyed++ % MAX_DESTROYED] = handle;
			break;
		}
	pthread_mutex_unlock(&lock);
}

void pool_change_mr(struct verbs_file *file, const struct ib_uverbs_rereg_mr *cmd, uint32_t stag)
{
	struct object *mrs = file->objects[MR];

	pthread_mutex_lock(&lock);
	for (unsigned int i = 0; i < file->count[MR]; i++) {
		if (mrs[i].handle != cmd->mr_handle)
			continue;
		mrs[i].stag = stag;
		if (cmd->flags & IBV_REREG_MR_CHANGE_PD)
			mrs[i].pd = cmd->pd_handle;
		if (cmd->flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
			mrs[i].addr = cmd->hca_va;
			mrs[i].len = cmd->length;
		}
	}
	pthread_mutex_unlock(&lock);
}

bool pool_any(struct fuzzer *f, struct verbs_file *file, enum kind kind, struct object *object)
{
	bool any;

	pthread_mutex_lock(&lock);
	any = file->count[kind];
	if (any)
		*object = file->objects[kind][pick(&f->rng, file->count[kind])];
	pthread_mutex_unlock(&lock);
	return any;
}

uint32_t pool_handle(struct fuzzer *f, struct verbs_file *file, enum kind kind)
{
	struct object object;

	if (f->corrupt && one_in(&f->rng, 24))
		return file->destroyed[pick(&f->rng, MAX_DESTROYED)];
	if (f->corrupt && one_in(&f->rng, 24))
		kind = pick(&f->rng, KINDS);
	if (f->corrupt && one_in(&f->rng, 48))
		return odd_value(&f->rng);
	/* Usually the oldest PD, because objects can work together only if they share a PD. */
	if (kind == PD && file->count[PD] && !one_in(&f->rng, 16))
		return file->objects[PD][0].handle;
	return pool_any(f, file, kind, &object) ? object.handle : pick(&f->rng, 64);
}

uint32_t pool_handle_to_destroy(struct fuzzer *f, struct verbs_file *file, enum kind kind)
{
	struct object object;

	if (one_in(&f->rng, 8) || !pool_any(f, file, kind, &object))
		return pool_handle(f, file, kind);
	return object.handle;
}

bool pool_region(struct fuzzer *f, struct verbs_file *file, uint32_t pd, struct object *mr)
{
	for (int i = 0; i < 8; i++)
		if (pool_any(f, file, MR, mr) && (mr->pd == pd || one_in(&f->rng, 256)))
			return true;
	return false;
}

/* --- QPs and connections --- */

/* Returns a QP whose use is @use, or NULL. Called with the lock held. */
static struct object *find_use(struct fuzzer *f, struct verbs_file *file, enum qp_use use)
{
	unsigned int first = pick(&f->rng, MAX_OBJECTS);

	for (unsigned int i = 0; i < file->count[QP]; i++) {
		struct object *qp = &file->objects[QP][(first + i) % file->count[QP]];

		if (qp->use == use)
			return qp;
	}
	return NULL;
}

bool pool_use_qp(struct fuzzer *f, struct verbs_file *file, enum qp_use use, enum qp_use to,
		 struct object *qp)
{
	struct object *found;

	pthread_mutex_lock(&lock);
	found = find_use(f, file, use);
	if (found) {
		found->use = to;
		*qp = *found;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

void pool_set_use(uint32_t qpn, enum qp_use use)
{
	pthread_mutex_lock(&lock);
	for (int i = 0; i < FILES_EACH; i++)
		for (unsigned int k = 0; k < verbs_files[i].count[QP]; k++)
			if (verbs_files[i].objects[QP][k].qpn == qpn)
				verbs_files[i].objects[QP][k].use = use;
	pthread_mutex_unlock(&lock);
}
