// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * uverbs_fuzz: opens files of uverbs with some objects, and finds QPs that can be connected.
 */
#include <fcntl.h>
#include <stdio.h>

#include "uverbs_fuzz.h"

void supply_open(struct fuzzer *f, struct verbs_file *file)
{
	unsigned int most = one_in(&f->rng, 8) ? setting.num_nodes : setting.num_ours;
	unsigned int node = pick(&f->rng, most);
	unsigned int corrupt = f->corrupt;
	char path[64];

	snprintf(path, sizeof(path), "/dev/infiniband/uverbs%u", setting.nodes[node]);
	pool_clear(file);
	file->ours = node < setting.num_ours;
	file->fd = open(path, O_RDWR | O_CLOEXEC);
	f->corrupt = 0;
	if (one_in(&f->rng, 3))
		context_by_ioctl(f, file);
	else
		new_context(f, file);
	new_pd(f, file);
	new_channel(f, file);
	for (int i = 0; i < 2; i++) {
		new_mr(f, file);
		new_cq(f, file);
	}
	new_srq(f, file);
	for (int i = 0; i < 4; i++)
		new_qp(f, file);
	f->corrupt = corrupt;
}

/* Usually takes a QP of the first file, so that both endpoints can reach the same regions. */
bool supply_qp(struct fuzzer *f, struct object *qp)
{
	unsigned int first = one_in(&f->rng, 6) ? pick(&f->rng, FILES_EACH) : 0;

	for (unsigned int i = 0; i < FILES_EACH; i++) {
		struct verbs_file *file = &verbs_files[(first + i) % FILES_EACH];

		if (!file->ours)
			continue;
		if (pool_use_qp(f, file, UNUSED, TAKEN, qp)) {
			post_receives(f, file, qp);
			return true;
		}
		new_qp(f, file);
	}
	return false;
}
