// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/* Counters of a CA. */
#include "kt_sib.h"

static void read_stats(struct ksb_host *h)
{
	h->dev->ops.get_hw_stats(h->dev, h->stats, 1, h->stats->num_counters);
}

void ksb_note(struct ksb_host *h)
{
	read_stats(h);
	memcpy(h->noted, h->stats->value, h->stats->num_counters * sizeof(u64));
}

u64 ksb_value(struct ksb_host *h, const char *name)
{
	int i;

	read_stats(h);
	for (i = 0; i < h->stats->num_counters; i++)
		if (!strcmp(h->stats->descs[i].name, name))
			return h->stats->value[i];
	return U64_MAX;
}

void ksb_changed(struct ktap *t, struct ksb_host *h, const char *name, u64 by)
{
	const char *other;
	bool found = false;
	u64 grown;
	int i;

	read_stats(h);
	for (i = 0; i < h->stats->num_counters; i++) {
		other = h->stats->descs[i].name;
		grown = h->stats->value[i] - h->noted[i];
		found |= !strcmp(other, name);
		if (grown != (strcmp(other, name) ? 0 : by))
			ktap_fail(t, "%s: %s has grown by %llu; expected %s by %llu",
				  dev_name(&h->dev->dev), other, grown, name, by);
	}
	KT_EXPECT(t, found);
	ksb_note(h);
}
