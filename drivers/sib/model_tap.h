/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/* The fabric: those who look at its packets. */
#ifndef SIB_MODEL_TAP_H
#define SIB_MODEL_TAP_H

#include <linux/atomic.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "ibwire/fault.h"

#define SIB_NAME_LEN		64	/* bytes of the name of a node or fabric, with its 0 */

#define SIB_PLACE_ANY		(-1)	/* any port of the node */

/**
 * struct sib_place - a node, or a port of a node, by its name
 * @node: name of the node; empty: any node
 * @port: number of the port, or SIB_PLACE_ANY
 */
struct sib_place {
	char node[SIB_NAME_LEN];
	s16 port;
};

/**
 * struct sib_tap - where readers get copies of the packets of a fabric
 * @ref: references: one of the fabric, one of each reader
 * @lock: protects @readers, @num_readers and @filter; innermost
 * @readers: who gets copies; read under RCU
 * @num_readers: number of entries of @readers
 * @filter: place whose packets the next reader gets
 * @captured: copies that readers got
 * @dropped: copies that readers did not get, because too many waited, or there was no memory
 * @injected: packets that were injected, by what was wrong with them
 */
struct sib_tap {
	struct kref ref;
	struct mutex lock; /* protects @readers, @num_readers and @filter */
	struct list_head readers;
	unsigned int num_readers;
	struct sib_place filter;
	atomic64_t captured;
	atomic64_t dropped;
	atomic64_t injected[IBWIRE_FAULT_COUNT];
};

#endif /* SIB_MODEL_TAP_H */
